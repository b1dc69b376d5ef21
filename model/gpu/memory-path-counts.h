/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_PATH_COUNTS_H
#define MEMORY_PATH_COUNTS_H

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
    /**
     * @brief Count bytes.
     * @param key source and tag of the operation
     * @param bytes how many
     */
    void Add(uint64_t key, uint64_t bytes)
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
        m_used += m_slots[i].bytes == 0 ? 1 : 0;
        m_slots[i].key = key;
        m_slots[i].bytes += bytes;
    }

    /**
     * @brief Take counted bytes out again.
     * @param key source and tag of the operation
     * @param bytes at most so many
     * @return how many there were
     */
    uint64_t Take(uint64_t key, uint64_t bytes)
    {
        if (m_slots.empty())
        {
            return 0;
        }
        size_t i = Home(key);
        while (m_slots[i].bytes != 0 && m_slots[i].key != key)
        {
            i = (i + 1) & (m_slots.size() - 1);
        }
        const uint64_t taken = bytes < m_slots[i].bytes ? bytes : m_slots[i].bytes;
        m_slots[i].bytes -= taken;
        if (taken > 0 && m_slots[i].bytes == 0)
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
        uint64_t key{0};   //!< which
        uint64_t bytes{0}; //!< 0: the slot is free
    };

    size_t Home(uint64_t key) const
    {
        return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & (m_slots.size() - 1);
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
                m_slots[i].bytes = 0;
                hole = i;
            }
        }
    }

    void Grow()
    {
        std::vector<Slot> old(m_slots.empty() ? 16 : 2 * m_slots.size());
        old.swap(m_slots);
        m_used = 0;
        for (const Slot& slot : old)
        {
            if (slot.bytes != 0)
            {
                Add(slot.key, slot.bytes);
            }
        }
    }

    std::vector<Slot> m_slots; //!< power of two, at most half full
    size_t m_used{0};          //!< slots that are not free
};

} // namespace ns3

#endif /* MEMORY_PATH_COUNTS_H */
