/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-request-builder.h"

#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"

namespace ns3
{

FabricPacket*
RdmaRequestBuilder::Build(const RdmaSendQueue::Wqe& w, uint32_t packet, uint64_t seq) const
{
    if (!w.IsAnswered())
    {
        return BuildData(w, packet, seq);
    }
    return w.wr.opcode == VerbsOpcode::RDMA_READ ? BuildRead(w.wr, packet, seq)
                                                 : BuildAtomic(w.wr, seq);
}

FabricPacket*
RdmaRequestBuilder::BuildData(const RdmaSendQueue::Wqe& w, uint32_t packet, uint64_t seq) const
{
    const WorkRequest& wr = w.wr;
    const bool first = packet == 0;
    const bool last = packet + 1 == w.packets;
    const bool write =
        wr.opcode == VerbsOpcode::RDMA_WRITE || wr.opcode == VerbsOpcode::RDMA_WRITE_WITH_IMM;
    const bool imm = last && (wr.opcode == VerbsOpcode::SEND_WITH_IMM ||
                              wr.opcode == VerbsOpcode::RDMA_WRITE_WITH_IMM);
    uint8_t opcode = first ? (last ? 4 : 0) : (last ? 2 : 1);
    opcode += (imm ? 1 : 0) + (write ? BTH_RC_WRITE_FIRST : BTH_RC_SEND_FIRST);
    if (m_core.type == VerbsQpType::UC)
    {
        opcode += BTH_UC_SEND_FIRST;
    }
    else if (m_core.type == VerbsQpType::UD)
    {
        opcode = imm ? BTH_UD_SEND_ONLY_IMM : BTH_UD_SEND_ONLY;
    }
    const auto payload = static_cast<uint32_t>(
        last ? wr.length - static_cast<uint64_t>(packet) * m_core.mtu : m_core.mtu);
    FabricPacket* p = m_core.NewPacket(opcode, payload, m_core.vl, seq);
    const RdmaDmaSide* dma = m_core.engine.Dma();
    if (dma != nullptr && payload > 0 && !(wr.flags & VERBS_SEND_INLINE))
    {
        p->arrival = dma->FetchFrom(wr.lkey);
    }
    if (last)
    {
        p->flags |= FABRIC_ACK_REQ;
        p->flags |= (wr.flags & VERBS_SEND_SOLICITED) ? FABRIC_SOLICITED : 0;
    }
    if ((write && first) || imm || m_core.type == VerbsQpType::UD)
    {
        FabricPacketSide& side = FabricPacketPool::Get().Side(p);
        side.remoteAddr = wr.remoteAddr;
        side.rkey = wr.rkey;
        side.length = static_cast<uint32_t>(wr.length);
        side.imm = wr.immData;
        if (m_core.type == VerbsQpType::UD)
        {
            side.srcQp = m_core.qpn;
            side.qkey = wr.remoteQkey;
            p->dst = wr.remoteEndpoint;
            p->destQp = wr.remoteQpn;
            p->flowHash = m_core.engine.FlowHash(m_core, p->dst, p->destQp);
        }
    }
    return p;
}

FabricPacket*
RdmaRequestBuilder::BuildRead(const WorkRequest& wr, uint32_t packet, uint64_t seq) const
{
    FabricPacket* p = m_core.NewPacket(BTH_RC_READ_REQUEST, 0, m_core.vl, seq);
    p->flags |= FABRIC_ACK_REQ;
    const uint64_t done = static_cast<uint64_t>(packet) * m_core.mtu;
    FabricPacketSide& side = FabricPacketPool::Get().Side(p);
    side.remoteAddr = wr.remoteAddr + done;
    side.rkey = wr.rkey;
    side.length = static_cast<uint32_t>(wr.length - done);
    return p;
}

FabricPacket*
RdmaRequestBuilder::BuildAtomic(const WorkRequest& wr, uint64_t seq) const
{
    const bool cas = wr.opcode == VerbsOpcode::ATOMIC_CMP_AND_SWP;
    FabricPacket* p = m_core.NewPacket(cas ? BTH_RC_CMP_SWAP : BTH_RC_FETCH_ADD, 0, m_core.vl, seq);
    p->flags |= FABRIC_ACK_REQ;
    FabricPacketSide& side = FabricPacketPool::Get().Side(p);
    side.remoteAddr = wr.remoteAddr;
    side.rkey = wr.rkey;
    side.operand = cas ? wr.swap : wr.compareAdd;
    side.compare = cas ? wr.compareAdd : 0;
    return p;
}

} // namespace ns3
