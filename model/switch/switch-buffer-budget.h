/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SWITCH_BUFFER_BUDGET_H
#define SWITCH_BUFFER_BUDGET_H

#include "ns3/fabric-time.h"

#include <cstdint>
#include <string>

namespace ns3
{

/** @brief What a switch buffer must know about one port. */
struct SwitchBufferPort
{
    FabricRate rate;             //!< link rate
    FabricPs delay{0};           //!< one-way propagation, ps
    FabricPs peerReaction{0};    //!< neighbour's time from stop frame to effect, ps
    uint8_t losslessClasses{0};  //!< classes that stop their sender
};

/** @brief How a buffer is divided, in bytes. */
struct SwitchBufferBudget
{
    uint64_t size{0};          //!< whole buffer
    uint64_t reserved{0};      //!< sum of the guaranteed minima
    uint64_t headroom{0};      //!< sum over ports and lossless classes
    uint64_t shared{0};        //!< what is left for everybody
    uint64_t lastFrames{0};    //!< of that, room for one frame of each lossless port and class
    uint64_t minHeadroom{0};   //!< smallest headroom of a port and class
    uint64_t maxHeadroom{0};   //!< largest
    uint64_t firstXoff{0};     //!< shared bytes at which a lone ingress is stopped
    uint32_t shortOf{0};       //!< ports and classes with less headroom than they need
    std::string warning;       //!< names the first of those, with the numbers
};

/** @brief What one ingress port and class of a switch buffer holds, bytes. */
struct SwitchBufferLedger
{
    uint64_t bytes{0};      //!< held outside the headroom
    uint64_t inHeadroom{0}; //!< held in the headroom
    uint64_t reserve{0};    //!< guaranteed minimum
    uint64_t headroom{0};   //!< size of the headroom
};

/** @brief What a switch buffer says to a frame. */
struct SwitchBufferVerdict
{
    bool admitted;         //!< accounted; else refused
    bool overStop;         //!< the class is now over its stop threshold
    uint64_t ingressBytes; //!< bytes that this ingress port and class now holds
};

} // namespace ns3

#endif /* SWITCH_BUFFER_BUDGET_H */
