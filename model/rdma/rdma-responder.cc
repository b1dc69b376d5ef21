/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-responder.h"

#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"

#include <algorithm>

namespace ns3
{

void
RdmaResponder::Start(uint32_t psn)
{
    Clear();
    m_view.expected = m_view.messageFirst = RdmaPsn::Start(psn);
}

void
RdmaResponder::Clear()
{
    m_inMessage = m_inWrite = m_skipping = m_hasReceive = false;
    m_messageBytes = m_messageLength = 0;
    m_jobs.Clear();
    m_done.clear();
    m_doneNext = 0;
    m_refusal = 0;
}

void
RdmaResponder::OnRequest(const FabricPacket* p)
{
    ++m_core.counters.rxPackets;
    if (p->flags & FABRIC_CE)
    {
        ++m_core.counters.markedRx;
        m_core.OnMarked(p->arrival);
    }
    static const uint8_t families[] = {0x00, 0x20, 0x60};
    const bool mine = (p->opcode & 0xe0) == families[static_cast<uint8_t>(m_core.type)];
    const bool ready = m_core.state >= VerbsQpState::RTR && m_core.state <= VerbsQpState::SQE;
    if (!mine || !ready || m_refusal != 0)
    {
        ++m_core.counters.discarded;
        return;
    }
    switch (m_core.type)
    {
    case VerbsQpType::RC:
        OnReliable(p);
        break;
    case VerbsQpType::UC:
        OnUnreliable(p);
        break;
    case VerbsQpType::UD:
        OnDatagram(p);
        break;
    }
}

void
RdmaResponder::ForgetMessage()
{
    m_core.counters.delivered -= m_messageBytes;
    m_messageBytes = 0;
    m_inMessage = false;
}

void
RdmaResponder::OnReliable(const FabricPacket* p)
{
    const uint64_t seq = RdmaPsn::Extend(p->psn, m_view.expected);
    const uint64_t before = m_view.expected;
    const RdmaArrival verdict = m_core.recovery->OnArrival(m_view, seq);
    if (m_view.expected < before && m_inMessage)
    {
        ForgetMessage(); // go-back-0
    }
    switch (verdict)
    {
    case RdmaArrival::DISCARD:
        ++m_core.counters.discarded;
        return;
    case RdmaArrival::NAK:
        ++m_core.counters.discarded;
        ++m_core.counters.naksTx;
        SendAck(RDMA_NAK_SEQUENCE, m_view.expected, p);
        return;
    case RdmaArrival::DUPLICATE:
        ++m_core.counters.duplicates;
        OnDuplicate(p, seq);
        return;
    case RdmaArrival::ACCEPT:
        break;
    }
    const uint8_t syndrome = Accept(p);
    if ((syndrome & 0x60) == RDMA_RNR)
    {
        ++m_core.counters.rnrTx;
        ++m_core.counters.discarded;
        m_core.recovery->OnRefused();
        SendAck(syndrome, seq, p);
        return;
    }
    if (syndrome != RDMA_ACK)
    {
        Refuse(syndrome, p->arrival);
        return;
    }
    if ((p->opcode <= BTH_RC_WRITE_ONLY_IMM) &&
        ((p->flags & FABRIC_ACK_REQ) || m_core.engine.IsAckDue(m_core, p->psn)))
    {
        ++m_core.counters.acksTx;
        SendAck(RDMA_ACK, seq, p);
    }
}

void
RdmaResponder::OnDuplicate(const FabricPacket* p, uint64_t seq)
{
    if (p->opcode == BTH_RC_READ_REQUEST)
    {
        const FabricPacketSide& side =
            static_cast<const FabricPacketPool&>(FabricPacketPool::Get()).Side(p);
        m_jobs.DropFrom(seq);
        QueueRead(seq, side, p->arrival);
        return;
    }
    if (BthTraits::IsAtomic(p->opcode))
    {
        for (const Done& done : m_done)
        {
            if (done.seq == seq)
            {
                AnswerAtomic(seq, done.value, p->arrival, 0);
            }
        }
        return;
    }
    ++m_core.counters.acksTx;
    SendAck(RDMA_ACK, m_view.expected - 1, p);
}

void
RdmaResponder::OnUnreliable(const FabricPacket* p)
{
    const uint64_t seq = RdmaPsn::Extend(p->psn, m_view.expected);
    if (seq != m_view.expected || (m_inMessage && BthTraits::Starts(p->opcode)))
    {
        if (m_inMessage)
        {
            ForgetMessage(); // the message is lost; its receive request serves the next
        }
        m_skipping = true;
    }
    m_view.expected = seq;
    m_skipping = m_skipping && !BthTraits::Starts(p->opcode);
    if (m_skipping || Accept(p) != RDMA_ACK)
    {
        ++m_core.counters.discarded;
        m_skipping = !BthTraits::Ends(p->opcode);
        m_view.expected = m_view.messageFirst = seq + 1;
        if (m_inMessage)
        {
            ForgetMessage();
        }
    }
}

void
RdmaResponder::OnDatagram(const FabricPacket* p)
{
    const FabricPacketSide& side =
        static_cast<const FabricPacketPool&>(FabricPacketPool::Get()).Side(p);
    if (side.qkey != m_core.attr.qkey || BeginReceive(p) != RDMA_ACK)
    {
        ++m_core.counters.discarded;
        return;
    }
    m_messageBytes = p->payload;
    const bool fits = p->payload <= m_receive.length;
    if (fits)
    {
        Store(p, m_receive.lkey);
    }
    EndReceive(p, fits ? VerbsWcStatus::SUCCESS : VerbsWcStatus::LOC_LEN_ERR, false);
    if (fits)
    {
        m_core.counters.delivered += p->payload;
        EndMessage(p->arrival);
    }
    m_messageBytes = 0;
}

void
RdmaResponder::EndMessage(FabricPs at)
{
    RdmaDmaSide* dma = m_core.engine.Dma();
    if (dma == nullptr || !dma->GetLanding().DeferMessage(m_core, at))
    {
        FinishMessage(at);
    }
}

void
RdmaResponder::Store(const FabricPacket* p, uint32_t key)
{
    if (RdmaDmaSide* dma = m_core.engine.Dma())
    {
        dma->Store(m_core, RdmaSide::RECEIVE, key, p->payload, p);
    }
}

void
RdmaResponder::FinishMessage(FabricPs at)
{
    m_lastMessageAt = at;
    ++m_core.counters.messagesIn;
    if (!delivery.IsNull())
    {
        delivery(m_core.counters.messagesIn, at);
    }
}

bool
RdmaResponder::FitsMessage(uint8_t opcode) const
{
    if (BthTraits::Starts(opcode))
    {
        return !m_inMessage;
    }
    return m_inMessage && m_inWrite == BthTraits::IsWrite(opcode);
}

uint8_t
RdmaResponder::Accept(const FabricPacket* p)
{
    if (!FitsMessage(p->opcode))
    {
        return RDMA_NAK_INVALID;
    }
    if (p->opcode == BTH_RC_READ_REQUEST)
    {
        return AcceptRead(p);
    }
    if (BthTraits::IsAtomic(p->opcode))
    {
        return AcceptAtomic(p);
    }
    if (BthTraits::Starts(p->opcode))
    {
        m_messageBytes = 0;
    }
    const uint8_t syndrome = BthTraits::IsWrite(p->opcode) ? AcceptWrite(p) : AcceptSend(p);
    if (syndrome != RDMA_ACK)
    {
        return syndrome;
    }
    m_core.counters.delivered += p->payload;
    ++m_view.expected;
    m_inMessage = !BthTraits::Ends(p->opcode);
    m_inWrite = BthTraits::IsWrite(p->opcode);
    if (!m_inMessage)
    {
        m_view.messageFirst = m_view.expected;
        m_messageBytes = 0;
        EndMessage(p->arrival);
    }
    return RDMA_ACK;
}

uint8_t
RdmaResponder::BeginReceive(const FabricPacket*)
{
    if (!m_hasReceive)
    {
        if (!receives->Take(m_receive))
        {
            return static_cast<uint8_t>(RDMA_RNR | (m_core.attr.minRnrTimer & 31));
        }
        m_hasReceive = true;
    }
    return RDMA_ACK;
}

void
RdmaResponder::EndReceive(const FabricPacket* p, VerbsWcStatus status, bool write)
{
    WorkCompletion wc;
    wc.wrId = m_receive.wrId;
    wc.status = status;
    wc.opcode = write ? VerbsWcOpcode::RECV_RDMA_WITH_IMM : VerbsWcOpcode::RECV;
    wc.byteLen = m_messageBytes;
    wc.srcEndpoint = p->src;
    wc.srcQp = m_core.attr.destQpn;
    wc.at = p->arrival;
    const FabricPacketPool& pool = FabricPacketPool::Get();
    if (BthTraits::HasImm(p->opcode))
    {
        wc.withImm = true;
        wc.immData = pool.Side(p).imm;
    }
    if (m_core.type == VerbsQpType::UD)
    {
        wc.srcQp = pool.Side(p).srcQp;
    }
    m_hasReceive = false;
    m_core.Complete(RdmaSide::RECEIVE, wc);
}

uint8_t
RdmaResponder::AcceptSend(const FabricPacket* p)
{
    if (BthTraits::Starts(p->opcode))
    {
        const uint8_t syndrome = BeginReceive(p);
        if (syndrome != RDMA_ACK)
        {
            return syndrome;
        }
        const VerbsMemoryRegion* mr =
            m_receive.lkey == 0 ? nullptr : m_core.engine.FindMemory(m_receive.lkey);
        if (m_receive.lkey != 0 && (mr == nullptr || !mr->Allows(m_core.pdId,
                                                                 m_receive.localAddr,
                                                                 m_receive.length,
                                                                 VERBS_ACCESS_LOCAL_WRITE)))
        {
            EndReceive(p, VerbsWcStatus::LOC_PROT_ERR, false);
            return RDMA_NAK_OPERATION;
        }
    }
    if (m_messageBytes + p->payload > m_receive.length)
    {
        EndReceive(p, VerbsWcStatus::LOC_LEN_ERR, false);
        return RDMA_NAK_INVALID;
    }
    m_messageBytes += p->payload;
    Store(p, m_receive.lkey);
    if (BthTraits::Ends(p->opcode))
    {
        EndReceive(p, VerbsWcStatus::SUCCESS, false);
    }
    return RDMA_ACK;
}

uint8_t
RdmaResponder::AcceptWrite(const FabricPacket* p)
{
    if (BthTraits::Starts(p->opcode))
    {
        const FabricPacketSide& side =
            static_cast<const FabricPacketPool&>(FabricPacketPool::Get()).Side(p);
        const VerbsMemoryRegion* mr = m_core.engine.FindMemory(side.rkey);
        if (side.length > 0 &&
            (mr == nullptr ||
             !mr->Allows(m_core.pdId, side.remoteAddr, side.length, VERBS_ACCESS_REMOTE_WRITE)))
        {
            return RDMA_NAK_ACCESS;
        }
        m_messageLength = side.length;
        m_writeKey = side.rkey;
    }
    const uint64_t total = m_messageBytes + p->payload;
    const bool ends = BthTraits::Ends(p->opcode);
    if (total > m_messageLength || (ends && total != m_messageLength))
    {
        return RDMA_NAK_INVALID;
    }
    if (BthTraits::HasImm(p->opcode))
    {
        const uint8_t syndrome = BeginReceive(p);
        if (syndrome != RDMA_ACK)
        {
            return syndrome;
        }
        Store(p, m_writeKey);
        m_messageBytes = total;
        EndReceive(p, VerbsWcStatus::SUCCESS, true);
        return RDMA_ACK;
    }
    Store(p, m_writeKey);
    m_messageBytes = total;
    return RDMA_ACK;
}

uint8_t
RdmaResponder::AcceptRead(const FabricPacket* p)
{
    const FabricPacketSide& side =
        static_cast<const FabricPacketPool&>(FabricPacketPool::Get()).Side(p);
    const VerbsMemoryRegion* mr = m_core.engine.FindMemory(side.rkey);
    if (side.length > 0 &&
        (mr == nullptr ||
         !mr->Allows(m_core.pdId, side.remoteAddr, side.length, VERBS_ACCESS_REMOTE_READ)))
    {
        return RDMA_NAK_ACCESS;
    }
    if (m_jobs.GetN() >= m_core.attr.maxDestRdAtomic)
    {
        return RDMA_NAK_INVALID;
    }
    const uint64_t seq = m_view.expected;
    m_view.expected += side.length == 0 ? 1 : (side.length - 1) / m_core.mtu + 1;
    m_view.messageFirst = m_view.expected;
    QueueRead(seq, side, p->arrival);
    return RDMA_ACK;
}

uint8_t
RdmaResponder::AcceptAtomic(const FabricPacket* p)
{
    const FabricPacketSide& side =
        static_cast<const FabricPacketPool&>(FabricPacketPool::Get()).Side(p);
    if (side.remoteAddr % 8 != 0 || m_jobs.GetN() >= m_core.attr.maxDestRdAtomic)
    {
        return RDMA_NAK_INVALID;
    }
    VerbsMemoryRegion* mr = m_core.engine.FindMemory(side.rkey);
    if (mr == nullptr || !mr->Allows(m_core.pdId, side.remoteAddr, 8, VERBS_ACCESS_REMOTE_ATOMIC))
    {
        return RDMA_NAK_ACCESS;
    }
    const uint64_t value = mr->ReadWord(side.remoteAddr);
    if (p->opcode == BTH_RC_FETCH_ADD)
    {
        mr->WriteWord(side.remoteAddr, value + side.operand);
    }
    else if (value == side.compare)
    {
        mr->WriteWord(side.remoteAddr, side.operand);
    }
    const uint64_t seq = m_view.expected++;
    m_view.messageFirst = m_view.expected;
    const size_t room = std::max<size_t>(1, m_core.attr.maxDestRdAtomic);
    if (m_done.size() < room)
    {
        m_done.push_back({seq, value});
    }
    else
    {
        m_done[m_doneNext] = {seq, value};
        m_doneNext = static_cast<uint32_t>((m_doneNext + 1) % room);
    }
    AnswerAtomic(seq, value, p->arrival, FetchFrom(side.rkey));
    return RDMA_ACK;
}

void
RdmaResponder::QueueRead(uint64_t seq, const FabricPacketSide& read, FabricPs at)
{
    const uint64_t bytes = read.length;
    const uint64_t packets = bytes == 0 ? 1 : (bytes - 1) / m_core.mtu + 1;
    const FabricPs fetch = bytes == 0 ? 0 : FetchFrom(read.rkey);
    m_jobs.Push({seq, seq + packets, bytes, false, false, at + m_core.engine.DmaRead(), fetch});
    m_core.engine.Resettle(m_core, at);
}

FabricPs
RdmaResponder::ResponseAt() const
{
    return m_jobs.Front().readyAt;
}

FabricPacket*
RdmaResponder::BuildResponse(FabricPs now)
{
    RdmaResponseJob& job = m_jobs.Front();
    FabricPacket* p;
    if (job.atomic)
    {
        p = BuildAtomicAck(job.seq, job.bytes, job.fetch);
        ++job.seq;
    }
    else
    {
        const bool last = job.seq + 1 == job.end;
        uint8_t opcode = job.begun ? BTH_RC_READ_RESPONSE_MIDDLE : BTH_RC_READ_RESPONSE_FIRST;
        if (last)
        {
            opcode = job.begun ? BTH_RC_READ_RESPONSE_LAST : BTH_RC_READ_RESPONSE_ONLY;
        }
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(job.bytes, m_core.mtu));
        p = m_core.NewPacket(opcode, payload, m_core.vl, job.seq);
        p->syndrome = RDMA_ACK;
        p->arrival = job.fetch;
        job.begun = true;
        job.bytes -= payload;
        ++job.seq;
    }
    if (job.seq == job.end)
    {
        m_jobs.Pop();
        if (m_jobs.IsEmpty() && m_refusal != 0)
        {
            Refuse(m_refusal, now);
        }
    }
    return p;
}

FabricPacket*
RdmaResponder::BuildAtomicAck(uint64_t seq, uint64_t value, FabricPs fetch)
{
    // in the data class, so that it stays behind the responses of earlier READs
    FabricPacket* p = m_core.NewPacket(BTH_RC_ATOMIC_ACK, 0, m_core.vl, seq);
    p->syndrome = RDMA_ACK;
    p->arrival = fetch;
    FabricPacketPool::Get().Side(p).operand = value;
    return p;
}

void
RdmaResponder::AnswerAtomic(uint64_t seq, uint64_t value, FabricPs at, FabricPs fetch)
{
    if (HasResponses())
    {
        m_jobs.Push({seq, seq + 1, value, true, false, at, fetch});
        m_core.engine.Resettle(m_core, at);
        return;
    }
    SendBehindData(BuildAtomicAck(seq, value, fetch));
}

FabricPs
RdmaResponder::FetchFrom(uint32_t key) const
{
    const RdmaDmaSide* dma = m_core.engine.Dma();
    return dma == nullptr ? 0 : dma->FetchFrom(key);
}

void
RdmaResponder::SendBehindData(FabricPacket* p)
{
    if (RdmaDmaSide* dma = m_core.engine.Dma())
    {
        dma->SendBehindData(m_core.qpn, p);
        return;
    }
    m_core.engine.SendControl(p);
}

void
RdmaResponder::SendAck(uint8_t syndrome, uint64_t seq, const FabricPacket* cause)
{
    m_core.engine.SendControl(MakeAck(syndrome, seq, cause));
}

FabricPacket*
RdmaResponder::MakeAck(uint8_t syndrome, uint64_t seq, const FabricPacket* cause)
{
    FabricPacket* p = m_core.NewPacket(BTH_RC_ACK, 0, m_core.engine.AckClass(m_core), seq);
    p->syndrome = syndrome;
    if (cause != nullptr)
    {
        p->txStamp = cause->txStamp;
        p->flags |= (cause->flags & FABRIC_CE) ? FABRIC_ECHO_CE : 0;
    }
    return p;
}

void
RdmaResponder::Refuse(uint8_t syndrome, FabricPs at)
{
    if (HasResponses())
    {
        m_refusal = syndrome;
        return;
    }
    m_refusal = 0;
    ++m_core.counters.naksTx;
    SendBehindData(MakeAck(syndrome, m_view.expected, nullptr));
    m_core.EnterError(at);
}

void
RdmaResponder::Flush(FabricPs at)
{
    m_jobs.Clear();
    WorkCompletion wc;
    wc.status = VerbsWcStatus::WR_FLUSH_ERR;
    wc.opcode = VerbsWcOpcode::RECV;
    wc.at = at;
    if (m_hasReceive)
    {
        m_hasReceive = false;
        wc.wrId = m_receive.wrId;
        m_core.Complete(RdmaSide::RECEIVE, wc);
    }
    while (!shared && receives->Take(m_receive))
    {
        wc.wrId = m_receive.wrId;
        m_core.Complete(RdmaSide::RECEIVE, wc);
    }
}

} // namespace ns3
