/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "deadlock-finder.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{
/** An ingress class: station, port, class. */
using Ingress = std::tuple<uint32_t, uint16_t, uint8_t>;

/** For each ingress class, the egresses (by index) that hold its packets. */
std::map<Ingress, std::vector<uint32_t>>
HoldersOf(const DeadlockFinder::Snapshot& snapshot)
{
    std::map<Ingress, std::vector<uint32_t>> holders;
    for (uint32_t i = 0; i < snapshot.egresses.size(); ++i)
    {
        const auto& e = snapshot.egresses[i];
        for (const auto& held : e.held)
        {
            holders[{e.station, held.inPort, e.vl}].push_back(i);
        }
    }
    return holders;
}
} // namespace

DeadlockFinder::Result
DeadlockFinder::Find(const Snapshot& snapshot)
{
    const auto holders = HoldersOf(snapshot);
    // next[i]: the egresses for which egress i waits
    std::vector<std::vector<uint32_t>> next(snapshot.egresses.size());
    std::vector<bool> stuck(snapshot.egresses.size());
    for (uint32_t i = 0; i < next.size(); ++i)
    {
        const auto& e = snapshot.egresses[i];
        const auto found = holders.find({e.peerStation, e.peerPort, e.vl});
        if (e.paused && found != holders.end())
        {
            next[i] = found->second;
            stuck[i] = true;
        }
    }
    // greatest set in which everybody waits for members only
    for (bool changed = true; changed;)
    {
        changed = false;
        for (uint32_t i = 0; i < next.size(); ++i)
        {
            if (stuck[i] && !std::all_of(next[i].begin(), next[i].end(), [&stuck](uint32_t j) {
                    return stuck[j];
                }))
            {
                stuck[i] = false;
                changed = true;
            }
        }
    }

    Result result;
    for (uint32_t i = 0; i < next.size(); ++i)
    {
        if (stuck[i])
        {
            result.stuck.push_back(i);
        }
    }
    if (result.stuck.empty())
    {
        return result;
    }
    // every member has a successor in the set, so a walk must close a circle
    std::vector<uint32_t> walk;
    std::vector<uint32_t> seenAt(next.size(), UINT32_MAX);
    uint32_t at = result.stuck.front();
    while (seenAt[at] == UINT32_MAX)
    {
        seenAt[at] = static_cast<uint32_t>(walk.size());
        walk.push_back(at);
        at = *std::min_element(next[at].begin(), next[at].end());
    }
    result.cycle.assign(walk.begin() + seenAt[at], walk.end());
    return result;
}

std::string
DeadlockFinder::Describe(const Snapshot& snapshot, const Result& result)
{
    if (result.cycle.empty())
    {
        return "";
    }
    std::string text;
    for (size_t i = 0; i <= result.cycle.size(); ++i)
    {
        const auto& e = snapshot.egresses[result.cycle[i % result.cycle.size()]];
        text += (i == 0 ? "" : " -> ") + snapshot.names[e.station] + " port " +
                std::to_string(e.port);
    }
    return text + " (class " + std::to_string(snapshot.egresses[result.cycle[0]].vl) + ")";
}

} // namespace ns3
