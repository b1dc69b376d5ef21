/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "heap-count.h"
#include "memory-fabric.h"

#include "ns3/boolean.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-random.h"
#include "ns3/memory-pool.h"
#include "ns3/nv-switch.h"
#include "ns3/uinteger.h"

#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t KIB = 1024;

/** The owner refuses what the rights do not allow, and says so. */
void
Rights(FunctionTestCase& t)
{
    for (uint8_t rights = 0; rights <= MEMORY_ALL_RIGHTS; ++rights)
    {
        MemoryFabric f;
        f.Star(3, 1, "nvlink3");
        const auto map = CreateObject<MemoryMap>();
        const uint32_t range = map->Add(1 << 20, 64 * KIB, 1, MEMORY_ALL_RIGHTS);
        map->SetRights(range, 0, rights);
        for (const auto& device : f.devices)
        {
            device->SetMap(map);
        }
        for (const uint32_t who : {0U, 1U, 2U})
        {
            f.completions.clear();
            f.devices[who]->Write(1 << 20, 64 * KIB, f.File());
            Simulator::Run();
            f.devices[who]->Load(1 << 20, 64 * KIB, f.File());
            Simulator::Run();
            f.devices[who]->FetchAdd(1 << 20, 1, f.File());
            Simulator::Run();
            for (uint32_t i = 0; i < 3; ++i)
            {
                const bool may = who != 0 || ((rights >> (i == 0 ? 1 : i == 1 ? 0 : 2)) & 1);
                const MemoryCompletion& c = f.completions.at(i);
                t.Same("status",
                       static_cast<int>(c.status),
                       static_cast<int>(may ? MemoryStatus::OK : MemoryStatus::NO_ACCESS));
                const uint64_t bytes = i == 2 ? 8 : 64 * KIB;
                t.Same("delivered", c.delivered, may ? bytes : 0);
                t.Same("failed", c.failed, may ? 0 : bytes);
            }
        }
        const MemoryPeerStats peer = f.devices[1]->GetPeerStats(0);
        t.Same("written", peer.bytesWritten, rights & MEMORY_WRITE ? 64 * KIB : 0);
        t.Same("read", peer.bytesRead, rights & MEMORY_READ ? 64 * KIB : 0);
        t.Same("atomics", f.devices[1]->GetWord(1 << 20), rights & MEMORY_ATOMIC ? 3 : 2);
        t.True("refusals are counted", (peer.refused > 0) == (rights != MEMORY_ALL_RIGHTS));
        t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
        Simulator::Destroy();
    }
}

/** Accesses are split where ranges end, and fail where they end for good. */
void
Bounds(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Star(3, 1, "nvlink3");
    const auto map = CreateObject<MemoryMap>();
    map->Add(0, 10'000, 1, MEMORY_ALL_RIGHTS);
    map->Add(10'000, 20'001, 2, MEMORY_ALL_RIGHTS);
    for (const auto& device : f.devices)
    {
        device->SetMap(map);
    }
    f.devices[0]->Write(100, 29'901, f.File()); // 9'900 to device 1, all of device 2
    f.devices[0]->Read(100, 29'901, f.File());
    f.devices[0]->Write(29'001, 5000, f.File());  // 1000 are there
    f.devices[0]->Read(29'001, 5000, f.File());
    f.devices[0]->Write(1 << 20, 5000, f.File()); // nothing is
    MemoryRequest request = MemoryFabric::Ask(MemoryOp::WRITE, 1, 5000, 8000);
    f.devices[0]->Post(request, f.File()); // names an owner that has not all of it
    Simulator::Run();
    std::multiset<std::pair<MemoryStatus, uint64_t>> seen;
    for (const MemoryCompletion& c : f.completions)
    {
        seen.insert({c.status, c.delivered});
    }
    const std::multiset<std::pair<MemoryStatus, uint64_t>> expected = {
        {MemoryStatus::OK, 29'901},
        {MemoryStatus::OK, 29'901},
        {MemoryStatus::NOT_MAPPED, 1000},
        {MemoryStatus::NOT_MAPPED, 1000},
        {MemoryStatus::NOT_MAPPED, 0},
        {MemoryStatus::OUT_OF_BOUNDS, 0}};
    t.True("statuses and bytes", seen == expected);
    t.Same("first piece", f.devices[1]->GetPeerStats(0).bytesWritten, 9900);
    t.Same("second piece", f.devices[2]->GetPeerStats(0).bytesWritten, 21'001);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
    Simulator::Destroy();

    MemoryFabric g;
    g.device.Set("MemoryBytes", UintegerValue(1000));
    g.Star(2, 1, "nvlink3");
    g.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 600, 400), g.File());
    g.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 601, 400), g.File());
    g.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 7, 1), g.File());
    Simulator::Run();
    std::multiset<MemoryStatus> statuses;
    for (const MemoryCompletion& c : g.completions)
    {
        statuses.insert(c.status);
    }
    t.True("bounds without a map, and an endpoint without a route",
           statuses == std::multiset<MemoryStatus>{MemoryStatus::OK,
                                                   MemoryStatus::OUT_OF_BOUNDS,
                                                   MemoryStatus::UNREACHABLE});
    t.Same(g.ExplainBooks(), g.ExplainBooks().size(), 0);
}

/** Every atomic is executed exactly once, at the owner. */
void
Atomics(FunctionTestCase& t)
{
    constexpr uint32_t EACH = 200;
    MemoryFabric f;
    f.Star(8, 2, "nvlink3");
    std::set<uint64_t> before;
    uint32_t winners = 0;
    for (uint32_t d = 0; d < 8; ++d)
    {
        for (uint32_t i = 0; i < EACH; ++i)
        {
            MemoryRequest request = MemoryFabric::Ask(MemoryOp::ATOMIC_REQUEST, 3, 8, 64);
            request.operand = 1;
            f.devices[d]->Post(request,
                               [&before](const MemoryCompletion& c) { before.insert(c.value); });
        }
        MemoryRequest swap = MemoryFabric::Ask(MemoryOp::ATOMIC_REQUEST, 3, 8, 128);
        swap.atomic = MemoryAtomic::COMPARE_SWAP;
        swap.operand = d + 1;
        f.devices[d]->Post(swap,
                           [&winners](const MemoryCompletion& c) { winners += c.value == 0; });
    }
    Simulator::Run();
    t.Same("sum", f.devices[3]->GetWord(64), 8 * EACH);
    t.Same("each value before was seen once", before.size(), 8 * EACH);
    t.Same("the largest of them", *before.rbegin(), 8 * EACH - 1);
    t.Same("one compare-and-swap wins", winners, 1);
    t.True("a winner's value", f.devices[3]->GetWord(128) >= 1 && f.devices[3]->GetWord(128) <= 8);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** Pages of a pool lie on all owners in turn, and each owner serves its share. */
void
Pool(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Star(5, 1, "nvlink3");
    const auto map = CreateObject<MemoryMap>();
    const auto pool = CreateObject<MemoryPool>();
    pool->SetAttribute("Granularity", UintegerValue(64 * KIB));
    pool->Create(map, 1ULL << 40, 256 * KIB, {0, 1, 2, 3}, MEMORY_READ);
    pool->SetRights(0, MEMORY_ALL_RIGHTS);
    for (const auto& device : f.devices)
    {
        device->SetMap(map);
    }
    f.devices[4]->Read(pool->GetBase(), pool->GetBytes(), f.File());
    f.devices[0]->Write(pool->GetBase(), pool->GetBytes(), f.File());
    f.devices[4]->Write(pool->GetBase(), pool->GetBytes(), [&t](const MemoryCompletion& c) {
        t.Same("a reader may not write", static_cast<int>(c.status), 1);
        t.Same("nothing", c.delivered, 0);
    });
    f.Run();
    for (uint32_t owner = 0; owner < 4; ++owner)
    {
        t.Same("read", f.devices[owner]->GetPeerStats(4).bytesRead, 256 * KIB);
        t.Same("written", f.devices[owner]->GetPeerStats(0).bytesWritten, owner ? 256 * KIB : 0);
    }
    for (const MemoryCompletion& c : f.completions)
    {
        t.Same("all of it", c.delivered, 1024 * KIB);
    }
    t.Same("completions", f.completions.size(), 2);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** @brief All kinds of operations between all devices, at scattered times. */
void
LoadMix(MemoryFabric& f, uint32_t operations)
{
    const auto n = static_cast<uint32_t>(f.devices.size());
    for (uint32_t i = 0; i < operations; ++i)
    {
        const uint64_t dice = FabricRandom::Mix(i + 1000);
        const uint32_t from = dice % n;
        const uint32_t to = (from + 1 + (dice >> 8) % (n - 1)) % n;
        const MemoryOp ops[] = {MemoryOp::WRITE, MemoryOp::READ_REQUEST, MemoryOp::ATOMIC_REQUEST};
        const MemoryOp op = ops[(dice >> 16) % 3];
        const uint64_t bytes = op == MemoryOp::ATOMIC_REQUEST ? 8 : 1 + (dice >> 24) % 50'000;
        MemoryRequest request = MemoryFabric::Ask(op, to, bytes, (dice >> 40) % 4096 * 8);
        request.copyEngine = dice % 5 == 0 && op != MemoryOp::ATOMIC_REQUEST;
        request.operand = 1;
        const Ptr<MemoryDevice> device = f.devices[from];
        Simulator::Schedule(PicoSeconds((dice >> 20) % 20'000'000),
                            [device, request, &f]() { device->Post(request, f.File()); });
    }
}

/** @brief Six devices, two of them behind a second crossbar, a direct link, two planes. */
void
BuildOdd(MemoryFabric& f)
{
    f.device.Set("MemoryRate", DataRateValue(DataRate("777Gbps")));
    f.device.Set("MemoryLatency", TimeValue(NanoSeconds(123)));
    f.device.Set("IssueLatency", TimeValue(NanoSeconds(45)));
    f.device.Set("CopyEngineRate", DataRateValue(DataRate("333Gbps")));
    f.device.Set("Relay", BooleanValue(true));
    f.Make(6, 3);
    for (uint32_t d = 0; d < 4; ++d)
    {
        f.Link(d, 6, "nvlink2");
        f.Link(d, 7, d % 2 ? "nvlink2" : "nvlink3", 2);
    }
    f.Link(4, 8, "nvlink4");
    f.Link(5, 8, "nvlink1");
    f.Link(6, 8, "nvlink3", 2);
    f.Link(0, 1, "nvlink-c2c");
    f.Link(7, 8, "pcie4-x16");
    f.Start();
}

/** Lazy and eager arrivals have the same trajectory, and packets may be lost to bit errors. */
void
Oracle(FunctionTestCase& t)
{
    for (const double errors : {0.0, 0.001})
    {
        for (const bool cutThrough : {true, false})
        {
            uint64_t digest[2];
            FabricPs last[2];
            for (const bool eager : {false, true})
            {
                MemoryFabric f;
                f.eager = eager;
                f.cutThrough = cutThrough;
                f.errorRate = errors;
                BuildOdd(f);
                LoadMix(f, 600);
                f.Run();
                t.Same("completions", f.completions.size(), 600);
                last[eager] = f.completions.back().done;
                digest[eager] = FabricStation::Trajectory().digest;
                t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
                Simulator::Destroy();
            }
            t.True("same digest", digest[0] == digest[1]);
            t.Same("same last completion", last[0], last[1]);
        }
    }
}

/** Credits add up at every instant that one looks. */
void
Conservation(FunctionTestCase& t)
{
    MemoryFabric f;
    f.buffer = 24 * KIB;
    BuildOdd(f);
    LoadMix(f, 600);
    uint32_t samples = 0;
    for (uint32_t i = 0; i < 200; ++i)
    {
        Simulator::Schedule(PicoSeconds(100'003 * i), [&]() {
            const std::string wrong = f.ExplainImbalance();
            t.True(wrong, wrong.empty());
            samples += f.devices[0]->GetInUse() > 0;
        });
    }
    f.Run();
    t.True("most samples were taken under load", samples > 100);
    t.Same("completions", f.completions.size(), 600);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** Buffers of a single frame and all-to-all reads, writes and atomics: everything ends. */
void
NoDeadlock(FunctionTestCase& t)
{
    MemoryFabric f;
    f.buffer = 272;
    f.maxPayload = 256;
    f.device.Set("FrameBytes", UintegerValue(256));
    f.device.Set("MaxReads", UintegerValue(64));
    f.Star(6, 2, "nvlink3");
    uint32_t posted = 0;
    for (uint32_t a = 0; a < 6; ++a)
    {
        for (uint32_t b = 0; b < 6; ++b)
        {
            if (a != b)
            {
                f.devices[a]->Post(MemoryFabric::Ask(MemoryOp::WRITE, b, 30'000), f.File());
                f.devices[a]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, b, 30'000), f.File());
                f.devices[a]->Post(MemoryFabric::Ask(MemoryOp::ATOMIC_REQUEST, b, 8), f.File());
                posted += 3;
            }
        }
    }
    f.Run();
    t.Same("completions", f.completions.size(), posted);
    for (const MemoryCompletion& c : f.completions)
    {
        t.Same("status", static_cast<int>(c.status), 0);
    }
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** Operations that share a port take turns, frame by frame. */
void
Turns(FunctionTestCase& t)
{
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        MemoryFabric f;
        f.Star(4, 1, "nvlink3");
        for (uint32_t i = 0; i < 6; ++i)
        {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1 + i % 3, 1 << 20), f.File());
        }
        f.Run();
        const FabricPs frame = FabricRate(200'000'000'000).TxTime(4096 + 16 * 16);
        t.True("all end within a round of each other",
               f.completions.back().done - f.completions.front().done <= 6 * frame);
        t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
        Simulator::Destroy();
    }
}

/** A port that serves two sets of ports gives each its turn. */
void
TurnsOfDestinations(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Make(3, 2);
    f.Link(0, 3, "nvlink3");
    f.Link(0, 4, "nvlink3");
    f.Link(1, 3, "nvlink3");
    f.Link(2, 3, "nvlink3");
    f.Link(2, 4, "nvlink3");
    f.Start();
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 1 << 20), f.File());
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 2, 3 << 20), f.File());
    f.Run();
    // half of one port against the other half and all of the second port
    const FabricPs frame = FabricRate(200'000'000'000).TxTime(4096 + 16 * 16);
    t.True("both end together",
           f.completions.back().done - f.completions.front().done <= 8 * frame);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** A switch with multicast and reduction between real devices. */
void
Multicast(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Make(4);
    constexpr uint32_t GROUP = 4;
    std::vector<Ptr<NvSwitch>> switches;
    for (uint32_t s = 0; s < 2; ++s)
    {
        switches.push_back(CreateObject<NvSwitch>());
        f.stations.push_back(switches.back());
        for (uint32_t d = 0; d < 4; ++d)
        {
            f.Link(d, 4 + s, "nvlink4");
            switches.back()->SetEndpoint(static_cast<uint16_t>(d), d);
        }
        switches.back()->AddGroup(GROUP, {0, 1, 2, 3});
    }
    f.groups = 1;
    f.Start();
    f.devices[1]->WriteMulticast(GROUP, 0, 1 << 20, f.File());
    Simulator::Run();
    f.devices[1]->ReduceRead(GROUP, 0, 1 << 20, f.File());
    Simulator::Run();
    t.Same("completions", f.completions.size(), 2);
    for (const MemoryCompletion& c : f.completions)
    {
        t.Same("status", static_cast<int>(c.status), 0);
        t.Same("bytes", c.delivered, 1 << 20);
    }
    for (uint32_t d = 0; d < 4; ++d)
    {
        t.Same("copies", f.devices[d]->GetPeerStats(1).bytesWritten, d == 1 ? 0 : 1 << 20);
        t.Same("summands", f.devices[d]->GetPeerStats(GROUP).bytesRead, 1 << 20);
    }
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** @brief Posts its next operation when one ends. */
struct Repeater
{
    Ptr<MemoryDevice> device; //!< who asks
    MemoryRequest request;    //!< what
    uint32_t left;            //!< how often

    void Go()
    {
        device->Post(request, [this](const MemoryCompletion&) {
            if (--left > 0)
            {
                Go();
            }
        });
    }
};

/** No heap traffic in steady state: frames, operations, completions that post the next. */
void
NoHeap(FunctionTestCase& t)
{
    // ns-3's default scheduler allocates for each event; this one keeps a plain vector
    Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
    MemoryFabric f;
    f.device.Set("MemoryLatency", TimeValue(NanoSeconds(123)));
    f.device.Set("MemoryRate", DataRateValue(DataRate("3000Gbps")));
    f.Star(4, 2, "nvlink3");
    std::vector<Repeater> repeaters;
    for (uint32_t d = 0; d < 4; ++d)
    {
        MemoryRequest atomic = MemoryFabric::Ask(MemoryOp::ATOMIC_REQUEST, (d + 1) % 4, 8, 64);
        MemoryRequest copy = MemoryFabric::Ask(MemoryOp::WRITE, (d + 3) % 4, 40'000);
        copy.copyEngine = true;
        repeaters.push_back(
            {f.devices[d], MemoryFabric::Ask(MemoryOp::WRITE, (d + 1) % 4, 200'000), 200});
        repeaters.push_back(
            {f.devices[d], MemoryFabric::Ask(MemoryOp::READ_REQUEST, (d + 2) % 4, 200'000), 200});
        repeaters.push_back({f.devices[d], atomic, 2000});
        repeaters.push_back({f.devices[d], copy, 1000});
    }
    for (Repeater& repeater : repeaters)
    {
        repeater.Go();
    }
    uint64_t from = 0;
    uint64_t to = 0;
    uint64_t hops = 0;
    Simulator::Schedule(MicroSeconds(500), [&]() {
        from = HeapCount::GetCalls();
        hops = FabricStation::Trajectory().hops;
    });
    Simulator::Schedule(MicroSeconds(1000), [&]() {
        to = HeapCount::GetCalls();
        hops = FabricStation::Trajectory().hops - hops;
    });
    f.Run();
    t.True("a busy interval, " + std::to_string(hops), hops > 40'000);
    if (HeapCount::IsActive())
    {
        t.Same("allocations in " + std::to_string(hops) + " hops", to - from, 0);
    }
    for (const Repeater& repeater : repeaters)
    {
        t.Same("left", repeater.left, 0);
    }
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** @brief Memory of GPUs: rights, atomics, pools, failures, conservation. */
class GpuAccessTestSuite : public TestSuite
{
  public:
    GpuAccessTestSuite()
        : TestSuite("ai-fabric-gpu-access", Type::UNIT)
    {
        Add("the owner checks rights", Rights);
        Add("accesses end where memory does", Bounds);
        Add("atomics happen once", Atomics);
        Add("a pool is served by its owners", Pool);
        Add("lazy and eager arrivals are the same", Oracle);
        Add("credits are conserved", Conservation);
        Add("no deadlock with the smallest buffers", NoDeadlock);
        Add("operations take turns", Turns);
        Add("destinations take turns", TurnsOfDestinations);
        Add("multicast and reduction by the switch", Multicast);
        Add("no heap traffic in steady state", NoHeap);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuAccessTestSuite g_gpuAccessTestSuite; //!< the suite

} // namespace
