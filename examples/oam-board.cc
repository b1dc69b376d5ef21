/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Eight OAM modules on a board, fully connected with 7 links each or as a hybrid cube mesh with 6:
 * a direct exchange, in which every module writes its share to every other one at the same time.
 * In the full mesh all 7 ports are busy; in the cube mesh some pairs need a relay.
 *
 *   ./fabric run oam-board
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
/** @brief All modules write to all others; print time and bytes per second and module. */
void
Exchange(const std::string& board, uint64_t bytes, bool relay)
{
    GpuServerHelper server;
    server.SetRelay(relay);
    try
    {
        server.Build(ServerCatalog::Make(board));
    }
    catch (const FabricError& error)
    {
        std::cout << board << ": refused: " << error.what() << "\n";
        return;
    }
    const auto& ranks = server.GetTopology().GetRanks();
    Time end;
    for (uint32_t from : ranks)
    {
        for (uint32_t to : ranks)
        {
            if (from != to)
            {
                server.GetDevice(from)->Write(server.GetBase(to), bytes, [&](const auto& c) {
                    end = Max(end, PicoSeconds(c.done));
                });
            }
        }
    }
    Simulator::Run();
    const LinkProfile& profile = LinkProfile::Get("oam");
    const double sent = static_cast<double>(bytes) * static_cast<double>(ranks.size() - 1);
    std::cout << board << (relay ? " with relays: " : ": ") << std::fixed << std::setprecision(1)
              << end.GetMicroSeconds() << " us, " << sent / end.GetSeconds() / 1e9
              << " GB/s out of each module; its ports carry "
              << profile.DataBps(server.GetTopology().GetGpuLinks(ranks[0])) / 8e9 << " GB/s\n";
    Simulator::Destroy();
}
} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint64_t bytes = 4 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "what each module has for each other one (bytes)", bytes);
    cmd.Parse(argc, argv);
    Exchange("oam-full-mesh", bytes, false);
    Exchange("oam-cube-mesh", bytes, false);
    Exchange("oam-cube-mesh", bytes, true);
    return 0;
}
