/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Every server of the catalogue that fits on a page: what it is made of, how its GPUs are
 * connected, and what the best and the worst pair of them get, measured.
 *
 *   ./fabric run dgx-topologies      or, in an ns-3 tree,      ./ns3 run dgx-topologies
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
constexpr uint64_t COPY_BYTES = 16 << 20;
constexpr size_t MOST_GPUS = 16;

/** @brief Print one line: pairs by relation, then the range of measured bandwidth from GPU 0. */
void
Show(const std::string& name)
{
    const ServerTopology topology = ServerCatalog::Make(name);
    const auto& gpus = topology.GetRanks();
    if (gpus.size() < 2 || gpus.size() > MOST_GPUS)
    {
        return;
    }
    std::cout << std::left << std::setw(16) << name << std::setw(3) << gpus.size() << "GPUs ";
    ServerRelations relations(topology);
    for (const auto& [relation, pairs] : relations.CountPairs())
    {
        std::cout << " " << relation << " x " << pairs;
    }

    GpuServerHelper server;
    server.SetRelay(true); // a ring needs it
    server.Build(topology);
    PeerMeter meter(server);
    double least = 1e9;
    double most = 0;
    for (size_t i = 1; i < gpus.size(); ++i)
    {
        const double rate = meter.Copy(gpus[0], gpus[i], COPY_BYTES).GetGBps();
        least = std::min(least, rate);
        most = std::max(most, rate);
    }
    std::cout << "  from gpu0: " << std::fixed << std::setprecision(1) << least << " to " << most
              << " GB/s\n";
    Simulator::Destroy();
}
} // namespace

int
main(int argc, char* argv[])
{
    std::string only;
    Time::SetResolution(Time::PS);
    CommandLine cmd(__FILE__);
    cmd.AddValue("server", "only this one, with its matrix", only);
    cmd.Parse(argc, argv);
    try
    {
        if (!only.empty())
        {
            ServerPrinter::WriteMatrix(ServerCatalog::Make(only), std::cout);
            Show(only);
            return 0;
        }
        for (const auto& name : ServerCatalog::GetNames())
        {
            Show(name);
        }
    }
    catch (const FabricError& error)
    {
        std::cerr << error.what() << "\n";
        return 2;
    }
    return 0;
}
