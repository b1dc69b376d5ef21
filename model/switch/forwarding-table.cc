/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "forwarding-table.h"

#include "ns3/fabric-error.h"

namespace ns3
{

void
ForwardingTable::Reset(uint32_t endpoints)
{
    m_spans.assign(1, {0, 0});
    m_ports.clear();
    m_interned.clear();
    m_interned[{}] = 0;
    m_groupOf.assign(endpoints, 0);
}

void
ForwardingTable::Set(uint32_t dst, const std::vector<uint16_t>& ports)
{
    auto [it, isNew] = m_interned.try_emplace(ports, static_cast<uint16_t>(m_spans.size()));
    if (isNew)
    {
        if (m_spans.size() > UINT16_MAX)
        {
            throw FabricError("a switch has more than 65535 distinct groups of equal-cost ports");
        }
        m_spans.push_back(
            {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(ports.size())});
        m_ports.insert(m_ports.end(), ports.begin(), ports.end());
    }
    m_groupOf.at(dst) = it->second;
}

} // namespace ns3
