/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_LANDING_H
#define RDMA_LANDING_H

#include "deadline-heap.h"
#include "rdma-delivery-queue.h"
#include "rdma-dma-path.h"

#include <cstdint>

namespace ns3
{

class RdmaDmaSide;
struct QpCore;

/**
 * @ingroup ai-fabric
 * @brief Received payload on its way to memory, and what the application hears only afterwards.
 *
 * Each side of a queue pair is a stream: what ends behind a store is told in order, when the store
 * is done. Nothing here is made before a queue pair first receives payload.
 */
class RdmaLanding
{
  public:
    /**
     * @param side the NIC's side of the path
     * @param path who writes; outlives this
     */
    RdmaLanding(RdmaDmaSide& side, RdmaDmaPath& path)
        : m_side(side),
          m_path(path)
    {
    }

    /**
     * @brief Write a packet's payload.
     * @param qp whose it is
     * @param side which of its streams
     * @param memory where to
     * @param bytes how many, > 0
     * @param at when they came, ps
     * @return when they leave the receive buffer, ps; FABRIC_NEVER: not known
     */
    FabricPs Store(QpCore& qp, RdmaSide side, uint32_t memory, uint32_t bytes, FabricPs at);

    /**
     * @brief Let a completion wait for the stores before it.
     * @param qp whose
     * @param side which stream
     * @param wc the completion
     * @return false when it need not wait
     */
    bool Defer(QpCore& qp, RdmaSide side, const WorkCompletion& wc);

    /**
     * @brief Let the end of a received message wait for the stores before it.
     * @param qp whose
     * @param at when its last packet came, ps
     * @return false when it need not wait
     */
    bool DeferMessage(QpCore& qp, FabricPs at);

    /** @return when the next one is due, ps */
    FabricPs NextAt() const
    {
        return m_due.NextAt();
    }

    /**
     * @brief Deliver what is due.
     * @param now ps
     */
    void Deliver(FabricPs now);

    /**
     * @brief The path has written a payload.
     * @param qp whose, null if it is gone
     * @param tag as given to the path
     * @param at ps
     */
    void StoreDone(QpCore* qp, uint64_t tag, FabricPs at);

    /**
     * @param tag as given to the path
     * @return number of the queue pair
     */
    static uint32_t QpnOf(uint64_t tag);

    /**
     * @brief A queue pair is reset or gone: nothing of it will be told.
     * @param qp the queue pair
     */
    void Forget(QpCore& qp);

  private:
    bool Wait(RdmaDeliveryQueue& queue, const RdmaDelivery& delivery);
    void Schedule(RdmaDeliveryQueue& queue);

    RdmaDmaSide& m_side; //!< the NIC's side of the path
    RdmaDmaPath& m_path; //!< who writes
    DeadlineHeap m_due;  //!< oldest delivery of each stream
};

} // namespace ns3

#endif /* RDMA_LANDING_H */
