/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "dumbbell-builder.h"

namespace ns3
{

DumbbellBuilder::DumbbellBuilder(const Parameters& parameters)
    : m_p(parameters)
{
}

void
DumbbellBuilder::DoCheckParameters() const
{
    RequireRange("dumbbell: left", m_p.left, 1, FabricTopology::MAX_NODES / 2 - 1);
    RequireRange("dumbbell: right", m_p.right, 1, FabricTopology::MAX_NODES / 2 - 1);
    RequireLink("dumbbell: host link", m_p.hostLink);
    RequireLink("dumbbell: bottleneck", m_p.bottleneck);
}

FabricTopologyBuilder::Counts
DumbbellBuilder::DoGetCounts() const
{
    const uint64_t hosts = uint64_t{m_p.left} + m_p.right;
    return {hosts, 2, hosts * m_p.hostLink.bundle + m_p.bottleneck.bundle};
}

void
DumbbellBuilder::DoBuild(FabricTopology& topology) const
{
    const uint32_t hosts = m_p.left + m_p.right;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.SetPod(topology.AddHost(), i < m_p.left ? 0 : 1);
    }
    const uint32_t left = topology.AddSwitch("left", 1, 0);
    const uint32_t right = topology.AddSwitch("right", 1, 1);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        Connect(topology, i, i < m_p.left ? left : right, m_p.hostLink);
    }
    Connect(topology, left, right, m_p.bottleneck);
}

std::string
DumbbellBuilder::DoGetDescription() const
{
    return "dumbbell of " + std::to_string(m_p.left) + " + " + std::to_string(m_p.right) +
           " hosts, links " + LinkText(m_p.hostLink) + ", bottleneck " + LinkText(m_p.bottleneck);
}

} // namespace ns3
