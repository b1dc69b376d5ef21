/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_REQUEST_BUILDER_H
#define RDMA_REQUEST_BUILDER_H

#include "rdma-send-queue.h"

#include "ns3/fabric-packet.h"

#include <cstdint>

namespace ns3
{

struct QpCore;

/**
 * @ingroup ai-fabric
 * @brief Makes request packets of work requests: opcodes, headers, where their payload is.
 */
class RdmaRequestBuilder
{
  public:
    /**
     * @param core the queue pair
     */
    explicit RdmaRequestBuilder(QpCore& core)
        : m_core(core)
    {
    }

    /**
     * @param w a request
     * @param packet which packet of it; of a READ: the first that is still to be answered
     * @param seq its sequence
     * @return the packet; the caller owns it
     */
    FabricPacket* Build(const RdmaSendQueue::Wqe& w, uint32_t packet, uint64_t seq) const;

  private:
    FabricPacket* BuildRead(const WorkRequest& wr, uint32_t packet, uint64_t seq) const;
    FabricPacket* BuildAtomic(const WorkRequest& wr, uint64_t seq) const;
    FabricPacket* BuildData(const RdmaSendQueue::Wqe& w, uint32_t packet, uint64_t seq) const;

    QpCore& m_core; //!< the queue pair
};

} // namespace ns3

#endif /* RDMA_REQUEST_BUILDER_H */
