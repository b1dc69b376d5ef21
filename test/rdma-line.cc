/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-line.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/frame-profile.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

TypeId
RelayStation::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RelayStation")
                            .SetParent<FabricStation>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RelayStation>();
    return tid;
}

RelayStation::RelayStation()
{
    AddPort();
    AddPort();
}

void
RelayStation::DoPost(FabricPort& in, FabricPacket* p)
{
    FabricPort& out = GetPort(1 - in.id);
    p->outPort = out.id;
    out.pending.Insert(p->arrival, p->vl);
    Arm(out, std::max(p->arrival, out.busyUntil));
}

void
RelayStation::DoUnpost(FabricPort&, FabricPacket*)
{
}

void
RelayStation::DoAdmit(FabricPort& in, FabricPacket* p)
{
    if (script && script(*p))
    {
        Drop(p, in, p->arrival, FabricDropReason::WATCHDOG);
        return;
    }
    GetPort(p->outPort).Enqueue(p);
}

FabricPacket*
RelayStation::DoSelect(FabricPort& port, FabricPs)
{
    const uint8_t ready = port.queued & ~port.flow->GetBlocked();
    return ready == 0 ? nullptr : port.Dequeue(port.scheduler->Select(ready));
}

FabricPs
RelayStation::DoNextWake(FabricPort& port, FabricPs now)
{
    return NextWakeOfQueues(port, now);
}

void
RdmaLine::UsePicoseconds()
{
    static bool done = false;
    if (!done && Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    done = true;
}

RdmaLine::RdmaLine(const Options& options)
{
    a = CreateObject<RdmaNic>();
    b = CreateObject<RdmaNic>();
    a->SetEndpoint(0);
    b->SetEndpoint(1);
    std::vector<Ptr<FabricStation>> stations{a, b};
    for (const auto& nic : {a, b})
    {
        nic->SetAttribute("FrameProfile", StringValue(options.profile));
        nic->SetAttribute("Mtu", UintegerValue(options.mtu));
        if (options.congestion)
        {
            nic->SetAttribute("CongestionOps", PointerValue(options.congestion));
        }
    }
    const FabricRate rate(options.rateBps);
    const uint32_t gap = FrameProfile::Get(options.profile).WireGap();
    if (options.relay)
    {
        relay = CreateObject<RelayStation>();
        stations.emplace_back(relay);
        FabricStation::Wire(a->GetPort(0),
                            relay->GetPort(0),
                            rate,
                            options.delay,
                            options.errorRate,
                            gap,
                            0);
        FabricStation::Wire(relay->GetPort(1),
                            b->GetPort(0),
                            rate,
                            options.delay,
                            options.errorRate,
                            gap,
                            1);
    }
    else
    {
        FabricStation::Wire(a->GetPort(0),
                            b->GetPort(0),
                            rate,
                            options.delay,
                            options.errorRate,
                            gap,
                            0);
    }
    for (const auto& station : stations)
    {
        for (uint16_t i = 0; i < station->GetNPorts(); ++i)
        {
            station->SetPortPolicies(i,
                                     CreateObject<NoFlowControl>(),
                                     CreateObject<StrictDwrrScheduler>());
        }
    }
    cqA = a->CreateCompletionQueue(1U << 20);
    cqB = b->CreateCompletionQueue(1U << 20);
    cqA->SetCallback(Callback<void, VerbsCompletionQueue&>(
        [this](VerbsCompletionQueue& cq) { Collect(this, &doneA, cq); }));
    cqB->SetCallback(Callback<void, VerbsCompletionQueue&>(
        [this](VerbsCompletionQueue& cq) { Collect(this, &doneB, cq); }));
}

RdmaLine::~RdmaLine()
{
    for (const Ptr<FabricStation>& station : {Ptr<FabricStation>(a), Ptr<FabricStation>(b)})
    {
        station->Dispose();
    }
    if (relay)
    {
        relay->Dispose();
    }
    Simulator::Destroy();
}

void
RdmaLine::Collect(RdmaLine* line, std::vector<WorkCompletion>* into, VerbsCompletionQueue& cq)
{
    WorkCompletion wc;
    while (cq.Poll(&wc, 1) > 0)
    {
        into->push_back(wc);
        line->late += wc.at != FabricTime::Now() ? 1 : 0;
    }
}

std::pair<Ptr<VerbsQueuePair>, Ptr<VerbsQueuePair>>
RdmaLine::Pair(VerbsQpType type,
               const VerbsQpAttributes& attributes,
               const std::function<void(VerbsQpInit&, int)>& change)
{
    Ptr<VerbsQueuePair> pair[2];
    for (int side = 0; side < 2; ++side)
    {
        const Ptr<RdmaNic> nic = side == 0 ? a : b;
        VerbsQpInit init;
        init.type = type;
        init.pd = nic->GetDefaultDomain();
        init.sendCq = init.recvCq = side == 0 ? cqA : cqB;
        init.maxSend = 1U << 16;
        init.maxRecv = 1U << 16;
        if (change)
        {
            change(init, side);
        }
        pair[side] = nic->CreateQueuePair(init);
    }
    if (type != VerbsQpType::UD)
    {
        RdmaNic::Connect(pair[0], pair[1], attributes, attributes);
    }
    else
    {
        for (const auto& qp : pair)
        {
            qp->Modify(VerbsQpState::INIT, attributes);
            qp->Modify(VerbsQpState::RTR, attributes);
            qp->Modify(VerbsQpState::RTS, attributes);
        }
    }
    return {pair[0], pair[1]};
}

WorkRequest
RdmaLine::Request(uint64_t wrId, VerbsOpcode opcode, uint64_t bytes) const
{
    WorkRequest wr;
    wr.wrId = wrId;
    wr.opcode = opcode;
    wr.length = bytes;
    wr.rkey = b->GetDefaultRegion()->GetRkey();
    return wr;
}

WorkRequest
RdmaLine::Write(uint64_t wrId, uint64_t bytes) const
{
    return Request(wrId, VerbsOpcode::RDMA_WRITE, bytes);
}

void
RdmaLine::Record()
{
    a->TraceConnectWithoutContext(
        "Tx",
        Callback<void, const FabricPacket&, uint16_t, FabricPs>(
            [this](const FabricPacket& p, uint16_t, FabricPs at) { sentA.emplace_back(at, p); }));
    b->TraceConnectWithoutContext(
        "Tx",
        Callback<void, const FabricPacket&, uint16_t, FabricPs>(
            [this](const FabricPacket& p, uint16_t, FabricPs at) { sentB.emplace_back(at, p); }));
}

std::string
RdmaLine::Describe() const
{
    std::ostringstream out;
    for (const auto* list : {&doneA, &doneB})
    {
        for (const auto& wc : *list)
        {
            out << wc.wrId << ':' << VerbsStatusName(wc.status) << '@' << wc.at << ' ';
        }
        out << "| ";
    }
    const RdmaQpCounters sum[2] = {a->GetCounters(), b->GetCounters()};
    for (const auto& c : sum)
    {
        out << c.txPackets << ' ' << c.retransmits << ' ' << c.delivered << ' ' << c.acksTx << ' '
            << c.naksTx << ' ' << c.rnrTx << ' ' << c.timeouts << ' ' << c.cnpsTx << ' '
            << c.duplicates << ' ' << c.discarded << " / ";
    }
    return out.str();
}

std::string
LazyEqualsEager(const std::function<std::string()>& scenario)
{
    std::string outcome[2];
    FabricTrajectory trajectory[2];
    for (int eager = 0; eager < 2; ++eager)
    {
        Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(eager == 1));
        outcome[eager] = scenario();
        trajectory[eager] = FabricStation::Trajectory();
    }
    Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(false));
    std::ostringstream why;
    if (outcome[0] != outcome[1])
    {
        why << "outcome: " << outcome[0] << " but eagerly " << outcome[1] << "; ";
    }
    if (trajectory[0].digest != trajectory[1].digest || trajectory[0].hops != trajectory[1].hops)
    {
        why << "trajectory: " << trajectory[0].hops << " hops, digest " << trajectory[0].digest
            << " but eagerly " << trajectory[1].hops << ", " << trajectory[1].digest;
    }
    if (FabricPacketPool::Get().GetInUse() != 0)
    {
        why << "; " << FabricPacketPool::Get().GetInUse() << " packets leaked";
    }
    return why.str();
}

} // namespace ns3
