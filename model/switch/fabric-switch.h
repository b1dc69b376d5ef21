/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "class-map.h"
#include "ecn-marker.h"
#include "forwarding-table.h"
#include "load-balancer.h"
#include "switch-buffer.h"

#include "ns3/fabric-station.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief An output-queued, shared-memory switch: route, admit, mark, schedule, push back.
 *
 * Set-up order: AddPort() and Wire() all ports, SetPortPolicies() on each, SetMarker() on each,
 * then Start(). The helper does that.
 */
class FabricSwitch : public FabricStation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    FabricSwitch();

    /**
     * @brief Divide the buffer and seed the balancer; call when all ports are wired.
     * @throws FabricError when the buffer cannot add up
     */
    void Start();

    /** @return the routes, to be filled by whoever computes them */
    ForwardingTable& GetForwardingTable()
    {
        return m_table;
    }

    /**
     * @brief Ports over which broadcasts are flooded (a spanning tree of the fabric).
     * @param ports port numbers
     */
    void SetFloodPorts(const std::vector<uint16_t>& ports)
    {
        m_flood = ports;
    }

    /**
     * @param index port number
     * @param marker the port's marker, null for none
     */
    void SetMarker(uint16_t index, Ptr<EcnMarker> marker);

    /**
     * @param index port number
     * @return the port's marker, null if none
     */
    Ptr<EcnMarker> GetMarker(uint16_t index) const;

    /**
     * @param buffer packet memory, before Start()
     */
    void SetBuffer(Ptr<SwitchBuffer> buffer);

    /** @return packet memory */
    Ptr<SwitchBuffer> GetBuffer() const
    {
        return m_buffer;
    }

    /**
     * @param balancer balancer, before Start()
     */
    void SetLoadBalancer(Ptr<LoadBalancer> balancer);

    /**
     * @param map class map, before Start()
     */
    void SetClassMap(Ptr<ClassMap> map);

    /** @return class map */
    Ptr<ClassMap> GetClassMap() const
    {
        return m_classMap;
    }

    /** @return packets that the PFC watchdog has dropped */
    uint64_t GetWatchdogDrops() const
    {
        return m_watchdogDrops;
    }

    /**
     * @brief Choose the egress that a packet would take; for path reports.
     * @param p a packet record with dst and flowHash set
     * @return port number, NO_PORT when unreachable
     */
    uint16_t RouteOf(const FabricPacket& p);

    /**
     * @brief Watchdog: drop what a class has queued at a port, and ignore its pauses for a while.
     * @param index port number
     * @param vl class
     * @param restore time until pauses count again, ps
     * @return packets dropped
     */
    uint64_t FlushClass(uint16_t index, uint8_t vl, FabricPs restore);

    /** @brief RouteOf(): no route. */
    static constexpr uint16_t NO_PORT = 0xffff;

  protected:
    void DoDispose() override;

  private:
    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoUnpost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
    void DoDrained(FabricPs now) override;
    void DoInstantEnd(FabricPs now) override;
    void DoFlushed(FabricPort& port, FabricPacket* p, FabricPs now) override;

    /** @brief Bytes of a port's class that are posted and not here yet. */
    uint64_t& Coming(uint16_t in, uint8_t vl)
    {
        return m_coming[static_cast<size_t>(in) * FABRIC_CLASSES + vl];
    }

    void WatchThresholds(FabricPort& in, FabricPacket* p);
    void Watch(FabricPacket* p);
    void RewatchAll(uint64_t threshold);
    void WatchInbox(FabricPort& in, uint8_t classes, uint64_t limit);
    void PostBroadcast(FabricPort& in, FabricPacket* p);
    void AdmitBroadcast(FabricPort& in, FabricPacket* p);
    void AdmitTo(FabricPort& in, FabricPort& out, FabricPacket* p);
    void Release(FabricPort& in, uint8_t vl, uint32_t bytes);
    void SendStops(FabricPort& in, FabricPacket* frame, FabricPs now);
    void ArmRefresh();
    void ArmWatchdog(FabricPort& port, FabricPs at);
    void RunWatchdog(FabricPs now);
    void Mark(FabricPort& out, FabricPacket* p, FabricPs at);

    ForwardingTable m_table;             //!< routes
    std::vector<uint64_t> m_coming;      //!< bytes posted, by ingress port and class
    uint64_t m_comingAll{0};             //!< their sum
    uint64_t m_safeLimit{0};             //!< packets that nobody waits for stay below this
    Ptr<SwitchBuffer> m_buffer;          //!< packet memory
    Ptr<LoadBalancer> m_balancer;        //!< path choice
    Ptr<ClassMap> m_classMap;            //!< classes of arriving frames
    Time m_watchdogTime;                 //!< PfcWatchdog
    Time m_watchdogRestore;              //!< PfcWatchdogRestore
    std::vector<FabricPs> m_watchdogAt;  //!< next look, by port; empty: watchdog off
    FabricPs m_watchdogNext{FABRIC_NEVER}; //!< earliest of them
    uint64_t m_watchdogDrops{0};         //!< packets dropped by it
    std::vector<Ptr<EcnMarker>> m_markers; //!< by port
    std::vector<uint16_t> m_flood;       //!< spanning tree ports
    std::vector<uint32_t> m_resumable;   //!< (port << 3 | class) that may resume at instant end
    uint32_t m_maxFrame{0};              //!< longest frame seen
    FabricPs m_refreshAt{FABRIC_NEVER};  //!< next repetition of stop frames
    bool m_started{false};               //!< Start() was called

    TracedCallback<const FabricPacket&, uint16_t, FabricPs> m_markTrace; //!< CE mark
};

} // namespace ns3

#endif /* FABRIC_SWITCH_H */
