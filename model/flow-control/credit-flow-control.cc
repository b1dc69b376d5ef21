/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "credit-flow-control.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-station.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CreditFlowControl);

TypeId
CreditFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CreditFlowControl")
            .SetParent<FlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<CreditFlowControl>()
            .AddAttribute("BlockBytes",
                          "Unit in which room is counted (bytes). Default: 16, a flit of NVLink "
                          "and a data credit of PCI Express.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&CreditFlowControl::m_blockBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Buffer",
                          "Receive buffer of each class (bytes); whole blocks count. Default: "
                          "64 KiB; GpuServerHelper sets it from the link profile.",
                          UintegerValue(64 << 10),
                          MakeUintegerAccessor(&CreditFlowControl::m_buffer),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReturnLatency",
                          "Time to turn a credit round, besides the cable (time). Default: 0.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CreditFlowControl::m_returnLatency),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
CreditFlowControl::SetBuffer(uint32_t bytes)
{
    m_buffer = bytes;
}

uint32_t
CreditFlowControl::GetBuffer() const
{
    return m_buffer / m_blockBytes * m_blockBytes;
}

CreditFlowControl*
CreditFlowControl::Peer() const
{
    return static_cast<CreditFlowControl*>(m_port->peer->flow);
}

void
CreditFlowControl::DoAttach()
{
    m_lossless = 0xff;
}

void
CreditFlowControl::Start()
{
    auto* peer = dynamic_cast<CreditFlowControl*>(m_port->peer->flow);
    if (peer == nullptr || peer->m_blockBytes != m_blockBytes ||
        peer->GetInstanceTypeId() != GetInstanceTypeId())
    {
        throw FabricError(m_port->station->GetName() +
                          ": credits need CreditFlowControl with the same BlockBytes at both ends");
    }
    DoStart();
}

void
CreditFlowControl::DoStart()
{
    m_wayBack = m_port->latency - m_port->peer->station->GetPipelineLatency() +
                FabricTime::From(m_returnLatency);
    if (m_wayBack <= 0)
    {
        throw FabricError(m_port->station->GetName() + ": a link with credits needs a latency");
    }
    m_credits.fill(Peer()->m_buffer / m_blockBytes);
    m_blocked = 0;
}

void
CreditFlowControl::SetHead(uint8_t vl, uint32_t bytes)
{
    m_need[vl] = Blocks(bytes);
    Judge(vl);
    if (((m_blocked >> vl) & 1) && bytes > Peer()->GetBuffer())
    {
        throw FabricError(m_port->station->GetName() + ": a frame of " + std::to_string(bytes) +
                          " bytes will never fit the buffer of " +
                          m_port->peer->station->GetName() + ", " +
                          std::to_string(Peer()->GetBuffer()) + " bytes");
    }
}

void
CreditFlowControl::Judge(uint8_t vl)
{
    const FabricMask bit = 1U << vl;
    m_blocked = m_credits[vl] < std::max(m_need[vl], 1U) ? m_blocked | bit : m_blocked & ~bit;
}

void
CreditFlowControl::Spend(uint8_t vl, uint32_t bytes, FabricPs now)
{
    TakeArrived(now);
    NS_ASSERT_MSG(CanSend(vl, bytes), "a frame was sent without credits");
    m_credits[vl] -= Blocks(bytes);
    Judge(vl);
}

void
CreditFlowControl::Hold(uint8_t vl, uint32_t bytes)
{
    m_held[vl] += Blocks(bytes);
    NS_ASSERT_MSG(m_held[vl] <= m_buffer / m_blockBytes, "a receive buffer is over-full");
}

void
CreditFlowControl::DoRelease(uint8_t vl, uint32_t blocks, FabricPs at)
{
    NS_ASSERT_MSG(m_held[vl] >= blocks, "room was given back twice");
    m_held[vl] -= blocks;
    Peer()->OnCredit({at + m_wayBack, blocks, vl});
}

void
CreditFlowControl::OnCredit(const CreditNote& note)
{
    m_notes.Insert(note);
    if ((m_blocked >> note.vl) & 1)
    {
        m_port->station->Arm(*m_port, std::max(note.at, m_port->busyUntil));
    }
}

void
CreditFlowControl::TakeArrived(FabricPs now)
{
    while (m_notes.IsDue(now))
    {
        const CreditNote note = m_notes.Pop();
        m_credits[note.vl] += note.blocks;
    }
}

void
CreditFlowControl::DoExpire(FabricPs now)
{
    TakeArrived(now);
    for (FabricMask blocked = m_blocked; blocked != 0; blocked &= blocked - 1)
    {
        Judge(static_cast<uint8_t>(__builtin_ctz(blocked)));
    }
}

FabricPs
CreditFlowControl::DoNextUnblock(FabricMask classes) const
{
    std::array<uint32_t, FABRIC_LANES> credits = m_credits;
    for (uint32_t i = 0; i < m_notes.GetSize(); ++i)
    {
        const CreditNote& note = m_notes.At(i);
        credits[note.vl] += note.blocks;
        if (((classes >> note.vl) & 1) && credits[note.vl] >= m_need[note.vl])
        {
            return note.at;
        }
    }
    return FABRIC_NEVER;
}

void
CreditFlowControl::DoReset(FabricPs)
{
    m_credits.fill(0);
    m_need.fill(0);
}

void
CreditFlowControl::DoRestore()
{
    CreditFlowControl& sender = *Peer();
    sender.m_credits.fill(m_buffer / m_blockBytes);
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        sender.m_credits[vl] -= m_held[vl];
    }
    for (uint32_t i = 0; i < sender.m_notes.GetSize(); ++i)
    {
        // told while the link was down, or not free yet: still on its way
        const CreditNote& note = sender.m_notes.At(i);
        sender.m_credits[note.vl] -= note.blocks;
    }
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        sender.Judge(vl);
    }
}

uint32_t
CreditFlowControl::GetOnTheWay(uint8_t vl) const
{
    uint32_t blocks = 0;
    for (const FabricPacket* p = m_port->peer->inbox.Front(); p != nullptr; p = p->next)
    {
        blocks += p->vl == vl ? Blocks(p->bytes) : 0;
    }
    return blocks;
}

std::string
CreditFlowControl::DoExplainImbalance() const
{
    std::array<uint64_t, FABRIC_LANES> coming{};
    for (uint32_t i = 0; i < m_notes.GetSize(); ++i)
    {
        coming[m_notes.At(i).vl] += m_notes.At(i).blocks;
    }
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        const uint64_t way = GetOnTheWay(vl);
        const uint64_t all = m_credits[vl] + coming[vl] + way + Peer()->m_held[vl];
        if (m_port->up && all != Peer()->m_buffer / m_blockBytes)
        {
            return m_port->station->GetName() + " port " + std::to_string(m_port->id) + " class " +
                   std::to_string(vl) + ": credits " + std::to_string(m_credits[vl]) +
                   " + coming back " + std::to_string(coming[vl]) + " + frames on their way " +
                   std::to_string(way) + " + held " +
                   std::to_string(Peer()->m_held[vl]) + " blocks are not " +
                   std::to_string(Peer()->m_buffer / m_blockBytes);
        }
    }
    return "";
}

void
CreditFlowControl::DoOnControl(const FabricPacket*, FabricPs)
{
}

FabricPacket*
CreditFlowControl::DoStop(uint8_t, FabricPs)
{
    return nullptr;
}

FabricPacket*
CreditFlowControl::DoResume(uint8_t, FabricPs)
{
    return nullptr;
}

FabricPacket*
CreditFlowControl::DoRefresh(FabricPs)
{
    return nullptr;
}

FabricPs
CreditFlowControl::DoNextRefresh() const
{
    return FABRIC_NEVER;
}

} // namespace ns3
