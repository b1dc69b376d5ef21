/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-lid-table.h"

#include "ns3/fabric-error.h"

namespace ns3
{

void
IbLidTable::Assign(IbSubnet& subnet)
{
    const auto nodes = static_cast<uint32_t>(subnet.GetNodes().size());
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (const IbSubnet::Port& port : subnet.At(node).ports)
        {
            const bool brings = port.guid != 0 && port.lid != 0 && port.lid < UNICAST_END;
            if (brings && m_lids.count(port.guid) == 0 && m_ports.count(port.lid) == 0)
            {
                m_lids[port.guid] = port.lid;
                m_ports[port.lid] = port.guid;
            }
        }
    }
    uint16_t next = 1;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (IbSubnet::Port& port : subnet.At(node).ports)
        {
            if (port.guid != 0 && m_lids.count(port.guid) == 0)
            {
                while (m_ports.count(next) > 0)
                {
                    ++next;
                }
                if (next >= UNICAST_END)
                {
                    throw FabricError("the subnet has more ports than the " +
                                      std::to_string(UNICAST_END - 1) + " LIDs that there are");
                }
                m_lids[port.guid] = next;
                m_ports[next] = port.guid;
            }
            port.lid = Get(port.guid);
        }
    }
}

uint16_t
IbLidTable::Get(uint64_t guid) const
{
    const auto lid = m_lids.find(guid);
    return lid == m_lids.end() ? 0 : lid->second;
}

uint16_t
IbLidTable::GetTop() const
{
    return m_ports.empty() ? 0 : m_ports.rbegin()->first;
}

} // namespace ns3
