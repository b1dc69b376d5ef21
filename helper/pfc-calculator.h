/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PFC_CALCULATOR_H
#define PFC_CALCULATOR_H

#include "ns3/fabric-time.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Buffer arithmetic of a shared-memory switch: how large may PFC and ECN thresholds be.
 *
 * After Zhu et al., SIGCOMM 2015, sec. 4. ECN should act before PFC on any port: the PFC threshold
 * is per ingress port and class, and all ports together may fill one egress queue.
 */
class PfcCalculator
{
  public:
    /** @brief The switch. */
    struct Input
    {
        uint64_t bufferBytes{0};   //!< B: shared buffer
        uint32_t ports{0};         //!< n
        uint32_t classes{8};       //!< PFC classes per port
        uint64_t headroomBytes{0}; //!< t_flight: headroom per port and class
        uint32_t mtuBytes{1500};   //!< largest frame
        double beta{8};            //!< share of the free buffer that a dynamic threshold takes
    };

    /**
     * @param input the switch
     * @throw FabricError when the headroom of all ports and classes alone exceeds the buffer, with
     *        the numbers, or when a count is 0
     */
    explicit PfcCalculator(const Input& input);

    /** @return B - classes n t_flight: what is left beside all headroom, bytes */
    uint64_t UsableBytes() const;

    /** @return largest static PFC threshold that cannot overrun: usable / (classes n), bytes */
    double StaticPfcBound() const;

    /** @return ECN threshold below which marking surely comes first: static bound / n, bytes */
    double StaticEcnBound() const;

    /**
     * @brief Dynamic PFC threshold.
     * @param usedBytes shared bytes in use
     * @return beta (usable - used) / classes, bytes; 0 when nothing is left
     */
    double DynamicPfcThreshold(uint64_t usedBytes) const;

    /** @return ECN threshold for dynamic PFC: beta usable / (classes n (beta + 1)), bytes */
    double DynamicEcnBound() const;

    /**
     * @brief Resume threshold.
     * @param pfcThreshold bytes at which PFC pauses
     * @return two MTU below it, not below 0, bytes
     */
    double ResumeThreshold(double pfcThreshold) const;

    /**
     * @param ecnBound bytes
     * @return true when at least one full frame fits below it; else ECN cannot act before PFC
     */
    bool IsFeasible(double ecnBound) const
    {
        return ecnBound >= m_in.mtuBytes;
    }

    /** @return a few lines with every number above and "infeasible" where it is so */
    std::string Report() const;

    /**
     * @brief Where a dynamic threshold settles with several ports paused at it.
     * @param alpha share of the free shared buffer that one port may take
     * @param sharedBytes buffer less all headroom and reserves
     * @param ports congested ingress ports
     * @return alpha shared / (1 + alpha ports), bytes
     */
    static double DynamicSettle(double alpha, uint64_t sharedBytes, uint32_t ports);

    /** @brief Constants of the switches in the HPCC line of simulators. */
    static constexpr uint64_t HPCC_RESERVE_BYTES = 4096;
    /** @brief There, a class resumes this far below its pause threshold, bytes. */
    static constexpr uint64_t HPCC_RESUME_OFFSET_BYTES = 3000;
    /** @brief There, an ingress may take this share of the free shared buffer. */
    static constexpr double HPCC_ALPHA = 1.0 / 8;

    /**
     * @brief Pause threshold of the HPCC line's switches.
     * @param bufferBytes whole buffer
     * @param headroomSum headroom of all ports, bytes
     * @param reserveSum reserves of all ports, bytes
     * @param usedBytes shared bytes in use
     * @return (B - headroom - reserve - used) / 8, bytes; 0 when nothing is left
     */
    static double HpccPauseThreshold(uint64_t bufferBytes,
                                     uint64_t headroomSum,
                                     uint64_t reserveSum,
                                     uint64_t usedBytes);

    /**
     * @brief How long a PAUSE holds.
     * @param quanta value in the frame, 0 to 65535
     * @param rate rate of the paused link
     * @return quanta x 512 bit times, picoseconds, rounded up
     */
    static FabricPs PauseTime(uint16_t quanta, const FabricRate& rate)
    {
        return rate.TxTime(uint64_t{quanta} * 64);
    }

  private:
    Input m_in; //!< the switch
};

} // namespace ns3

#endif /* PFC_CALCULATOR_H */
