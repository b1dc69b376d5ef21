/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_PORT_COUNTERS_H
#define IB_PORT_COUNTERS_H

#include "ns3/fabric-time.h"

#include <cstdint>

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * @brief What a performance manager reads from a port. Counters neither wrap nor stick.
 *
 * Source of names and units: InfiniBand, volume 1, 16.1.3. Data counts LRH to ICRC, in units of 4
 * bytes; VCRCs and flow-control packets do not count.
 */
struct IbPortCounters
{
    uint64_t symbolErrors{0};        //!< SymbolErrorCounter: frames and credits hit by bit errors
    uint64_t rcvErrors{0};           //!< PortRcvErrors: frames of these, dropped for their CRC
    uint64_t linkDowned{0};          //!< LinkDownedCounter
    uint64_t xmitDiscards{0};        //!< PortXmitDiscards: could not be sent, port down or inactive
    uint64_t xmitConstraint{0};      //!< PortXmitConstraintErrors: foreign P_Key on its way out
    uint64_t rcvConstraint{0};       //!< PortRcvConstraintErrors: foreign P_Key on its way in
    uint64_t vl15Dropped{0};         //!< VL15Dropped: management packets without room
    uint64_t xmitData{0};            //!< PortXmitData, 4-byte units
    uint64_t rcvData{0};             //!< PortRcvData, 4-byte units
    uint64_t xmitPackets{0};         //!< PortXmitPkts
    uint64_t rcvPackets{0};          //!< PortRcvPkts
    FabricPs xmitWait{0};            //!< PortXmitWait as time: frames waited and none was sent, ps

    /**
     * @brief Everything that the engine counts.
     * @param port a port, up to date
     * @return its counters, without xmitWait, linkDowned and the constraint errors
     */
    static IbPortCounters Of(const FabricPort& port);

    /**
     * @param laneBps data rate of one lane, bit/s
     * @return PortXmitWait in ticks: symbol times, 8 bits on one lane
     */
    uint64_t GetXmitWaitTicks(uint64_t laneBps) const;
};

} // namespace ns3

#endif /* IB_PORT_COUNTERS_H */
