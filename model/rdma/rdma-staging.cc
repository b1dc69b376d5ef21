/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-staging.h"

#include <algorithm>

namespace ns3
{

namespace
{
/** Bytes of an atomic's operand, which no packet counts as payload. */
constexpr uint32_t ATOMIC_BYTES = 8;
} // namespace

RdmaStaging::~RdmaStaging()
{
    for (auto& queue : m_queue)
    {
        queue.Clear();
    }
}

void
RdmaStaging::Append(FabricPacket* p, uint32_t qpn)
{
    p->txStamp = qpn;
    m_queue[p->vl].Push(p);
    m_bytes[p->vl] += p->bytes;
    m_filled |= 1U << p->vl;
    ++m_pushed[p->vl];
}

void
RdmaStaging::Push(FabricPacket* p, uint32_t qpn, FabricPs now)
{
    const FabricPs memory = p->arrival - 1;
    p->arrival = now;
    if (memory >= 0)
    {
        const uint32_t bytes = p->payload != 0 ? p->payload : ATOMIC_BYTES;
        const uint64_t tag = (m_pushed[p->vl] << 3) | p->vl;
        p->arrival = m_path.Fetch(static_cast<uint32_t>(memory), bytes, now, tag);
    }
    Append(p, qpn);
}

uint8_t
RdmaStaging::GetFull(uint64_t limit) const
{
    uint8_t full = 0;
    for (uint8_t filled = m_filled; filled != 0; filled &= filled - 1)
    {
        const auto vl = static_cast<uint8_t>(__builtin_ctz(filled));
        full |= m_bytes[vl] >= limit ? 1U << vl : 0;
    }
    return full;
}

uint8_t
RdmaStaging::TakeTurn(uint8_t ready)
{
    const uint8_t later = ready & static_cast<uint8_t>(0xff << m_turn);
    const auto vl = static_cast<uint8_t>(__builtin_ctz(later != 0 ? later : ready));
    m_turn = (vl + 1) % FABRIC_CLASSES;
    return vl;
}

uint8_t
RdmaStaging::GetWhole(FabricPs now) const
{
    uint8_t whole = 0;
    for (uint8_t filled = m_filled; filled != 0; filled &= filled - 1)
    {
        const auto vl = static_cast<uint8_t>(__builtin_ctz(filled));
        whole |= m_queue[vl].Front()->arrival <= now ? 1U << vl : 0;
    }
    return whole;
}

FabricPs
RdmaStaging::NextAt(FabricMask blocked) const
{
    FabricPs next = FABRIC_NEVER;
    for (uint8_t filled = m_filled & ~blocked; filled != 0; filled &= filled - 1)
    {
        next = std::min(next, m_queue[__builtin_ctz(filled)].Front()->arrival);
    }
    return next;
}

FabricPacket*
RdmaStaging::Pop(uint8_t vl)
{
    if (m_queue[vl].IsEmpty())
    {
        return nullptr;
    }
    FabricPacket* p = m_queue[vl].Pop();
    m_bytes[vl] -= p->bytes;
    ++m_popped[vl];
    if (m_queue[vl].IsEmpty())
    {
        m_filled &= ~(1U << vl);
    }
    return p;
}

void
RdmaStaging::FetchDone(uint64_t tag, FabricPs at)
{
    const uint8_t vl = tag & 7;
    const uint64_t number = tag >> 3;
    if (number < m_popped[vl] || number >= m_pushed[vl])
    {
        return; // flushed since
    }
    FabricPacket* p = m_queue[vl].Front();
    for (uint64_t i = m_popped[vl]; i < number; ++i)
    {
        p = p->next;
    }
    p->arrival = at;
}

void
RdmaStaging::Disown(uint32_t qpn)
{
    for (auto& queue : m_queue)
    {
        for (FabricPacket* p = queue.Front(); p != nullptr; p = p->next)
        {
            p->txStamp = p->txStamp == qpn ? 0 : p->txStamp;
        }
    }
}

} // namespace ns3
