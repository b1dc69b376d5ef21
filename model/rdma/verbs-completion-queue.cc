/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "verbs-completion-queue.h"

#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(VerbsCompletionQueue);

TypeId
VerbsCompletionQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::VerbsCompletionQueue").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

VerbsCompletionQueue::VerbsCompletionQueue() = default;
VerbsCompletionQueue::~VerbsCompletionQueue() = default;

void
VerbsCompletionQueue::DoDispose()
{
    m_nic = nullptr;
    m_callback = MakeNullCallback<void, VerbsCompletionQueue&>();
    Object::DoDispose();
}

int
VerbsCompletionQueue::Poll(WorkCompletion* out, uint32_t count)
{
    if (m_nic != nullptr)
    {
        m_nic->CatchUp();
    }
    if (m_count == 0 && HasOverrun())
    {
        return -1;
    }
    const uint32_t n = std::min(count, m_count);
    for (uint32_t i = 0; i < n; ++i)
    {
        out[i] = m_ring[m_head];
        m_head = m_head + 1 == m_ring.size() ? 0 : m_head + 1;
    }
    m_count -= n;
    return static_cast<int>(n);
}

void
VerbsCompletionQueue::SetCallback(Callback<void, VerbsCompletionQueue&> callback)
{
    m_callback = callback;
}

bool
VerbsCompletionQueue::Push(const WorkCompletion& wc)
{
    if (m_count == m_depth || m_lost > 0)
    {
        ++m_lost;
        return false;
    }
    if (m_count == m_ring.size())
    {
        std::rotate(m_ring.begin(), m_ring.begin() + m_head, m_ring.end());
        m_head = 0;
        m_ring.resize(std::min<size_t>(m_depth, std::max<size_t>(16, m_ring.size() * 2)));
    }
    size_t tail = m_head + static_cast<size_t>(m_count);
    if (tail >= m_ring.size())
    {
        tail -= m_ring.size();
    }
    m_ring[tail] = wc;
    ++m_count;
    return true;
}

void
VerbsCompletionQueue::Notify()
{
    if (!m_callback.IsNull())
    {
        m_callback(*this);
    }
}

} // namespace ns3
