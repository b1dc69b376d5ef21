/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "leaf-spine-builder.h"

namespace ns3
{

LeafSpineBuilder::LeafSpineBuilder(const Parameters& parameters)
    : m_p(parameters)
{
}

void
LeafSpineBuilder::DoCheckParameters() const
{
    RequireRange("leaf-spine: leaves", m_p.leaves, 1, FabricTopology::MAX_NODES);
    RequireRange("leaf-spine: spines", m_p.spines, 1, FabricTopology::MAX_NODES);
    RequireRange("leaf-spine: hosts per leaf", m_p.hostsPerLeaf, 1, FabricTopology::MAX_NODES);
    RequireLink("leaf-spine: host link", m_p.hostLink);
    RequireLink("leaf-spine: up-link", m_p.upLink);
}

FabricTopologyBuilder::Counts
LeafSpineBuilder::DoGetCounts() const
{
    const uint64_t hosts = uint64_t{m_p.leaves} * m_p.hostsPerLeaf;
    return {hosts,
            uint64_t{m_p.leaves} + m_p.spines,
            hosts * m_p.hostLink.bundle + uint64_t{m_p.leaves} * m_p.spines * m_p.upLink.bundle};
}

void
LeafSpineBuilder::DoBuild(FabricTopology& topology) const
{
    const uint32_t hosts = m_p.leaves * m_p.hostsPerLeaf;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.SetPod(topology.AddHost(), i / m_p.hostsPerLeaf);
    }
    for (uint32_t l = 0; l < m_p.leaves; ++l)
    {
        topology.AddSwitch("leaf" + std::to_string(l), 1, l);
    }
    for (uint32_t s = 0; s < m_p.spines; ++s)
    {
        topology.AddSwitch("spine" + std::to_string(s), 2);
    }
    for (uint32_t i = 0; i < hosts; ++i)
    {
        Connect(topology, i, hosts + i / m_p.hostsPerLeaf, m_p.hostLink);
    }
    for (uint32_t l = 0; l < m_p.leaves; ++l)
    {
        for (uint32_t s = 0; s < m_p.spines; ++s)
        {
            Connect(topology, hosts + l, hosts + m_p.leaves + s, m_p.upLink);
        }
    }
}

std::string
LeafSpineBuilder::DoGetDescription() const
{
    return "leaf-spine of " + std::to_string(m_p.leaves) + " leaves with " +
           std::to_string(m_p.hostsPerLeaf) + " hosts each and " + std::to_string(m_p.spines) +
           " spines, host links " + LinkText(m_p.hostLink) + ", up-links " + LinkText(m_p.upLink);
}

} // namespace ns3
