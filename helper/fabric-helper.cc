/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-helper.h"

#include "fabric-routing-helper.h"

#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricHelper");

namespace
{
/** Longest foreign frame at the default device MTU: Ethernet header, 1500 bytes, FCS. */
constexpr uint32_t ETHERNET_FRAME = 1518;
} // namespace

FabricHelper::FabricHelper()
{
    m_switchFactory.SetTypeId("ns3::FabricSwitch");
    m_bufferFactory.SetTypeId("ns3::SwitchBuffer");
    m_flowFactory.SetTypeId("ns3::PfcFlowControl");
    m_markerFactory.SetTypeId("ns3::RedEcnMarker");
    m_schedulerFactory.SetTypeId("ns3::StrictDwrrScheduler");
    m_balancerFactory.SetTypeId("ns3::EcmpLoadBalancer");
    m_nicFactory.SetTypeId("ns3::RdmaNic");
    m_classMapFactory.SetTypeId("ns3::ClassMap");
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
FabricHelper::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_bufferFactory.Set(name, value);
    m_frameGiven = m_frameGiven || name == "MaxFrameBytes";
}

void
FabricHelper::SetFlowControl(const std::string& typeId)
{
    m_flowFactory = ObjectFactory(typeId);
}

void
FabricHelper::SetFlowControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_flowFactory.Set(name, value);
}

void
FabricHelper::SetMarker(const std::string& typeId)
{
    m_marking = !typeId.empty();
    if (m_marking)
    {
        m_markerFactory = ObjectFactory(typeId);
    }
}

void
FabricHelper::SetMarkerAttribute(const std::string& name, const AttributeValue& value)
{
    m_markerFactory.Set(name, value);
}

void
FabricHelper::SetSchedulerAttribute(const std::string& name, const AttributeValue& value)
{
    m_schedulerFactory.Set(name, value);
}

void
FabricHelper::SetClassMapAttribute(const std::string& name, const AttributeValue& value)
{
    m_classMapFactory.Set(name, value);
}

void
FabricHelper::SetLoadBalancer(const std::string& typeId)
{
    m_balancerFactory = ObjectFactory(typeId);
}

void
FabricHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
FabricHelper::SetFrameProfile(const std::string& name)
{
    m_profile = FrameProfile::Get(name).GetName();
}

void
FabricHelper::SetRerouteDelay(const Time& delay)
{
    m_rerouteDelay = delay;
}

void
FabricHelper::UseFastScheduler()
{
    Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
}

void
FabricHelper::Build(const FabricTopology& topology)
{
    if (Time::GetResolution() != Time::PS)
    {
        throw FabricError("the fabric engine counts picoseconds: call "
                          "Time::SetResolution(Time::PS) before anything else");
    }
    if (m_nodes.GetN() > 0)
    {
        throw FabricError("FabricHelper::Build() was called twice on one helper");
    }
    m_topology = topology;
    m_linkUp.assign(topology.GetNLinks(), true);
    CreateStations();
    WireLinks();
    StartSwitches();
    Reroute();
}

void
FabricHelper::CreateStations()
{
    m_nodes.Create(m_topology.GetNNodes());
    m_switchOf.resize(m_topology.GetNNodes());
    m_portOf.resize(2 * static_cast<size_t>(m_topology.GetNLinks()));
    for (const auto& node : m_topology.GetNodes())
    {
        if (node.role != FabricTopology::Role::SWITCH)
        {
            continue;
        }
        auto sw = m_switchFactory.Create<FabricSwitch>();
        sw->SetName(node.name);
        if (node.latencyPs > 0)
        {
            sw->SetAttribute("PipelineLatency", TimeValue(FabricTime::To(node.latencyPs)));
        }
        m_nodes.Get(node.id)->AggregateObject(sw);
        for (uint32_t link : m_topology.GetLinks(node.id))
        {
            const uint32_t end = m_topology.GetLinks()[link].a == node.id ? 0 : 1;
            m_portOf[2 * static_cast<size_t>(link) + end] = {sw, sw->AddPort()};
        }
        m_switches.push_back(sw);
        m_switchOf[node.id] = sw;
    }
    for (const auto& endpoint : m_topology.GetEndpoints())
    {
        auto nic = m_nicFactory.Create<RdmaNic>();
        nic->SetName(m_topology.GetNodes()[endpoint.host].name + ".nic" +
                     std::to_string(endpoint.nic));
        nic->SetEndpoint(endpoint.id);
        nic->SetFrameProfile(m_profile);
        const uint32_t end = m_topology.GetLinks()[endpoint.link].a == endpoint.host ? 0 : 1;
        m_portOf[2 * static_cast<size_t>(endpoint.link) + end] = {nic, 0};
        m_nics.push_back(nic);
    }
}

void
FabricHelper::WireLinks()
{
    const uint32_t gap = FrameProfile::Get(m_profile).WireGap();
    for (const auto& link : m_topology.GetLinks())
    {
        auto channel = CreateObject<FabricChannel>();
        channel->SetAttribute("DataRate", DataRateValue(DataRate(link.rateBps)));
        channel->SetAttribute("Delay", TimeValue(FabricTime::To(link.delayPs)));
        channel->SetAttribute("ErrorRate", DoubleValue(link.errorRate));
        const auto [a, portA] = GetPortOfLink(link.id, 0);
        const auto [b, portB] = GetPortOfLink(link.id, 1);
        FabricStation::Wire(a->GetPort(portA),
                            b->GetPort(portB),
                            FabricRate(link.rateBps),
                            link.delayPs,
                            link.errorRate,
                            gap,
                            link.id);
        for (const auto& [station, port, node] :
             {std::tuple(a, portA, link.a), std::tuple(b, portB, link.b)})
        {
            auto device = CreateObject<FabricNetDevice>();
            device->SetPort(station, port, channel);
            m_nodes.Get(node)->AddDevice(device);
            if (auto nic = DynamicCast<RdmaNic>(station))
            {
                device->SetAddress(FabricNetDevice::AddressOf(nic->GetEndpoint()));
                // raw pointers: the device outlives the NIC that it owns, and disposes it
                device->SetFrameSender(
                    [nic = PeekPointer(nic)](Ptr<Packet> frame, uint32_t dst, uint8_t vl) {
                        return nic->SendFrame(frame, dst, vl);
                    });
                nic->SetFrameCallback(
                    MakeCallback(&FabricNetDevice::ReceiveFrame, PeekPointer(device)));
            }
            station->SetPortPolicies(port,
                                     m_flowFactory.Create<FlowControl>(),
                                     m_schedulerFactory.Create<PortScheduler>());
        }
    }
}

void
FabricHelper::StartSwitches()
{
    // headroom must hold the longest frame of any class that may be on its way
    const FrameProfile& profile = FrameProfile::Get(m_profile);
    uint32_t frame = ETHERNET_FRAME;
    for (const auto& nic : m_nics)
    {
        UintegerValue mtu;
        nic->GetAttribute("Mtu", mtu);
        frame = std::max(frame,
                         profile.BufferBytes(BTH_RC_WRITE_ONLY_IMM,
                                             static_cast<uint32_t>(mtu.Get())));
    }
    for (auto& sw : m_switches)
    {
        auto buffer = m_bufferFactory.Create<SwitchBuffer>();
        if (!m_frameGiven)
        {
            buffer->SetAttribute("MaxFrameBytes", UintegerValue(frame));
        }
        sw->SetBuffer(buffer);
        sw->SetLoadBalancer(m_balancerFactory.Create<LoadBalancer>());
        sw->SetClassMap(m_classMapFactory.Create<ClassMap>());
        for (uint16_t port = 0; m_marking && port < sw->GetNPorts(); ++port)
        {
            sw->SetMarker(port, m_markerFactory.Create<EcnMarker>());
        }
        sw->Start();
    }
}

void
FabricHelper::Reroute()
{
    std::vector<ForwardingTable*> tables(m_topology.GetNNodes(), nullptr);
    for (uint32_t node = 0; node < tables.size(); ++node)
    {
        if (m_switchOf[node])
        {
            tables[node] = &m_switchOf[node]->GetForwardingTable();
        }
    }
    const FabricRoutingHelper routing(m_topology);
    routing.Compute(m_linkUp, tables);
    const auto flood = routing.GetFloodPorts(m_linkUp);
    for (uint32_t node = 0; node < tables.size(); ++node)
    {
        if (m_switchOf[node])
        {
            m_switchOf[node]->SetFloodPorts(flood[node]);
        }
    }
}

const FabricTopology&
FabricHelper::GetTopology() const
{
    return m_topology;
}

NodeContainer
FabricHelper::GetNodes() const
{
    return m_nodes;
}

NodeContainer
FabricHelper::GetHosts() const
{
    NodeContainer hosts;
    for (uint32_t host : m_topology.GetHosts())
    {
        hosts.Add(m_nodes.Get(host));
    }
    return hosts;
}

uint32_t
FabricHelper::GetNEndpoints() const
{
    return static_cast<uint32_t>(m_nics.size());
}

Ptr<RdmaNic>
FabricHelper::GetNic(uint32_t endpoint) const
{
    if (endpoint >= m_nics.size())
    {
        throw FabricError("endpoint " + std::to_string(endpoint) + " does not exist: there are " +
                          std::to_string(m_nics.size()));
    }
    return m_nics[endpoint];
}

uint32_t
FabricHelper::GetEndpoint(uint32_t host, uint32_t nic) const
{
    if (host < m_topology.GetNNodes() && m_topology.IsHost(host))
    {
        const auto& links = m_topology.GetLinks(host);
        if (nic < links.size())
        {
            const uint32_t end = m_topology.GetLinks()[links[nic]].a == host ? 0 : 1;
            return DynamicCast<RdmaNic>(GetPortOfLink(links[nic], end).first)->GetEndpoint();
        }
    }
    throw FabricError("node " + std::to_string(host) + " is no host with a NIC number " +
                      std::to_string(nic));
}

Ptr<FabricSwitch>
FabricHelper::GetSwitch(uint32_t node) const
{
    if (node >= m_switchOf.size() || !m_switchOf[node])
    {
        throw FabricError("node " + std::to_string(node) + " is no switch");
    }
    return m_switchOf[node];
}

const std::vector<Ptr<FabricSwitch>>&
FabricHelper::GetSwitches() const
{
    return m_switches;
}

std::pair<Ptr<FabricStation>, uint16_t>
FabricHelper::GetPortOfLink(uint32_t link, uint32_t end) const
{
    if (link >= m_topology.GetNLinks() || end > 1)
    {
        throw FabricError("link " + std::to_string(link) + " end " + std::to_string(end) +
                          " does not exist: links are 0.." +
                          std::to_string(m_topology.GetNLinks()) + ", ends 0 and 1");
    }
    return m_portOf[2 * static_cast<size_t>(link) + end];
}

void
FabricHelper::SetLinkUp(uint32_t link, bool up)
{
    const auto [station, port] = GetPortOfLink(link, 0);
    station->SetLinkUp(port, up);
    m_linkUp[link] = up;
    const auto& ends = m_topology.GetLinks()[link];
    for (uint32_t node : {ends.a, ends.b})
    {
        for (uint32_t i = 0; i < m_nodes.Get(node)->GetNDevices(); ++i)
        {
            auto device = DynamicCast<FabricNetDevice>(m_nodes.Get(node)->GetDevice(i));
            const auto here = GetPortOfLink(link, node == ends.a ? 0 : 1);
            if (device && device->GetStation() == here.first &&
                device->GetPortNumber() == here.second)
            {
                device->NotifyLinkChange();
            }
        }
    }
    if (m_rerouteDelay.IsZero())
    {
        Reroute();
    }
    else
    {
        Simulator::Schedule(m_rerouteDelay, &FabricHelper::Reroute, this);
    }
}

void
FabricHelper::ScheduleLink(const Time& at, uint32_t link, bool up)
{
    GetPortOfLink(link, 0);
    Simulator::Schedule(at - Simulator::Now(), &FabricHelper::SetLinkUp, this, link, up);
}

std::vector<uint32_t>
FabricHelper::GetPath(uint32_t srcEndpoint, uint32_t dstEndpoint, uint32_t flowHash) const
{
    FabricPacket probe{};
    probe.src = srcEndpoint;
    probe.dst = dstEndpoint;
    probe.flowHash = flowHash;
    std::vector<uint32_t> path;
    FabricPort* port = &GetNic(srcEndpoint)->GetPort(0);
    while (port->up && path.size() < m_topology.GetNNodes())
    {
        path.push_back(port->channelId);
        FabricStation* next = port->peer->station;
        if (next == PeekPointer(GetNic(dstEndpoint)))
        {
            return path;
        }
        auto* sw = dynamic_cast<FabricSwitch*>(next);
        const uint16_t out = sw ? sw->RouteOf(probe) : FabricSwitch::NO_PORT;
        if (out == FabricSwitch::NO_PORT)
        {
            break;
        }
        port = &sw->GetPort(out);
    }
    return {};
}

void
FabricHelper::SyncAll() const
{
    for (const auto& sw : m_switches)
    {
        sw->Sync();
    }
    for (const auto& nic : m_nics)
    {
        nic->Sync();
    }
}

} // namespace ns3
