/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_PARTITION_H
#define IB_PARTITION_H

#include "ns3/fabric-packet.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Partition keys: 15 bits of partition, and in the highest bit full membership.
 *
 * Two keys match when they name one partition and not both are limited members. Source:
 * InfiniBand, volume 1, 10.9.
 */
struct IbPartition
{
    static constexpr uint16_t FULL = 0x8000; //!< membership bit

    /**
     * @param a a key
     * @param b another
     * @return whether packets with one are for holders of the other
     */
    static bool Match(uint16_t a, uint16_t b)
    {
        return ((a ^ b) & ~FULL) == 0 && ((a | b) & FULL) != 0 && (a & ~FULL) != 0;
    }

    /**
     * @param p a packet
     * @return its key
     */
    static uint16_t KeyOf(const FabricPacket& p)
    {
        return p.side == 0 ? FABRIC_DEFAULT_PKEY : FabricPacketPool::Get().Side(&p).pKey;
    }

    /**
     * @param table a P_Key table
     * @param p a packet
     * @return whether an entry matches
     */
    static bool Allows(const std::vector<uint16_t>& table, const FabricPacket& p)
    {
        const uint16_t key = KeyOf(p);
        return std::any_of(table.begin(), table.end(), [key](uint16_t own) {
            return Match(own, key);
        });
    }
};

} // namespace ns3

#endif /* IB_PARTITION_H */
