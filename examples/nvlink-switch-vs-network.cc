/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * From a GPU to a GPU of another server, two ways. In a switched NVLink domain: GPU, NVLink switch,
 * GPU, two steps. Over the network: GPU, PCIe switch, NIC, network switch, NIC, PCIe switch, GPU,
 * six steps, after a request of the NIC over two. Every figure is from the stations' traces.
 *
 *   ./fabric run nvlink-switch-vs-network
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
/** @brief A frame on a link. */
struct Step
{
    std::string from; //!< station
    std::string to;   //!< station
    std::string what; //!< request or data
    FabricPs leaves;  //!< first bit, ps
    FabricPs arrives; //!< last bit, and through the pipeline of the station there, ps
};

std::vector<Step> g_steps; //!< one behind the other: there is only one message

/** @return what a frame is; empty: it is not on the data's way */
std::string
What(const FabricPacket& p)
{
    const bool wire = p.kind == FabricPacketKind::TRANSPORT;
    const auto op = static_cast<MemoryOp>(p.opcode);
    const bool data = wire ? p.opcode == BTH_RC_WRITE_ONLY : MemoryOpCarriesData(op);
    return data ? "data" : !wire && op == MemoryOp::READ_REQUEST ? "request" : "";
}

void
Trace(std::string name, bool sent, const FabricPacket& p, uint16_t, FabricPs at)
{
    if (sent && !What(p).empty())
    {
        g_steps.push_back({name, "", What(p), at, 0});
    }
    else if (!What(p).empty())
    {
        g_steps.back().to = name;
        g_steps.back().arrives = at;
    }
}

void
Watch(Ptr<FabricStation> station)
{
    station->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Trace, station->GetName(), true));
    station->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Trace, station->GetName(), false));
}

void
Print(const std::string& title)
{
    constexpr double NS = 1000;
    std::cout << title << "\n  ns: held before  leaves  on the link\n";
    FabricPs before = 0;
    FabricPs onLinks = 0;
    for (const Step& s : g_steps)
    {
        std::cout << std::setw(17) << (s.leaves - before) / NS << std::setw(8) << s.leaves / NS
                  << std::setw(13) << (s.arrives - s.leaves) / NS << "  " << s.from << " > " << s.to
                  << ", " << s.what << "\n";
        onLinks += s.arrives - s.leaves;
        before = s.arrives;
    }
    std::cout << "  at the far GPU after " << before / NS << " ns, " << onLinks / NS
              << " of them on links\n\n";
    g_steps.clear();
}

/** @brief Send once. Two chassis, each with a GPU and a NIC; one NVLink switch for both. */
void
Run(bool network, uint32_t bytes)
{
    ServerBuilder builder;
    for (uint32_t chassis : {0, 1})
    {
        builder.SetServer(chassis);
        const uint32_t plx = builder.AddPcieSwitch(builder.AddCpu(0, 1 << 30, 0), "pcie5-x16", 64);
        builder.AddGpu("GB200-186GB", plx);
        builder.AddNic("", plx, "pcie5-x16", 400'000'000'000);
    }
    builder.AddNvSwitches({18}, 4, "nvlink5");
    StarBuilder::Parameters star;
    star.hosts = 2;
    star.hostLink = {400'000'000'000, 10'000, 1}; // 2 m of cable
    FabricHelper fabric;
    fabric.SetSwitchAttribute("PipelineLatency", TimeValue(NanoSeconds(300))); // assumed
    fabric.SetNicAttribute("Mtu", UintegerValue(4096));
    fabric.Build(StarBuilder(star).Build());
    GpuServerHelper server;
    server.SetPcieSwitchAttribute("PipelineLatency", TimeValue(NanoSeconds(100))); // assumed
    server.Install(builder.GetTopology(), fabric.GetHosts());
    ServerNicHelper nics(server, fabric);
    nics.Attach();
    for (const auto& part : server.GetTopology().GetParts())
    {
        Watch(server.GetStation(part.id));
    }
    Watch(fabric.GetSwitches().at(0));
    if (network)
    {
        VerbsQpInit init[2];
        WorkRequest wr;
        wr.length = bytes;
        for (uint32_t side : {0, 1})
        {
            const Ptr<RdmaNic> nic = fabric.GetNic(side);
            Watch(nic);
            init[side].pd = nic->GetDefaultDomain();
            const uint32_t memory = nics.GetMemory("gpu" + std::to_string(side));
            const auto region = nic->RegisterMemory(init[side].pd, 0, bytes, 0x0f, memory);
            (side == 0 ? wr.lkey : wr.rkey) = side == 0 ? region->GetLkey() : region->GetRkey();
        }
        RdmaHelper(fabric).Connect(0, 1, init[0], init[1]).a->PostSend(wr);
    }
    else
    {
        server.GetGpu(0)->Store(server.GetBase(server.GetTopology().Find("gpu1")), bytes, nullptr);
    }
    Simulator::Run();
    Print(network ? "PCIe, NIC, network switch, NIC, PCIe" : "NVLink switch");
    Simulator::Destroy();
}
} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);
    std::cout << std::fixed << std::setprecision(1);
    Run(false, 256);
    Run(true, 256);
    return 0;
}
