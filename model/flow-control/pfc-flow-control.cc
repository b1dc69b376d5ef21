/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pfc-flow-control.h"

#include "ns3/double.h"
#include "ns3/fabric-port.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcFlowControl);

namespace
{
/** Frame length of a PFC frame: the Ethernet minimum (802.1Qbb; papers W13). */
constexpr uint32_t PFC_FRAME_BYTES = 64;
/** One pause quantum is 512 bit times. */
constexpr uint32_t QUANTUM_BYTES = 64;
} // namespace

TypeId
PfcFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PfcFlowControl")
            .SetParent<FlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<PfcFlowControl>()
            .AddAttribute("LosslessClasses",
                          "Bit mask of the classes under PFC. Default: class 3, where RoCEv2 data "
                          "goes by common practice (DSCP 26 / priority 3).",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&PfcFlowControl::m_lossless),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Pause time in a stop frame (512-bit times). Default: 65535, the most "
                          "that fits, as switches send.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&PfcFlowControl::m_quanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("RefreshFraction",
                          "Part of the pause time after which a stop frame is repeated while the "
                          "congestion lasts (fraction). Default: one half.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PfcFlowControl::m_refreshFraction),
                          MakeDoubleChecker<double>(0.01, 0.99))
            .AddAttribute("ReactionTime",
                          "Time from the arrival of a stop frame to its effect (time). Default: "
                          "0; 802.1Qbb allows 614.4 ns at 10 Gb/s. Headroom is computed with the "
                          "neighbour's value.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&PfcFlowControl::m_reaction),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
PfcFlowControl::DoAttach()
{
    m_reactionPs = FabricTime::From(m_reaction);
}

FabricPs
PfcFlowControl::QuantaTime(uint32_t quanta) const
{
    return m_port->rate.TxTime(static_cast<uint64_t>(quanta) * QUANTUM_BYTES);
}

FabricPs
PfcFlowControl::GetPauseTime() const
{
    return QuantaTime(m_quanta);
}

void
PfcFlowControl::Unblock(uint8_t vl, FabricPs at)
{
    if (GetBlocked() >> vl & 1)
    {
        m_blocked &= ~(1U << vl);
        m_port->stats.of[vl].pausedPs += at - m_pausedFrom[vl];
    }
}

FabricPs
PfcFlowControl::DoNextUnblock(FabricMask classes) const
{
    FabricPs next = FABRIC_NEVER;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if ((classes >> vl) & 1)
        {
            next = std::min(next, m_pausedUntil[vl]);
        }
    }
    return next;
}

void
PfcFlowControl::DoExpire(FabricPs now)
{
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (((m_blocked >> vl) & 1) && m_pausedUntil[vl] <= now)
        {
            Unblock(vl, m_pausedUntil[vl]);
        }
    }
}

void
PfcFlowControl::DoOnControl(const FabricPacket* frame, FabricPs at)
{
    const FabricPacketSide& pause = FabricPacketPool::Get().Side(frame);
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (!((pause.enable >> vl) & 1))
        {
            continue;
        }
        FabricClassStats& stats = m_port->stats.of[vl];
        // an earlier pause may have run out before this frame came
        if (((m_blocked >> vl) & 1) && m_pausedUntil[vl] <= at)
        {
            Unblock(vl, m_pausedUntil[vl]);
        }
        if (pause.quanta[vl] == 0)
        {
            ++stats.xonRx;
            Unblock(vl, at);
            continue;
        }
        ++stats.xoffRx;
        if (at < m_ignoreUntil[vl])
        {
            continue;
        }
        if (!((m_blocked >> vl) & 1))
        {
            m_blocked |= 1U << vl;
            m_pausedFrom[vl] = at;
        }
        m_pausedUntil[vl] = at + QuantaTime(pause.quanta[vl]);
    }
}

FabricPacket*
PfcFlowControl::MakeFrame(uint8_t classes, uint16_t quanta)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* frame = pool.Allocate();
    frame->kind = FabricPacketKind::PAUSE;
    frame->bytes = PFC_FRAME_BYTES;
    FabricPacketSide& pause = pool.Side(frame);
    pause.enable = classes;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        pause.quanta[vl] = ((classes >> vl) & 1) ? quanta : 0;
    }
    return frame;
}

FabricPacket*
PfcFlowControl::DoStop(uint8_t, FabricPs now)
{
    // one frame renews every class that is stopped, so one deadline serves them all
    return DoRefresh(now);
}

FabricPacket*
PfcFlowControl::DoResume(uint8_t vl, FabricPs)
{
    ++m_port->stats.of[vl].xonTx;
    return MakeFrame(static_cast<uint8_t>(1U << vl), 0);
}

FabricPacket*
PfcFlowControl::DoRefresh(FabricPs now)
{
    m_lastStop = now;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if ((m_stopped >> vl) & 1)
        {
            ++m_port->stats.of[vl].xoffTx;
        }
    }
    return MakeFrame(static_cast<uint8_t>(m_stopped), m_quanta);
}

FabricPs
PfcFlowControl::DoNextRefresh() const
{
    const auto pause = static_cast<double>(GetPauseTime());
    return m_lastStop + static_cast<FabricPs>(m_refreshFraction * pause);
}

void
PfcFlowControl::DoReset(FabricPs now)
{
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        Unblock(vl, now);
    }
}

FabricPs
PfcFlowControl::GetPausedFor(uint8_t vl, FabricPs now) const
{
    return ((m_blocked >> vl) & 1) && now > m_pausedFrom[vl] ? now - m_pausedFrom[vl] : 0;
}

FabricPs
PfcFlowControl::GetPausedTotal(uint8_t vl, FabricPs now) const
{
    return m_port->stats.of[vl].pausedPs + GetPausedFor(vl, now);
}

void
PfcFlowControl::IgnorePauses(uint8_t vl, FabricPs now, FabricPs until)
{
    m_ignoreUntil[vl] = until;
    Unblock(vl, now);
}

} // namespace ns3
