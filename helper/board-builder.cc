/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "board-builder.h"

#include "server-builder.h"

namespace ns3
{

namespace
{

using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;

constexpr uint64_t GiB = 1 << 30;
constexpr uint64_t GBPS = 1'000'000'000;

/** @brief A host: its sockets, and what hangs below each. */
struct Host
{
    std::string model;    //!< of the GPUs
    std::string pcie;     //!< every PCIe link
    double memoryGBps;    //!< of a socket
    uint32_t switches;    //!< PCIe switches of a socket
    uint32_t gpus;        //!< below each switch
    uint32_t nics;        //!< below each switch
    uint64_t netRateBps;  //!< of a NIC
    std::string socket;   //!< profile between the sockets
    uint32_t socketLinks; //!< parallel links between the sockets
};

/**
 * @brief Two sockets with PCIe switches, each on a host bridge of its own, GPUs and NICs below.
 * @param builder gets the parts
 * @param host what to add
 */
void
AddHost(ServerBuilder& builder, const Host& host)
{
    static const std::string cores[] = {"0-47,96-143", "48-95,144-191"};
    for (int32_t socket = 0; socket < 2; ++socket)
    {
        const uint32_t cpu = builder.AddCpu(socket, 1024 * GiB, host.memoryGBps, cores[socket]);
        for (uint32_t i = 0; i < host.switches; ++i)
        {
            builder.NextHostBridge();
            const uint32_t plx = builder.AddPcieSwitch(cpu, host.pcie, 96);
            for (uint32_t gpu = 0; gpu < host.gpus; ++gpu)
            {
                builder.AddGpu(host.model, plx);
            }
            for (uint32_t nic = 0; nic < host.nics; ++nic)
            {
                builder.AddNic("", plx, host.pcie, host.netRateBps);
            }
        }
    }
    const auto cpus = builder.GetTopology().GetParts(Kind::CPU);
    builder.GetTopology().AddLink(cpus[0], cpus[1], host.socket, host.socketLinks);
}

/** @return a part of a chiplet package */
Part
PackagePart(Kind kind, const std::string& name, const std::string& model)
{
    Part part;
    part.kind = kind;
    part.name = name;
    part.model = model;
    return part;
}

/** @return the id of a new memory stack below a die */
uint32_t
AddMemory(ServerTopology& topology,
          const std::string& name,
          uint32_t die,
          const std::string& profile,
          uint64_t gigabytes,
          uint64_t rateGBps)
{
    Part part = PackagePart(Kind::MEMORY, name, "");
    part.memoryBytes = gigabytes * GiB;
    part.memoryRateBps = rateGBps * 8 * GBPS;
    const uint32_t id = topology.AddPart(part);
    topology.AddLink(die, id, profile);
    return id;
}

} // namespace

ServerTopology
BoardBuilder::MakeMi300x()
{
    // AMD MI300X platform: 8 modules on a UBB 2.0 board, seven 16-lane Infinity Fabric links each,
    // 64 GB/s a direction, to every other module. EPYC 9004 with 12 channels DDR5-4800. A PCIe
    // switch with a 400G NIC for each GPU: as RCCL topology files of such nodes show.
    ServerBuilder builder;
    AddHost(builder, {"MI300X", "pcie5-x16", 460.8, 4, 1, 1, 400 * GBPS, "xgmi-socket", 4});
    builder.AddFullMesh(1, "xgmi3");
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakeOamFullMesh()
{
    // Open Compute OAM 1.5 base board, fully connected: 8 modules, 7 ports, 28 links. Host,
    // memory of the modules and NICs are assumed.
    ServerBuilder builder;
    AddHost(builder, {"OAM-7", "pcie4-x16", 204.8, 2, 2, 1, 200 * GBPS, "xgmi-socket", 4});
    builder.AddFullMesh(1, "oam");
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakeOamCubeMesh()
{
    // Open Compute OAM 1.5, hybrid cube mesh of 6-port modules: two fully connected quads joined
    // by the cube's edges. Which two neighbours of each get a second link is our choice.
    ServerBuilder builder;
    AddHost(builder, {"OAM-6", "pcie4-x16", 204.8, 2, 2, 1, 200 * GBPS, "xgmi-socket", 4});
    builder.AddMesh({{0, 2, 1, 1, 2, 0, 0, 0},
                     {2, 0, 1, 1, 0, 2, 0, 0},
                     {1, 1, 0, 2, 0, 0, 2, 0},
                     {1, 1, 2, 0, 0, 0, 0, 2},
                     {2, 0, 0, 0, 0, 2, 1, 1},
                     {0, 2, 0, 0, 2, 0, 1, 1},
                     {0, 0, 2, 0, 1, 1, 0, 2},
                     {0, 0, 0, 2, 1, 1, 2, 0}},
                    "oam");
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakeRing8()
{
    // No machine of a maker: a ring of as many links as a V100 has ports for.
    ServerBuilder builder;
    AddHost(builder, {"V100-SXM2-16GB", "pcie3-x16", 76.8, 2, 2, 1, 100 * GBPS, "qpi", 2});
    builder.AddRing(3, "nvlink2");
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakeL40s()
{
    // The usual 8-GPU PCIe server: two Gen5 sockets of 8 channels DDR5-4800, cards are Gen4.
    ServerBuilder builder;
    AddHost(builder, {"L40S-48GB", "pcie4-x16", 307.2, 2, 2, 1, 400 * GBPS, "upi", 3});
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakePcieBox()
{
    // Four cards straight on a socket, two on each host bridge, and a NIC beside the first two.
    ServerBuilder builder;
    const uint32_t cpu = builder.AddCpu(0, 512 * GiB, 204.8, "0-31,32-63");
    builder.AddGpu("L40S-48GB", cpu);
    builder.AddGpu("L40S-48GB", cpu);
    builder.AddNic("", cpu, "pcie4-x16", 200 * GBPS);
    builder.NextHostBridge();
    builder.AddGpu("L40S-48GB", cpu);
    builder.AddGpu("L40S-48GB", cpu);
    return builder.GetTopology();
}

ServerTopology
BoardBuilder::MakePower9()
{
    // IBM Power System AC922 with four GPUs: of the six links of a V100 three go to its sibling
    // and three to the CPU; 8 channels DDR4-2666; X bus between the sockets; one card of two ports
    // at each socket.
    ServerBuilder builder;
    auto& topology = builder.GetTopology();
    for (int32_t socket = 0; socket < 2; ++socket)
    {
        const uint32_t cpu =
            builder.AddCpu(socket, 512 * GiB, 170, socket == 0 ? "0-63" : "64-127");
        const uint32_t a = builder.AddGpu("V100-SXM2-16GB", ServerTopology::NO_LIMIT, socket);
        const uint32_t b = builder.AddGpu("V100-SXM2-16GB", ServerTopology::NO_LIMIT, socket);
        topology.AddLink(a, b, "nvlink2", 3);
        topology.AddLink(cpu, a, "nvlink2", 3);
        topology.AddLink(cpu, b, "nvlink2", 3);
        builder.NextHostBridge();
        const uint32_t card = builder.AddPcieSwitch(cpu, "pcie4-x8", 48);
        builder.AddNic("", card, "pcie4-x8", 100 * GBPS);
        builder.AddNic("", card, "pcie4-x8", 100 * GBPS);
    }
    const auto cpus = topology.GetParts(Kind::CPU);
    topology.AddLink(cpus[0], cpus[1], "xbus");
    return topology;
}

ServerTopology
BoardBuilder::MakeChipletPackage()
{
    // No product: the two forms of package in one. 2.5D: an IO die with DDR and a PCIe port beside
    // two base dies. 3D: compute dies and HBM on each base die.
    ServerTopology topology;
    const uint32_t io = topology.AddPart(PackagePart(Kind::DIE, "io0", "io-die"));
    AddMemory(topology, "ddr0", io, "ucie1-standard", 128, 100);
    for (uint32_t i = 0; i < 2; ++i)
    {
        const std::string n = std::to_string(i);
        const uint32_t base = topology.AddPart(PackagePart(Kind::DIE, "base" + n, "base-die"));
        topology.AddLink(io, base, "ucie1-standard", 2);
        for (uint32_t j = 0; j < 2; ++j)
        {
            const std::string m = std::to_string(2 * i + j);
            const auto compute = PackagePart(Kind::DIE, "compute" + m, "compute-die");
            topology.AddLink(base, topology.AddPart(compute), "ucie1-advanced");
            AddMemory(topology, "hbm" + m, base, "ucie1-advanced", 16, 819);
        }
    }
    Part nic = PackagePart(Kind::NIC, "mlx5_0", "");
    nic.netRateBps = 400 * GBPS;
    topology.AddLink(io, topology.AddPart(nic), "pcie5-x16");
    return topology;
}

} // namespace ns3
