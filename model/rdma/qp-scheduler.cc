/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qp-scheduler.h"

namespace ns3
{

void
QpScheduler::Append(QpSchedulerEntry* e)
{
    e->ringed = true;
    e->next = nullptr;
    e->prev = m_tail[e->vl];
    if (e->prev == nullptr)
    {
        m_head[e->vl] = e;
        m_ready |= 1U << e->vl;
    }
    else
    {
        e->prev->next = e;
    }
    m_tail[e->vl] = e;
}

void
QpScheduler::Remove(QpSchedulerEntry* e)
{
    m_heap.Remove(&e->wait);
    if (!e->ringed)
    {
        return;
    }
    e->ringed = false;
    (e->prev == nullptr ? m_head[e->vl] : e->prev->next) = e->next;
    (e->next == nullptr ? m_tail[e->vl] : e->next->prev) = e->prev;
    if (m_head[e->vl] == nullptr)
    {
        m_ready &= ~(1U << e->vl);
    }
}

void
QpScheduler::Promote(FabricPs now)
{
    while (m_heap.NextAt() <= now && !m_heap.IsEmpty())
    {
        DeadlineNode* node = m_heap.Top();
        m_heap.Remove(node);
        Append(static_cast<QpSchedulerEntry*>(node->owner));
    }
}

} // namespace ns3
