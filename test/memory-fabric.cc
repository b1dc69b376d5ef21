/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-fabric.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/fabric-port.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

MemoryFabric::MemoryFabric()
{
    UsePicoseconds();
    device.Set("MemoryLatency", TimeValue(Time(0)));
    device.Set("IssueLatency", TimeValue(Time(0)));
    device.Set("CopyEngineLatency", TimeValue(Time(0)));
    device.Set("MemoryRate", DataRateValue(DataRate(0)));
}

MemoryFabric::~MemoryFabric()
{
    for (const auto& station : stations)
    {
        station->Dispose();
    }
}

void
MemoryFabric::Make(uint32_t howMany, uint32_t switches)
{
    for (uint32_t i = 0; i < howMany + switches; ++i)
    {
        Ptr<CreditSwitch> station;
        if (i < howMany)
        {
            devices.push_back(device.Create<MemoryDevice>());
            devices.back()->SetEndpoint(i);
            station = devices.back();
        }
        else
        {
            station = CreateObject<CreditSwitch>();
            station->SetAttribute("MaxPayload", UintegerValue(maxPayload));
        }
        station->SetName((i < howMany ? "gpu" : "switch") + std::to_string(i));
        station->SetAttribute("EagerArrivals", BooleanValue(eager));
        stations.push_back(station);
    }
}

uint32_t
MemoryFabric::Link(uint32_t a, uint32_t b, const std::string& profile, uint32_t count)
{
    const LinkProfile& row = LinkProfile::Get(profile);
    const Bundle bundle{a, b, stations[a]->AddPort(), stations[b]->AddPort()};
    FabricPort& portA = stations[a]->GetPort(bundle.portA);
    FabricPort& portB = stations[b]->GetPort(bundle.portB);
    const auto id = static_cast<uint32_t>(links.size());
    FabricStation::Wire(portA,
                        portB,
                        FabricRate(row.rateBps * count),
                        row.latencyPs,
                        errorRate,
                        0,
                        id);
    for (FabricPort* port : {&portA, &portB})
    {
        port->link = &row;
        port->cutThrough = cutThrough;
        const auto flow = credits.Create<CreditFlowControl>();
        flow->SetBuffer(buffer == 0 ? row.creditBytes * count : buffer);
        port->station->SetPortPolicies(port->id, flow, scheduler.Create<PortScheduler>());
    }
    links.push_back(bundle);
    return id;
}

void
MemoryFabric::Star(uint32_t howMany, uint32_t switches, const std::string& profile)
{
    Make(howMany, switches);
    for (uint32_t s = 0; s < switches; ++s)
    {
        for (uint32_t d = 0; d < howMany; ++d)
        {
            Link(d, howMany + s, profile);
        }
    }
    Start();
}

void
MemoryFabric::Route(uint32_t destination)
{
    constexpr uint32_t FAR = 0xffffffff;
    std::vector<uint32_t> distance(stations.size(), FAR);
    distance[destination] = 0;
    for (uint32_t round = 0; round < stations.size(); ++round)
    {
        for (const Bundle& l : links)
        {
            for (const auto& [near, far] : {std::pair(l.a, l.b), std::pair(l.b, l.a)})
            {
                if (distance[near] == round)
                {
                    distance[far] = std::min(distance[far], round + 1);
                }
            }
        }
    }
    for (uint32_t s = 0; s < stations.size(); ++s)
    {
        std::vector<uint16_t> ports;
        for (const Bundle& l : links)
        {
            if (l.a == s && distance[s] != FAR && distance[l.b] + 1 == distance[s])
            {
                ports.push_back(l.portA);
            }
            if (l.b == s && distance[s] != FAR && distance[l.a] + 1 == distance[s])
            {
                ports.push_back(l.portB);
            }
        }
        std::sort(ports.begin(), ports.end());
        stations[s]->GetForwardingTable().Set(destination, ports);
    }
}

void
MemoryFabric::Start()
{
    for (const auto& station : stations)
    {
        station->GetForwardingTable().Reset(static_cast<uint32_t>(devices.size()) + groups);
    }
    for (uint32_t i = 0; i < devices.size() * groups; ++i)
    {
        const Ptr<MemoryDevice> from = devices[i / groups];
        std::vector<uint16_t> ports(from->GetNPorts());
        std::iota(ports.begin(), ports.end(), uint16_t{0});
        from->GetForwardingTable().Set(static_cast<uint32_t>(devices.size()) + i % groups, ports);
    }
    for (uint32_t i = 0; i < devices.size(); ++i)
    {
        Route(i);
    }
    for (const auto& station : stations)
    {
        station->Start();
    }
}

double
MemoryFabric::Run()
{
    Simulator::Run();
    FabricPs first = FABRIC_NEVER;
    FabricPs last = 0;
    double bits = 0;
    for (const MemoryCompletion& c : completions)
    {
        first = std::min(first, c.posted);
        last = std::max(last, c.done);
        bits += 8.0 * static_cast<double>(c.delivered);
    }
    return last > first ? bits * 1e12 / static_cast<double>(last - first) : 0;
}

std::string
MemoryFabric::ExplainImbalance() const
{
    for (const auto& station : stations)
    {
        station->Sync();
    }
    for (const auto& station : stations)
    {
        const std::string wrong = station->ExplainImbalance();
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    return "";
}

std::string
MemoryFabric::ExplainBooks() const
{
    for (const auto& each : devices)
    {
        const MemoryRequesterStats& s = each->GetStats();
        if (s.bytesPosted != s.bytesDelivered + s.bytesFailed || s.posted != s.completed ||
            each->GetInUse() != 0)
        {
            return each->GetName() + ": bytes posted " + std::to_string(s.bytesPosted) +
                   ", delivered " + std::to_string(s.bytesDelivered) + ", failed " +
                   std::to_string(s.bytesFailed) + "; operations posted " +
                   std::to_string(s.posted) + ", completed " + std::to_string(s.completed) +
                   ", under way " + std::to_string(each->GetInUse());
        }
    }
    return ExplainImbalance();
}

void
MemoryFabric::UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

MemoryCallback
MemoryFabric::File()
{
    return [this](const MemoryCompletion& c) { completions.push_back(c); };
}

MemoryRequest
MemoryFabric::Ask(MemoryOp op, uint32_t owner, uint64_t bytes, uint64_t address)
{
    MemoryRequest request;
    request.op = op;
    request.owner = owner;
    request.bytes = bytes;
    request.address = address;
    return request;
}

} // namespace ns3
