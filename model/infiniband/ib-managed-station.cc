/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-managed-station.h"

#include "ns3/bth-opcode.h"
#include "ns3/frame-profile.h"

namespace ns3
{

FabricPacket*
IbManagedStation::MakeFrame(const Mad& mad)
{
    static const uint32_t bytes =
        FrameProfile::Get("ib").BufferBytes(BTH_UD_SEND_ONLY, static_cast<uint32_t>(mad.size()));
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* p = pool.Allocate();
    p->kind = FabricPacketKind::TRANSPORT;
    p->opcode = BTH_UD_SEND_ONLY; // from QP 0 to QP 0
    p->payload = static_cast<uint16_t>(mad.size());
    p->bytes = bytes;
    p->src = p->dst = 0xffff; // permissive LIDs
    p->vl = VL_MANAGEMENT;
    // of what is said the digest sees attribute and transaction
    p->psn = (uint32_t{mad[15]} << 16 | uint32_t{mad[16]} << 8 | mad[17]) & 0xffffff;
    pool.Side(p).frame = Create<Packet>(mad.data(), static_cast<uint32_t>(mad.size()));
    return p;
}

IbManagedStation::Mad
IbManagedStation::ReadFrame(const FabricPacket& p)
{
    Mad mad{};
    FabricPacketPool::Get().Side(&p).frame->CopyData(mad.data(), static_cast<uint32_t>(mad.size()));
    return mad;
}

} // namespace ns3
