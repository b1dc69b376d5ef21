/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-nic.h"

#include "go-back-n-recovery.h"
#include "qp-core.h"
#include "rdma-nic-engine.h"

#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid = AddHostAttributes(AddTransportAttributes(
        TypeId("ns3::RdmaNic")
            .SetParent<FabricStation>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaNic>()
            .AddAttribute("FrameProfile",
                          "Frame sizes: rocev2, rocev1, hpcc, hpcc-int or plain48. Default: real "
                          "RoCEv2 frames.",
                          StringValue("rocev2"),
                          MakeStringAccessor(&RdmaNic::SetFrameProfile, &RdmaNic::GetFrameProfile),
                          MakeStringChecker())
            .AddAttribute("Mtu",
                          "Payload of a full packet, bytes; queue pairs may have their own. "
                          "Default: 1024, what RoCE negotiates on a 1500-byte Ethernet.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 65000))
            .AddAttribute("DataClass",
                          "Traffic class of requests and READ responses. Default: 3, the usual "
                          "lossless class of RoCE deployments.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_dataClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("AckClass",
                          "Traffic class of ACKs and NAKs. Default: 3, that of the data, as the "
                          "InfiniBand specification has it for responses.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_ackClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("CnpClass",
                          "Traffic class of CNPs. Default: 6 (DSCP 48), as mlx5.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaNic::m_cnpClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("DscpOfClass",
                          "DSCP that frames of classes 0..7 carry, eight numbers 0..63; for "
                          "switches that trust it (ClassMap). Default: class x 8, and 26 for class "
                          "3, as common for RoCEv2.",
                          StringValue("0 8 16 26 32 40 48 56"),
                          MakeStringAccessor(&RdmaNic::SetDscpOfClass, &RdmaNic::GetDscpOfClass),
                          MakeStringChecker())));
    return tid;
}

TypeId
RdmaNic::AddTransportAttributes(TypeId tid)
{
    return tid
        .AddAttribute("AckInterval",
                      "An ACK behind every n-th PSN, and behind the last packet of a message. "
                      "Default: 1, one ACK a packet.",
                      UintegerValue(1),
                      MakeUintegerAccessor(&RdmaNic::m_ackInterval),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("Window",
                      "Most unacknowledged payload of a queue pair, bytes, whatever congestion "
                      "control says; 0: none. Default: none.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_window),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("CnpInterval",
                      "Least time between CNPs of one queue pair (time). Default: 50us, N of "
                      "the DCQCN paper (SIGCOMM 2015).",
                      TimeValue(MicroSeconds(50)),
                      MakeTimeAccessor(&RdmaNic::m_cnpInterval),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("CnpDelay",
                      "Time from a marked packet to its CNP (time). Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_cnpDelay),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("CongestionOps",
                      "Congestion control that RC and UC queue pairs fork theirs from; null: "
                      "line rate. Default: null.",
                      PointerValue(),
                      MakePointerAccessor(&RdmaNic::m_congestion),
                      MakePointerChecker<RdmaCongestionOps>())
        .AddAttribute("LossRecovery",
                      "Loss recovery of RC queue pairs (TypeId). Default: go-back-N.",
                      TypeIdValue(GoBackNRecovery::GetTypeId()),
                      MakeTypeIdAccessor(&RdmaNic::m_recovery),
                      MakeTypeIdChecker());
}

TypeId
RdmaNic::AddHostAttributes(TypeId tid)
{
    return tid
        .AddAttribute("DoorbellLatency",
                      "Time from PostSend to the adapter seeing it (time). Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_doorbell),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("DmaReadLatency",
                      "PCIe read latency before the first packet of SEND, WRITE and READ "
                      "responses (time); later packets are prefetched. Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_dmaRead),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("InlineThreshold",
                      "Messages up to this many bytes come with the doorbell and need no DMA "
                      "read. Default: 0.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_inline),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("MessageRate",
                      "Most send requests begun per second, whole adapter; 0: no limit. "
                      "Default: no limit.",
                      DoubleValue(0),
                      MakeDoubleAccessor(&RdmaNic::m_messageRate),
                      MakeDoubleChecker<double>(0, 1e12))
        .AddAttribute("RetryTimeout",
                      "Retry timer of queue pairs that name no code of their own (time); 0: "
                      "none. Default: 4.096 us x 2^14, the common code 14.",
                      TimeValue(PicoSeconds(67108864000)),
                      MakeTimeAccessor(&RdmaNic::m_retryTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("FrameQueueLimit",
                      "Most bytes of a class queue that SendFrame() adds to. Default: 1 MiB.",
                      UintegerValue(1 << 20),
                      MakeUintegerAccessor(&RdmaNic::m_frameQueueLimit),
                      MakeUintegerChecker<uint64_t>());
}

RdmaNic::RdmaNic()
{
    AddPort();
    m_engine = std::make_unique<RdmaNicEngine>(*this);
    SetName("nic " + std::to_string(GetStationId()));
}

RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    m_downTimer.Cancel();
    m_engine->Clear();
    for (auto& qp : m_qps)
    {
        qp->Dispose();
    }
    for (auto& cq : m_cqs)
    {
        cq->Dispose();
    }
    for (auto& srq : m_srqs)
    {
        srq->Detach();
    }
    m_qps.clear();
    m_cqs.clear();
    m_srqs.clear();
    m_regions.clear();
    m_congestion = nullptr;
    m_frameCallback = FrameCallback();
    FabricStation::DoDispose();
}

void
RdmaNic::SetEndpoint(uint32_t endpoint)
{
    m_endpoint = endpoint;
}

void
RdmaNic::SetFrameProfile(std::string name)
{
    m_profile = &FrameProfile::Get(name);
}

std::string
RdmaNic::GetFrameProfile() const
{
    return m_profile->GetName();
}

// ---- verbs objects ------------------------------------------------------------------------------

Ptr<VerbsProtectionDomain>
RdmaNic::CreateProtectionDomain()
{
    return Create<VerbsProtectionDomain>(++m_nextPd);
}

Ptr<VerbsProtectionDomain>
RdmaNic::GetDefaultDomain()
{
    if (!m_defaultDomain)
    {
        m_defaultDomain = CreateProtectionDomain();
        m_defaultRegion = RegisterMemory(m_defaultDomain, 0, ~0ULL, 0x0f);
    }
    return m_defaultDomain;
}

Ptr<VerbsMemoryRegion>
RdmaNic::GetDefaultRegion()
{
    GetDefaultDomain();
    return m_defaultRegion;
}

Ptr<VerbsMemoryRegion>
RdmaNic::RegisterMemory(Ptr<VerbsProtectionDomain> pd,
                        uint64_t addr,
                        uint64_t length,
                        uint8_t access)
{
    uint32_t index = static_cast<uint32_t>(m_regions.size());
    if (m_freeRegions.empty())
    {
        m_regions.emplace_back();
    }
    else
    {
        index = m_freeRegions.back();
        m_freeRegions.pop_back();
    }
    const uint32_t key = ((index + 1) << 8) | ++m_keyTag;
    m_regions[index] = Create<VerbsMemoryRegion>(pd->GetId(), addr, length, access, key);
    return m_regions[index];
}

void
RdmaNic::DeregisterMemory(Ptr<VerbsMemoryRegion> mr)
{
    CatchUp();
    if (FindMemory(mr->GetRkey()) == PeekPointer(mr))
    {
        const uint32_t index = (mr->GetRkey() >> 8) - 1;
        m_regions[index] = nullptr;
        m_freeRegions.push_back(index);
    }
}

VerbsMemoryRegion*
RdmaNic::FindMemory(uint32_t key) const
{
    const uint32_t index = (key >> 8) - 1;
    if (index >= m_regions.size() || !m_regions[index] || m_regions[index]->GetRkey() != key)
    {
        return nullptr;
    }
    return PeekPointer(m_regions[index]);
}

Ptr<VerbsCompletionQueue>
RdmaNic::CreateCompletionQueue(uint32_t depth)
{
    if (depth == 0)
    {
        throw FabricError("RdmaNic::CreateCompletionQueue: depth must be at least 1");
    }
    Ptr<VerbsCompletionQueue> cq = CreateObject<VerbsCompletionQueue>();
    cq->m_nic = this;
    cq->m_depth = depth;
    m_cqs.push_back(cq);
    return cq;
}

Ptr<VerbsSharedReceiveQueue>
RdmaNic::CreateSharedReceiveQueue(Ptr<VerbsProtectionDomain> pd, uint32_t depth)
{
    m_srqs.push_back(Create<VerbsSharedReceiveQueue>(this, pd->GetId(), depth));
    return m_srqs.back();
}

Ptr<VerbsQueuePair>
RdmaNic::CreateQueuePair(const VerbsQpInit& init)
{
    if (!init.pd || init.maxSend == 0 || init.mtu > 65000 ||
        (init.srq && init.srq->GetPdId() != init.pd->GetId()))
    {
        throw FabricError("RdmaNic::CreateQueuePair: a protection domain (the one of the shared "
                          "receive queue, if any), maxSend >= 1 and mtu <= 65000 are needed");
    }
    Ptr<VerbsQueuePair> qp = CreateObject<VerbsQueuePair>();
    qp->m_nic = this;
    qp->m_init = init;
    qp->m_core = std::make_unique<QpCore>(*m_engine, *qp);
    QpCore& core = *qp->m_core;
    core.type = init.type;
    core.pdId = init.pd->GetId();
    core.mtu = init.mtu == 0 ? m_mtu : init.mtu;
    core.sendCq = init.sendCq;
    core.recvCq = init.recvCq;
    core.responder.shared = init.srq != nullptr;
    core.responder.receives =
        init.srq ? init.srq : Create<VerbsSharedReceiveQueue>(nullptr, core.pdId, init.maxRecv);
    m_engine->Add(&core);
    qp->m_index = static_cast<uint32_t>(m_qps.size());
    m_qps.push_back(qp);
    return qp;
}

void
RdmaNic::DestroyQueuePair(Ptr<VerbsQueuePair> qp)
{
    if (qp->m_nic != this)
    {
        return;
    }
    CatchUp();
    m_retired.Add(qp->m_core->counters);
    m_engine->Remove(qp->m_core.get());
    m_qps.back()->m_index = qp->m_index;
    m_qps[qp->m_index] = m_qps.back();
    m_qps.pop_back();
    qp->Dispose();
}

void
RdmaNic::Connect(Ptr<VerbsQueuePair> a,
                 Ptr<VerbsQueuePair> b,
                 VerbsQpAttributes toA,
                 VerbsQpAttributes toB)
{
    toA.destEndpoint = b->GetNic()->GetEndpoint();
    toA.destQpn = b->GetQpn();
    toA.rqPsn = toB.sqPsn;
    toB.destEndpoint = a->GetNic()->GetEndpoint();
    toB.destQpn = a->GetQpn();
    toB.rqPsn = toA.sqPsn;
    for (const VerbsQpState state : {VerbsQpState::INIT, VerbsQpState::RTR, VerbsQpState::RTS})
    {
        if (a->Modify(state, toA) != VerbsResult::OK || b->Modify(state, toB) != VerbsResult::OK)
        {
            throw FabricError(std::string("RdmaNic::Connect: a queue pair refused to go to ") +
                              VerbsStateName(state) + "; both must be in RESET and not UD");
        }
    }
}

Ptr<VerbsQueuePair>
RdmaNic::FindQueuePair(uint32_t qpn) const
{
    QpCore* core = m_engine->Find(qpn);
    return core == nullptr ? nullptr : Ptr<VerbsQueuePair>(&core->owner);
}

uint32_t
RdmaNic::GetNQueuePairs() const
{
    return m_engine->GetNQueuePairs();
}

Ptr<VerbsQueuePair>
RdmaNic::GetQueuePair(uint32_t index) const
{
    return m_qps.at(index);
}

RdmaQpCounters
RdmaNic::GetCounters() const
{
    RdmaQpCounters sum = m_retired;
    for (const auto& qp : m_qps)
    {
        sum.Add(qp->m_core->counters);
    }
    return sum;
}

void
RdmaNic::CatchUp()
{
    if (!m_engine->IsAdmitting())
    {
        Sync();
    }
}

// ---- frames -------------------------------------------------------------------------------------

bool
RdmaNic::SendFrame(Ptr<Packet> frame, uint32_t dst, uint8_t vl, uint32_t flowHash)
{
    CatchUp();
    FabricPort& port = GetPort(0);
    const uint32_t bytes = std::max<uint32_t>(64, frame->GetSize() + 4);
    if (!port.up || vl >= FABRIC_CLASSES || port.queueBytes[vl] + bytes > m_frameQueueLimit)
    {
        ++m_framesRefused;
        return false;
    }
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* p = pool.Allocate();
    p->kind = FabricPacketKind::ETHERNET;
    p->src = m_endpoint;
    p->dst = dst;
    p->vl = vl;
    p->bytes = bytes;
    const uint64_t pair = (static_cast<uint64_t>(m_endpoint) << 32) | dst;
    p->flowHash = flowHash != 0 ? flowHash : static_cast<uint32_t>(FabricRandom::Mix(pair));
    pool.Side(p).frame = frame;
    port.Enqueue(p);
    if (!(m_engine->IsAdmitting() && port.wakeAt == FABRIC_NEVER))
    {
        Arm(port, std::max(port.busyUntil, FabricTime::Now()));
    }
    return true;
}

void
RdmaNic::SetFrameCallback(FrameCallback callback)
{
    m_frameCallback = callback;
}

// ---- station hooks ------------------------------------------------------------------------------

void
RdmaNic::DoPost(FabricPort&, FabricPacket* p)
{
    if (p->kind == FabricPacketKind::TRANSPORT)
    {
        m_engine->OnPost(p);
    }
    else
    {
        m_engine->WakeExactly(p->arrival);
    }
}

void
RdmaNic::DoUnpost(FabricPort&, FabricPacket*)
{
    // what OnPost() armed are wakes; one too many changes nothing
}

void
RdmaNic::DoAdmit(FabricPort& in, FabricPacket* p)
{
    if (p->dst != m_endpoint && p->dst != FABRIC_BROADCAST)
    {
        Drop(p, in, p->arrival, FabricDropReason::NO_ROUTE);
        return;
    }
    ++Trajectory().delivered;
    m_engine->SetAdmitting(true);
    if (p->kind == FabricPacketKind::TRANSPORT)
    {
        m_engine->OnAdmit(p);
        m_engine->Announce();
    }
    else if (!m_frameCallback.IsNull())
    {
        const Ptr<Packet> frame = FabricPacketPool::Get().Side(p).frame;
        m_frameCallback(frame, p->src, p->arrival);
    }
    m_engine->SetAdmitting(false);
    FabricPacketPool::Get().Free(p);
}

FabricPacket*
RdmaNic::DoSelect(FabricPort&, FabricPs now)
{
    m_engine->RunTimers(now);
    FabricPacket* p = m_engine->Select(now);
    if (p != nullptr)
    {
        p->dscp = m_dscp[p->vl] & 63;
    }
    return p;
}

void
RdmaNic::SetDscpOfClass(std::string numbers)
{
    m_dscp = FabricClassList::Parse("ns3::RdmaNic::DscpOfClass", numbers, 0, 63);
}

std::string
RdmaNic::GetDscpOfClass() const
{
    return FabricClassList::Format(m_dscp);
}

FabricPs
RdmaNic::DoNextWake(FabricPort& port, FabricPs now)
{
    m_engine->RunTimers(now);
    return std::min(NextWakeOfQueues(port, now), m_engine->NextWake(now));
}

void
RdmaNic::DoLinkChanged(FabricPort&, bool up)
{
    m_downTimer.Cancel();
    if (!up)
    {
        m_engine->EnsureTimers(FabricTime::Now());
        WatchTimersWhileDown();
    }
}

void
RdmaNic::WatchTimersWhileDown()
{
    // a port that is down does not wake, yet its queue pairs must run into their retry limits
    m_downTimer.Cancel();
    const FabricPs next = m_engine->NextTimer();
    if (next != FABRIC_NEVER)
    {
        const FabricPs left = std::max<FabricPs>(0, next - FabricTime::Now());
        m_downTimer = Simulator::Schedule(FabricTime::To(left), &RdmaNic::RunTimersWhileDown, this);
    }
}

void
RdmaNic::RunTimersWhileDown()
{
    m_engine->RunTimers(FabricTime::Now());
    WatchTimersWhileDown();
}

void
RdmaNic::AnnounceNow()
{
    m_engine->Announce();
}

} // namespace ns3
