/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Two GPUs and one bundle of NVLinks, for every generation: bandwidth by transfer size, one way and
 * both ways, and the time of a 4-byte store. Every figure is measured.
 *
 *   ./fabric run nvlink-p2p      or, in an ns-3 tree,      ./ns3 run nvlink-p2p
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
/** @brief A generation: its profile, and the links of one GPU. */
struct Generation
{
    const char* gpu;     //!< model of the GPU
    const char* profile; //!< its links
    uint32_t links;      //!< how many
};

void
Measure(const Generation& generation, uint32_t links)
{
    ServerTopology pair;
    ServerTopology::Part gpu;
    gpu.kind = ServerTopology::Kind::GPU;
    gpu.model = generation.gpu;
    gpu.maxLinks = generation.links;
    gpu.memoryBytes = 16ULL << 30;
    const uint32_t a = pair.AddPart(gpu);
    const uint32_t b = pair.AddPart(gpu);
    pair.AddLink(a, b, generation.profile, links);

    GpuServerHelper server;
    server.Build(pair);
    PeerMeter meter(server);
    const LinkProfile& profile = LinkProfile::Get(generation.profile);
    std::cout << std::left << std::setw(9) << profile.name << std::right << std::setw(3) << links
              << " links  wire " << std::setw(7)
              << static_cast<double>(profile.rateBps) * links / 8e9 << "  data " << std::setw(7)
              << profile.DataBps(links) / 8e9 << " |";
    for (uint64_t bytes : {64ULL << 10, 1ULL << 20, 16ULL << 20, 256ULL << 20})
    {
        std::cout << std::setw(8) << meter.Copy(a, b, bytes).GetGBps();
    }
    std::cout << " | both ways " << std::setw(8) << meter.CopyBoth(a, b, 64 << 20).GetGBps()
              << " | store " << std::setw(5) << meter.Store(a, b, 4).GetMicroseconds() << " us\n";
    Simulator::Destroy();
}
} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);

    std::cout << "GB/s of one direction unless said; copies of 64 KiB, 1 MiB, 16 MiB, 256 MiB\n"
              << std::fixed << std::setprecision(2);
    for (const Generation& generation : {Generation{"P100-SXM2-16GB", "nvlink1", 4},
                                         Generation{"V100-SXM2-16GB", "nvlink2", 6},
                                         Generation{"A100-SXM4-40GB", "nvlink3", 12},
                                         Generation{"H100-SXM5-80GB", "nvlink4", 18},
                                         Generation{"B200-SXM-180GB", "nvlink5", 18}})
    {
        Measure(generation, 1);
        Measure(generation, generation.links);
    }
    return 0;
}
