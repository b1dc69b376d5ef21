/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-transfer.h"

#include <algorithm>

namespace ns3
{

namespace
{
constexpr uint32_t NONE = MemoryTransfer::NONE;
} // namespace

MemoryCompletion
MemoryTransfer::Report(FabricPs now) const
{
    MemoryCompletion c;
    c.status = status;
    c.delivered = delivered;
    c.failed = request.bytes - c.delivered;
    c.value = value;
    c.posted = posted;
    c.done = now;
    return c;
}

uint32_t
MemoryTransferTable::Allocate()
{
    uint32_t slot = m_free.head;
    if (slot == NONE)
    {
        if (m_slots.size() == MAX_SLOTS)
        {
            return NONE;
        }
        slot = GetCapacity();
        m_slots.emplace_back();
    }
    else
    {
        Remove(m_free, slot);
    }
    const auto generation = static_cast<uint16_t>(m_slots[slot].generation + 1);
    m_slots[slot] = MemoryTransfer{};
    m_slots[slot].generation = generation;
    ++m_inUse;
    return slot;
}

void
MemoryTransferTable::Free(uint32_t slot)
{
    m_slots[slot].state = MemoryTransfer::State::FREE;
    m_slots[slot].done = nullptr;
    PushBack(m_free, slot);
    --m_inUse;
}

uint32_t
MemoryTransferTable::Find(uint32_t tag) const
{
    const uint32_t slot = tag & 0xffff;
    const bool alive = slot < m_slots.size() && m_slots[slot].generation == tag >> 16 &&
                       m_slots[slot].state != MemoryTransfer::State::FREE &&
                       m_slots[slot].state != MemoryTransfer::State::FINISHED;
    return alive ? slot : NONE;
}

void
MemoryTransferTable::InsertAfter(List& list, uint32_t where, uint32_t slot)
{
    MemoryTransfer& t = m_slots[slot];
    t.previous = where;
    t.next = where == NONE ? list.head : m_slots[where].next;
    (where == NONE ? list.head : m_slots[where].next) = slot;
    (t.next == NONE ? list.tail : m_slots[t.next].previous) = slot;
}

void
MemoryTransferTable::PushBack(List& list, uint32_t slot)
{
    InsertAfter(list, list.tail, slot);
}

void
MemoryTransferTable::InsertByDue(List& list, uint32_t slot)
{
    uint32_t where = list.tail;
    while (where != NONE && m_slots[where].due > m_slots[slot].due)
    {
        where = m_slots[where].previous;
    }
    InsertAfter(list, where, slot);
}

void
MemoryTransferTable::Remove(List& list, uint32_t slot)
{
    MemoryTransfer& t = m_slots[slot];
    (t.previous == NONE ? list.head : m_slots[t.previous].next) = t.next;
    (t.next == NONE ? list.tail : m_slots[t.next].previous) = t.previous;
    t.next = NONE;
    t.previous = NONE;
}

void
MemoryTransferTable::Watch(uint32_t slot)
{
    MemoryTransfer& t = m_slots[slot];
    uint32_t where = m_watched.tail;
    while (where != NONE && m_slots[where].deadline > t.deadline)
    {
        where = m_slots[where].watchPrevious;
    }
    t.watched = true;
    t.watchPrevious = where;
    t.watchNext = where == NONE ? m_watched.head : m_slots[where].watchNext;
    (where == NONE ? m_watched.head : m_slots[where].watchNext) = slot;
    (t.watchNext == NONE ? m_watched.tail : m_slots[t.watchNext].watchPrevious) = slot;
}

void
MemoryTransferTable::Unwatch(uint32_t slot)
{
    MemoryTransfer& t = m_slots[slot];
    if (!t.watched)
    {
        return;
    }
    t.watched = false;
    (t.watchPrevious == NONE ? m_watched.head : m_slots[t.watchPrevious].watchNext) = t.watchNext;
    (t.watchNext == NONE ? m_watched.tail : m_slots[t.watchNext].watchPrevious) = t.watchPrevious;
}

} // namespace ns3
