/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_RECEIVE_BUFFER_H
#define RDMA_RECEIVE_BUFFER_H

#include "ns3/fabric-packet.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * @brief Where received payload waits for a slow way to memory; pushes back by flow control.
 *
 * Above the limit less the headroom that the link needs, lossless classes are stopped one by one,
 * as their packets come; they resume together at half of that. What does not fit is dropped.
 */
class RdmaReceiveBuffer
{
  public:
    /**
     * @param port the NIC's port
     */
    explicit RdmaReceiveBuffer(FabricPort& port)
        : m_port(port)
    {
    }

    /**
     * @param bytes limit; 0: none
     * @param frame a frame that comes, bytes; the largest counts for the headroom
     */
    void SetLimit(uint64_t bytes, uint32_t frame)
    {
        m_limit = bytes;
        m_maxFrame = std::max(m_maxFrame, frame);
    }

    /** @return true when there is a limit */
    bool IsLimited() const
    {
        return m_limit > 0;
    }

    /**
     * @brief Is there room for an arrival?
     * @param bytes payload
     * @param at arrival, ps
     * @return false when it must be dropped
     */
    bool Fits(uint32_t bytes, FabricPs at);

    /**
     * @brief Payload enters.
     * @param vl its class
     * @param bytes how many
     * @param at when, ps
     * @param left when it leaves, ps; FABRIC_NEVER: Leave() will tell
     */
    void Add(uint8_t vl, uint32_t bytes, FabricPs at, FabricPs left);

    /**
     * @brief Payload has left.
     * @param bytes how many
     */
    void Leave(uint32_t bytes);

    /**
     * @brief Bring it up to date: resume and repeat stops.
     * @param now ps
     */
    void Update(FabricPs now);

    /** @return when to call Update() next, ps */
    FabricPs NextAt() const;

    /** @return most bytes ever in it */
    uint64_t GetMost() const
    {
        return m_most;
    }

  private:
    /** @brief Payload and when it leaves. */
    struct Entry
    {
        FabricPs left;  //!< ps
        uint32_t bytes; //!< how many
    };

    void Release(FabricPs at);
    uint64_t StopAbove() const;

    FabricPort& m_port;        //!< the NIC's
    uint64_t m_limit{0};       //!< 0: none
    uint32_t m_maxFrame{0};    //!< bytes
    uint64_t m_bytes{0};       //!< in it
    uint64_t m_most{0};        //!< ever
    std::vector<Entry> m_ring; //!< power of two, in the order of leaving
    uint64_t m_head{0};        //!< oldest
    uint64_t m_tail{0};        //!< one past the newest
};

} // namespace ns3

#endif /* RDMA_RECEIVE_BUFFER_H */
