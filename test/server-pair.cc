/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-pair.h"

#include "ns3/server-builder.h"
#include "ns3/star-builder.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

ServerPair::ServerPair(const Options& options)
{
    FabricStation::Trajectory() = FabricTrajectory();
    StarBuilder::Parameters star;
    star.hosts = 2;
    star.hostLink = {options.netBps, 500'000, options.nics};
    fabric.SetNicAttribute("Mtu", UintegerValue(4096));
    fabric.Build(StarBuilder(star).Build());
    ServerBuilder builder;
    for (uint32_t chassis = 0; chassis < 2; ++chassis)
    {
        const bool other = chassis == 1 && !options.farSlot.empty();
        builder.SetServer(chassis);
        const uint32_t cpu = builder.AddCpu(0, 256ULL << 30, 204.8);
        const uint32_t plx = builder.AddPcieSwitch(cpu, options.up, 128);
        builder.AddGpu("A100-SXM4-40GB", plx);
        builder.AddGpu("A100-SXM4-40GB", plx);
        for (uint32_t nic = 0; nic < options.nics; ++nic)
        {
            builder.AddNic("", plx, other ? options.farSlot : options.slot, options.netBps);
        }
    }
    server.SetRequireAllPairs(false);
    server.SetDeviceAttribute(ServerTopology::Kind::NIC,
                              "FrameBytes",
                              UintegerValue(options.frameBytes));
    server.Install(builder.GetTopology(), fabric.GetHosts());
    nics = std::make_unique<ServerNicHelper>(server, fabric);
    nics->SetRealPorts(options.real);
    if (options.attach)
    {
        nics->Attach();
    }
    rdma = std::make_unique<RdmaHelper>(fabric);
}

void
ServerPair::Connect(const std::string& from, const std::string& to, uint32_t nic)
{
    Flow flow;
    const uint32_t a = fabric.GetEndpoint(fabric.GetTopology().GetHosts()[0], nic);
    const uint32_t b = fabric.GetEndpoint(fabric.GetTopology().GetHosts()[1], nic);
    VerbsQpInit init[2];
    for (uint32_t side = 0; side < 2; ++side)
    {
        const auto device = fabric.GetNic(side == 0 ? a : b);
        const std::string& where = side == 0 ? from : to;
        init[side].pd = device->CreateProtectionDomain();
        init[side].maxSend = 1 << 16;
        init[side].sendCq = flow.cq[side] = device->CreateCompletionQueue(1 << 16);
        flow.region[side] = device->RegisterMemory(init[side].pd,
                                                   0,
                                                   ~uint64_t{0},
                                                   0x0f,
                                                   where.empty() ? 0 : nics->GetMemory(where));
    }
    flow.pair = rdma->Connect(a, b, init[0], init[1]);
    flows.push_back(flow);
}

void
ServerPair::Post(size_t flow, uint64_t bytes, VerbsOpcode opcode)
{
    WorkRequest wr;
    wr.opcode = opcode;
    wr.length = bytes;
    wr.lkey = flows[flow].region[0]->GetLkey();
    wr.rkey = flows[flow].region[1]->GetRkey();
    flows[flow].pair.a->PostSend(wr);
}

std::string
ServerPair::Explain() const
{
    server.SyncAll();
    std::ostringstream text;
    text << server.ExplainImbalance();
    for (const auto& part : server.GetTopology().GetParts())
    {
        if (part.kind != ServerTopology::Kind::PCIE_SWITCH)
        {
            const auto device = server.GetDevice(part.id);
            const uint64_t open = device->GetInUse();
            text << (open > 0 ? part.name + " has operations under way; " : "");
        }
    }
    return text.str();
}

} // namespace ns3
