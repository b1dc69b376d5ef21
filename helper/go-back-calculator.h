/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GO_BACK_CALCULATOR_H
#define GO_BACK_CALCULATOR_H

#include "ns3/fabric-error.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Share of the line that a sender keeps when every k-th packet it sends is lost.
 *
 * The livelock experiment of Guo et al., SIGCOMM 2016: a switch drops each packet whose IP
 * identification ends in 0xff, one in 256.
 */
class GoBackCalculator
{
  public:
    /**
     * @brief Restart of the whole message after a loss.
     * @param message packets of one message
     * @param every k: each k-th packet sent is lost
     * @param inFlight packets sent after a lost one before its NAK arrives
     * @return useful share, long-run average over messages one after the other; exactly 0 when a
     *         message cannot pass between two losses
     */
    static double GoBackZero(uint64_t message, uint64_t every, uint64_t inFlight)
    {
        const uint64_t clean = CleanRun(every, inFlight);
        return static_cast<double>(message == 0 ? 0 : clean / message * message) / every;
    }

    /**
     * @brief Restart at the lost packet.
     * @param every k: each k-th packet sent is lost
     * @param inFlight packets sent after a lost one before its NAK arrives
     * @return useful share: of each k packets one is lost and those in flight behind it are wasted
     */
    static double GoBackN(uint64_t every, uint64_t inFlight)
    {
        return static_cast<double>(CleanRun(every, inFlight)) / every;
    }

  private:
    /**
     * @param every k
     * @param inFlight wasted packets per loss
     * @return packets that arrive in order between two losses
     */
    static uint64_t CleanRun(uint64_t every, uint64_t inFlight)
    {
        if (every == 0)
        {
            throw FabricError("GoBackCalculator: one packet in how many is lost must be above 0");
        }
        return inFlight + 1 < every ? every - 1 - inFlight : 0;
    }
};

} // namespace ns3

#endif /* GO_BACK_CALCULATOR_H */
