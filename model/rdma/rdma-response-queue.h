/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_RESPONSE_QUEUE_H
#define RDMA_RESPONSE_QUEUE_H

#include "ns3/fabric-time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief A READ to be answered, or an atomic behind one. */
struct RdmaResponseJob
{
    uint64_t seq;     //!< of the next response
    uint64_t end;     //!< one past the last
    uint64_t bytes;   //!< READ: still to be sent; atomic: original value
    bool atomic;      //!< an atomic
    bool begun;       //!< READ: not the first response of this request
    FabricPs readyAt; //!< not before
    FabricPs fetch;   //!< where its payload is, as RdmaStaging::Push() wants it
};

/**
 * @ingroup ai-fabric
 * @brief What a responder still has to answer with data: a ring that grows as needed.
 */
class RdmaResponseQueue
{
  public:
    /** @return true when nothing is to be answered */
    bool IsEmpty() const
    {
        return m_head == m_tail;
    }

    /** @return jobs in it */
    uint64_t GetN() const
    {
        return m_tail - m_head;
    }

    /** @return the oldest; there must be one */
    RdmaResponseJob& Front()
    {
        return At(m_head);
    }

    /** @return the oldest; there must be one */
    const RdmaResponseJob& Front() const
    {
        return m_ring[m_head & (m_ring.size() - 1)];
    }

    /**
     * @brief Append.
     * @param job what to answer
     */
    void Push(const RdmaResponseJob& job)
    {
        if (m_tail - m_head == m_ring.size())
        {
            std::vector<RdmaResponseJob> bigger(std::max<size_t>(4, m_ring.size() * 2));
            for (uint64_t i = m_head; i < m_tail; ++i)
            {
                bigger[i & (bigger.size() - 1)] = At(i);
            }
            m_ring.swap(bigger);
        }
        At(m_tail++) = job;
    }

    /** @brief The oldest is answered. */
    void Pop()
    {
        ++m_head;
    }

    /** @brief Forget all. */
    void Clear()
    {
        m_head = m_tail;
    }

    /**
     * @brief The requester asks again for everything from a sequence on: forget it.
     * @param seq the sequence
     */
    void DropFrom(uint64_t seq)
    {
        while (m_head < m_tail && At(m_tail - 1).end > seq)
        {
            --m_tail;
        }
    }

  private:
    RdmaResponseJob& At(uint64_t index)
    {
        return m_ring[index & (m_ring.size() - 1)];
    }

    std::vector<RdmaResponseJob> m_ring; //!< power of two
    uint64_t m_head{0};                  //!< oldest
    uint64_t m_tail{0};                  //!< one past the newest
};

} // namespace ns3

#endif /* RDMA_RESPONSE_QUEUE_H */
