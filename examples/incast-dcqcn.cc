/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * N hosts write to one at the same time: what PFC alone does, and what DCQCN adds.
 *
 *   incast-dcqcn --senders=16 --bytes=4000000
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{
/** What one run shows. */
struct Outcome
{
    double lastUs{0};       //!< time to the last completion, us
    double jain{0};         //!< fairness of the flows' rates
    uint64_t xoffs{0};      //!< stop frames sent
    uint64_t marks{0};      //!< packets marked
    uint64_t drops{0};      //!< packets dropped
    uint64_t maxQueue{0};   //!< longest egress queue, bytes
    bool complete{false};   //!< all flows finished
};

Outcome
Simulate(uint32_t senders, uint64_t bytes, const std::string& congestion)
{
    FabricHelper::UseFastScheduler();
    Outcome outcome;
    {
        StarBuilder::Parameters star;
        star.hosts = senders + 1;
        FabricHelper fabric;
        fabric.Build(StarBuilder(star).Build());
        RdmaHelper rdma(fabric);
        rdma.SetCongestion(congestion);

        FlowTrafficGenerator::Parameters traffic;
        traffic.hosts = fabric.GetTopology().GetHosts();
        RdmaFlowSet flows(rdma,
                          FlowTrafficGenerator(traffic).Incast(senders, senders, bytes));
        flows.Start();
        Simulator::Run();

        double sum = 0;
        double squares = 0;
        for (const auto& flow : flows.Account())
        {
            const double us = static_cast<double>(flow.ackPs) * 1e-6;
            outcome.lastUs = std::max(outcome.lastUs, us);
            sum += 1 / us;
            squares += 1 / us / us;
        }
        outcome.jain = sum * sum / squares / senders;
        outcome.complete = flows.GetNFinished() == senders;
        const auto totals = FabricRunSummary::Count(fabric);
        outcome.xoffs = totals.sum.xoffTx;
        outcome.marks = totals.sum.ceMarks;
        outcome.drops = totals.sum.drops;
        outcome.maxQueue = totals.maxQueue;
    }
    Simulator::Destroy();
    return outcome;
}
} // namespace

int
main(int argc, char* argv[])
{
    uint32_t senders = 16;
    uint64_t bytes = 4'000'000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("senders", "hosts that send", senders);
    cmd.AddValue("bytes", "bytes that each sends", bytes);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    bool good = true;
    try
    {
        for (const std::string congestion : {"none", "dcqcn"})
        {
            const Outcome o = Simulate(senders, bytes, congestion);
            std::cout << congestion << ": last FCT " << o.lastUs << " us, Jain index " << o.jain
                      << ", XOFF sent " << o.xoffs << ", marks " << o.marks << ", drops " << o.drops
                      << ", longest queue " << o.maxQueue << " bytes\n";
            good = good && o.complete && o.drops == 0;
        }
    }
    catch (const FabricError& error)
    {
        std::cerr << "incast-dcqcn: " << error.what() << "\n";
        return 2;
    }
    return good ? 0 : 1;
}
