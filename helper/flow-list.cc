/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "flow-list.h"

#include "fabric-reachability.h"
#include "fabric-topology.h"
#include "fault-list.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_set>

namespace ns3
{

FlowList::Summary
FlowList::Summarize() const
{
    Summary s;
    s.flows = static_cast<uint32_t>(flows.size());
    if (flows.empty())
    {
        return s;
    }
    std::unordered_set<uint32_t> sources;
    std::unordered_set<uint32_t> destinations;
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    s.minBytes = most;
    s.firstStartPs = flows[0].startPs;
    s.minDstPort = flows[0].dstPort;
    for (const auto& flow : flows)
    {
        sources.insert(flow.src);
        destinations.insert(flow.dst);
        s.endless += flow.endless ? 1 : 0;
        s.dependent += flow.dependsOn.empty() ? 0 : 1;
        s.totalBytes = flow.bytes > most - s.totalBytes ? most : s.totalBytes + flow.bytes;
        s.minBytes = flow.endless ? s.minBytes : std::min(s.minBytes, flow.bytes);
        s.maxBytes = std::max(s.maxBytes, flow.bytes);
        s.firstStartPs = std::min(s.firstStartPs, flow.startPs);
        s.lastStartPs = std::max(s.lastStartPs, flow.startPs);
        s.minDstPort = std::min(s.minDstPort, flow.dstPort);
        s.maxDstPort = std::max(s.maxDstPort, flow.dstPort);
    }
    s.minBytes = s.minBytes == most ? 0 : s.minBytes;
    s.sources = static_cast<uint32_t>(sources.size());
    s.destinations = static_cast<uint32_t>(destinations.size());
    return s;
}

void
FlowList::Check(const FabricTopology& topology) const
{
    FaultList faults;
    if (flows.size() > MAX_FLOWS)
    {
        faults.Fail(source, 0, "", "more than " + std::to_string(MAX_FLOWS) + " flows");
    }
    CheckEnds(topology, faults);
    CheckDependencies(faults);
    faults.ThrowIfAny();
}

void
FlowList::CheckEnds(const FabricTopology& topology, FaultList& faults) const
{
    const FabricReachability reach(topology);
    const auto explain = [&](uint32_t node) -> std::string {
        if (node >= topology.GetNNodes())
        {
            return "node " + std::to_string(node) + " does not exist, allowed are the " +
                   std::to_string(topology.GetNHosts()) + " hosts among ids 0 to " +
                   std::to_string(std::max(topology.GetNNodes(), 1U) - 1);
        }
        return topology.IsHost(node)
                   ? ""
                   : "node " + std::to_string(node) + " is a switch, flows run between hosts";
    };
    for (const auto& flow : flows)
    {
        const std::string name = std::to_string(flow.src) + "->" + std::to_string(flow.dst);
        std::string why = explain(flow.src);
        why = why.empty() ? explain(flow.dst) : why;
        if (why.empty() && flow.src == flow.dst)
        {
            why = "source and destination are the same host";
        }
        else if (why.empty() && !reach.IsReachable(flow.src, flow.dst))
        {
            why = "no path between these hosts (hosts do not forward)";
        }
        if (!why.empty())
        {
            faults.Add(source, flow.line, name, "flow " + std::to_string(flow.id) + ": " + why);
        }
    }
}

void
FlowList::CheckDependencies(FaultList& faults) const
{
    std::vector<std::vector<uint32_t>> waiters(flows.size());
    std::vector<size_t> missing(flows.size());
    std::queue<uint32_t> ready;
    for (size_t i = 0; i < flows.size(); ++i)
    {
        const auto& flow = flows[i];
        missing[i] = flow.needed > 0 ? flow.needed : flow.dependsOn.size();
        for (const auto& d : flow.dependsOn)
        {
            if (d.flow >= flows.size())
            {
                faults.Add(source, flow.line, std::to_string(d.flow), "depends on no such flow");
                continue;
            }
            waiters[d.flow].push_back(static_cast<uint32_t>(i));
        }
        if (missing[i] == 0)
        {
            ready.push(static_cast<uint32_t>(i));
        }
    }
    for (; !ready.empty(); ready.pop())
    {
        if (flows[ready.front()].endless)
        {
            continue; // never finishes
        }
        for (const auto waiter : waiters[ready.front()])
        {
            if (missing[waiter] > 0 && --missing[waiter] == 0)
            {
                ready.push(waiter);
            }
        }
    }
    for (size_t i = 0; i < flows.size(); ++i)
    {
        if (missing[i] > 0)
        {
            faults.Add(source,
                       flows[i].line,
                       std::to_string(flows[i].src) + "->" + std::to_string(flows[i].dst),
                       "flow " + std::to_string(flows[i].id) +
                           " can never start: what it waits for never happens");
        }
    }
}

} // namespace ns3
