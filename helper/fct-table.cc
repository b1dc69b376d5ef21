/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fct-table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace ns3
{

namespace
{
/** Upper ends of the size bins, bytes; the last bin has none. */
constexpr uint64_t BIN_END[] = {1'000, 10'000, 100'000, 1'000'000};
const char* const BIN_LABEL[] = {"<= 1 KB", "1-10 KB", "10-100 KB", "0.1-1 MB", "> 1 MB"};

FctTable::Row
MakeRow(const char* label, std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    FctTable::Row row;
    row.label = label;
    row.flows = values.size();
    row.p50 = FctTable::Percentile(values, 50);
    row.p95 = FctTable::Percentile(values, 95);
    row.p99 = FctTable::Percentile(values, 99);
    row.max = values.empty() ? 0 : values.back();
    return row;
}
} // namespace

double
FctTable::Percentile(const std::vector<double>& sorted, double percent)
{
    if (sorted.empty())
    {
        return 0;
    }
    const double rank = std::ceil(percent * static_cast<double>(sorted.size()) / 100.0 - 1e-9);
    const auto index = static_cast<size_t>(std::max(1.0, rank)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

void
FctTable::Add(uint64_t bytes, double slowdown)
{
    uint32_t bin = 0;
    while (bin + 1 < BINS && bytes > BIN_END[bin])
    {
        ++bin;
    }
    m_slowdowns[bin].push_back(slowdown);
}

uint64_t
FctTable::GetNFlows() const
{
    uint64_t flows = 0;
    for (const auto& bin : m_slowdowns)
    {
        flows += bin.size();
    }
    return flows;
}

std::vector<FctTable::Row>
FctTable::GetRows() const
{
    std::vector<Row> rows;
    std::vector<double> all;
    for (uint32_t bin = 0; bin < BINS; ++bin)
    {
        rows.push_back(MakeRow(BIN_LABEL[bin], m_slowdowns[bin]));
        all.insert(all.end(), m_slowdowns[bin].begin(), m_slowdowns[bin].end());
    }
    rows.push_back(MakeRow("all", std::move(all)));
    return rows;
}

void
FctTable::Print(std::ostream& os) const
{
    char line[128];
    std::snprintf(line, sizeof(line), "  %-10s %8s %9s %9s %9s %9s\n", "flow size", "flows", "p50",
                  "p95", "p99", "max");
    os << line;
    for (const auto& row : GetRows())
    {
        if (row.flows == 0)
        {
            std::snprintf(line, sizeof(line), "  %-10s %8u %9s %9s %9s %9s\n", row.label.c_str(),
                          0U, "-", "-", "-", "-");
        }
        else
        {
            std::snprintf(line, sizeof(line), "  %-10s %8llu %9.3f %9.3f %9.3f %9.3f\n",
                          row.label.c_str(), static_cast<unsigned long long>(row.flows), row.p50,
                          row.p95, row.p99, row.max);
        }
        os << line;
    }
}

} // namespace ns3
