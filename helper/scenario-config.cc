/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario-config.h"

#include "flow-traffic-generator.h"
#include "hpcc-scenario-reader.h"
#include "htsim-scenario-reader.h"
#include "json-reader.h"
#include "scenario-parser.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/**
 * @brief Append a list to another.
 * @param all is extended
 * @param more is consumed; its indices and connection numbers are moved up
 */
void
Append(FlowList& all, FlowList&& more)
{
    const auto base = static_cast<uint32_t>(all.flows.size());
    uint64_t lastConnection = 0;
    for (const auto& flow : all.flows)
    {
        lastConnection = std::max(lastConnection, flow.connection);
    }
    for (auto& flow : more.flows)
    {
        flow.id = all.flows.size();
        flow.connection += flow.connection > 0 ? lastConnection : 0;
        for (auto& dependency : flow.dependsOn)
        {
            dependency.flow += base;
        }
        all.flows.push_back(std::move(flow));
    }
    all.source += (all.source.empty() ? "" : " + ") + more.source;
    all.notes.insert(all.notes.end(), more.notes.begin(), more.notes.end());
}

/**
 * @param fabric the topology
 * @param hosts ids of hosts
 * @param where for the message
 * @return rate of each of the hosts, all its links together, in bits per second
 */
uint64_t
HostRate(const FabricTopology& fabric, const std::vector<uint32_t>& hosts, const std::string& where)
{
    uint64_t common = 0;
    for (const auto host : hosts)
    {
        uint64_t rate = 0;
        for (const auto link : fabric.GetLinks(host))
        {
            rate += fabric.GetLinks()[link].rateBps;
        }
        if (common != 0 && rate != common)
        {
            throw FabricError(where + ": hosts have different link rates, hostRate is wanted");
        }
        common = rate;
    }
    return common;
}

} // namespace

ScenarioConfig
ScenarioConfig::Read(const std::string& path)
{
    return ScenarioParser(JsonReader::Read(path), path).Parse();
}

ScenarioConfig
ScenarioConfig::Read(std::istream& in, const std::string& name)
{
    return ScenarioParser(JsonReader::Read(in, name), name).Parse();
}

std::vector<std::string>
ScenarioConfig::GetInputs() const
{
    std::vector<std::string> inputs = {file};
    const auto add = [&inputs](const std::string& path) {
        if (!path.empty() && std::find(inputs.begin(), inputs.end(), path) == inputs.end())
        {
            inputs.push_back(path);
        }
    };
    add(topology.file);
    for (const auto& one : traffic)
    {
        const bool draws = one.generator == "poisson" || one.generator == "python-mt19937";
        add(one.file);
        add(draws && !FlowSizeCdf::IsBuiltIn(one.cdf) ? one.cdf : "");
    }
    add(hpccConfig);
    return inputs;
}

FabricTopology
ScenarioConfig::MakeTopology(std::vector<std::string>* notes) const
{
    if (!topology.file.empty())
    {
        return topology.format == "htsim" ? HtsimScenarioReader::ReadTopology(topology.file)
                                          : HpccScenarioReader::ReadTopology(topology.file, notes);
    }
    if (topology.builder == "fat-tree")
    {
        return FatTreeBuilder(topology.fatTree).Build();
    }
    if (topology.builder == "leaf-spine")
    {
        return LeafSpineBuilder(topology.leafSpine).Build();
    }
    if (topology.builder == "dumbbell")
    {
        return DumbbellBuilder(topology.dumbbell).Build();
    }
    if (topology.builder == "chain")
    {
        return ChainBuilder(topology.chain).Build();
    }
    if (topology.builder == "star")
    {
        return StarBuilder(topology.star).Build();
    }
    throw FabricError(file + ": topology: unknown builder '" + topology.builder + "'");
}

FlowList
ScenarioConfig::MakeOne(const ScenarioTraffic& one, const FabricTopology& fabric) const
{
    if (!one.file.empty())
    {
        return one.format == "htsim"
                   ? HtsimScenarioReader::ReadFlows(one.file)
                   : HpccScenarioReader::ReadFlows(one.file,
                                                   static_cast<uint32_t>(one.payloadBytes));
    }
    const std::string where = file + ":" + std::to_string(one.line) + ": traffic";
    FlowTrafficGenerator::Parameters p;
    p.hosts = one.hosts.empty() ? fabric.GetHosts() : one.hosts;
    for (const auto host : p.hosts)
    {
        if (host >= fabric.GetNNodes() || !fabric.IsHost(host))
        {
            throw FabricError(where + ": '" + std::to_string(host) + "': is not a host");
        }
    }
    p.startPs = one.startPs;
    p.durationPs = one.durationPs;
    p.load = one.load;
    p.hostRateBps = one.hostRateBps;
    p.seed = one.seed != 0 ? one.seed : seed;
    p.priority = one.priority;
    if (one.generator == "incast")
    {
        return FlowTrafficGenerator(p).Incast(one.senders, one.receiver, one.bytes);
    }
    if (one.generator == "permutation")
    {
        return FlowTrafficGenerator(p).Permutation(one.bytes);
    }
    p.hostRateBps = p.hostRateBps != 0 ? p.hostRateBps : HostRate(fabric, p.hosts, where);
    const auto cdf = FlowSizeCdf::Get(one.cdf);
    return one.generator == "python-mt19937" ? FlowTrafficGenerator(p).PythonMt19937(cdf)
                                             : FlowTrafficGenerator(p).Poisson(cdf);
}

FlowList
ScenarioConfig::MakeTraffic(const FabricTopology& fabric) const
{
    FlowList all;
    for (const auto& one : traffic)
    {
        FlowList list = MakeOne(one, fabric);
        list.Check(fabric);
        if (traffic.size() == 1)
        {
            return list;
        }
        Append(all, std::move(list));
    }
    all.Check(fabric);
    return all;
}

} // namespace ns3
