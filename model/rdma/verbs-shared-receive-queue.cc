/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "verbs-shared-receive-queue.h"

#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{

VerbsResult
VerbsSharedReceiveQueue::PostRecv(const ReceiveRequest& rr)
{
    if (m_nic != nullptr)
    {
        m_nic->CatchUp();
    }
    if (m_count == m_depth)
    {
        return VerbsResult::QUEUE_FULL;
    }
    if (m_count == m_ring.size())
    {
        std::rotate(m_ring.begin(), m_ring.begin() + m_head, m_ring.end());
        m_head = 0;
        m_ring.resize(std::min<size_t>(m_depth, std::max<size_t>(4, m_ring.size() * 2)));
    }
    size_t tail = m_head + static_cast<size_t>(m_count);
    if (tail >= m_ring.size())
    {
        tail -= m_ring.size();
    }
    m_ring[tail] = rr;
    ++m_count;
    return VerbsResult::OK;
}

bool
VerbsSharedReceiveQueue::Take(ReceiveRequest& out)
{
    if (m_count == 0)
    {
        return false;
    }
    out = m_ring[m_head];
    m_head = m_head + 1 == m_ring.size() ? 0 : m_head + 1;
    --m_count;
    return true;
}

} // namespace ns3
