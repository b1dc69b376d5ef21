/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_DELIVERY_QUEUE_H
#define RDMA_DELIVERY_QUEUE_H

#include "deadline-heap.h"
#include "verbs-work.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief The two completion streams of a queue pair. */
enum class RdmaSide : uint8_t
{
    SEND,   //!< own requests; READs and atomics write to local memory
    RECEIVE //!< the peer's SENDs and WRITEs
};

/** @brief Something that the application will be told once bytes are in memory. */
struct RdmaDelivery
{
    bool message;      //!< the end of a whole message, else a completion
    uint64_t store;    //!< store that it waits for, while `at` is FABRIC_NEVER
    FabricPs at;       //!< when, ps; later if an earlier one is later
    WorkCompletion wc; //!< the completion
};

/**
 * @ingroup ai-fabric
 * @brief What waits, in order, on one side of a queue pair: a ring that grows as needed.
 */
struct RdmaDeliveryQueue
{
    /** @return true when nothing waits */
    bool IsEmpty() const
    {
        return head == tail;
    }

    /** @return the oldest; there must be one */
    RdmaDelivery& Head()
    {
        return ring[head & (ring.size() - 1)];
    }

    /**
     * @brief Append.
     * @param delivery what waits
     */
    void Push(const RdmaDelivery& delivery)
    {
        if (tail - head == ring.size())
        {
            std::vector<RdmaDelivery> bigger(ring.empty() ? 4 : ring.size() * 2);
            for (uint64_t i = head; i < tail; ++i)
            {
                bigger[i & (bigger.size() - 1)] = ring[i & (ring.size() - 1)];
            }
            ring.swap(bigger);
        }
        ring[tail++ & (ring.size() - 1)] = delivery;
    }

    /**
     * @brief A store is done: whatever waits for it may go.
     * @param store its number
     * @param at ps
     */
    void StoreDone(uint64_t store, FabricPs at)
    {
        gate = store == stores && gate == FABRIC_NEVER ? at : gate;
        for (uint64_t i = head; i < tail; ++i)
        {
            RdmaDelivery& delivery = ring[i & (ring.size() - 1)];
            if (delivery.at == FABRIC_NEVER && delivery.store == store)
            {
                delivery.at = at;
            }
        }
    }

    DeadlineNode due;               //!< when the oldest is due; out while that is not known
    FabricPs gate{0};               //!< when the latest store is done, FABRIC_NEVER: not known
    uint64_t stores{0};             //!< number of the latest store
    FabricPs last{0};               //!< when the latest delivery was due
    uint64_t head{0};               //!< oldest
    uint64_t tail{0};               //!< one past the newest
    std::vector<RdmaDelivery> ring; //!< power of two
};

} // namespace ns3

#endif /* RDMA_DELIVERY_QUEUE_H */
