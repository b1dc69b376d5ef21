/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_STATION_H
#define FABRIC_STATION_H

#include "fabric-due-heap.h"
#include "fabric-packet.h"
#include "fabric-port-stats.h"
#include "fabric-time.h"
#include "fabric-trajectory.h"
#include "flow-control.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

class EventImpl;
class FabricChore;
class FabricPort;
class PortScheduler;
class SimulatorImpl;

/**
 * @ingroup ai-fabric
 * @brief A place where packets stop: parent of switches and NICs, and the heart of the engine.
 *
 * A sender posts a packet when it *starts* transmitting, stamped with the time its last bit will
 * be there. The station files it in a time-ordered inbox and makes sure the port it will leave by
 * wakes in time. One wake per packet-hop does everything: admit what has arrived (as of its own
 * arrival time), then send one packet. Why that is exact, and the three rules that keep it so, is
 * in doc/design.rst. EagerArrivals adds an event per arrival and must change nothing.
 *
 * A subclass writes the Do... hooks. Every hook runs with all earlier arrivals admitted.
 */
class FabricStation : public Object
{
  public:
    /** @return the object TypeId */
    static TypeId GetTypeId();

    FabricStation();
    ~FabricStation() override;

    /** @return number of a port added, counting from 0; before any wiring */
    uint16_t AddPort();

    /** @return number of ports */
    uint16_t GetNPorts() const
    {
        return static_cast<uint16_t>(m_portAt.size());
    }

    /** @return the port of a number; lives as long as the station */
    FabricPort& GetPort(uint16_t index);

    /**
     * @brief Wire two free ports together with a symmetric link.
     * @param a one end
     * @param b other end
     * @param rate of each direction
     * @param delay one-way propagation
     * @param errorRate loss probability of each frame
     * @param gapBytes bytes per frame on the wire that buffers do not count
     * @param channelId link number, for traces and random streams
     */
    static void Wire(FabricPort& a,
                     FabricPort& b,
                     const FabricRate& rate,
                     FabricPs delay,
                     double errorRate,
                     uint32_t gapBytes,
                     uint32_t channelId);

    /**
     * @brief Give a wired port its flow control and its scheduler.
     * @param index port number
     * @param flow flow control, one object per port
     * @param scheduler class scheduler, one object per port
     */
    void SetPortPolicies(uint16_t index, Ptr<FlowControl> flow, Ptr<PortScheduler> scheduler);

    /**
     * @brief Fail or restore the link of a port, both ends.
     *
     * Packets queued for it or travelling on it are dropped with reason LINK_DOWN.
     * @param index port number
     * @param up new state
     */
    void SetLinkUp(uint16_t index, bool up);

    /**
     * @brief The peer starts sending a packet to us (rule R1).
     * @param in our port
     * @param p the packet; ours from now on
     * @param arrival when its last bit is here, > now
     */
    void Post(FabricPort& in, FabricPacket* p, FabricPs arrival);

    /**
     * @brief The peer starts sending a control frame to us.
     * @param in our port
     * @param frame the frame; ours from now on
     * @param arrival when it is here, > now
     */
    void PostControl(FabricPort& in, FabricPacket* frame, FabricPs arrival);

    /** @param port the port whose wake fired: rules R2 and R3; called by FabricWake only */
    void OnWake(FabricPort& port);

    /** @param instantEnd the end of an instant, else a drain; called by FabricChore only */
    void OnChore(bool instantEnd);

    /** @brief Bring counters and queues up to date with the clock, before somebody reads them. */
    void Sync();

    /**
     * @brief Make a port wake no later than a time.
     * @param port the port
     * @param at ps, not in the past
     */
    void Arm(FabricPort& port, FabricPs at);

    /**
     * @brief Send a control frame ahead of everything else on a port.
     * @param port the port
     * @param frame the frame; the engine owns it now
     * @param now ps
     */
    void SendControl(FabricPort& port, FabricPacket* frame, FabricPs now);

    /** @return station number, dense from 0 in order of creation */
    uint32_t GetStationId() const;

    /** @param nodeId context of all events: the ns-3 node that the station is on */
    void SetContext(uint32_t nodeId);

    /** @return name for people: "leaf0", "h3.nic0" */
    const std::string& GetName() const;

    /** @param name name for people */
    void SetName(const std::string& name);

    /** @return pipeline latency added to every packet that arrives here, ps */
    FabricPs GetPipelineLatency() const
    {
        return FabricTime::From(m_pipeline);
    }

    /** @return packets in inboxes and queues of this station */
    uint64_t GetHeldPackets();

    /** @return the process-wide counters */
    static FabricTrajectory& Trajectory()
    {
        return s_trajectory;
    }

    /**
     * @brief Packet event at a port. Arguments: packet, port number, time in ps (drained arrivals
     * may be traced later than they happened, so never read the clock instead).
     */
    typedef void (*PacketTracedCallback)(const FabricPacket& p, uint16_t port, FabricPs at);

    /** @brief Drop. Arguments: packet, port number, time in ps, reason. */
    typedef void (*DropTracedCallback)(const FabricPacket&, uint16_t, FabricPs, FabricDropReason);

  protected:
    void DoDispose() override;

    /** @param now admit everything that has arrived by then, in order of (arrival, port) */
    void Drain(FabricPs now);

    /** @brief Let a port read the control frames that have come. @param port it @param now ps */
    void DrainControl(FabricPort& port, FabricPs now);

    /** @param at when to drain even if no port has anything to send then, ps */
    void ArmDrain(FabricPs at);

    /** @brief Ask for DoInstantEnd() after every other event of this instant. */
    void ArmInstantEnd();

    /**
     * @brief Drop a packet: count, trace, free.
     * @param p the packet; gone afterwards
     * @param port port to charge
     * @param at ps
     * @param reason reason
     */
    void Drop(FabricPacket* p, FabricPort& port, FabricPs at, FabricDropReason reason);

    /**
     * @brief The default R3 for a port with class queues only.
     * @param port the port
     * @param now ps
     * @return next wake in ps, FABRIC_NEVER if none
     */
    FabricPs NextWakeOfQueues(FabricPort& port, FabricPs now);

    std::deque<FabricPort> m_ports;      //!< never moves once made
    std::vector<FabricPort*> m_portAt;   //!< the same by number, for the hot path

    TracedCallback<const FabricPacket&, uint16_t, FabricPs> m_txTrace; //!< transmission begins
    TracedCallback<const FabricPacket&, uint16_t, FabricPs> m_rxTrace; //!< arrived whole
    TracedCallback<const FabricPacket&, uint16_t, FabricPs, FabricDropReason> m_dropTrace; //!< drop

  private:
    /**
     * @brief A packet was filed in a port's inbox: choose its egress and arm what must wake.
     * @param in ingress port
     * @param p the packet, arrival set; stays in the inbox
     */
    virtual void DoPost(FabricPort& in, FabricPacket* p) = 0;

    /**
     * @brief A filed packet will never arrive (link failure); undo what DoPost() counted.
     * @param in ingress port
     * @param p the packet
     */
    virtual void DoUnpost(FabricPort& in, FabricPacket* p) = 0;

    /**
     * @brief A packet has arrived (p->arrival <= now): queue it, consume it or drop it.
     * @param in ingress port
     * @param p the packet; the subclass owns it
     */
    virtual void DoAdmit(FabricPort& in, FabricPacket* p) = 0;

    /**
     * @brief The port is free: which packet goes next?
     * @param port the port
     * @param now ps
     * @return a packet, out of its queue and released from buffers, or null
     */
    virtual FabricPacket* DoSelect(FabricPort& port, FabricPs now) = 0;

    /**
     * @brief Rule R3: when must this port wake again?
     * @param port the port
     * @param now ps
     * @return ps, FABRIC_NEVER if nothing is to be expected
     */
    virtual FabricPs DoNextWake(FabricPort& port, FabricPs now) = 0;

    /** @param now ps; runs after a drain asked for by ArmDrain() */
    virtual void DoDrained(FabricPs now);

    /** @param now ps; runs after all other events of an instant that asked by ArmInstantEnd() */
    virtual void DoInstantEnd(FabricPs now);

    /**
     * @brief The state of a port's link has changed; queues towards it are already flushed.
     * @param port the port
     * @param up new state
     */
    virtual void DoLinkChanged(FabricPort& port, bool up);

    /**
     * @brief A queued packet is flushed (link failure): release what it held.
     * @param port egress port
     * @param p the packet
     * @param now ps
     */
    virtual void DoFlushed(FabricPort& port, FabricPacket* p, FabricPs now);

    struct ClockScope;

    static uint32_t NextStationId();
    static FabricPs Clock();
    void Schedule(FabricPs at, EventImpl* event);
    void Wake(FabricPort& port, FabricPs now);
    void Transmit(FabricPort& port, FabricPacket* p, FabricPs now);
    void MergeControl(FabricPort& port, FabricPacket* frame, FabricPs now);
    void ApplyLinkState(FabricPort& port, bool up, FabricPs now);

    FabricDueHeap m_due;        //!< next arrivals
    bool m_eager;               //!< EagerArrivals
    Time m_pipeline;            //!< PipelineLatency
    uint32_t m_id;              //!< station number
    uint32_t m_context{Simulator::NO_CONTEXT}; //!< node id
    std::string m_name;         //!< for people
    FabricPs m_drainAt{-1};     //!< latest drain asked for (avoids twins)
    static FabricTrajectory s_trajectory; //!< process-wide counters
    static SimulatorImpl* s_engine; //!< ns-3's engine while a simulation exists
    static FabricPs s_now;      //!< the clock while an engine event runs, else -1
    bool m_instantEndArmed{false}; //!< DoInstantEnd() is scheduled for this instant
    FabricChore* m_drain;      //!< re-used event: drain
    FabricChore* m_instantEnd; //!< re-used event: end of instant
};

} // namespace ns3

#endif /* FABRIC_STATION_H */
