/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-port-counters.h"

#include "ns3/fabric-port.h"

namespace ns3
{

namespace
{
constexpr uint64_t VCRC = 2; // bytes of a frame that data counters leave out

uint64_t
DroppedFor(const FabricPort& port, FabricDropReason reason)
{
    return port.stats.dropsByReason[static_cast<uint8_t>(reason)];
}
} // namespace

IbPortCounters
IbPortCounters::Of(const FabricPort& port)
{
    IbPortCounters c;
    for (const FabricClassStats& lane : port.stats.of)
    {
        c.xmitData += lane.txBytes - VCRC * lane.txPackets;
        c.xmitPackets += lane.txPackets;
        c.rcvData += lane.rxBytes - VCRC * lane.rxPackets;
        c.rcvPackets += lane.rxPackets;
    }
    c.xmitData /= 4;
    c.rcvData /= 4;
    if (port.peer != nullptr)
    {
        c.rcvErrors = DroppedFor(*port.peer, FabricDropReason::LINK_ERROR);
        c.symbolErrors = c.rcvErrors + port.peer->stats.controlLost;
    }
    c.vl15Dropped = DroppedFor(port, FabricDropReason::BUFFER_FULL);
    c.xmitDiscards = DroppedFor(port, FabricDropReason::LINK_DOWN) +
                     DroppedFor(port, FabricDropReason::DISCARDED) +
                     DroppedFor(port, FabricDropReason::TTL);
    return c;
}

uint64_t
IbPortCounters::GetXmitWaitTicks(uint64_t laneBps) const
{
    return static_cast<uint64_t>(static_cast<double>(xmitWait) * 1e-12 *
                                 static_cast<double>(laneBps) / 8);
}

} // namespace ns3
