/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fat-tree-builder.h"

#include "ns3/fabric-error.h"

namespace ns3
{

FatTreeBuilder::FatTreeBuilder(const Parameters& parameters)
    : m_p(parameters)
{
}

void
FatTreeBuilder::DoCheckParameters() const
{
    RequireRange("fat-tree: k", m_p.k, 2, 128);
    if (m_p.k % 2 != 0)
    {
        throw FabricError("fat-tree: k = " + std::to_string(m_p.k) + ": an even number is wanted");
    }
    RequireRange("fat-tree: tiers", m_p.tiers, 2, 3);
    RequireRange("fat-tree: oversubscription", m_p.oversubscription, 1, 1024);
    RequireLink("fat-tree: host link", m_p.hostLink);
    RequireLink("fat-tree: edge link", m_p.edgeLink);
    RequireLink("fat-tree: core link", m_p.coreLink);
}

FabricTopologyBuilder::Counts
FatTreeBuilder::DoGetCounts() const
{
    const uint64_t k = m_p.k;
    const uint64_t edges = m_p.tiers == 3 ? k * k / 2 : k;
    const uint64_t hosts = edges * (k / 2) * m_p.oversubscription;
    const uint64_t hostLinks = hosts * m_p.hostLink.bundle;
    const uint64_t edgeLinks = edges * (k / 2) * m_p.edgeLink.bundle;
    if (m_p.tiers == 2)
    {
        return {hosts, k + k / 2, hostLinks + edgeLinks};
    }
    return {hosts, 5 * k * k / 4, hostLinks + edgeLinks + k * k * k / 4 * m_p.coreLink.bundle};
}

void
FatTreeBuilder::DoBuild(FabricTopology& topology) const
{
    const uint32_t half = m_p.k / 2;
    const uint32_t hostsPerEdge = half * m_p.oversubscription;
    const uint32_t edges = m_p.tiers == 3 ? m_p.k * half : m_p.k;
    const uint32_t hosts = edges * hostsPerEdge;
    const uint32_t edgesPerPod = m_p.tiers == 3 ? half : 1;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.SetPod(topology.AddHost(), i / hostsPerEdge / edgesPerPod);
    }
    for (uint32_t e = 0; e < edges; ++e)
    {
        topology.AddSwitch("edge" + std::to_string(e), 1, e / edgesPerPod);
    }
    for (uint32_t i = 0; i < hosts; ++i)
    {
        Connect(topology, i, hosts + i / hostsPerEdge, m_p.hostLink);
    }
    if (m_p.tiers == 2)
    {
        AddSpines(topology, hosts);
    }
    else
    {
        AddAggregationAndCore(topology, hosts);
    }
}

void
FatTreeBuilder::AddSpines(FabricTopology& topology, uint32_t firstEdge) const
{
    const uint32_t firstSpine = topology.GetNNodes();
    for (uint32_t s = 0; s < m_p.k / 2; ++s)
    {
        topology.AddSwitch("spine" + std::to_string(s), 2);
    }
    for (uint32_t e = 0; e < m_p.k; ++e)
    {
        for (uint32_t s = 0; s < m_p.k / 2; ++s)
        {
            Connect(topology, firstEdge + e, firstSpine + s, m_p.edgeLink);
        }
    }
}

void
FatTreeBuilder::AddAggregationAndCore(FabricTopology& topology, uint32_t firstEdge) const
{
    const uint32_t half = m_p.k / 2;
    const uint32_t firstAgg = topology.GetNNodes();
    for (uint32_t a = 0; a < m_p.k * half; ++a)
    {
        topology.AddSwitch("agg" + std::to_string(a), 2, a / half);
    }
    const uint32_t firstCore = topology.GetNNodes();
    for (uint32_t c = 0; c < half * half; ++c)
    {
        topology.AddSwitch("core" + std::to_string(c), 3);
    }
    for (uint32_t e = 0; e < m_p.k * half; ++e)
    {
        for (uint32_t a = 0; a < half; ++a)
        {
            Connect(topology, firstEdge + e, firstAgg + e / half * half + a, m_p.edgeLink);
        }
    }
    for (uint32_t a = 0; a < m_p.k * half; ++a)
    {
        for (uint32_t c = 0; c < half; ++c)
        {
            Connect(topology, firstAgg + a, firstCore + a % half * half + c, m_p.coreLink);
        }
    }
}

std::string
FatTreeBuilder::DoGetDescription() const
{
    return "fat-tree k=" + std::to_string(m_p.k) + " of " + std::to_string(m_p.tiers) +
           " tiers, oversubscription " + std::to_string(m_p.oversubscription) + ":1, host links " +
           LinkText(m_p.hostLink) + ", edge " + LinkText(m_p.edgeLink) +
           (m_p.tiers == 3 ? ", core " + LinkText(m_p.coreLink) : "");
}

} // namespace ns3
