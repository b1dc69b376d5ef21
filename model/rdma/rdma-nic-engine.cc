/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-nic-engine.h"

#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

RdmaNicEngine::RdmaNicEngine(RdmaNic& nic)
    : m_nic(nic),
      m_port(nic.GetPort(0))
{
}

RdmaNicEngine::~RdmaNicEngine() = default;

void
RdmaNicEngine::Clear()
{
    m_cnps.Clear();
    m_toAnnounce.clear();
    m_dma.reset();
}

void
RdmaNicEngine::Add(QpCore* qp)
{
    m_table.Add(qp);
}

void
RdmaNicEngine::Remove(QpCore* qp)
{
    Quiesce(*qp);
    if (m_dma)
    {
        m_dma->Forget(*qp);
    }
    m_table.Remove(qp);
}

void
RdmaNicEngine::Quiesce(QpCore& qp)
{
    m_scheduler.Remove(&qp.entry);
    m_timers.Remove(&qp.timer);
    if (qp.blocked)
    {
        qp.blocked = false;
        --m_blocked;
    }
}

// ---- arrivals -----------------------------------------------------------------------------------

void
RdmaNicEngine::WakeExactly(FabricPs at)
{
    m_exact.Insert(at, 0);
    m_nic.Arm(m_port, at);
}

void
RdmaNicEngine::NeedWake(FabricPs at, uint8_t vl)
{
    m_port.pending.Insert(at, vl);
    m_nic.Arm(m_port, std::max(at, m_port.busyUntil));
}

void
RdmaNicEngine::OnPost(const FabricPacket* p)
{
    QpCore* qp = Find(p->destQp);
    if (qp == nullptr)
    {
        return;
    }
    if (m_dma && p->payload > 0 && m_dma->WatchesArrivals())
    {
        WakeExactly(p->arrival);
    }
    if (BthTraits::IsRequest(p->opcode))
    {
        PostRequest(qp, p);
    }
    else if (p->opcode != BTH_CNP)
    {
        PostAnswer(qp, p);
    }
    // cnpFrom only grows: what is too early for a CNP now stays too early
    if ((p->flags & FABRIC_CE) && (qp->needs & RDMA_NEEDS_CNP) && p->arrival >= qp->cnpFrom)
    {
        NeedWake(p->arrival + FabricTime::From(m_nic.m_cnpDelay), CnpClass(*qp));
    }
}

void
RdmaNicEngine::PostRequest(QpCore* qp, const FabricPacket* p)
{
    const bool inOrder = p->psn == qp->postNext[0];
    qp->postNext[0] = (p->psn + 1) & RdmaPsn::MASK;
    if (BthTraits::Starts(p->opcode) || BthTraits::Ends(p->opcode) || BthTraits::IsSend(p->opcode))
    {
        WakeExactly(p->arrival); // completions, errors
    }
    else if (qp->type == VerbsQpType::RC &&
             (!inOrder || (p->flags & FABRIC_ACK_REQ) || IsAckDue(*qp, p->psn)))
    {
        NeedWake(p->arrival, AckClass(*qp));
    }
}

void
RdmaNicEngine::PostAnswer(QpCore* qp, const FabricPacket* p)
{
    const bool ack = p->opcode == BTH_RC_ACK;
    bool inOrder = true;
    if (!ack)
    {
        inOrder = p->psn == qp->postNext[1];
        qp->postNext[1] = (p->psn + 1) & RdmaPsn::MASK;
    }
    const bool plain =
        ack ? (p->syndrome & 0x60) == 0
            : !BthTraits::Ends(p->opcode) && inOrder && p->opcode != BTH_RC_ATOMIC_ACK;
    if (!plain || qp->requester.CompletesOldest(p->psn))
    {
        WakeExactly(p->arrival);
    }
    else if (m_blocked > 0)
    {
        m_nic.Arm(m_port, m_dma ? p->arrival : std::max(p->arrival, m_port.busyUntil));
    }
}

void
RdmaNicEngine::OnAdmit(const FabricPacket* p)
{
    ReleaseCnps(p->arrival);
    QpCore* qp = Find(p->destQp);
    if (qp == nullptr)
    {
        ++m_nic.m_unknownQp;
        return;
    }
    if (BthTraits::IsRequest(p->opcode))
    {
        qp->responder.OnRequest(p);
    }
    else if (p->opcode == BTH_CNP)
    {
        ++qp->counters.cnpsRx;
        if (qp->congestion)
        {
            qp->congestion->OnCnp(qp->rate, p->arrival);
        }
    }
    else if (qp->state != VerbsQpState::RTS && qp->state != VerbsQpState::SQD)
    {
        ++qp->counters.discarded;
    }
    else if (p->opcode == BTH_RC_ACK)
    {
        qp->requester.OnAck(p);
    }
    else
    {
        ++qp->counters.rxPackets;
        if (p->flags & FABRIC_CE)
        {
            ++qp->counters.markedRx;
            qp->OnMarked(p->arrival);
        }
        qp->requester.OnResponse(p);
    }
}

// ---- sending ------------------------------------------------------------------------------------

int
RdmaNicEngine::Outlook(QpCore& qp, FabricPs t, FabricPs& at, bool& paced)
{
    FabricPs requestAt = 0;
    int verdict = qp.requester.Outlook(t, requestAt);
    FabricPs ready = requestAt;
    if (qp.responder.HasResponses())
    {
        const FabricPs responseAt = qp.responder.ResponseAt();
        ready = verdict > 0 ? std::min(requestAt, responseAt) : responseAt;
        verdict = 1;
    }
    if (verdict > 0)
    {
        const FabricPs pace = qp.PaceAt(t);
        paced = pace > t && pace >= ready;
        at = std::max(ready, pace);
    }
    return verdict;
}

void
RdmaNicEngine::Resettle(QpCore& qp, FabricPs t)
{
    if (qp.entry.IsScheduled())
    {
        return;
    }
    FabricPs at = 0;
    bool paced = false;
    const int verdict = Outlook(qp, t, at, paced);
    if (qp.blocked != (verdict < 0))
    {
        qp.blocked = verdict < 0;
        m_blocked += qp.blocked ? 1 : -1;
    }
    if (verdict > 0)
    {
        if (paced && qp.congestion)
        {
            // the rate may rise before then: look again when it can
            at = std::min(at, std::max(t, qp.congestion->NextDeadline()));
        }
        m_scheduler.Schedule(&qp.entry, std::max(at, t));
    }
}

void
RdmaNicEngine::Kick(QpCore& qp, FabricPs now)
{
    Resettle(qp, now);
    if (!m_port.up)
    {
        qp.requester.EnsureTimer(now);
        m_nic.WatchTimersWhileDown();
        return;
    }
    // While an arrival is handled inside the port's own wake, that wake goes on to send anyway.
    if (qp.entry.IsScheduled() && !(m_admitting && m_port.wakeAt == FABRIC_NEVER))
    {
        const FabricPs at = qp.entry.ringed ? now : qp.entry.wait.at;
        m_nic.Arm(m_port, std::max({at, m_dma ? now : m_port.busyUntil, now}));
    }
}

void
RdmaNicEngine::SettleFronts(FabricPs now, FabricMask blocked)
{
    for (uint8_t ready = m_scheduler.GetReady() & ~blocked; ready != 0; ready &= ready - 1)
    {
        const auto vl = static_cast<uint8_t>(__builtin_ctz(ready));
        while (QpSchedulerEntry* e = m_scheduler.Front(vl))
        {
            QpCore& qp = *static_cast<QpCore*>(e->owner);
            FabricPs at = 0;
            bool paced = false;
            if (Outlook(qp, now, at, paced) > 0 && at <= now)
            {
                break;
            }
            m_scheduler.Remove(e);
            Resettle(qp, now);
        }
    }
}

FabricPacket*
RdmaNicEngine::SendFrom(QpCore& qp, FabricPs now)
{
    m_scheduler.Remove(&qp.entry);
    FabricPacket* p;
    if (qp.responder.HasResponses() && qp.responder.ResponseAt() <= now)
    {
        p = qp.responder.BuildResponse(now);
    }
    else
    {
        p = qp.requester.Build(now);
    }
    if (p != nullptr)
    {
        qp.OnSent(p, now);
    }
    Resettle(qp, now);
    return p;
}

FabricPacket*
RdmaNicEngine::Select(FabricPs now)
{
    ReleaseCnps(now);
    if (m_dma)
    {
        return m_dma->Select(now);
    }
    m_scheduler.Promote(now);
    const FabricMask blocked = m_port.flow->GetBlocked();
    while (true)
    {
        SettleFronts(now, blocked);
        const FabricMask ready = (m_port.queued | m_scheduler.GetReady()) & ~blocked;
        if (ready == 0)
        {
            return nullptr;
        }
        const uint8_t vl = m_port.scheduler->Select(ready);
        if ((m_port.queued >> vl) & 1)
        {
            return m_port.Dequeue(vl);
        }
        FabricPacket* p = SendFrom(*static_cast<QpCore*>(m_scheduler.Front(vl)->owner), now);
        if (p != nullptr)
        {
            return p;
        }
    }
}

FabricPs
RdmaNicEngine::NextWake(FabricPs now)
{
    if (m_dma)
    {
        return m_dma->NextWake(now);
    }
    const FabricPs busy = m_port.busyUntil;
    FabricPs next = std::min(m_timers.NextAt(), m_exact.NextAfter(now, 0));
    if (m_scheduler.GetReady() & ~m_port.flow->GetBlocked())
    {
        return std::min(next, busy);
    }
    next = std::min(next, std::max(busy, m_scheduler.NextAt()));
    if (!m_cnps.IsEmpty())
    {
        next = std::min(next, std::max(busy, m_cnps.Front()->arrival));
    }
    if (m_blocked > 0 && !m_port.inbox.IsEmpty())
    {
        next = std::min(next, std::max(busy, m_port.inbox.Front()->arrival));
    }
    return next;
}

// ---- services -----------------------------------------------------------------------------------

void
RdmaNicEngine::SendControl(FabricPacket* p)
{
    m_port.Enqueue(p);
}

void
RdmaNicEngine::SendCnp(FabricPacket* p, FabricPs at)
{
    p->arrival = at + FabricTime::From(m_nic.m_cnpDelay);
    m_cnps.Push(p);
    ReleaseCnps(at);
}

void
RdmaNicEngine::ReleaseCnps(FabricPs until)
{
    while (!m_cnps.IsEmpty() && m_cnps.Front()->arrival <= until)
    {
        m_port.Enqueue(m_cnps.Pop());
    }
}

void
RdmaNicEngine::StartTimer(QpCore& qp, FabricPs at)
{
    m_timers.Push(&qp.timer, at);
}

void
RdmaNicEngine::StopTimer(QpCore& qp)
{
    m_timers.Remove(&qp.timer);
}

void
RdmaNicEngine::RunTimers(FabricPs now)
{
    while (m_timers.NextAt() <= now && !m_timers.IsEmpty())
    {
        DeadlineNode* node = m_timers.Top();
        const FabricPs at = node->at;
        m_timers.Remove(node);
        static_cast<QpCore*>(node->owner)->requester.OnTimer(at);
    }
    if (m_dma)
    {
        m_dma->Update(now);
    }
    Announce();
}

FabricPs
RdmaNicEngine::NextTimer() const
{
    return m_dma ? std::min(m_timers.NextAt(), m_dma->NextUpdate()) : m_timers.NextAt();
}

void
RdmaNicEngine::SetDmaPath(RdmaDmaPath* path)
{
    m_dma.reset(path == nullptr ? nullptr : new RdmaDmaSide(*this, *path));
}

void
RdmaNicEngine::EnsureTimers(FabricPs now)
{
    for (const QpTable::Slot& slot : m_table.GetSlots())
    {
        if (slot.qp != nullptr)
        {
            slot.qp->requester.EnsureTimer(now);
        }
    }
}

void
RdmaNicEngine::PushCompletion(QpCore& qp,
                              const Ptr<VerbsCompletionQueue>& cq,
                              const WorkCompletion& wc)
{
    if (!cq->Push(wc))
    {
        m_overrun.push_back(qp.qpn);
    }
    if (!cq->m_pending)
    {
        cq->m_pending = true;
        m_toAnnounce.push_back(cq);
    }
}

void
RdmaNicEngine::Announce()
{
    if (m_announcing)
    {
        return;
    }
    m_announcing = true;
    for (size_t i = 0; i < m_overrun.size(); ++i)
    {
        QpCore* qp = Find(m_overrun[i]);
        if (qp != nullptr && qp->state != VerbsQpState::ERR)
        {
            qp->EnterError(FabricTime::Now());
        }
    }
    m_overrun.clear();
    for (size_t i = 0; i < m_toAnnounce.size(); ++i)
    {
        const Ptr<VerbsCompletionQueue> cq = m_toAnnounce[i];
        cq->m_pending = false;
        cq->Notify();
    }
    m_toAnnounce.clear();
    m_announcing = false;
}

void
RdmaNicEngine::AnnounceLater()
{
    if (!m_toAnnounce.empty())
    {
        Simulator::ScheduleNow(&RdmaNic::AnnounceNow, Ptr<RdmaNic>(&m_nic));
    }
}

bool
RdmaNicEngine::LimitsMessages() const
{
    return m_nic.m_messageRate > 0;
}

FabricPs
RdmaNicEngine::TakeMessageToken(FabricPs now)
{
    if (m_tokenFree <= now)
    {
        m_tokenFree = now;
        m_tokenFraction = 0;
    }
    const FabricPs slot = m_tokenFree + (m_tokenFraction > 0 ? 1 : 0);
    m_tokenFraction += 1e12 / m_nic.m_messageRate;
    const auto whole = static_cast<FabricPs>(m_tokenFraction);
    m_tokenFree += whole;
    m_tokenFraction -= static_cast<double>(whole);
    return slot;
}

uint64_t
RdmaNicEngine::WindowOf(const QpCore& qp) const
{
    const uint64_t fixed = m_nic.m_window;
    const uint64_t own = qp.congestion ? qp.rate.windowBytes : 0;
    return fixed == 0 || own == 0 ? std::max(fixed, own) : std::min(fixed, own);
}

bool
RdmaNicEngine::IsAckDue(const QpCore& qp, uint32_t psn) const
{
    return (psn + 1) % m_nic.m_ackInterval == 0 ||
           (qp.needs & (RDMA_NEEDS_EVERY_ACK | RDMA_NEEDS_INT)) != 0;
}

uint32_t
RdmaNicEngine::FlowHash(const QpCore& qp, uint32_t endpoint, uint32_t destQpn) const
{
    const uint64_t pair = (static_cast<uint64_t>(Endpoint()) << 32) | endpoint;
    uint64_t port = qp.attr.udpSourcePort;
    if (port == 0)
    {
        const uint64_t both = (static_cast<uint64_t>(qp.qpn) << 24) | destQpn;
        port = 0xc000 | (FabricRandom::Mix(both) & 0x3fff);
    }
    return static_cast<uint32_t>(FabricRandom::Mix(FabricRandom::Mix(pair) + (port << 16 | 4791)));
}

VerbsMemoryRegion*
RdmaNicEngine::FindMemory(uint32_t key) const
{
    return m_nic.FindMemory(key);
}

const FrameProfile&
RdmaNicEngine::Profile() const
{
    return *m_nic.m_profile;
}

uint32_t
RdmaNicEngine::Endpoint() const
{
    return m_nic.m_endpoint;
}

uint8_t
RdmaNicEngine::AckClass(const QpCore& qp) const
{
    return m_nic.m_ackClass == RdmaNic::CLASS_OF_DATA ? qp.vl : m_nic.m_ackClass;
}

uint8_t
RdmaNicEngine::CnpClass(const QpCore& qp) const
{
    return m_nic.m_cnpClass == RdmaNic::CLASS_OF_DATA ? qp.vl : m_nic.m_cnpClass;
}

FabricPs
RdmaNicEngine::CnpInterval() const
{
    return FabricTime::From(m_nic.m_cnpInterval);
}

FabricPs
RdmaNicEngine::DmaRead() const
{
    return FabricTime::From(m_nic.m_dmaRead);
}

} // namespace ns3
