/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "text-cursor.h"

#include "fabric-units.h"

#include "ns3/fabric-error.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

const std::string NO_TOKEN; //!< stands for a column that is not there

/**
 * @param c a byte
 * @return true for white space inside a line
 */
bool
IsBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

} // namespace

TextCursor::TextCursor(std::istream& in, const std::string& name)
    : m_in(in),
      m_name(name)
{
}

void
TextCursor::Open(const std::string& path, std::ifstream& in)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
    {
        throw FabricError::At(path, 0, "", "no such file");
    }
    if (std::filesystem::is_directory(status))
    {
        throw FabricError::At(path, 0, "", "is a folder, a text file is wanted");
    }
    in.open(path, std::ios::binary);
    if (!in)
    {
        throw FabricError::At(path, 0, "", "cannot be opened for reading");
    }
}

bool
TextCursor::ReadLine()
{
    m_text.clear();
    auto* buffer = m_in.rdbuf();
    int c = buffer->sbumpc();
    if (c == std::char_traits<char>::eof())
    {
        m_count = 0;
        return false;
    }
    ++m_line;
    for (; c != std::char_traits<char>::eof() && c != '\n'; c = buffer->sbumpc())
    {
        const bool control = (c < ' ' && !IsBlank(static_cast<char>(c))) || c == 0x7f;
        if (control)
        {
            std::ostringstream what;
            what << "binary data (byte 0x" << std::hex << (c & 0xff) << std::dec << " at column "
                 << m_text.size() + 1 << "): a text file is wanted";
            Fail(what.str());
        }
        if (m_text.size() == MAX_LINE)
        {
            Fail("line of more than " + std::to_string(MAX_LINE) + " bytes");
        }
        m_text.push_back(static_cast<char>(c));
    }
    if (m_line == 1 && m_text.compare(0, 3, "\xEF\xBB\xBF") == 0)
    {
        m_text.erase(0, 3); // byte order mark
    }
    return true;
}

void
TextCursor::SplitLine()
{
    m_count = 0;
    size_t at = 0;
    while (true)
    {
        while (at < m_text.size() && IsBlank(m_text[at]))
        {
            ++at;
        }
        if (at == m_text.size())
        {
            return;
        }
        size_t end = at;
        while (end < m_text.size() && !IsBlank(m_text[end]))
        {
            ++end;
        }
        if (m_count == m_tokens.size())
        {
            m_tokens.emplace_back();
        }
        m_tokens[m_count++].assign(m_text, at, end - at);
        at = end;
    }
}

bool
TextCursor::Next()
{
    while (ReadLine())
    {
        SplitLine();
        if (m_count > 0 && m_tokens[0][0] != '#')
        {
            return true;
        }
    }
    return false;
}

uint32_t
TextCursor::GetLine() const
{
    return m_line;
}

size_t
TextCursor::GetCount() const
{
    return m_count;
}

const std::string&
TextCursor::Get(size_t i) const
{
    return i < m_count ? m_tokens[i] : NO_TOKEN;
}

uint64_t
TextCursor::ReadWhole(size_t i, uint64_t min, uint64_t max, const std::string& what)
{
    const auto value = FabricUnits::Whole(Get(i));
    if (!value || *value < min || *value > max)
    {
        const bool open = max == std::numeric_limits<uint64_t>::max();
        Fault(i,
              what + ": allowed is a whole number from " + std::to_string(min) + " to " +
                  (open ? "2^64-1" : std::to_string(max)));
        return min;
    }
    return *value;
}

double
TextCursor::ReadReal(size_t i, double min, double max, const std::string& what)
{
    const auto value = FabricUnits::Real(Get(i));
    if (!value || *value < min || *value > max)
    {
        std::ostringstream text;
        text << what << ": allowed is a number from " << min << " to " << max;
        Fault(i, text.str());
        return min;
    }
    return *value;
}

bool
TextCursor::Expect(size_t count, const std::string& form)
{
    if (m_count == count)
    {
        return true;
    }
    const std::string columns = std::to_string(count) + " columns: " + form;
    m_faults.Add(m_name,
                 m_line,
                 m_count > count ? Get(count) : "",
                 m_count > count
                     ? "column " + std::to_string(count + 1) + " is too many, allowed are " +
                           columns
                     : std::to_string(m_count) + " columns only, allowed are " + columns);
    return false;
}

void
TextCursor::Fault(size_t i, const std::string& allowed)
{
    m_faults.Add(m_name, m_line, Get(i), "column " + std::to_string(i + 1) + ": " + allowed);
}

void
TextCursor::Fail(const std::string& allowed, const std::string& token)
{
    m_faults.Fail(m_name, m_line, token, allowed);
}

FaultList&
TextCursor::GetFaults()
{
    return m_faults;
}

const std::string&
TextCursor::GetName() const
{
    return m_name;
}

} // namespace ns3
