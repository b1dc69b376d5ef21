/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-requester.h"

#include "loss-recovery.h"
#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"
#include "rdma-request-builder.h"

#include <algorithm>

namespace ns3
{

void
RdmaRequester::Start(uint32_t psn, FabricPs timeout)
{
    Clear();
    m_una = m_acked = m_sentSeq = RdmaPsn::Start(psn);
    m_queue.Reset(m_una);
    m_timeout = timeout;
}

void
RdmaRequester::Clear()
{
    m_queue.Reset(0);
    m_unaByte = 0;
    m_gapSeen = m_rateToken = false;
    m_tokenAt = m_holdUntil = 0;
    m_deadline = FABRIC_NEVER;
    m_retries = m_rnrs = 0;
}

void
RdmaRequester::Post(const WorkRequest& wr, FabricPs readyAt)
{
    m_queue.Push(wr, readyAt, m_core.mtu);
}

uint64_t
RdmaRequester::GetInFlight() const
{
    const uint64_t sent = m_queue.CursorByte();
    return sent > m_unaByte ? sent - m_unaByte : 0;
}

int
RdmaRequester::Outlook(FabricPs now, FabricPs& at)
{
    if (m_queue.cursor == m_queue.tail ||
        (m_core.state != VerbsQpState::RTS && m_core.state != VerbsQpState::SQD))
    {
        return 0;
    }
    const Wqe& w = m_queue.At(m_queue.cursor);
    const uint64_t seq = w.firstSeq + m_queue.cursorPacket;
    const bool fresh = m_queue.cursorPacket == 0 && seq >= m_sentSeq;
    at = std::max(w.readyAt, m_holdUntil);
    if (fresh && m_core.state == VerbsQpState::SQD)
    {
        return 0;
    }
    if (m_queue.cursorPacket == 0)
    {
        if (((w.wr.flags & VERBS_SEND_FENCE) && m_queue.answerable > 0) ||
            (w.IsAnswered() && m_queue.answerable >= m_core.attr.maxRdAtomic))
        {
            return -1;
        }
        if (w.wr.lkey != 0 && m_queue.head < m_queue.cursor && !CheckLocal(w, now))
        {
            return -1; // fails once everything before it is complete
        }
    }
    if (m_core.type == VerbsQpType::RC && seq != m_una)
    {
        const uint64_t last = w.IsAnswered() ? w.firstSeq + w.packets : seq + 1;
        if (last - m_una > RdmaPsn::MAX_OUTSTANDING)
        {
            return -1;
        }
        const uint64_t window = m_core.engine.WindowOf(m_core);
        if (window > 0 && !w.IsAnswered())
        {
            const uint64_t inFlight = GetInFlight();
            const uint64_t payload =
                m_queue.ByteOf(w, m_queue.cursorPacket + 1) - m_queue.CursorByte();
            if (inFlight > 0 && inFlight + payload > window)
            {
                return -1;
            }
        }
    }
    if (fresh && at <= now && m_core.engine.LimitsMessages())
    {
        if (!m_rateToken)
        {
            m_rateToken = true;
            m_tokenAt = m_core.engine.TakeMessageToken(now);
        }
        at = std::max(at, m_tokenAt);
    }
    return 1;
}

bool
RdmaRequester::CheckLocal(const Wqe& w, FabricPs /* now */)
{
    if (w.wr.lkey == 0 || w.wr.length == 0)
    {
        return true;
    }
    const VerbsMemoryRegion* mr = m_core.engine.FindMemory(w.wr.lkey);
    const uint8_t need = w.IsAnswered() ? VERBS_ACCESS_LOCAL_WRITE : 0;
    return mr != nullptr && mr->Allows(m_core.pdId, w.wr.localAddr, w.wr.length, need);
}

FabricPacket*
RdmaRequester::Build(FabricPs now)
{
    Wqe& w = m_queue.At(m_queue.cursor);
    const uint64_t seq = w.firstSeq + m_queue.cursorPacket;
    if (m_queue.cursorPacket == 0 && !CheckLocal(w, now))
    {
        Fail(VerbsWcStatus::LOC_PROT_ERR, now);
        return nullptr;
    }
    m_rateToken = false;
    FabricPacket* p = RdmaRequestBuilder(m_core).Build(w, m_queue.cursorPacket, seq);
    const bool read = w.wr.opcode == VerbsOpcode::RDMA_READ;
    const uint32_t step = read ? w.packets - m_queue.cursorPacket : 1;
    if (seq < m_sentSeq)
    {
        p->flags |= FABRIC_RETRANSMIT;
        ++m_core.counters.retransmits;
    }
    m_queue.Step(step);
    m_sentSeq = std::max(m_sentSeq, seq + step);
    if (m_core.type == VerbsQpType::RC)
    {
        const uint64_t window = m_core.engine.WindowOf(m_core);
        if (window > 0 && GetInFlight() + m_core.mtu > window)
        {
            p->flags |= FABRIC_ACK_REQ;
        }
        if (m_deadline == FABRIC_NEVER)
        {
            RestartTimer(now);
        }
    }
    else if (m_queue.cursorPacket == 0 && m_core.engine.Dma() == nullptr)
    {
        Acknowledge(seq + 1, now); // nobody else will
    }
    return p;
}

void
RdmaRequester::OnLeft(uint32_t psn, FabricPs now)
{
    Acknowledge(RdmaPsn::Extend(psn, m_una) + 1, now);
    if (m_core.blocked)
    {
        m_core.engine.Resettle(m_core, now);
    }
}

bool
RdmaRequester::CompletesOldest(uint32_t psn) const
{
    if (m_queue.IsEmpty())
    {
        return false;
    }
    const Wqe& w = m_queue.Head();
    return RdmaPsn::Extend(psn, m_una) + 1 >= w.firstSeq + w.packets;
}

void
RdmaRequester::RestartTimer(FabricPs at)
{
    if (m_timeout == FABRIC_NEVER)
    {
        return;
    }
    m_deadline = at + m_timeout;
    if (!m_core.timer.IsIn())
    {
        m_core.engine.StartTimer(m_core, m_deadline);
    }
}

void
RdmaRequester::StopTimer()
{
    m_deadline = FABRIC_NEVER;
    m_core.engine.StopTimer(m_core);
}

bool
RdmaRequester::Acknowledge(uint64_t end, FabricPs at)
{
    if (end > m_sentSeq)
    {
        return false;
    }
    m_acked = std::max(m_acked, end);
    const uint64_t before = m_una;
    AdvanceHead(at);
    return m_una > before;
}

void
RdmaRequester::AdvanceHead(FabricPs at)
{
    const uint64_t before = m_una;
    while (m_queue.head < m_queue.tail)
    {
        const Wqe& w = m_queue.Head();
        const uint64_t end = w.firstSeq + w.packets;
        if (!w.IsAnswered())
        {
            m_una = std::max(m_una, std::min(m_acked, end));
        }
        if (m_una < end)
        {
            break;
        }
        Retire(at);
    }
    m_unaByte = m_queue.IsEmpty() ? m_queue.postByte
                                  : m_queue.ByteOf(m_queue.Head(), m_una - m_queue.Head().firstSeq);
    if (m_queue.cursor == m_queue.head && !m_queue.IsEmpty() && m_queue.CursorSeq() < m_una)
    {
        m_queue.cursorPacket = static_cast<uint32_t>(m_una - m_queue.Head().firstSeq);
    }
    if (m_una > before)
    {
        m_retries = m_rnrs = 0;
        m_gapSeen = false;
        if (m_queue.CursorSeq() <= m_una)
        {
            StopTimer();
        }
        else if (m_deadline != FABRIC_NEVER)
        {
            RestartTimer(at);
        }
    }
}

void
RdmaRequester::Retire(FabricPs at)
{
    CompleteHead(VerbsWcStatus::SUCCESS, at);
    m_queue.Pop();
}

void
RdmaRequester::CompleteHead(VerbsWcStatus status, FabricPs at)
{
    const Wqe& w = m_queue.Head();
    if (status == VerbsWcStatus::SUCCESS && !(w.wr.flags & VERBS_SEND_SIGNALED))
    {
        return;
    }
    static const VerbsWcOpcode opcodes[] = {VerbsWcOpcode::RDMA_WRITE,
                                            VerbsWcOpcode::RDMA_WRITE,
                                            VerbsWcOpcode::SEND,
                                            VerbsWcOpcode::SEND,
                                            VerbsWcOpcode::RDMA_READ,
                                            VerbsWcOpcode::COMP_SWAP,
                                            VerbsWcOpcode::FETCH_ADD};
    WorkCompletion wc;
    wc.wrId = w.wr.wrId;
    wc.status = status;
    wc.opcode = opcodes[static_cast<uint8_t>(w.wr.opcode)];
    wc.byteLen = w.wr.length;
    wc.atomicValue = w.value;
    wc.at = at;
    m_core.Complete(RdmaSide::SEND, wc);
}

void
RdmaRequester::Report(const FabricPacket* p, uint64_t ackedBytes)
{
    if (!m_core.congestion)
    {
        return;
    }
    RdmaFeedback feedback;
    feedback.now = p->arrival;
    feedback.ackedBytes = ackedBytes;
    feedback.inFlightBytes = GetInFlight();
    feedback.rtt = (m_core.needs & RDMA_NEEDS_RTT) ? p->arrival - p->txStamp : 0;
    feedback.ecnEcho = (p->flags & FABRIC_ECHO_CE) != 0;
    m_core.congestion->OnFeedback(m_core.rate, feedback);
}

void
RdmaRequester::OnAck(const FabricPacket* p)
{
    const uint64_t seq = RdmaPsn::Extend(p->psn, m_una);
    const uint64_t bytesBefore = m_unaByte;
    const bool positive = (p->syndrome & 0x60) == 0;
    Acknowledge(positive ? seq + 1 : seq, p->arrival);
    if (positive)
    {
        ++m_core.counters.acksRx;
        Report(p, m_unaByte - bytesBefore);
        if (m_core.blocked)
        {
            m_core.engine.Resettle(m_core, p->arrival);
        }
    }
    else if ((p->syndrome & 0x60) == RDMA_RNR)
    {
        OnRnr(p, seq);
    }
    else
    {
        OnNak(p, seq);
    }
}

void
RdmaRequester::OnNak(const FabricPacket* p, uint64_t seq)
{
    ++m_core.counters.naksRx;
    if (m_queue.IsEmpty())
    {
        return;
    }
    switch (p->syndrome)
    {
    case RDMA_NAK_SEQUENCE: {
        const RdmaSenderView view{m_una, m_queue.CursorSeq(), m_queue.Head().firstSeq};
        const uint64_t from = m_core.recovery->OnNak(view, seq);
        if (from < view.next && from >= view.messageFirst)
        {
            if (m_core.congestion)
            {
                m_core.congestion->OnLoss(m_core.rate, p->arrival);
            }
            GoBack(from, p->arrival);
        }
        break;
    }
    case RDMA_NAK_ACCESS:
        Fail(VerbsWcStatus::REM_ACCESS_ERR, p->arrival);
        break;
    case RDMA_NAK_OPERATION:
        Fail(VerbsWcStatus::REM_OP_ERR, p->arrival);
        break;
    default:
        Fail(VerbsWcStatus::REM_INV_REQ_ERR, p->arrival);
        break;
    }
}

void
RdmaRequester::OnRnr(const FabricPacket* p, uint64_t seq)
{
    ++m_core.counters.rnrRx;
    if (seq < m_una || seq >= m_queue.CursorSeq())
    {
        return; // an old one
    }
    if (m_core.attr.rnrRetry != 7 && m_rnrs++ >= m_core.attr.rnrRetry)
    {
        Fail(VerbsWcStatus::RNR_RETRY_EXC_ERR, p->arrival);
        return;
    }
    m_holdUntil = p->arrival + VerbsRnrTimer(p->syndrome & 31);
    GoBack(seq, p->arrival);
}

void
RdmaRequester::GoBack(uint64_t seq, FabricPs at)
{
    if (seq < m_una)
    {
        m_una = m_acked = seq;
        m_unaByte = m_queue.ByteOf(m_queue.Head(), seq - m_queue.Head().firstSeq);
    }
    m_queue.SetCursor(seq);
    m_rateToken = false;
    if (m_queue.CursorSeq() <= m_una)
    {
        StopTimer();
    }
    m_core.engine.Resettle(m_core, at);
}

void
RdmaRequester::OnResponse(const FabricPacket* p)
{
    const uint64_t seq = RdmaPsn::Extend(p->psn, m_una);
    Acknowledge(seq, p->arrival);
    if (m_queue.IsEmpty() || !m_queue.Head().IsAnswered() || seq < m_una || seq >= m_sentSeq)
    {
        ++m_core.counters.discarded;
        return;
    }
    Wqe& w = m_queue.Head();
    if (seq > m_una)
    {
        ++m_core.counters.discarded;
        if (!m_gapSeen)
        {
            m_gapSeen = true;
            GoBack(m_una, p->arrival);
        }
        return;
    }
    if ((p->opcode == BTH_RC_ATOMIC_ACK) != (w.wr.opcode != VerbsOpcode::RDMA_READ))
    {
        Fail(VerbsWcStatus::BAD_RESP_ERR, p->arrival);
        return;
    }
    if (p->opcode == BTH_RC_ATOMIC_ACK)
    {
        const FabricPacketPool& pool = FabricPacketPool::Get();
        w.value = pool.Side(p).operand;
    }
    m_core.counters.delivered += p->payload;
    if (RdmaDmaSide* dma = m_core.engine.Dma())
    {
        const bool read = w.wr.opcode == VerbsOpcode::RDMA_READ;
        dma->Store(m_core, RdmaSide::SEND, w.wr.lkey, read ? p->payload : 8, p);
    }
    ++m_una;
    m_retries = m_rnrs = 0;
    m_gapSeen = false;
    if (m_deadline != FABRIC_NEVER)
    {
        RestartTimer(p->arrival);
    }
    AdvanceHead(p->arrival);
    if (m_queue.CursorSeq() <= m_una)
    {
        StopTimer();
    }
    if (m_core.blocked)
    {
        m_core.engine.Resettle(m_core, p->arrival);
    }
}

void
RdmaRequester::EnsureTimer(FabricPs now)
{
    if (m_core.type == VerbsQpType::RC && !m_queue.IsEmpty() && m_deadline == FABRIC_NEVER)
    {
        RestartTimer(now);
    }
}

void
RdmaRequester::OnTimer(FabricPs at)
{
    if (m_deadline == FABRIC_NEVER)
    {
        return;
    }
    if (m_deadline > at)
    {
        m_core.engine.StartTimer(m_core, m_deadline);
        return;
    }
    m_deadline = FABRIC_NEVER;
    ++m_core.counters.timeouts;
    if (m_retries++ >= m_core.attr.retryCount)
    {
        Fail(VerbsWcStatus::RETRY_EXC_ERR, at);
        return;
    }
    if (m_core.congestion)
    {
        m_core.congestion->OnLoss(m_core.rate, at);
    }
    m_gapSeen = false;
    GoBack(m_core.recovery->OnTimeout({m_una, m_queue.CursorSeq(), m_queue.Head().firstSeq}), at);
    if (!m_core.engine.IsLinkUp())
    {
        EnsureTimer(at);
    }
}

void
RdmaRequester::Fail(VerbsWcStatus status, FabricPs at)
{
    CompleteHead(status, at);
    ++m_queue.head;
    if (m_core.type == VerbsQpType::RC)
    {
        m_core.EnterError(at);
        return;
    }
    m_core.state = VerbsQpState::SQE;
    Flush(at);
}

void
RdmaRequester::Flush(FabricPs at)
{
    for (; m_queue.head < m_queue.tail; ++m_queue.head)
    {
        CompleteHead(VerbsWcStatus::WR_FLUSH_ERR, at);
    }
    m_queue.cursor = m_queue.tail;
    m_queue.cursorPacket = 0;
    m_queue.answerable = 0;
    m_una = m_acked = m_sentSeq = m_queue.postSeq;
    m_unaByte = m_queue.postByte;
    StopTimer();
}

} // namespace ns3
