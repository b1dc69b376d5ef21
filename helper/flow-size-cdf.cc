/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "flow-size-cdf.h"

#include "fabric-units.h"
#include "text-cursor.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double MAX_BYTES = 1e15; //!< largest flow size in a table

/** Web search: Alizadeh et al., DCTCP, SIGCOMM 2010; bytes and percent. */
const std::vector<FlowSizeCdf::Point> WEB_SEARCH = {{0, 0},
                                                    {10000, 15},
                                                    {20000, 20},
                                                    {30000, 30},
                                                    {50000, 40},
                                                    {80000, 53},
                                                    {200000, 60},
                                                    {1000000, 70},
                                                    {2000000, 80},
                                                    {5000000, 90},
                                                    {10000000, 97},
                                                    {30000000, 100}};

/** Hadoop at Facebook: Roy et al., SIGCOMM 2015, in the short form of HPCC; bytes and percent. */
const std::vector<FlowSizeCdf::Point> FB_HADOOP = {
    {0, 0},       {100, 1},     {200, 2},        {300, 5},      {350, 15},
    {400, 20},    {500, 30},    {600, 40},       {700, 50},     {1000, 60},
    {2000, 67},   {7000, 70},   {30000, 72},     {50000, 82},   {80000, 87},
    {120000, 90}, {300000, 95}, {1000000, 97.5}, {2000000, 99}, {10000000, 100}};

/** @brief A built-in table. */
struct NamedTable
{
    const char* name;                              //!< as GetNames() shows it
    const std::vector<FlowSizeCdf::Point>* points; //!< the table
};

/** All built-in tables. */
const NamedTable TABLES[] = {{"WebSearch", &WEB_SEARCH}, {"FbHdp", &FB_HADOOP}};

/**
 * @param text any text
 * @return it in lower case
 */
std::string
Lower(std::string text)
{
    for (auto& c : text)
    {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

/**
 * @param points a table
 * @param i index
 * @return what is wrong with this point, or ""
 */
std::string
ExplainPoint(const std::vector<FlowSizeCdf::Point>& points, size_t i)
{
    const auto& p = points[i];
    if (!(p.bytes >= 0 && p.bytes <= MAX_BYTES))
    {
        return "size: allowed are 0 to 1e15 bytes";
    }
    if (!(p.cumulative >= 0 && p.cumulative <= 100 + 1e-6))
    {
        return "cumulative value: allowed are 0 to 1 (fractions) or 0 to 100 (percent)";
    }
    if (i > 0 && p.bytes < points[i - 1].bytes)
    {
        return "sizes must not decrease";
    }
    if (i > 0 && p.cumulative < points[i - 1].cumulative)
    {
        return "cumulative values must not decrease";
    }
    return "";
}

} // namespace

FlowSizeCdf::FlowSizeCdf(const std::string& name, const std::vector<Point>& points)
    : m_name(name),
      m_points(points)
{
    if (points.size() < 2)
    {
        throw FabricError(name + ": a flow size distribution has at least two points");
    }
    for (size_t i = 0; i < points.size(); ++i)
    {
        const auto why = ExplainPoint(points, i);
        if (!why.empty())
        {
            throw FabricError(name + ": point " + std::to_string(i + 1) + ": " + why);
        }
    }
    const double last = points.back().cumulative;
    const bool percent = std::abs(last - 100) < 1e-6;
    if (!percent && std::abs(last - 1) > 1e-6)
    {
        std::ostringstream text;
        text << name << ": the last cumulative value is " << last
             << ", allowed is 1 (fractions) or 100 (percent)";
        throw FabricError(text.str());
    }
    m_total = percent ? 100 : 1;
    m_points.back().cumulative = m_total;
    if (!(GetMean() > 0))
    {
        throw FabricError(name + ": the mean flow size is 0");
    }
}

FlowSizeCdf
FlowSizeCdf::Get(const std::string& nameOrPath)
{
    for (const auto& table : TABLES)
    {
        if (Lower(nameOrPath) == Lower(table.name))
        {
            return FlowSizeCdf(table.name, *table.points);
        }
    }
    std::ifstream in(nameOrPath);
    if (!in)
    {
        std::string names;
        for (const auto& name : GetNames())
        {
            names += (names.empty() ? "" : ", ") + name;
        }
        throw FabricError("'" + FaultList::Printable(nameOrPath) +
                          "': no such flow size distribution, allowed are " + names +
                          " or the path of a file");
    }
    in.close();
    return Read(nameOrPath);
}

std::vector<std::string>
FlowSizeCdf::GetNames()
{
    std::vector<std::string> names;
    for (const auto& table : TABLES)
    {
        names.emplace_back(table.name);
    }
    return names;
}

bool
FlowSizeCdf::IsBuiltIn(const std::string& name)
{
    return std::any_of(std::begin(TABLES), std::end(TABLES), [&](const NamedTable& table) {
        return Lower(name) == Lower(table.name);
    });
}

FlowSizeCdf
FlowSizeCdf::Read(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return Read(in, path);
}

FlowSizeCdf
FlowSizeCdf::Read(std::istream& in, const std::string& name)
{
    TextCursor cursor(in, name);
    std::vector<Point> points;
    size_t columns = 0;
    while (cursor.Next())
    {
        const size_t count = cursor.GetCount();
        if (columns == 0)
        {
            columns = count == 3 ? 3 : 2;
        }
        if (!cursor.Expect(columns, columns == 3 ? "size constant cumulative" : "size cumulative"))
        {
            continue;
        }
        if (points.size() == MAX_POINTS)
        {
            cursor.Fail("more than " + std::to_string(MAX_POINTS) + " points");
        }
        if (columns == 3)
        {
            cursor.ReadReal(1, 0, MAX_BYTES, "constant");
        }
        points.push_back({cursor.ReadReal(0, 0, MAX_BYTES, "size in bytes"),
                          cursor.ReadReal(columns - 1, 0, 100, "cumulative value")});
        if (cursor.GetFaults().IsEmpty())
        {
            const auto why = ExplainPoint(points, points.size() - 1);
            if (!why.empty())
            {
                cursor.Fault(0, why);
            }
        }
    }
    cursor.GetFaults().ThrowIfAny();
    return FlowSizeCdf(name, points);
}

const std::string&
FlowSizeCdf::GetName() const
{
    return m_name;
}

const std::vector<FlowSizeCdf::Point>&
FlowSizeCdf::GetPoints() const
{
    return m_points;
}

double
FlowSizeCdf::GetTotal() const
{
    return m_total;
}

double
FlowSizeCdf::GetMean() const
{
    double sum = m_points[0].bytes * m_points[0].cumulative;
    for (size_t i = 1; i < m_points.size(); ++i)
    {
        sum += (m_points[i].bytes + m_points[i - 1].bytes) / 2 *
               (m_points[i].cumulative - m_points[i - 1].cumulative);
    }
    return sum / m_total;
}

double
FlowSizeCdf::GetMedian() const
{
    return GetQuantile(0.5);
}

double
FlowSizeCdf::GetQuantile(double u) const
{
    const double y = std::min(std::max(u, 0.0), 1.0) * m_total;
    if (y <= m_points[0].cumulative)
    {
        // All sizes up to the last point with this value have no probability of their own.
        size_t i = 0;
        while (y == 0 && i + 1 < m_points.size() && m_points[i + 1].cumulative == 0)
        {
            ++i;
        }
        return m_points[i].bytes;
    }
    const auto hi =
        std::lower_bound(m_points.begin(), m_points.end(), y, [](const Point& p, double v) {
            return p.cumulative < v;
        });
    const auto lo = hi - 1;
    return lo->bytes +
           (hi->bytes - lo->bytes) / (hi->cumulative - lo->cumulative) * (y - lo->cumulative);
}

uint64_t
FlowSizeCdf::Draw(double u) const
{
    return std::max<uint64_t>(1, static_cast<uint64_t>(GetQuantile(u)));
}

} // namespace ns3
