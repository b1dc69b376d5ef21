/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "heap-count.h"
#include "raw-fabric.h"
#include "rdma-line.h"
#include "server-pair.h"

#include "ns3/fabric-error.h"
#include "ns3/frame-profile.h"
#include "ns3/link-profile.h"
#include "ns3/rdma-pcie-ports.h"
#include "ns3/server-catalog.h"
#include "ns3/star-builder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

using namespace ns3;

namespace
{

using Box = ServerPair;
using BoxOptions = ServerPair::Options;

constexpr uint64_t GIGA = 1'000'000'000;
constexpr uint64_t ALL = ~uint64_t{0};

/** @brief When one message is in memory: a WRITE at the receiver, a READ at its poster, ps. */
FabricPs
Alone(const BoxOptions& options,
      uint64_t bytes,
      const std::string& from,
      const std::string& to,
      VerbsOpcode opcode = VerbsOpcode::RDMA_WRITE)
{
    Box box(options);
    box.Connect(from, to);
    box.Post(0, bytes, opcode);
    Simulator::Run();
    FabricPs at = box.flows[0].pair.b->GetLastMessageAt();
    WorkCompletion wc;
    if (opcode == VerbsOpcode::RDMA_READ && box.flows[0].cq[0]->Poll(&wc, 1) == 1)
    {
        at = wc.at;
    }
    Simulator::Destroy();
    return at;
}

/** @brief One uplink of the PCIe switch, many sizes, ways and both directions. */
void
SameIdleTimesBelow(FunctionTestCase& t, const std::string& up)
{
    BoxOptions ports;
    ports.up = up;
    BoxOptions profile = ports;
    profile.real = false;
    for (const uint64_t bytes :
         {1, 64, 255, 256, 257, 1000, 4095, 4096, 4097, 10'000, 65'536, 1'000'000})
    {
        for (const auto& [from, to] : {std::pair<std::string, std::string>("", ""),
                                       std::pair<std::string, std::string>("gpu0", "gpu2"),
                                       std::pair<std::string, std::string>("cpu0", "gpu3")})
        {
            for (const auto opcode : {VerbsOpcode::RDMA_WRITE, VerbsOpcode::RDMA_READ})
            {
                const FabricPs real = Alone(ports, bytes, from, to, opcode);
                t.Same(up + " " + std::to_string(bytes) + " B " + from + ">" + to,
                       real,
                       Alone(profile, bytes, from, to, opcode));
                t.True("took some time", real > 2'000'000);
            }
        }
    }
}

/** @brief G10: real ports and the profile of the same links: the same picosecond. */
void
SameIdleTimes(FunctionTestCase& t)
{
    for (const char* up : {"pcie4-x16", "pcie3-x16"})
    {
        SameIdleTimesBelow(t, up);
    }
}

/**
 * @brief A frame stands for its TLPs: read requests are taken in when all of them are there, and
 * the last data when the memory has taken in all; no more than that differs from TLPs one by one.
 */
void
Frames(FunctionTestCase& t)
{
    BoxOptions frames;
    BoxOptions packets;
    packets.frameBytes = 256; // the oracle
    for (const uint64_t bytes : {1, 256, 1024, 4096})
    {
        const FabricPs whole = Alone(frames, bytes, "gpu0", "gpu2");
        const FabricPs single = Alone(packets, bytes, "gpu0", "gpu2");
        const uint64_t more = (bytes - 1) / 256; // TLPs
        const FabricPs most = FabricRate(LinkProfile::Get("pcie4-x16").rateBps).TxTime(more * 24) +
                              FabricRate(1'555 * 8 * GIGA).TxTime(more * 256);
        t.True(std::to_string(bytes) + " B", whole >= single && whole - single <= most);
    }
}

/** @brief By hand: read over two links, network, write over two links. */
void
ClosedForm(FunctionTestCase& t)
{
    const LinkProfile& row = LinkProfile::Get("pcie4-x16");
    const FabricRate rate(row.rateBps);
    const FabricPs way = 2 * row.latencyPs; // two links, no time in the switch
    const FabricPs issue = 100'000;
    const FabricPs memory = 300'000;
    // one TLP, then the whole frame: 16 TLPs of 256 B; requests 24 B, answers 20 + 256, writes
    // 24 + 256
    const FabricPs read = issue + rate.TxTime(24) + rate.TxTime(16 * 24) + way + memory +
                          rate.TxTime(276) + rate.TxTime(16 * 276) + way;
    const FabricPs write = issue + rate.TxTime(280) + rate.TxTime(16 * 280) + way +
                           FabricRate(static_cast<uint64_t>(204.8 * 8e9)).TxTime(4096) + memory;
    BoxOptions bare;
    bare.attach = false;
    const FabricPs network = Alone(bare, 4096, "", "");
    t.Same("one WRITE of 4096 B", Alone(BoxOptions(), 4096, "", ""), network + read + write);
    Box box({});
    const auto& topology = box.server.GetTopology();
    const RdmaPcieLinks links = box.nics->GetLinks(topology.Find("mlx5_0"), topology.Find("cpu0"));
    t.Same("read", links.GetReadTime(4096), read);
    t.Same("write", links.GetWriteTime(4096), write);
}

/** @brief Data rate in bit/s of each flow, between a quarter of its bytes and the end. */
std::vector<double>
Rates(const BoxOptions& options, const std::vector<std::pair<std::string, std::string>>& flows)
{
    Box box(options);
    constexpr uint64_t SIZE = 64 << 10;
    constexpr uint64_t COUNT = 256;
    std::vector<FabricPs> from(flows.size(), 0);
    std::vector<FabricPs> to(flows.size(), 0);
    std::vector<uint64_t> seen(flows.size(), 0);
    for (uint32_t i = 0; i < flows.size(); ++i)
    {
        box.Connect(flows[i].first, flows[i].second, i);
        box.flows[i].pair.b->SetDeliveryCallback(Callback<void, uint64_t, FabricPs>(
            [&, i](uint64_t, FabricPs at) { (++seen[i] == COUNT / 4 ? from[i] : to[i]) = at; }));
        for (uint64_t k = 0; k < COUNT; ++k)
        {
            box.Post(i, SIZE);
        }
    }
    Simulator::Run();
    std::vector<double> rates;
    for (uint32_t i = 0; i < flows.size(); ++i)
    {
        const auto time = static_cast<double>(to[i] - from[i]) / 1e12;
        rates.push_back(8.0 * SIZE * (COUNT - COUNT / 4) / time);
    }
    Simulator::Destroy();
    return rates;
}

/** @brief Data rate of writes over a slot: every 4 KiB cost 16 TLPs and the header behind. */
double
SlotBps(const std::string& slot)
{
    return static_cast<double>(LinkProfile::Get(slot).rateBps) * 4096 / (16 * 280 + 24);
}

/** @brief G10, G11: the slower of slot and wire is the rate. */
void
SlotOrWire(FunctionTestCase& t)
{
    const FrameProfile& frames = FrameProfile::Get("rocev2");
    BoxOptions o;
    for (const bool real : {true, false})
    {
        o.real = real;
        for (const char* slot : {"pcie3-x8", "pcie3-x16", "pcie4-x16"})
        {
            for (const uint64_t net : {50 * GIGA, 200 * GIGA})
            {
                o.slot = slot;
                o.netBps = net;
                const double wire = frames.WriteGoodputBps(static_cast<double>(net), 65536, 4096);
                t.Near(std::string(slot) + ", " + std::to_string(net),
                       Rates(o, {{"gpu0", "gpu2"}}).at(0),
                       std::min(wire, SlotBps(slot)),
                       0.003);
            }
        }
    }
}

/** @brief Two NICs share the way to the host, not the ways to GPUs below their switch. */
void
Uplink(FunctionTestCase& t)
{
    BoxOptions o;
    o.nics = 2;
    const double wire = FrameProfile::Get("rocev2").WriteGoodputBps(200e9, 65536, 4096);
    const auto host = Rates(o, {{"", ""}, {"", ""}});
    t.Near("host, first", host[0], SlotBps("pcie4-x16") / 2, 0.01);
    t.Near("host, second", host[1], SlotBps("pcie4-x16") / 2, 0.01);
    const auto gpus = Rates(o, {{"gpu0", "gpu2"}, {"gpu1", "gpu3"}});
    t.Near("a GPU each, first", gpus[0], wire, 0.003);
    t.Near("a GPU each, second", gpus[1], wire, 0.003);
    const auto mixed = Rates(o, {{"", ""}, {"gpu1", "gpu3"}});
    t.Near("host alone", mixed[0], wire, 0.003);
    t.Near("GPU beside it", mixed[1], wire, 0.003);
}

/** @brief Rule R1 to R3 with memory packets: an event per arrival changes nothing. */
void
Oracle(FunctionTestCase& t)
{
    for (const uint32_t seed : {1, 2, 3})
    {
        const std::string why = LazyEqualsEager([seed]() {
            BoxOptions o;
            o.nics = 2;
            Box box(o);
            box.Connect("", "gpu3", 0);
            box.Connect("gpu1", "", 1);
            box.Connect("gpu0", "gpu2", 0);
            for (uint32_t i = 0; i < 60; ++i)
            {
                const bool read = (i * seed) % 3 == 1;
                box.Post(i % 3,
                         1 + (i * 7919 * seed) % 70'000,
                         read ? VerbsOpcode::RDMA_READ : VerbsOpcode::RDMA_WRITE);
            }
            Simulator::Run();
            std::ostringstream text;
            WorkCompletion wc;
            for (const auto& flow : box.flows)
            {
                while (flow.cq[0]->Poll(&wc, 1) == 1)
                {
                    text << wc.at << VerbsStatusName(wc.status) << " ";
                }
                text << flow.pair.b->GetLastMessageAt() << " ";
            }
            text << box.Explain();
            Simulator::Destroy();
            return text.str();
        });
        t.Same(why, why.size(), 0);
    }
}

/** @brief Every byte that is sent is read once and written once; no credit is lost. */
void
Books(FunctionTestCase& t)
{
    BoxOptions o;
    o.nics = 2;
    Box box(o);
    uint64_t sum = 0;
    for (uint32_t nic : {0, 1})
    {
        box.Connect(nic == 0 ? "" : "gpu0", nic == 0 ? "gpu2" : "", nic);
        for (uint32_t i = 0; i < 50; ++i)
        {
            box.Post(nic, 1 + i * 1009);
            sum += 1 + i * 1009;
        }
    }
    Simulator::Run();
    t.Same(box.Explain(), box.Explain().size(), 0);
    uint64_t fetched = 0;
    uint64_t stored = 0;
    for (const uint32_t part : box.nics->GetParts())
    {
        const auto path = DynamicCast<RdmaPciePorts>(box.nics->GetNic(part)->GetDmaPath());
        fetched += path->GetFetchedBytes();
        stored += path->GetStoredBytes();
        t.Same("failed", path->GetFailedBytes(), 0);
    }
    t.Same("read", fetched, sum);
    t.Same("written", stored, sum);
    const auto& topology = box.server.GetTopology();
    const auto gpu2 = box.server.GetDevice(topology.Find("gpu2"));
    const auto nic2 = box.server.GetDevice(topology.Find("mlx5_2"));
    t.Same("into the GPU", gpu2->GetPeerStats(nic2->GetEndpoint()).bytesWritten, sum / 2);
}

/** @brief Once everything has its size, DMA does not touch the heap. */
void
NoHeap(FunctionTestCase& t)
{
    FabricHelper::UseFastScheduler(); // ns-3's default one allocates for each event
    Box box({});
    box.Connect("", "gpu2");
    for (uint32_t i = 0; i < 400; ++i)
    {
        box.Post(0, 64 << 10);
    }
    box.flows[0].cq[0]->SetCallback(
        Callback<void, VerbsCompletionQueue&>([](VerbsCompletionQueue& cq) {
            WorkCompletion wc;
            while (cq.Poll(&wc, 1) == 1)
            {
            }
        }));
    uint64_t from = 0;
    uint64_t to = 0;
    Simulator::Schedule(MicroSeconds(400), [&]() { from = HeapCount::GetCalls(); });
    Simulator::Schedule(MicroSeconds(900), [&]() { to = HeapCount::GetCalls(); });
    Simulator::Run();
    t.True("still busy then", box.flows[0].pair.b->GetLastMessageAt() > 1'000'000'000);
    if (HeapCount::IsActive())
    {
        t.Same("allocations", to - from, 0);
    }
}

/** @brief A slow slot at the receiver: PFC pushes back, nothing is lost, the slot is kept busy. */
void
PushBack(FunctionTestCase& t)
{
    constexpr uint64_t LIMIT = 512 << 10;
    for (const bool real : {true, false})
    {
        BoxOptions o;
        o.real = real;
        o.farSlot = "pcie3-x8";
        Box box(o);
        box.fabric.GetNic(1)->SetAttribute("RxBuffer", UintegerValue(LIMIT));
        box.Connect("gpu0", "gpu2");
        for (uint32_t i = 0; i < 400; ++i)
        {
            box.Post(0, 64 << 10);
        }
        Simulator::Run();
        const auto took = static_cast<double>(box.flows[0].pair.b->GetLastMessageAt());
        t.Near("bit/s", 400 * 8e12 * (64 << 10) / took, SlotBps("pcie3-x8"), 0.003);
        t.Same("sent again", box.flows[0].pair.a->GetCounters().retransmits, 0);
        const uint64_t most = box.fabric.GetNic(1)->GetMostRxBuffer();
        t.True("most in the buffer " + std::to_string(most), most > LIMIT / 4 && most <= LIMIT);
        t.Same(box.Explain(), box.Explain().size(), 0);
        Simulator::Destroy();
    }
}

/** @brief Listens to a path in the place of a NIC. */
class Listener : public RdmaDmaPath::Client
{
  public:
    uint64_t left{0};     //!< bytes out of the buffer
    uint64_t done{0};     //!< stores done
    uint64_t disorder{0}; //!< of those, out of turn
    FabricPs last{0};     //!< time of the last

  private:
    void FetchDone(uint64_t) override
    {
    }

    void StoreLeft(uint32_t bytes) override
    {
        left += bytes;
    }

    void StoreDone(uint64_t tag) override
    {
        disorder += tag != done++ ? 1 : 0;
        last = FabricTime::Now();
    }
};

/** @brief Any number of stores may wait for a slot: more than a device has operations. */
void
Backlog(FunctionTestCase& t)
{
    Box box({});
    const auto nic = box.fabric.GetNic(0);
    const auto path = DynamicCast<RdmaPciePorts>(nic->GetDmaPath());
    nic->SetDmaPath(nullptr);
    Listener listener;
    path->Attach(&listener);
    constexpr uint64_t COUNT = 100'000;
    for (uint64_t i = 0; i < COUNT; ++i)
    {
        path->Store(0, 64, 0, i);
    }
    Simulator::Run();
    t.Same("all left the NIC", listener.left, 64 * COUNT);
    t.Same("all are in memory", listener.done, COUNT);
    t.Same("in the order of asking", listener.disorder, 0);
    t.Same(box.Explain(), box.Explain().size(), 0);
    // one TLP of 64 B and the header behind, each; the wire is never idle
    const double wire =
        8e12 * COUNT * (88 + 24) / static_cast<double>(LinkProfile::Get("pcie4-x16").rateBps);
    t.Near("at the slot's rate", static_cast<double>(listener.last), wire, 0.003);
    path->Detach();
}

/** @brief N15: eight rails of GPUDirect RDMA between two DGX A100 do not disturb each other. */
void
Rails(FunctionTestCase& t)
{
    StarBuilder::Parameters star;
    star.hosts = 2;
    star.hostLink = {200 * GIGA, 500'000, 8};
    FabricHelper fabric;
    fabric.SetNicAttribute("Mtu", UintegerValue(4096));
    fabric.Build(StarBuilder(star).Build());
    GpuServerHelper server[2];
    std::vector<Ptr<VerbsQueuePair>> qps[2];
    constexpr uint64_t SIZE = 64 << 10;
    constexpr uint64_t COUNT = 64;
    WorkRequest wr[8];
    for (uint32_t side : {0, 1})
    {
        server[side].Install(ServerCatalog::Make("dgx-a100"), fabric.GetHosts().Get(side));
        ServerNicHelper nics(server[side], fabric);
        nics.SkipNics({"mlx5_4", "mlx5_5", "mlx5_10", "mlx5_11"});
        nics.Attach();
        t.Same("rails", nics.GetParts().size(), 8);
        for (uint32_t i = 0; i < 8; ++i)
        {
            const auto nic = nics.GetNic(nics.GetParts()[i]);
            VerbsQpInit init;
            init.pd = nic->GetDefaultDomain();
            const uint32_t gpu = nics.GetMemory("gpu" + std::to_string(i));
            const auto region = nic->RegisterMemory(init.pd, 0, ALL, 0x0f, gpu);
            (side == 0 ? wr[i].lkey : wr[i].rkey) =
                side == 0 ? region->GetLkey() : region->GetRkey();
            qps[side].push_back(nic->CreateQueuePair(init));
        }
    }
    for (uint32_t i = 0; i < 8; ++i)
    {
        RdmaNic::Connect(qps[0][i], qps[1][i]);
        wr[i].length = SIZE;
        for (uint64_t k = 0; k < COUNT; ++k)
        {
            qps[0][i]->PostSend(wr[i]);
        }
    }
    Simulator::Run();
    const FabricPs first = qps[1][0]->GetLastMessageAt();
    for (uint32_t i = 1; i < 8; ++i)
    {
        t.Same("every rail as the first", qps[1][i]->GetLastMessageAt(), first);
    }
    const double wire = FrameProfile::Get("rocev2").WriteGoodputBps(200e9, SIZE, 4096);
    const double latency = 2.9e6; // of one packet, ps: small beside the rest
    t.Near("8 rails, bit/s",
           8 * 8.0 * SIZE * COUNT / ((static_cast<double>(first) - latency) / 1e12),
           8 * wire,
           0.005);
}

/** @brief A NIC that loses its slot falls silent; nothing crashes, every byte is accounted for. */
void
SlotFails(FunctionTestCase& t)
{
    Box box({});
    box.Connect("gpu0", "gpu2");
    for (uint32_t i = 0; i < 100; ++i)
    {
        box.Post(0, 64 << 10);
    }
    const auto& topology = box.server.GetTopology();
    const uint32_t slot = topology.GetLinks(topology.Find("mlx5_0")).at(0);
    Simulator::Schedule(MicroSeconds(50), [&]() { box.server.SetLinkUp(slot, false); });
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    const auto path =
        DynamicCast<RdmaPciePorts>(box.nics->GetNic(topology.Find("mlx5_0"))->GetDmaPath());
    t.True("failed bytes are counted", path->GetFailedBytes() > 0);
    t.True("not all has come", box.flows[0].pair.b->GetLastMessageAt() < 60'000'000);
    t.Same(box.Explain(), box.Explain().size(), 0);
}

void
Refused(FunctionTestCase& t, const std::string& what, const std::function<void()>& call)
{
    bool thrown = false;
    try
    {
        call();
    }
    catch (const FabricError&)
    {
        thrown = true;
    }
    t.True(what, thrown);
}

/** @brief User mistakes are refused with what is allowed. */
void
Mistakes(FunctionTestCase& t)
{
    Box box({});
    const auto& topology = box.server.GetTopology();
    Refused(t, "no such part", [&]() { box.nics->GetMemory("gpu9"); });
    Refused(t, "a switch has no memory", [&]() {
        box.nics->GetMemory(topology.GetParts(ServerTopology::Kind::PCIE_SWITCH).at(0));
    });
    Refused(t, "not a NIC", [&]() { box.nics->SkipNics({"gpu0"}); });
    Refused(t, "not tied", [&]() { box.nics->GetNic(topology.Find("cpu0")); });
    Refused(t, "no way to another chassis", [&]() {
        box.nics->GetLinks(topology.Find("mlx5_0"), topology.Find("gpu2"));
    });
    Refused(t, "more NICs than parts", [&]() {
        ServerNicHelper again(box.server, box.fabric);
        again.SkipNics({"mlx5_0"});
        again.Attach();
    });
    Refused(t, "a server on nodes of its own", [&]() {
        GpuServerHelper other;
        other.Build(ServerCatalog::Make("pcie-box"));
        ServerNicHelper(other, box.fabric).Attach();
    });
    Refused(t, "a memory that the NIC does not know", [&]() {
        box.fabric.GetNic(0)->GetDmaPath()->Fetch(99, 64, 0, 0);
    });
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
        Add("frames stand for their TLPs", Frames);
        Add("an idle WRITE is the sum of its pieces", ClosedForm);
        Add("the slower of slot and wire is the rate", SlotOrWire);
        Add("NICs below one PCIe switch share its uplink only", Uplink);
        Add("lazy and eager arrivals are the same", Oracle);
        Add("bytes and credits add up", Books);
        Add("no heap traffic in steady state", NoHeap);
        Add("a slow slot pushes back", PushBack);
        Add("stores wait for their slot", Backlog);
        Add("eight rails of two DGX A100", Rails);
        Add("a slot fails", SlotFails);
        Add("mistakes are refused", Mistakes);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuNicTestSuite g_gpuNicTestSuite; //!< the suite

} // namespace
