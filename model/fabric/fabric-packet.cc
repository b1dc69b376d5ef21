/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-packet.h"

namespace ns3
{

FabricPacketPool&
FabricPacketPool::Get()
{
    static FabricPacketPool pool;
    return pool;
}

void
FabricPacketPool::Grow()
{
    m_blocks.emplace_back(new FabricPacket[BLOCK]);
    FabricPacket* block = m_blocks.back().get();
    for (uint32_t i = 0; i < BLOCK; ++i)
    {
        block[i].next = (i + 1 < BLOCK) ? &block[i + 1] : m_free;
    }
    m_free = block;
}

FabricPacketSide&
FabricPacketPool::Side(FabricPacket* p)
{
    if (p->side == 0)
    {
        if (m_freeSide == 0)
        {
            m_freeSide = static_cast<uint32_t>(m_sides.size());
            m_sides.emplace_back();
        }
        p->side = m_freeSide;
        m_freeSide = m_sides[p->side].nextFree;
        m_sides[p->side] = FabricPacketSide{};
    }
    return m_sides[p->side];
}

void
FabricPacketPool::FreeSide(uint32_t slot)
{
    m_sides[slot].frame = nullptr;
    m_sides[slot].nextFree = m_freeSide;
    m_freeSide = slot;
}

FabricPacket*
FabricPacketPool::Clone(const FabricPacket* p)
{
    FabricPacket* copy = Allocate();
    *copy = *p;
    copy->next = nullptr;
    copy->side = 0;
    if (p->side != 0)
    {
        FabricPacketSide fields = m_sides[p->side];
        if (fields.frame)
        {
            fields.frame = fields.frame->Copy();
        }
        Side(copy) = fields;
    }
    return copy;
}

} // namespace ns3
