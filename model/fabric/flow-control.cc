/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "flow-control.h"

#include "ns3/assert.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowControl);
NS_OBJECT_ENSURE_REGISTERED(NoFlowControl);

TypeId
FlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowControl").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
FlowControl::SetPort(FabricPort* port)
{
    m_port = port;
    DoAttach();
}

FabricPs
FlowControl::NextUnblock(FabricMask classes) const
{
    classes &= m_blocked;
    return classes == 0 ? FABRIC_NEVER : DoNextUnblock(classes);
}

void
FlowControl::OnControl(const FabricPacket* frame, FabricPs at)
{
    DoOnControl(frame, at);
}

FabricPacket*
FlowControl::Stop(uint8_t vl, FabricPs now)
{
    NS_ASSERT_MSG(!IsStopped(vl), "class " << +vl << " is stopped already");
    m_stopped |= 1U << vl;
    return DoStop(vl, now);
}

FabricPacket*
FlowControl::Resume(uint8_t vl, FabricPs now)
{
    NS_ASSERT_MSG(IsStopped(vl), "class " << +vl << " is not stopped");
    m_stopped &= ~(1U << vl);
    return DoResume(vl, now);
}

FabricPacket*
FlowControl::Refresh(FabricPs now)
{
    return m_stopped == 0 ? nullptr : DoRefresh(now);
}

void
FlowControl::Reset(FabricPs now)
{
    DoReset(now);
    m_blocked = 0;
    m_stopped = 0;
}

void
FlowControl::DoReset(FabricPs)
{
}

bool
FlowControl::DoIsAwaited(const FabricPacket&) const
{
    return true;
}

void
FlowControl::DoOnLost(const FabricPacket&)
{
}

void
FlowControl::DoDispose()
{
    m_port = nullptr;
    Object::DoDispose();
}

TypeId
NoFlowControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NoFlowControl")
                            .SetParent<FlowControl>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<NoFlowControl>();
    return tid;
}

void
NoFlowControl::DoAttach()
{
}

FabricPs
NoFlowControl::DoNextUnblock(FabricMask) const
{
    return FABRIC_NEVER;
}

void
NoFlowControl::DoExpire(FabricPs)
{
}

void
NoFlowControl::DoOnControl(const FabricPacket*, FabricPs)
{
}

FabricPacket*
NoFlowControl::DoStop(uint8_t, FabricPs)
{
    return nullptr;
}

FabricPacket*
NoFlowControl::DoResume(uint8_t, FabricPs)
{
    return nullptr;
}

FabricPacket*
NoFlowControl::DoRefresh(FabricPs)
{
    return nullptr;
}

FabricPs
NoFlowControl::DoNextRefresh() const
{
    return FABRIC_NEVER;
}

} // namespace ns3
