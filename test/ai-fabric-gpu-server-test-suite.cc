/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/gpu-server-helper.h"
#include "ns3/memory-pool.h"
#include "ns3/peer-meter.h"
#include "ns3/server-catalog.h"
#include "ns3/server-relations.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace ns3;
using Kind = ServerTopology::Kind;

namespace
{

constexpr uint64_t MIB = 1 << 20;

/** @brief A server whose GPUs have no start-up times, so that rates show at short transfers. */
void
BuildPlain(GpuServerHelper& server, const ServerTopology& topology)
{
    for (const char* name : {"IssueLatency", "MemoryLatency", "CopyEngineLatency"})
    {
        server.SetDeviceAttribute(Kind::GPU, name, TimeValue(Time(0)));
    }
    server.SetDeviceAttribute(Kind::GPU, "CopyEngineRate", DataRateValue(DataRate(0)));
    server.Build(topology);
}

/** @brief Measured one-way rate between all pairs of GPUs, by ranks. */
std::map<std::pair<uint32_t, uint32_t>, FabricPs>
TimeAllPairs(GpuServerHelper& server, uint64_t bytes)
{
    PeerMeter meter(server);
    std::map<std::pair<uint32_t, uint32_t>, FabricPs> times;
    const auto& ranks = server.GetTopology().GetRanks();
    for (uint32_t i = 0; i < ranks.size(); ++i)
    {
        for (uint32_t j = 0; j < ranks.size(); ++j)
        {
            if (i != j)
            {
                times[{i, j}] = meter.Copy(ranks[i], ranks[j], bytes).time;
            }
        }
    }
    return times;
}

/** @brief Links between two GPUs. */
uint32_t
LinkBetween(const ServerTopology& topology, uint32_t a, uint32_t b)
{
    for (uint32_t link : topology.GetLinks(topology.GetRanks()[a]))
    {
        if (topology.GetPeer(link, topology.GetRanks()[a]) == topology.GetRanks()[b])
        {
            return link;
        }
    }
    throw FabricError("no such link");
}

/** @brief Every assembly: each pair of GPUs gets the data rate of what joins it (G2, G3, G4). */
void
PairRates(FunctionTestCase& t)
{
    for (const char* name : {"dgx1-p100", "dgx1-v100", "dgx-a100", "dgx-h100", "mi300x"})
    {
        GpuServerHelper server;
        const ServerTopology topology = ServerCatalog::Make(name);
        BuildPlain(server, topology);
        const auto& ranks = topology.GetRanks();
        PeerMeter meter(server);
        for (uint32_t to = 1; to < ranks.size(); ++to)
        {
            const uint32_t links = ServerRelations(topology).Get(ranks[0], ranks[to]).links;
            if (links > 0)
            {
                const auto& own = topology.GetLinks(ranks[0]);
                const auto gpuLink = std::find_if(own.begin(), own.end(), [&](uint32_t link) {
                    return ServerTopology::IsGpuLink(topology.GetLinks()[link].family);
                });
                const double rate =
                    LinkProfile::Get(topology.GetLinks()[*gpuLink].profile).DataBps(links) / 8e9;
                t.Near(std::string(name) + " rank 0 to " + std::to_string(to),
                       meter.Copy(ranks[0], ranks[to], 32 * MIB).GetGBps(),
                       rate,
                       0.005);
                t.Near(std::string(name) + " both ways, rank 0 and " + std::to_string(to),
                       meter.CopyBoth(ranks[0], ranks[to], 32 * MIB).GetGBps(),
                       2 * rate,
                       0.01);
            }
        }
        t.True(server.ExplainImbalance(), server.ExplainImbalance().empty());
        Simulator::Destroy();
    }
}

/** @brief G5, G7: published peer bandwidth of long copies; fitted rows only show the fit. */
void
PublishedRates(FunctionTestCase& t)
{
    struct Row
    {
        const char* server;
        uint32_t to;
        double oneWay;
        double bothWays;
    };

    // V100: nothing is fitted; H100: one way is fitted, both ways is not
    for (const Row& row : {Row{"dgx1-v100", 1, 24.22, 48.36},
                           Row{"dgx1-v100", 3, 48.34, 96.65},
                           Row{"dgx1-p100", 1, 18.41, 36.82},
                           Row{"dgx-a100", 1, 276.4, 0},
                           Row{"dgx-h100", 1, 376, 783}})
    {
        GpuServerHelper server;
        server.Build(ServerCatalog::Make(row.server));
        const auto& ranks = server.GetTopology().GetRanks();
        PeerMeter meter(server);
        const double one = meter.Copy(ranks[0], ranks[row.to], 256 * MIB).GetGBps();
        t.Near(std::string(row.server) + " one way", one, row.oneWay, 0.05);
        if (row.bothWays > 0)
        {
            const double both = meter.CopyBoth(ranks[0], ranks[row.to], 256 * MIB).GetGBps();
            t.Near(std::string(row.server) + " both ways", both, row.bothWays, 0.05);
        }
        Simulator::Destroy();
    }
}

/** @brief G5, G7: start-up constants reproduce the latencies that they are fitted to. */
void
FittedLatencies(FunctionTestCase& t)
{
    struct Row
    {
        const char* server;
        double least; // us
        double most;
    };

    for (const Row& row :
         {Row{"dgx1-p100", 9.1, 10.3}, Row{"dgx1-v100", 1.8, 2.24}, Row{"dgx-a100", 2.8, 3.4}})
    {
        GpuServerHelper server;
        server.Build(ServerCatalog::Make(row.server));
        const auto& ranks = server.GetTopology().GetRanks();
        const double time = PeerMeter(server).Store(ranks[0], ranks[1], 4).GetMicroseconds();
        t.True(std::string(row.server) + ": " + std::to_string(time) + " us",
               time >= row.least && time <= row.most);
        Simulator::Destroy();
    }
}

/** @brief G6: DGX-2 is uniform, over one NVSwitch or two; long copies saturate at about 4 MB. */
void
UniformBox(FunctionTestCase& t)
{
    GpuServerHelper server;
    server.Build(ServerCatalog::Make("dgx2"));
    const auto& ranks = server.GetTopology().GetRanks();
    PeerMeter meter(server);
    const auto near = meter.Copy(ranks[0], ranks[7], 64 * MIB);
    const auto far = meter.Copy(ranks[0], ranks[8], 64 * MIB);
    t.Near("one and two hops", far.GetGBps(), near.GetGBps(), 0.001);
    t.True("the second hop takes time", far.time > near.time);
    Simulator::Destroy();

    GpuServerHelper mesh;
    mesh.Build(ServerCatalog::Make("dgx1-v100"));
    const auto& gpus = mesh.GetTopology().GetRanks();
    PeerMeter curve(mesh);
    const double plateau = curve.Copy(gpus[0], gpus[1], 256 * MIB).GetGBps();
    double before = 0;
    for (uint64_t bytes = 4096; bytes <= 64 * MIB; bytes *= 4)
    {
        const double rate = curve.Copy(gpus[0], gpus[1], bytes).GetGBps();
        t.True("the curve rises", rate > before);
        before = rate;
    }
    t.True("64 KiB: far from it", curve.Copy(gpus[0], gpus[1], 64 << 10).GetGBps() < 0.6 * plateau);
    t.True("4 MiB: there", curve.Copy(gpus[0], gpus[1], 4 * MIB).GetGBps() > 0.95 * plateau);
}

/** @brief G8, G10: a copy over PCIe gets what its TLPs leave; measured ones are below that. */
void
HostCopies(FunctionTestCase& t)
{
    GpuServerHelper server;
    BuildPlain(server, ServerCatalog::Make("dgx-a100"));
    const auto& topology = server.GetTopology();
    const uint32_t gpu = topology.GetRanks()[0];
    const uint32_t cpu = topology.GetParts(Kind::CPU)[0];
    PeerMeter meter(server);
    t.Near("write to host memory", meter.Copy(gpu, cpu, 64 * MIB).GetGBps(), 28.81, 0.005);
    t.Near("read from host memory", meter.Load(gpu, cpu, 64 * MIB).GetGBps(), 29.22, 0.005);
}

/** @brief A chiplet package: dies reach each other and memory over UCIe flits (G12). */
void
ChipletPackage(FunctionTestCase& t)
{
    GpuServerHelper server;
    const ServerTopology topology = ServerCatalog::Make("chiplet-package");
    for (const char* name : {"IssueLatency", "MemoryLatency"})
    {
        server.SetDeviceAttribute(Kind::DIE, name, TimeValue(Time(0)));
        server.SetDeviceAttribute(Kind::MEMORY, name, TimeValue(Time(0)));
    }
    server.Build(topology);
    for (const auto& link : topology.GetLinks())
    {
        if (topology.GetPart(link.b).memoryBytes > 0)
        {
            const double rate = LinkProfile::Get(link.profile).DataBps(link.count) / 8e9;
            const auto store = PeerMeter(server).Store(link.a, link.b, 16 * MIB);
            const double memory = static_cast<double>(topology.GetPart(link.b).memoryRateBps) / 8e9;
            t.Near(topology.GetPart(link.a).name + " to " + topology.GetPart(link.b).name,
                   store.GetGBps(),
                   memory > 0 ? std::min(rate, memory) : rate,
                   0.01);
        }
    }
}

/** @brief Halving one bundle's rate doubles the time of the pairs that use it, and of no others. */
void
HalfRate(FunctionTestCase& t)
{
    const ServerTopology topology = ServerCatalog::Make("dgx1-v100");
    const uint32_t link = LinkBetween(topology, 0, 3);
    GpuServerHelper whole;
    BuildPlain(whole, topology);
    const auto before = TimeAllPairs(whole, 4 * MIB);
    Simulator::Destroy();
    GpuServerHelper half;
    const auto& row = topology.GetLinks()[link];
    half.SetLinkRate(link, LinkProfile::Get(row.profile).rateBps * row.count / 2);
    BuildPlain(half, topology);
    for (const auto& [pair, time] : TimeAllPairs(half, 4 * MIB))
    {
        const bool hit = pair == std::pair(0U, 3U) || pair == std::pair(3U, 0U);
        const std::string name = std::to_string(pair.first) + "->" + std::to_string(pair.second);
        if (hit)
        {
            t.Near(name, static_cast<double>(time), 2.0 * before.at(pair), 0.01);
        }
        else
        {
            t.Same(name, time, before.at(pair));
        }
    }
}

/** @brief Link changes that the devices of a node told. */
uint32_t g_changes = 0;

/** @brief A bundle that fails takes its pairs to PCIe, and changes no others. */
void
FailedLink(FunctionTestCase& t)
{
    const ServerTopology topology = ServerCatalog::Make("dgx1-v100");
    GpuServerHelper server;
    BuildPlain(server, topology);
    const auto before = TimeAllPairs(server, 4 * MIB);
    const Ptr<Node> node = server.GetNodes().Get(0);
    g_changes = 0;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        node->GetDevice(i)->AddLinkChangeCallback(MakeCallback(+[]() { ++g_changes; }));
    }
    server.SetLinkUp(LinkBetween(topology, 0, 3), false);
    const auto during = TimeAllPairs(server, 4 * MIB);
    server.ScheduleLink(Simulator::Now() + MicroSeconds(1), LinkBetween(topology, 0, 3), true);
    Simulator::Run();
    t.Same("both devices told both changes", g_changes, 4);
    const auto after = TimeAllPairs(server, 4 * MIB);
    for (const auto& [pair, time] : before)
    {
        const bool hit = pair == std::pair(0U, 3U) || pair == std::pair(3U, 0U);
        const std::string name = std::to_string(pair.first) + "->" + std::to_string(pair.second);
        t.Same(name + " restored", after.at(pair), time);
        t.True(name + " while it is down",
               hit ? during.at(pair) > 3 * time : during.at(pair) == time);
    }
    t.True(server.ExplainImbalance(), server.ExplainImbalance().empty());
}

/** @brief Fault 37: pairs without a link go over PCIe, over relays, or are refused by name. */
void
DirectlyWired(FunctionTestCase& t)
{
    ServerTopology bare; // the cube mesh alone, without any PCIe
    const ServerTopology dgx = ServerCatalog::Make("dgx1-v100");
    for (uint32_t rank : dgx.GetRanks())
    {
        bare.AddPart(dgx.GetPart(rank));
    }
    for (const auto& link : dgx.GetLinks())
    {
        if (ServerTopology::IsGpuLink(link.family))
        {
            const auto& ranks = dgx.GetRanks();
            const auto rankOf = [&ranks](uint32_t part) {
                return static_cast<uint32_t>(std::find(ranks.begin(), ranks.end(), part) -
                                             ranks.begin());
            };
            bare.AddLink(rankOf(link.a), rankOf(link.b), link.profile, link.count);
        }
    }
    std::string refusal;
    try
    {
        GpuServerHelper server;
        server.Build(bare);
    }
    catch (const FabricError& error)
    {
        refusal = error.what();
    }
    t.True(refusal,
           refusal.find("24 pairs") != std::string::npos &&
               refusal.find("gpu0->gpu5") != std::string::npos);
    Simulator::Destroy();
    GpuServerHelper server;
    server.SetRelay(true);
    BuildPlain(server, bare);
    // all-to-all of 1 MiB: every byte arrives
    uint64_t delivered = 0;
    for (uint32_t from = 0; from < 8; ++from)
    {
        for (uint32_t to = 0; to < 8; ++to)
        {
            if (from != to)
            {
                server.GetGpu(from)->Write(server.GetBase(to), MIB, [&](const MemoryCompletion& c) {
                    delivered += c.delivered;
                });
            }
        }
    }
    Simulator::Run();
    t.Same("bytes", static_cast<int64_t>(delivered), 56 * MIB);
    t.True(server.ExplainImbalance(), server.ExplainImbalance().empty());
}

/** @brief Two hops in the cube mesh: relays in parallel carry what their links carry (G4). */
void
TwoHops(FunctionTestCase& t)
{
    const ServerTopology topology = ServerCatalog::Make("dgx1-v100");
    GpuServerHelper server;
    server.SetRelay(true);
    BuildPlain(server, topology);
    const auto& ranks = topology.GetRanks();
    // 0 to 5: over 1 (NV1 then NV2) and over 4 (NV2 then NV1): the first links of the relays
    double first = 0;
    for (uint16_t port :
         server.GetRouting().GetPorts(ranks[0], server.GetRouting().GetEndpointOf(ranks[5])))
    {
        first += topology.GetLinks()[topology.GetLinks(ranks[0])[port]].count;
    }
    t.Same("relay links out of rank 0", static_cast<int64_t>(first), 3);
    // each relay passes on what the thinner of its two links carries: 1 + 1 links
    PeerMeter meter(server);
    const double rate = meter.Copy(ranks[0], ranks[5], 32 * MIB).GetGBps();
    t.Near("0 to 5", rate, LinkProfile::Get("nvlink2").DataBps(2) / 8e9, 0.05);
}

/** @brief NVSwitch boxes carry every permutation at full rate. */
void
Permutations(FunctionTestCase& t)
{
    for (const char* name : {"dgx-a100", "dgx-h100"})
    {
        GpuServerHelper server;
        BuildPlain(server, ServerCatalog::Make(name));
        const auto& ranks = server.GetTopology().GetRanks();
        const FabricPs alone = PeerMeter(server).Copy(ranks[0], ranks[1], 4 * MIB).time;
        for (uint32_t shift = 1; shift < ranks.size(); ++shift)
        {
            const FabricPs start = FabricTime::Now();
            FabricPs last = 0;
            for (uint32_t from = 0; from < ranks.size(); ++from)
            {
                const uint32_t to = ranks[(from + shift) % ranks.size()];
                server.GetGpu(from)->Copy(
                    true,
                    MemoryRequest::BY_MAP,
                    server.GetBase(to),
                    4 * MIB,
                    [&](const MemoryCompletion& c) { last = std::max(last, c.done - start); });
            }
            Simulator::Run();
            t.Near(std::string(name) + " shift " + std::to_string(shift),
                   static_cast<double>(last),
                   static_cast<double>(alone),
                   0.001);
        }
        Simulator::Destroy();
    }
}

/** @brief Fault 36: four NVSwitches of unequal width carry as much as their links do. */
void
AllPlanes(FunctionTestCase& t)
{
    GpuServerHelper server;
    BuildPlain(server, ServerCatalog::Make("dgx-h100"));
    const auto& topology = server.GetTopology();
    const auto& ranks = topology.GetRanks();
    t.Near("GPU to GPU, GB/s",
           PeerMeter(server).Copy(ranks[0], ranks[1], 128 * MIB).GetGBps(),
           450,
           0.03);
    std::map<uint32_t, uint64_t> perLink; // data bytes by links in the bundle
    for (uint32_t link : topology.GetLinks(ranks[0]))
    {
        const auto& row = topology.GetLinks()[link];
        if (ServerTopology::IsGpuLink(row.family))
        {
            const FabricPort& port = server.GetPortOfLink(link, row.a == ranks[0] ? 0 : 1);
            t.Near("share of a bundle of " + std::to_string(row.count),
                   static_cast<double>(port.stats.linkDataBytes),
                   128.0 * MIB * row.count / 18,
                   0.01);
        }
    }
}

/** @brief 4 KiB frames and single packets (the oracle) give the same rate and nearly one latency.
 */
void
FrameOracle(FunctionTestCase& t)
{
    FabricPs time[2];
    FabricPs latency[2];
    for (const uint32_t frame : {4096U, 256U})
    {
        GpuServerHelper server;
        server.SetDeviceAttribute(Kind::GPU, "FrameBytes", UintegerValue(frame));
        BuildPlain(server, ServerCatalog::Make("dgx-a100"));
        const auto& ranks = server.GetTopology().GetRanks();
        PeerMeter meter(server);
        time[frame == 256] = meter.Copy(ranks[0], ranks[1], 8 * MIB).time;
        latency[frame == 256] = meter.Store(ranks[0], ranks[1], 4096).time;
        Simulator::Destroy();
    }
    t.Near("time of 8 MiB", time[0], time[1], 0.01);
    // one frame takes one plane, sixteen packets take six at once
    const auto wire = static_cast<double>(FabricRate(400'000'000'000).TxTime(4352));
    t.Near("time of 4 KiB", latency[0], latency[1], wire / static_cast<double>(latency[1]));
}

/** @brief A long read of a pool ends with the last page, also where that is at home. */
void
PoolEndsAtHome(FunctionTestCase& t)
{
    GpuServerHelper server;
    BuildPlain(server, ServerCatalog::Make("dgx-h100"));
    std::vector<uint32_t> owners;
    for (uint32_t rank = 0; rank < server.GetNGpus(); ++rank)
    {
        owners.push_back(server.GetGpu(rank)->GetEndpoint());
    }
    auto pool = CreateObject<MemoryPool>();
    pool->Create(server.GetMap(), 1ULL << 40, 64 * MIB, owners, MEMORY_ALL_RIGHTS);
    FabricPs done = 0;
    server.GetGpu(0)->Read((1ULL << 40) + 2 * MIB, 16 * MIB, [&](const MemoryCompletion& c) {
        t.Same("delivered", static_cast<int64_t>(c.delivered), 16 * MIB);
        done = c.done;
    });
    Simulator::Run();
    const double least = 14.0 * MIB / 450e9 * 1e12; // seven remote pages
    t.True("time " + std::to_string(done) + " ps", done > least && done < 1.5 * least);
}

/** @brief Lazy and eager arrivals: same trajectory, on every kind of assembly. */
void
Oracle(FunctionTestCase& t)
{
    for (const char* name : {"dgx1-v100", "dgx2", "dgx-h100", "l40s-pcie", "oam-cube-mesh"})
    {
        uint64_t digest[2];
        for (const bool eager : {false, true})
        {
            Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(eager));
            GpuServerHelper server;
            server.SetRelay(true);
            server.Build(ServerCatalog::Make(name));
            const uint32_t n = server.GetNGpus();
            for (uint32_t i = 0; i < 3 * n; ++i)
            {
                const uint32_t to = server.GetTopology().GetRanks()[(i * 5 + 1 + i / n) % n];
                const auto done = [](const MemoryCompletion&) {};
                i % 2 == 0 ? server.GetGpu(i % n)->Write(server.GetBase(to), 300'000 + 7 * i, done)
                           : server.GetGpu(i % n)->Read(server.GetBase(to), 200'000 + 9 * i, done);
            }
            Simulator::Run();
            t.True(server.ExplainImbalance(), server.ExplainImbalance().empty());
            digest[eager] = FabricStation::Trajectory().digest;
            Simulator::Destroy();
        }
        Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(false));
        t.True(std::string(name) + ": lazy == eager", digest[0] == digest[1]);
    }
}

/** @brief Fault 35: a group whose members share no NVSwitch is refused. */
void
GroupsInOneDomain(FunctionTestCase& t)
{
    GpuServerHelper server;
    server.AddGroup({0, 1, 2, 3, 4, 5, 6, 7});
    server.Build(ServerCatalog::Make("dgx-h100"));
    uint64_t delivered = 0;
    server.GetGpu(0)->WriteMulticast(server.GetGroup(0),
                                     server.GetGroupBase(0),
                                     MIB,
                                     [&](const MemoryCompletion& c) { delivered = c.delivered; });
    Simulator::Run();
    t.Same("multicast bytes", static_cast<int64_t>(delivered), MIB);
    for (uint32_t rank = 1; rank < 8; ++rank)
    {
        t.Same("received by " + std::to_string(rank),
               static_cast<int64_t>(
                   server.GetGpu(rank)->GetPeerStats(server.GetGpu(0)->GetEndpoint()).bytesWritten),
               MIB);
    }
    Simulator::Destroy();
    bool refused = false;
    try
    {
        GpuServerHelper mesh;
        mesh.AddGroup({0, 1});
        mesh.Build(ServerCatalog::Make("dgx1-v100"));
    }
    catch (const FabricError&)
    {
        refused = true;
    }
    t.True("a group without an NVSwitch is refused", refused);
}

/** @brief GPU servers as wholes. */
class GpuServerTestSuite : public TestSuite
{
  public:
    GpuServerTestSuite()
        : TestSuite("ai-fabric-gpu-server", Type::UNIT)
    {
        RawFabric::UsePicoseconds();
        Add("pairs get what joins them", PairRates);
        Add("published bandwidths", PublishedRates);
        Add("latencies as fitted", FittedLatencies);
        Add("a uniform box, and the curve by size", UniformBox);
        Add("copies to and from the host", HostCopies);
        Add("a chiplet package", ChipletPackage);
        Add("half the rate of a bundle", HalfRate);
        Add("a bundle fails and comes back", FailedLink);
        Add("directly wired GPUs", DirectlyWired);
        Add("two hops in the cube mesh", TwoHops);
        Add("NVSwitches carry permutations", Permutations);
        Add("all planes are used", AllPlanes);
        Add("frames against packets", FrameOracle);
        Add("a pool read that ends at home", PoolEndsAtHome);
        Add("lazy and eager arrivals are the same", Oracle);
        Add("groups live in one domain", GroupsInOneDomain);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuServerTestSuite g_gpuServerTestSuite; //!< the suite

} // namespace
