/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_RECORD_H
#define FLOW_RECORD_H

#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief A flow that has to finish before another may start. */
struct FlowDependency
{
    uint32_t flow{0};      //!< index in the flow list
    bool onReceive{false}; //!< true: when its last byte arrived; false: when that was acknowledged
};

/**
 * @ingroup ai-fabric
 * @brief One flow: who sends how much to whom, and when.
 */
struct FlowRecord
{
    uint64_t id{0};         //!< id in the file, else the index
    uint32_t src{0};        //!< node id of the sending host
    uint32_t dst{0};        //!< node id of the receiving host
    uint64_t bytes{0};      //!< bytes of the message; 0 is a message without payload
    int64_t startPs{0};     //!< start in ps; with dependencies: the earliest start
    int64_t endPs{-1};      //!< the sender stops here (ps); -1: it sends all bytes
    uint64_t connection{0}; //!< flows with the same number, not 0, share one QP in list order
    uint32_t line{0};       //!< line of the input file, 0 if generated
    uint32_t needed{0};     //!< dependencies that have to be met; 0: all of dependsOn
    uint16_t srcPort{0};    //!< UDP source port; 0: chosen by the sender
    uint16_t dstPort{0};    //!< destination port of the file; tells flows apart
    uint8_t priority{3};    //!< traffic class, 0 to 7
    bool endless{false};    //!< sends until the simulation ends; bytes is 0
    std::vector<FlowDependency> dependsOn; //!< empty: starts at startPs
};

} // namespace ns3

#endif /* FLOW_RECORD_H */
