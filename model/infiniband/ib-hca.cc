/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-hca.h"

#include "ib-flow-control.h"
#include "ib-partition.h"
#include "ib-vl-arbiter.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbHca);

TypeId
IbHca::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbHca").SetParent<RdmaNic>().SetGroupName("AiFabric").AddConstructor<IbHca>();
    return tid;
}

IbHca::IbHca()
{
    for (uint8_t sl = 0; sl < SERVICE_LEVELS; ++sl)
    {
        m_slToVl[sl] = sl % FABRIC_CLASSES;
    }
}

IbFlowControl&
IbHca::Flow()
{
    return *static_cast<IbFlowControl*>(GetPort(0).flow);
}

void
IbHca::Start()
{
    const FabricPort& port = GetPort(0);
    if (port.peer == nullptr)
    {
        return;
    }
    if (dynamic_cast<IbFlowControl*>(port.flow) == nullptr ||
        dynamic_cast<IbVlArbiter*>(port.scheduler) == nullptr)
    {
        throw FabricError(GetName() + ": its port needs IbFlowControl and IbVlArbiter");
    }
    Flow().Start();
    ReserveLargest();
}

void
IbHca::ReserveLargest()
{
    UintegerValue mtu;
    GetAttribute("Mtu", mtu);
    const uint32_t bytes =
        FrameProfile::Get(GetFrameProfile())
            .BufferBytes(BTH_RC_WRITE_ONLY_IMM, static_cast<uint32_t>(mtu.Get()));
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        Flow().SetHead(vl, bytes);
    }
}

bool
IbHca::DoAccept(const VerbsQpAttributes& attributes, uint32_t mtu, uint8_t& vl)
{
    UintegerValue most;
    GetAttribute("Mtu", most);
    if (attributes.serviceLevel >= SERVICE_LEVELS || mtu > most.Get() ||
        std::find(m_pKeys.begin(), m_pKeys.end(), attributes.pKey) == m_pKeys.end())
    {
        return false;
    }
    vl = GetVl(attributes.serviceLevel);
    return vl < FABRIC_CLASSES;
}

// ---- as a subnet manager has it -----------------------------------------------------------------

void
IbHca::SendMad(uint8_t, const Mad& mad)
{
    FabricPort& port = GetPort(0);
    if (port.up)
    {
        port.Enqueue(MakeFrame(mad));
        Arm(port, std::max(port.busyUntil, FabricTime::Now()));
    }
}

void
IbHca::SetActive(uint8_t, bool active)
{
    m_active = active;
}

void
IbHca::SetLid(uint16_t lid, uint8_t lmc)
{
    SetEndpoint(lid);
    m_lmc = lmc;
}

void
IbHca::SetForwarding(uint16_t, const std::vector<uint8_t>&)
{
}

void
IbHca::SetSlToVl(uint8_t, uint8_t, const std::array<uint8_t, 16>& vls)
{
    m_slToVl = vls;
}

void
IbHca::SetPKeys(uint8_t, const std::vector<uint16_t>& keys)
{
    m_pKeys = keys;
}

// ---- station hooks ------------------------------------------------------------------------------

void
IbHca::DoPost(FabricPort& in, FabricPacket* p)
{
    Flow().Expect(p->vl, p->bytes, p->arrival);
    if (p->vl == VL_MANAGEMENT)
    {
        ArmDrain(p->arrival);
        return;
    }
    RdmaNic::DoPost(in, p);
}

bool
IbHca::IsForeign(const FabricPacket& p)
{
    const VerbsQpAttributes* qp = FindAttributes(p.destQp);
    return qp != nullptr && !IbPartition::Match(qp->pKey, IbPartition::KeyOf(p));
}

void
IbHca::DoAdmit(FabricPort& in, FabricPacket* p)
{
    if (!in.control.IsEmpty())
    {
        DrainControl(in, p->arrival); // what it says of frames sent before
    }
    Flow().Settle(p->arrival);
    if (p->vl == VL_MANAGEMENT)
    {
        if (onMad)
        {
            onMad(m_devicePort, ReadFrame(*p));
        }
        FabricPacketPool::Get().Free(p);
        return;
    }
    if (!m_active)
    {
        Drop(p, in, p->arrival, FabricDropReason::DISCARDED);
        return;
    }
    if (IsForeign(*p))
    {
        ++m_pKeyViolations;
        Drop(p, in, p->arrival, FabricDropReason::PARTITION);
        return;
    }
    const uint32_t path = p->dst - GetEndpoint();
    if (path > 0 && path < (1U << m_lmc))
    {
        p->dst = GetEndpoint(); // one of its LIDs
    }
    RdmaNic::DoAdmit(in, p);
}

FabricPacket*
IbHca::DoSelect(FabricPort& port, FabricPs now)
{
    IbFlowControl& flow = Flow();
    flow.Settle(now);
    FabricPacket* update = flow.TakeUpdate(now);
    if (update != nullptr)
    {
        SendControl(port, update, now);
        return nullptr;
    }
    FabricPacket* p = TakePacket(now);
    NoteWait(now, p != nullptr);
    if (p != nullptr)
    {
        flow.Spend(p->vl, p->bytes, now);
        flow.OnSent(p->vl, now);
    }
    return p;
}

void
IbHca::NoteWait(FabricPs now, bool sent)
{
    if (sent && m_waitsSince != FABRIC_NEVER)
    {
        m_waited += now - m_waitsSince;
        m_waitsSince = FABRIC_NEVER;
    }
    else if (!sent && m_waitsSince == FABRIC_NEVER && IsHeldUp())
    {
        m_waitsSince = now;
    }
}

FabricPs
IbHca::DoNextWake(FabricPort& port, FabricPs now)
{
    const FabricPs own = RdmaNic::DoNextWake(port, now);
    return std::min(own, std::max(port.busyUntil, Flow().NextUpdate(now)));
}

void
IbHca::DoLinkChanged(FabricPort& port, bool up)
{
    RdmaNic::DoLinkChanged(port, up);
    if (up)
    {
        Flow().Restore();
        ReserveLargest();
    }
    m_downed += up ? 0 : 1;
    m_waitsSince = FABRIC_NEVER;
    if (onLink)
    {
        onLink(m_devicePort, up);
    }
}

IbPortCounters
IbHca::GetPortCounters()
{
    CatchUp();
    IbPortCounters c = IbPortCounters::Of(GetPort(0));
    c.linkDowned = m_downed;
    c.xmitWait = m_waited + (m_waitsSince == FABRIC_NEVER ? 0 : FabricTime::Now() - m_waitsSince);
    return c;
}

std::string
IbHca::ExplainImbalance()
{
    CatchUp();
    return GetPort(0).peer == nullptr ? "" : Flow().ExplainImbalance();
}

} // namespace ns3
