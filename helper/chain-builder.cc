/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "chain-builder.h"

namespace ns3
{

ChainBuilder::ChainBuilder(const Parameters& parameters)
    : m_p(parameters)
{
}

void
ChainBuilder::DoCheckParameters() const
{
    RequireRange("chain: switches", m_p.switches, 1, FabricTopology::MAX_NODES);
    RequireRange("chain: hosts per switch", m_p.hostsPerSwitch, 1, FabricTopology::MAX_NODES);
    RequireLink("chain: host link", m_p.hostLink);
    RequireLink("chain: switch link", m_p.switchLink);
}

FabricTopologyBuilder::Counts
ChainBuilder::DoGetCounts() const
{
    const uint64_t hosts = uint64_t{m_p.switches} * m_p.hostsPerSwitch;
    return {hosts,
            m_p.switches,
            hosts * m_p.hostLink.bundle + uint64_t{m_p.switches - 1} * m_p.switchLink.bundle};
}

void
ChainBuilder::DoBuild(FabricTopology& topology) const
{
    const uint32_t hosts = m_p.switches * m_p.hostsPerSwitch;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.SetPod(topology.AddHost(), i / m_p.hostsPerSwitch);
    }
    for (uint32_t s = 0; s < m_p.switches; ++s)
    {
        topology.AddSwitch("s" + std::to_string(s), 1, s);
    }
    for (uint32_t i = 0; i < hosts; ++i)
    {
        Connect(topology, i, hosts + i / m_p.hostsPerSwitch, m_p.hostLink);
    }
    for (uint32_t s = 1; s < m_p.switches; ++s)
    {
        Connect(topology, hosts + s - 1, hosts + s, m_p.switchLink);
    }
}

std::string
ChainBuilder::DoGetDescription() const
{
    return "chain of " + std::to_string(m_p.switches) + " switches with " +
           std::to_string(m_p.hostsPerSwitch) + " hosts each, links " + LinkText(m_p.hostLink) +
           ", between switches " + LinkText(m_p.switchLink);
}

} // namespace ns3
