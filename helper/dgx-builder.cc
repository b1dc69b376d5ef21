/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "dgx-builder.h"

#include "gpu-model.h"
#include "server-builder.h"

#include "ns3/fabric-error.h"

namespace ns3
{

namespace
{

using Counts = std::vector<std::vector<uint32_t>>;

constexpr uint64_t GiB = 1 << 30;
constexpr uint64_t GBPS = 1'000'000'000;

/** @brief Join all CPUs of the server so far with each other. */
void
JoinCpus(ServerBuilder& builder, const std::string& profile, uint32_t links)
{
    const auto cpus = builder.GetTopology().GetParts(ServerTopology::Kind::CPU);
    builder.GetTopology().AddLink(cpus.at(0), cpus.at(1), profile, links);
}

/**
 * @brief Two sockets, each with 4 pairs of a GPU and a NIC below a PCIe switch and host bridge of
 * its own, and a card with two storage ports: the form of DGX H100 and its successors.
 * @param builder gets the parts
 * @param model of the GPUs
 * @param memoryGBps of a socket
 */
void
AddHopperHost(ServerBuilder& builder, const std::string& model, double memoryGBps)
{
    // Order of NICs and relations: nvidia-smi topo -m of a DGX H100. NIC1 and NIC2 (NIC7 and
    // NIC8) are the two ports of the storage card.
    static const std::string cores[] = {"0-55,112-167", "56-111,168-223"};
    for (uint32_t socket = 0; socket < 2; ++socket)
    {
        // 2 TB of DDR5 over two sockets (NVIDIA: DGX H100 data sheet)
        const uint32_t cpu =
            builder.AddCpu(static_cast<int32_t>(socket), 1024 * GiB, memoryGBps, cores[socket]);
        for (uint32_t pair = 0; pair < 4; ++pair)
        {
            builder.NextHostBridge();
            const uint32_t plx = builder.AddPcieSwitch(cpu, "pcie5-x16", 48, 2);
            builder.AddGpu(model, plx);
            builder.AddNic("", plx, "pcie5-x16", 400 * GBPS);
            if (pair == 0)
            {
                builder.NextHostBridge();
                const uint32_t card = builder.AddPcieSwitch(cpu, "pcie5-x16", 48);
                builder.AddNic("", card, "pcie5-x16", 400 * GBPS);
                builder.AddNic("", card, "pcie5-x16", 400 * GBPS);
            }
        }
    }
}

} // namespace

ServerTopology
DgxBuilder::MakeDgx1(const std::string& model)
{
    // V100: the matrix that nvidia-smi prints on a DGX-1V (papers G4). P100: the cube mesh of
    // NVIDIA's DGX-1 white paper: two fully connected quads, GPU i linked with GPU i + 4.
    static const Counts v100{{0, 1, 1, 2, 2, 0, 0, 0},
                             {1, 0, 2, 1, 0, 2, 0, 0},
                             {1, 2, 0, 2, 0, 0, 1, 0},
                             {2, 1, 2, 0, 0, 0, 0, 1},
                             {2, 0, 0, 0, 0, 1, 1, 2},
                             {0, 2, 0, 0, 1, 0, 2, 1},
                             {0, 0, 1, 0, 1, 2, 0, 2},
                             {0, 0, 0, 1, 2, 1, 2, 0}};
    static const Counts p100{{0, 1, 1, 1, 1, 0, 0, 0},
                             {1, 0, 1, 1, 0, 1, 0, 0},
                             {1, 1, 0, 1, 0, 0, 1, 0},
                             {1, 1, 1, 0, 0, 0, 0, 1},
                             {1, 0, 0, 0, 0, 1, 1, 1},
                             {0, 1, 0, 0, 1, 0, 1, 1},
                             {0, 0, 1, 0, 1, 1, 0, 1},
                             {0, 0, 0, 1, 1, 1, 1, 0}};
    const GpuModel& gpu = GpuModel::Get(model);
    const bool isP100 = gpu.linkProfile == "nvlink1";
    if (!isP100 && gpu.linkProfile != "nvlink2")
    {
        throw FabricError("DGX-1 with " + model + ": allowed are P100-SXM2 and V100-SXM2 models");
    }
    ServerBuilder builder;
    for (int32_t socket = 0; socket < 2; ++socket)
    {
        // Xeon E5-2698 v4: 4 channels DDR4-2400, 512 GB over two sockets, 40 PCIe lanes; PLX
        // switches of 96 lanes, two GPUs and an EDR NIC below each
        const uint32_t cpu =
            builder.AddCpu(socket, 256 * GiB, 76.8, socket == 0 ? "0-19,40-59" : "20-39,60-79");
        for (uint32_t i = 0; i < 2; ++i)
        {
            const uint32_t plx = builder.AddPcieSwitch(cpu, "pcie3-x16", 96);
            builder.AddGpu(model, plx);
            builder.AddGpu(model, plx);
            builder.AddNic("", plx, "pcie3-x16", 100 * GBPS);
        }
    }
    JoinCpus(builder, "qpi", 2); // two QPI links of 9.6 GT/s
    builder.AddMesh(isP100 ? p100 : v100, gpu.linkProfile);
    return builder.GetTopology();
}

ServerTopology
DgxBuilder::MakeDgx2()
{
    // NVIDIA, DGX-2 and NVSwitch (Hot Chips 30): 12 switches of 18 ports, on each board 8 ports of
    // a switch go to its GPUs and 8 to the switch of the same place on the other board. PCIe: hwloc
    // of a DGX-2H shows two levels of switches; their grouping into pairs is our reading.
    ServerBuilder builder;
    auto& topology = builder.GetTopology();
    for (int32_t board = 0; board < 2; ++board)
    {
        const uint32_t cpu = builder.AddCpu(board,
                                            768 * GiB, // Xeon 8168: 6 channels DDR4-2666
                                            128,
                                            board == 0 ? "0-23,48-71" : "24-47,72-95");
        for (uint32_t upper = 0; upper < 2; ++upper)
        {
            builder.NextHostBridge();
            const uint32_t up = builder.AddPcieSwitch(cpu, "pcie3-x16", 96);
            for (uint32_t lower = 0; lower < 2; ++lower)
            {
                const uint32_t plx = builder.AddPcieSwitch(up, "pcie3-x16", 96);
                builder.AddGpu("V100-SXM3-32GB", plx);
                builder.AddGpu("V100-SXM3-32GB", plx);
                builder.AddNic("", plx, "pcie3-x16", 100 * GBPS);
            }
        }
    }
    JoinCpus(builder, "upi", 3);
    const auto gpus = topology.GetRanks();
    for (uint32_t board = 0; board < 2; ++board)
    {
        for (uint32_t i = 0; i < 6; ++i)
        {
            const uint32_t nvSwitch = builder.AddNvSwitch(1);
            for (uint32_t gpu = 0; gpu < 8; ++gpu)
            {
                topology.AddLink(gpus[board * 8 + gpu], nvSwitch, "nvlink2");
            }
        }
    }
    const auto switches = topology.GetParts(ServerTopology::Kind::NVSWITCH);
    for (uint32_t i = 0; i < 6; ++i)
    {
        topology.AddLink(switches[i], switches[i + 6], "nvlink2", 8);
    }
    return topology;
}

ServerTopology
DgxBuilder::MakeA100(const std::string& model)
{
    const GpuModel& gpu = GpuModel::Get(model);
    if (gpu.linkProfile != "nvlink3" || gpu.maxLinks < 8)
    {
        throw FabricError("DGX A100 with " + model +
                          ": allowed are A100-SXM4 and A800-SXM4 models");
    }
    // EPYC 7742 with four NUMA nodes a socket: nvidia-smi of a DGX A100 shows GPU pairs at NUMA
    // 3, 1, 7, 5, two compute NICs beside each pair, and one dual-port storage card a socket.
    // 8 channels DDR4-3200; four xGMI links between the sockets are assumed.
    static const int32_t numa[] = {3, 1, 7, 5};
    static const std::string cores[] = {"0-63,128-191", "64-127,192-255"};
    ServerBuilder builder;
    for (uint32_t socket = 0; socket < 2; ++socket)
    {
        const uint32_t cpu =
            builder.AddCpu(static_cast<int32_t>(socket * 4), 512 * GiB, 204.8, cores[socket]);
        for (uint32_t pair = 0; pair < 2; ++pair)
        {
            const int32_t node = numa[socket * 2 + pair];
            builder.NextHostBridge();
            const uint32_t plx = builder.AddPcieSwitch(cpu, "pcie4-x16", 96, 2);
            builder.AddGpu(model, plx, node);
            builder.AddGpu(model, plx, node);
            builder.AddNic("", plx, "pcie4-x16", 200 * GBPS, node);
            builder.AddNic("", plx, "pcie4-x16", 200 * GBPS, node);
        }
        builder.NextHostBridge();
        const uint32_t card = builder.AddPcieSwitch(cpu, "pcie4-x16", 48);
        const std::string first = std::to_string(socket == 0 ? 4 : 10);
        const std::string second = std::to_string(socket == 0 ? 5 : 11);
        builder.AddNic("mlx5_" + first, card, "pcie4-x16", 200 * GBPS);
        builder.AddNic("mlx5_" + second, card, "pcie4-x16", 200 * GBPS);
    }
    JoinCpus(builder, "xgmi-socket", 4);
    // A100: 12 links, 2 to each of 6 switches (NVIDIA HGX A100). A800: 8 links; which switches
    // they go to is not public, 2+2+1+1+1+1 is assumed.
    const bool cut = gpu.maxLinks == 8;
    builder.AddNvSwitches(cut ? std::vector<uint32_t>{2, 2, 1, 1, 1, 1}
                              : std::vector<uint32_t>{2, 2, 2, 2, 2, 2},
                          2,
                          "nvlink3");
    return builder.GetTopology();
}

ServerTopology
DgxBuilder::MakeHopper(const std::string& model)
{
    const GpuModel& gpu = GpuModel::Get(model);
    if (gpu.linkProfile != "nvlink4" || model.find("SXM5") == std::string::npos)
    {
        throw FabricError("DGX H100 with " + model +
                          ": allowed are H100-SXM5-80GB, H200-SXM5-141GB and H800-SXM5-80GB");
    }
    ServerBuilder builder;
    AddHopperHost(builder, model, 307.2); // Xeon 8480C: 8 channels DDR5-4800
    JoinCpus(builder, "upi", 4);          // four UPI links; 16 GT/s, our row has 10.4
    // H100: 18 links, 5+4+4+5 over four switches (NVIDIA, Hot Chips 34). H800: 2 to each, as an
    // NCCL topology dump of one shows.
    builder.AddNvSwitches(gpu.maxLinks == 18 ? std::vector<uint32_t>{5, 4, 4, 5}
                                             : std::vector<uint32_t>{2, 2, 2, 2},
                          3,
                          "nvlink4");
    return builder.GetTopology();
}

ServerTopology
DgxBuilder::MakeB200()
{
    // NVIDIA DGX B200 data sheet: 8 GPUs, two NVLink switch chips of 72 ports, so 9 links to each;
    // host as DGX H100 with DDR5-5600. The layout of its PCIe switches is taken from DGX H100.
    ServerBuilder builder;
    AddHopperHost(builder, "B200-SXM-180GB", 358.4);
    JoinCpus(builder, "upi", 4);
    builder.AddNvSwitches({9, 9}, 4, "nvlink5");
    return builder.GetTopology();
}

} // namespace ns3
