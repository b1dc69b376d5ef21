/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nv-switch-generation.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/link-profile.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/** @return links in the bundle of a port */
uint32_t
LinksOf(const FabricPort& port)
{
    if (port.peer == nullptr || port.link == nullptr)
    {
        return port.peer == nullptr ? 0 : 1;
    }
    const double links =
        static_cast<double>(port.rate.GetBps()) / static_cast<double>(port.link->rateBps);
    return std::max(1U, static_cast<uint32_t>(std::lround(links)));
}

} // namespace

uint32_t
NvSwitchGeneration::GetLinkLimit(uint32_t generation)
{
    static constexpr uint32_t limits[NEWEST] = {18, 36, 64, 72};
    if (generation < 1 || generation > NEWEST)
    {
        throw FabricError("there is no NVSwitch of generation " + std::to_string(generation) +
                          "; known: 1 to 4");
    }
    return limits[generation - 1];
}

std::string
NvSwitchGeneration::GetName(uint32_t generation)
{
    return generation == NEWEST ? "an NVLink Switch (generation 4)"
                                : "an NVSwitch of generation " + std::to_string(generation);
}

uint32_t
NvSwitchGeneration::Check(const std::string& name,
                          const std::vector<FabricPort*>& ports,
                          uint32_t generation)
{
    uint32_t links = 0;
    for (const FabricPort* port : ports)
    {
        links += LinksOf(*port);
        if (port->link == nullptr || port->link->family != LinkProfile::Family::NVLINK)
        {
            continue;
        }
        const uint32_t nvLink = port->link->generation;
        if (generation == 0)
        {
            generation = std::min(NEWEST, std::max(2U, nvLink) - 1);
        }
        const bool newer = generation == NEWEST && nvLink > NEWEST; // a row that a user added
        if (nvLink != generation + 1 && !newer)
        {
            throw FabricError(name + ": port " + std::to_string(port->id) + " has link '" +
                              port->link->name + "'; " + GetName(generation) + " takes NVLink " +
                              std::to_string(generation + 1));
        }
    }
    generation = generation == 0 ? NEWEST : generation;
    if (links > GetLinkLimit(generation))
    {
        throw FabricError(name + ": " + std::to_string(links) + " links are wired to " +
                          GetName(generation) + ", which has " +
                          std::to_string(GetLinkLimit(generation)));
    }
    return generation;
}

} // namespace ns3
