/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-switch.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/log.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

namespace
{
/** No sane route crosses more links; a packet that does is in a routing loop. */
constexpr uint8_t MAX_HOPS = 250;

/** Bytes that a packet on its way stands for: a broadcast will be queued at many ports. */
uint64_t
CountedBytes(const FabricPacket& p)
{
    return p.dst == FABRIC_BROADCAST ? uint64_t{p.bytes} * p.outPort : p.bytes;
}

/** Judge packets by a little less than the threshold, so that small changes need no new look. */
uint64_t
WatchLimit(uint64_t threshold)
{
    return threshold - threshold / 32;
}
} // namespace

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwitch")
            .SetParent<FabricStation>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("Buffer",
                          "Packet memory (object).",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_buffer),
                          MakePointerChecker<SwitchBuffer>())
            .AddAttribute("LoadBalancer",
                          "Chooses among equal-cost ports (object).",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_balancer),
                          MakePointerChecker<LoadBalancer>())
            .AddAttribute("ClassMap",
                          "Tells the class of an arriving frame (object).",
                          PointerValue(),
                          MakePointerAccessor(&FabricSwitch::m_classMap),
                          MakePointerChecker<ClassMap>())
            .AddAttribute("PfcWatchdog",
                          "A class paused for so long without a break, with packets waiting, is "
                          "flushed, and its pauses are ignored for PfcWatchdogRestore (time); 0: "
                          "off. Default: 0; switches in the field use 100 to 400 ms.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwitch::m_watchdogTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PfcWatchdogRestore",
                          "How long the watchdog ignores pauses (time). Default: 200 ms, SONiC's.",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&FabricSwitch::m_watchdogRestore),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Mark",
                            "A packet is marked congestion experienced.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_markTrace),
                            "ns3::FabricStation::PacketTracedCallback");
    return tid;
}

FabricSwitch::FabricSwitch()
    : m_buffer(CreateObject<SwitchBuffer>()),
      m_balancer(CreateObject<EcmpLoadBalancer>()),
      m_classMap(CreateObject<ClassMap>())
{
}

void
FabricSwitch::DoDispose()
{
    m_buffer = nullptr;
    m_balancer = nullptr;
    m_classMap = nullptr;
    m_markers.clear();
    FabricStation::DoDispose();
}

void
FabricSwitch::SetBuffer(Ptr<SwitchBuffer> buffer)
{
    m_buffer = buffer;
}

void
FabricSwitch::SetLoadBalancer(Ptr<LoadBalancer> balancer)
{
    m_balancer = balancer;
}

void
FabricSwitch::SetClassMap(Ptr<ClassMap> map)
{
    m_classMap = map;
}

void
FabricSwitch::SetMarker(uint16_t index, Ptr<EcnMarker> marker)
{
    m_markers.resize(GetNPorts());
    if (marker)
    {
        marker->SetRate(GetPort(index).rate);
    }
    m_markers[index] = marker;
}

Ptr<EcnMarker>
FabricSwitch::GetMarker(uint16_t index) const
{
    return m_markers.at(index);
}

void
FabricSwitch::Start()
{
    std::vector<SwitchBufferPort> ports;
    for (auto& port : m_ports)
    {
        SwitchBufferPort p;
        if (port.peer != nullptr)
        {
            p.rate = port.rate;
            p.delay = std::max(port.latency, port.peer->latency);
            p.losslessClasses = port.flow->GetLosslessClasses();
            p.peerReaction = port.peer->flow ? port.peer->flow->GetReactionTime() : 0;
        }
        ports.push_back(p);
    }
    m_buffer->Configure(GetName(), ports);
    if (!m_watchdogTime.IsZero())
    {
        m_watchdogAt.assign(ports.size(), FABRIC_NEVER);
    }
    m_markers.resize(GetNPorts());
    m_coming.assign(ports.size() * FABRIC_CLASSES, 0);
    m_balancer->SetSeed(FabricRandom::Mix(GetStationId() + 1) ^
                        (static_cast<uint64_t>(RngSeedManager::GetSeed()) << 32) ^
                        FabricRandom::Mix(RngSeedManager::GetRun()));
    m_started = true;
}

uint16_t
FabricSwitch::RouteOf(const FabricPacket& p)
{
    const ForwardingTable::Group group = m_table.Lookup(p.dst);
    if (group.size == 1)
    {
        return group.ports[0];
    }
    return group.size == 0 ? NO_PORT : m_balancer->Select(p, group);
}

void
FabricSwitch::DoPost(FabricPort& in, FabricPacket* p)
{
    NS_ASSERT_MSG(m_started, GetName() << ": Start() was not called");
    p->vl = m_classMap->ClassOf(*p);
    // a broadcast is as many packets as it has copies; the record notes how many were counted
    p->outPort = p->dst == FABRIC_BROADCAST ? static_cast<uint16_t>(m_flood.size()) : 1;
    Coming(in.id, p->vl) += CountedBytes(*p);
    m_comingAll += CountedBytes(*p);
    WatchThresholds(in, p);
    if (p->dst == FABRIC_BROADCAST)
    {
        PostBroadcast(in, p);
        return;
    }
    p->outPort = RouteOf(*p);
    if (p->outPort == NO_PORT)
    {
        ArmDrain(p->arrival);
        return;
    }
    FabricPort& out = *m_portAt[p->outPort];
    out.pending.Insert(p->arrival, p->vl);
    if (!((out.flow->GetBlocked() >> p->vl) & 1))
    {
        Arm(out, std::max(p->arrival, out.busyUntil));
    }
}

inline void
FabricSwitch::WatchThresholds(FabricPort& in, FabricPacket* p)
{
    // A packet that could trip a stop threshold must be admitted at its arrival, not later. One
    // judged harmless stays so until later packets, on shorter ways, lower the threshold below
    // the limit that it was judged by; then all are judged again.
    const uint64_t threshold = m_buffer->GetThresholdAfter(m_comingAll);
    if (threshold < m_safeLimit)
    {
        RewatchAll(threshold);
    }
    else if (in.flow->IsLossless(p->vl) && !in.flow->IsStopped(p->vl))
    {
        const uint64_t limit = WatchLimit(threshold);
        if (m_buffer->MayStop(in.id, p->vl, Coming(in.id, p->vl), limit))
        {
            Watch(p);
        }
        else
        {
            m_safeLimit = std::max(m_safeLimit, limit);
        }
    }
}

void
FabricSwitch::RewatchAll(uint64_t threshold)
{
    m_safeLimit = WatchLimit(threshold);
    for (auto& port : m_ports)
    {
        if (port.flow != nullptr && !port.inbox.IsEmpty())
        {
            WatchInbox(port,
                       port.flow->GetLosslessClasses() & ~port.flow->GetStopped(),
                       m_safeLimit);
        }
    }
}

void
FabricSwitch::WatchInbox(FabricPort& in, uint8_t classes, uint64_t limit)
{
    uint8_t risky = 0;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (((classes >> vl) & 1) && m_buffer->MayStop(in.id, vl, Coming(in.id, vl), limit))
        {
            risky |= 1U << vl;
        }
    }
    for (FabricPacket* p = risky ? in.inbox.Front() : nullptr; p != nullptr; p = p->next)
    {
        if ((risky >> p->vl) & 1)
        {
            Watch(p);
        }
    }
}

void
FabricSwitch::Watch(FabricPacket* p)
{
    // One that is here already, though not drained yet, was judged with all that came before it.
    if (!(p->flags & FABRIC_WATCHED) && p->arrival > FabricTime::Now())
    {
        p->flags |= FABRIC_WATCHED;
        ArmDrain(p->arrival);
    }
}

void
FabricSwitch::PostBroadcast(FabricPort& in, FabricPacket* p)
{
    for (uint16_t index : m_flood)
    {
        FabricPort& out = m_ports[index];
        if (index != in.id && out.up)
        {
            out.pending.Insert(p->arrival, p->vl);
            Arm(out, std::max(p->arrival, out.busyUntil));
        }
    }
}

void
FabricSwitch::DoUnpost(FabricPort& in, FabricPacket* p)
{
    Coming(in.id, p->vl) -= CountedBytes(*p);
    m_comingAll -= CountedBytes(*p);
}

void
FabricSwitch::DoAdmit(FabricPort& in, FabricPacket* p)
{
    FabricSwitch::DoUnpost(in, p);
    p->flags &= static_cast<uint8_t>(~FABRIC_WATCHED);
    m_maxFrame = std::max(m_maxFrame, p->bytes);
    if (p->dst == FABRIC_BROADCAST)
    {
        AdmitBroadcast(in, p);
    }
    else if (p->outPort == NO_PORT)
    {
        Drop(p, in, p->arrival, FabricDropReason::NO_ROUTE);
    }
    else
    {
        AdmitTo(in, *m_portAt[p->outPort], p);
    }
}

void
FabricSwitch::AdmitBroadcast(FabricPort& in, FabricPacket* p)
{
    for (uint16_t index : m_flood)
    {
        if (index != in.id && m_ports[index].up)
        {
            AdmitTo(in, m_ports[index], FabricPacketPool::Get().Clone(p));
        }
    }
    FabricPacketPool::Get().Free(p);
}

void
FabricSwitch::AdmitTo(FabricPort& in, FabricPort& out, FabricPacket* p)
{
    const FabricPs at = p->arrival;
    const uint8_t vl = p->vl;
    if (!out.up || p->hops > MAX_HOPS)
    {
        Drop(p, out, at, out.up ? FabricDropReason::TTL : FabricDropReason::LINK_DOWN);
        return;
    }
    const bool lossless = in.flow->IsLossless(vl);
    const bool stopped = in.flow->IsStopped(vl);
    const SwitchBuffer::Verdict verdict =
        m_buffer->Admit(in.id, vl, lossless, stopped, out.queueBytes[vl], p->bytes);
    if (!verdict.admitted)
    {
        Drop(p, in, at, lossless ? FabricDropReason::HEADROOM : FabricDropReason::BUFFER_FULL);
        return;
    }
    uint64_t& peak = in.stats.of[vl].maxIngressBytes;
    peak = std::max(peak, verdict.ingressBytes);
    EcnMarker* marker = PeekPointer(m_markers[out.id]);
    if (marker != nullptr && marker->MarksOnEnqueue())
    {
        if ((p->flags & FABRIC_ECT) && marker->Covers(vl) &&
            marker->ShouldMark(out.queueBytes[vl], out.markStream))
        {
            Mark(out, p, at);
        }
    }
    p->outPort = out.id;
    out.Enqueue(p);
    if (verdict.overStop && !stopped)
    {
        NS_ASSERT_MSG(at == FabricTime::Now(), "a stop threshold was passed unseen");
        SendStops(in, in.flow->Stop(vl, at), at);
    }
}

void
FabricSwitch::SendStops(FabricPort& in, FabricPacket* frame, FabricPs now)
{
    if (frame != nullptr)
    {
        SendControl(in, frame, now);
        ArmRefresh();
    }
}

void
FabricSwitch::Mark(FabricPort& out, FabricPacket* p, FabricPs at)
{
    p->flags |= FABRIC_CE;
    ++out.stats.of[p->vl].ceMarks;
    if (!m_markTrace.IsEmpty())
    {
        m_markTrace(*p, out.id, at);
    }
}

void
FabricSwitch::Release(FabricPort& in, uint8_t vl, uint32_t bytes)
{
    m_buffer->Release(in.id, vl, bytes);
    // other ports may release in the same instant, in any order: judge with that much slack, and
    // finally at the end of the instant
    if (in.flow != nullptr && in.flow->IsStopped(vl) &&
        m_buffer->ShouldResume(in.id, vl, static_cast<uint64_t>(m_maxFrame) * GetNPorts()))
    {
        m_resumable.push_back(static_cast<uint32_t>(in.id) << 3 | vl);
        ArmInstantEnd();
    }
}

FabricPacket*
FabricSwitch::DoSelect(FabricPort& port, FabricPs now)
{
    const FabricMask ready = port.queued & ~port.flow->GetBlocked();
    if (ready == 0)
    {
        return nullptr;
    }
    const uint8_t vl = port.scheduler->Select(ready);
    const uint64_t queueBytes = port.queueBytes[vl];
    FabricPacket* p = port.Dequeue(vl);
    EcnMarker* marker = PeekPointer(m_markers[port.id]);
    if (marker != nullptr && !marker->MarksOnEnqueue() && (p->flags & FABRIC_ECT) &&
        marker->Covers(vl) && marker->ShouldMark(queueBytes, port.markStream))
    {
        Mark(port, p, now);
    }
    Release(*m_portAt[p->inPort], vl, p->bytes);
    return p;
}

FabricPs
FabricSwitch::DoNextWake(FabricPort& port, FabricPs now)
{
    if (!m_watchdogAt.empty() && (port.queued & port.flow->GetBlocked()) != 0 &&
        m_watchdogAt[port.id] == FABRIC_NEVER)
    {
        ArmWatchdog(port, now + FabricTime::From(m_watchdogTime));
    }
    return NextWakeOfQueues(port, now);
}

void
FabricSwitch::ArmWatchdog(FabricPort& port, FabricPs at)
{
    m_watchdogAt[port.id] = at;
    m_watchdogNext = std::min(m_watchdogNext, at);
    ArmDrain(at);
}

void
FabricSwitch::RunWatchdog(FabricPs now)
{
    Sync();
    const FabricPs limit = FabricTime::From(m_watchdogTime);
    m_watchdogNext = FABRIC_NEVER;
    for (auto& port : m_ports)
    {
        if (m_watchdogAt[port.id] <= now)
        {
            m_watchdogAt[port.id] = FABRIC_NEVER;
            const auto pfc = DynamicCast<PfcFlowControl>(port.flowOwner);
            for (uint8_t vl = 0; pfc && vl < FABRIC_CLASSES; ++vl)
            {
                const FabricPs paused = pfc->GetPausedFor(vl, now);
                if (paused >= limit && !port.queue[vl].IsEmpty())
                {
                    m_watchdogDrops +=
                        FlushClass(port.id, vl, FabricTime::From(m_watchdogRestore));
                }
                else if (paused > 0 && !port.queue[vl].IsEmpty())
                {
                    ArmWatchdog(port,
                                std::min(m_watchdogAt[port.id], now + limit - paused));
                }
            }
        }
        m_watchdogNext = std::min(m_watchdogNext, m_watchdogAt[port.id]);
    }
}

void
FabricSwitch::DoFlushed(FabricPort&, FabricPacket* p, FabricPs)
{
    Release(*m_portAt[p->inPort], p->vl, p->bytes);
}

void
FabricSwitch::ArmRefresh()
{
    FabricPs next = FABRIC_NEVER;
    for (auto& port : m_ports)
    {
        if (port.flow != nullptr)
        {
            next = std::min(next, port.flow->NextRefresh());
        }
    }
    if (next != m_refreshAt)
    {
        m_refreshAt = next;
        if (next != FABRIC_NEVER)
        {
            ArmDrain(next);
        }
    }
}

void
FabricSwitch::DoDrained(FabricPs now)
{
    if (now >= m_refreshAt || now >= m_watchdogNext)
    {
        ArmInstantEnd();
    }
}

void
FabricSwitch::DoInstantEnd(FabricPs now)
{
    std::sort(m_resumable.begin(), m_resumable.end());
    for (uint32_t key : m_resumable)
    {
        FabricPort& in = m_ports[key >> 3];
        const uint8_t vl = key & 7;
        if (in.flow->IsStopped(vl) && m_buffer->ShouldResume(in.id, vl))
        {
            FabricPacket* frame = in.flow->Resume(vl, now);
            if (frame != nullptr)
            {
                SendControl(in, frame, now);
            }
            // nobody waited for its packets while it was stopped
            const uint64_t limit = WatchLimit(m_buffer->GetThresholdAfter(m_comingAll));
            WatchInbox(in, 1U << vl, limit);
            m_safeLimit = std::max(m_safeLimit, limit);
        }
    }
    m_resumable.clear();
    if (now >= m_watchdogNext)
    {
        RunWatchdog(now);
    }
    if (now >= m_refreshAt)
    {
        for (auto& port : m_ports)
        {
            if (port.flow != nullptr && port.flow->NextRefresh() <= now)
            {
                SendStops(port, port.flow->Refresh(now), now);
            }
        }
        ArmRefresh();
    }
}

uint64_t
FabricSwitch::FlushClass(uint16_t index, uint8_t vl, FabricPs restore)
{
    const FabricPs now = FabricTime::Now();
    Sync();
    FabricPort& port = GetPort(index);
    uint64_t flushed = 0;
    while (!port.queue[vl].IsEmpty())
    {
        FabricPacket* p = port.Dequeue(vl);
        Release(*m_portAt[p->inPort], vl, p->bytes);
        Drop(p, port, now, FabricDropReason::WATCHDOG);
        ++flushed;
    }
    if (auto pfc = DynamicCast<PfcFlowControl>(port.flowOwner))
    {
        pfc->IgnorePauses(vl, now, now + restore);
        Arm(port, std::max(now, port.busyUntil));
    }
    return flushed;
}

} // namespace ns3
