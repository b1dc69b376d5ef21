/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-routing-helper.h"

#include "ns3/forwarding-table.h"

#include <algorithm>

namespace ns3
{

FabricRoutingHelper::FabricRoutingHelper(const FabricTopology& topology)
    : m_topology(topology)
{
}

std::vector<uint32_t>
FabricRoutingHelper::Distances(uint32_t root, const std::vector<bool>& linkUp) const
{
    std::vector<uint32_t> distance(m_topology.GetNNodes(), UINT32_MAX);
    std::vector<uint32_t> queue{root};
    distance[root] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
    {
        const uint32_t at = queue[i];
        for (uint32_t link : m_topology.GetLinks(at))
        {
            const uint32_t next = m_topology.GetPeer(link, at);
            if (linkUp[link] && !m_topology.IsHost(next) && distance[next] == UINT32_MAX)
            {
                distance[next] = distance[at] + 1;
                queue.push_back(next);
            }
        }
    }
    return distance;
}

void
FabricRoutingHelper::Compute(const std::vector<bool>& linkUp,
                             const std::vector<ForwardingTable*>& tables) const
{
    const auto endpoints = m_topology.GetEndpoints();
    std::vector<std::vector<const FabricTopology::Endpoint*>> behind(m_topology.GetNNodes());
    for (const auto& endpoint : endpoints)
    {
        const uint32_t edge = m_topology.GetPeer(endpoint.link, endpoint.host);
        if (!m_topology.IsHost(edge) && linkUp[endpoint.link])
        {
            behind[edge].push_back(&endpoint);
        }
    }
    for (auto* table : tables)
    {
        if (table != nullptr)
        {
            table->Reset(static_cast<uint32_t>(endpoints.size()));
        }
    }
    std::vector<uint16_t> ports;
    std::vector<uint16_t> portOf(m_topology.GetNLinks());
    for (uint32_t edge = 0; edge < m_topology.GetNNodes(); ++edge)
    {
        if (behind[edge].empty())
        {
            continue;
        }
        const auto& own = m_topology.GetLinks(edge);
        for (uint16_t port = 0; port < own.size(); ++port)
        {
            portOf[own[port]] = port;
        }
        for (const auto* endpoint : behind[edge])
        {
            tables[edge]->Set(endpoint->id, {portOf[endpoint->link]});
        }
        const auto distance = Distances(edge, linkUp);
        for (uint32_t node = 0; node < m_topology.GetNNodes(); ++node)
        {
            if (tables[node] == nullptr || node == edge || distance[node] == UINT32_MAX)
            {
                continue;
            }
            ports.clear();
            const auto& links = m_topology.GetLinks(node);
            for (uint16_t port = 0; port < links.size(); ++port)
            {
                const uint32_t peer = m_topology.GetPeer(links[port], node);
                if (linkUp[links[port]] && distance[peer] == distance[node] - 1)
                {
                    ports.push_back(port);
                }
            }
            for (const auto* endpoint : behind[edge])
            {
                tables[node]->Set(endpoint->id, ports);
            }
        }
    }
}

std::vector<std::vector<uint16_t>>
FabricRoutingHelper::GetFloodPorts(const std::vector<bool>& linkUp) const
{
    const uint32_t n = m_topology.GetNNodes();
    std::vector<bool> inTree(m_topology.GetNLinks(), false);
    std::vector<bool> seen(n, false);
    for (uint32_t root = 0; root < n; ++root)
    {
        if (seen[root] || m_topology.IsHost(root))
        {
            continue;
        }
        std::vector<uint32_t> queue{root};
        seen[root] = true;
        for (size_t i = 0; i < queue.size(); ++i)
        {
            for (uint32_t link : m_topology.GetLinks(queue[i]))
            {
                const uint32_t next = m_topology.GetPeer(link, queue[i]);
                const bool host = m_topology.IsHost(next);
                if (linkUp[link] && (host || !seen[next]))
                {
                    inTree[link] = true;
                    if (!host)
                    {
                        seen[next] = true;
                        queue.push_back(next);
                    }
                }
            }
        }
    }
    std::vector<std::vector<uint16_t>> flood(n);
    for (uint32_t node = 0; node < n; ++node)
    {
        const auto& links = m_topology.GetLinks(node);
        for (uint16_t port = 0; !m_topology.IsHost(node) && port < links.size(); ++port)
        {
            if (inTree[links[port]])
            {
                flood[node].push_back(port);
            }
        }
    }
    return flood;
}

} // namespace ns3
