/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Topology, traffic and parameters from one JSON text. Without an argument it runs a small scenario
 * of its own; scenario-from-json.json beside this file shows more of the keys.
 *
 *   scenario-from-json --file=scenario-from-json.json
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{
const char* const SCENARIO = R"({
  "topology": {"builder": "star", "hosts": 9},
  "traffic": [
    {"generator": "incast", "senders": 8, "receiver": 8, "bytes": "200KB"},
    {"generator": "permutation", "bytes": "50KB"}
  ],
  "parameters": {"congestion": "dcqcn"},
  "attributes": {"ns3::SwitchBuffer::Size": "16MiB"}
})";
} // namespace

int
main(int argc, char* argv[])
{
    std::string file;
    CommandLine cmd(__FILE__);
    cmd.AddValue("file", "scenario file", file);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    FabricHelper::UseFastScheduler();
    int code = 0;
    try
    {
        std::istringstream text(SCENARIO);
        const ScenarioConfig config = file.empty() ? ScenarioConfig::Read(text, "built-in scenario")
                                                   : ScenarioConfig::Read(file);
        const FabricTopology topology = config.MakeTopology();
        const FlowList list = config.MakeTraffic(topology);
        AttributeDefaults defaults;
        for (const auto& [path, value] : config.attributes)
        {
            defaults.Set(path + "=" + value);
        }
        FabricHelper fabric;
        fabric.SetFrameProfile(config.frameProfile);
        fabric.Build(topology);
        RdmaHelper rdma(fabric);
        rdma.SetCongestion(config.congestion);
        RdmaFlowSet flows(rdma, list);
        FctTable table;
        flows.Start([&table](const FlowOutcome& flow) {
            table.Add(flow.bytes, flow.GetSlowdown());
        });
        Simulator::Run();

        std::cout << config.name << ": " << flows.GetNFinished() << " of " << flows.GetNAsked()
                  << " flows finished\n";
        table.Print(std::cout);
        FabricRunSummary::PrintCounters(std::cout,
                                        FabricRunSummary::Count(fabric),
                                        flows.GetCongestionCounters(),
                                        config.congestion != "none");
        code = flows.GetNFinished() == flows.GetNAsked() ? 0 : 1;
    }
    catch (const FabricError& error)
    {
        std::cerr << "scenario-from-json: " << error.what() << "\n";
        code = 2;
    }
    Simulator::Destroy();
    return code;
}
