/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "memory-fabric.h"

#include "ns3/fabric-port.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

constexpr FabricPs NS = 1000;
constexpr FabricPs ISSUE = 90 * NS;
constexpr FabricPs MEMORY = 250 * NS;

/** @brief Latencies that are not 0, so that each has to be in its place. */
void
SetLatencies(MemoryFabric& f)
{
    f.device.Set("IssueLatency", TimeValue(PicoSeconds(ISSUE)));
    f.device.Set("MemoryLatency", TimeValue(PicoSeconds(MEMORY)));
}

/** @brief Two devices, directly or round a crossbar. */
void
BuildPair(MemoryFabric& f, const std::string& profile, uint32_t count, bool crossbar)
{
    f.Make(2, crossbar ? 1 : 0);
    f.Link(0, crossbar ? 2 : 1, profile, count);
    if (crossbar)
    {
        f.Link(1, 2, profile, count);
    }
    f.Start();
}

/** @brief A link row for a test, whose packets take one byte besides their data. */
const std::string&
PlainLink(const std::string& name, uint64_t rateBps)
{
    if (!LinkProfile::Has(name))
    {
        LinkProfile row = LinkProfile::Get("nvlink3");
        row.name = name;
        row.rateBps = rateBps;
        row.maxPayload = 4096;
        row.header = 1;
        row.answerHeader = 1;
        row.creditBytes = 256 << 10;
        LinkProfile::Add(row);
    }
    return LinkProfile::Get(name).name;
}

/** One write: all its frames, the flush behind them, the way, the memory, and the ACK. */
void
WriteLatency(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    for (const bool crossbar : {false, true})
    {
        for (const uint64_t bytes : {1ULL, 16ULL, 256ULL, 4096ULL, 10'240ULL, 1ULL << 20})
        {
            MemoryFabric f;
            SetLatencies(f);
            BuildPair(f, "nvlink3", 1, crossbar);
            f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, bytes), f.File());
            Simulator::Run();
            uint64_t wire = bytes / 4096 * link.WireBytes(MemoryOp::WRITE, 4096);
            wire += bytes % 4096 > 0 ? link.WireBytes(MemoryOp::WRITE, bytes % 4096) : 0;
            FabricPs data = ISSUE + rate.TxTime(wire) + link.latencyPs;
            FabricPs back = rate.TxTime(link.answerHeader) + link.latencyPs;
            if (crossbar)
            {
                // cut through: one packet later, and the flush waits behind the data
                data += rate.TxTime(link.FirstBytes(MemoryOp::WRITE, bytes)) + link.latencyPs;
                back *= 2;
            }
            const FabricPs flush = data + rate.TxTime(link.header);
            const FabricPs there = std::max(flush, data + MEMORY);
            t.Same("completions", f.completions.size(), 1);
            t.Same("time of a write of " + std::to_string(bytes),
                   f.completions.at(0).done,
                   there + back);
            t.Same("bytes", f.completions.at(0).delivered, bytes);
            t.Same("failed", f.completions.at(0).failed, 0);
            t.Same("written", f.devices[1]->GetPeerStats(0).bytesWritten, bytes);
            t.True(f.ExplainImbalance(), f.ExplainImbalance().empty());
            Simulator::Destroy();
        }
    }
}

/** One load and one read of a frame, and one atomic: there, memory, back. */
void
ReadLatency(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    for (const bool crossbar : {false, true})
    {
        for (const uint64_t bytes : {8ULL, 256ULL, 4096ULL})
        {
            for (const bool inMemory : {false, true})
            {
                MemoryFabric f;
                SetLatencies(f);
                BuildPair(f, "nvlink3", 1, crossbar);
                MemoryRequest request = MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, bytes);
                request.inMemory = inMemory;
                f.devices[0]->Post(request, f.File());
                Simulator::Run();
                const uint32_t links = crossbar ? 2 : 1;
                const FabricPs there = links * (rate.TxTime(link.header) + link.latencyPs);
                FabricPs back = rate.TxTime(link.WireBytes(MemoryOp::READ_RESPONSE, bytes)) +
                                links * link.latencyPs;
                back += (links - 1) * rate.TxTime(link.FirstBytes(MemoryOp::READ_RESPONSE, bytes));
                t.Same("time of a read of " + std::to_string(bytes),
                       f.completions.at(0).done,
                       ISSUE + there + MEMORY + back + (inMemory ? MEMORY : 0));
                t.Same("read", f.devices[1]->GetPeerStats(0).bytesRead, bytes);
                Simulator::Destroy();
            }
        }
        MemoryFabric f;
        SetLatencies(f);
        BuildPair(f, "nvlink3", 1, crossbar);
        MemoryRequest request = MemoryFabric::Ask(MemoryOp::ATOMIC_REQUEST, 1, 8, 64);
        request.operand = 5;
        f.devices[0]->Post(request, f.File());
        Simulator::Run();
        const FabricPs way =
            (crossbar ? 2 : 1) * (rate.TxTime(link.header + link.atomicOperand) + link.latencyPs);
        t.Same("time of an atomic", f.completions.at(0).done, ISSUE + 2 * way + MEMORY);
        t.Same("word", f.devices[1]->GetWord(64), 5);
        Simulator::Destroy();
    }
}

/** G2: V100 24.26 GB/s with one link, twice that with two, and in both directions at once. */
void
SaturatedRates(FunctionTestCase& t)
{
    t.Near("G2, V100 link", LinkProfile::Get("nvlink2").DataBps() / 8, 24.26e9, 0.001);
    for (const char* name : {"nvlink1", "nvlink2", "nvlink3", "nvlink4", "nvlink5", "pcie4-x16"})
    {
        const LinkProfile& link = LinkProfile::Get(name);
        for (const uint32_t count : {1U, 2U, 12U})
        {
            if (count > 1 && link.generation != 2)
            {
                continue;
            }
            const double expected = link.DataBps(count);
            const uint64_t bytes = (count + 2) * (8ULL << 20); // latency must not matter
            for (const bool both : {false, true})
            {
                MemoryFabric f;
                BuildPair(f, name, count, false);
                f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, bytes), f.File());
                if (both)
                {
                    f.devices[1]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 0, bytes), f.File());
                }
                t.Near(std::string("writes over ") + name + " x" + std::to_string(count),
                       f.Run(),
                       both ? 2 * expected : expected,
                       0.001);
                Simulator::Destroy();
            }
            MemoryFabric f;
            BuildPair(f, name, count, false);
            f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, bytes), f.File());
            t.Near(std::string("reads over ") + name + " x" + std::to_string(count),
                   f.Run(),
                   static_cast<double>(link.rateBps) * count *
                       link.Efficiency(MemoryOp::READ_RESPONSE),
                   0.001);
            Simulator::Destroy();
        }
    }
}

/** Frames of 16 packets against the oracle, which simulates every packet. */
void
FramesAndPackets(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        for (const uint64_t bytes : {4096ULL, 100'000ULL, 16ULL << 20})
        {
            FabricPs done[2];
            for (const bool packets : {false, true})
            {
                MemoryFabric f;
                f.device.Set("FrameBytes", UintegerValue(packets ? 256 : 4096));
                f.device.Set("MaxReads", UintegerValue(packets ? 16'384 : 1024));
                BuildPair(f, "nvlink3", 1, true);
                f.devices[0]->Post(MemoryFabric::Ask(op, 1, bytes), f.File());
                Simulator::Run();
                done[packets] = f.completions.at(0).done;
                Simulator::Destroy();
            }
            // bound: a frame's last packet and the requests of one frame
            const FabricPs bound =
                rate.TxTime(link.FirstBytes(MemoryOp::WRITE, 4096)) +
                (op == MemoryOp::WRITE ? 0 : rate.TxTime(link.WireBytes(op, 4096)));
            t.True("frames are off by " + std::to_string(done[0] - done[1]) + " ps of " +
                       std::to_string(done[1]) + ", bound " + std::to_string(bound),
                   std::abs(done[0] - done[1]) <= bound);
        }
    }
}

/** Memory slower than the links is the limit, exactly, and shared by reads and writes. */
void
MemoryIsTheLimit(FunctionTestCase& t)
{
    constexpr uint64_t BYTES = 8 << 20;
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        MemoryFabric f;
        f.device.Set("MemoryRate", DataRateValue(DataRate("123Gbps")));
        BuildPair(f, "nvlink3", 2, false);
        f.devices[0]->Post(MemoryFabric::Ask(op, 1, BYTES), f.File());
        t.Near("one memory at 123 Gb/s behind 400 Gb/s", f.Run(), 123e9, 0.001);
        Simulator::Destroy();
    }
    MemoryFabric f;
    f.device.Set("MemoryRate", DataRateValue(DataRate("123Gbps")));
    BuildPair(f, "nvlink3", 2, false);
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, BYTES), f.File());
    f.devices[1]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 0, BYTES), f.File());
    t.Near("each memory is read and written", f.Run(), 123e9, 0.001);
    Simulator::Destroy();
    MemoryFabric g;
    g.device.Set("MemoryRate", DataRateValue(DataRate("100Gbps")));
    BuildPair(g, "nvlink3", 2, false);
    g.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 0, BYTES), g.File());
    t.Near("a copy within a memory reads and writes it", g.Run(), 50e9, 0.001);
}

/** A copy engine has a ceiling of its own; copies beyond the number of engines wait. */
void
CopyEngineCap(FunctionTestCase& t)
{
    constexpr uint64_t BYTES = 8 << 20;
    for (const bool push : {true, false})
    {
        for (const uint32_t copies : {1U, 2U, 3U})
        {
            MemoryFabric f;
            f.device.Set("CopyEngineRate", DataRateValue(DataRate("77Gbps")));
            f.device.Set("CopyEngineLatency", TimeValue(NanoSeconds(10)));
            BuildPair(f, "nvlink3", 2, false);
            for (uint32_t i = 0; i < copies; ++i)
            {
                f.devices[0]->Copy(push, 1, 0, BYTES, f.File());
            }
            t.Near(std::to_string(copies) + " copies on two engines",
                   f.Run(),
                   copies == 1 ? 77e9 : copies == 2 ? 154e9 : 115.5e9,
                   0.001);
            Simulator::Destroy();
        }
    }
    MemoryFabric f;
    f.device.Set("CopyEngineRate", DataRateValue(DataRate("900Gbps")));
    BuildPair(f, "nvlink3", 2, false);
    f.devices[0]->Copy(true, 1, 0, BYTES, f.File());
    t.Near("the link is the lower ceiling", f.Run(), LinkProfile::Get("nvlink3").DataBps(2), 0.001);
}

/** Fault 36: four planes of unequal rate are all used, each as much as it can. */
void
Striping(FunctionTestCase& t)
{
    constexpr uint64_t BYTES = 64 << 20;
    const std::string g1000 = PlainLink("test-1000g", 1'000'000'000'000);
    const std::string g800 = PlainLink("test-800g", 800'000'000'000);
    const std::string g3600 = PlainLink("test-3600g", 3'600'000'000'000);
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        double rate[2];
        for (const bool one : {false, true})
        {
            MemoryFabric f;
            f.Make(2, one ? 1 : 4);
            for (uint32_t plane = 0; plane < (one ? 1 : 4); ++plane)
            {
                const std::string& link = one ? g3600 : plane % 3 == 0 ? g1000 : g800;
                f.Link(0, 2 + plane, link);
                f.Link(1, 2 + plane, link);
            }
            f.Start();
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, BYTES), f.File());
            rate[one] = f.Run();
            t.Same("delivered", f.completions.at(0).delivered, BYTES);
            for (uint32_t plane = 0; !one && plane < 4; ++plane)
            {
                const uint32_t sender = op == MemoryOp::WRITE ? 0 : 1;
                t.Near("share of plane " + std::to_string(plane),
                       f.devices[sender]->GetPort(plane).stats.linkDataBytes,
                       BYTES * (plane % 3 == 0 ? 1000.0 : 800.0) / 3600.0,
                       0.01);
            }
            Simulator::Destroy();
        }
        t.Near("fault 36, 450 GB/s", rate[0], 3600e9, 0.03);
        t.Near("fault 36, as one port", rate[0], rate[1], 0.01);
    }
}

/** All pairs of a full mesh, one after the other; halving one link changes its pair only. */
void
HalvedLink(FunctionTestCase& t)
{
    const std::string full = PlainLink("test-200g", 200'000'000'000);
    const std::string half = PlainLink("test-100g", 100'000'000'000);
    for (uint32_t slow = 0; slow < 6; slow += 5)
    {
        MemoryFabric f;
        f.Make(4);
        uint32_t number = 0;
        for (uint32_t a = 0; a < 4; ++a)
        {
            for (uint32_t b = a + 1; b < 4; ++b)
            {
                f.Link(a, b, number++ == slow ? half : full);
            }
        }
        f.Start();
        FabricPs fast = 0;
        for (uint32_t pair = 0; pair < 12; ++pair)
        {
            const MemoryFabric::Bundle& link = f.links[pair / 2];
            const uint32_t a = pair % 2 ? link.b : link.a;
            const uint32_t b = pair % 2 ? link.a : link.b;
            f.devices[a]->Post(MemoryFabric::Ask(MemoryOp::WRITE, b, 1 << 20), f.File());
            Simulator::Run();
            const MemoryCompletion& c = f.completions.back();
            fast = pair / 2 != slow ? c.done - c.posted : fast;
        }
        for (uint32_t pair = 0; pair < 12; ++pair)
        {
            const FabricPs took = f.completions[pair].done - f.completions[pair].posted;
            const FabricPs latency = 2 * LinkProfile::Get(full).latencyPs;
            if (pair / 2 == slow)
            {
                t.Same("the halved pair", took - latency, 2 * (fast - latency));
            }
            else
            {
                t.Same("another pair", took, fast);
            }
        }
        Simulator::Destroy();
    }
}

/** @brief Memory of GPUs: times and rates. */
class GpuMemoryTestSuite : public TestSuite
{
  public:
    GpuMemoryTestSuite()
        : TestSuite("ai-fabric-gpu-memory", Type::UNIT)
    {
        Add("a write takes its frames, a flush and an acknowledgement", WriteLatency);
        Add("reads, loads and atomics go there and back", ReadLatency);
        Add("saturated links carry their data rate", SaturatedRates);
        Add("frames of 16 packets take as long as the packets", FramesAndPackets);
        Add("a slow memory is the limit", MemoryIsTheLimit);
        Add("copy engines have a ceiling and a number", CopyEngineCap);
        Add("unequal planes add up (fault 36)", Striping);
        Add("a slower link slows its pair only", HalvedLink);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuMemoryTestSuite g_gpuMemoryTestSuite; //!< the suite

} // namespace
