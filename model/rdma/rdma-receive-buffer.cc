/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-receive-buffer.h"

#include "ns3/fabric-port.h"
#include "ns3/fabric-station.h"
#include "ns3/pfc-headroom.h"

#include <algorithm>

namespace ns3
{

void
RdmaReceiveBuffer::Release(FabricPs at)
{
    for (; m_head < m_tail; ++m_head)
    {
        const Entry& oldest = m_ring[m_head & (m_ring.size() - 1)];
        if (oldest.left > at)
        {
            break;
        }
        m_bytes -= oldest.bytes;
    }
}

uint64_t
RdmaReceiveBuffer::StopAbove() const
{
    const FabricPs delay = m_port.peer->latency; // the nearer end knows the way to itself
    const uint64_t headroom =
        PfcHeadroom::Compute(m_port.rate, delay, m_maxFrame, 0, FABRIC_CLASSES).Total();
    return m_limit > headroom ? m_limit - headroom : 0;
}

bool
RdmaReceiveBuffer::Fits(uint32_t bytes, FabricPs at)
{
    Release(at);
    return m_limit == 0 || m_bytes + bytes <= m_limit;
}

void
RdmaReceiveBuffer::Add(uint8_t vl, uint32_t bytes, FabricPs at, FabricPs left)
{
    if (m_limit == 0)
    {
        return;
    }
    Release(at);
    m_bytes += bytes;
    m_most = std::max(m_most, m_bytes);
    if (left != FABRIC_NEVER)
    {
        if (m_tail - m_head == m_ring.size())
        {
            std::vector<Entry> bigger(std::max<size_t>(64, m_ring.size() * 2));
            for (uint64_t i = m_head; i < m_tail; ++i)
            {
                bigger[i & (bigger.size() - 1)] = m_ring[i & (m_ring.size() - 1)];
            }
            m_ring.swap(bigger);
        }
        m_ring[m_tail++ & (m_ring.size() - 1)] = {left, bytes};
    }
    FlowControl& flow = *m_port.flow;
    if (flow.IsLossless(vl) && !flow.IsStopped(vl) && m_bytes > StopAbove())
    {
        if (FabricPacket* frame = flow.Stop(vl, at))
        {
            m_port.station->SendControl(m_port, frame, at);
        }
    }
}

void
RdmaReceiveBuffer::Leave(uint32_t bytes)
{
    m_bytes -= std::min<uint64_t>(m_bytes, bytes);
}

void
RdmaReceiveBuffer::Update(FabricPs now)
{
    FlowControl& flow = *m_port.flow;
    if (m_limit == 0 || flow.GetStopped() == 0)
    {
        return;
    }
    Release(now);
    if (m_bytes <= StopAbove() / 2)
    {
        for (uint8_t stopped = flow.GetStopped(); stopped != 0; stopped &= stopped - 1)
        {
            if (FabricPacket* frame =
                    flow.Resume(static_cast<uint8_t>(__builtin_ctz(stopped)), now))
            {
                m_port.station->SendControl(m_port, frame, now);
            }
        }
        return;
    }
    if (flow.NextRefresh() <= now)
    {
        if (FabricPacket* frame = flow.Refresh(now))
        {
            m_port.station->SendControl(m_port, frame, now);
        }
    }
}

FabricPs
RdmaReceiveBuffer::NextAt() const
{
    if (m_limit == 0 || m_port.flow->GetStopped() == 0)
    {
        return FABRIC_NEVER;
    }
    const FabricPs next =
        m_head < m_tail ? m_ring[m_head & (m_ring.size() - 1)].left : FABRIC_NEVER;
    return std::min(next, m_port.flow->NextRefresh());
}

} // namespace ns3
