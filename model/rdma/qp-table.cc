/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qp-table.h"

#include "qp-core.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

void
QpTable::Add(QpCore* qp)
{
    if (m_count * 2 >= m_slots.size())
    {
        std::vector<Slot> bigger(std::max<size_t>(16, m_slots.size() * 2));
        if (bigger.size() > RdmaPsn::MASK + 1)
        {
            throw FabricError("a NIC has at most 2^23 queue pairs");
        }
        for (const Slot& old : m_slots)
        {
            if (old.qp != nullptr)
            {
                bigger[old.qpn & (bigger.size() - 1)] = old;
            }
        }
        m_slots.swap(bigger);
    }
    // numbers are used in turn, so that late packets of a dead queue pair find nobody
    while (m_next == 0 || m_slots[m_next & (m_slots.size() - 1)].qp != nullptr)
    {
        m_next = (m_next + 1) & RdmaPsn::MASK;
    }
    qp->qpn = m_next;
    qp->entry.wait.order = qp->timer.order = m_next;
    m_slots[m_next & (m_slots.size() - 1)] = {qp, m_next};
    m_next = (m_next + 1) & RdmaPsn::MASK;
    ++m_count;
}

void
QpTable::Remove(QpCore* qp)
{
    m_slots[qp->qpn & (m_slots.size() - 1)] = Slot();
    --m_count;
}

} // namespace ns3
