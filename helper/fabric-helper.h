/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "fabric-topology.h"

#include "ns3/attribute.h"
#include "ns3/fabric-switch.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-nic.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Turns a FabricTopology into nodes, devices, channels, switches and NICs, with routes.
 *
 * The only creator of stations. One ns-3 node per topology node; one NIC (RdmaNic) per endpoint;
 * one FabricNetDevice per port. Defaults make a lossless RoCEv2 fabric: PFC on class 3, RED
 * marking, strict + DWRR scheduling, ECMP. Every part can be replaced by TypeId and tuned by
 * attribute before Build().
 *
 * @code
 * Time::SetResolution(Time::PS);
 * FabricHelper fabric;
 * fabric.SetBufferAttribute("Size", UintegerValue(16 << 20));
 * fabric.Build(FatTreeBuilder(8).Build());
 * @endcode
 */
class FabricHelper
{
  public:
    FabricHelper();

    /**
     * @brief Set an attribute of every FabricSwitch.
     * @param name attribute
     * @param value value
     */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of every SwitchBuffer.
     * @param name attribute
     * @param value value
     */
    void SetBufferAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Choose link-level flow control for every port.
     * @param typeId "ns3::PfcFlowControl" (default) or "ns3::NoFlowControl"
     */
    void SetFlowControl(const std::string& typeId);

    /**
     * @brief Set an attribute of every port's flow control.
     * @param name attribute
     * @param value value
     */
    void SetFlowControlAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Choose the ECN marker of every switch port.
     * @param typeId "ns3::RedEcnMarker" (default), or "" for none
     */
    void SetMarker(const std::string& typeId);

    /**
     * @brief Set an attribute of every marker.
     * @param name attribute
     * @param value value
     */
    void SetMarkerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of every port's StrictDwrrScheduler.
     * @param name attribute
     * @param value value
     */
    void SetSchedulerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of every switch's ClassMap (what tells a frame's class).
     * @param name attribute: Trust, DscpMap or PcpMap
     * @param value value
     */
    void SetClassMapAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Choose the load balancer of every switch.
     * @param typeId "ns3::EcmpLoadBalancer" (default)
     */
    void SetLoadBalancer(const std::string& typeId);

    /**
     * @brief Set an attribute of every RdmaNic.
     * @param name attribute
     * @param value value
     */
    void SetNicAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Choose how bytes are counted (see FrameProfile).
     * @param name "rocev2" (default), "hpcc", "hpcc-int", "plain48", ...
     * @throws FabricError for an unknown name
     */
    void SetFrameProfile(const std::string& name);

    /**
     * @brief Time from a link's failure or repair to new routes everywhere. Default: 0.
     * @param delay convergence time
     */
    void SetRerouteDelay(const Time& delay);

    /**
     * @brief Create everything and compute routes.
     * @param topology the fabric; copied
     * @throws FabricError when a buffer cannot add up, or Time is not in picoseconds
     */
    void Build(const FabricTopology& topology);

    /** @return the topology that was built */
    const FabricTopology& GetTopology() const;

    /** @return all ns-3 nodes; index = topology node id */
    NodeContainer GetNodes() const;

    /** @return the hosts' ns-3 nodes, in order of topology node id */
    NodeContainer GetHosts() const;

    /** @return number of endpoints (NICs) */
    uint32_t GetNEndpoints() const;

    /**
     * @param endpoint endpoint number
     * @return its NIC
     * @throws FabricError when out of range
     */
    Ptr<RdmaNic> GetNic(uint32_t endpoint) const;

    /**
     * @brief The endpoint of a host's n-th NIC.
     * @param host topology node id
     * @param nic index among its NICs
     * @return endpoint number
     * @throws FabricError when it is no host or has fewer NICs
     */
    uint32_t GetEndpoint(uint32_t host, uint32_t nic = 0) const;

    /**
     * @param node topology node id
     * @return its switch
     * @throws FabricError when it is no switch
     */
    Ptr<FabricSwitch> GetSwitch(uint32_t node) const;

    /** @return all switches, in order of topology node id */
    const std::vector<Ptr<FabricSwitch>>& GetSwitches() const;

    /**
     * @brief Station and port at one end of a link.
     * @param link link id
     * @param end 0 = the link's `a`, 1 = its `b`
     * @return station and port number
     */
    std::pair<Ptr<FabricStation>, uint16_t> GetPortOfLink(uint32_t link, uint32_t end) const;

    /**
     * @brief Fail or restore a link now; routes follow after the reroute delay.
     * @param link link id
     * @param up new state
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * @brief Schedule SetLinkUp().
     * @param at simulated time
     * @param link link id
     * @param up new state
     */
    void ScheduleLink(const Time& at, uint32_t link, bool up);

    /**
     * @brief Links that a flow crosses, by the routes of now.
     * @param srcEndpoint source
     * @param dstEndpoint destination
     * @param flowHash the flow's hash (VerbsQueuePair knows it)
     * @return link ids in order; empty when unreachable
     */
    std::vector<uint32_t> GetPath(uint32_t srcEndpoint,
                                  uint32_t dstEndpoint,
                                  uint32_t flowHash) const;

    /** @brief Bring all counters up to date with the clock (before reading them in mid-run). */
    void SyncAll() const;

    /**
     * @brief Choose the event list that suits this engine (ns3::PriorityQueueScheduler).
     */
    static void UseFastScheduler();

  private:
    void CreateStations();
    void WireLinks();
    void StartSwitches();
    void Reroute();

    FabricTopology m_topology;                      //!< what was built
    ObjectFactory m_switchFactory;                  //!< FabricSwitch
    ObjectFactory m_bufferFactory;                  //!< SwitchBuffer
    ObjectFactory m_flowFactory;                    //!< FlowControl
    ObjectFactory m_markerFactory;                  //!< EcnMarker
    ObjectFactory m_schedulerFactory;               //!< PortScheduler
    ObjectFactory m_balancerFactory;                //!< LoadBalancer
    ObjectFactory m_nicFactory;                     //!< RdmaNic
    ObjectFactory m_classMapFactory;                //!< ClassMap
    bool m_marking{true};                           //!< markers wanted
    bool m_frameGiven{false};                       //!< MaxFrameBytes was set by the user
    std::string m_profile{"rocev2"};                //!< frame profile
    Time m_rerouteDelay;                            //!< see SetRerouteDelay()
    NodeContainer m_nodes;                          //!< by topology node
    std::vector<Ptr<RdmaNic>> m_nics;               //!< by endpoint
    std::vector<Ptr<FabricSwitch>> m_switches;      //!< in node order
    std::vector<Ptr<FabricSwitch>> m_switchOf;      //!< by topology node, null for hosts
    std::vector<std::pair<Ptr<FabricStation>, uint16_t>> m_portOf; //!< by 2 x link + end
    std::vector<bool> m_linkUp;                     //!< by link
};

} // namespace ns3

#endif /* FABRIC_HELPER_H */
