/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-flow-control.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-station.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbFlowControl);

namespace
{
/** What headers and CRCs may add to a payload of one MTU: LRH, GRH, BTH, extended headers. */
constexpr uint32_t MOST_HEADERS = 128;
/** Blocks that VL 15 may send: as good as without limit. */
constexpr uint32_t UNLIMITED = 1U << 30;
} // namespace

TypeId
IbFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbFlowControl")
            .SetParent<CreditFlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbFlowControl>()
            .AddAttribute("Mtu",
                          "Largest payload of a frame (bytes). Default: 4096, the most there is.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&IbFlowControl::m_mtu),
                          MakeUintegerChecker<uint16_t>(256, 4096))
            .AddAttribute("UpdateBlocks",
                          "Blocks that have been freed when a flow-control packet is sent; 0: an "
                          "eighth of the buffer, at least what one MTU takes, and no more than "
                          "leave a sender room for a largest frame once the buffer is empty. "
                          "Default: 0; the specification leaves it to the receiver.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbFlowControl::m_updateBlocks),
                          MakeUintegerChecker<uint32_t>(0, MAX_BLOCKS))
            .AddAttribute("MaxInterval",
                          "Symbol times (8 bits on one lane) after which a change on a VL is told "
                          "at the latest. Default: 65536, as the specification demands.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&IbFlowControl::m_symbols),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("Lanes",
                          "Lanes of the link, for the length of a symbol. Default: 4.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&IbFlowControl::m_lanes),
                          MakeUintegerChecker<uint8_t>(1, 12))
            .AddAttribute("TurnTime",
                          "From room being free to the earliest start of a packet that tells of "
                          "it (time). Default: 1 ps, at once; it is not 0, so that what happens "
                          "within one instant cannot depend on the order of events.",
                          TimeValue(PicoSeconds(1)),
                          MakeTimeAccessor(&IbFlowControl::m_turn),
                          MakeTimeChecker(PicoSeconds(1)));
    return tid;
}

void
IbFlowControl::DoAttach()
{
    CreditFlowControl::DoAttach();
    m_blockBytes = BLOCK;
    m_lossless = 0x7fff;
    // flow-control packets are read at the port; only data goes through the pipeline behind it
    m_reactionPs = -m_port->station->GetPipelineLatency();
}

IbFlowControl*
IbFlowControl::PeerEnd() const
{
    return static_cast<IbFlowControl*>(Peer());
}

uint32_t
IbFlowControl::GetRoom() const
{
    return GetBuffer() / BLOCK;
}

uint32_t
IbFlowControl::GetSent(uint8_t vl) const
{
    return Wrap(m_heard[vl] - m_credits[vl]);
}

void
IbFlowControl::DoStart()
{
    const uint32_t room = GetRoom();
    const uint32_t largest = Blocks(m_mtu + MOST_HEADERS);
    if (room == 0 || room > MAX_BLOCKS)
    {
        throw FabricError(m_port->station->GetName() + ": a buffer of " +
                          std::to_string(GetBuffer()) +
                          " bytes for each VL; allowed: 64 to 131072, as FCCL has 12 bits");
    }
    const uint32_t spare = room > largest ? room - largest + 1 : 1;
    m_update = m_updateBlocks != 0 ? m_updateBlocks
                                   : std::min(spare, std::max(room / 8, Blocks(m_mtu)));
    m_turnPs = FabricTime::From(m_turn);
    m_interval = m_port->rate.TxTime(uint64_t{m_symbols} * m_lanes);
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        InitLane(*PeerEnd(), vl);
    }
}

void
IbFlowControl::InitLane(IbFlowControl& sender, uint8_t vl)
{
    // as after the packets that initialise a link: ABR and FCTBS are 0
    m_limit[vl] = static_cast<uint16_t>(GetRoom() - m_held[vl]);
    m_told[vl] = m_limit[vl];
    m_news &= ~(1U << vl);
    sender.m_heard[vl] = m_limit[vl];
    sender.m_credits[vl] = vl == VL_MANAGEMENT ? UNLIMITED : m_limit[vl];
    sender.m_lost[vl] = 0;
    sender.m_news &= ~(1U << vl);
    sender.Judge(vl);
}

void
IbFlowControl::DoRestore()
{
    for (uint8_t vl = 0; vl < FABRIC_LANES; ++vl)
    {
        InitLane(*PeerEnd(), vl);
    }
}

void
IbFlowControl::DoReset(FabricPs now)
{
    CreditFlowControl::DoReset(now);
    m_news = 0;
    m_heardSent.Clear();
    for (uint32_t left = m_freed.GetSize(); left > 0; --left)
    {
        const CreditNote note = m_freed.Pop();
        if (!note.direct) // the others' frames have come, or never will
        {
            m_freed.Insert(note);
        }
    }
}

void
IbFlowControl::DoExpire(FabricPs now)
{
    m_credits[VL_MANAGEMENT] = UNLIMITED;
    CreditFlowControl::DoExpire(now);
}

bool
IbFlowControl::HasRoom(uint32_t bytes) const
{
    return m_held[VL_MANAGEMENT] + Blocks(bytes) <= GetRoom();
}

void
IbFlowControl::Touch(uint8_t vl, FabricPs at)
{
    if (vl != VL_MANAGEMENT && !((m_news >> vl) & 1))
    {
        m_news |= 1U << vl;
        // a packet that said nothing new was left out; let it have been sent just now
        m_sentAt[vl] = std::max(m_sentAt[vl], at);
    }
}

void
IbFlowControl::OnSent(uint8_t vl, FabricPs now)
{
    Touch(vl, now);
}

void
IbFlowControl::DoRelease(uint8_t vl, uint32_t blocks, FabricPs at)
{
    Free({at + m_turnPs, blocks, vl});
}

void
IbFlowControl::Expect(uint8_t vl, uint32_t bytes, FabricPs at)
{
    Free({at + m_turnPs, Blocks(bytes), vl, true});
}

void
IbFlowControl::Free(const CreditNote& note)
{
    const uint8_t vl = note.vl;
    m_freed.Insert(note);
    if (m_port->up && vl != VL_MANAGEMENT)
    {
        uint32_t freed = 0;
        for (uint32_t i = 0; i < m_freed.GetSize() && m_freed.At(i).at <= note.at; ++i)
        {
            freed += m_freed.At(i).vl == vl ? m_freed.At(i).blocks : 0;
        }
        m_port->station->Arm(*m_port, std::max(DueAt(vl, freed, note.at), m_port->busyUntil));
    }
}

FabricPs
IbFlowControl::DueAt(uint8_t vl, uint32_t freed, FabricPs at) const
{
    if (Wrap(m_limit[vl] + freed - m_told[vl]) >= m_update)
    {
        return at;
    }
    const bool old = (m_news >> vl) & 1;
    return old ? std::max(at, m_sentAt[vl] + m_interval) : std::max(at, m_sentAt[vl]) + m_interval;
}

void
IbFlowControl::Settle(FabricPs now)
{
    while (m_heardSent.IsDue(now))
    {
        const CreditNote note = m_heardSent.Pop();
        TakeFreed(note.at); // blocks that came later are not in this FCTBS
        Repair(note.vl, note.blocks, note.at);
    }
    TakeFreed(now);
}

void
IbFlowControl::TakeFreed(FabricPs now)
{
    while (m_freed.IsDue(now))
    {
        const CreditNote note = m_freed.Pop();
        NS_ASSERT_MSG(note.direct || m_held[note.vl] >= note.blocks, "room was given back twice");
        m_held[note.vl] -= note.direct ? 0 : note.blocks;
        m_limit[note.vl] = static_cast<uint16_t>(Wrap(m_limit[note.vl] + note.blocks));
        Touch(note.vl, note.at);
    }
}

void
IbFlowControl::Repair(uint8_t vl, uint32_t sent, FabricPs at)
{
    const uint32_t received = Wrap(m_limit[vl] + m_held[vl] - GetRoom()); // ABR
    const uint32_t lost = Wrap(sent - received);
    if (lost != 0)
    {
        NS_ASSERT_MSG(lost <= PeerEnd()->m_lost[vl], "blocks are missing that were not lost");
        m_limit[vl] = static_cast<uint16_t>(Wrap(m_limit[vl] + lost));
        PeerEnd()->m_lost[vl] -= lost;
        Touch(vl, at);
    }
}

FabricPs
IbFlowControl::NextUpdate(FabricPs now) const
{
    FabricPs next = FABRIC_NEVER;
    for (FabricMask news = m_news; news != 0; news &= news - 1)
    {
        next = std::min(next, DueAt(static_cast<uint8_t>(__builtin_ctz(news)), 0, now));
    }
    std::array<uint16_t, FABRIC_LANES> freed{};
    for (uint32_t i = 0; i < m_freed.GetSize(); ++i)
    {
        const CreditNote& note = m_freed.At(i);
        if (note.vl != VL_MANAGEMENT)
        {
            freed[note.vl] += static_cast<uint16_t>(note.blocks);
            next = std::min(next, DueAt(note.vl, freed[note.vl], note.at));
        }
    }
    return m_heardSent.GetSize() == 0 ? next : std::min(next, m_heardSent.At(0).at);
}

FabricPacket*
IbFlowControl::TakeUpdate(FabricPs now)
{
    for (FabricMask news = m_news; news != 0; news &= news - 1)
    {
        const auto vl = static_cast<uint8_t>(__builtin_ctz(news));
        if (DueAt(vl, 0, now) > now)
        {
            continue;
        }
        m_news &= ~(1U << vl);
        m_told[vl] = m_limit[vl];
        m_sentAt[vl] = now;
        ++m_updates[vl];
        FabricPacket* frame = FabricPacketPool::Get().Allocate();
        frame->kind = FabricPacketKind::PAUSE;
        frame->bytes = PACKET_BYTES;
        frame->vl = vl;
        frame->psn = GetSent(vl);
        frame->destQp = m_limit[vl];
        return frame;
    }
    return nullptr;
}

void
IbFlowControl::DoOnControl(const FabricPacket* frame, FabricPs at)
{
    const uint8_t vl = frame->vl;
    m_credits[vl] += Wrap(frame->destQp - m_heard[vl]);
    m_heard[vl] = static_cast<uint16_t>(frame->destQp);
    NS_ASSERT_MSG(m_credits[vl] <= MAX_BLOCKS, "more is granted than counters can tell");
    Judge(vl);
    if (PeerEnd()->m_lost[vl] != 0) // else ABR is FCTBS
    {
        const FabricPs due = at - m_reactionPs; // all data sent before is through the pipeline
        m_heardSent.Insert({due, frame->psn, vl});
        m_port->station->Arm(*m_port, std::max({due, m_port->busyUntil, FabricTime::Now()}));
    }
}

bool
IbFlowControl::DoIsAwaited(const FabricPacket& frame) const
{
    return ((m_blocked >> frame.vl) & 1) || PeerEnd()->m_lost[frame.vl] != 0;
}

void
IbFlowControl::DoOnLost(const FabricPacket& p)
{
    if (p.kind == FabricPacketKind::PAUSE)
    {
        m_news |= 1U << p.vl; // says it again, when its time has come
    }
    else if (p.vl != VL_MANAGEMENT)
    {
        m_lost[p.vl] += Blocks(p.bytes);
    }
}

uint32_t
IbFlowControl::GetUnsettled(uint8_t vl) const
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < m_freed.GetSize(); ++i)
    {
        const CreditNote& note = m_freed.At(i);
        blocks += note.direct && note.vl == vl ? note.blocks : 0;
    }
    return blocks;
}

std::string
IbFlowControl::DoExplainImbalance() const
{
    const IbFlowControl& peer = *PeerEnd();
    for (uint8_t vl = 0; vl < VL_MANAGEMENT; ++vl)
    {
        const uint32_t coming = Wrap(peer.m_limit[vl] - m_heard[vl]);
        const uint32_t way = std::max(GetOnTheWay(vl), peer.GetUnsettled(vl));
        if (m_port->up &&
            m_credits[vl] + coming + way + peer.m_held[vl] + m_lost[vl] != peer.GetRoom())
        {
            return m_port->station->GetName() + " port " + std::to_string(m_port->id) + " VL " +
                   std::to_string(vl) + ": credits " + std::to_string(m_credits[vl]) +
                   " + free and not heard of " + std::to_string(coming) +
                   " + frames on their way " + std::to_string(way) + " + held " +
                   std::to_string(peer.m_held[vl]) + " + lost " + std::to_string(m_lost[vl]) +
                   " blocks are not " + std::to_string(peer.GetRoom());
        }
    }
    return "";
}

} // namespace ns3
