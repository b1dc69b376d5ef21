/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_DMA_SIDE_H
#define RDMA_DMA_SIDE_H

#include "rdma-dma-path.h"
#include "rdma-landing.h"
#include "rdma-receive-buffer.h"
#include "rdma-staging.h"

namespace ns3
{

class RdmaNicEngine;

/**
 * @ingroup ai-fabric
 * @brief The NIC's side of a DMA path: what an engine does differently when payload is not at hand.
 *
 * Sending has two steps. A queue pair whose turn it is makes its packet and has the payload
 * fetched, as far ahead of the wire as PrefetchBytes allows; the port takes whole packets. The
 * first step happens at the very time at which it becomes possible, not when the port is next
 * free: every such time gets a wake, and a wake at any other time finds nothing to do.
 */
class RdmaDmaSide : private RdmaDmaPath::Client
{
  public:
    /**
     * @param engine the NIC's engine
     * @param path the path; attached
     */
    RdmaDmaSide(RdmaNicEngine& engine, RdmaDmaPath& path);
    ~RdmaDmaSide() override;

    RdmaDmaSide(const RdmaDmaSide&) = delete;
    RdmaDmaSide& operator=(const RdmaDmaSide&) = delete;

    /**
     * @brief The port is free: next packet.
     * @param now ps
     * @return the packet, null if none
     */
    FabricPacket* Select(FabricPs now);

    /**
     * @brief Have payload fetched; rule R3, apart from the port's own queues.
     * @param now ps
     * @return ps
     */
    FabricPs NextWake(FabricPs now);

    /**
     * @brief Deliver what is in memory, relieve the receive buffer.
     * @param now ps
     */
    void Update(FabricPs now);

    /** @return when to call Update() next, ps */
    FabricPs NextUpdate() const;

    /** @return true when every arrival of payload must be handled at its very time */
    bool WatchesArrivals() const;

    /**
     * @brief Write received bytes to memory.
     * @param qp whose
     * @param side which of its streams
     * @param key of the region; 0: host memory
     * @param bytes how many; 0: nothing happens
     * @param p the packet that brought them
     */
    void Store(QpCore& qp, RdmaSide side, uint32_t key, uint32_t bytes, const FabricPacket* p);

    /**
     * @brief Is an arrival to be dropped, because the receive buffer is full?
     * @param p the packet, stays the caller's
     * @return true if so
     */
    bool Overflows(const FabricPacket* p);

    /**
     * @param key of a region; 0: host memory
     * @return what RdmaStaging::Push() wants in `arrival`: 1 + the region's memory
     */
    FabricPs FetchFrom(uint32_t key) const;

    /**
     * @param key of a region; 0: host memory
     * @return its memory
     */
    uint32_t MemoryOf(uint32_t key) const;

    /**
     * @brief Queue an answer that must not overtake READ responses under way.
     * @param qpn whose
     * @param p packet; `arrival` as RdmaStaging::Push() wants it
     */
    void SendBehindData(uint32_t qpn, FabricPacket* p);

    /**
     * @brief A queue pair is reset or gone.
     * @param qp the queue pair
     */
    void Forget(QpCore& qp);

    /** @return a packet that will not be sent because the link is down, null if none is left */
    FabricPacket* TakeStaged();

    /** @return received payload on its way to memory */
    RdmaLanding& GetLanding()
    {
        return m_landing;
    }

    /** @return where received payload waits */
    const RdmaReceiveBuffer& GetBuffer() const
    {
        return m_buffer;
    }

    /**
     * @brief The NIC must wake, even if the port is busy, has nothing to send or is down.
     * @param at ps
     */
    void WakeBy(FabricPs at);

  private:
    void FetchDone(uint64_t tag) override;
    void StoreLeft(uint32_t bytes) override;
    void StoreDone(uint64_t tag) override;
    void Prefetch(FabricPs now);
    void Leave(FabricPacket* p, FabricPs now);

    RdmaNicEngine& m_engine;    //!< the NIC's
    RdmaDmaPath& m_path;        //!< the path
    RdmaStaging m_staging;      //!< packets whose payload is fetched
    RdmaReceiveBuffer m_buffer; //!< where received payload waits
    RdmaLanding m_landing;      //!< received payload
    FabricPacketFifo m_behind;  //!< answers to queue behind the packet that is being made
    bool m_building{false};     //!< a packet is being made
};

} // namespace ns3

#endif /* RDMA_DMA_SIDE_H */
