/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CREDIT_SWITCH_H
#define CREDIT_SWITCH_H

#include "forwarding-table.h"

#include "ns3/fabric-station.h"

#include <string>

namespace ns3
{

class CreditFlowControl;

/**
 * @ingroup ai-fabric
 * @brief A crossbar with credits: every ingress has a buffer of its own, every egress its queues.
 *
 * Frames wait in virtual output queues, so a frame is held up only by those of its class and
 * egress; a full ingress buffer, though, holds up everything of its class behind it. Nothing is
 * dropped except for want of a route or a link. Parent of all stations inside a server: PCI Express
 * switches and root complexes as it is, NVSwitches, GPUs and memories as subclasses.
 *
 * Set-up order: AddPort(), Wire(), SetPortPolicies() with CreditFlowControl on every port of every
 * station, routes, then Start() on every station.
 */
class CreditSwitch : public FabricStation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @return the routes, to be filled by whoever computes them */
    ForwardingTable& GetForwardingTable()
    {
        return m_table;
    }

    /**
     * @brief All stations are wired: hand out credits.
     * @throws FabricError when a port's neighbour has no credits, another link profile, or less
     *         room than the largest frame takes
     */
    virtual void Start();

    /** @return data bytes of the largest frame that this station sends or passes on */
    virtual uint32_t GetMaxPayload() const;

    /**
     * @brief Egress of a packet; among equal ports by its addresses and tag, so that every packet
     * of a transaction takes one path.
     * @param p a packet with dst, src and psn
     * @return port number, NO_PORT when there is no way
     */
    uint16_t RouteOf(const FabricPacket& p) const;

    /** @return empty when the credits of all ports add up, else what does not */
    std::string ExplainImbalance() const;

    /** @brief RouteOf(): no way. Ingress of frames that the station made itself. */
    static constexpr uint16_t NO_PORT = 0xffff;

  protected:
    /**
     * @brief Put a frame into an egress queue; sets its length for that link.
     * @param out egress port
     * @param p the frame; the queue owns it now. inPort = NO_PORT for one made here
     */
    void Queue(FabricPort& out, FabricPacket* p);

    /**
     * @brief Give back the room that a consumed frame holds at its ingress.
     * @param p the frame, as it was admitted
     * @param at when the room is free, ps; not before now
     */
    void Release(const FabricPacket& p, FabricPs at);

    /**
     * @param port a port
     * @return its flow control
     */
    static CreditFlowControl& CreditsOf(const FabricPort& port);

    /**
     * @param link profile of a link, null when frames keep their length
     * @param p a frame
     * @return its length on that link
     */
    static uint32_t BytesOn(const FabricPort& link, const FabricPacket& p);

    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;

    /**
     * @brief A frame has begun to leave or is flushed: by default its ingress room is free.
     * @param p the frame, as the egress has it; its inPort is not NO_PORT
     * @param at ps
     */
    virtual void DoDeparted(const FabricPacket& p, FabricPs at);

    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;

    /** @return egress of a frame on its way here, NO_PORT for none or ours @param p the frame */
    uint16_t EgressOf(const FabricPacket& p) const
    {
        return DoIsMine(p) ? NO_PORT : RouteOf(p);
    }

    /**
     * @brief A frame is on its way, its egress chosen: see that somebody wakes.
     * @param p the frame
     * @param lane class that it will leave in
     */
    void Announce(const FabricPacket& p, uint8_t lane);

    void DoUnpost(FabricPort& in, FabricPacket* p) override;
    void DoFlushed(FabricPort& port, FabricPacket* p, FabricPs now) override;
    void DoLinkChanged(FabricPort& port, bool up) override;

    ForwardingTable m_table; //!< routes

  private:
    /**
     * @brief Is a packet for this station itself?
     * @param p a packet on its way here
     * @return true: DoConsume() gets it, at its arrival
     */
    virtual bool DoIsMine(const FabricPacket& p) const;

    /**
     * @brief A packet for this station has arrived.
     * @param in ingress port
     * @param p the packet; ours. Its room must be given back by Release()
     */
    virtual void DoConsume(FabricPort& in, FabricPacket* p);

    /**
     * @brief A packet has arrived and there is no way on.
     * @param in ingress port
     * @param p the packet; ours. Its room must be given back by Release()
     */
    virtual void DoUnroutable(FabricPort& in, FabricPacket* p);

    /**
     * @brief The port is about to choose: a source may Queue() frames of its own now.
     *
     * Called when the port may send and again to find its next wake, so a source that fills only
     * empty classes always has one frame of each waiting.
     * @param port the port
     * @param now ps
     */
    virtual void DoRefill(FabricPort& port, FabricPs now);

    /**
     * @brief A frame has been admitted and goes on: by default into the egress's queue at once.
     * @param out egress port
     * @param p the frame; ours
     */
    virtual void DoForward(FabricPort& out, FabricPacket* p);

    static void CheckLink(const FabricPort& port, uint32_t maxPayload);

    uint32_t m_maxPayload; //!< MaxPayload
};

} // namespace ns3

#endif /* CREDIT_SWITCH_H */
