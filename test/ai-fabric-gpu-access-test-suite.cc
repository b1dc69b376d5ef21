/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "heap-count.h"
#include "memory-fabric.h"

#include "ns3/boolean.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-random.h"
#include "ns3/memory-pool.h"
#include "ns3/uinteger.h"

#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t KIB = 1024;

/** @brief Devices round crossbars, every device with one link to each. */
void
BuildStar(MemoryFabric& f, uint32_t devices, uint32_t switches, const std::string& profile)
{
    f.Make(devices, switches);
    for (uint32_t s = 0; s < switches; ++s)
    {
        for (uint32_t d = 0; d < devices; ++d)
        {
            f.Link(d, devices + s, profile);
        }
    }
    f.Start();
}

/** @brief Books of all devices: every byte posted is delivered or reported failed. */
void
CheckBooks(FunctionTestCase& t, const MemoryFabric& f)
{
    for (const auto& device : f.devices)
    {
        const MemoryRequesterStats& s = device->GetStats();
        t.Same("bytes posted", s.bytesPosted, s.bytesDelivered + s.bytesFailed);
        t.Same("operations", s.posted, s.completed);
        t.Same("slots in use", device->GetInUse(), 0);
    }
    t.True(f.ExplainImbalance(), f.ExplainImbalance().empty());
}

/** The owner refuses what the rights do not allow, and says so. */
void
Rights(FunctionTestCase& t)
{
    for (uint8_t rights = 0; rights <= MEMORY_ALL_RIGHTS; ++rights)
    {
        MemoryFabric f;
        BuildStar(f, 3, 1, "nvlink3");
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
        CheckBooks(t, f);
        Simulator::Destroy();
    }
}

/** Accesses are split where ranges end, and fail where they end for good. */
void
Bounds(FunctionTestCase& t)
{
    MemoryFabric f;
    BuildStar(f, 3, 1, "nvlink3");
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
    CheckBooks(t, f);
    Simulator::Destroy();

    MemoryFabric g;
    g.device.Set("MemoryBytes", UintegerValue(1000));
    BuildStar(g, 2, 1, "nvlink3");
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
    CheckBooks(t, g);
}

/** Every atomic is executed exactly once, at the owner. */
void
Atomics(FunctionTestCase& t)
{
    constexpr uint32_t EACH = 200;
    MemoryFabric f;
    BuildStar(f, 8, 2, "nvlink3");
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
    CheckBooks(t, f);
}

/** Pages of a pool lie on all owners in turn, and each owner serves its share. */
void
Pool(FunctionTestCase& t)
{
    MemoryFabric f;
    BuildStar(f, 5, 1, "nvlink3");
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
    CheckBooks(t, f);
}

/** Fault 37: a pair without a link is relayed where relaying is on, else refused, never lost. */
void
Relay(FunctionTestCase& t)
{
    for (const bool relay : {false, true})
    {
        MemoryFabric f;
        f.device.Set("Relay", BooleanValue(relay));
        f.Make(3);
        f.Link(0, 1, "nvlink3");
        f.Link(1, 2, "nvlink3");
        f.Start();
        for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
        {
            f.completions.clear();
            f.devices[0]->Post(MemoryFabric::Ask(op, 2, 1 << 20), f.File());
            // the relay's own traffic gets its share of the same link
            f.devices[1]->Post(MemoryFabric::Ask(op, 2, 1 << 20), f.File());
            Simulator::Run();
            const MemoryCompletion& c = f.completions.at(relay ? 1 : 0);
            t.Same("status",
                   static_cast<int>(c.status),
                   static_cast<int>(relay ? MemoryStatus::OK : MemoryStatus::UNREACHABLE));
            t.Same("delivered", c.delivered, relay ? 1 << 20 : 0);
            t.Same("the neighbour's", f.completions.at(relay ? 0 : 1).delivered, 1 << 20);
        }
        CheckBooks(t, f);
        Simulator::Destroy();
    }
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
                CheckBooks(t, f);
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
    CheckBooks(t, f);
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
    BuildStar(f, 6, 2, "nvlink3");
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
    CheckBooks(t, f);
}

/** A failed link ends what it carried with a status; the books balance; others go on. */
void
LinkFailure(FunctionTestCase& t)
{
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        MemoryFabric f;
        f.device.Set("CompletionTimeout", TimeValue(MicroSeconds(100)));
        f.Make(3, 1);
        f.Link(0, 1, "nvlink3");
        f.Link(0, 3, "nvlink3");
        f.Link(2, 3, "nvlink3");
        f.Start();
        f.devices[0]->Post(MemoryFabric::Ask(op, 1, 1 << 20), f.File()); // direct: notices
        f.devices[0]->Post(MemoryFabric::Ask(op, 2, 1 << 20), [&t](const MemoryCompletion& c) {
            // fails beyond the crossbar: refused by it, or nobody answers
            t.True("timeout or refusal",
                   c.status == MemoryStatus::TIMEOUT || c.status == MemoryStatus::LINK_DOWN ||
                       c.status == MemoryStatus::UNREACHABLE);
            t.True("some bytes failed", c.failed > 0);
        });
        Simulator::Schedule(MicroSeconds(20), [&f]() {
            f.devices[0]->SetLinkUp(0, false);
            f.devices[2]->SetLinkUp(0, false);
        });
        Simulator::Schedule(MicroSeconds(30), [&f, &t, op]() {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, 4096), [&t](const MemoryCompletion& c) {
                t.Same("no way", static_cast<int>(c.status), 5);
                t.Same("failed", c.failed, 4096);
            });
        });
        Simulator::Schedule(MilliSeconds(1), [&f]() {
            f.devices[0]->SetLinkUp(0, true);
            f.devices[2]->SetLinkUp(0, true);
        });
        Simulator::Schedule(MilliSeconds(1), [&f, op]() {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, 50'000), f.File());
            f.devices[0]->Post(MemoryFabric::Ask(op, 2, 50'000), f.File());
        });
        f.Run();
        t.Same("completions filed", f.completions.size(), 3);
        t.Same("the direct one", static_cast<int>(f.completions.at(0).status), 5);
        t.Same("at once", f.completions.at(0).done, 20'000'000);
        t.Same("direct, again", f.completions.at(1).delivered, 50'000);
        t.Same("crossbar, again", f.completions.at(2).delivered, 50'000);
        CheckBooks(t, f);
        Simulator::Destroy();
    }
}

/** A link behind a crossbar fails and is back before anybody could time out: still reported. */
void
ShortFailure(FunctionTestCase& t)
{
    MemoryFabric f;
    BuildStar(f, 2, 2, "nvlink3");
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 1 << 20), f.File());
    Simulator::Schedule(MicroSeconds(10), [&f]() { f.devices[1]->SetLinkUp(1, false); });
    Simulator::Schedule(MicroSeconds(11), [&f]() { f.devices[1]->SetLinkUp(1, true); });
    f.Run();
    const MemoryCompletion& c = f.completions.at(0);
    t.Same("status", static_cast<int>(c.status), static_cast<int>(MemoryStatus::LINK_DOWN));
    t.True("some are lost, " + std::to_string(c.failed), c.failed > 0 && c.failed < 1 << 19);
    t.Same("the owner has the rest", f.devices[1]->GetPeerStats(0).bytesWritten, c.delivered);
    CheckBooks(t, f);
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
    BuildStar(f, 4, 2, "nvlink3");
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
    CheckBooks(t, f);
}

/** Reads in flight are limited: rate = MaxReads frames per round trip. */
void
ReadTags(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    constexpr FabricPs MEMORY = 1'000'000;
    MemoryFabric f;
    f.device.Set("MemoryLatency", TimeValue(PicoSeconds(MEMORY)));
    f.device.Set("MaxReads", UintegerValue(2));
    f.Make(2);
    f.Link(0, 1, "nvlink3");
    f.Start();
    MemoryRequest request = MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 4096 * 400);
    request.inMemory = false;
    f.devices[0]->Post(request, f.File());
    const double bps = f.Run();
    const FabricPs trip = rate.TxTime(link.header) + 2 * link.latencyPs + MEMORY +
                          rate.TxTime(link.WireBytes(MemoryOp::READ_RESPONSE, 4096));
    // cut through: the first packet of an answer frees the tag of its request
    const FabricPs early = rate.TxTime(link.WireBytes(MemoryOp::READ_RESPONSE, 4096)) -
                           rate.TxTime(link.FirstBytes(MemoryOp::READ_RESPONSE, 4096));
    t.Near("two frames a round trip", bps, 2 * 4096 * 8e12 / static_cast<double>(trip - early), 0.01);
}

/** An operation that nobody answers ends after the timeout; a slow one that goes on does not. */
void
Timeout(FunctionTestCase& t)
{
    MemoryFabric f;
    f.device.Set("CompletionTimeout", TimeValue(MicroSeconds(20)));
    f.Make(2, 1);
    f.Link(0, 2, "nvlink3");
    f.Link(1, 2, "nvlink3");
    f.Start();
    // 168 us at 200 Gb/s: longer than the timeout, but always on its way
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 4 << 20), f.File());
    Simulator::Run();
    t.Same("a long write", static_cast<int>(f.completions.at(0).status), 0);
    f.devices[1]->SetLinkUp(0, false);
    const FabricPs start = FabricTime::Now();
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 100), f.File());
    Simulator::Run();
    const MemoryCompletion& c = f.completions.at(1);
    t.True("no answer", c.status != MemoryStatus::OK);
    t.Same("failed", c.failed, 100);
    t.True("in time", c.done - start <= 20'000'000 + 1000);
    CheckBooks(t, f);
}

/** @brief What a mistake is answered with. */
std::string
Complaint(const std::function<void()>& mistake)
{
    try
    {
        mistake();
    }
    catch (const FabricError& e)
    {
        return e.what();
    }
    return "";
}

/** Mistakes are refused in words. */
void
Mistakes(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Make(2);
    f.Link(0, 1, "nvlink3");
    const auto post = [&f](const MemoryRequest& r) { f.devices[0]->Post(r, nullptr); };
    const auto ask = &MemoryFabric::Ask;
    t.True("before Start()", !Complaint([&]() { post(ask(MemoryOp::WRITE, 1, 1, 0)); }).empty());
    f.Start();
    t.True("right", Complaint([&]() { post(ask(MemoryOp::WRITE, 1, 1, 0)); }).empty());
    t.True("no bytes", !Complaint([&]() { post(ask(MemoryOp::WRITE, 1, 0, 0)); }).empty());
    t.True("answer", !Complaint([&]() { post(ask(MemoryOp::ACK, 1, 1, 0)); }).empty());
    t.True("flush", !Complaint([&]() { post(ask(MemoryOp::FLUSH, 1, 1, 0)); }).empty());
    t.True("long atomic", !Complaint([&]() { post(ask(MemoryOp::ATOMIC_REQUEST, 1, 9, 0)); }).empty());
    t.True("no map", !Complaint([&]() { f.devices[0]->Write(0, 1, nullptr); }).empty());
    Simulator::Run();
    CheckBooks(t, f);
    MemoryFabric g;
    g.Make(2);
    g.Link(0, 1, "nvlink3");
    g.devices[0]->SetEndpoint(MemoryRequest::BY_MAP);
    t.True("no endpoint", !Complaint([&]() { g.devices[0]->Start(); }).empty());
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
        Add("relaying is on or off (fault 37)", Relay);
        Add("lazy and eager arrivals are the same", Oracle);
        Add("credits are conserved", Conservation);
        Add("no deadlock with the smallest buffers", NoDeadlock);
        Add("a failed link is reported", LinkFailure);
        Add("a link that fails for a moment is reported too", ShortFailure);
        Add("tags limit the reads in flight", ReadTags);
        Add("silence ends after the timeout", Timeout);
        Add("no heap traffic in steady state", NoHeap);
        Add("mistakes are refused in words", Mistakes);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuAccessTestSuite g_gpuAccessTestSuite; //!< the suite

} // namespace
