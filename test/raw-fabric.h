/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RAW_FABRIC_H
#define RAW_FABRIC_H

#include "ns3/fabric-port.h"
#include "ns3/fabric-switch.h"
#include "ns3/fabric-topology.h"
#include "ns3/object-factory.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief A host without a transport: sends what it is told at line rate, counts what it gets.
 */
class RawHost : public FabricStation
{
  public:
    /** @brief Packets to send from a time on, back to back. */
    struct Burst
    {
        FabricPs start; //!< not before, ps
        uint32_t dst;   //!< endpoint
        uint32_t bytes; //!< buffer bytes each
        uint64_t count; //!< packets
        uint8_t vl;     //!< class
        uint32_t hash;  //!< flow hash
    };

    static TypeId GetTypeId();

    RawHost();

    /** @brief Number of this host. */
    uint32_t endpoint{0};

    /** @brief Told of every packet that arrives: packet, arrival. */
    std::function<void(const FabricPacket&)> onReceive;

    /** @brief Bytes received. */
    uint64_t rxBytes{0};

    /** @brief Arrival of the last packet, ps. */
    FabricPs lastArrival{0};

    /**
     * @brief Queue a burst; bursts of one class are sent in the order given.
     * @param burst the burst
     */
    void Send(const Burst& burst);

    /** @return packets not sent yet */
    uint64_t GetBacklog() const;

    /** @return packets sent so far */
    uint64_t GetSent() const;

  private:
    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoUnpost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;

    std::vector<Burst> m_bursts[FABRIC_CLASSES]; //!< by class; index 0 is next
    size_t m_next[FABRIC_CLASSES]{};             //!< next burst of the class
    uint32_t m_psn{0};                           //!< numbers the packets
};

/**
 * @ingroup ai-fabric-tests
 * @brief Every frame that a station began to send, control frames included.
 */
class TxLog
{
  public:
    /** @brief One frame. */
    struct Frame
    {
        FabricPs start; //!< ps
        uint32_t bytes; //!< frame length
        uint16_t port;  //!< port number
        uint8_t vl;     //!< class; of no meaning for control frames
        bool control;   //!< a pause frame
        uint32_t src;   //!< sending endpoint
        uint32_t psn;   //!< its number
        uint8_t flags;  //!< FabricPacketFlag bits
    };

    /**
     * @brief Start to log.
     * @param station whom; must not outlive this log
     */
    explicit TxLog(Ptr<FabricStation> station);

    /**
     * @brief First frame of a class at or after a time.
     * @param vl class
     * @param from ps
     * @return its start, FABRIC_NEVER if none
     */
    FabricPs FirstAfter(uint8_t vl, FabricPs from) const;

    std::vector<Frame> frames; //!< in order

  private:
    void OnTx(const FabricPacket& p, uint16_t port, FabricPs at);
};

/**
 * @ingroup ai-fabric-tests
 * @brief Raw hosts and real switches on a topology: the engine without any transport.
 */
class RawFabric
{
  public:
    ObjectFactory flow{"ns3::PfcFlowControl"};           //!< flow control of every port
    ObjectFactory buffer{"ns3::SwitchBuffer"};           //!< switch memory
    ObjectFactory marker{"ns3::RedEcnMarker"};           //!< marker of every switch port
    ObjectFactory scheduler{"ns3::StrictDwrrScheduler"}; //!< scheduler of every port
    bool eager{false};                                   //!< EagerArrivals everywhere
    uint32_t gapBytes{0};                                //!< wire gap

    ~RawFabric();

    /**
     * @brief Make everything.
     * @param topology one link per host
     */
    void Build(const FabricTopology& topology);

    /** @brief Hosts by endpoint. */
    std::vector<Ptr<RawHost>> hosts;

    /** @brief Switches in node order. */
    std::vector<Ptr<FabricSwitch>> switches;

    /** @return packets dropped at switches, any reason */
    uint64_t GetDrops() const;

    /**
     * @brief Sum a per-class counter over all ports of all stations.
     * @param member which counter
     * @return the sum
     */
    uint64_t Sum(uint64_t FabricClassStats::*member) const;

    /**
     * @brief Run until nothing happens any more and the last packet has arrived.
     *
     * A host that nobody listens to is not woken for arrivals, so the events alone end earlier.
     */
    void Run();

    /**
     * @brief What became of every packet: sent = delivered + dropped + held, and what the switches
     * hold is what their ledgers say. Not for runs with broadcasts, which multiply packets.
     * @return empty when it adds up, else the numbers
     */
    std::string ExplainImbalance() const;

    /**
     * @brief Let a hand-made pause frame arrive at a port.
     * @param port who is told to stop
     * @param classes bit mask of enabled classes
     * @param quanta pause time of each, 0 = resume
     * @param at arrival, ps, in the future; in order of time per port
     */
    static void Pause(FabricPort& port, uint8_t classes, uint16_t quanta, FabricPs at);

    /**
     * @brief Hosts round one switch; host i is node i, at switch port i.
     * @param hosts how many
     * @param rateBps of every link
     * @param delayPs of every link
     * @return the graph
     */
    static FabricTopology Star(uint32_t hosts, uint64_t rateBps, int64_t delayPs);

    /**
     * @brief Two hosts at the ends of a row of switches.
     * @param links how many, at least 1
     * @param rateBps of every link
     * @param delayPs of every link
     * @return the graph; the hosts are nodes 0 and 1
     */
    static FabricTopology Line(uint32_t links, uint64_t rateBps, int64_t delayPs);

    /**
     * @brief Give the process picosecond time, once; before any simulation runs in it.
     */
    static void UsePicoseconds();

    /** @brief Dispose all stations. */
    void Clear();
};

} // namespace ns3

#endif /* RAW_FABRIC_H */
