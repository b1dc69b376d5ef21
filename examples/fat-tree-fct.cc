/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A fat-tree under web-search traffic: the FCT slowdown table, in a few lines of C++.
 *
 *   fat-tree-fct --k=4 --load=0.5 --duration=2ms --seed=1
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    uint32_t k = 4;
    double load = 0.5;
    Time duration = MilliSeconds(1);
    uint32_t seed = 1;
    std::string congestion = "dcqcn";
    CommandLine cmd(__FILE__);
    cmd.AddValue("k", "ports of a switch", k);
    cmd.AddValue("load", "offered payload over the hosts' capacity", load);
    cmd.AddValue("duration", "how long flows arrive", duration);
    cmd.AddValue("seed", "seed of all random streams", seed);
    cmd.AddValue("cc", "congestion control: dcqcn or none", congestion);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    RngSeedManager::SetSeed(seed);
    FabricHelper::UseFastScheduler();
    int code = 0;
    try
    {
        FatTreeBuilder::Parameters tree;
        tree.k = k;
        FabricHelper fabric;
        fabric.Build(FatTreeBuilder(tree).Build());

        FlowTrafficGenerator::Parameters traffic;
        traffic.hosts = fabric.GetTopology().GetHosts();
        traffic.load = load;
        traffic.durationPs = FabricTime::From(duration);
        traffic.seed = seed;
        const FlowList list = FlowTrafficGenerator(traffic).Poisson(FlowSizeCdf::Get("WebSearch"));

        RdmaHelper rdma(fabric);
        rdma.SetCongestion(congestion);
        RdmaFlowSet flows(rdma, list);
        FctTable table;
        flows.Start([&table](const FlowOutcome& flow) {
            table.Add(flow.bytes, flow.GetSlowdown());
        });
        Simulator::Run();

        std::cout << flows.GetNFinished() << " of " << flows.GetNAsked() << " flows finished\n";
        table.Print(std::cout);
        code = flows.GetNFinished() == flows.GetNAsked() && flows.GetNAsked() > 0 ? 0 : 1;
    }
    catch (const FabricError& error)
    {
        std::cerr << "fat-tree-fct: " << error.what() << "\n";
        code = 2;
    }
    Simulator::Destroy();
    return code;
}
