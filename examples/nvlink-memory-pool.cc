/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A memory pool over the GPUs of one NVSwitch domain: pages go round the owners, so one GPU reads
 * from all others at once; readers that begin together meet at every owner. A peer without rights
 * is refused.
 *
 *   ./fabric run nvlink-memory-pool
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
constexpr uint64_t POOL_BASE = 1ULL << 40;
constexpr uint64_t SHARE = 64 << 20; // of the pool, at each GPU

/** @brief Read the whole pool at some GPUs at once; print what each gets. */
void
ReadPool(GpuServerHelper& server, const MemoryPool& pool, uint32_t readers)
{
    const Time start = Simulator::Now();
    uint64_t bytes = 0;
    Time end;
    for (uint32_t rank = 0; rank < readers; ++rank)
    {
        server.GetGpu(rank)->Read(pool.GetBase(), pool.GetBytes(), [&](const MemoryCompletion& c) {
            bytes += c.delivered;
            end = Max(end, PicoSeconds(c.done));
        });
    }
    Simulator::Run();
    const double seconds = (end - start).GetSeconds();
    std::cout << readers << " reader(s) of " << (pool.GetBytes() >> 20) << " MiB: " << std::fixed
              << std::setprecision(1) << static_cast<double>(bytes) / readers / seconds / 1e9
              << " GB/s each\n";
}
} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    std::string model = "dgx-h100";
    CommandLine cmd(__FILE__);
    cmd.AddValue("server", "assembly with NVSwitches", model);
    cmd.Parse(argc, argv);

    GpuServerHelper server;
    server.Build(ServerCatalog::Make(model));
    std::vector<uint32_t> owners;
    for (uint32_t rank = 0; rank < server.GetNGpus(); ++rank)
    {
        owners.push_back(server.GetGpu(rank)->GetEndpoint());
    }
    auto pool = CreateObject<MemoryPool>();
    pool->Create(server.GetMap(), POOL_BASE, SHARE, owners, MEMORY_ALL_RIGHTS);
    std::cout << "pool of " << owners.size() << " x " << (SHARE >> 20)
              << " MiB; page 0 is at endpoint " << pool->GetOwner(0) << "\n";
    for (uint32_t readers : {1U, 2U, server.GetNGpus()})
    {
        ReadPool(server, *pool, readers);
    }

    pool->SetRights(owners[1], MEMORY_READ);
    server.GetGpu(1)->Write(POOL_BASE, 4096, [](const MemoryCompletion& c) {
        std::cout << "write by a reader: " << MemoryStatusName(c.status) << "\n";
    });
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
