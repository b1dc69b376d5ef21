/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IDEAL_FCT_H
#define IDEAL_FCT_H

#include "ns3/fabric-time.h"
#include "ns3/frame-profile.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Completion time of a flow that has the network to itself: the divisor of every slowdown.
 *
 * Store-and-forward over the links of the path, sender at line rate, RDMA WRITE on a reliable
 * connection (RETH on the first packet of each work request), one ACK a packet on the way back, no
 * telemetry headers. Exact to the picosecond: the arithmetic is that of the ports. With k equal
 * links of rate C and delay d, n packets of w wire bytes, e extra bytes on the first, l wire bytes
 * in the last and an ACK of a bytes, that is
 *
 *   n = 1: rx = k (d + (l + e)/C)
 *   n > 1: rx = k d + (k (w + e) + (n - 2) w + l)/C, if l <= w and d as on every link
 *   ack = rx + k (d + a/C)
 */
class IdealFct
{
  public:
    /** @brief One link of the path. */
    struct Hop
    {
        FabricRate rate;           //!< both directions
        FabricPs latency{0};       //!< propagation plus the far station's pipeline, ps
        FabricPs backLatency{0};   //!< the same for the ACK's way back, ps
    };

    /** @brief The two completion times, ps from the start. */
    struct Times
    {
        FabricPs rx{0};  //!< last byte at the receiver
        FabricPs ack{0}; //!< its ACK at the sender
    };

    /**
     * @param profile how bytes are counted
     * @param mtu payload bytes of a full packet, > 0
     */
    IdealFct(const FrameProfile& profile, uint32_t mtu);

    /**
     * @param bytes message bytes; 0 is one packet
     * @param path links from sender to receiver
     * @return times from the start of the first packet
     */
    Times Compute(uint64_t bytes, const std::vector<Hop>& path) const;

    /** @brief Bytes of one work request; longer flows are split and carry a RETH for each. */
    static constexpr uint64_t WORK_REQUEST_BYTES = 1ULL << 31;

  private:
    /** @brief State of one direction of one link. */
    struct Line
    {
        FabricPs busyUntil{0}; //!< end of the last frame
        uint64_t debt{0};      //!< see FabricRate::Serialise()
    };

    static FabricPs Cross(Line& line, const FabricRate& rate, uint32_t wireBytes, FabricPs at);

    const FrameProfile& m_profile; //!< byte counts
    uint32_t m_mtu;                //!< payload bytes of a full packet
};

} // namespace ns3

#endif /* IDEAL_FCT_H */
