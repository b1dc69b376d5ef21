/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_PORT_STATS_H
#define FABRIC_PORT_STATS_H

#include "fabric-packet.h"

#include <cstdint>

namespace ns3
{

/** @brief Why a packet was dropped; every drop has exactly one reason. */
enum class FabricDropReason : uint8_t
{
    BUFFER_FULL,  //!< shared buffer, lossy class over its threshold
    HEADROOM,     //!< lossless class beyond its headroom: a fault of the configuration
    NO_ROUTE,     //!< destination unreachable or unknown
    LINK_DOWN,    //!< queued for or travelling on a failed link
    LINK_ERROR,   //!< lost on the wire by the link's error rate
    WATCHDOG,     //!< flushed by the PFC watchdog
    TTL,          //!< crossed more links than any sane route has
    PARTITION,    //!< InfiniBand: foreign partition key
    DISCARDED,    //!< InfiniBand: the port is not active, or the SL has no VL there
    COUNT
};

/** @brief Number of drop reasons. */
constexpr uint8_t FABRIC_DROP_REASONS = static_cast<uint8_t>(FabricDropReason::COUNT);

/**
 * @brief Name of a drop reason, as CSV files print it.
 * @param reason reason
 * @return lower-case name
 */
const char* FabricDropReasonName(FabricDropReason reason);

/** @brief Counters of one class of one port since the start. */
struct FabricClassStats
{
    uint64_t txPackets{0};       //!< frames that began transmission
    uint64_t txBytes{0};         //!< their buffer bytes
    uint64_t rxPackets{0};       //!< frames that arrived whole
    uint64_t rxBytes{0};         //!< their buffer bytes
    uint64_t ceMarks{0};         //!< frames marked congestion experienced at this egress
    uint64_t xoffTx{0};          //!< stop frames sent for this class
    uint64_t xonTx{0};           //!< resume frames sent
    uint64_t xoffRx{0};          //!< stop frames received
    uint64_t xonRx{0};           //!< resume frames received
    FabricPs pausedPs{0};        //!< time this egress class was paused, ended pauses only
    uint64_t maxQueueBytes{0};   //!< longest egress queue
    uint64_t maxIngressBytes{0}; //!< most bytes that one ingress held in the buffer
    uint64_t drops{0};           //!< packets dropped, any reason
};

/** @brief Counters of one port. */
struct FabricPortStats
{
    FabricClassStats of[FABRIC_LANES];                //!< by class
    uint64_t dropsByReason[FABRIC_DROP_REASONS]{};    //!< packets dropped, by reason
    uint64_t droppedBytes{0};                         //!< buffer bytes dropped
    uint64_t controlTx{0};                            //!< control frames sent
    uint64_t controlLost{0};                          //!< of those, lost on the wire
    uint64_t linkPackets{0};                          //!< MEMORY frames: packets sent
    uint64_t linkDataBytes{0};                        //!< MEMORY frames: data bytes sent
    uint64_t replays{0};                              //!< MEMORY frames: packets repeated
};

} // namespace ns3

#endif /* FABRIC_PORT_STATS_H */
