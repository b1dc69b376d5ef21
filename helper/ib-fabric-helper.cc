/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-fabric-helper.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"
#include "ns3/ib-flow-control.h"
#include "ns3/ib-lid-table.h"
#include "ns3/ib-routing.h"
#include "ns3/ib-vl-arbiter.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

using Type = IbSubnet::Type;

namespace
{

/** @return VLCap of a number of data VLs: 1 for 1, 2 for 2, 3 for 4, 4 for 8, 5 for 15 */
uint8_t
VlCode(uint64_t vls)
{
    return vls >= 15 ? 5 : vls >= 8 ? 4 : vls >= 4 ? 3 : vls >= 2 ? 2 : 1;
}

} // namespace

IbFabricHelper::IbFabricHelper()
{
    m_switchFactory.SetTypeId("ns3::IbSwitch");
    m_switchFactory.Set("PipelineLatency", TimeValue(NanoSeconds(130))); // HDR, its data sheet
    m_hcaFactory.SetTypeId("ns3::IbHca");
    m_hcaFactory.Set("FrameProfile", StringValue("ib"));
    m_hcaFactory.Set("Mtu", UintegerValue(4096));
    m_hcaFactory.Set("AckClass", UintegerValue(RdmaNic::CLASS_OF_DATA));
    m_hcaFactory.Set("CnpClass", UintegerValue(RdmaNic::CLASS_OF_DATA));
    m_flowFactory.SetTypeId("ns3::IbFlowControl");
    m_arbiterFactory.SetTypeId("ns3::IbVlArbiter");
    m_managementFactory.SetTypeId("ns3::IbNodeManagement");
}

void
IbFabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
IbFabricHelper::SetHcaAttribute(const std::string& name, const AttributeValue& value)
{
    m_hcaFactory.Set(name, value);
}

void
IbFabricHelper::SetFlowControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_flowFactory.Set(name, value);
}

void
IbFabricHelper::SetArbiterAttribute(const std::string& name, const AttributeValue& value)
{
    m_arbiterFactory.Set(name, value);
}

void
IbFabricHelper::SetManagementAttribute(const std::string& name, const AttributeValue& value)
{
    m_managementFactory.Set(name, value);
}

void
IbFabricHelper::SetDefaultSpeed(const std::string& speed)
{
    m_speed = IbRate::Get(speed).name;
}

void
IbFabricHelper::SetErrorRate(double rate)
{
    m_errorRate = rate;
}

void
IbFabricHelper::Build(const IbSubnet& subnet)
{
    if (Time::GetResolution() != Time::PS)
    {
        throw FabricError("IbFabricHelper::Build(): the simulation must count picoseconds: call "
                          "Time::SetResolution(Time::PS) before anything else");
    }
    if (m_nodes.GetN() > 0)
    {
        throw FabricError("IbFabricHelper::Build() was called twice on one helper");
    }
    m_subnet = subnet;
    m_subnet.GiveGuids();
    MakeStations();
    for (uint32_t node = 0; node < m_ports.size(); ++node)
    {
        for (size_t port = 1; port < m_ports[node].size(); ++port)
        {
            Wire(node, static_cast<uint8_t>(port));
        }
    }
    for (const auto& sw : m_switches)
    {
        sw->Start();
    }
    for (const auto& hca : m_hcas)
    {
        hca->Start();
    }
}

void
IbFabricHelper::MakeStations()
{
    m_nodes.Create(static_cast<uint32_t>(m_subnet.GetNodes().size()));
    for (const IbSubnet::Node& node : m_subnet.GetNodes())
    {
        std::vector<PortRef>& refs = m_ports.emplace_back(node.ports.size());
        if (node.type == Type::ROUTER)
        {
            throw FabricError(
                "IbFabricHelper::Build(): '" + node.name +
                "' is a router; allowed: switches and channel adapters of one subnet");
        }
        if (node.type == Type::SWITCH)
        {
            auto sw = m_switchFactory.Create<IbSwitch>();
            sw->SetName(node.name);
            for (size_t port = 1; port < refs.size(); ++port)
            {
                refs[port] = {sw, sw->AddPort()};
            }
            m_nodes.Get(static_cast<uint32_t>(m_ports.size() - 1))->AggregateObject(sw);
            m_switches.push_back(sw);
            continue;
        }
        for (size_t port = 1; port < refs.size(); ++port)
        {
            if (node.ports[port].peer == IbSubnet::NONE)
            {
                continue;
            }
            auto hca = m_hcaFactory.Create<IbHca>();
            hca->SetName(refs.size() == 2 ? node.name : node.name + "/" + std::to_string(port));
            hca->SetDevicePort(static_cast<uint8_t>(port));
            hca->SetEndpoint(0); // no LID yet
            refs[port] = {hca, 0};
            m_hcas.push_back(hca);
        }
    }
}

IbFabricHelper::PortRef&
IbFabricHelper::RefOf(uint32_t node, uint8_t port)
{
    m_subnet.At(node);
    if (port == 0 || port >= m_ports.at(node).size() || !m_ports[node][port].station)
    {
        throw FabricError("node '" + m_subnet.At(node).name + "' has no cabled port " +
                          std::to_string(port));
    }
    return m_ports[node][port];
}

/** Wire the cable at a port, from the end that comes first. */
void
IbFabricHelper::Wire(uint32_t node, uint8_t port)
{
    const IbSubnet::Port& end = m_subnet.At(node).ports[port];
    if (end.peer == IbSubnet::NONE || std::pair(end.peer, end.peerPort) < std::pair(node, port))
    {
        return;
    }
    const std::string& speed = end.speed.empty() ? m_speed : end.speed;
    const uint64_t bps = IbRate::Get(speed).PortBps(end.lanes);
    const FabricPs delay = end.GetDelay();
    auto channel = CreateObject<FabricChannel>();
    channel->SetAttribute("DataRate", DataRateValue(DataRate(bps)));
    channel->SetAttribute("Delay", TimeValue(FabricTime::To(delay)));
    channel->SetAttribute("ErrorRate", DoubleValue(m_errorRate));
    PortRef& a = RefOf(node, port);
    PortRef& b = RefOf(end.peer, end.peerPort);
    FabricStation::Wire(a.station->GetPort(a.number),
                        b.station->GetPort(b.number),
                        FabricRate(bps),
                        delay,
                        m_errorRate,
                        FrameProfile::Get("ib").WireGap(),
                        m_links++);
    for (const auto& [ref, owner] : {std::pair(a, node), std::pair(b, end.peer)})
    {
        auto device = CreateObject<FabricNetDevice>();
        device->SetPort(ref.station, ref.number, channel);
        m_nodes.Get(owner)->AddDevice(device);
        auto flow = m_flowFactory.Create<IbFlowControl>();
        flow->SetAttribute("Lanes", UintegerValue(end.lanes));
        ref.station->SetPortPolicies(ref.number, flow, m_arbiterFactory.Create<PortScheduler>());
    }
}

void
IbFabricHelper::SetRoutes(const std::string& engine)
{
    UintegerValue vls;
    if (!m_switches.empty())
    {
        m_switches.front()->GetAttribute("DataVls", vls);
    }
    IbLidTable().Assign(m_subnet);
    SetRoutes(IbRouting::Compute(engine, m_subnet, std::max<uint32_t>(1, vls.Get())));
}

void
IbFabricHelper::SetRoutes(const IbForwarding& routes)
{
    m_routes = routes;
    uint16_t top = 0;
    for (uint32_t node = 0; node < m_ports.size(); ++node)
    {
        const IbSubnet::Node& n = m_subnet.At(node);
        for (size_t port = 0; port < n.ports.size(); ++port)
        {
            top = std::max<uint16_t>(top, n.ports[port].lid + (1U << n.ports[port].lmc) - 1);
            if (auto hca = DynamicCast<IbHca>(m_ports[node][port].station))
            {
                hca->SetLid(n.ports[port].lid, n.ports[port].lmc);
            }
        }
    }
    for (uint32_t node : m_subnet.GetNodesOf(Type::SWITCH))
    {
        GetSwitch(node)->SetForwarding(top, routes.tables.at(node));
    }
}

Ptr<SubnetManager>
IbFabricHelper::AddManager(uint32_t node)
{
    m_subnet.At(node);
    if (m_managements.empty())
    {
        Manage();
    }
    auto manager = CreateObject<SubnetManager>();
    m_managements[node]->SetManager(manager);
    return manager;
}

void
IbFabricHelper::Manage()
{
    for (uint32_t node = 0; node < m_ports.size(); ++node)
    {
        const IbSubnet::Node& n = m_subnet.At(node);
        IbNodeInfo info;
        info.type = static_cast<uint8_t>(n.type);
        info.ports = n.GetNPorts();
        info.nodeGuid = n.guid;
        info.systemGuid = n.systemGuid;
        info.vendor = n.vendor;
        info.device = static_cast<uint16_t>(n.device);
        std::vector<uint64_t> guids;
        for (const IbSubnet::Port& port : n.ports)
        {
            guids.push_back(port.guid);
        }
        auto management = m_managementFactory.Create<IbNodeManagement>();
        management->SetNode(info, guids, n.description.empty() ? n.name : n.description);
        for (size_t i = 1; i < n.ports.size(); ++i)
        {
            const IbSubnet::Port& port = n.ports[i];
            if (port.peer == IbSubnet::NONE)
            {
                continue;
            }
            auto* station = dynamic_cast<IbManagedStation*>(PeekPointer(m_ports[node][i].station));
            UintegerValue vls(FABRIC_CLASSES);
            m_ports[node][i].station->GetAttributeFailSafe("DataVls", vls);
            management->AddPort(static_cast<uint8_t>(i),
                                *station,
                                port.lanes,
                                port.speed.empty() ? m_speed : port.speed,
                                VlCode(vls.Get()));
        }
        m_nodes.Get(node)->AggregateObject(management);
        m_managements.push_back(management);
    }
}

Ptr<IbHca>
IbFabricHelper::GetHca(uint32_t node, uint8_t port) const
{
    const auto& ports = m_ports.at(node);
    const auto hca = port < ports.size() ? DynamicCast<IbHca>(ports[port].station) : nullptr;
    if (!hca)
    {
        throw FabricError("node '" + m_subnet.At(node).name +
                          "' has no adapter with a cable at port " + std::to_string(port));
    }
    return hca;
}

Ptr<IbSwitch>
IbFabricHelper::GetSwitch(uint32_t node) const
{
    const auto& ports = m_ports.at(node);
    const auto sw = ports.size() > 1 ? DynamicCast<IbSwitch>(ports[1].station) : nullptr;
    if (!sw)
    {
        throw FabricError("node '" + m_subnet.At(node).name + "' is no switch");
    }
    return sw;
}

Ptr<IbNodeManagement>
IbFabricHelper::GetManagement(uint32_t node) const
{
    return m_managements.empty() ? nullptr : m_managements.at(node);
}

void
IbFabricHelper::SetLinkUp(uint32_t node, uint8_t port, bool up)
{
    const PortRef& ref = RefOf(node, port);
    ref.station->SetLinkUp(ref.number, up);
}

IbFabricHelper::Connection
IbFabricHelper::Connect(Ptr<IbHca> a,
                        Ptr<IbHca> b,
                        VerbsQpInit aInit,
                        VerbsQpInit bInit,
                        VerbsQpAttributes attributes) const
{
    for (const auto& hca : {a, b})
    {
        if (hca->GetEndpoint() == 0)
        {
            throw FabricError(hca->GetName() + ": it has no LID yet; SetRoutes() or a subnet "
                                               "manager gives one");
        }
    }
    aInit.pd = aInit.pd ? aInit.pd : a->GetDefaultDomain();
    bInit.pd = bInit.pd ? bInit.pd : b->GetDefaultDomain();
    Connection pair{a->CreateQueuePair(aInit), b->CreateQueuePair(bInit)};
    VerbsQpAttributes back = attributes;
    if (m_routes.nLanes > 1)
    {
        const auto from = static_cast<uint16_t>(a->GetEndpoint());
        const auto to = static_cast<uint16_t>(b->GetEndpoint());
        attributes.serviceLevel = GetServiceLevel(from, to);
        back.serviceLevel = GetServiceLevel(to, from);
    }
    RdmaNic::Connect(pair.a, pair.b, attributes, back);
    return pair;
}

uint8_t
IbFabricHelper::GetServiceLevel(uint16_t from, uint16_t to) const
{
    uint32_t node = 0;
    uint8_t port = 0;
    if (m_routes.nLanes <= 1 || !m_subnet.FindLid(from, node, port))
    {
        return 0;
    }
    const uint32_t first = m_subnet.At(node).ports[port].peer;
    return first == IbSubnet::NONE ? 0 : m_routes.GetLane(first, to);
}

std::string
IbFabricHelper::ExplainImbalance() const
{
    std::string why;
    for (const auto& sw : m_switches)
    {
        why += sw->ExplainImbalance();
    }
    for (const auto& hca : m_hcas)
    {
        why += hca->ExplainImbalance();
    }
    return why;
}

} // namespace ns3
