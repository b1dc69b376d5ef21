/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/fabric-routing-helper.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RawHost);

TypeId
RawHost::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RawHost")
                            .SetParent<FabricStation>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RawHost>();
    return tid;
}

RawHost::RawHost()
{
    AddPort();
}

void
RawHost::Send(const Burst& burst)
{
    m_bursts[burst.vl].push_back(burst);
    Arm(m_ports[0], std::max(burst.start, FabricTime::Now()));
}

uint64_t
RawHost::GetBacklog() const
{
    uint64_t left = 0;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        for (size_t i = m_next[vl]; i < m_bursts[vl].size(); ++i)
        {
            left += m_bursts[vl][i].count;
        }
    }
    return left;
}

uint64_t
RawHost::GetSent() const
{
    uint64_t sent = 0;
    for (const auto& c : m_ports[0].stats.of)
    {
        sent += c.txPackets;
    }
    return sent;
}

void
RawHost::DoPost(FabricPort& in, FabricPacket* p)
{
    // who is told must be told in time; otherwise Sync() will do
    if (onReceive)
    {
        Arm(in, p->arrival);
    }
}

void
RawHost::DoUnpost(FabricPort&, FabricPacket*)
{
}

void
RawHost::DoAdmit(FabricPort&, FabricPacket* p)
{
    rxBytes += p->bytes;
    lastArrival = p->arrival;
    ++Trajectory().delivered;
    if (onReceive)
    {
        onReceive(*p);
    }
    FabricPacketPool::Get().Free(p);
}

FabricPacket*
RawHost::DoSelect(FabricPort& port, FabricPs now)
{
    uint8_t ready = 0;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (m_next[vl] < m_bursts[vl].size() && m_bursts[vl][m_next[vl]].start <= now)
        {
            ready |= 1U << vl;
        }
    }
    ready &= ~port.flow->GetBlocked();
    if (ready == 0)
    {
        return nullptr;
    }
    const uint8_t vl = port.scheduler->Select(ready);
    Burst& burst = m_bursts[vl][m_next[vl]];
    FabricPacket* p = FabricPacketPool::Get().Allocate();
    p->src = endpoint;
    p->dst = burst.dst;
    p->flowHash = burst.hash;
    p->bytes = burst.bytes;
    p->vl = vl;
    p->flags = FABRIC_ECT;
    p->psn = m_psn++;
    p->txStamp = now;
    if (--burst.count == 0)
    {
        ++m_next[vl];
    }
    return p;
}

FabricPs
RawHost::DoNextWake(FabricPort& port, FabricPs now)
{
    FabricPs next = FABRIC_NEVER;
    const uint8_t blocked = port.flow->GetBlocked();
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (m_next[vl] < m_bursts[vl].size())
        {
            FabricPs at = std::max(port.busyUntil, m_bursts[vl][m_next[vl]].start);
            if ((blocked >> vl) & 1)
            {
                at = std::max(at, port.flow->NextUnblock(1U << vl));
            }
            next = std::min(next, at);
        }
    }
    if (!port.control.IsEmpty())
    {
        next = std::min(next, std::max(now, port.control.Front()->arrival));
    }
    if (onReceive && !port.inbox.IsEmpty())
    {
        next = std::min(next, port.inbox.Front()->arrival);
    }
    return next;
}

TxLog::TxLog(Ptr<FabricStation> station)
{
    station->TraceConnectWithoutContext("Tx", MakeCallback(&TxLog::OnTx, this));
}

void
TxLog::OnTx(const FabricPacket& p, uint16_t port, FabricPs at)
{
    frames.push_back(
        {at, p.bytes, port, p.vl, p.kind == FabricPacketKind::PAUSE, p.src, p.psn, p.flags});
}

FabricPs
TxLog::FirstAfter(uint8_t vl, FabricPs from) const
{
    for (const auto& frame : frames)
    {
        if (!frame.control && frame.vl == vl && frame.start >= from)
        {
            return frame.start;
        }
    }
    return FABRIC_NEVER;
}

RawFabric::~RawFabric()
{
    Clear();
}

void
RawFabric::Build(const FabricTopology& topology)
{
    const auto create = [&](Ptr<FabricStation> station) {
        station->SetAttribute("EagerArrivals", BooleanValue(eager));
    };
    std::vector<std::pair<Ptr<FabricStation>, uint16_t>> ends(2UL * topology.GetNLinks());
    std::vector<ForwardingTable*> tables(topology.GetNNodes(), nullptr);
    for (const auto& node : topology.GetNodes())
    {
        Ptr<FabricStation> station;
        if (node.role == FabricTopology::Role::HOST)
        {
            auto host = CreateObject<RawHost>();
            host->endpoint = static_cast<uint32_t>(hosts.size());
            hosts.push_back(host);
            station = host;
        }
        else
        {
            auto sw = CreateObject<FabricSwitch>();
            switches.push_back(sw);
            tables[node.id] = &sw->GetForwardingTable();
            station = sw;
        }
        station->SetName(node.name);
        create(station);
        uint16_t port = 0;
        for (uint32_t link : topology.GetLinks(node.id))
        {
            const uint32_t end = topology.GetLinks()[link].a == node.id ? 0 : 1;
            ends[2UL * link + end] = {station,
                                      node.role == FabricTopology::Role::HOST ? port++
                                                                              : station->AddPort()};
        }
    }
    for (const auto& link : topology.GetLinks())
    {
        auto& a = ends[2UL * link.id];
        auto& b = ends[2UL * link.id + 1];
        FabricStation::Wire(a.first->GetPort(a.second),
                            b.first->GetPort(b.second),
                            FabricRate(link.rateBps),
                            link.delayPs,
                            link.errorRate,
                            gapBytes,
                            link.id);
        for (auto& end : {a, b})
        {
            end.first->SetPortPolicies(end.second,
                                       flow.Create<FlowControl>(),
                                       scheduler.Create<PortScheduler>());
        }
    }
    for (auto& sw : switches)
    {
        sw->SetBuffer(buffer.Create<SwitchBuffer>());
        for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
        {
            sw->SetMarker(i, marker.Create<EcnMarker>());
        }
        sw->Start();
    }
    const FabricRoutingHelper routing(topology);
    const std::vector<bool> linkUp(topology.GetNLinks(), true);
    routing.Compute(linkUp, tables);
    const auto flood = routing.GetFloodPorts(linkUp);
    for (size_t node = 0, sw = 0; node < flood.size(); ++node)
    {
        if (tables[node] != nullptr)
        {
            switches[sw++]->SetFloodPorts(flood[node]);
        }
    }
}

uint64_t
RawFabric::GetDrops() const
{
    return Sum(&FabricClassStats::drops);
}

uint64_t
RawFabric::Sum(uint64_t FabricClassStats::*member) const
{
    uint64_t sum = 0;
    const auto add = [&](FabricStation& station) {
        station.Sync();
        for (uint16_t i = 0; i < station.GetNPorts(); ++i)
        {
            for (const auto& c : station.GetPort(i).stats.of)
            {
                sum += c.*member;
            }
        }
    };
    for (const auto& sw : switches)
    {
        add(*sw);
    }
    for (const auto& host : hosts)
    {
        add(*host);
    }
    return sum;
}

void
RawFabric::Run()
{
    Simulator::Run();
    FabricPs last = FabricTime::Now();
    for (const auto& host : hosts)
    {
        const auto& inbox = host->GetPort(0).inbox;
        for (const FabricPacket* p = inbox.Front(); p != nullptr; p = p->next)
        {
            last = std::max(last, p->arrival);
        }
    }
    Simulator::Schedule(PicoSeconds(last - FabricTime::Now()), [] {});
    Simulator::Run();
    Sum(&FabricClassStats::drops); // brings every station up to date
}

std::string
RawFabric::ExplainImbalance() const
{
    const uint64_t dropped = GetDrops(); // brings every station up to date
    std::ostringstream out;
    uint64_t sent = 0;
    uint64_t held = 0;
    for (const auto& host : hosts)
    {
        sent += host->GetSent();
        held += host->GetHeldPackets();
    }
    for (const auto& sw : switches)
    {
        held += sw->GetHeldPackets();
        uint64_t queued = 0;
        for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
        {
            for (uint64_t bytes : sw->GetPort(i).queueBytes)
            {
                queued += bytes;
            }
        }
        if (queued != sw->GetBuffer()->GetHeld())
        {
            out << sw->GetName() << " queues " << queued << " B, its ledger says "
                << sw->GetBuffer()->GetHeld() << " B; ";
        }
    }
    const uint64_t delivered = FabricStation::Trajectory().delivered;
    if (sent != delivered + dropped + held)
    {
        out << "sent " << sent << " != delivered " << delivered << " + dropped " << dropped
            << " + held " << held;
    }
    return out.str();
}

void
RawFabric::Pause(FabricPort& port, uint8_t classes, uint16_t quanta, FabricPs at)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* frame = pool.Allocate();
    frame->kind = FabricPacketKind::PAUSE;
    frame->bytes = 64;
    FabricPacketSide& side = pool.Side(frame);
    side.enable = classes;
    std::fill(side.quanta, side.quanta + FABRIC_CLASSES, quanta);
    port.station->PostControl(port, frame, at);
}

FabricTopology
RawFabric::Star(uint32_t hosts, uint64_t rateBps, int64_t delayPs)
{
    FabricTopology t;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddHost();
    }
    const uint32_t sw = t.AddSwitch();
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink(i, sw, rateBps, delayPs);
    }
    return t;
}

FabricTopology
RawFabric::Line(uint32_t links, uint64_t rateBps, int64_t delayPs)
{
    FabricTopology t;
    uint32_t last = t.AddHost();
    const uint32_t far = t.AddHost();
    for (uint32_t i = 1; i < links; ++i)
    {
        const uint32_t next = t.AddSwitch();
        t.AddLink(last, next, rateBps, delayPs);
        last = next;
    }
    t.AddLink(last, far, rateBps, delayPs);
    return t;
}

void
RawFabric::UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

void
RawFabric::Clear()
{
    for (auto& host : hosts)
    {
        host->Dispose();
    }
    for (auto& sw : switches)
    {
        sw->Dispose();
    }
    hosts.clear();
    switches.clear();
}

} // namespace ns3
