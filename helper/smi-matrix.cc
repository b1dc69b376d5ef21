/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "smi-matrix.h"

#include "fabric-units.h"
#include "fault-list.h"
#include "text-cursor.h"

#include <fstream>

namespace ns3
{

namespace
{

const char* const WORDS = "X, NV and a number, PIX, PXB, PHB, NODE, SYS, XGMI, PCIE, 0 on the "
                          "diagonal";

/**
 * @param name a column
 * @return true for "GPU0", "GPU12"
 */
bool
IsGpu(const std::string& name)
{
    return name.size() > 3 && name.compare(0, 3, "GPU") == 0 &&
           name.find_first_not_of("0123456789", 3) == std::string::npos;
}

/**
 * @param word a cell off the diagonal
 * @return true if it is one of the known words
 */
bool
IsWord(const std::string& word)
{
    for (const char* known : {"PIX", "PXB", "PHB", "NODE", "SYS", "XGMI", "PCIE"})
    {
        if (word == known)
        {
            return true;
        }
    }
    return SmiMatrix::GetNvLinks(word) > 0;
}

/**
 * @param cursor at a line
 * @return true for a title of rocm-smi: "==== Weight between two GPUs ===="
 */
bool
IsTitle(const TextCursor& cursor)
{
    return cursor.Get(0).compare(0, 3, "===") == 0;
}

} // namespace

uint32_t
SmiMatrix::GetNvLinks(const std::string& word)
{
    constexpr uint64_t most = 64;
    const auto number = word.compare(0, 2, "NV") == 0 && word.size() <= 4
                            ? FabricUnits::Whole(word.substr(2))
                            : std::nullopt;
    return number && *number <= most ? static_cast<uint32_t>(*number) : 0;
}

SmiMatrix
SmiMatrix::Read(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return Read(in, path);
}

SmiMatrix
SmiMatrix::Read(std::istream& in, const std::string& name)
{
    TextCursor cursor(in, name);
    SmiMatrix matrix;
    matrix.ReadHeader(cursor);
    matrix.ReadRows(cursor);
    cursor.GetFaults().ThrowIfAny();
    matrix.CheckSymmetry(cursor);
    cursor.GetFaults().ThrowIfAny();
    return matrix;
}

void
SmiMatrix::ReadHeader(TextCursor& cursor)
{
    bool wrongTable = false; // of rocm-smi: weights and hops come before the link types
    do
    {
        if (!cursor.Next())
        {
            cursor.Fail("no line with the column names GPU0 GPU1 ... of a topology matrix");
        }
        if (IsTitle(cursor))
        {
            wrongTable = cursor.Get(1) == "Weight" || cursor.Get(1) == "Hops";
        }
    } while (wrongTable || !IsGpu(cursor.Get(0)));
    for (size_t i = 0; i < cursor.GetCount(); ++i)
    {
        const std::string& name = cursor.Get(i);
        if (name == "CPU" || name == "NUMA" || name == "GPU")
        {
            m_hasCpu = m_hasCpu || name == "CPU";
            m_hasNuma = m_hasNuma || (name == "NUMA" && cursor.Get(i + 1) == "Affinity");
            i += name == "GPU" ? 2 : 1; // CPU Affinity, NUMA Affinity, GPU NUMA ID
            continue;
        }
        if (Find(name) != m_entries.size())
        {
            cursor.Fault(i, "there are two columns of this name");
            continue;
        }
        if (m_entries.size() == MAX_COLUMNS)
        {
            cursor.Fail("more than " + std::to_string(MAX_COLUMNS) + " columns");
        }
        Entry entry;
        entry.name = name;
        entry.isGpu = IsGpu(name);
        m_entries.push_back(entry);
    }
    m_cells.assign(m_entries.size(), {});
}

void
SmiMatrix::ReadRows(TextCursor& cursor)
{
    while (cursor.Next())
    {
        if (cursor.Get(0) == "Legend:" || (cursor.Get(0) == "NIC" && cursor.Get(1) == "Legend:"))
        {
            ReadLegend(cursor);
            return;
        }
        if (IsTitle(cursor))
        {
            return; // the next table of rocm-smi
        }
        const size_t row = Find(cursor.Get(0));
        if (row == m_entries.size())
        {
            cursor.Fault(0, "a row is named like one of the columns");
        }
        else if (m_entries[row].hasRow)
        {
            cursor.Fault(0, "there are two rows of this name");
        }
        else
        {
            ReadRow(cursor, row);
        }
    }
}

void
SmiMatrix::ReadRow(TextCursor& cursor, size_t row)
{
    const size_t columns = m_entries.size();
    Entry& entry = m_entries[row];
    if (cursor.GetCount() < columns + 1)
    {
        cursor.Fault(0,
                     "the row has " + std::to_string(cursor.GetCount() - 1) + " cells of " +
                         std::to_string(columns));
        return;
    }
    entry.hasRow = true;
    entry.line = cursor.GetLine();
    m_cells[row].resize(columns);
    for (size_t column = 0; column < columns; ++column)
    {
        ReadCell(cursor, row, column);
    }
    ReadAffinity(cursor, entry);
}

void
SmiMatrix::ReadCell(TextCursor& cursor, size_t row, size_t column)
{
    std::string word = cursor.Get(column + 1);
    const bool isSelf = word == "X" || word == "0";
    word = word == "SOC" ? "SYS" : word; // the old name
    if (row == column ? !isSelf : !IsWord(word))
    {
        cursor.Fault(column + 1, std::string("allowed are ") + WORDS);
        return;
    }
    m_cells[row][column] = isSelf ? "X" : word;
}

void
SmiMatrix::ReadAffinity(TextCursor& cursor, Entry& entry)
{
    size_t at = m_entries.size() + 1;
    if (m_hasCpu && at < cursor.GetCount())
    {
        entry.affinity = FaultList::Printable(cursor.Get(at++));
    }
    if (m_hasNuma && at < cursor.GetCount())
    {
        const std::string& text = cursor.Get(at);
        const auto numa = FabricUnits::Whole(text);
        const bool isList = text.find_first_not_of("0123456789,-") == std::string::npos;
        if (numa && *numa <= 65535)
        {
            entry.numa = static_cast<int32_t>(*numa);
        }
        else if (text != "N/A" && (!isList || numa))
        {
            cursor.Fault(at, "NUMA node: allowed is a whole number from 0 to 65535, or N/A");
        }
    }
}

void
SmiMatrix::ReadLegend(TextCursor& cursor)
{
    while (cursor.Next())
    {
        const std::string& name = cursor.Get(0);
        if (cursor.GetCount() == 2 && name.size() > 1 && name.back() == ':')
        {
            const size_t entry = Find(name.substr(0, name.size() - 1));
            if (entry < m_entries.size() && !m_entries[entry].isGpu)
            {
                m_entries[entry].device = FaultList::Printable(cursor.Get(1));
            }
        }
    }
}

void
SmiMatrix::CheckSymmetry(TextCursor& cursor) const
{
    for (size_t i = 0; i < m_entries.size(); ++i)
    {
        for (size_t j = 0; j < i; ++j)
        {
            const bool both = m_entries[i].hasRow && m_entries[j].hasRow;
            if (both && m_cells[i][j] != m_cells[j][i])
            {
                cursor.GetFaults().Add(cursor.GetName(),
                                       m_entries[i].line,
                                       m_cells[i][j],
                                       m_entries[i].name + " to " + m_entries[j].name +
                                           ", but back it is " + m_cells[j][i]);
            }
        }
    }
}

size_t
SmiMatrix::Find(const std::string& name) const
{
    size_t i = 0;
    while (i < m_entries.size() && m_entries[i].name != name)
    {
        ++i;
    }
    return i;
}

const std::vector<SmiMatrix::Entry>&
SmiMatrix::GetEntries() const
{
    return m_entries;
}

const std::string&
SmiMatrix::Get(size_t row, size_t column) const
{
    static const std::string none;
    if (m_entries.at(row).hasRow)
    {
        return m_cells[row].at(column);
    }
    return m_entries.at(column).hasRow ? m_cells[column].at(row) : none;
}

uint32_t
SmiMatrix::GetNGpus() const
{
    uint32_t gpus = 0;
    for (const auto& entry : m_entries)
    {
        gpus += entry.isGpu ? 1 : 0;
    }
    return gpus;
}

uint32_t
SmiMatrix::GetNNics() const
{
    return static_cast<uint32_t>(m_entries.size()) - GetNGpus();
}

uint32_t
SmiMatrix::GetNRows() const
{
    uint32_t rows = 0;
    for (const auto& entry : m_entries)
    {
        rows += entry.hasRow ? 1 : 0;
    }
    return rows;
}

std::map<std::string, uint32_t>
SmiMatrix::CountGpuPairs() const
{
    std::map<std::string, uint32_t> pairs;
    for (size_t i = 0; i < m_entries.size(); ++i)
    {
        for (size_t j = i + 1; j < m_entries.size(); ++j)
        {
            if (m_entries[i].isGpu && m_entries[j].isGpu)
            {
                ++pairs[Get(i, j)];
            }
        }
    }
    return pairs;
}

std::map<std::string, uint32_t>
SmiMatrix::CountGpuNicPairs() const
{
    std::map<std::string, uint32_t> pairs;
    for (size_t i = 0; i < m_entries.size(); ++i)
    {
        for (size_t j = 0; j < m_entries.size(); ++j)
        {
            if (m_entries[i].isGpu && !m_entries[j].isGpu)
            {
                ++pairs[Get(i, j)];
            }
        }
    }
    return pairs;
}

} // namespace ns3
