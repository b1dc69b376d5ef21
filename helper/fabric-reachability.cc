/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-reachability.h"

#include <algorithm>
#include <map>
#include <queue>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_GROUP_PAIRS = 20'000'000; //!< group comparisons before the count is a bound
constexpr size_t MAX_EXAMPLES = 10;              //!< unreachable pairs named

/**
 * @param a ascending numbers
 * @param b ascending numbers
 * @return true if they have one in common
 */
bool
Meet(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end())
    {
        if (*i == *j)
        {
            return true;
        }
        *i < *j ? ++i : ++j;
    }
    return false;
}

/**
 * @param v becomes ascending without repetition
 */
void
SortUnique(std::vector<uint32_t>& v)
{
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
}

} // namespace

FabricReachability::FabricReachability(const FabricTopology& topology)
    : m_hosts(topology.GetHosts()),
      m_partsOf(topology.GetNNodes()),
      m_directs(topology.GetNNodes())
{
    FindParts(topology);
    FindGroups();
}

void
FabricReachability::FindParts(const FabricTopology& topology)
{
    const uint32_t none = topology.GetNNodes();
    std::vector<uint32_t> part(topology.GetNNodes(), none);
    uint32_t parts = 0;
    for (const auto& node : topology.GetNodes())
    {
        if (topology.IsHost(node.id) || part[node.id] != none)
        {
            continue;
        }
        part[node.id] = parts;
        std::queue<uint32_t> open;
        for (open.push(node.id); !open.empty(); open.pop())
        {
            for (const auto link : topology.GetLinks(open.front()))
            {
                const uint32_t peer = topology.GetPeer(link, open.front());
                if (!topology.IsHost(peer) && part[peer] == none)
                {
                    part[peer] = parts;
                    open.push(peer);
                }
            }
        }
        ++parts;
    }
    for (const auto& link : topology.GetLinks())
    {
        const bool hostA = topology.IsHost(link.a);
        const bool hostB = topology.IsHost(link.b);
        if (hostA)
        {
            (hostB ? m_directs : m_partsOf)[link.a].push_back(hostB ? link.b : part[link.b]);
        }
        if (hostB)
        {
            (hostA ? m_directs : m_partsOf)[link.b].push_back(hostA ? link.a : part[link.a]);
        }
    }
    std::for_each(m_partsOf.begin(), m_partsOf.end(), SortUnique);
    std::for_each(m_directs.begin(), m_directs.end(), SortUnique);
}

void
FabricReachability::FindGroups()
{
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> groups;
    for (const auto host : m_hosts)
    {
        groups[m_partsOf[host]].push_back(host);
    }
    for (auto& [parts, hosts] : groups)
    {
        m_groups.push_back({parts, std::move(hosts)});
    }
}

bool
FabricReachability::IsReachable(uint32_t a, uint32_t b) const
{
    return a == b || Meet(m_partsOf[a], m_partsOf[b]) ||
           std::binary_search(m_directs[a].begin(), m_directs[a].end(), b);
}

uint64_t
FabricReachability::CountDirectOnly() const
{
    uint64_t pairs = 0;
    for (const auto host : m_hosts)
    {
        for (const auto peer : m_directs[host])
        {
            pairs += (peer > host && !Meet(m_partsOf[host], m_partsOf[peer])) ? 1 : 0;
        }
    }
    return pairs;
}

void
FabricReachability::Fill(FabricTopology::Report& report) const
{
    uint64_t apart = 0;
    uint64_t work = 0;
    report.unreachableExact = true;
    for (size_t i = 0; i < m_groups.size() && report.unreachableExact; ++i)
    {
        const uint64_t here = m_groups[i].hosts.size();
        if (m_groups[i].parts.empty())
        {
            apart += here * (here - 1) / 2;
        }
        for (size_t j = i + 1; j < m_groups.size(); ++j)
        {
            if (++work > MAX_GROUP_PAIRS)
            {
                report.unreachableExact = false;
                break;
            }
            if (!Meet(m_groups[i].parts, m_groups[j].parts))
            {
                apart += here * m_groups[j].hosts.size();
            }
        }
    }
    const uint64_t direct = CountDirectOnly();
    report.unreachablePairs = apart > direct ? apart - direct : 0;
    FindExamples(report);
}

void
FabricReachability::FindExamples(FabricTopology::Report& report) const
{
    report.unreachableExamples.clear();
    uint64_t work = 0;
    for (size_t i = 0; i < m_hosts.size(); ++i)
    {
        for (size_t j = i + 1; j < m_hosts.size(); ++j)
        {
            if (report.unreachableExamples.size() == MAX_EXAMPLES || ++work > MAX_GROUP_PAIRS ||
                report.unreachableExamples.size() == report.unreachablePairs)
            {
                return;
            }
            if (!IsReachable(m_hosts[i], m_hosts[j]))
            {
                report.unreachableExamples.emplace_back(m_hosts[i], m_hosts[j]);
            }
        }
    }
}

} // namespace ns3
