/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_STAGING_H
#define RDMA_STAGING_H

#include "rdma-dma-path.h"

#include "ns3/fabric-packet.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Packets between a queue pair and the wire, while a DMA path reads their payload.
 *
 * One queue for each class, so that a paused class holds up nobody else. Packets leave in the order
 * in which their payload was asked for. While a packet is here its `arrival` says when it is whole
 * and its `txStamp` names the queue pair.
 */
class RdmaStaging
{
  public:
    /**
     * @param path who reads; outlives this
     */
    explicit RdmaStaging(RdmaDmaPath& path)
        : m_path(path)
    {
    }

    ~RdmaStaging();

    /**
     * @brief Ask for a packet's payload and queue it.
     * @param p the packet; `arrival`: 1 + the memory to read, 0 for nothing to read
     * @param qpn whose it is
     * @param now ps
     */
    void Push(FabricPacket* p, uint32_t qpn, FabricPs now);

    /**
     * @param limit bytes
     * @return mask of classes that hold at least so much
     */
    uint8_t GetFull(uint64_t limit) const;

    /**
     * @brief Whose turn it is to ask for a payload.
     * @param ready mask of classes that want to, not 0
     * @return one of them; the next one has its turn from now on
     */
    uint8_t TakeTurn(uint8_t ready);

    /**
     * @param now ps
     * @return mask of classes whose oldest packet is whole
     */
    uint8_t GetWhole(FabricPs now) const;

    /**
     * @param blocked mask of classes to pass over
     * @return when the next oldest packet of a class is whole, ps; FABRIC_NEVER: not known
     */
    FabricPs NextAt(FabricMask blocked) const;

    /**
     * @brief Take the oldest packet of a class.
     * @param vl class
     * @return the packet, null if there is none; the caller owns it
     */
    FabricPacket* Pop(uint8_t vl);

    /**
     * @brief The path has read a payload.
     * @param tag as given to it
     * @param at ps
     */
    void FetchDone(uint64_t tag, FabricPs at);

    /**
     * @brief Packets of a queue pair that is gone belong to nobody.
     * @param qpn its number
     */
    void Disown(uint32_t qpn);

  private:
    void Append(FabricPacket* p, uint32_t qpn);

    RdmaDmaPath& m_path;                      //!< who reads
    FabricPacketFifo m_queue[FABRIC_CLASSES]; //!< by class
    uint64_t m_bytes[FABRIC_CLASSES]{};       //!< frame bytes in them
    uint64_t m_pushed[FABRIC_CLASSES]{};      //!< packets ever queued
    uint64_t m_popped[FABRIC_CLASSES]{};      //!< packets ever taken
    uint8_t m_filled{0};                      //!< classes that have packets
    uint8_t m_turn{0};                        //!< class that is asked first
};

} // namespace ns3

#endif /* RDMA_STAGING_H */
