/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-station.h"

#include "fabric-chore.h"
#include "fabric-port.h"

#include "ns3/boolean.h"
#include "ns3/simulator-impl.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricStation);

namespace
{
// odd multipliers that spread time and place over all bits before the hash
constexpr uint64_t DIGEST_TIME = 0x9e3779b97f4a7c15ULL;
constexpr uint64_t DIGEST_PLACE = 0xd6e8feb86659fd93ULL;
} // namespace

FabricTrajectory FabricStation::s_trajectory;
FabricPs FabricStation::s_now = -1;
SimulatorImpl* FabricStation::s_engine = nullptr;

/** @brief Keeps the clock at hand while an engine event runs. */
struct FabricStation::ClockScope
{
    /**
     * @param now the clock, ps
     */
    explicit ClockScope(FabricPs now)
    {
        s_now = now;
    }

    ~ClockScope()
    {
        s_now = -1;
    }
};

TypeId
FabricStation::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricStation")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddAttribute("EagerArrivals",
                          "One more event per arrival: slower, for tracing at arrival time and as "
                          "the oracle that lazy draining changes nothing. Default: off.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricStation::m_eager),
                          MakeBooleanChecker())
            .AddAttribute("PipelineLatency",
                          "Processing time added to every arrival (time). Default: 0, as the "
                          "published simulations have it; real switches take 0.1 to 0.5 us.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricStation::m_pipeline),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Tx",
                            "A frame begins transmission.",
                            MakeTraceSourceAccessor(&FabricStation::m_txTrace),
                            "ns3::FabricStation::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A frame has arrived whole.",
                            MakeTraceSourceAccessor(&FabricStation::m_rxTrace),
                            "ns3::FabricStation::PacketTracedCallback")
            .AddTraceSource("Drop",
                            "A frame is dropped, with the reason.",
                            MakeTraceSourceAccessor(&FabricStation::m_dropTrace),
                            "ns3::FabricStation::DropTracedCallback");
    return tid;
}

uint32_t
FabricStation::NextStationId()
{
    // The counters stay readable after Simulator::Destroy, until the next run makes its stations.
    static bool stale = true;
    FabricTrajectory& t = Trajectory();
    if (stale)
    {
        t = FabricTrajectory{};
        stale = false;
        s_engine = PeekPointer(Simulator::GetImplementation());
        Simulator::ScheduleDestroy(+[]() {
            stale = true;
            s_engine = nullptr;
        });
    }
    return static_cast<uint32_t>(t.stations++);
}

FabricStation::FabricStation()
    : m_id(NextStationId()),
      m_drain(new FabricChore(this, false)),
      m_instantEnd(new FabricChore(this, true))
{
}

FabricStation::~FabricStation()
{
    m_drain->Detach();
    m_drain->Unref();
    m_instantEnd->Detach();
    m_instantEnd->Unref();
}

void
FabricStation::DoDispose()
{
    m_drain->Detach();
    m_instantEnd->Detach();
    for (auto& port : m_ports)
    {
        port.Dispose();
    }
    m_due.Clear();
    Object::DoDispose();
}

uint16_t
FabricStation::AddPort()
{
    m_ports.emplace_back(this, static_cast<uint16_t>(m_ports.size()));
    m_portAt.push_back(&m_ports.back());
    return m_ports.back().id;
}

uint32_t
FabricStation::GetStationId() const
{
    return m_id;
}

void
FabricStation::SetContext(uint32_t nodeId)
{
    m_context = nodeId;
}

const std::string&
FabricStation::GetName() const
{
    return m_name;
}

void
FabricStation::SetName(const std::string& name)
{
    m_name = name;
}

FabricPort&
FabricStation::GetPort(uint16_t index)
{
    return m_ports.at(index);
}

void
FabricStation::Wire(FabricPort& a,
                    FabricPort& b,
                    const FabricRate& rate,
                    FabricPs delay,
                    double errorRate,
                    uint32_t gapBytes,
                    uint32_t channelId)
{
    a.WireTo(&b, rate, delay + b.station->GetPipelineLatency(), errorRate, gapBytes);
    b.WireTo(&a, rate, delay + a.station->GetPipelineLatency(), errorRate, gapBytes);
    a.SeedStreams(channelId, 0);
    b.SeedStreams(channelId, 1);
}

void
FabricStation::SetPortPolicies(uint16_t index, Ptr<FlowControl> flow, Ptr<PortScheduler> scheduler)
{
    FabricPort& port = GetPort(index);
    port.flowOwner = flow;
    port.flow = PeekPointer(flow);
    port.schedulerOwner = scheduler;
    port.scheduler = PeekPointer(scheduler);
    flow->SetPort(&port);
}

FabricPs
FabricStation::Clock()
{
    return s_now >= 0 ? s_now : FabricTime::Now();
}

inline void
FabricStation::Schedule(FabricPs at, EventImpl* event)
{
    NS_ASSERT_MSG(s_engine != nullptr, "a station was used after Simulator::Destroy()");
    event->Ref();
    NS_ASSERT_MSG(at >= Clock(), m_name << ": an event in the past");
    s_engine->ScheduleWithContext(m_context, TimeStep(at - Clock()), event);
}

void
FabricStation::Arm(FabricPort& port, FabricPs at)
{
    if (at < port.wakeAt)
    {
        port.wakeAt = at;
        Schedule(at, port.wake);
    }
}

void
FabricStation::ArmDrain(FabricPs at)
{
    if (at != m_drainAt)
    {
        m_drainAt = at;
        Schedule(at, m_drain);
    }
}

void
FabricStation::ArmInstantEnd()
{
    if (!m_instantEndArmed)
    {
        m_instantEndArmed = true;
        Schedule(Clock(), m_instantEnd);
    }
}

void
FabricStation::Post(FabricPort& in, FabricPacket* p, FabricPs arrival)
{
    p->arrival = arrival;
    p->inPort = in.id;
    const bool first = in.inbox.IsEmpty();
    in.inbox.Push(p);
    DoPost(in, p); // may put the arrival off to that of the last bit
    if (first)
    {
        m_due.Push(p->arrival, in.id);
    }
    if (m_eager)
    {
        ArmDrain(p->arrival);
    }
}

void
FabricStation::PostControl(FabricPort& in, FabricPacket* frame, FabricPs arrival)
{
    frame->arrival = arrival + in.flow->GetReactionTime();
    in.control.Push(frame);
    if (in.flow->IsAwaited(*frame))
    {
        Arm(in, frame->arrival);
    }
}

void
FabricStation::Drain(FabricPs now)
{
    while (!m_due.IsEmpty() && m_due.GetTime() <= now)
    {
        FabricPort& in = *m_portAt[m_due.GetPort()];
        FabricPacket* p = in.inbox.Pop();
        m_due.Advance(in.inbox.IsEmpty() ? FABRIC_NEVER : in.inbox.Front()->arrival);
        FabricClassStats& stats = in.stats.of[p->vl];
        ++stats.rxPackets;
        stats.rxBytes += p->bytes;
        if (!m_rxTrace.IsEmpty())
        {
            m_rxTrace(*p, in.id, p->arrival);
        }
        DoAdmit(in, p);
    }
}

void
FabricStation::DrainControl(FabricPort& port, FabricPs now)
{
    while (!port.control.IsEmpty() && port.control.Front()->arrival <= now)
    {
        FabricPacket* frame = port.control.Pop();
        port.flow->OnControl(frame, frame->arrival);
        FabricPacketPool::Get().Free(frame);
    }
    port.flow->Expire(now);
}

void
FabricStation::OnWake(FabricPort& port)
{
    const FabricPs now = s_engine->Now().GetTimeStep();
    FabricTrajectory& t = Trajectory();
    ++t.wakes;
    if (port.wakeAt != now)
    {
        ++t.spurious;
        return;
    }
    const ClockScope scope(now);
    Wake(port, now);
}

inline void
FabricStation::Wake(FabricPort& port, FabricPs now)
{
    port.wakeAt = FABRIC_NEVER;
    Drain(now);
    if (!port.up)
    {
        return;
    }
    if (!port.control.IsEmpty() || port.flow->GetBlocked() != 0)
    {
        DrainControl(port, now);
    }
    if (now >= port.busyUntil)
    {
        FabricPacket* p = DoSelect(port, now);
        if (p != nullptr)
        {
            Transmit(port, p, now);
        }
    }
    const FabricPs next = DoNextWake(port, now);
    if (next != FABRIC_NEVER)
    {
        Arm(port, std::max(next, now));
    }
}

inline void
FabricStation::Transmit(FabricPort& port, FabricPacket* p, FabricPs now)
{
    FabricClassStats& stats = port.stats.of[p->vl];
    ++stats.txPackets;
    stats.txBytes += p->bytes;
    FabricTrajectory& t = Trajectory();
    ++t.hops;
    const uint64_t where = (static_cast<uint64_t>(m_id) << 16) ^ port.id;
    const uint64_t what = (static_cast<uint64_t>(p->src) << 40) ^
                          (static_cast<uint64_t>(p->destQp) << 32) ^
                          (static_cast<uint64_t>(p->psn) << 8) ^ p->opcode ^
                          (static_cast<uint64_t>(p->flags & FABRIC_CE) << 62);
    t.digest += FabricRandom::Mix(static_cast<uint64_t>(now) * DIGEST_TIME ^
                                  where * DIGEST_PLACE ^ what);
    if (!m_txTrace.IsEmpty())
    {
        m_txTrace(*p, port.id, now);
    }
    ++p->hops;
    port.scheduler->OnSent(p->vl, p->bytes);
    if (port.link != nullptr)
    {
        port.peer->station->Post(*port.peer, p, port.SendPackets(*p, now));
        return;
    }
    port.Occupy(now, p->bytes + port.gapBytes);
    if (port.errorRate > 0 && port.errorStream.Uniform() < port.errorRate)
    {
        port.flow->OnLost(*p);
        Drop(p, port, now, FabricDropReason::LINK_ERROR);
        return;
    }
    FabricPs arrival = port.busyUntil;
    if (port.peer->cutThrough)
    {
        p->passage.tail = static_cast<uint32_t>(arrival - now);
        arrival = now;
    }
    port.peer->station->Post(*port.peer, p, arrival + port.latency);
}

void
FabricStation::SendControl(FabricPort& port, FabricPacket* frame, FabricPs now)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    if (!port.up)
    {
        pool.Free(frame);
        return;
    }
    if (port.waitingControl != nullptr && port.waitingStart > now)
    {
        MergeControl(port, frame, now);
        return;
    }
    const FabricPs start = std::max(now, port.busyUntil);
    ++port.stats.controlTx;
    ++Trajectory().hops;
    Trajectory().digest += FabricRandom::Mix(static_cast<uint64_t>(start) ^
                                             (static_cast<uint64_t>(m_id) << 44) ^
                                             (static_cast<uint64_t>(port.id) << 36) ^
                                             FabricRandom::Mix(FabricPort::ControlWord(frame)));
    if (!m_txTrace.IsEmpty())
    {
        m_txTrace(*frame, port.id, start);
    }
    port.Occupy(start, frame->bytes + port.gapBytes);
    port.waitingControl = nullptr;
    if (port.errorRate > 0 && port.errorStream.Uniform() < port.errorRate)
    {
        port.flow->OnLost(*frame);
        Drop(frame, port, start, FabricDropReason::LINK_ERROR);
        return;
    }
    if (start > now)
    {
        port.waitingControl = frame;
        port.waitingStart = start;
    }
    port.peer->station->PostControl(*port.peer, frame, port.busyUntil + port.latency);
}

void
FabricStation::MergeControl(FabricPort& port, FabricPacket* frame, FabricPs now)
{
    const uint8_t enable = port.MergeControl(frame);
    Trajectory().digest += FabricRandom::Mix(static_cast<uint64_t>(now) * DIGEST_TIME ^
                                             (static_cast<uint64_t>(m_id) << 16 ^ port.id) ^
                                             static_cast<uint64_t>(enable) << 40);
}

void
FabricStation::Drop(FabricPacket* p, FabricPort& port, FabricPs at, FabricDropReason reason)
{
    if (p->kind == FabricPacketKind::PAUSE)
    {
        ++port.stats.controlLost; // of no class and nobody's data
    }
    else
    {
        ++port.stats.of[p->vl].drops;
        ++port.stats.dropsByReason[static_cast<uint8_t>(reason)];
        port.stats.droppedBytes += p->bytes;
        ++Trajectory().dropped;
    }
    if (!m_dropTrace.IsEmpty())
    {
        m_dropTrace(*p, port.id, at, reason);
    }
    FabricPacketPool::Get().Free(p);
}

FabricPs
FabricStation::NextWakeOfQueues(FabricPort& port, FabricPs now)
{
    const FabricMask blocked = port.flow->GetBlocked();
    if (port.queued & ~blocked)
    {
        return port.busyUntil;
    }
    FabricPs next = FABRIC_NEVER;
    const FabricPs pending = port.pending.NextAfter(now, blocked);
    if (pending != FABRIC_NEVER)
    {
        next = std::max(port.busyUntil, pending);
    }
    if (blocked != 0)
    {
        next = std::min(next, std::max(port.busyUntil, port.flow->NextUnblock(blocked)));
    }
    for (const FabricPacket* c = port.control.Front(); c != nullptr; c = c->next)
    {
        if (port.flow->IsAwaited(*c))
        {
            return std::min(next, std::max(port.busyUntil, c->arrival));
        }
    }
    return next;
}

void
FabricStation::OnChore(bool instantEnd)
{
    const FabricPs now = FabricTime::Now();
    ++Trajectory().wakes;
    ++Trajectory().chores;
    const ClockScope scope(now);
    Drain(now);
    if (instantEnd)
    {
        m_instantEndArmed = false;
        DoInstantEnd(now);
    }
    else
    {
        DoDrained(now);
        m_drainAt = m_drainAt == now ? -1 : m_drainAt; // may be asked for again in this instant
    }
}

void
FabricStation::Sync()
{
    const FabricPs now = FabricTime::Now();
    Drain(now);
    for (auto& port : m_ports)
    {
        if (port.up)
        {
            DrainControl(port, now);
        }
    }
}

uint64_t
FabricStation::GetHeldPackets()
{
    uint64_t held = 0;
    for (auto& port : m_ports)
    {
        held += port.GetHeldPackets();
    }
    return held;
}

void
FabricStation::SetLinkUp(uint16_t index, bool up)
{
    FabricPort& port = GetPort(index);
    NS_ASSERT_MSG(port.peer != nullptr, "port is not wired");
    if (port.up == up)
    {
        return;
    }
    const FabricPs now = FabricTime::Now();
    ApplyLinkState(port, up, now);
    port.peer->station->ApplyLinkState(*port.peer, up, now);
}

void
FabricStation::ApplyLinkState(FabricPort& port, bool up, FabricPs now)
{
    Drain(now);
    port.up = up;
    if (up)
    {
        port.busyUntil = std::max(port.busyUntil, now);
        DoLinkChanged(port, true);
        Arm(port, now);
        return;
    }
    // what is still on the wire towards us is lost
    m_due.Remove(port.id);
    while (!port.inbox.IsEmpty())
    {
        FabricPacket* p = port.inbox.Pop();
        DoUnpost(port, p);
        Drop(p, port, now, FabricDropReason::LINK_DOWN);
    }
    port.control.Clear();
    port.waitingControl = nullptr;
    port.flow->Reset(now);
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        while (!port.queue[vl].IsEmpty())
        {
            FabricPacket* p = port.Dequeue(vl);
            DoFlushed(port, p, now);
            Drop(p, port, now, FabricDropReason::LINK_DOWN);
        }
    }
    DoLinkChanged(port, false);
}

void
FabricStation::DoDrained(FabricPs)
{
}

void
FabricStation::DoInstantEnd(FabricPs)
{
}

void
FabricStation::DoLinkChanged(FabricPort&, bool)
{
}

void
FabricStation::DoFlushed(FabricPort&, FabricPacket*, FabricPs)
{
}

} // namespace ns3
