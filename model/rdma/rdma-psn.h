/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Packet sequence numbers: 24 bits on the wire, 64 bits inside.
 *
 * Both ends count in 64 bits and never wrap; the wire carries the low 24. A received number means
 * the sequence nearest to the one expected, which is unambiguous while fewer than 2^23 packets are
 * outstanding.
 */
class RdmaPsn
{
  public:
    static constexpr uint32_t MASK = 0xffffff;              //!< bits on the wire
    static constexpr uint64_t MAX_OUTSTANDING = 1ULL << 23; //!< packets

    /**
     * @brief First sequence of a connection that starts at a given PSN.
     * @param psn 24-bit number
     * @return 64-bit sequence, far enough from 0 for earlier ones to exist
     */
    static constexpr uint64_t Start(uint32_t psn)
    {
        return (1ULL << 24) + (psn & MASK);
    }

    /**
     * @brief The number on the wire.
     * @param seq 64-bit sequence
     * @return 24-bit number
     */
    static constexpr uint32_t Wire(uint64_t seq)
    {
        return static_cast<uint32_t>(seq) & MASK;
    }

    /**
     * @brief The sequence that a number on the wire means.
     * @param psn 24-bit number
     * @param near a sequence known to be close
     * @return the sequence in [near - 2^23, near + 2^23) with these low bits
     */
    static constexpr uint64_t Extend(uint32_t psn, uint64_t near)
    {
        const uint32_t ahead = (psn - static_cast<uint32_t>(near)) & MASK;
        return ahead < MAX_OUTSTANDING ? near + ahead : near + ahead - (1ULL << 24);
    }
};

} // namespace ns3

#endif /* RDMA_PSN_H */
