/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PFC_HEADROOM_H
#define PFC_HEADROOM_H

#include "ns3/fabric-time.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bytes that still arrive at an ingress port and class after it decided to send XOFF.
 *
 * Worst case, in the order of time: the port has just started a frame of its own, so the PAUSE
 * waits for it; the PAUSE is serialised and crosses the cable; the peer takes its reaction time
 * and has just started a frame that it finishes; what is on the cable arrives. All that time the
 * peer sends at line rate.
 */
struct PfcHeadroom
{
    uint64_t cableBytes{0};      //!< line rate x twice the one-way cable delay
    uint64_t frameBytes{0};      //!< one largest frame started at either end
    uint64_t reactionBytes{0};   //!< line rate x reaction time of the peer
    uint64_t pauseFrameBytes{0}; //!< the PAUSE frame itself, 84 bytes on the wire

    /** @brief Wire bytes of one PFC frame: 64 and preamble and gap. */
    static constexpr uint64_t PAUSE_WIRE_BYTES = 84;

    /**
     * @brief Compute the parts.
     * @param rate line rate
     * @param delay one-way cable delay, picoseconds
     * @param maxFrame largest frame that either end may have started, bytes as buffers count them
     * @param reaction from the PAUSE's last bit to the peer's last moment of starting a frame,
     *        picoseconds
     * @param pauseFrames PFC frames that may stand in line at once: number of lossless classes
     * @return the parts, each rounded up to a byte
     */
    static PfcHeadroom Compute(const FabricRate& rate,
                               FabricPs delay,
                               uint32_t maxFrame,
                               FabricPs reaction = 0,
                               uint32_t pauseFrames = 1)
    {
        PfcHeadroom h;
        h.cableBytes = rate.BytesIn(2 * delay);
        h.frameBytes = 2 * uint64_t{maxFrame};
        h.reactionBytes = rate.BytesIn(reaction);
        h.pauseFrameBytes = pauseFrames * PAUSE_WIRE_BYTES;
        return h;
    }

    /**
     * @brief The rule of the HPCC line of simulators: three times rate x one-way delay.
     *
     * Reproduces their results; loses packets on short cables, slow ports and jumbo frames.
     * @param rate line rate
     * @param delay one-way cable delay, picoseconds
     * @return bytes
     */
    static uint64_t HpccRule(const FabricRate& rate, FabricPs delay)
    {
        return rate.BytesIn(3 * delay);
    }

    /**
     * @brief The usual textbook need: cable, frames and reaction, without the PAUSE frame.
     * @return bytes
     */
    uint64_t Needed() const
    {
        return cableBytes + frameBytes + reactionBytes;
    }

    /**
     * @brief With the PAUSE frame's own time too: at this size no alignment of frames can drop.
     * @return bytes
     */
    uint64_t Total() const
    {
        return Needed() + pauseFrameBytes;
    }

    /**
     * @brief Compare with what a user asked for.
     * @param port name of the port for the message
     * @param given bytes that the user set
     * @return empty when it is enough, else one sentence with port, needed and given bytes
     */
    std::string Warning(const std::string& port, uint64_t given) const
    {
        if (given >= Total())
        {
            return "";
        }
        return port + ": headroom of " + std::to_string(given) + " B is less than the " +
               std::to_string(Total()) + " B needed (cable " + std::to_string(cableBytes) +
               ", frames " + std::to_string(frameBytes) + ", reaction " +
               std::to_string(reactionBytes) + ", pause frame " + std::to_string(pauseFrameBytes) +
               "): a lossless class may drop";
    }
};

} // namespace ns3

#endif /* PFC_HEADROOM_H */
