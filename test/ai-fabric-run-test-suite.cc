/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/fabric-port.h"
#include "ns3/forwarding-table.h"
#include "ns3/test.h"

#include <fstream>
#include <sstream>

using namespace ns3;

/**
 * @defgroup ai-fabric-run-test Whole runs
 * @ingroup ai-fabric-tests
 */

namespace
{

FlowRecord
MakeFlow(uint64_t id, uint32_t src, uint32_t dst, uint64_t bytes, FabricPs start)
{
    FlowRecord flow;
    flow.id = id;
    flow.src = src;
    flow.dst = dst;
    flow.bytes = bytes;
    flow.startPs = start;
    return flow;
}

FabricTopology
Star(uint32_t hosts)
{
    StarBuilder::Parameters p;
    p.hosts = hosts;
    return StarBuilder(p).Build();
}

FabricTopology
Tree(uint32_t k)
{
    FatTreeBuilder::Parameters p;
    p.k = k;
    return FatTreeBuilder(p).Build();
}

FlowList
Incast(const FabricTopology& topology, uint32_t senders, uint64_t bytes)
{
    FlowTrafficGenerator::Parameters p;
    p.hosts = topology.GetHosts();
    return FlowTrafficGenerator(p).Incast(senders, senders, bytes);
}

/** What a run leaves behind for a test. */
struct Ran
{
    int code{0};               //!< exit code
    FabricRun::Report report;  //!< what came out
    std::string out;           //!< what was printed
};

/** Run a scenario; files only with options.out. */
Ran
RunOf(FabricTopology topology, FlowList flows, FabricRunOptions options = {})
{
    options.progress = false;
    FabricRunScenario scenario;
    scenario.name = "test";
    scenario.topology = std::move(topology);
    scenario.flows = std::move(flows);
    std::ostringstream out;
    Ran ran;
    FabricRun run(options, out, out, false);
    if (options.out.empty())
    {
        run.DisableFiles();
    }
    ran.code = run.Execute(std::move(scenario));
    ran.report = run.GetReport();
    ran.out = out.str();
    return ran;
}

/** Lines of a CSV file that are not comments. */
std::vector<std::string>
LinesOf(const std::string& path)
{
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
    {
        if (line.empty() || line[0] != '#')
        {
            lines.push_back(line);
        }
    }
    return lines;
}

} // namespace

/**
 * @ingroup ai-fabric-run-test
 * @brief A flow alone in the network takes its own closed form, to the picosecond: slowdown 1.
 */
class AloneTestCase : public TestCase
{
  public:
    AloneTestCase()
        : TestCase("a flow alone has slowdown 1.000")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string profile : {"rocev2", "hpcc", "plain48"})
        {
            FlowList flows;
            FabricPs start = 0;
            for (uint64_t bytes : {0, 1, 999, 1000, 1001, 2000, 10'000, 123'456, 2'000'000})
            {
                for (uint32_t dst : {1, 2, 15})
                {
                    flows.flows.push_back(MakeFlow(flows.flows.size(), 0, dst, bytes, start));
                    start += 400'000'000;
                }
            }
            FabricRunOptions options;
            options.frameProfile = profile;
            const Ran ran = RunOf(Tree(4), flows, options);
            NS_TEST_ASSERT_MSG_EQ(ran.code, 0, ran.out);
            for (const auto& flow : ran.report.flows)
            {
                NS_TEST_EXPECT_MSG_EQ(flow.rxPs, flow.idealRxPs,
                                      profile << " rx of " << flow.bytes << " B to " << flow.dst);
                NS_TEST_EXPECT_MSG_EQ(flow.ackPs, flow.idealAckPs,
                                      profile << " ACK of " << flow.bytes << " B to " << flow.dst);
                NS_TEST_EXPECT_MSG_EQ(flow.delivered, flow.bytes, "delivered");
            }
        }
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief User pain 15: the same seed gives the same digests again and again in one process, another
 * seed others; nothing is left in the packet pool.
 */
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase()
        : TestCase("same seed, same digests; another seed, others")
    {
    }

  private:
    Ran Once(uint32_t seed)
    {
        FlowTrafficGenerator::Parameters p;
        p.hosts = Tree(4).GetHosts();
        p.durationPs = 300'000'000;
        p.load = 0.7;
        FabricRunOptions options;
        options.seed = seed;
        const Ran ran =
            RunOf(Tree(4), FlowTrafficGenerator(p).Poisson(FlowSizeCdf::Get("WebSearch")), options);
        NS_TEST_EXPECT_MSG_EQ(ran.code, 0, ran.out);
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets left in the pool");
        return ran;
    }

    void DoRun() override
    {
        const Ran first = Once(7);
        const Ran second = Once(7);
        const Ran other = Once(8);
        NS_TEST_EXPECT_MSG_EQ(first.report.resultDigest, second.report.resultDigest, "results");
        NS_TEST_EXPECT_MSG_EQ(first.report.trajectory.digest, second.report.trajectory.digest,
                              "trajectories");
        // same flows, but other paths and other marks
        NS_TEST_EXPECT_MSG_NE(first.report.trajectory.digest, other.report.trajectory.digest,
                              "the seed has no effect");
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief Fault 19: rows of finished and unfinished flows are those asked for; unfinished ones tell
 * the bytes delivered. User pain 2: the exit code and the list say so.
 */
class CutOffTestCase : public TestCase
{
  public:
    CutOffTestCase()
        : TestCase("a run that is cut off accounts for every flow")
    {
    }

  private:
    void DoRun() override
    {
        FlowList flows;
        flows.flows.push_back(MakeFlow(0, 0, 2, 1000, 0));
        flows.flows.push_back(MakeFlow(1, 1, 2, 1'000'000'000, 0));
        flows.flows.push_back(MakeFlow(2, 1, 0, 1000, 5'000'000'000));
        FabricRunOptions options;
        options.stopPs = 1'000'000'000;
        options.out = CreateTempDirFilename("cut-off");
        const Ran ran = RunOf(Star(3), flows, options);
        NS_TEST_EXPECT_MSG_EQ(ran.code, 1, "unfinished flows are not success");
        const auto& rows = ran.report.flows;
        NS_TEST_ASSERT_MSG_EQ(rows.size(), 3, "flows");
        NS_TEST_EXPECT_MSG_EQ((rows[0].status == FlowOutcome::Status::FINISHED), true, "flow 0");
        NS_TEST_EXPECT_MSG_EQ((rows[1].status == FlowOutcome::Status::UNFINISHED), true, "flow 1");
        NS_TEST_EXPECT_MSG_EQ((rows[2].status == FlowOutcome::Status::UNSTARTED), true, "flow 2");
        // 1 ms at 100 Gb/s of wire, less the way there
        const double payload = 1e-3 * 100e9 / 8 * 1000 / 1082;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(rows[1].delivered), payload, 0.01 * payload,
                                  "bytes delivered so far");
        const auto lines = LinesOf(options.out + "/flows.csv");
        NS_TEST_EXPECT_MSG_EQ(lines.size(), 4, "a header and a row per flow asked for");
        NS_TEST_EXPECT_MSG_NE(ran.out.find("flow 1"), std::string::npos, "named in the summary");
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief Fault 49: every monitor asked for has a header and duration / interval rows, +/- 1.
 */
class MonitorTestCase : public TestCase
{
  public:
    MonitorTestCase()
        : TestCase("monitors write what was asked for")
    {
    }

  private:
    void DoRun() override
    {
        const FabricTopology star = Star(3);
        FabricRunOptions options;
        options.out = CreateTempDirFilename("monitors");
        for (const auto& kind : FabricMonitorSpec::Kinds())
        {
            options.monitors.push_back(FabricMonitorSpec::Parse(kind + ":10us"));
        }
        const Ran ran = RunOf(star, Incast(star, 2, 6'000'000), options);
        NS_TEST_ASSERT_MSG_EQ(ran.code, 0, ran.out);
        const double rows = static_cast<double>(ran.report.endPs) / 10e6;
        for (const auto& kind : FabricMonitorSpec::Kinds())
        {
            const auto lines = LinesOf(options.out + "/" + kind + ".csv");
            NS_TEST_ASSERT_MSG_GT(lines.size(), 1, kind << ": header and rows");
            NS_TEST_EXPECT_MSG_EQ(lines[0].substr(0, 7), "time_us", kind << ": header");
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(lines.size()) - 1, rows, 1.0,
                                      kind << ": rows");
        }
        for (const char* file : {"ports.csv", "classes.csv", "manifest.json", "digest"})
        {
            NS_TEST_EXPECT_MSG_GT(LinesOf(options.out + "/" + file).size(), 1, file);
        }
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief Fault 30: congestion control changes what happens where there is congestion, and the
 * summary says so when it never acted. Fault 3: the number of XOFFs is printed even when 0.
 */
class ActedTestCase : public TestCase
{
  public:
    ActedTestCase()
        : TestCase("the summary tells whether congestion control acted")
    {
    }

  private:
    void DoRun() override
    {
        FabricRunOptions dcqcn;
        FabricRunOptions none;
        none.congestion = "none";
        const FabricTopology star = Star(9);
        const Ran with = RunOf(star, Incast(star, 8, 5'000'000), dcqcn);
        const Ran without = RunOf(star, Incast(star, 8, 5'000'000), none);
        NS_TEST_EXPECT_MSG_EQ(with.code + without.code, 0, "exit codes");
        NS_TEST_EXPECT_MSG_LT(with.report.totals.maxQueue, without.report.totals.maxQueue,
                              "8:1: DCQCN keeps the queue below that of no control");
        NS_TEST_EXPECT_MSG_GT(with.report.congestion.rateCuts, 0, "rate cuts");
        NS_TEST_EXPECT_MSG_EQ(with.report.congestion.cnps, with.report.totals.qps.cnpsRx,
                              "every CNP received reached a congestion control");
        const Ran quiet = RunOf(star, Incast(star, 1, 5'000'000), dcqcn);
        NS_TEST_EXPECT_MSG_NE(quiet.out.find("never acted"), std::string::npos, quiet.out);
        NS_TEST_EXPECT_MSG_NE(quiet.out.find("XOFF sent: 0"), std::string::npos, quiet.out);
        NS_TEST_EXPECT_MSG_EQ(with.out.find("never acted"), std::string::npos, with.out);
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief Paper B9: three switches in a ring, each flow two links clockwise, more load than the ring
 * carries, PFC without congestion control. Everything stops, and the circle is named.
 */
class DeadlockTestCase : public TestCase
{
  public:
    /**
     * @param clockwise route around the ring; else by the shortest path
     */
    explicit DeadlockTestCase(bool clockwise)
        : TestCase(clockwise ? "B9: a ring deadlocks and is named" : "B9: shortest paths do not"),
          m_clockwise(clockwise)
    {
    }

  private:
    static constexpr uint32_t HOSTS = 3; //!< per switch

    static FabricTopology Ring()
    {
        FabricTopology t;
        for (uint32_t i = 0; i < 3 * HOSTS; ++i)
        {
            t.AddHost();
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            t.AddSwitch("s" + std::to_string(i));
        }
        for (uint32_t i = 0; i < 3 * HOSTS; ++i)
        {
            t.AddLink(i, 3 * HOSTS + i / HOSTS, 100'000'000'000, 1'000'000);
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            t.AddLink(3 * HOSTS + i, 3 * HOSTS + (i + 1) % 3, 100'000'000'000, 1'000'000);
        }
        return t;
    }

    static void RouteClockwise(FabricHelper& fabric)
    {
        for (uint32_t sw = 0; sw < 3; ++sw)
        {
            for (uint32_t host = 0; host < 3 * HOSTS; ++host)
            {
                const uint32_t link = host / HOSTS == sw ? host : 3 * HOSTS + sw;
                const uint32_t end = host / HOSTS == sw ? 1 : 0;
                fabric.GetSwitch(3 * HOSTS + sw)
                    ->GetForwardingTable()
                    .Set(fabric.GetEndpoint(host), {fabric.GetPortOfLink(link, end).second});
            }
        }
    }

    void DoRun() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        std::string stall;
        std::string deadlock;
        uint64_t finished = 0;
        {
            FabricHelper fabric;
            fabric.SetBufferAttribute("Size", UintegerValue(2 << 20));
            fabric.Build(Ring());
            if (m_clockwise)
            {
                RouteClockwise(fabric);
            }
            FlowList list;
            for (uint32_t i = 0; i < 3 * HOSTS; ++i)
            {
                list.flows.push_back(
                    MakeFlow(i, i, (i + 2 * HOSTS) % (3 * HOSTS), 10'000'000, 0));
            }
            RdmaHelper rdma(fabric);
            RdmaFlowSet flows(rdma, list);
            FabricWatchdog watchdog(fabric, MilliSeconds(4));
            flows.Start([&](const FlowOutcome&) {
                if (flows.IsDone())
                {
                    watchdog.Stop();
                }
            });
            watchdog.Start([&]() { return flows.GetDelivered(); },
                           [&]() { return flows.IsAnyRunning(); },
                           [&](const std::string& text) {
                               stall = text;
                               Simulator::Stop();
                           });
            Simulator::Stop(MilliSeconds(60));
            Simulator::Run();
            finished = flows.GetNFinished();
            deadlock = watchdog.GetDeadlock();
        }
        Simulator::Destroy();
        if (m_clockwise)
        {
            NS_TEST_EXPECT_MSG_LT(finished, 3 * HOSTS, "nothing stopped");
            NS_TEST_EXPECT_MSG_NE(stall.find("deadlock"), std::string::npos, stall);
            for (const char* name :
                 {"switch s0 port", "switch s1 port", "switch s2 port", "class 3"})
            {
                NS_TEST_EXPECT_MSG_NE(deadlock.find(name), std::string::npos, deadlock);
            }
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(finished, 3 * HOSTS, "flows finished");
            NS_TEST_EXPECT_MSG_EQ(deadlock, "", "no deadlock without a circle of routes");
            NS_TEST_EXPECT_MSG_EQ(stall, "", "no stall");
        }
    }

    bool m_clockwise; //!< route around the ring
};

/**
 * @ingroup ai-fabric-run-test
 * @brief A host with several NICs uses all of them, and every flow finds a way.
 */
class NicsTestCase : public TestCase
{
  public:
    NicsTestCase()
        : TestCase("hosts with several NICs")
    {
    }

  private:
    void DoRun() override
    {
        // hosts 0 and 1 on two planes, host 2 on the second plane only
        FabricTopology t;
        for (int i = 0; i < 3; ++i)
        {
            t.AddHost();
        }
        t.AddSwitch();
        t.AddSwitch();
        const uint64_t rate = 100'000'000'000;
        for (auto [host, sw] : {std::pair(0, 3), {0, 4}, {1, 3}, {1, 4}, {2, 4}})
        {
            t.AddLink(host, sw, rate, 1'000'000);
        }
        FlowList flows;
        for (uint32_t i = 0; i < 4; ++i)
        {
            flows.flows.push_back(MakeFlow(i, 0, 1, 1'000'000, 0));
        }
        flows.flows.push_back(MakeFlow(4, 0, 2, 1000, 500'000'000));
        flows.Check(t);
        const Ran ran = RunOf(t, flows);
        NS_TEST_ASSERT_MSG_EQ(ran.code, 0, ran.out);
        // two flows on each plane: half the rate each, so 2 x the time alone
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(ran.report.flows[i].GetSlowdown(), 2.0, 0.1, "flow " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(ran.report.flows[4].ackPs, ran.report.flows[4].idealAckPs, "plane 2");
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief A flow that waits for another starts when that has ended.
 */
class DependencyTestCase : public TestCase
{
  public:
    DependencyTestCase()
        : TestCase("flows that wait for others")
    {
    }

  private:
    void DoRun() override
    {
        FlowList flows;
        flows.flows.push_back(MakeFlow(0, 0, 1, 100'000, 0));
        flows.flows.push_back(MakeFlow(1, 1, 2, 1000, 0));
        flows.flows[1].dependsOn.push_back({0, false});
        flows.flows.push_back(MakeFlow(2, 2, 0, 1000, 900'000'000));
        flows.flows[2].dependsOn.push_back({1, true});
        const Ran ran = RunOf(Star(3), flows);
        NS_TEST_ASSERT_MSG_EQ(ran.code, 0, ran.out);
        const auto& rows = ran.report.flows;
        NS_TEST_EXPECT_MSG_EQ(rows[1].startPs, rows[0].ackPs, "starts with the last ACK");
        NS_TEST_EXPECT_MSG_EQ(rows[2].startPs, 900'000'000, "not before its own start");
    }
};

/**
 * @ingroup ai-fabric-run-test
 * @brief Whole runs.
 */
class AiFabricRunTestSuite : public TestSuite
{
  public:
    AiFabricRunTestSuite()
        : TestSuite("ai-fabric-run", Type::UNIT)
    {
        AddTestCase(new AloneTestCase);
        AddTestCase(new RepeatTestCase);
        AddTestCase(new CutOffTestCase);
        AddTestCase(new MonitorTestCase);
        AddTestCase(new ActedTestCase);
        AddTestCase(new DeadlockTestCase(true));
        AddTestCase(new DeadlockTestCase(false));
        AddTestCase(new NicsTestCase);
        AddTestCase(new DependencyTestCase);
    }
};

static AiFabricRunTestSuite g_aiFabricRunTestSuite; //!< the suite
