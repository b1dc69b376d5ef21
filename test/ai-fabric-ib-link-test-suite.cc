/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "ib-bench.h"
#include "raw-fabric.h"
#include "rdma-line.h"

#include "ns3/boolean.h"
#include "ns3/ib-flow-control.h"
#include "ns3/ib-lid-table.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/** @brief Two adapters and one cable. */
IbSubnet
BackToBack(const std::string& speed, double metres)
{
    IbSubnet subnet;
    subnet.AddNode(IbSubnet::Type::CA, "a", 1);
    subnet.AddNode(IbSubnet::Type::CA, "b", 1);
    subnet.Connect(0, 1, 1, 1, 4, speed);
    subnet.SetLength(0, 1, metres);
    return subnet;
}

/** @return goodput of one long stream over a cable, Gb/s */
double
CreditLine(uint32_t buffer, double metres)
{
    IbBench bench;
    bench.fabric.SetFlowControlAttribute("Buffer", UintegerValue(buffer));
    bench.fabric.SetFlowControlAttribute("UpdateBlocks", UintegerValue(1));
    bench.fabric.Build(BackToBack("EDR", metres));
    bench.fabric.SetRoutes("minhop");
    const auto& stream = bench.Write(0, 1, 8 << 20, 4);
    bench.RunTo(MicroSeconds(200));
    bench.Mark();
    bench.RunTo(MicroSeconds(1200));
    return bench.GetGbps(stream);
}

/** Credits over a round trip, or the wire, whichever is less: papers.md I2 and I3. */
void
Line(FunctionTestCase& t)
{
    t.Near("16 KiB over 5 us", CreditLine(16 << 10, 1000), 9.52, 0.03);
    t.Near("128 KiB over 5 us", CreditLine(128 << 10, 1000), 98.3, 0.03);
    // 4096 bytes of payload take 65 blocks: three frames take 195
    const double two = CreditLine(194 * 64, 1000);
    const double three = CreditLine(195 * 64, 1000);
    t.Near("195 blocks against 194", three / two, 1.5, 0.01);
    // a flow-control packet for every ACK takes 8 bytes beside 4122
    t.Near("all of a short cable", CreditLine(64 << 10, 2), 4096 / 41.30, 0.001);
}

/** @return goodputs of two saturating streams on two VLs of one cable, Gb/s */
std::pair<double, double>
Share(const std::string& high, const std::string& low, uint8_t limit)
{
    IbBench bench;
    bench.fabric.SetArbiterAttribute("High", StringValue(high));
    bench.fabric.SetArbiterAttribute("Low", StringValue(low));
    bench.fabric.SetArbiterAttribute("HighLimit", UintegerValue(limit));
    bench.fabric.Build(IbStar(3));
    bench.fabric.SetRoutes("minhop");
    VerbsQpAttributes one;
    one.serviceLevel = 1;
    const auto& a = bench.Write(0, 2, 8 << 20, 4);
    const auto& b = bench.Write(1, 2, 8 << 20, 4, one);
    bench.RunTo(MicroSeconds(200));
    bench.Mark();
    bench.RunTo(MicroSeconds(1200));
    return {bench.GetGbps(a), bench.GetGbps(b)};
}

/** Low-priority weights are shares; high priority leaves what its limit says: papers.md I5. */
void
Arbitration(FunctionTestCase& t)
{
    const auto weighted = Share("", "0:192,1:64", 0);
    t.Near("3 of 4", weighted.first, 0.75 * 99.37, 0.03);
    t.Near("1 of 4", weighted.second, 0.25 * 99.37, 0.03);
    const auto unlimited = Share("0:255", "1:64", 255);
    t.Near("high priority without limit", unlimited.first, 99.37, 0.001);
    t.Near("starves the other", unlimited.second, 0, 1);
    const auto limited = Share("0:255", "1:64", 3); // 12 KiB, then one frame
    t.Near("with a limit", limited.first / limited.second, 3, 0.03);
}

/** @return goodput of a victim beside a 3-to-1 incast that shares its trunk, Gb/s */
double
Victim(uint8_t victimSl)
{
    IbBench bench;
    bench.fabric.Build(IbDumbbell(2, 4));
    bench.fabric.SetRoutes("minhop");
    VerbsQpAttributes own;
    own.serviceLevel = victimSl;
    const auto& victim = bench.Write(0, 2, 8 << 20, 4, own);
    for (uint32_t source : {1U, 4U, 5U})
    {
        bench.Write(source, 3, 8 << 20, 4);
    }
    bench.RunTo(MicroSeconds(200));
    bench.Mark();
    std::string why;
    while (Simulator::Now() < MicroSeconds(1200) && why.empty())
    {
        bench.RunTo(Simulator::Now() + NanoSeconds(9973));
        why = bench.fabric.ExplainImbalance();
    }
    NS_ABORT_MSG_IF(!why.empty(), why);
    return bench.GetGbps(victim);
}

/** Frames of a congested flow fill the trunk's buffer of their VL, and hold up others there. */
void
HeadOfLine(FunctionTestCase& t)
{
    t.Near("one VL: the third of a port that the flow beside it gets", Victim(0), 33.1, 0.1);
    t.Near("its own VL: all that the other leaves", Victim(1), 66.2, 0.05);
}

/** What is lost is sent again, also flow-control packets: nothing is stuck, credits add up. */
void
Losses(FunctionTestCase& t)
{
    IbBench bench;
    bench.fabric.SetErrorRate(1e-3);
    bench.fabric.SetHcaAttribute("RetryTimeout", TimeValue(MicroSeconds(100)));
    bench.fabric.SetFlowControlAttribute("Buffer", UintegerValue(16 << 10));
    bench.fabric.Build(IbDumbbell(2, 2));
    bench.fabric.SetRoutes("minhop");
    bench.Write(0, 2, 1 << 20, 8);
    bench.Write(1, 3, 1 << 20, 8);
    bench.Write(3, 0, 1 << 20, 8);
    for (uint32_t i = 0; i < 100; ++i)
    {
        bench.RunTo(Simulator::Now() + MicroSeconds(97));
        t.True(bench.fabric.ExplainImbalance(), bench.fabric.ExplainImbalance().empty());
    }
    t.Same("finished", bench.CountFinished(), 3);
    uint64_t errors = 0;
    uint64_t symbols = 0;
    for (const auto& hca : bench.fabric.GetHcas())
    {
        const IbPortCounters c = hca->GetPortCounters();
        errors += c.rcvErrors;
        symbols += c.symbolErrors;
    }
    t.True("frames were lost", errors > 3);
    t.True("and flow-control packets", symbols > errors);
}

/** @brief The shorter way round a ring, clockwise for opposite switches. */
IbForwarding
Round(IbSubnet& subnet, bool dateline)
{
    IbLidTable lids;
    lids.Assign(subnet);
    IbForwarding routes;
    routes.tables.resize(subnet.GetNodes().size());
    const auto switches = static_cast<uint32_t>(subnet.GetNodesOf(IbSubnet::Type::SWITCH).size());
    for (uint32_t node = 0; node < switches; ++node)
    {
        for (uint32_t host : subnet.GetNodesOf(IbSubnet::Type::CA))
        {
            const auto& end = subnet.At(host).ports[1];
            const uint32_t distance = (end.peer + switches - node) % switches;
            routes.Set(node,
                       end.lid,
                       distance == 0              ? end.peerPort
                       : distance <= switches / 2 ? 1
                                                  : 2);
        }
    }
    if (dateline) // a lane of their own for ways over the cable from the last switch to the first
    {
        routes.nLanes = 2;
        routes.lanes.assign(subnet.GetNodes().size(), std::vector<uint8_t>(lids.GetTop() + 1U, 0));
        for (uint32_t node = 0; node < switches; ++node)
        {
            for (uint32_t host : subnet.GetNodesOf(IbSubnet::Type::CA))
            {
                const auto& end = subnet.At(host).ports[1];
                routes.lanes[node][end.lid] = end.peer < node ? 1 : 0;
            }
        }
    }
    return routes;
}

/** A circle of credits is found before the run, locks up in it, and two lanes undo it. */
void
Deadlock(FunctionTestCase& t)
{
    for (const bool dateline : {false, true})
    {
        IbBench bench;
        bench.fabric.SetFlowControlAttribute("Buffer", UintegerValue(16 << 10));
        bench.fabric.SetHcaAttribute("RetryTimeout", TimeValue(Seconds(1)));
        bench.fabric.Build(IbSubnetBuilder("EDR").Ring(4, 1));
        const IbForwarding routes = Round(bench.fabric.GetSubnet(), dateline);
        const auto loop = routes.FindCreditLoop(bench.fabric.GetSubnet());
        t.Same("links in the loop", loop.size(), dateline ? 0 : 4);
        bench.fabric.SetRoutes(routes);
        for (uint32_t host = 0; host < 4; ++host)
        {
            bench.Write(host, (host + 2) % 4, 8 << 20, 1);
        }
        bench.RunTo(MilliSeconds(10));
        t.Same("finished", bench.CountFinished(), dateline ? 4 : 0);
        t.True("credits", bench.fabric.ExplainImbalance().empty());
    }
}

/** Cut through: cables, switch, one frame time; store and forward: one more at each switch. */
void
CutThrough(FunctionTestCase& t)
{
    for (const bool cut : {true, false})
    {
        IbBench bench;
        bench.fabric.SetSwitchAttribute("CutThrough", BooleanValue(cut));
        bench.fabric.Build(IbDumbbell(1, 1));
        bench.fabric.SetRoutes("minhop");
        const auto& stream = bench.Write(0, 1, 1024, 1);
        bench.RunTo(MicroSeconds(10));
        const FabricPs data = (1024 + 26 + 16) * 80; // with RETH, at 80 ps a byte
        const FabricPs ack = 30 * 80;                // with AETH
        const FabricPs way = 3 * 10'000 + 2 * 130'000;
        const FabricPs times = cut ? 1 : 3;
        t.Same("completions", stream.done.size(), 1);
        t.Same(cut ? "cut through" : "store and forward",
               stream.done.at(0).at,
               2 * way + times * (data + ack));
    }
}

/** Drained late or at every arrival, with flow-control packets and losses: the same run. */
void
LazyIsEager(FunctionTestCase& t)
{
    for (const bool queues : {true, false})
    {
        const auto scenario = [queues]() {
            IbBench bench;
            bench.fabric.SetSwitchAttribute("VirtualOutputQueues", BooleanValue(queues));
            bench.fabric.SetErrorRate(1e-4);
            bench.fabric.SetHcaAttribute("RetryTimeout", TimeValue(MicroSeconds(100)));
            bench.fabric.Build(IbDumbbell(4, 4));
            bench.fabric.SetRoutes("minhop");
            for (uint32_t i = 0; i < 8; ++i)
            {
                VerbsQpAttributes attributes;
                attributes.serviceLevel = i % 3;
                bench.Write(i, i < 5 ? 6 : 1 + i % 2, 300'000, 4, attributes);
            }
            bench.RunTo(MilliSeconds(3));
            return bench.Describe() + std::to_string(bench.CountFinished());
        };
        const std::string why = LazyEqualsEager(scenario);
        t.True(why, why.empty());
    }
}

/** @brief InfiniBand's link layer, from adapter to adapter. */
class IbLinkTestSuite : public TestSuite
{
  public:
    IbLinkTestSuite()
        : TestSuite("ai-fabric-ib-link", Type::UNIT)
    {
        RawFabric::UsePicoseconds();
        Add("credits over a cable", Line);
        Add("VL arbitration", Arbitration);
        Add("head-of-line blocking with one VL, its cure with two", HeadOfLine);
        Add("lost frames and lost flow-control packets", Losses);
        Add("a ring that locks up, and lanes that undo it", Deadlock);
        Add("cut through, store and forward", CutThrough);
        Add("lazy is eager", LazyIsEager);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

IbLinkTestSuite g_ibLinkTestSuite; //!< the suite

} // namespace
