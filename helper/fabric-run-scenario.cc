/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-run-scenario.h"

#include "fabric-run-summary.h"
#include "fabric-units.h"
#include "fat-tree-builder.h"
#include "flow-traffic-generator.h"
#include "hpcc-scenario-reader.h"
#include "htsim-scenario-reader.h"
#include "rdma-helper.h"
#include "scenario-config.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

namespace ns3
{

namespace
{
bool
EndsWith(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string
Percent(double fraction)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.4g%%", 100 * fraction);
    return text;
}

/** Offered payload over the capacity of the hosts' links, in words; needs a time span. */
std::string
LoadText(const FabricTopology& topology, const FlowList& flows)
{
    const FlowList::Summary s = flows.Summarize();
    const int64_t span = s.lastStartPs - s.firstStartPs;
    double capacity = 0;
    for (const auto& endpoint : topology.GetEndpoints())
    {
        capacity += static_cast<double>(topology.GetLinks()[endpoint.link].rateBps);
    }
    std::string text = std::to_string(s.flows) + " flows, " + std::to_string(s.totalBytes) +
                       " bytes, from " + std::to_string(s.sources) + " to " +
                       std::to_string(s.destinations) + " hosts, starting " +
                       FabricRunSummary::TimeText(s.firstStartPs) + " to " +
                       FabricRunSummary::TimeText(s.lastStartPs);
    if (span > 0 && s.endless == 0)
    {
        const double load =
            8e12 * static_cast<double>(s.totalBytes) / static_cast<double>(span) / capacity;
        text += " (payload offered meanwhile: " + Percent(load) + " of all host links)";
    }
    return text;
}

/** A whole number of a configuration that must be above 0. */
uint32_t
RequireSmall(const std::string& text, const std::string& what, uint64_t max)
{
    const auto value = FabricUnits::Whole(text);
    if (!value || *value == 0 || *value > max)
    {
        throw FabricError(what + ": '" + text + "' is not a whole number from 1 to " +
                          std::to_string(max));
    }
    return static_cast<uint32_t>(*value);
}

/** The link between two nodes. */
uint32_t
FindLink(const FabricTopology& topology, uint64_t a, uint64_t b, const std::string& where)
{
    for (const auto& link : topology.GetLinks())
    {
        if ((link.a == a && link.b == b) || (link.a == b && link.b == a))
        {
            return link.id;
        }
    }
    throw FabricError(where + ": there is no link between " + std::to_string(a) + " and " +
                      std::to_string(b));
}

/** The same topology with a loss probability on every link. */
FabricTopology
WithErrorRate(const FabricTopology& from, double errorRate)
{
    FabricTopology to;
    for (const auto& node : from.GetNodes())
    {
        if (node.role == FabricTopology::Role::HOST)
        {
            to.AddHost(node.name);
        }
        else
        {
            to.AddSwitch(node.name, node.tier, node.pod, node.latencyPs);
        }
    }
    for (const auto& link : from.GetLinks())
    {
        to.AddLink(link.a, link.b, link.rateBps, link.delayPs, errorRate, link.line);
    }
    return to;
}
} // namespace

void
FabricRunScenario::LoadFatTree(const FabricRunOptions& options)
{
    FatTreeBuilder::Parameters p;
    p.k = options.k;
    for (auto* link : {&p.hostLink, &p.edgeLink, &p.coreLink})
    {
        link->rateBps = options.rateBps;
        link->delayPs = options.delayPs;
    }
    const FatTreeBuilder builder(p);
    topology = builder.Build();
    title.push_back(builder.GetDescription());

    FlowTrafficGenerator::Parameters traffic;
    traffic.hosts = topology.GetHosts();
    traffic.durationPs = options.durationPs;
    traffic.load = options.load;
    traffic.hostRateBps = options.rateBps;
    traffic.seed = options.seed + (static_cast<uint64_t>(options.run - 1) << 32);
    const FlowSizeCdf cdf = FlowSizeCdf::Get(options.cdf);
    if (std::filesystem::exists(options.cdf))
    {
        inputs.push_back(options.cdf);
    }
    flows = FlowTrafficGenerator(traffic).Poisson(cdf);
    title.push_back("traffic " + cdf.GetName() + " at " + Percent(options.load) +
                    " load, Poisson arrivals for " + FabricUnits::TimeText(options.durationPs));
    name = "fat-tree-k" + std::to_string(options.k);
}

void
FabricRunScenario::LoadFiles(FabricRunOptions& options)
{
    name = std::filesystem::path(options.flows).stem().string();
    if (!options.config.empty())
    {
        ApplyConfig(options, options.config);
    }
    inputs.push_back(options.topology);
    inputs.push_back(options.flows);
    topology = EndsWith(options.topology, ".topo")
                   ? HtsimScenarioReader::ReadTopology(options.topology)
                   : HpccScenarioReader::ReadTopology(options.topology, &notes);
    const bool matrix = EndsWith(options.flows, ".cm") || EndsWith(options.flows, ".tm");
    flows = matrix ? HtsimScenarioReader::ReadFlows(options.flows)
                   : HpccScenarioReader::ReadFlows(options.flows, options.payload);
    notes.insert(notes.end(), flows.notes.begin(), flows.notes.end());
    if (!options.config.empty())
    {
        ApplyConfigToTopology(options.config);
    }
    title.push_back("topology " + options.topology);
    title.push_back("flows " + options.flows);
}

void
FabricRunScenario::ApplyConfig(FabricRunOptions& options, const std::string& path)
{
    inputs.push_back(path);
    const HpccConfig config = HpccScenarioReader::ReadConfig(path);
    for (const auto& line : config.ExplainNotHonoured())
    {
        notes.push_back("not honoured: " + line);
    }
    auto take = [&options, &config](const char* option, const char* target, auto apply) {
        const std::string value = config.GetTarget(target);
        if (!value.empty() && !options.IsGiven(option))
        {
            apply(value);
        }
    };
    take("payload", "run:payload", [&](const std::string& value) {
        options.payload = RequireSmall(value, path + ": PACKET_PAYLOAD_SIZE", 65535);
    });
    take("seed", "run:seed", [&](const std::string& value) {
        options.seed = RequireSmall(value, path + ": RANDOM_SEED", UINT32_MAX);
    });
    take("ecn", "run:ecn", [&](const std::string& value) { options.ecn = value == "1"; });
    take("cc", "run:congestion-control",
         [&](const std::string& value) { options.congestion = value; });
    take("stop-time", "run:stop", [&](const std::string& value) {
        options.stopPs = FabricUnits::RequireTimePs(value, path + ": SIMULATOR_STOP_TIME");
    });
    attributes = config.GetAttributes();
    const std::string interval = config.GetTarget("run:ack-interval");
    if (!interval.empty())
    {
        attributes.emplace_back("ns3::RdmaNic::AckInterval", interval);
    }
    if (config.GetTarget("run:ack-high-priority") == "1")
    {
        attributes.emplace_back("ns3::RdmaNic::AckClass", "6");
    }
    // of the machines built in, keys of a rate cut timer belong to the HPCC line's
    if (options.profile.empty() && config.Find("RATE_DECREASE_INTERVAL") != nullptr &&
        RdmaHelper::CongestionTypeName(options.congestion) == "ns3::RdmaDcqcn")
    {
        options.profile = "hpcc-fork";
        notes.push_back(path + ": DCQCN as in the HPCC line (--profile=hpcc-fork), for "
                        "RATE_DECREASE_INTERVAL is given");
    }
}

void
FabricRunScenario::ApplyEcnTable(const HpccConfig& config)
{
    std::set<uint64_t> rates;
    for (const auto& link : topology.GetLinks())
    {
        rates.insert(link.rateBps);
    }
    for (const uint64_t rate : rates)
    {
        const HpccConfig::EcnRow row = config.GetEcn(rate);
        markerByRate.push_back({rate,
                                {{"MinThreshold", std::to_string(row.minBytes)},
                                 {"MaxThreshold", std::to_string(row.maxBytes)},
                                 {"MaxProbability", std::to_string(row.maxProbability)}}});
    }
}

void
FabricRunScenario::ApplyConfigToTopology(const std::string& path)
{
    const HpccConfig config = HpccScenarioReader::ReadConfig(path);
    if (!config.IsEcnTableLinear())
    {
        ApplyEcnTable(config);
    }
    const auto* error = config.Find("ERROR_RATE_PER_LINK");
    const double rate = error ? *FabricUnits::Real(error->value) : 0;
    if (rate > 0)
    {
        topology = WithErrorRate(topology, rate);
    }
    const auto* down = config.Find("LINK_DOWN");
    if (down != nullptr && down->status == HpccConfig::Status::HONOURED)
    {
        const std::string where = path + ":" + std::to_string(down->line) + ": LINK_DOWN";
        const uint32_t link = FindLink(topology,
                                       FabricUnits::Whole(down->values[1]).value_or(UINT64_MAX),
                                       FabricUnits::Whole(down->values[2]).value_or(UINT64_MAX),
                                       where);
        // the HPCC line counts this time from 2 s, when its traffic starts
        const int64_t at = FabricUnits::RequireTimePs(down->values[0] + "us", where);
        linkEvents.push_back({at + 2'000'000'000'000, link, false});
    }
}

void
FabricRunScenario::LoadJson(FabricRunOptions& options)
{
    const ScenarioConfig config = ScenarioConfig::Read(options.scenario);
    inputs.push_back(options.scenario);
    name = std::filesystem::path(options.scenario).stem().string();
    title.push_back("scenario " + config.name + " (" + options.scenario + ")");
    auto take = [&options](const char* option, auto& to, const auto& from) {
        to = options.IsGiven(option) ? to : static_cast<std::decay_t<decltype(to)>>(from);
    };
    take("cc", options.congestion, config.congestion);
    take("profile", options.profile, config.profile);
    take("frame-profile", options.frameProfile, config.frameProfile);
    take("payload", options.payload, config.payloadBytes);
    take("pfc", options.pfc, config.pfc);
    take("ecn", options.ecn, config.ecn);
    take("stop-time", options.stopPs, config.stopPs);
    take("out", options.out, config.outputDirectory);
    take("seed", options.seed, config.seed);
    take("run", options.run, config.run);
    // what the scenario says itself goes before what a configuration that it names says
    options.given.insert(options.given.end(), config.given.begin(), config.given.end());
    if (!config.hpccConfig.empty())
    {
        ApplyConfig(options, config.hpccConfig);
    }
    attributes.insert(attributes.end(), config.attributes.begin(), config.attributes.end());
    for (const auto& monitor : config.monitors)
    {
        monitors.push_back(FabricMonitorSpec::Parse(monitor));
    }
    topology = config.MakeTopology(&notes);
    flows = config.MakeTraffic(topology);
    notes.insert(notes.end(), flows.notes.begin(), flows.notes.end());
    for (const auto& traffic : config.traffic)
    {
        if (!traffic.file.empty())
        {
            inputs.push_back(traffic.file);
        }
    }
    if (!config.topology.file.empty())
    {
        inputs.push_back(config.topology.file);
    }
    if (!config.hpccConfig.empty())
    {
        ApplyConfigToTopology(config.hpccConfig);
    }
}

FabricRunScenario
FabricRunScenario::Load(FabricRunOptions& options)
{
    FabricRunScenario s;
    switch (options.mode)
    {
    case FabricRunOptions::Mode::FLOWS:
        s.LoadFiles(options);
        break;
    case FabricRunOptions::Mode::SCENARIO:
        s.LoadJson(options);
        break;
    default:
        s.LoadFatTree(options);
        break;
    }
    if (options.maxFlows > 0 && s.flows.flows.size() > options.maxFlows)
    {
        s.flows.flows.resize(options.maxFlows);
    }
    if (s.flows.flows.empty())
    {
        throw FabricError("no flows were asked for: " +
                          (s.flows.source.empty() ? s.name : s.flows.source) +
                          " yields none, so there is nothing to simulate");
    }
    s.flows.Check(s.topology);
    s.title.push_back(LoadText(s.topology, s.flows));
    const FlowList::Summary summary = s.flows.Summarize();
    if (summary.endless > 0 && options.stopPs == 0)
    {
        throw FabricError(std::to_string(summary.endless) +
                          " flows are endless: give --stop-time=TIME");
    }
    return s;
}

} // namespace ns3
