/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nvl-builder.h"

#include "server-builder.h"

namespace ns3
{

namespace
{

constexpr uint64_t GiB = 1 << 30;
constexpr uint64_t GBPS = 1'000'000'000;

/**
 * @brief Trays of superchips: a Grace CPU with its GPUs on NVLink-C2C and a NIC for each GPU.
 *
 * Grace: 480 GB LPDDR5X at up to 512 GB/s (NVIDIA). C2C: 900 GB/s both ways together, here for
 * each GPU. That the CPUs of a tray are joined by a C2C link, and the NICs' slots, are assumed.
 * @param builder gets the parts
 * @param trays number of trays
 * @param cpus in a tray
 * @param gpus of a CPU
 * @param model of the GPUs
 */
void
AddTrays(ServerBuilder& builder,
         uint32_t trays,
         uint32_t cpus,
         uint32_t gpus,
         const std::string& model)
{
    auto& topology = builder.GetTopology();
    for (uint32_t tray = 0; tray < trays; ++tray)
    {
        builder.SetServer(tray);
        uint32_t nic = 0;
        uint32_t last = ServerTopology::NO_LIMIT;
        for (uint32_t c = 0; c < cpus; ++c)
        {
            const std::string cores =
                std::to_string(c * 72) + "-" + std::to_string(c * 72 + 71); // 72 cores
            const auto numa = static_cast<int32_t>(c);
            const uint32_t cpu = builder.AddCpu(numa, 480 * GiB, 512, cores);
            for (uint32_t g = 0; g < gpus; ++g)
            {
                const uint32_t gpu = builder.AddGpu(model, ServerTopology::NO_LIMIT, numa);
                topology.AddLink(cpu, gpu, "nvlink-c2c");
                builder.NextHostBridge();
                builder.AddNic("tray" + std::to_string(tray) + "-mlx5_" + std::to_string(nic++),
                               cpu,
                               "pcie5-x16",
                               400 * GBPS);
            }
            if (c > 0)
            {
                topology.AddLink(last, cpu, "nvlink-c2c");
            }
            last = cpu;
        }
    }
}

} // namespace

ServerTopology
NvlBuilder::MakeNvl32()
{
    // NVIDIA GH200 NVL32: 16 dual-GH200 trays, 9 switch trays; one link of each GPU to each of the
    // 18 switches follows from 18 links and 18 chips.
    ServerBuilder builder;
    AddTrays(builder, 16, 2, 1, "GH200-96GB");
    const auto gpus = builder.GetTopology().GetRanks();
    for (uint32_t i = 0; i < 18; ++i)
    {
        builder.SetServer(16 + i / 2);
        const uint32_t nvSwitch = builder.AddNvSwitch(3);
        for (const auto gpu : gpus)
        {
            builder.GetTopology().AddLink(gpu, nvSwitch, "nvlink4");
        }
    }
    return builder.GetTopology();
}

ServerTopology
NvlBuilder::MakeNvl72()
{
    // NVIDIA GB200 NVL72: 18 trays of 2 Grace and 4 Blackwell, 9 switch trays of 2 chips with 72
    // ports each, 130 TB/s; every GPU has one link to every chip, all ports in use.
    ServerBuilder builder;
    AddTrays(builder, 18, 2, 2, "GB200-186GB");
    const auto gpus = builder.GetTopology().GetRanks();
    for (uint32_t i = 0; i < 18; ++i)
    {
        builder.SetServer(18 + i / 2);
        const uint32_t nvSwitch = builder.AddNvSwitch(4);
        for (const auto gpu : gpus)
        {
            builder.GetTopology().AddLink(gpu, nvSwitch, "nvlink5");
        }
    }
    return builder.GetTopology();
}

ServerTopology
NvlBuilder::MakeNvl576()
{
    // NVIDIA names 576 GPUs as the largest NVLink domain and two tiers of switches; the wiring is
    // not public. Here: 18 planes, one link of each GPU in each. A plane is a non-blocking tree of
    // 72-port chips: 16 with 36 GPUs below and 36 links up, 4 links to each of 9 on top.
    constexpr uint32_t planes = 18;
    constexpr uint32_t lower = 16;
    constexpr uint32_t upper = 9;
    constexpr uint32_t down = 36;
    ServerBuilder builder;
    AddTrays(builder, 144, 2, 2, "GB200-186GB");
    auto& topology = builder.GetTopology();
    const auto gpus = topology.GetRanks();
    for (uint32_t plane = 0; plane < planes; ++plane)
    {
        builder.SetServer(144 + plane);
        std::vector<uint32_t> tops;
        for (uint32_t i = 0; i < upper; ++i)
        {
            tops.push_back(builder.AddNvSwitch(4));
        }
        for (uint32_t i = 0; i < lower; ++i)
        {
            const uint32_t nvSwitch = builder.AddNvSwitch(4);
            for (uint32_t gpu = i * down; gpu < (i + 1) * down; ++gpu)
            {
                topology.AddLink(gpus[gpu], nvSwitch, "nvlink5");
            }
            for (const auto top : tops)
            {
                topology.AddLink(nvSwitch, top, "nvlink5", down / upper);
            }
        }
    }
    return topology;
}

} // namespace ns3
