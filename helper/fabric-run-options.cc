/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-run-options.h"

#include "fabric-units.h"
#include "option-table.h"

#include "ns3/fabric-error.h"
#include "ns3/frame-profile.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace ns3
{

namespace
{
/** Shortest stall time: looking for stalls more often would be most of the work. 1 us. */
constexpr int64_t MIN_STALL = 1'000'000;

using Setter = OptionTable<FabricRunOptions>::Setter;
using Option = OptionTable<FabricRunOptions>::Option;

uint64_t
RequireWhole(const std::string& text, const std::string& what, uint64_t min, uint64_t max)
{
    const auto value = FabricUnits::Whole(text);
    if (!value || *value < min || *value > max)
    {
        throw FabricError("--" + what + ": '" + text + "' is not a whole number from " +
                          std::to_string(min) + " to " + std::to_string(max));
    }
    return *value;
}

double
RequireLoad(const std::string& text)
{
    const bool percent = !text.empty() && text.back() == '%';
    const auto value = FabricUnits::Real(percent ? text.substr(0, text.size() - 1) : text);
    const double load = value ? *value / (percent ? 100 : 1) : 0;
    if (!value || !(load > 0) || load > 1)
    {
        throw FabricError("--load: '" + text +
                          "' is not a load; allowed: above 0 up to 1, or a "
                          "percentage such as 50%");
    }
    return load;
}

double
RequireScale(const std::string& text)
{
    const auto value = FabricUnits::Real(text);
    if (!value || !(*value >= 0.001) || *value > 100)
    {
        throw FabricError("--scale: '" + text + "' is not a number from 0.001 to 100");
    }
    return *value;
}

int64_t
RequirePositiveTime(const std::string& text, const std::string& what)
{
    const int64_t ps = FabricUnits::RequireTimePs(text, "--" + what);
    if (ps <= 0)
    {
        throw FabricError("--" + what + ": '" + text + "' must be longer than 0");
    }
    return ps;
}

bool
RequireSwitch(const std::string& text, const std::string& what)
{
    if (text != "on" && text != "off")
    {
        throw FabricError("--" + what + ": '" + text + "' is not allowed; on or off");
    }
    return text == "on";
}

template <typename T>
Setter
Store(T FabricRunOptions::*member)
{
    return [member](FabricRunOptions& o, const std::string& text) { o.*member = text; };
}

Setter
Time(int64_t FabricRunOptions::*member, const char* name)
{
    return [member, name](FabricRunOptions& o, const std::string& text) {
        o.*member = RequirePositiveTime(text, name);
    };
}

Setter
Number(uint32_t FabricRunOptions::*member, const char* name, uint32_t min, uint32_t max)
{
    return [member, name, min, max](FabricRunOptions& o, const std::string& text) {
        o.*member = static_cast<uint32_t>(RequireWhole(text, name, min, max));
    };
}

std::vector<Option>
FabricOptions()
{
    using O = FabricRunOptions;
    return {
        {"k",
         "N",
         "fat-tree of switches with N ports (k^3/4 hosts); default 8",
         Number(&O::k, "k", 2, 64)},
        {"rate",
         "RATE",
         "link rate of the fat-tree; default 100Gb/s",
         [](O& o, const std::string& text) {
             o.rateBps = FabricUnits::RequireRate(text, "--rate");
         }},
        {"delay", "TIME", "link delay of the fat-tree; default 1us", Time(&O::delayPs, "delay")},
        {"load",
         "P",
         "offered payload over the hosts' capacity, 0.5 or 50%; default 50%",
         [](O& o, const std::string& text) { o.load = RequireLoad(text); }},
        {"duration",
         "TIME",
         "how long flows arrive; default 5ms",
         Time(&O::durationPs, "duration")},
        {"cdf",
         "NAME|FILE",
         "flow sizes: websearch, or a file of sizes and probabilities",
         Store(&O::cdf)},
        {"max-flows",
         "N",
         "keep only the first N flows",
         [](O& o, const std::string& text) {
             o.maxFlows = RequireWhole(text, "max-flows", 1, 2'000'000);
         }},
        {"topology",
         "FILE",
         "with 'flows': topology (HPCC text or htsim .topo)",
         Store(&O::topology)},
        {"flows", "FILE", "with 'flows': flows (HPCC text or htsim .cm / .tm)", Store(&O::flows)},
        {"config",
         "FILE",
         "with 'flows': HPCC configuration; keys not honoured are named",
         Store(&O::config)},
    };
}

std::vector<Option>
ModelOptions()
{
    using O = FabricRunOptions;
    return {
        {"cc",
         "NAME",
         "congestion control: dcqcn (default), none, or a TypeId",
         Store(&O::congestion)},
        {"profile",
         "NAME",
         "its parameters: paper2015, hpcc-fork or connectx for dcqcn",
         Store(&O::profile)},
        {"frame-profile",
         "NAME",
         "bytes per frame: rocev2 (default), rocev1, hpcc, hpcc-int, plain48",
         [](O& o, const std::string& text) { o.frameProfile = FrameProfile::Get(text).GetName(); }},
        {"payload",
         "BYTES",
         "payload of a full packet; default 1000",
         Number(&O::payload, "payload", 1, 65000)},
        {"pfc",
         "on|off",
         "priority flow control; default on",
         [](O& o, const std::string& text) { o.pfc = RequireSwitch(text, "pfc"); }},
        {"ecn",
         "on|off",
         "ECN marking; default on",
         [](O& o, const std::string& text) { o.ecn = RequireSwitch(text, "ecn"); }},
        {"attribute",
         "A=V",
         "set 'ns3::Type::Attribute=value' (repeatable)",
         [](O& o, const std::string& text) { o.attributes.push_back(text); }},
        {"seed",
         "N",
         "seed of all random streams; default 1",
         Number(&O::seed, "seed", 1, UINT32_MAX)},
        {"run",
         "N",
         "run number, for further runs with the same seed; default 1",
         Number(&O::run, "run", 1, UINT32_MAX)},
    };
}

std::vector<Option>
RunOptions()
{
    using O = FabricRunOptions;
    return {
        {"out", "DIR", "results go to this directory; default results/<name>", Store(&O::out)},
        {"monitor",
         "KIND[:TIME[:NODES]]",
         "sample queue, rate, pause, mark or cnp every TIME (10us) at NODES (all); repeatable",
         [](O& o, const std::string& text) {
             o.monitors.push_back(FabricMonitorSpec::Parse(text));
         }},
        {"stop-time",
         "TIME",
         "stop at this simulated time even if flows are unfinished",
         Time(&O::stopPs, "stop-time")},
        {"stall",
         "TIME",
         "watchdog: stop when no flow byte arrives for so long; default 20ms, or all retries",
         [](O& o, const std::string& text) {
             o.stallPs = RequirePositiveTime(text, "stall");
             if (o.stallPs < MIN_STALL)
             {
                 throw FabricError("--stall: '" + text + "' is too short; allowed: at least 1us");
             }
         }},
        {"check",
         "",
         "validate the input, do not simulate",
         [](O& o, const std::string&) { o.check = true; }},
        {"row", "NAME", "with 'bench': only this row of the table", Store(&O::row)},
        {"scale",
         "X",
         "with 'bench': flow sizes times X, from 0.001 to 100",
         [](O& o, const std::string& text) { o.scale = RequireScale(text); }},
        {"no-progress",
         "",
         "no progress line",
         [](O& o, const std::string&) { o.progress = false; }},
        {"help", "", "this text", [](O& o, const std::string&) { o.mode = O::Mode::HELP; }},
        {"version",
         "",
         "print the version",
         [](O& o, const std::string&) { o.mode = O::Mode::VERSION; }},
    };
}

std::vector<Option>
AllOptions()
{
    std::vector<Option> all = FabricOptions();
    for (auto part : {ModelOptions, RunOptions})
    {
        for (auto& option : part())
        {
            all.push_back(std::move(option));
        }
    }
    return all;
}

void
TakeWord(FabricRunOptions& options, const std::string& word)
{
    using Mode = FabricRunOptions::Mode;
    const bool json = word.size() > 5 && word.compare(word.size() - 5, 5, ".json") == 0;
    if (options.mode != Mode::FAT_TREE)
    {
        throw FabricError("'" + word + "': one command at a time; see --help");
    }
    if (word == "flows")
    {
        options.mode = Mode::FLOWS;
    }
    else if (word == "bench")
    {
        options.mode = Mode::BENCH;
    }
    else if (word == "help")
    {
        options.mode = Mode::HELP;
    }
    else if (json)
    {
        options.mode = Mode::SCENARIO;
        options.scenario = word;
    }
    else
    {
        throw FabricError("'" + word +
                          "' is no command; allowed: flows, dgx, ib, bench, a scenario file "
                          "ending in .json, or none for the main job; see --help");
    }
}

/** The options in which two commands differ: refused elsewhere, never ignored. */
void
CheckTogether(const FabricRunOptions& options)
{
    using Mode = FabricRunOptions::Mode;
    auto refuse = [&options](const std::vector<std::string>& names, const char* why) {
        for (const auto& name : names)
        {
            if (options.IsGiven(name))
            {
                throw FabricError("--" + name + ": " + why);
            }
        }
    };
    const std::vector<std::string>
        generated{"k", "rate", "delay", "load", "duration", "cdf", "max-flows"};
    if (options.mode == Mode::FLOWS)
    {
        refuse({"k", "rate", "delay", "load", "duration", "cdf"},
               "not with 'flows': topology and flows come from files");
        if (options.topology.empty() || options.flows.empty())
        {
            throw FabricError("'flows' needs --topology=FILE and --flows=FILE");
        }
    }
    else
    {
        refuse({"topology", "flows", "config"}, "only with the command 'flows'");
    }
    if (options.mode == Mode::SCENARIO || options.mode == Mode::BENCH)
    {
        refuse(generated, "only without a command (the fat-tree under a generated load)");
    }
    if (options.mode != Mode::BENCH)
    {
        refuse({"row", "scale"}, "only with the command 'bench'");
    }
    if (options.mode == Mode::BENCH)
    {
        refuse({"monitor", "check", "out", "stop-time"}, "not with 'bench'");
    }
}
} // namespace

std::vector<std::string>
FabricMonitorSpec::Kinds()
{
    return {"queue", "rate", "pause", "mark", "cnp"};
}

FabricMonitorSpec
FabricMonitorSpec::Parse(const std::string& text)
{
    FabricMonitorSpec spec;
    std::istringstream in(text);
    std::string interval;
    std::string nodes;
    std::getline(in, spec.kind, ':');
    const auto kinds = Kinds();
    if (std::find(kinds.begin(), kinds.end(), spec.kind) == kinds.end())
    {
        throw FabricError("--monitor: '" + spec.kind +
                          "' is no monitor; allowed: queue, rate, pause, mark, cnp");
    }
    if (std::getline(in, interval, ':'))
    {
        spec.intervalPs = RequirePositiveTime(interval, "monitor");
    }
    if (std::getline(in, nodes))
    {
        std::istringstream list(nodes);
        for (std::string node; std::getline(list, node, ',');)
        {
            spec.nodes.push_back(node);
        }
    }
    return spec;
}

FabricRunOptions
FabricRunOptions::Parse(const std::vector<std::string>& args)
{
    FabricRunOptions options;
    const auto typed = OptionTable<FabricRunOptions>(AllOptions()).Apply(args, options, TakeWord);
    options.commandLine = typed.line;
    options.given = typed.names;
    if (options.mode != Mode::HELP && options.mode != Mode::VERSION)
    {
        CheckTogether(options);
    }
    return options;
}

bool
FabricRunOptions::IsGiven(const std::string& name) const
{
    return std::find(given.begin(), given.end(), name) != given.end();
}

std::string
FabricRunOptions::Help()
{
    std::string text =
        "ai-fabric-run: simulates an RDMA fabric packet by packet.\n\n"
        "  ai-fabric-run [options]             fat-tree under a generated load (the main job)\n"
        "  ai-fabric-run flows --topology=T --flows=F [--config=C] [options]\n"
        "  ai-fabric-run FILE.json [options]   a scenario file\n"
        "  ai-fabric-run dgx [options]         GPU servers; dgx --help tells its options\n"
        "  ai-fabric-run ib [options]          InfiniBand subnets; ib --help tells its options\n"
        "  ai-fabric-run bench                 speed table\n\n"
        "Exit code: 0 all flows finished and all was written, 1 not so, 2 bad input,\n"
        "130 interrupted.\n\n"
        "Options (--name=value or --name value):\n";
    text += OptionTable<FabricRunOptions>(AllOptions()).Help();
    return text;
}

} // namespace ns3
