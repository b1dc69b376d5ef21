/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "xml-reader.h"

#include "fabric-units.h"
#include "fault-list.h"
#include "text-cursor.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <fstream>

namespace ns3
{

namespace
{

/**
 * @param c a byte
 * @return true for white space
 */
bool
IsBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/**
 * @param c a byte
 * @return true if it can be part of a name
 */
bool
IsName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
}

} // namespace

XmlReader::XmlReader(const std::string& text, const std::string& name)
    : m_text(text),
      m_name(name)
{
}

XmlElement
XmlReader::Read(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return Read(in, path);
}

XmlElement
XmlReader::Read(std::istream& in, const std::string& name)
{
    std::string text;
    char chunk[16384];
    while (in.read(chunk, sizeof(chunk)), in.gcount() > 0)
    {
        text.append(chunk, static_cast<size_t>(in.gcount()));
        if (text.size() > MAX_BYTES)
        {
            const std::string most = std::to_string(MAX_BYTES);
            throw FabricError::At(name, 0, "", "more than " + most + " bytes of XML");
        }
    }
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0)
    {
        text.erase(0, 3); // byte order mark
    }
    XmlReader reader(text, name);
    reader.SkipMisc();
    if (reader.Peek() != '<')
    {
        reader.Fail("an XML element is wanted");
    }
    XmlElement root = reader.ReadElement(0);
    reader.SkipMisc();
    if (reader.m_at != text.size())
    {
        reader.Fail("nothing may follow the root element");
    }
    return root;
}

char
XmlReader::Peek() const
{
    return m_at < m_text.size() ? m_text[m_at] : 0;
}

bool
XmlReader::StartsWith(const std::string& text) const
{
    return m_text.compare(m_at, text.size(), text) == 0;
}

void
XmlReader::SkipBlanks()
{
    for (; m_at < m_text.size() && IsBlank(m_text[m_at]); ++m_at)
    {
        m_line += m_text[m_at] == '\n' ? 1 : 0;
    }
}

void
XmlReader::SkipPast(const std::string& end, const std::string& what)
{
    const size_t at = m_text.find(end, m_at);
    if (at == std::string::npos)
    {
        Fail(what + " without its end " + end);
    }
    const auto from = m_text.begin() + static_cast<std::ptrdiff_t>(m_at);
    const auto to = m_text.begin() + static_cast<std::ptrdiff_t>(at);
    m_line += static_cast<uint32_t>(std::count(from, to, '\n'));
    m_at = at + end.size();
}

void
XmlReader::SkipDoctype()
{
    const size_t end = m_text.find('>', m_at);
    const size_t definitions = m_text.find('[', m_at);
    if (definitions != std::string::npos && (end == std::string::npos || definitions < end))
    {
        Fail("a DOCTYPE with definitions is refused, allowed is one that only names a file");
    }
    SkipPast(">", "a DOCTYPE");
}

void
XmlReader::SkipMisc()
{
    while (true)
    {
        SkipBlanks();
        if (StartsWith("<!--"))
        {
            SkipPast("-->", "a comment");
        }
        else if (StartsWith("<?"))
        {
            SkipPast("?>", "an instruction");
        }
        else if (StartsWith("<!DOCTYPE"))
        {
            SkipDoctype();
        }
        else
        {
            return;
        }
    }
}

std::string
XmlReader::ReadName()
{
    const size_t from = m_at;
    while (m_at < m_text.size() && IsName(m_text[m_at]))
    {
        ++m_at;
    }
    if (m_at == from)
    {
        Fail("a name of letters, digits and _ - . : is wanted");
    }
    return m_text.substr(from, m_at - from);
}

char
XmlReader::ReadEntity()
{
    static const std::pair<const char*, char> known[] = {{"&lt;", '<'},
                                                         {"&gt;", '>'},
                                                         {"&amp;", '&'},
                                                         {"&quot;", '"'},
                                                         {"&apos;", '\''}};
    for (const auto& [text, c] : known)
    {
        if (StartsWith(text))
        {
            m_at += std::string(text).size();
            return c;
        }
    }
    const size_t end = m_text.find(';', m_at);
    if (StartsWith("&#") && end != std::string::npos && end - m_at <= 6)
    {
        const auto code = FabricUnits::Whole(m_text.substr(m_at + 2, end - m_at - 2));
        if (code &&
            (*code == '\t' || *code == '\n' || *code == '\r' || (*code >= ' ' && *code < 127)))
        {
            m_at = end + 1;
            return static_cast<char>(*code);
        }
    }
    Fail("allowed are &lt; &gt; &amp; &quot; &apos; and &#N; with an ASCII character");
}

std::string
XmlReader::ReadText(char end, bool inTag)
{
    std::string out;
    while (Peek() != end)
    {
        const auto c = static_cast<unsigned char>(Peek());
        if (m_at >= m_text.size())
        {
            Fail("the text ends inside an element");
        }
        if ((c < ' ' && !IsBlank(Peek())) || c == 127)
        {
            Fail("binary data: an XML text is wanted");
        }
        if (inTag && c == '<')
        {
            Fail("a value ends with its quotation mark");
        }
        if (c == '&')
        {
            out += ReadEntity();
            continue;
        }
        m_line += c == '\n' ? 1 : 0;
        out += Peek();
        ++m_at;
    }
    return out;
}

void
XmlReader::ReadAttributes(XmlElement& element)
{
    while (true)
    {
        const size_t before = m_at;
        SkipBlanks();
        if (Peek() == '>' || Peek() == '/')
        {
            return;
        }
        if (m_at == before)
        {
            Fail("a blank, / or > is wanted");
        }
        const std::string key = ReadName();
        if (element.Find(key) != nullptr)
        {
            throw FabricError::At(m_name, m_line, key, "attribute given twice");
        }
        if (element.attributes.size() == MAX_ATTRIBUTES)
        {
            Fail("more than " + std::to_string(MAX_ATTRIBUTES) + " attributes");
        }
        SkipBlanks();
        if (Peek() != '=')
        {
            Fail("= is wanted after the name of an attribute");
        }
        ++m_at;
        SkipBlanks();
        const char quote = Peek();
        if (quote != '"' && quote != '\'')
        {
            Fail("a value in quotation marks is wanted");
        }
        ++m_at;
        element.attributes.emplace_back(key, ReadText(quote, true));
        ++m_at;
    }
}

void
XmlReader::ReadContent(XmlElement& element, uint32_t depth)
{
    while (true)
    {
        element.text += ReadText('<', false);
        if (StartsWith("<!--"))
        {
            SkipPast("-->", "a comment");
        }
        else if (StartsWith("<?"))
        {
            SkipPast("?>", "an instruction");
        }
        else if (StartsWith("</"))
        {
            m_at += 2;
            const std::string name = ReadName();
            if (name != element.name)
            {
                throw FabricError::At(m_name,
                                      m_line,
                                      "</" + FaultList::Printable(name) + ">",
                                      "</" + FaultList::Printable(element.name) +
                                          "> is wanted, opened in line " +
                                          std::to_string(element.line));
            }
            SkipBlanks();
            if (Peek() != '>')
            {
                Fail("> is wanted");
            }
            ++m_at;
            return;
        }
        else
        {
            element.children.push_back(ReadElement(depth + 1));
        }
    }
}

XmlElement
XmlReader::ReadElement(uint32_t depth)
{
    if (depth >= MAX_DEPTH)
    {
        Fail("more than " + std::to_string(MAX_DEPTH) + " elements inside each other");
    }
    if (++m_elements > MAX_ELEMENTS)
    {
        Fail("more than " + std::to_string(MAX_ELEMENTS) + " elements");
    }
    XmlElement element;
    element.line = m_line;
    ++m_at; // the <
    element.name = ReadName();
    ReadAttributes(element);
    if (Peek() == '/')
    {
        ++m_at;
        if (Peek() != '>')
        {
            Fail("> is wanted after /");
        }
        ++m_at;
        return element;
    }
    ++m_at; // the >
    ReadContent(element, depth);
    return element;
}

void
XmlReader::Fail(const std::string& allowed) const
{
    const size_t end = m_text.find_first_of(" \t\r\n", m_at);
    const std::string token =
        m_at < m_text.size() ? m_text.substr(m_at, std::min(end, m_at + 61) - m_at) : "";
    throw FabricError::At(m_name, m_line, FaultList::Printable(token), allowed);
}

} // namespace ns3
