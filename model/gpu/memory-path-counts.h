/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_PATH_COUNTS_H
#define MEMORY_PATH_COUNTS_H

#include "memory-completion.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bytes that came in by one port, by the operation they belong to, until its FLUSH.
 *
 * Tells data that were lost on the way from data that arrived. A flat table: no heap traffic once
 * it has its size.
 */
class MemoryPathCounts
{
  public:
    /** @brief What came in of one operation. */
    struct Count
    {
        uint64_t stored{0};    //!< bytes that were let into the memory
        uint64_t refused{0};   //!< bytes that were not
        MemoryStatus status{}; //!< why the first of those were not
    };

    /**
     * @param source endpoint that asks
     * @param tag of its operation
     * @return key of the operation
     */
    static uint64_t KeyOf(uint32_t source, uint32_t tag)
    {
        return (static_cast<uint64_t>(source) << 32) | tag;
    }

    /**
     * @brief Count bytes.
     * @param key of the operation
     * @param bytes how many
     * @param status OK, or why they were refused
     */
    void Add(uint64_t key, uint64_t bytes, MemoryStatus status = MemoryStatus::OK)
    {
        if (2 * (m_used + 1) > m_slots.size())
        {
            Grow();
        }
        size_t i = Home(key);
        while (m_slots[i].bytes != 0 && m_slots[i].key != key)
        {
            i = (i + 1) & (m_slots.size() - 1);
        }
        Slot& slot = m_slots[i];
        if (slot.bytes == 0)
        {
            ++m_used;
            slot = {key, 0, 0, MemoryStatus::OK};
        }
        slot.bytes += bytes;
        if (status != MemoryStatus::OK)
        {
            slot.status = slot.refused == 0 ? status : slot.status;
            slot.refused += bytes;
        }
    }

    /**
     * @brief Take counted bytes out again, stored ones first.
     * @param key of the operation
     * @param bytes at most so many
     * @return how many there were
     */
    Count Take(uint64_t key, uint64_t bytes)
    {
        if (m_slots.empty())
        {
            return {};
        }
        size_t i = Home(key);
        while (m_slots[i].bytes != 0 && m_slots[i].key != key)
        {
            i = (i + 1) & (m_slots.size() - 1);
        }
        Slot& slot = m_slots[i];
        Count taken;
        taken.stored = std::min(bytes, slot.bytes - slot.refused);
        taken.refused = std::min(bytes - taken.stored, slot.refused);
        taken.status = taken.refused > 0 ? slot.status : MemoryStatus::OK;
        slot.refused -= taken.refused;
        slot.bytes -= taken.stored + taken.refused;
        if (taken.stored + taken.refused > 0 && slot.bytes == 0)
        {
            Close(i);
        }
        return taken;
    }

    /** @return operations with bytes counted */
    size_t GetN() const
    {
        return m_used;
    }

  private:
    /** @brief One operation. */
    struct Slot
    {
        uint64_t key{0};       //!< which
        uint64_t bytes{0};     //!< all of them; 0: the slot is free
        uint64_t refused{0};   //!< those not let into the memory
        MemoryStatus status{}; //!< why
    };

    size_t Home(uint64_t key) const
    {
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & (m_slots.size() - 1);
    }

    void Place(const Slot& slot)
    {
        size_t i = Home(slot.key);
        while (m_slots[i].bytes != 0)
        {
            i = (i + 1) & (m_slots.size() - 1);
        }
        m_slots[i] = slot;
    }

    void Close(size_t hole)
    {
        --m_used;
        const size_t mask = m_slots.size() - 1;
        for (size_t i = (hole + 1) & mask; m_slots[i].bytes != 0; i = (i + 1) & mask)
        {
            // an entry may move back into the hole unless its home lies behind it
            if (((i - Home(m_slots[i].key)) & mask) >= ((i - hole) & mask))
            {
                m_slots[hole] = m_slots[i];
                m_slots[i] = {};
                hole = i;
            }
        }
    }

    void Grow()
    {
        std::vector<Slot> old(m_slots.empty() ? 16 : 2 * m_slots.size());
        old.swap(m_slots);
        for (const Slot& slot : old)
        {
            if (slot.bytes != 0)
            {
                Place(slot);
            }
        }
    }

    std::vector<Slot> m_slots; //!< power of two, at most half full
    size_t m_used{0};          //!< slots that are not free
};

} // namespace ns3

#endif /* MEMORY_PATH_COUNTS_H */
