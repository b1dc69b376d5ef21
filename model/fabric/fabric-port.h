/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "fabric-packet.h"
#include "fabric-port-stats.h"
#include "fabric-random.h"
#include "fabric-time.h"
#include "flow-control.h"
#include "port-scheduler.h"

#include "ns3/event-impl.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricStation;
class FabricPort;
class LinkProfile;

/**
 * @ingroup ai-fabric
 * @brief The one re-usable wake event of a port.
 *
 * Reference counted and apart from the port, because Simulator::Destroy disposes nodes before it
 * drops pending events: DoDispose cuts the pointer, a late event then does nothing.
 */
class FabricWake : public EventImpl
{
  public:
    /**
     * @param port whom to wake
     */
    explicit FabricWake(FabricPort* port)
        : m_port(port)
    {
    }

    /** @brief The port is gone. */
    void Detach()
    {
        m_port = nullptr;
    }

  private:
    void Notify() override;

    FabricPort* m_port; //!< null after Detach()
};

/**
 * @ingroup ai-fabric
 * @brief Arrival times of packets posted to a station that will leave by one port, in order.
 *
 * Answers "when is the next one there" without touching the packets. Entries that have passed are
 * dropped when somebody asks.
 */
class FabricPendingRing
{
  public:
    /**
     * @brief File an arrival; nearly always the latest so far.
     * @param at arrival, ps
     * @param vl class
     */
    void Insert(FabricPs at, uint8_t vl)
    {
        if (m_size == m_capacity)
        {
            MakeRoom();
        }
        const uint64_t key = (static_cast<uint64_t>(at) << 4) | vl;
        uint32_t i = m_size++;
        while (i > 0 && Slot(i - 1) > key)
        {
            Slot(i) = Slot(i - 1);
            --i;
        }
        Slot(i) = key;
    }

    /**
     * @brief Earliest arrival after now.
     * @param now ps; entries up to it are dropped
     * @param blocked mask of classes to pass over
     * @return ps, FABRIC_NEVER if none
     */
    FabricPs NextAfter(FabricPs now, FabricMask blocked)
    {
        DropUntil(now);
        for (uint32_t i = 0; i < m_size; ++i)
        {
            if (!((blocked >> (Slot(i) & 15)) & 1))
            {
                return static_cast<FabricPs>(Slot(i) >> 4);
            }
        }
        return FABRIC_NEVER;
    }

    /** @return true when nothing is filed */
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /** @return entries that fit without growing */
    size_t GetCapacity() const
    {
        return m_capacity;
    }

  private:
    uint64_t& Slot(uint32_t i)
    {
        return m_slots[(m_head + i) & (m_capacity - 1)];
    }

    void DropUntil(FabricPs now)
    {
        while (m_size > 0 && static_cast<FabricPs>(Slot(0) >> 4) <= now)
        {
            m_head = (m_head + 1) & (m_capacity - 1);
            --m_size;
        }
    }

    void MakeRoom();

    std::vector<uint64_t> m_slots; //!< power-of-two ring of (arrival << 4 | class)
    uint32_t m_capacity{0};        //!< its size
    uint32_t m_head{0};            //!< index of the earliest
    uint32_t m_size{0};            //!< entries
};

/**
 * @ingroup ai-fabric
 * @brief One port of a station: its wire outwards, its queues, and what is on its way in.
 *
 * Data only, plus the arithmetic that keeps it consistent; decisions are the station's.
 */
class FabricPort
{
  public:
    /**
     * @param owner the station
     * @param index port number at the station
     */
    FabricPort(FabricStation* owner, uint16_t index);
    ~FabricPort();

    FabricPort(const FabricPort&) = delete;
    FabricPort& operator=(const FabricPort&) = delete;

    /**
     * @brief Put a packet into its class queue.
     * @param p packet; owned by the queue from now on
     */
    void Enqueue(FabricPacket* p)
    {
        queue[p->vl].Push(p);
        queued |= 1U << p->vl;
        queueBytes[p->vl] += p->bytes;
        if (queueBytes[p->vl] > stats.of[p->vl].maxQueueBytes)
        {
            stats.of[p->vl].maxQueueBytes = queueBytes[p->vl];
        }
    }

    /**
     * @brief Take the oldest packet of a class that has one.
     * @param vl class
     * @return the packet; the caller owns it
     */
    FabricPacket* Dequeue(uint8_t vl)
    {
        FabricPacket* p = queue[vl].Pop();
        queueBytes[vl] -= p->bytes;
        if (queue[vl].IsEmpty())
        {
            queued &= ~(1U << vl);
        }
        return p;
    }

    /**
     * @brief Start of the next frame's serialisation, and its end.
     * @param now ps, not before busyUntil
     * @param wireBytes bytes on the wire, gap included
     */
    void Occupy(FabricPs now, uint32_t wireBytes)
    {
        if (now != busyUntil)
        {
            debt = 0;
        }
        busyUntil = now + rate.Serialise(wireBytes, debt);
    }

    /**
     * @brief Put a MEMORY frame on the wire: its link packets, repetitions included.
     *
     * A frame that came in cut through cannot end before its last packet has arrived.
     * @param p the frame; tailLag is in: of its arrival here, out: of its arrival there
     * @param now ps, not before busyUntil
     * @return arrival at the peer: of the first packet where the peer cuts through, else of the
     *         whole frame
     */
    FabricPs SendPackets(FabricPacket& p, FabricPs now);

    /**
     * @brief Connect this end of a cable.
     * @param other port at the other end
     * @param wireRate rate outwards
     * @param wireLatency propagation plus the far station's pipeline, ps
     * @param lossRate loss probability of a frame
     * @param gap wire bytes per frame that no buffer holds
     */
    void WireTo(FabricPort* other,
                const FabricRate& wireRate,
                FabricPs wireLatency,
                double lossRate,
                uint32_t gap);

    /**
     * @brief Number the random streams, by link, end and run seed.
     * @param link link number
     * @param end which end of it, 0 or 1
     */
    void SeedStreams(uint32_t link, uint32_t end);

    /** @brief Let go of the other end, of all packets and of the policies. */
    void Dispose();

    /** @return packets in the inbox and in the queues */
    uint64_t GetHeldPackets() const;

    /**
     * @brief A control frame still waits for the line: let it say the latest word on each class.
     *
     * Otherwise frames that change their mind faster than they can be sent would pile up.
     * @param frame the latest; gone afterwards
     * @return classes that it spoke of
     */
    uint8_t MergeControl(FabricPacket* frame);

    /** @return what a control frame says, for the digest @param frame the frame */
    static uint64_t ControlWord(const FabricPacket* frame);

    /** @return true when another port is wired to this one and the link is up */
    bool IsUp() const
    {
        return up;
    }

    // hot: read or written at every hop
    FabricPs busyUntil{0};           //!< end of the frame being sent, rounded up to a picosecond
    uint64_t debt{0};                //!< by how much busyUntil is rounded up, 1/bps ps
    FabricPs wakeAt{FABRIC_NEVER};   //!< earliest wake scheduled
    FabricPs latency{0};             //!< propagation plus the far station's pipeline, ps
    FabricRate rate;                 //!< of the wire outwards
    uint32_t gapBytes{0};            //!< wire bytes per frame that no buffer holds (preamble, gap)
    const LinkProfile* link{nullptr}; //!< packets of MEMORY frames; null for other frames
    uint16_t id{0};                  //!< port number at the station
    bool up{false};                  //!< wired and not failed
    bool cutThrough{false};          //!< frames posted here may leave before their last bit is in:
                                     //!< MEMORY frames after their first packet, others at once
    FabricMask queued{0};            //!< classes with packets queued
    FabricStation* station{nullptr}; //!< owner
    FabricPort* peer{nullptr};       //!< the other end
    FlowControl* flow{nullptr};      //!< never null once wired
    PortScheduler* scheduler{nullptr}; //!< never null once wired
    FabricPacketFifo inbox;          //!< posted by the peer, in arrival order
    FabricPacketFifo control;        //!< control frames posted by the peer, in arrival order
    FabricPendingRing pending;       //!< arrivals that will leave by this port
    FabricPacketFifo queue[FABRIC_LANES];       //!< output queues
    uint64_t queueBytes[FABRIC_LANES]{};        //!< their lengths

    // cold
    FabricWake* wake;                //!< re-used event; one reference is ours
    FabricPacket* waitingControl{nullptr}; //!< control frame that has not started, while it has not
    FabricPs waitingStart{0};        //!< when it starts, ps
    double errorRate{0};             //!< loss probability of a frame on the wire outwards, or
                                     //!< with a link profile of one of its packets
    FabricRandom errorStream;        //!< draws for errorRate
    FabricRandom markStream;         //!< draws for ECN marking
    Ptr<FlowControl> flowOwner;      //!< keeps `flow` alive
    Ptr<PortScheduler> schedulerOwner; //!< keeps `scheduler` alive
    uint32_t channelId{0};           //!< link number in the topology
    FabricPortStats stats;           //!< counters
};

} // namespace ns3

#endif /* FABRIC_PORT_H */
