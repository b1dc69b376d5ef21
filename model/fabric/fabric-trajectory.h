/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_TRAJECTORY_H
#define FABRIC_TRAJECTORY_H

#include <cstdint>

namespace ns3
{

/** @brief What the whole process has simulated since its stations began to be made. */
struct FabricTrajectory
{
    uint64_t hops{0};      //!< frames that began transmission, control frames included
    uint64_t wakes{0};     //!< engine events that ran
    uint64_t spurious{0};  //!< of those, wakes that found nothing to do
    uint64_t chores{0};    //!< of those, drains and ends of instants asked for by a station
    uint64_t digest{0};    //!< order-free hash of (station, port, start, packet) of every hop
    uint64_t delivered{0}; //!< packets that reached their endpoint
    uint64_t dropped{0};   //!< packets dropped anywhere
    uint64_t stations{0};  //!< stations made: numbers them
};

} // namespace ns3

#endif /* FABRIC_TRAJECTORY_H */
