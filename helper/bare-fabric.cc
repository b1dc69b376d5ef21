/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "bare-fabric.h"

#include "fabric-routing-helper.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"
#include "ns3/pfc-flow-control.h"

#include <algorithm>

namespace ns3
{

namespace
{
/** Class of all frames: the lossless one. */
constexpr uint8_t CLASS = 3;
} // namespace

/** @brief A host without a transport: sends frames of one kind, counts what it gets. */
class BareFabric::Host : public FabricStation
{
  public:
    Host()
    {
        AddPort();
    }

    /**
     * @param src own number
     * @param dst destination
     * @param frames how many
     * @param bytes length of each
     */
    void Send(uint32_t src, uint32_t dst, uint64_t frames, uint32_t bytes)
    {
        m_src = src;
        m_dst = dst;
        m_left = frames;
        m_bytes = bytes;
        Arm(m_ports[0], FabricTime::Now());
    }

    /** @return frames received */
    uint64_t GetReceived()
    {
        Sync();
        return m_received;
    }

  private:
    void DoPost(FabricPort&, FabricPacket*) override
    {
    }

    void DoUnpost(FabricPort&, FabricPacket*) override
    {
    }

    void DoAdmit(FabricPort&, FabricPacket* p) override
    {
        ++m_received;
        FabricPacketPool::Get().Free(p);
    }

    FabricPacket* DoSelect(FabricPort& port, FabricPs) override
    {
        if (m_left == 0 || ((port.flow->GetBlocked() >> CLASS) & 1))
        {
            return nullptr;
        }
        --m_left;
        FabricPacket* p = FabricPacketPool::Get().Allocate();
        p->src = m_src;
        p->dst = m_dst;
        p->flowHash = m_src + 1;
        p->bytes = m_bytes;
        p->vl = CLASS;
        p->flags = FABRIC_ECT;
        p->psn = m_psn++;
        return p;
    }

    FabricPs DoNextWake(FabricPort& port, FabricPs now) override
    {
        FabricPs next = FABRIC_NEVER;
        if (m_left > 0)
        {
            const bool blocked = (port.flow->GetBlocked() >> CLASS) & 1;
            next = blocked ? port.flow->NextUnblock(1U << CLASS) : port.busyUntil;
        }
        if (!port.control.IsEmpty())
        {
            next = std::min(next, std::max(now, port.control.Front()->arrival));
        }
        return next;
    }

    uint32_t m_src{0};      //!< own number
    uint32_t m_dst{0};      //!< destination
    uint32_t m_bytes{0};    //!< frame length
    uint32_t m_psn{0};      //!< numbers the frames
    uint64_t m_left{0};     //!< frames to be sent
    uint64_t m_received{0}; //!< frames received
};

BareFabric::BareFabric(const FabricTopology& topology)
{
    std::vector<End> ends(2 * static_cast<size_t>(topology.GetNLinks()));
    std::vector<ForwardingTable*> tables(topology.GetNNodes(), nullptr);
    for (const auto& node : topology.GetNodes())
    {
        Ptr<FabricStation> station;
        if (node.role == FabricTopology::Role::HOST)
        {
            if (topology.GetLinks(node.id).size() != 1)
            {
                throw FabricError("a bare fabric needs hosts with one link each");
            }
            m_hosts.push_back(Create<Host>());
            station = m_hosts.back();
        }
        else
        {
            m_switches.push_back(CreateObject<FabricSwitch>());
            tables[node.id] = &m_switches.back()->GetForwardingTable();
            station = m_switches.back();
        }
        station->SetName(node.name);
        for (uint32_t link : topology.GetLinks(node.id))
        {
            const uint32_t end = topology.GetLinks()[link].a == node.id ? 0 : 1;
            const bool host = node.role == FabricTopology::Role::HOST;
            ends[2 * static_cast<size_t>(link) + end] = {station,
                                                         host ? uint16_t{0} : station->AddPort()};
        }
    }
    Wire(topology, ends);
    const FabricRoutingHelper routing(topology);
    routing.Compute(std::vector<bool>(topology.GetNLinks(), true), tables);
}

void
BareFabric::Wire(const FabricTopology& topology, const std::vector<End>& ends)
{
    for (const auto& link : topology.GetLinks())
    {
        const End& a = ends[2 * static_cast<size_t>(link.id)];
        const End& b = ends[2 * static_cast<size_t>(link.id) + 1];
        FabricStation::Wire(a.first->GetPort(a.second),
                            b.first->GetPort(b.second),
                            FabricRate(link.rateBps),
                            link.delayPs,
                            link.errorRate,
                            FrameProfile::Get("rocev2").WireGap(),
                            link.id);
        for (const End& end : {a, b})
        {
            end.first->SetPortPolicies(end.second,
                                       CreateObject<PfcFlowControl>(),
                                       CreateObject<StrictDwrrScheduler>());
        }
    }
    for (const auto& sw : m_switches)
    {
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            sw->SetMarker(port, CreateObject<RedEcnMarker>());
        }
        sw->Start();
    }
}

BareFabric::~BareFabric()
{
    for (const auto& host : m_hosts)
    {
        host->Dispose();
    }
    for (const auto& sw : m_switches)
    {
        sw->Dispose();
    }
}

void
BareFabric::Send(uint32_t src, uint32_t dst, uint64_t frames, uint32_t bytes)
{
    m_hosts.at(src)->Send(src, dst, frames, bytes);
}

uint64_t
BareFabric::GetReceived() const
{
    uint64_t sum = 0;
    for (const auto& host : m_hosts)
    {
        sum += host->GetReceived();
    }
    return sum;
}

} // namespace ns3
