/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "incast-forecast.h"

#include "dcqcn-fixed-point.h"

#include "ns3/ecn-marker.h"
#include "ns3/fabric-port.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-nic.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{
/** Flows that start together towards one host. */
struct Incast
{
    uint32_t dst{0};   //!< the host
    uint32_t flows{0}; //!< how many
};

Incast
Widest(const FlowList& list)
{
    std::vector<std::pair<uint32_t, int64_t>> starts;
    for (const auto& flow : list.flows)
    {
        if (flow.dependsOn.empty())
        {
            starts.emplace_back(flow.dst, flow.startPs);
        }
    }
    std::sort(starts.begin(), starts.end());
    Incast widest;
    for (size_t from = 0, to = 0; from < starts.size(); from = to)
    {
        for (; to < starts.size() && starts[to] == starts[from]; ++to)
        {
        }
        if (to - from > widest.flows)
        {
            widest = {starts[from].first, static_cast<uint32_t>(to - from)};
        }
    }
    return widest;
}
} // namespace

std::string
IncastForecast::Describe(const FabricHelper& fabric,
                         Ptr<RdmaCongestionOps> congestion,
                         const FlowList& flows,
                         uint32_t payload)
{
    const auto dcqcn = DynamicCast<RdmaDcqcn>(congestion);
    const Incast incast = Widest(flows);
    if (!dcqcn || !dcqcn->GetParameters().cutPeriod.IsZero() || incast.flows < 2)
    {
        return "";
    }
    const FabricPort& last =
        *fabric.GetNic(fabric.GetEndpoint(incast.dst))->GetPort(0).peer;
    const auto* sw = dynamic_cast<const FabricSwitch*>(last.station);
    const auto red = sw ? DynamicCast<RedEcnMarker>(sw->GetMarker(last.id)) : nullptr;
    if (!red || red->GetEffectiveMax() <= red->GetEffectiveMin())
    {
        return "";
    }
    DcqcnFixedPoint::Input in;
    in.Use(dcqcn->GetParameters());
    in.link = DataRate(last.rate.GetBps());
    in.flows = incast.flows;
    in.packetBytes = payload;
    in.kMinBytes = static_cast<double>(red->GetEffectiveMin());
    in.kMaxBytes = static_cast<double>(red->GetEffectiveMax());
    in.pMax = red->GetProbability(red->GetEffectiveMax());
    if (in.pMax <= 0 || in.cnpInterval.IsZero())
    {
        return "";
    }
    return std::to_string(incast.flows) + " flows start together towards " +
           fabric.GetTopology().GetNodes()[incast.dst].name + ": " +
           DcqcnFixedPoint(in).Published().Describe();
}

} // namespace ns3
