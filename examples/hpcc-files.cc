/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a topology and a flow file of the HPCC line of simulators and runs them. Without arguments
 * it writes and reads a small pair of its own.
 *
 *   hpcc-files --topology=topology.txt --flows=flow.txt --profile=hpcc
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{
/** Two leaves with two hosts each, two spines; a line of prose behind the data, as is common. */
const char* const TOPOLOGY = "8 4 8\n"
                             "4 5 6 7\n"
                             "0 4 100Gbps 1us 0\n"
                             "1 4 100Gbps 1us 0\n"
                             "2 5 100Gbps 1us 0\n"
                             "3 5 100Gbps 1us 0\n"
                             "4 6 100Gbps 1us 0\n"
                             "4 7 100Gbps 1us 0\n"
                             "5 6 100Gbps 1us 0\n"
                             "5 7 100Gbps 1us 0\n"
                             "node, node, rate, delay, error rate\n";

/** Source, destination, class, port, bytes, start in seconds. */
const char* const FLOWS = "3\n"
                          "0 2 3 100 1000000 0.000001\n"
                          "1 2 3 101 1000000 0.000001\n"
                          "3 0 3 102 20000 0.000005\n";
} // namespace

int
main(int argc, char* argv[])
{
    std::string topologyFile;
    std::string flowFile;
    std::string profile = "hpcc";
    CommandLine cmd(__FILE__);
    cmd.AddValue("topology", "topology file", topologyFile);
    cmd.AddValue("flows", "flow file", flowFile);
    cmd.AddValue("profile", "frame profile: hpcc, hpcc-int or rocev2", profile);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    FabricHelper::UseFastScheduler();
    int code = 0;
    try
    {
        std::istringstream topologyText(TOPOLOGY);
        std::istringstream flowText(FLOWS);
        const FabricTopology topology =
            topologyFile.empty()
                ? HpccScenarioReader::ReadTopology(topologyText, "built-in topology")
                : HpccScenarioReader::ReadTopology(topologyFile);
        const FlowList list = flowFile.empty()
                                  ? HpccScenarioReader::ReadFlows(flowText, "built-in flows")
                                  : HpccScenarioReader::ReadFlows(flowFile);
        list.Check(topology);

        FabricHelper fabric;
        fabric.SetFrameProfile(profile);
        fabric.Build(topology);
        RdmaHelper rdma(fabric);
        rdma.SetCongestion("dcqcn");
        RdmaFlowSet flows(rdma, list);
        flows.Start([](const FlowOutcome& flow) {
            std::cout << "flow " << flow.id << ": " << flow.src << " to " << flow.dst << ", "
                      << flow.bytes << " bytes, " << static_cast<double>(flow.ackPs) * 1e-6
                      << " us, slowdown " << flow.GetSlowdown() << "\n";
        });
        Simulator::Run();
        code = flows.GetNFinished() == flows.GetNAsked() ? 0 : 1;
    }
    catch (const FabricError& error)
    {
        std::cerr << "hpcc-files: " << error.what() << "\n";
        code = 2;
    }
    Simulator::Destroy();
    return code;
}
