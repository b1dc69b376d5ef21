/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-nic.h"

#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"
#include "rdma-pcie-profile.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"

#include <algorithm>

namespace ns3
{

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
    m_dmaPath = nullptr;
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
                        uint8_t access,
                        uint32_t memory)
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
    m_regions[index] = Create<VerbsMemoryRegion>(pd->GetId(), addr, length, access, key, memory);
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

// ---- PCIe side ---------------------------------------------------------------------------------

void
RdmaNic::SetDmaPath(Ptr<RdmaDmaPath> path)
{
    if (GetNQueuePairs() > 0)
    {
        throw FabricError(GetName() + ": set DmaPath or Pcie before the first queue pair");
    }
    m_engine->SetDmaPath(nullptr);
    m_engine->SetDmaPath(PeekPointer(path));
    m_dmaPath = path;
}

Ptr<RdmaDmaPath>
RdmaNic::GetDmaPath() const
{
    return m_dmaPath;
}

void
RdmaNic::SetPcie(std::string link)
{
    Ptr<RdmaPcieProfile> profile;
    if (!link.empty())
    {
        profile = CreateObject<RdmaPcieProfile>();
        profile->SetLink(link);
    }
    SetDmaPath(profile);
}

std::string
RdmaNic::GetPcie() const
{
    const auto profile = DynamicCast<RdmaPcieProfile>(m_dmaPath);
    return profile ? profile->GetLink() : "";
}

uint64_t
RdmaNic::GetMostRxBuffer() const
{
    return m_engine->Dma() == nullptr ? 0 : m_engine->Dma()->GetBuffer().GetMost();
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
    if (m_engine->Dma() != nullptr && m_engine->Dma()->Overflows(p))
    {
        const bool lossless = in.flow->IsLossless(p->vl);
        const auto reason = lossless ? FabricDropReason::HEADROOM : FabricDropReason::BUFFER_FULL;
        Drop(p, in, p->arrival, reason);
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
RdmaNic::TakePacket(FabricPs now)
{
    m_engine->RunTimers(now);
    return m_engine->Select(now);
}

bool
RdmaNic::IsHeldUp() const
{
    return m_engine->IsHeldUp();
}

const VerbsQpAttributes*
RdmaNic::FindAttributes(uint32_t qpn) const
{
    const QpCore* core = m_engine->Find(qpn);
    return core == nullptr ? nullptr : &core->attr;
}

bool
RdmaNic::DoAccept(const VerbsQpAttributes&, uint32_t, uint8_t&)
{
    return true;
}

FabricPacket*
RdmaNic::DoSelect(FabricPort&, FabricPs now)
{
    FabricPacket* p = TakePacket(now);
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
    const FabricPs own = m_engine->NextWake(now); // may queue an answer
    return std::min(own, NextWakeOfQueues(port, now));
}

void
RdmaNic::DoLinkChanged(FabricPort& port, bool up)
{
    m_downTimer.Cancel();
    if (!up)
    {
        m_engine->EnsureTimers(FabricTime::Now());
        while (FabricPacket* p = m_engine->Dma() ? m_engine->Dma()->TakeStaged() : nullptr)
        {
            Drop(p, port, FabricTime::Now(), FabricDropReason::LINK_DOWN);
        }
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
