/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qp-core.h"

#include "loss-recovery.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"

namespace ns3
{

QpCore::QpCore(RdmaNicEngine& nicEngine, VerbsQueuePair& qp)
    : engine(nicEngine),
      owner(qp),
      requester(*this),
      responder(*this)
{
    entry.wait.owner = &entry;
    entry.owner = this;
    timer.owner = this;
}

QpCore::~QpCore() = default;

FabricPacket*
QpCore::NewPacket(uint8_t opcode, uint32_t payload, uint8_t packetVl, uint64_t seq)
{
    FabricPacket* p = FabricPacketPool::Get().Allocate();
    p->kind = FabricPacketKind::TRANSPORT;
    p->opcode = opcode;
    p->payload = static_cast<uint16_t>(payload);
    p->bytes = engine.Profile().BufferBytes(opcode, payload);
    p->src = engine.Endpoint();
    p->dst = attr.destEndpoint;
    p->destQp = attr.destQpn;
    p->flowHash = flowHash;
    p->psn = RdmaPsn::Wire(seq);
    p->vl = packetVl;
    p->dscp = attr.serviceLevel & 15;
    if (attr.pKey != FABRIC_DEFAULT_PKEY)
    {
        FabricPacketPool::Get().Side(p).pKey = attr.pKey;
    }
    return p;
}

void
QpCore::OnSent(FabricPacket* p, FabricPs now)
{
    ++counters.txPackets;
    counters.txBytes += p->payload;
    p->txStamp = now;
    paceStart = now;
    if (congestion)
    {
        if (needs & RDMA_NEEDS_ECT)
        {
            p->flags |= FABRIC_ECT;
        }
        paceBits = p->bytes * 8.0;
        congestion->OnSent(rate, p->bytes, now);
    }
}

void
QpCore::OnMarked(FabricPs at)
{
    if ((needs & RDMA_NEEDS_CNP) && at >= cnpFrom)
    {
        cnpFrom = at + engine.CnpInterval();
        ++counters.cnpsTx;
        engine.SendCnp(NewPacket(BTH_CNP, 0, engine.CnpClass(*this), 0), at);
    }
}

void
QpCore::Complete(RdmaSide side, const WorkCompletion& wc)
{
    RdmaDmaSide* dma = engine.Dma();
    if (dma == nullptr || !dma->GetLanding().Defer(*this, side, wc))
    {
        PushCompletion(side, wc);
    }
}

void
QpCore::PushCompletion(RdmaSide side, WorkCompletion wc)
{
    const Ptr<VerbsCompletionQueue>& cq = side == RdmaSide::SEND ? sendCq : recvCq;
    if (cq)
    {
        wc.qpNum = qpn;
        engine.PushCompletion(*this, cq, wc);
    }
}

void
QpCore::EnterError(FabricPs at)
{
    state = VerbsQpState::ERR;
    engine.Quiesce(*this);
    requester.Flush(at);
    responder.Flush(at);
}

} // namespace ns3
