/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "heap-count.h"
#include "raw-fabric.h"
#include "rdma-line.h"

#include "ns3/fabric-error.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-pcie-ports.h"
#include "ns3/rdma-pcie-profile.h"
#include "ns3/server-builder.h"
#include "ns3/server-nic-helper.h"
#include "ns3/star-builder.h"
#include "ns3/uinteger.h"

#include <memory>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;
constexpr uint64_t GiB = 1 << 30;
constexpr uint64_t ALL = ~uint64_t{0};

/** @brief What to build. */
struct BoxOptions
{
    bool real{true};                //!< real ports
    uint32_t nics{1};               //!< of each chassis, all below one PCIe switch
    std::string slot{"pcie4-x16"};  //!< of each NIC
    std::string up{"pcie4-x16"};    //!< of the PCIe switch
    uint64_t netBps{200 * GIGA};    //!< of each NIC
};

/** @brief Two chassis of a CPU, a PCIe switch with two GPUs and some NICs, on one network switch. */
class Box
{
  public:
    explicit Box(const BoxOptions& options = BoxOptions())
    {
        StarBuilder::Parameters star;
        star.hosts = 2;
        star.hostLink = {options.netBps, 500'000, options.nics};
        fabric.SetNicAttribute("Mtu", UintegerValue(4096));
        fabric.Build(StarBuilder(star).Build());
        ServerBuilder builder;
        for (uint32_t chassis = 0; chassis < 2; ++chassis)
        {
            builder.SetServer(chassis);
            const uint32_t cpu = builder.AddCpu(0, 256 * GiB, 204.8);
            const uint32_t plx = builder.AddPcieSwitch(cpu, options.up, 128);
            builder.AddGpu("A100-SXM4-40GB", plx);
            builder.AddGpu("A100-SXM4-40GB", plx);
            for (uint32_t nic = 0; nic < options.nics; ++nic)
            {
                builder.AddNic("", plx, options.slot, options.netBps);
            }
        }
        server.SetRequireAllPairs(false);
        server.Install(builder.GetTopology(), fabric.GetHosts());
        nics = std::make_unique<ServerNicHelper>(server, fabric);
        nics->SetRealPorts(options.real);
        nics->Attach();
        rdma = std::make_unique<RdmaHelper>(fabric);
    }

    /**
     * @brief Connect the n-th NICs of both chassis.
     * @param from part of the first chassis, empty: host memory by default
     * @param to part of the second
     */
    void Connect(const std::string& from, const std::string& to, uint32_t nic = 0)
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
            flow.region[side] =
                device->RegisterMemory(init[side].pd,
                                       0,
                                       ALL,
                                       0x0f,
                                       where.empty() ? 0 : nics->GetMemory(where));
        }
        flow.pair = rdma->Connect(a, b, init[0], init[1]);
        flows.push_back(flow);
    }

    /** @brief Send one message on a flow. */
    void Post(size_t flow, uint64_t bytes, VerbsOpcode opcode = VerbsOpcode::RDMA_WRITE)
    {
        WorkRequest wr;
        wr.opcode = opcode;
        wr.length = bytes;
        wr.lkey = flows[flow].region[0]->GetLkey();
        wr.rkey = flows[flow].region[1]->GetRkey();
        flows[flow].pair.a->PostSend(wr);
    }

    /** @return empty when nothing is left and the credits add up */
    std::string Explain() const
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

    /** @brief Two queue pairs and their memory. */
    struct Flow
    {
        RdmaHelper::Connection pair;      //!< connected
        Ptr<VerbsMemoryRegion> region[2]; //!< sender's, receiver's
    };

    FabricHelper fabric;                   //!< network
    GpuServerHelper server;                //!< both chassis
    std::unique_ptr<ServerNicHelper> nics; //!< what ties them
    std::unique_ptr<RdmaHelper> rdma;      //!< queue pairs
    std::vector<Flow> flows;               //!< in order
};

/** @brief When one message is in the memory of its receiver, ps. */
FabricPs
OneWay(bool real,
       uint64_t bytes,
       const std::string& from,
       const std::string& to,
       const BoxOptions& options = BoxOptions())
{
    BoxOptions o = options;
    o.real = real;
    Box box(o);
    box.Connect(from, to);
    box.Post(0, bytes);
    Simulator::Run();
    const FabricPs at = box.flows[0].pair.b->GetLastMessageAt();
    Simulator::Destroy();
    return at;
}

/** @brief G10: real ports and the profile of the same links: the same picosecond. */
void
SameIdleTimes(FunctionTestCase& t)
{
    for (const uint64_t bytes : {1, 64, 255, 256, 257, 1000, 4095, 4096, 4097, 10'000, 65'536,
                                 1'000'000})
    {
        for (const auto& [from, to] : {std::pair<std::string, std::string>("", ""),
                                       std::pair<std::string, std::string>("gpu0", "gpu2"),
                                       std::pair<std::string, std::string>("cpu0", "gpu3")})
        {
            const FabricPs ports = OneWay(true, bytes, from, to);
            const FabricPs profile = OneWay(false, bytes, from, to);
            t.Same(std::to_string(bytes) + " B " + from + ">" + to, ports, profile);
            t.True("took some time", ports > 1'000'000);
        }
    }
}

/** @brief NICs of a server as RDMA NICs of a network. */
class GpuNicTestSuite : public TestSuite
{
  public:
    GpuNicTestSuite()
        : TestSuite("ai-fabric-gpu-nic", Type::UNIT)
    {
        RawFabric::UsePicoseconds();
        Add("an idle transfer takes the same with real ports and with the profile", SameIdleTimes);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuNicTestSuite g_gpuNicTestSuite; //!< the suite

} // namespace
