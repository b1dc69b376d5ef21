/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "star-builder.h"

namespace ns3
{

StarBuilder::StarBuilder(const Parameters& parameters)
    : m_p(parameters)
{
}

void
StarBuilder::DoCheckParameters() const
{
    RequireRange("star: hosts", m_p.hosts, 1, FabricTopology::MAX_NODES - 1);
    RequireLink("star: host link", m_p.hostLink);
}

FabricTopologyBuilder::Counts
StarBuilder::DoGetCounts() const
{
    return {m_p.hosts, 1, uint64_t{m_p.hosts} * m_p.hostLink.bundle};
}

void
StarBuilder::DoBuild(FabricTopology& topology) const
{
    for (uint32_t i = 0; i < m_p.hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t hub = topology.AddSwitch("hub");
    for (uint32_t i = 0; i < m_p.hosts; ++i)
    {
        Connect(topology, i, hub, m_p.hostLink);
    }
}

std::string
StarBuilder::DoGetDescription() const
{
    return "star of " + std::to_string(m_p.hosts) + " hosts, links " + LinkText(m_p.hostLink);
}

} // namespace ns3
