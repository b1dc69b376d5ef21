/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_DUE_HEAP_H
#define FABRIC_DUE_HEAP_H

#include "fabric-time.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which port's inbox has the next arrival: a small heap over (arrival, port number).
 *
 * Each port with a non-empty inbox is in it once, with the arrival of its oldest packet.
 */
class FabricDueHeap
{
  public:
    /** @return true when no inbox has anything */
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /** @return earliest arrival, ps; the heap must not be empty */
    FabricPs GetTime() const
    {
        return m_heap[0].at;
    }

    /** @return port of the earliest arrival; of equal ones the lowest number */
    uint16_t GetPort() const
    {
        return m_heap[0].port;
    }

    /**
     * @brief A port's inbox is no longer empty.
     * @param at its first arrival, ps
     * @param port its number
     */
    void Push(FabricPs at, uint16_t port)
    {
        const Due due{at, port};
        m_heap.push_back(due);
        size_t i = m_heap.size() - 1;
        while (i > 0 && due < m_heap[(i - 1) / 2])
        {
            m_heap[i] = m_heap[(i - 1) / 2];
            i = (i - 1) / 2;
        }
        m_heap[i] = due;
    }

    /**
     * @brief The earliest packet was taken out of its inbox.
     * @param next arrival of the next one in that inbox, ps; FABRIC_NEVER when it is empty
     */
    void Advance(FabricPs next)
    {
        Due due{next, m_heap[0].port};
        if (next == FABRIC_NEVER)
        {
            due = m_heap.back();
            m_heap.pop_back();
            if (m_heap.empty())
            {
                return;
            }
        }
        const size_t n = m_heap.size();
        size_t i = 0;
        for (size_t child = 1; child < n; child = 2 * i + 1)
        {
            if (child + 1 < n && m_heap[child + 1] < m_heap[child])
            {
                ++child;
            }
            if (due < m_heap[child])
            {
                break;
            }
            m_heap[i] = m_heap[child];
            i = child;
        }
        m_heap[i] = due;
    }

    /**
     * @brief Forget a port (its link has failed).
     * @param port its number; need not be in the heap
     */
    void Remove(uint16_t port)
    {
        std::vector<Due> rest;
        rest.swap(m_heap);
        for (const Due& due : rest)
        {
            if (due.port != port)
            {
                Push(due.at, due.port);
            }
        }
    }

    /** @brief Forget all ports. */
    void Clear()
    {
        m_heap.clear();
    }

  private:
    /** @brief One port's first arrival. */
    struct Due
    {
        FabricPs at;   //!< ps
        uint16_t port; //!< number

        bool operator<(const Due& o) const
        {
            return at < o.at || (at == o.at && port < o.port);
        }
    };

    std::vector<Due> m_heap; //!< binary min-heap
};

} // namespace ns3

#endif /* FABRIC_DUE_HEAP_H */
