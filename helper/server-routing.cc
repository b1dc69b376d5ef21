/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-routing.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace ns3
{

namespace
{
constexpr uint32_t FAR = 0xffffffff;
constexpr uint32_t GPU_LINK_COST = 1;
/** More than any sensible number of hops over GPU links. */
constexpr uint32_t HOST_LINK_COST = 100;
} // namespace

ServerRouting::ServerRouting(const ServerTopology& topology, bool relay, std::vector<bool> linkUp)
    : m_topology(topology),
      m_relay(relay),
      m_linkUp(std::move(linkUp)),
      m_endpointOf(topology.GetParts().size(), NONE)
{
    using Kind = ServerTopology::Kind;
    m_linkUp.resize(topology.GetLinks().size(), true);
    for (const auto& link : topology.GetLinks())
    {
        const bool host =
            link.family == LinkProfile::Family::PCIE || link.family == LinkProfile::Family::SOCKET;
        m_kindOf.push_back(host ? HOST_LINK : GPU_LINK);
    }
    for (const auto& part : topology.GetParts())
    {
        if (part.kind != Kind::NVSWITCH && part.kind != Kind::PCIE_SWITCH)
        {
            m_endpointOf[part.id] = static_cast<uint32_t>(m_endpoints.size());
            m_endpoints.push_back(part.id);
        }
    }
    for (uint32_t part : m_endpoints)
    {
        m_costs.push_back(ComputeCosts(part));
    }
}

ServerRouting::LinkKind
ServerRouting::KindOf(uint32_t link) const
{
    return m_kindOf[link];
}

uint32_t
ServerRouting::CostOf(uint32_t link) const
{
    return KindOf(link) == GPU_LINK ? GPU_LINK_COST : HOST_LINK_COST;
}

bool
ServerRouting::Forwards(uint32_t part, LinkKind from, LinkKind to) const
{
    using Kind = ServerTopology::Kind;
    switch (m_topology.GetParts()[part].kind)
    {
    case Kind::GPU:
        return m_relay && from == GPU_LINK && to == GPU_LINK;
    case Kind::NIC:
    case Kind::MEMORY:
    case Kind::DEVICE:
        return false;
    default:
        return true;
    }
}

ServerRouting::Costs
ServerRouting::ComputeCosts(uint32_t target) const
{
    typedef std::tuple<uint32_t, uint32_t, LinkKind> Entry; // cost, part, kind of its first link
    Costs costs(m_topology.GetParts().size() * KINDS, FAR);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    const auto relax = [&](uint32_t part, uint32_t cost, bool atTarget, LinkKind next) {
        for (uint32_t link : m_topology.GetLinks(part))
        {
            if (!m_linkUp[link] || (!atTarget && !Forwards(part, KindOf(link), next)))
            {
                continue;
            }
            const uint32_t peer = m_topology.GetPeer(link, part);
            const uint32_t all = cost + CostOf(link);
            uint32_t& best = costs[peer * KINDS + KindOf(link)];
            if (peer != target && all < best)
            {
                best = all;
                open.emplace(all, peer, KindOf(link));
            }
        }
    };
    relax(target, 0, true, GPU_LINK);
    while (!open.empty())
    {
        const auto [cost, part, kind] = open.top();
        open.pop();
        if (cost == costs[part * KINDS + kind])
        {
            relax(part, cost, false, kind);
        }
    }
    return costs;
}

std::vector<uint16_t>
ServerRouting::GetPorts(uint32_t part, uint32_t endpoint) const
{
    const uint32_t target = m_endpoints.at(endpoint);
    const Costs& costs = m_costs[endpoint];
    std::vector<uint16_t> ports;
    uint32_t best = FAR;
    const auto& links = m_topology.GetLinks(part);
    for (size_t i = 0; part != target && i < links.size(); ++i)
    {
        const uint32_t peer = m_topology.GetPeer(links[i], part);
        uint32_t cost = FAR;
        for (LinkKind next : {GPU_LINK, HOST_LINK})
        {
            const uint32_t rest = peer == target ? 0 : costs[peer * KINDS + next];
            if (m_linkUp[links[i]] && rest != FAR &&
                (peer == target || Forwards(peer, KindOf(links[i]), next)))
            {
                cost = std::min(cost, rest + CostOf(links[i]));
            }
        }
        if (cost < best)
        {
            best = cost;
            ports.clear();
        }
        if (cost == best && cost != FAR)
        {
            ports.push_back(static_cast<uint16_t>(i));
        }
    }
    return ports;
}

std::vector<uint32_t>
ServerRouting::GetPath(uint32_t from, uint32_t to) const
{
    std::vector<uint32_t> path{from};
    while (path.back() != to)
    {
        const auto ports = GetPorts(path.back(), m_endpointOf.at(to));
        if (ports.empty() || path.size() > m_topology.GetParts().size())
        {
            return {};
        }
        path.push_back(m_topology.GetPeer(m_topology.GetLinks(path.back())[ports[0]], path.back()));
    }
    return path;
}

std::vector<ServerRouting::Pair>
ServerRouting::GetUnreachableGpus() const
{
    std::vector<Pair> missing;
    const auto gpus = m_topology.GetParts(ServerTopology::Kind::GPU);
    for (uint32_t from : gpus)
    {
        for (uint32_t to : gpus)
        {
            if (from != to && GetPorts(from, m_endpointOf[to]).empty())
            {
                missing.emplace_back(from, to);
            }
        }
    }
    return missing;
}

} // namespace ns3
