/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "credit-switch.h"

#include "ns3/credit-flow-control.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-random.h"
#include "ns3/link-profile.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CreditSwitch);

namespace
{
/** No sane route crosses more links; a packet that does is in a routing loop. */
constexpr uint8_t MAX_HOPS = 250;
} // namespace

TypeId
CreditSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CreditSwitch")
            .SetParent<FabricStation>()
            .SetGroupName("AiFabric")
            .AddConstructor<CreditSwitch>()
            .AddAttribute("MaxPayload",
                          "Data bytes of the largest frame (bytes); each neighbour must have room "
                          "for one. Default: 4096, as sources make them.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&CreditSwitch::m_maxPayload),
                          MakeUintegerChecker<uint32_t>(1, 65535));
    return tid;
}

CreditFlowControl&
CreditSwitch::CreditsOf(const FabricPort& port)
{
    return *static_cast<CreditFlowControl*>(port.flow);
}

uint32_t
CreditSwitch::BytesOn(const FabricPort& port, const FabricPacket& p)
{
    return port.link == nullptr
               ? p.bytes
               : port.link->WireBytes(static_cast<MemoryOp>(p.opcode), p.payload);
}

uint32_t
CreditSwitch::GetMaxPayload() const
{
    return m_maxPayload;
}

void
CreditSwitch::CheckLink(const FabricPort& port, uint32_t maxPayload)
{
    const std::string where = port.station->GetName() + ": port " + std::to_string(port.id);
    if (dynamic_cast<CreditFlowControl*>(port.flow) == nullptr ||
        dynamic_cast<CreditFlowControl*>(port.peer->flow) == nullptr)
    {
        throw FabricError(where + " needs CreditFlowControl at both ends of its link");
    }
    if (port.link != port.peer->link)
    {
        throw FabricError(where + " and its neighbour disagree about the link profile: '" +
                          (port.link == nullptr ? "none" : port.link->name) + "' and '" +
                          (port.peer->link == nullptr ? "none" : port.peer->link->name) + "'");
    }
    if (port.link == nullptr)
    {
        return;
    }
    const uint32_t frame = std::max(port.link->WireBytes(MemoryOp::WRITE, maxPayload),
                                    port.link->WireBytes(MemoryOp::READ_RESPONSE, maxPayload));
    const CreditFlowControl& credits = CreditsOf(port);
    const uint64_t room = CreditsOf(*port.peer).GetBuffer();
    const uint64_t needed = uint64_t{credits.Blocks(frame)} * credits.GetBlockBytes();
    if (needed > room)
    {
        throw FabricError(where + " sends frames of " + std::to_string(maxPayload) +
                          " data bytes, which take " + std::to_string(needed) +
                          " bytes of buffer; " + port.peer->station->GetName() + " has " +
                          std::to_string(room) + " for each class");
    }
}

void
CreditSwitch::Start()
{
    for (FabricPort* port : m_portAt)
    {
        if (port->peer != nullptr)
        {
            CheckLink(*port, GetMaxPayload());
            CreditsOf(*port).Start();
        }
    }
}

uint16_t
CreditSwitch::RouteOf(const FabricPacket& p) const
{
    const ForwardingTable::Group group = m_table.Lookup(p.dst);
    if (group.size <= 1)
    {
        return group.size == 0 ? NO_PORT : group.ports[0];
    }
    const uint64_t key = (static_cast<uint64_t>(p.src) << 40) ^
                         (static_cast<uint64_t>(p.dst) << 20) ^ p.psn;
    return group.ports[FabricRandom::Mix(key) % group.size];
}

std::string
CreditSwitch::ExplainImbalance() const
{
    for (const FabricPort* port : m_portAt)
    {
        const std::string wrong =
            port->peer == nullptr ? "" : CreditsOf(*port).ExplainImbalance();
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    return "";
}

void
CreditSwitch::DoPost(FabricPort&, FabricPacket* p)
{
    p->outPort = EgressOf(*p);
    Announce(*p, p->vl);
}

void
CreditSwitch::Announce(const FabricPacket& p, uint8_t lane)
{
    if (p.outPort == NO_PORT)
    {
        ArmDrain(p.arrival);
        return;
    }
    FabricPort& out = *m_portAt[p.outPort];
    out.pending.Insert(p.arrival, lane);
    if (!out.up)
    {
        ArmDrain(p.arrival); // gives its room back then, unless the link is up again
    }
    else if (!((out.flow->GetBlocked() >> lane) & 1))
    {
        Arm(out, std::max(p.arrival, out.busyUntil));
    }
}

void
CreditSwitch::DoUnpost(FabricPort&, FabricPacket*)
{
}

void
CreditSwitch::DoAdmit(FabricPort& in, FabricPacket* p)
{
    CreditsOf(in).Hold(p->vl, p->bytes);
    if (p->outPort == NO_PORT)
    {
        if (DoIsMine(*p))
        {
            DoConsume(in, p);
        }
        else
        {
            DoUnroutable(in, p);
        }
        return;
    }
    FabricPort& out = *m_portAt[p->outPort];
    if (!out.up || p->hops > MAX_HOPS)
    {
        Release(*p, FabricTime::Now());
        Drop(p, out, p->arrival, out.up ? FabricDropReason::TTL : FabricDropReason::LINK_DOWN);
        return;
    }
    DoForward(out, p);
}

void
CreditSwitch::DoForward(FabricPort& out, FabricPacket* p)
{
    Queue(out, p);
}

void
CreditSwitch::Queue(FabricPort& out, FabricPacket* p)
{
    const bool first = out.queue[p->vl].IsEmpty();
    p->outPort = out.id;
    p->bytes = BytesOn(out, *p);
    out.Enqueue(p);
    if (first)
    {
        CreditsOf(out).SetHead(p->vl, p->bytes);
    }
}

void
CreditSwitch::Release(const FabricPacket& p, FabricPs at)
{
    const FabricPort& in = *m_portAt[p.inPort];
    CreditsOf(in).Release(p.vl, BytesOn(in, p), at);
}

FabricPacket*
CreditSwitch::DoSelect(FabricPort& port, FabricPs now)
{
    DoRefill(port, now);
    port.flow->Expire(now); // credits that came while nothing waited for them
    const FabricMask ready = port.queued & ~port.flow->GetBlocked();
    if (ready == 0)
    {
        return nullptr;
    }
    const uint8_t vl = port.scheduler->Select(ready);
    FabricPacket* p = port.Dequeue(vl);
    CreditFlowControl& credits = CreditsOf(port);
    credits.Spend(vl, p->bytes, now);
    credits.SetHead(vl, port.queue[vl].IsEmpty() ? 0 : port.queue[vl].Front()->bytes);
    if (p->inPort != NO_PORT)
    {
        DoDeparted(*p, now);
    }
    return p;
}

FabricPs
CreditSwitch::DoNextWake(FabricPort& port, FabricPs now)
{
    DoRefill(port, now);
    port.flow->Expire(now);
    return NextWakeOfQueues(port, now);
}

void
CreditSwitch::DoFlushed(FabricPort&, FabricPacket* p, FabricPs now)
{
    if (p->inPort != NO_PORT)
    {
        DoDeparted(*p, now);
    }
}

void
CreditSwitch::DoDeparted(const FabricPacket& p, FabricPs at)
{
    Release(p, at);
}

void
CreditSwitch::DoLinkChanged(FabricPort& port, bool up)
{
    if (up)
    {
        CreditsOf(port).Restore();
        return;
    }
    // what is on its way here and would leave by this port gives its room back at its arrival
    for (FabricPort* in : m_portAt)
    {
        for (const FabricPacket* p = in->inbox.Front(); p != nullptr; p = p->next)
        {
            if (p->outPort == port.id)
            {
                ArmDrain(p->arrival);
            }
        }
    }
}

bool
CreditSwitch::DoIsMine(const FabricPacket&) const
{
    return false;
}

void
CreditSwitch::DoConsume(FabricPort&, FabricPacket*)
{
}

void
CreditSwitch::DoUnroutable(FabricPort& in, FabricPacket* p)
{
    Release(*p, FabricTime::Now());
    Drop(p, in, p->arrival, FabricDropReason::NO_ROUTE);
}

void
CreditSwitch::DoRefill(FabricPort&, FabricPs)
{
}

} // namespace ns3
