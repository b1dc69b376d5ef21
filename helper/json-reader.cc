/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json-reader.h"

#include "fabric-units.h"
#include "fault-list.h"
#include "text-cursor.h"

#include "ns3/fabric-error.h"

#include <fstream>

namespace ns3
{

namespace
{

/**
 * @param code a Unicode code point
 * @return it in UTF-8
 */
std::string
Utf8(uint32_t code)
{
    const auto tail = [code](int shift) {
        return static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    };
    if (code < 0x80)
    {
        return {static_cast<char>(code)};
    }
    if (code < 0x800)
    {
        return {static_cast<char>(0xc0 | (code >> 6)), tail(0)};
    }
    if (code < 0x10000)
    {
        return {static_cast<char>(0xe0 | (code >> 12)), tail(6), tail(0)};
    }
    return {static_cast<char>(0xf0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

/**
 * @param text a word of a JSON text
 * @return true if it is a JSON number
 */
bool
IsNumber(const std::string& text)
{
    const std::string digits = !text.empty() && text[0] == '-' ? text.substr(1) : text;
    const bool leadingZero =
        digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
    const bool bareDot = digits.empty() || digits[0] == '.' || digits.back() == '.' ||
                         digits.find(".e") != std::string::npos ||
                         digits.find(".E") != std::string::npos;
    return !leadingZero && !bareDot && digits[0] >= '0' && digits[0] <= '9' &&
           FabricUnits::Real(digits).has_value();
}

} // namespace

JsonReader::JsonReader(const std::string& text, const std::string& name)
    : m_text(text),
      m_name(name)
{
}

JsonValue
JsonReader::Read(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return Read(in, path);
}

JsonValue
JsonReader::Read(std::istream& in, const std::string& name)
{
    std::string text;
    char chunk[16384];
    while (in.read(chunk, sizeof(chunk)), in.gcount() > 0)
    {
        text.append(chunk, static_cast<size_t>(in.gcount()));
        if (text.size() > MAX_BYTES)
        {
            const std::string most = std::to_string(MAX_BYTES);
            throw FabricError::At(name, 0, "", "more than " + most + " bytes of JSON");
        }
    }
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0)
    {
        text.erase(0, 3); // byte order mark
    }
    JsonReader reader(text, name);
    reader.Skip();
    JsonValue value = reader.ReadValue(0);
    reader.Skip();
    if (reader.m_at != text.size())
    {
        reader.Fail("nothing may follow the value");
    }
    return value;
}

JsonValue
JsonReader::ReadValue(uint32_t depth)
{
    if (depth > MAX_DEPTH)
    {
        Fail("more than " + std::to_string(MAX_DEPTH) + " arrays and objects inside each other");
    }
    if (++m_values > MAX_VALUES)
    {
        Fail("more than " + std::to_string(MAX_VALUES) + " values");
    }
    JsonValue value;
    value.line = m_line;
    switch (Peek())
    {
    case '{':
        ReadObject(value, depth);
        break;
    case '[':
        ReadArray(value, depth);
        break;
    case '"':
        value.kind = JsonValue::Kind::STRING;
        value.text = ReadString();
        break;
    default:
        ReadWord(value);
    }
    return value;
}

void
JsonReader::ReadObject(JsonValue& value, uint32_t depth)
{
    value.kind = JsonValue::Kind::OBJECT;
    ++m_at;
    Skip();
    while (Peek() != '}')
    {
        if (Peek() != '"')
        {
            Fail("a key in double quotes is wanted");
        }
        const uint32_t line = m_line;
        const std::string key = ReadString();
        if (const auto* first = value.Find(key))
        {
            throw FabricError::At(m_name,
                                  line,
                                  FaultList::Printable(key),
                                  "key repeated, first in line " + std::to_string(first->line));
        }
        Skip();
        if (Peek() != ':')
        {
            Fail("a colon is wanted after the key");
        }
        ++m_at;
        Skip();
        if (value.members.size() == MAX_MEMBERS)
        {
            Fail("more than " + std::to_string(MAX_MEMBERS) + " keys in an object");
        }
        value.members.emplace_back(key, ReadValue(depth + 1));
        Skip();
        if (Peek() == ',')
        {
            ++m_at;
            Skip();
            if (Peek() == '}')
            {
                Fail("no comma may stand before the closing brace");
            }
        }
        else if (Peek() != '}')
        {
            Fail("a comma or a closing brace is wanted");
        }
    }
    ++m_at;
}

void
JsonReader::ReadArray(JsonValue& value, uint32_t depth)
{
    value.kind = JsonValue::Kind::ARRAY;
    ++m_at;
    Skip();
    while (Peek() != ']')
    {
        value.items.push_back(ReadValue(depth + 1));
        Skip();
        if (Peek() == ',')
        {
            ++m_at;
            Skip();
            if (Peek() == ']')
            {
                Fail("no comma may stand before the closing bracket");
            }
        }
        else if (Peek() != ']')
        {
            Fail("a comma or a closing bracket is wanted");
        }
    }
    ++m_at;
}

std::string
JsonReader::ReadString()
{
    std::string out;
    for (++m_at; Peek() != '"'; ++m_at)
    {
        if (m_at >= m_text.size() || static_cast<unsigned char>(Peek()) < 0x20)
        {
            Fail("a string ends with double quotes on the same line");
        }
        if (Peek() == '\\')
        {
            ++m_at;
            ReadEscape(out);
        }
        else
        {
            out += Peek();
        }
    }
    ++m_at;
    return out;
}

void
JsonReader::ReadEscape(std::string& out)
{
    static const std::string from = "\"\\/bfnrt";
    static const std::string to = "\"\\/\b\f\n\r\t";
    const char c = Peek();
    const size_t i = c == 0 ? std::string::npos : from.find(c);
    if (i != std::string::npos)
    {
        out += to[i];
        return;
    }
    if (c != 'u')
    {
        Fail("after a backslash one of \" \\ / b f n r t u is wanted");
    }
    uint32_t code = ReadHex();
    if (code >= 0xd800 && code < 0xdc00 && m_text.compare(m_at + 1, 2, "\\u") == 0)
    {
        m_at += 2;
        const uint32_t low = ReadHex();
        code =
            low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0;
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
    {
        Fail("this escape is no character");
    }
    out += Utf8(code);
}

uint32_t
JsonReader::ReadHex()
{
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i)
    {
        ++m_at;
        static const std::string digits = "0123456789abcdefABCDEF";
        const size_t digit = Peek() == 0 ? std::string::npos : digits.find(Peek());
        if (digit == std::string::npos)
        {
            Fail("four hexadecimal digits are wanted");
        }
        code = code * 16 + static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
}

void
JsonReader::ReadWord(JsonValue& value)
{
    const size_t end = m_text.find_first_of(" \t\r\n,:[]{}\"", m_at);
    value.text = m_text.substr(m_at, end == std::string::npos ? std::string::npos : end - m_at);
    if (value.text == "true" || value.text == "false")
    {
        value.kind = JsonValue::Kind::BOOLEAN;
    }
    else if (IsNumber(value.text))
    {
        value.kind = JsonValue::Kind::NUMBER;
    }
    else if (value.text != "null")
    {
        Fail("a JSON value is wanted: object, array, \"string\", number, true, false or null");
    }
    m_at += value.text.size();
}

void
JsonReader::Skip()
{
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' ||
                                    m_text[m_at] == '\r' || m_text[m_at] == '\n'))
    {
        m_line += m_text[m_at++] == '\n' ? 1 : 0;
    }
}

char
JsonReader::Peek() const
{
    return m_at < m_text.size() ? m_text[m_at] : 0;
}

void
JsonReader::Fail(const std::string& allowed) const
{
    if (m_at >= m_text.size())
    {
        throw FabricError::At(m_name, m_line, "", "the file ends early: " + allowed);
    }
    const size_t end = m_text.find_first_of(" \t\r\n,:[]{}", m_at + 1);
    const auto token = m_text.substr(m_at, end == std::string::npos ? 40 : end - m_at);
    throw FabricError::At(m_name, m_line, FaultList::Printable(token), allowed);
}

} // namespace ns3
