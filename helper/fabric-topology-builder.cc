/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-topology-builder.h"

#include "fabric-units.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

FabricTopology
FabricTopologyBuilder::Build() const
{
    const Counts want = GetCounts();
    if (want.hosts + want.switches > FabricTopology::MAX_NODES ||
        want.links > FabricTopology::MAX_LINKS)
    {
        throw FabricError(GetDescription() + ": " + std::to_string(want.hosts) + " hosts, " +
                          std::to_string(want.switches) + " switches and " +
                          std::to_string(want.links) + " links are too many, allowed are " +
                          std::to_string(FabricTopology::MAX_NODES) + " nodes and " +
                          std::to_string(FabricTopology::MAX_LINKS) + " links");
    }
    FabricTopology topology;
    DoBuild(topology);

    const auto components = topology.GetComponents();
    const bool counted = topology.GetNHosts() == want.hosts &&
                         topology.GetNSwitches() == want.switches &&
                         topology.GetNLinks() == want.links;
    const bool joined =
        std::all_of(components.begin(), components.end(), [](uint32_t c) { return c == 0; });
    if (!counted || !joined)
    {
        throw FabricError(GetDescription() + ": built " + std::to_string(topology.GetNHosts()) +
                          " hosts, " + std::to_string(topology.GetNSwitches()) + " switches, " +
                          std::to_string(topology.GetNLinks()) + " links" +
                          (joined ? "" : ", not connected") + " where " +
                          std::to_string(want.hosts) + ", " + std::to_string(want.switches) +
                          " and " + std::to_string(want.links) + " are due");
    }
    return topology;
}

FabricTopologyBuilder::Counts
FabricTopologyBuilder::GetCounts() const
{
    DoCheckParameters();
    return DoGetCounts();
}

std::string
FabricTopologyBuilder::GetDescription() const
{
    return DoGetDescription();
}

void
FabricTopologyBuilder::RequireRange(const std::string& name,
                                    uint64_t value,
                                    uint64_t min,
                                    uint64_t max)
{
    if (value < min || value > max)
    {
        throw FabricError(name + " = " + std::to_string(value) + ": allowed are " +
                          std::to_string(min) + " to " + std::to_string(max));
    }
}

void
FabricTopologyBuilder::RequireLink(const std::string& name, const TierLink& link)
{
    if (link.rateBps == 0 || link.rateBps > FabricTopology::MAX_RATE)
    {
        throw FabricError(name + " rate of " + std::to_string(link.rateBps) +
                          " bit/s: allowed are 1 bit/s to 100 Tb/s");
    }
    if (link.delayPs < 0 || link.delayPs > FabricTopology::MAX_DELAY)
    {
        throw FabricError(name + " delay of " + std::to_string(link.delayPs) +
                          " ps: allowed are 0 to 1 s");
    }
    RequireRange(name + " bundle", link.bundle, 1, 1024);
}

void
FabricTopologyBuilder::Connect(FabricTopology& topology,
                               uint32_t a,
                               uint32_t b,
                               const TierLink& link)
{
    for (uint32_t i = 0; i < link.bundle; ++i)
    {
        topology.AddLink(a, b, link.rateBps, link.delayPs);
    }
}

std::string
FabricTopologyBuilder::LinkText(const TierLink& link)
{
    return FabricUnits::RateText(link.rateBps) + " " + FabricUnits::TimeText(link.delayPs) +
           (link.bundle > 1 ? " x" + std::to_string(link.bundle) : "");
}

} // namespace ns3
