/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-pcie-links.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-station.h"
#include "ns3/link-profile.h"

#include <algorithm>

namespace ns3
{

void
RdmaPcieLinks::Add(const FabricPort& port)
{
    if (port.peer == nullptr || port.link == nullptr)
    {
        throw FabricError(port.station->GetName() + ": port " + std::to_string(port.id) +
                          " needs a neighbour and a link profile");
    }
    m_hops.push_back({port.link,
                      port.rate,
                      port.latency,
                      port.peer->latency,
                      port.peer->cutThrough,
                      port.cutThrough});
}

void
RdmaPcieLinks::SetEnds(FabricPs issue, FabricPs latency, uint64_t rateBps)
{
    m_issue = issue;
    m_latency = latency;
    m_limited = rateBps > 0;
    m_memory = FabricRate(m_limited ? rateBps : 1);
}

const FabricRate&
RdmaPcieLinks::GetSlowestRate() const
{
    return std::min_element(
               m_hops.begin(),
               m_hops.end(),
               [](const Hop& a, const Hop& b) { return a.rate.GetBps() < b.rate.GetBps(); })
        ->rate;
}

uint32_t
RdmaPcieLinks::GetWireBytes(MemoryOp op, uint32_t bytes) const
{
    return m_hops.front().link->WireBytes(op, bytes);
}

RdmaPcieLinks::Frame
RdmaPcieLinks::Cross(const Hop& hop, bool outward, MemoryOp op, uint32_t bytes, Frame at) const
{
    const FabricPs latency = outward ? hop.outLatency : hop.inLatency;
    const FabricPs last = at.tail + hop.rate.TxTime(hop.link->LastBytes(op, bytes));
    FabricPs end = at.head + hop.rate.TxTime(hop.link->WireBytes(op, bytes));
    if (at.tail > at.head && last > end + 1) // 1: both sides are rounded up
    {
        end = last;
    }
    const bool cuts = (outward ? hop.outCuts : hop.inCuts) && hop.link->Packets(op, bytes) > 1;
    const FabricPs first = at.head + hop.rate.TxTime(hop.link->FirstBytes(op, bytes));
    return {(cuts ? first : end) + latency, end + latency};
}

RdmaPcieLinks::Frame
RdmaPcieLinks::GoOut(MemoryOp op, uint32_t bytes, FabricPs start) const
{
    Frame frame{start, start};
    for (const Hop& hop : m_hops)
    {
        frame = Cross(hop, true, op, bytes, frame);
    }
    return frame;
}

FabricPs
RdmaPcieLinks::GetReadTime(uint32_t bytes) const
{
    const Frame asked = GoOut(MemoryOp::READ_REQUEST, bytes, m_issue);
    const FabricPs served = asked.head + (m_limited ? m_memory.TxTime(bytes) : 0);
    Frame frame{asked.head + m_latency, std::max(served, asked.tail) + m_latency};
    for (auto hop = m_hops.rbegin(); hop != m_hops.rend(); ++hop)
    {
        frame = Cross(*hop, false, MemoryOp::READ_RESPONSE, bytes, frame);
    }
    return frame.tail;
}

FabricPs
RdmaPcieLinks::GetLeaveTime(uint32_t bytes) const
{
    return m_issue + GetRate().TxTime(GetWireBytes(MemoryOp::WRITE, bytes));
}

FabricPs
RdmaPcieLinks::GetArriveTime(uint32_t bytes) const
{
    return GoOut(MemoryOp::WRITE, bytes, m_issue).tail;
}

FabricPs
RdmaPcieLinks::GetHeaderTime(uint32_t bytes) const
{
    Frame data{m_issue, m_issue};
    Frame header{m_issue, m_issue};
    for (const Hop& hop : m_hops)
    {
        data = Cross(hop, true, MemoryOp::WRITE, bytes, data);
        // a link has the header behind the last TLP
        const FabricPs start = std::max(header.tail, data.tail - hop.outLatency);
        header = Cross(hop, true, MemoryOp::FLUSH, 0, {start, start});
    }
    return header.tail;
}

FabricPs
RdmaPcieLinks::GetWriteTime(uint32_t bytes) const
{
    const FabricPs there = GetArriveTime(bytes);
    return std::max(there + (m_limited ? m_memory.TxTime(bytes) : 0) + m_latency,
                    GetHeaderTime(bytes));
}

} // namespace ns3
