/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-server-helper.h"

#include "attribute-defaults.h"
#include "fabric-topology.h"
#include "gpu-timing.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

using Kind = ServerTopology::Kind;

namespace
{
/** @return pairs of names for a message, at most ten */
std::string
PairsText(const ServerTopology& topology, const std::vector<ServerRouting::Pair>& pairs)
{
    constexpr size_t most = 10;
    std::string text;
    for (size_t i = 0; i < std::min(pairs.size(), most); ++i)
    {
        text += (i == 0 ? "" : ", ") + topology.GetPart(pairs[i].first).name + "->" +
                topology.GetPart(pairs[i].second).name;
    }
    return text + (pairs.size() > most ? ", ..." : "");
}

const char* const DEVICE = "ns3::MemoryDevice";
const char* const NV_SWITCH = "ns3::NvSwitch";
const char* const PCIE_SWITCH = "ns3::CreditSwitch";

/** @return a copy of a value that fits an attribute; else refuses it */
Ptr<AttributeValue>
Fitting(const std::string& type, const std::string& name, const AttributeValue& value)
{
    const TypeId::AttributeInformation info = AttributeDefaults::Find(type, name);
    Ptr<AttributeValue> fitting = info.checker->CreateValidValue(value);
    if (!fitting)
    {
        throw FabricError("attribute '" + type + "::" + name + "': the value is no " +
                          info.checker->GetValueTypeName() + " or out of its range" +
                          (info.checker->HasUnderlyingTypeInformation()
                               ? ", " + info.checker->GetUnderlyingTypeInformation()
                               : ""));
    }
    return fitting;
}
} // namespace

GpuServerHelper::GpuServerHelper()
    : m_nvSwitch(NV_SWITCH),
      m_pcieSwitch(PCIE_SWITCH)
{
}

void
GpuServerHelper::SetDeviceAttribute(Kind kind, const std::string& name, const AttributeValue& value)
{
    if (kind == Kind::NVSWITCH || kind == Kind::PCIE_SWITCH)
    {
        throw FabricError("attribute '" + name + "': switches are no MemoryDevice; they have "
                          "SetNvSwitchAttribute() and SetPcieSwitchAttribute()");
    }
    m_settings[kind].emplace_back(name, Fitting(DEVICE, name, value));
}

void
GpuServerHelper::SetNvSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_nvSwitch.Set(name, *Fitting(NV_SWITCH, name, value));
}

void
GpuServerHelper::SetPcieSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_pcieSwitch.Set(name, *Fitting(PCIE_SWITCH, name, value));
}

void
GpuServerHelper::SetRelay(bool relay)
{
    m_relay = relay;
}

void
GpuServerHelper::SetLinkRate(uint32_t link, uint64_t rateBps)
{
    if (rateBps == 0 || rateBps > FabricTopology::MAX_RATE)
    {
        throw FabricError("the rate of link " + std::to_string(link) +
                          " must be 1 bit/s to 100 Tb/s");
    }
    RequireUnbuilt("SetLinkRate()");
    m_rateOf[link] = rateBps;
}

void
GpuServerHelper::SetRequireAllPairs(bool require)
{
    m_requireAllPairs = require;
}

void
GpuServerHelper::Build(const ServerTopology& topology)
{
    NodeContainer nodes;
    nodes.Create(topology.GetNServers());
    Install(topology, nodes);
}

void
GpuServerHelper::Install(const ServerTopology& topology, const NodeContainer& nodes)
{
    if (Time::GetResolution() != Time::PS)
    {
        throw FabricError("the fabric engine counts picoseconds: call "
                          "Time::SetResolution(Time::PS) before anything else");
    }
    RequireUnbuilt("Install()");
    if (nodes.GetN() != topology.GetNServers())
    {
        throw FabricError(std::to_string(topology.GetNServers()) +
                          " servers need as many nodes, not " + std::to_string(nodes.GetN()));
    }
    topology.RequireComplete();
    m_topology = topology;
    m_nodes = nodes;
    m_linkUp.assign(topology.GetLinks().size(), true);
    m_routing = std::make_unique<ServerRouting>(m_topology, m_relay);
    RequireSettings();
    RequireWays();
    CreateStations();
    for (const auto& link : m_topology.GetLinks())
    {
        WireLink(link);
    }
    SetRoutes();
    SetGroups();
    for (const auto& station : m_stations)
    {
        station->Start();
    }
}

uint32_t
GpuServerHelper::AddGroup(const std::vector<uint32_t>& ranks)
{
    RequireUnbuilt("AddGroup()");
    m_groups.push_back(ranks);
    return static_cast<uint32_t>(m_groups.size() - 1);
}

uint32_t
GpuServerHelper::GetGroup(uint32_t group) const
{
    if (group >= m_groups.size())
    {
        throw FabricError("group " + std::to_string(group) + " does not exist: there are " +
                          std::to_string(m_groups.size()));
    }
    return static_cast<uint32_t>(m_routing->GetEndpoints().size()) + group;
}

uint64_t
GpuServerHelper::GetGroupBase(uint32_t group) const
{
    return GROUP_BASE + (GetGroup(group) - GetGroup(0)) * MEMORY_STRIDE;
}

std::vector<uint32_t>
GpuServerHelper::GetSharedSwitches(const std::vector<uint32_t>& ranks) const
{
    std::vector<uint32_t> shared;
    for (uint32_t nvSwitch : m_topology.GetParts(Kind::NVSWITCH))
    {
        const bool all = std::all_of(ranks.begin(), ranks.end(), [&](uint32_t rank) {
            return m_topology.GetGpuLinks(m_topology.GetRanks().at(rank), nvSwitch) > 0;
        });
        if (all)
        {
            shared.push_back(nvSwitch);
        }
    }
    return shared;
}

void
GpuServerHelper::SetGroups()
{
    for (uint32_t link = 0; link < m_topology.GetLinks().size(); ++link)
    {
        for (uint32_t end : {0, 1})
        {
            FabricPort& port = GetPortOfLink(link, end);
            auto* nvSwitch = dynamic_cast<NvSwitch*>(port.station);
            auto* device = dynamic_cast<MemoryDevice*>(port.peer->station);
            if (nvSwitch != nullptr && device != nullptr)
            {
                nvSwitch->SetEndpoint(port.id, device->GetEndpoint());
            }
        }
    }
    for (uint32_t group = 0; group < m_groups.size(); ++group)
    {
        std::vector<uint32_t> members;
        uint64_t bytes = MEMORY_STRIDE;
        for (uint32_t rank : m_groups[group])
        {
            members.push_back(GetGpu(rank)->GetEndpoint());
            bytes = std::min(bytes, m_topology.GetPart(m_topology.GetRanks()[rank]).memoryBytes);
        }
        const auto switches = GetSharedSwitches(m_groups[group]);
        if (switches.empty())
        {
            throw FabricError("group " + std::to_string(group) + " of " +
                              std::to_string(members.size()) +
                              " GPUs: no NVSwitch has links to all of them");
        }
        m_map->AddReplicated(GetGroupBase(group), bytes, members, MEMORY_ALL_RIGHTS);
        for (uint32_t nvSwitch : switches)
        {
            DynamicCast<NvSwitch>(m_stations[nvSwitch])->AddGroup(GetGroup(group), members);
        }
    }
}

void
GpuServerHelper::RequireUnbuilt(const std::string& call) const
{
    if (!m_stations.empty())
    {
        throw FabricError("GpuServerHelper::" + call + ": the server has been built already");
    }
}

void
GpuServerHelper::RequireSettings() const
{
    const size_t links = m_topology.GetLinks().size();
    if (!m_rateOf.empty() && m_rateOf.rbegin()->first >= links)
    {
        throw FabricError("SetLinkRate(): link " + std::to_string(m_rateOf.rbegin()->first) +
                          " does not exist: there are " + std::to_string(links));
    }
    for (size_t group = 0; group < m_groups.size(); ++group)
    {
        for (uint32_t rank : m_groups[group])
        {
            if (rank >= m_topology.GetRanks().size())
            {
                throw FabricError("group " + std::to_string(group) + ": rank " +
                                  std::to_string(rank) + " does not exist: there are " +
                                  std::to_string(m_topology.GetRanks().size()) + " GPUs");
            }
        }
    }
}

void
GpuServerHelper::RequireWays() const
{
    const auto missing = m_routing->GetUnreachableGpus();
    if (m_requireAllPairs && !missing.empty())
    {
        throw FabricError(std::to_string(missing.size()) +
                          " pairs of GPUs have no way to each other (" +
                          PairsText(m_topology, missing) + "): " +
                          (m_relay ? "relaying over GPUs does not help"
                                   : "add links, or switch relaying over GPUs on"));
    }
}

Ptr<CreditSwitch>
GpuServerHelper::CreateStation(const ServerTopology::Part& part)
{
    if (part.kind == Kind::NVSWITCH)
    {
        return m_nvSwitch.Create<NvSwitch>();
    }
    if (part.kind == Kind::PCIE_SWITCH)
    {
        return m_pcieSwitch.Create<CreditSwitch>();
    }
    auto device = CreateObject<MemoryDevice>();
    device->SetEndpoint(m_routing->GetEndpointOf(part.id));
    device->SetMap(m_map);
    SetMemory(part, *device);
    return device;
}

void
GpuServerHelper::SetMemory(const ServerTopology::Part& part, MemoryDevice& device)
{
    device.SetAttribute("MemoryBytes", UintegerValue(std::max<uint64_t>(1, part.memoryBytes)));
    device.SetAttribute("Relay",
                        BooleanValue(part.kind == Kind::CPU || part.kind == Kind::DIE ||
                                     (part.kind == Kind::GPU && m_relay)));
    const auto say = [&device](const char* name, const AttributeValue& value) {
        if (!AttributeDefaults::IsChanged(DEVICE, name)) // what a user asked for outranks this
        {
            device.SetAttribute(name, value);
        }
    };
    say("MemoryRate", DataRateValue(DataRate(part.memoryRateBps)));
    if (part.kind == Kind::GPU)
    {
        const GpuTiming& timing = GpuTiming::Get(part.model);
        say("IssueLatency", TimeValue(FabricTime::To(timing.issuePs)));
        say("MemoryLatency", TimeValue(FabricTime::To(timing.memoryPs)));
        say("CopyEngineRate", DataRateValue(DataRate(timing.copyEngineBps)));
    }
    for (const auto& [name, value] : m_settings[part.kind])
    {
        device.SetAttribute(name, *value);
    }
    if (part.memoryBytes > 0)
    {
        m_map->Add(GetBase(part.id),
                   part.memoryBytes,
                   m_routing->GetEndpointOf(part.id),
                   MEMORY_ALL_RIGHTS);
    }
}

void
GpuServerHelper::CreateStations()
{
    m_map = CreateObject<MemoryMap>();
    m_portOf.resize(2 * m_topology.GetLinks().size());
    for (const auto& part : m_topology.GetParts())
    {
        auto station = CreateStation(part);
        station->SetName(part.name);
        for (uint32_t link : m_topology.GetLinks(part.id))
        {
            const uint32_t end = m_topology.GetLinks()[link].a == part.id ? 0 : 1;
            m_portOf[2 * link + end] = station->AddPort();
        }
        m_stations.push_back(station);
    }
}

void
GpuServerHelper::WireLink(const ServerTopology::Link& link)
{
    const LinkProfile& profile = LinkProfile::Get(link.profile);
    const auto given = m_rateOf.find(link.id);
    const uint64_t rate = given == m_rateOf.end() ? profile.rateBps * link.count : given->second;
    const FabricPs latency = link.latencyPs < 0 ? profile.latencyPs : link.latencyPs;
    auto channel = CreateObject<FabricChannel>();
    channel->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
    channel->SetAttribute("Delay", TimeValue(FabricTime::To(latency)));
    channel->SetAttribute("ErrorRate", DoubleValue(link.errorRate));
    FabricPort& a = GetPortOfLink(link.id, 0);
    FabricPort& b = GetPortOfLink(link.id, 1);
    FabricStation::Wire(a, b, FabricRate(rate), latency, link.errorRate, 0, link.id);
    for (const auto& [port, part] : {std::tuple(&a, link.a), std::tuple(&b, link.b)})
    {
        port->link = &profile;
        // switches pass a frame's packets on as they come
        const Kind kind = m_topology.GetPart(part).kind;
        port->cutThrough = kind == Kind::NVSWITCH || kind == Kind::PCIE_SWITCH;
        auto credits = CreateObject<CreditFlowControl>();
        credits->SetBuffer(profile.creditBytes * link.count);
        m_stations[part]->SetPortPolicies(port->id, credits, CreateObject<StrictDwrrScheduler>());
        auto device = CreateObject<FabricNetDevice>();
        device->SetPort(m_stations[part], port->id, channel);
        m_devices.push_back(device);
        m_nodes.Get(m_topology.GetPart(part).server)->AddDevice(device);
    }
}

void
GpuServerHelper::SetRoutes()
{
    const auto endpoints = static_cast<uint32_t>(m_routing->GetEndpoints().size());
    for (const auto& part : m_topology.GetParts())
    {
        ForwardingTable& table = m_stations[part.id]->GetForwardingTable();
        table.Reset(endpoints + static_cast<uint32_t>(m_groups.size()));
        for (uint32_t endpoint = 0; endpoint < endpoints; ++endpoint)
        {
            table.Set(endpoint, m_routing->GetPorts(part.id, endpoint));
        }
        for (uint32_t group = 0; part.kind == Kind::GPU && group < m_groups.size(); ++group)
        {
            table.Set(GetGroup(group), PortsTo(part.id, GetSharedSwitches(m_groups[group])));
        }
    }
}

std::vector<uint16_t>
GpuServerHelper::PortsTo(uint32_t part, const std::vector<uint32_t>& peers) const
{
    std::vector<uint16_t> ports;
    const auto& links = m_topology.GetLinks(part);
    for (size_t i = 0; i < links.size(); ++i)
    {
        const uint32_t peer = m_topology.GetPeer(links[i], part);
        if (m_linkUp[links[i]] && std::find(peers.begin(), peers.end(), peer) != peers.end())
        {
            ports.push_back(static_cast<uint16_t>(i));
        }
    }
    return ports;
}

const ServerTopology&
GpuServerHelper::GetTopology() const
{
    return m_topology;
}

NodeContainer
GpuServerHelper::GetNodes() const
{
    return m_nodes;
}

const ServerRouting&
GpuServerHelper::GetRouting() const
{
    return *m_routing;
}

Ptr<CreditSwitch>
GpuServerHelper::GetStation(uint32_t part) const
{
    if (part >= m_stations.size())
    {
        throw FabricError("part " + std::to_string(part) + " does not exist: there are " +
                          std::to_string(m_stations.size()));
    }
    return m_stations[part];
}

Ptr<MemoryDevice>
GpuServerHelper::GetDevice(uint32_t part) const
{
    auto device = DynamicCast<MemoryDevice>(GetStation(part));
    if (!device)
    {
        throw FabricError(m_topology.GetPart(part).name + " is a switch: it has no memory");
    }
    return device;
}

Ptr<MemoryDevice>
GpuServerHelper::GetGpu(uint32_t rank) const
{
    const auto& ranks = m_topology.GetRanks();
    if (rank >= ranks.size())
    {
        throw FabricError("rank " + std::to_string(rank) + " does not exist: there are " +
                          std::to_string(ranks.size()) + " GPUs");
    }
    return GetDevice(ranks[rank]);
}

uint32_t
GpuServerHelper::GetNGpus() const
{
    return static_cast<uint32_t>(m_topology.GetRanks().size());
}

Ptr<MemoryMap>
GpuServerHelper::GetMap() const
{
    return m_map;
}

uint64_t
GpuServerHelper::GetBase(uint32_t part) const
{
    if (m_topology.GetPart(part).memoryBytes == 0)
    {
        throw FabricError(m_topology.GetPart(part).name + " has no memory");
    }
    return (m_routing->GetEndpointOf(part) + 1) * MEMORY_STRIDE;
}

FabricPort&
GpuServerHelper::GetPortOfLink(uint32_t link, uint32_t end) const
{
    if (link >= m_topology.GetLinks().size() || end > 1)
    {
        throw FabricError("link " + std::to_string(link) + " end " + std::to_string(end) +
                          " does not exist: there are " +
                          std::to_string(m_topology.GetLinks().size()) + " links, ends 0 and 1");
    }
    const auto& ends = m_topology.GetLinks()[link];
    return m_stations[end == 0 ? ends.a : ends.b]->GetPort(m_portOf[2 * link + end]);
}

void
GpuServerHelper::SetLinkUp(uint32_t link, bool up)
{
    const FabricPort& port = GetPortOfLink(link, 0);
    m_linkUp[link] = up;
    m_routing = std::make_unique<ServerRouting>(m_topology, m_relay, m_linkUp);
    SetRoutes();
    port.station->SetLinkUp(port.id, up);
    for (uint32_t end : {0, 1})
    {
        m_devices[2 * link + end]->NotifyLinkChange();
    }
}

void
GpuServerHelper::ScheduleLink(const Time& at, uint32_t link, bool up)
{
    GetPortOfLink(link, 0);
    Simulator::Schedule(at - Simulator::Now(), &GpuServerHelper::SetLinkUp, this, link, up);
}

std::string
GpuServerHelper::ExplainImbalance() const
{
    for (const auto& station : m_stations)
    {
        const std::string wrong = station->ExplainImbalance();
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    return "";
}

void
GpuServerHelper::SyncAll() const
{
    for (const auto& station : m_stations)
    {
        station->Sync();
    }
}

} // namespace ns3
