/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A cable fails under load. Two leaves, two spines, four hosts on each leaf that all write to their
// partner on the other leaf. At 200 us the cable leaf 0 - spine 0 is cut; 100 us later the routes
// avoid it, and what was lost is sent again (go-back-N); at 1 ms the cable is back.

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint64_t bytes = 10'000'000;
    Time cut = MicroSeconds(200);
    Time repair = MicroSeconds(1000);
    Time convergence = MicroSeconds(100);
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "bytes of each flow", bytes);
    cmd.AddValue("cut", "when the cable fails", cut);
    cmd.AddValue("repair", "when it is back", repair);
    cmd.AddValue("convergence", "from a change to new routes", convergence);
    cmd.Parse(argc, argv);

    FabricTopology topology;
    for (uint32_t i = 0; i < 8; ++i)
    {
        topology.AddHost();
    }
    const uint32_t leaves[] = {topology.AddSwitch("leaf0"), topology.AddSwitch("leaf1")};
    const uint32_t spines[] = {topology.AddSwitch("spine0", 2), topology.AddSwitch("spine1", 2)};
    for (uint32_t host = 0; host < 8; ++host)
    {
        topology.AddLink(host, leaves[host / 4], 100'000'000'000, 1'000'000);
    }
    const uint32_t failing = topology.AddLink(leaves[0], spines[0], 400'000'000'000, 1'000'000);
    topology.AddLink(leaves[0], spines[1], 400'000'000'000, 1'000'000);
    topology.AddLink(leaves[1], spines[0], 400'000'000'000, 1'000'000);
    topology.AddLink(leaves[1], spines[1], 400'000'000'000, 1'000'000);

    FabricHelper::UseFastScheduler();
    FabricHelper fabric;
    fabric.SetRerouteDelay(convergence);
    fabric.Build(topology);
    fabric.ScheduleLink(cut, failing, false);
    fabric.ScheduleLink(repair, failing, true);

    std::vector<Ptr<RdmaFlowApplication>> apps;
    for (uint32_t host = 0; host < 4; ++host)
    {
        auto app = CreateObject<RdmaFlowApplication>();
        fabric.GetNodes().Get(host)->AddApplication(app);
        RdmaFlow flow;
        flow.src = fabric.GetNic(fabric.GetEndpoint(host));
        flow.dst = fabric.GetNic(fabric.GetEndpoint(host + 4));
        flow.id = host;
        flow.bytes = bytes;
        app->AddFlow(flow);
        apps.push_back(app);
    }

    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    fabric.SyncAll();
    bool finished = true;
    for (auto& app : apps)
    {
        const RdmaFlowResult result = app->GetResult(0);
        finished = finished && result.status == RdmaFlowResult::Status::FINISHED;
        std::cout << "flow " << result.id << ": " << result.delivered << " bytes, "
                  << FabricTime::To(result.ackAt - result.start).As(Time::US) << ", "
                  << result.retransmits << " packets sent again, " << result.timeouts
                  << " timeouts" << std::endl;
    }
    std::cout << "packets lost with the cable: " << FabricStation::Trajectory().dropped
              << std::endl;
    Simulator::Destroy();
    return finished ? 0 : 1;
}
