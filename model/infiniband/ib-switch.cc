/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-switch.h"

#include "ib-flow-control.h"
#include "ib-lid-table.h"
#include "ib-partition.h"
#include "ib-vl-arbiter.h"

#include "ns3/boolean.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbSwitch);

TypeId
IbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbSwitch")
            .SetParent<CreditSwitch>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbSwitch>()
            .AddAttribute("CutThrough",
                          "Frames go on before their last bit is in. Default: on.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IbSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute("VirtualOutputQueues",
                          "Frames wait for nothing but their own egress and VL; off: in one FIFO "
                          "for each ingress and VL. Default: on.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IbSwitch::m_outputQueues),
                          MakeBooleanChecker())
            .AddAttribute("DataVls",
                          "Operational data VLs: 1, 2, 4, 8 or 15. Default: 8.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&IbSwitch::m_dataVls),
                          MakeUintegerChecker<uint8_t>(1, 15));
    return tid;
}

void
IbSwitch::DoDispose()
{
    for (InputFifo& fifo : m_fifos)
    {
        fifo.waiting.Clear();
    }
    for (auto& offers : m_offers)
    {
        for (const Offer& offer : offers)
        {
            FabricPacketPool::Get().Free(offer.p);
        }
        offers.clear();
    }
    CreditSwitch::DoDispose();
}

IbFlowControl&
IbSwitch::FlowOf(const FabricPort& port)
{
    return *static_cast<IbFlowControl*>(port.flow);
}

void
IbSwitch::Start()
{
    for (FabricPort* port : m_portAt)
    {
        if (port->peer == nullptr)
        {
            continue;
        }
        if (dynamic_cast<IbFlowControl*>(port->flow) == nullptr ||
            dynamic_cast<IbVlArbiter*>(port->scheduler) == nullptr)
        {
            throw FabricError(GetName() + ": port " + std::to_string(port->id) +
                              " needs IbFlowControl and IbVlArbiter");
        }
        port->cutThrough = m_cutThrough;
    }
    m_states.resize(m_portAt.size());
    m_fifos.resize(m_outputQueues ? 0 : m_portAt.size() * FABRIC_LANES);
    m_offers.resize(m_outputQueues ? 0 : m_portAt.size());
    CreditSwitch::Start();
}

void
IbSwitch::ResetRoutes(uint16_t top)
{
    if (top == 0 || top >= IbLidTable::UNICAST_END)
    {
        throw FabricError(GetName() + ": '" + std::to_string(top) +
                          "' is no unicast LID; allowed: 1 to 49151");
    }
    m_top = top;
    m_table.Reset(top + 1U);
}

void
IbSwitch::SetRoute(uint16_t lid, uint16_t port)
{
    if (lid == 0 || lid > m_top || (port >= GetNPorts() && port != NO_PORT))
    {
        throw FabricError(GetName() + ": no entry for LID " + std::to_string(lid) + " and port " +
                          std::to_string(port) + "; allowed: LIDs up to " + std::to_string(m_top) +
                          ", ports up to " + std::to_string(GetNPorts() - 1));
    }
    m_table.Set(lid, port == NO_PORT ? std::vector<uint16_t>{} : std::vector<uint16_t>{port});
}

size_t
IbSwitch::RowOf(uint16_t in, uint16_t out) const
{
    const size_t ports = m_portAt.size();
    return (in == NO_PORT ? ports : in) * ports + out;
}

void
IbSwitch::SetVl(uint16_t in, uint16_t out, uint8_t sl, uint8_t vl)
{
    const uint16_t ports = GetNPorts();
    if ((in >= ports && in != NO_PORT) || out >= ports || sl >= SERVICE_LEVELS ||
        (vl >= m_dataVls && vl != VL_DISCARD))
    {
        throw FabricError(GetName() + ": no SL-to-VL entry for ports " + std::to_string(in) +
                          " to " + std::to_string(out) + ", SL " + std::to_string(sl) + ", VL " +
                          std::to_string(vl) + "; allowed: ports up to " +
                          std::to_string(ports - 1) + ", SLs up to 15, VLs up to " +
                          std::to_string(m_dataVls - 1) + " and 15 to drop");
    }
    if (m_slToVl.empty())
    {
        m_slToVl.resize((ports + size_t{1}) * ports);
        for (auto& row : m_slToVl)
        {
            for (uint8_t i = 0; i < SERVICE_LEVELS; ++i)
            {
                row[i] = i % m_dataVls;
            }
        }
    }
    m_slToVl.at(RowOf(in, out))[sl] = vl;
}

uint8_t
IbSwitch::GetVl(uint16_t in, uint16_t out, uint8_t sl) const
{
    return m_slToVl.empty() ? sl % m_dataVls : m_slToVl[RowOf(in, out)][sl % SERVICE_LEVELS];
}

void
IbSwitch::DoPost(FabricPort& in, FabricPacket* p)
{
    p->passage.tail = in.cutThrough ? p->passage.tail : 0;
    p->outPort = EgressOf(*p);
    uint8_t lane = p->vl;
    if (p->outPort != NO_PORT)
    {
        const PortState& from = m_states[in.id];
        const PortState& to = m_states[p->outPort];
        lane = GetVl(in.id, p->outPort, p->dscp);
        if (lane == VL_DISCARD || !Admits(from, *p) || !Admits(to, *p))
        {
            p->outPort = NO_PORT; // DoUnroutable() finds the reason
        }
    }
    p->passage.lane = lane;
    if (p->outPort == NO_PORT || m_portAt[p->outPort]->rate.GetBps() > in.peer->rate.GetBps())
    {
        p->arrival += p->passage.tail; // a faster egress would run dry
        p->passage.tail = 0;
    }
    Announce(*p, lane);
}

bool
IbSwitch::Admits(const PortState& port, const FabricPacket& p) const
{
    return port.active && (!port.enforces || IbPartition::Allows(port.pKeys, p));
}

bool
IbSwitch::DoIsMine(const FabricPacket& p) const
{
    return p.vl == IbFlowControl::VL_MANAGEMENT;
}

void
IbSwitch::DoConsume(FabricPort& in, FabricPacket* p)
{
    Release(*p, FabricTime::Now());
    if (onMad)
    {
        onMad(static_cast<uint8_t>(in.id + 1), ReadFrame(*p));
    }
    FabricPacketPool::Get().Free(p);
}

void
IbSwitch::DoUnroutable(FabricPort& in, FabricPacket* p)
{
    Release(*p, FabricTime::Now());
    const uint16_t out = RouteOf(*p);
    PortState& from = m_states[in.id];
    if (out == NO_PORT || !from.active)
    {
        Drop(p,
             in,
             p->arrival,
             out == NO_PORT ? FabricDropReason::NO_ROUTE : FabricDropReason::DISCARDED);
        return;
    }
    PortState& to = m_states[out];
    const bool foreignIn = from.enforces && !IbPartition::Allows(from.pKeys, *p);
    const bool foreignOut = to.enforces && !IbPartition::Allows(to.pKeys, *p);
    from.foreignIn += foreignIn ? 1 : 0;
    to.foreignOut += !foreignIn && foreignOut ? 1 : 0;
    Drop(p,
         foreignIn ? in : *m_portAt[out],
         p->arrival,
         foreignIn || foreignOut ? FabricDropReason::PARTITION : FabricDropReason::DISCARDED);
}

void
IbSwitch::DoLinkChanged(FabricPort& port, bool up)
{
    CreditSwitch::DoLinkChanged(port, up);
    m_states[port.id].downed += up ? 0 : 1;
    if (onLink)
    {
        onLink(static_cast<uint8_t>(port.id + 1), up);
    }
}

void
IbSwitch::SendMad(uint8_t port, const Mad& mad)
{
    FabricPort& out = *m_portAt.at(port - 1U);
    if (out.up)
    {
        FabricPacket* p = MakeFrame(mad);
        p->inPort = NO_PORT;
        p->passage.lane = p->vl;
        p->arrival = FabricTime::Now();
        Queue(out, p);
        Arm(out, std::max(out.busyUntil, FabricTime::Now()));
    }
}

void
IbSwitch::SetActive(uint8_t port, bool active)
{
    m_states.at(port - 1U).active = active;
}

void
IbSwitch::SetLid(uint16_t, uint8_t)
{
    // nothing but management packets by LID goes to a switch, and there are none yet
}

void
IbSwitch::SetForwarding(uint16_t top, const std::vector<uint8_t>& table)
{
    if (top == 0)
    {
        return; // no LID in use yet
    }
    ResetRoutes(top);
    for (uint32_t lid = 1; lid <= top && lid < table.size(); ++lid)
    {
        if (table[lid] > 0 && table[lid] <= GetNPorts())
        {
            SetRoute(static_cast<uint16_t>(lid), table[lid] - 1);
        }
    }
}

void
IbSwitch::SetSlToVl(uint8_t in, uint8_t out, const std::array<uint8_t, 16>& vls)
{
    for (uint8_t sl = 0; sl < SERVICE_LEVELS; ++sl)
    {
        const uint8_t vl = vls[sl] < m_dataVls ? vls[sl] : VL_DISCARD;
        SetVl(in == 0 ? NO_PORT : in - 1, out - 1, sl, vl);
    }
}

void
IbSwitch::SetPKeys(uint8_t port, const std::vector<uint16_t>& keys)
{
    m_states.at(port - 1U).pKeys = keys;
}

void
IbSwitch::EnforcePartitions(uint16_t port, bool enforce)
{
    m_states.at(port).enforces = enforce;
}

void
IbSwitch::DoAdmit(FabricPort& in, FabricPacket* p)
{
    if (!in.control.IsEmpty())
    {
        DrainControl(in, p->arrival); // what it says of frames sent before
    }
    FlowOf(in).Settle(p->arrival);
    if (p->vl == IbFlowControl::VL_MANAGEMENT && !FlowOf(in).HasRoom(p->bytes))
    {
        Drop(p, in, p->arrival, FabricDropReason::BUFFER_FULL);
        return;
    }
    CreditSwitch::DoAdmit(in, p);
}

void
IbSwitch::DoForward(FabricPort& out, FabricPacket* p)
{
    const uint8_t lane = p->passage.lane;
    p->passage.lane = p->vl;
    p->vl = lane;
    if (m_outputQueues)
    {
        Queue(out, p);
        return;
    }
    InputFifo& fifo = FifoOf(*p);
    if (fifo.busy)
    {
        fifo.waiting.Push(p);
        return;
    }
    MakeOffer(fifo, p);
}

IbSwitch::InputFifo&
IbSwitch::FifoOf(const FabricPacket& p)
{
    return m_fifos[static_cast<size_t>(p.inPort) * FABRIC_LANES + p.passage.lane];
}

void
IbSwitch::MakeOffer(InputFifo& fifo, FabricPacket* p)
{
    fifo.busy = true;
    const FabricPs late = fifo.freeAt - p->arrival;
    if (late > 0)
    {
        p->arrival = fifo.freeAt;
        p->passage.tail = late < p->passage.tail ? p->passage.tail - late : 0;
    }
    auto& offers = m_offers[p->outPort];
    auto at = offers.end();
    while (at != offers.begin() && ((at - 1)->at < p->arrival || ((at - 1)->at == p->arrival &&
                                                                  (at - 1)->p->inPort < p->inPort)))
    {
        --at;
    }
    offers.insert(at, {p->arrival, p});
    FabricPort& out = *m_portAt[p->outPort];
    if (out.up && p->arrival > FabricTime::Now())
    {
        Arm(out, std::max(p->arrival, out.busyUntil));
    }
}

void
IbSwitch::TakeOffers(FabricPort& out, FabricPs now)
{
    if (m_outputQueues)
    {
        return;
    }
    auto& offers = m_offers[out.id];
    while (!offers.empty() && offers.back().at <= now)
    {
        FabricPacket* p = offers.back().p;
        offers.pop_back();
        Queue(out, p);
    }
}

FabricPs
IbSwitch::WaitOf(const FabricPort& port, FabricPs now)
{
    FabricPs since = now;
    for (FabricMask queued = now > port.busyUntil ? port.queued : 0; queued != 0;
         queued &= queued - 1)
    {
        since = std::min(since, port.queue[__builtin_ctz(queued)].Front()->arrival);
    }
    return now - std::min(now, std::max(since, port.busyUntil));
}

FabricPacket*
IbSwitch::DoSelect(FabricPort& port, FabricPs now)
{
    IbFlowControl& flow = FlowOf(port);
    flow.Settle(now);
    TakeOffers(port, now);
    const FabricPs waited = WaitOf(port, now);
    FabricPacket* update = flow.TakeUpdate(now);
    if (update != nullptr)
    {
        m_states[port.id].waited += waited;
        SendControl(port, update, now);
        return nullptr;
    }
    FabricPacket* p = CreditSwitch::DoSelect(port, now);
    if (p != nullptr)
    {
        m_states[port.id].waited += waited;
        flow.OnSent(p->vl, now);
    }
    return p;
}

FabricPs
IbSwitch::DoNextWake(FabricPort& port, FabricPs now)
{
    FabricPs next = CreditSwitch::DoNextWake(port, now);
    if (!m_outputQueues && !m_offers[port.id].empty())
    {
        next = std::min(next, std::max(port.busyUntil, m_offers[port.id].back().at));
    }
    const FabricPs update = FlowOf(port).NextUpdate(now);
    return std::min(next, std::max(port.busyUntil, update));
}

void
IbSwitch::DoDeparted(const FabricPacket& p, FabricPs at)
{
    const FabricPs gone = at + m_portAt[p.outPort]->rate.TxTime(p.bytes);
    FlowOf(*m_portAt[p.inPort]).Release(p.passage.lane, p.bytes, gone);
    if (m_outputQueues)
    {
        return;
    }
    InputFifo& fifo = FifoOf(p);
    fifo.busy = false;
    fifo.freeAt = gone;
    if (!fifo.waiting.IsEmpty())
    {
        MakeOffer(fifo, fifo.waiting.Pop());
    }
}

IbPortCounters
IbSwitch::GetCounters(uint16_t index)
{
    Sync();
    const FabricPort& port = GetPort(index);
    const PortState& state = m_states.at(index);
    IbPortCounters c = IbPortCounters::Of(port);
    c.xmitWait = state.waited + WaitOf(port, FabricTime::Now());
    c.linkDowned = state.downed;
    c.rcvConstraint = state.foreignIn;
    c.xmitConstraint = state.foreignOut;
    return c;
}

} // namespace ns3
