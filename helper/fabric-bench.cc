/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-bench.h"

#include "bare-fabric.h"
#include "fabric-run.h"
#include "fat-tree-builder.h"
#include "flow-traffic-generator.h"
#include "star-builder.h"

#include "ns3/fabric-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <sys/resource.h>

namespace ns3
{

namespace
{
/** Frames that every host sends in the row "bare". */
constexpr uint32_t BARE_FRAMES = 4000;

/** Processor seconds and peak memory of this process so far. */
std::pair<double, double>
Used()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {static_cast<double>(usage.ru_utime.tv_sec) +
                1e-6 * static_cast<double>(usage.ru_utime.tv_usec),
            1024.0 * static_cast<double>(usage.ru_maxrss)};
}

uint64_t
Scaled(double bytes, double scale)
{
    return static_cast<uint64_t>(std::max(1.0, std::round(bytes * scale)));
}

FabricTopology
Tree()
{
    FatTreeBuilder::Parameters p;
    p.k = 8;
    return FatTreeBuilder(p).Build();
}

FlowTrafficGenerator
Traffic(const FabricTopology& topology)
{
    FlowTrafficGenerator::Parameters p;
    p.hosts = topology.GetHosts();
    return FlowTrafficGenerator(p);
}

/** Host i to host i + 1, eight messages one behind the other. */
FlowList
Neighbours(const FabricTopology& topology, uint64_t bytes)
{
    FlowList list;
    const auto hosts = topology.GetHosts();
    for (uint32_t round = 0; round < 8; ++round)
    {
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            FlowRecord flow;
            flow.id = list.flows.size();
            flow.src = hosts[i];
            flow.dst = hosts[(i + 1) % hosts.size()];
            flow.bytes = bytes;
            flow.connection = i + 1;
            list.flows.push_back(flow);
        }
    }
    return list;
}
} // namespace

FabricBench::FabricBench(const FabricRunOptions& options,
                         const std::string& program,
                         std::ostream& out,
                         std::ostream& err)
    : m_options(options),
      m_program(program),
      m_out(out),
      m_err(err)
{
}

std::vector<std::string>
FabricBench::Rows()
{
    return {"W1", "W2s", "W2", "W3", "bare"};
}

FabricBench::Numbers
FabricBench::RunFlows(const std::string& row, double scale) const
{
    FabricRunScenario scenario;
    scenario.name = row;
    if (row == "W1")
    {
        StarBuilder::Parameters p;
        p.hosts = 17;
        scenario.topology = StarBuilder(p).Build();
        scenario.flows = Traffic(scenario.topology).Incast(16, 16, Scaled(10e6, scale));
    }
    else
    {
        scenario.topology = Tree();
        scenario.flows =
            row == "W3" ? Neighbours(scenario.topology, Scaled(4e6, scale))
                        : Traffic(scenario.topology)
                              .Permutation(Scaled(row == "W2" ? 10e6 : 0.5e6, scale));
    }
    FabricRunOptions options;
    options.progress = false;
    std::ostringstream ignored;
    const auto before = Used();
    FabricRun run(options, ignored, ignored, false);
    run.DisableFiles();
    const double hosts = scenario.topology.GetNHosts();
    const int code = run.Execute(std::move(scenario));
    const auto after = Used();
    const auto& report = run.GetReport();
    return {{"code", code},
            {"hosts", hosts},
            {"hops", static_cast<double>(report.trajectory.hops)},
            {"events", static_cast<double>(report.events)},
            {"seconds", after.first - before.first},
            {"peak", after.second},
            {"grown", after.second - before.second}};
}

FabricBench::Numbers
FabricBench::RunBare(double scale) const
{
    const auto before = Used();
    FabricHelper::UseFastScheduler();
    Numbers numbers;
    {
        const FabricTopology topology = Tree();
        BareFabric fabric(topology);
        const uint64_t frames = Scaled(BARE_FRAMES, scale);
        for (const auto& flow : Traffic(topology).Permutation(1).flows)
        {
            fabric.Send(flow.src, flow.dst, frames, 1062);
        }
        Simulator::Run();
        const auto after = Used();
        // The last frames are still on their way: nothing wakes for an arrival that nobody awaits.
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const FabricTrajectory& t = FabricStation::Trajectory();
        numbers = {{"code", fabric.GetReceived() == frames * topology.GetNHosts() ? 0 : 1},
                   {"hosts", topology.GetNHosts()},
                   {"hops", static_cast<double>(t.hops)},
                   {"events", static_cast<double>(Simulator::GetEventCount())},
                   {"seconds", after.first - before.first},
                   {"peak", after.second},
                   {"grown", after.second - before.second}};
    }
    Simulator::Destroy();
    return numbers;
}

FabricBench::Numbers
FabricBench::RunRow(const std::string& row, double scale) const
{
    return row == "bare" ? RunBare(scale) : RunFlows(row, scale);
}

FabricBench::Numbers
FabricBench::Launch(const std::string& row, double scale, bool counted) const
{
    const std::string command =
        (counted ? "valgrind --tool=callgrind --callgrind-out-file=/dev/null '" : "'") + m_program +
        "' bench --row=" + row + " --scale=" + std::to_string(scale) + " 2>&1";
    Numbers numbers;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
    {
        return numbers;
    }
    char line[512];
    while (std::fgets(line, sizeof(line), pipe) != nullptr)
    {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "number")
        {
            std::string key;
            double value = 0;
            in >> key >> value;
            numbers[key] = value;
        }
        const std::string text = line;
        const size_t collected = text.find("Collected :");
        if (collected != std::string::npos)
        {
            numbers["instructions"] = std::atof(text.c_str() + collected + 11);
        }
    }
    pclose(pipe);
    return numbers;
}

double
FabricBench::InstructionsPerHop(const std::string& row) const
{
    // two sizes: what set-up and shutdown cost falls out of the difference
    const double half = row == "W1" ? 0.005 : row == "W2" ? 0.004 : row == "W3" ? 0.002 : 0.05;
    m_err << "bench: counting instructions of " << row << " with callgrind" << std::endl;
    Numbers small = Launch(row, half, true);
    Numbers large = Launch(row, 2 * half, true);
    const double hops = large["hops"] - small["hops"];
    const double instructions = large["instructions"] - small["instructions"];
    return hops > 0 && instructions > 0 ? instructions / hops : 0;
}

void
FabricBench::PrintLine(const std::string& row, const Numbers& numbers, double instructions) const
{
    const double hops = numbers.at("hops");
    char text[200];
    char count[32] = "n/a";
    if (instructions > 0)
    {
        std::snprintf(count, sizeof(count), "%.0f", instructions);
    }
    std::snprintf(text, sizeof(text), "| %-4s | %.2f | %.2f | %.2f | %.3f | %s | %.0f | %.0f |\n",
                  row.c_str(), hops * 1e-6, numbers.at("seconds"),
                  hops * 1e-6 / numbers.at("seconds"), numbers.at("events") / hops, count,
                  numbers.at("peak") * 1e-6, numbers.at("grown") / numbers.at("hosts"));
    m_out << text << std::flush;
}

int
FabricBench::Execute()
{
    const auto rows = Rows();
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    if (!m_options.row.empty())
    {
        if (std::find(rows.begin(), rows.end(), m_options.row) == rows.end())
        {
            throw FabricError("--row: '" + m_options.row + "' is no row; allowed: W1, W2s, W2, W3, "
                              "bare");
        }
        const Numbers numbers = RunRow(m_options.row, m_options.scale);
        for (const auto& [key, value] : numbers)
        {
            char text[64];
            std::snprintf(text, sizeof(text), "%.6f", value);
            m_out << "number " << key << " " << text << "\n";
        }
        return static_cast<int>(numbers.at("code"));
    }
    const bool valgrind = std::system("valgrind --version > /dev/null 2>&1") == 0;
    m_out << "ai-fabric " << FabricManifest::Version() << ", ns-3 " << FabricManifest::Ns3Version()
          << ", build type " << FabricManifest::BuildType() << "\n\n"
          << "| workload | M packet-hops | user s | M packet-hops/s | events per hop "
             "| instructions per hop | peak MB | bytes per host |\n"
             "|---|---|---|---|---|---|---|---|\n"
          << std::flush;
    int code = 0;
    for (const auto& row : rows)
    {
        m_err << "bench: " << row << std::endl;
        const Numbers numbers = Launch(row, m_options.scale, false);
        if (numbers.count("hops") == 0 || numbers.at("hops") == 0 || numbers.at("code") != 0)
        {
            m_out << "| " << row << " | failed | | | | | | |\n";
            code = 1;
            continue;
        }
        const bool count = valgrind && (row == "W2s" || row == "bare");
        PrintLine(row, numbers, count ? InstructionsPerHop(row) : 0);
    }
    m_out << "\nInstructions are counted by callgrind where it is installed, on the rows W2s (with "
             "queue pairs, ACKs and DCQCN) and bare.\n";
    return code;
}

} // namespace ns3
