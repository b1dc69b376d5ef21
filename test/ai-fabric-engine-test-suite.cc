/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-count.h"
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/chain-builder.h"
#include "ns3/double.h"
#include "ns3/fat-tree-builder.h"
#include "ns3/log.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdlib>

using namespace ns3;

NS_LOG_COMPONENT_DEFINE("AiFabricEngineTest");

namespace
{

/** @brief A scenario for the oracle: what to build and what to send. */
struct Scenario
{
    const char* name;                          //!< for messages
    std::function<void(RawFabric&)> configure; //!< before Build()
    std::function<FabricTopology()> topology;  //!< graph
    std::function<void(RawFabric&)> load;      //!< bursts
};

FabricTopology
EvenTree(uint32_t k)
{
    FatTreeBuilder::Parameters parameters;
    parameters.k = k;
    return FatTreeBuilder(parameters).Build();
}

FabricTopology
Tree(uint32_t k, int64_t delayPs = 1'000'000)
{
    const FabricTopology plain = EvenTree(k);
    // cables of slightly different length, so that ties are the exception but do occur
    FabricTopology t;
    for (const auto& node : plain.GetNodes())
    {
        node.role == FabricTopology::Role::HOST ? t.AddHost(node.name)
                                                : t.AddSwitch(node.name, node.tier, node.pod);
    }
    for (const auto& link : plain.GetLinks())
    {
        t.AddLink(link.a, link.b, link.rateBps, delayPs + (link.id % 5) * 7);
    }
    return t;
}

void
LoadPermutation(RawFabric& f, uint64_t packets, uint32_t bytes, bool sync)
{
    const auto n = static_cast<uint32_t>(f.hosts.size());
    for (uint32_t i = 0; i < n; ++i)
    {
        const FabricPs start = sync ? 0 : static_cast<FabricPs>(FabricRandom::Mix(i) % 2'000'000);
        f.hosts[i]->Send({start, (i + n / 2 + 1) % n, bytes, packets, 3, i * 77});
    }
}

void
LoadIncast(RawFabric& f, uint64_t packets, bool sync)
{
    const auto n = static_cast<uint32_t>(f.hosts.size());
    for (uint32_t i = 0; i < n - 1; ++i)
    {
        const FabricPs start = sync ? 0 : static_cast<FabricPs>(FabricRandom::Mix(i) % 2'000'000);
        f.hosts[i]->Send({start, i % 3 == 0 ? n - 1 : n / 2, 1036, packets, 3, i});
        f.hosts[i]->Send({start, (i + 1) % n, 64 + 17 * (i % 9), packets / 2, 0, i + 1000});
        f.hosts[i]->Send({start + 5000, (i + 3) % n, 1500, packets / 4, 6, i + 2000});
    }
}

/** @brief Lazy and eager runs of every scenario have the same trajectory. */
class OracleTestCase : public TestCase
{
  public:
    OracleTestCase()
        : TestCase("one wake per hop equals one event per arrival, bit by bit")
    {
    }

  private:
    FabricTrajectory Run(const Scenario& s, bool eager)
    {
        FabricTrajectory result;
        {
            RawFabric f;
            f.eager = eager;
            if (s.configure)
            {
                s.configure(f);
            }
            f.Build(s.topology());
            s.load(f);
            Simulator::Stop(MilliSeconds(20));
            Simulator::Run();
            f.Sum(&FabricClassStats::drops);
            result = FabricStation::Trajectory();
            m_xoff = f.Sum(&FabricClassStats::xoffTx);
            m_marks = f.Sum(&FabricClassStats::ceMarks);
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, s.name << ": packets leaked");
        return result;
    }

    uint64_t m_xoff{0};
    uint64_t m_marks{0};

    void DoRun() override
    {
        const auto small = [](RawFabric& f) {
            f.buffer.Set("Size", UintegerValue(700000));
            f.marker.Set("MinThreshold", UintegerValue(10000));
            f.marker.Set("MaxThreshold", UintegerValue(40000));
        };
        const auto enqueue = [&](RawFabric& f) {
            small(f);
            f.marker.Set("MarkOnEnqueue", BooleanValue(true));
        };
        const auto manyClasses = [](RawFabric& f) {
            f.buffer.Set("Size", UintegerValue(1500000));
            f.flow.Set("LosslessClasses", UintegerValue(0x49));
            f.scheduler.Set("Weights", StringValue("1 1 1 4 1 1 1 1"));
            f.scheduler.Set("StrictClasses", UintegerValue(0x40));
        };
        const auto reaction = [](RawFabric& f) {
            f.buffer.Set("Size", UintegerValue(1500000));
            f.flow.Set("ReactionTime", TimeValue(NanoSeconds(500)));
            f.flow.Set("PauseQuanta", UintegerValue(100));
        };
        const auto fixed = [](RawFabric& f) {
            f.buffer.Set("Size", UintegerValue(900000));
            f.buffer.Set("StaticThreshold", UintegerValue(20000));
        };
        const std::vector<Scenario> scenarios = {
            {"permutation",
             nullptr,
             [] { return Tree(4); },
             [](RawFabric& f) { LoadPermutation(f, 300, 1036, false); }},
            {"permutation in step",
             nullptr,
             [] { return EvenTree(4); },
             [](RawFabric& f) { LoadPermutation(f, 300, 1036, true); }},
            {"incast",
             small,
             [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"incast in step",
             small,
             [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"incast, marking on enqueue",
             enqueue,
             [] { return Tree(4, 5000); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"three lossless classes",
             manyClasses,
             [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"three lossless classes in step",
             manyClasses,
             [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"short pauses that expire",
             reaction,
             [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"static thresholds",
             fixed,
             [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"star in step",
             small,
             [] { return RawFabric::Star(9, 123'000'000'000, 50'000); },
             [](RawFabric& f) { LoadIncast(f, 300, true); }},
            {"lossy links",
             small,
             [] {
                 FabricTopology t = RawFabric::Star(6, 100'000'000'000, 500'000);
                 FabricTopology lossy;
                 for (uint32_t i = 0; i < 6; ++i)
                 {
                     lossy.AddHost();
                 }
                 lossy.AddSwitch();
                 for (const auto& l : t.GetLinks())
                 {
                     lossy.AddLink(l.a, l.b, l.rateBps, l.delayPs, 0.02);
                 }
                 return lossy;
             },
             [](RawFabric& f) { LoadIncast(f, 300, true); }},
        };
        for (const auto& s : scenarios)
        {
            const FabricTrajectory lazy = Run(s, false);
            const uint64_t xoff = m_xoff;
            const uint64_t marks = m_marks;
            const FabricTrajectory eager = Run(s, true);
            NS_TEST_EXPECT_MSG_EQ(lazy.digest, eager.digest, s.name << ": trajectories differ");
            NS_TEST_EXPECT_MSG_EQ(lazy.hops, eager.hops, s.name << ": hops differ");
            NS_TEST_EXPECT_MSG_EQ(lazy.dropped, eager.dropped, s.name << ": drops differ");
            NS_TEST_EXPECT_MSG_EQ(xoff, m_xoff, s.name << ": XOFF counts differ");
            NS_TEST_EXPECT_MSG_EQ(marks, m_marks, s.name << ": marks differ");
            NS_TEST_EXPECT_MSG_GT(lazy.delivered, 0, s.name << ": nothing was delivered");
            NS_LOG_INFO(s.name << ": hops " << lazy.hops << " drops " << lazy.dropped << " xoff "
                               << xoff << " marks " << marks << " events/hop "
                               << double(lazy.wakes) / double(lazy.hops) << " eager "
                               << double(eager.wakes) / double(eager.hops));
        }
    }
};

/** @brief Lazy and eager runs agree on fabrics, settings and loads that nobody chose. */
class RandomOracleTestCase : public TestCase
{
  public:
    RandomOracleTestCase()
        : TestCase("lazy equals eager on random fabrics, settings and loads")
    {
    }

  private:
    /** @brief Numbers that tell two runs apart. */
    struct Result
    {
        FabricTrajectory trajectory; //!< digest and counters
        uint64_t xoff{0};            //!< stop frames
        uint64_t marks{0};           //!< CE marks
        uint64_t headroom{0};        //!< most headroom used
    };

    static FabricTopology RandomTopology(FabricRandom& r)
    {
        static constexpr uint64_t rates[] = {10, 25, 40, 100, 123, 400};
        FabricTopology t;
        const uint32_t hosts = 3 + r.Below(8);
        const uint32_t switches = 1 + r.Below(4);
        const bool mixed = r.Below(2) == 0;
        const uint64_t rate = rates[r.Below(6)];
        const auto link = [&](uint32_t a, uint32_t b) {
            const uint64_t bps = (mixed ? rates[r.Below(6)] : rate) * 1'000'000'000;
            // from back to back in the rack to the next town; often equal, so that ties happen
            const int64_t delay = std::vector<int64_t>{50'000, 1'000'000, 10'000'000}[r.Below(3)];
            t.AddLink(a, b, bps, delay + (r.Below(2) ? r.Below(1000) : 0), r.Below(5) ? 0 : 0.01);
        };
        for (uint32_t i = 0; i < hosts; ++i)
        {
            t.AddHost();
        }
        for (uint32_t i = 0; i < switches; ++i)
        {
            t.AddSwitch();
            if (i > 0)
            {
                link(hosts + r.Below(i), hosts + i);
                link(hosts + r.Below(i), hosts + i);
            }
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            link(i, hosts + r.Below(switches));
        }
        return t;
    }

    static void RandomSettings(FabricRandom& r, RawFabric& f)
    {
        f.flow.Set("LosslessClasses", UintegerValue(r.Below(2) ? 8 : 1 + r.Below(255)));
        f.flow.Set("PauseQuanta", UintegerValue(r.Below(2) ? 65535 : 1 + r.Below(300)));
        f.flow.Set("ReactionTime", TimeValue(PicoSeconds(r.Below(2) ? 0 : r.Below(900'000))));
        f.buffer.Set("Alpha", DoubleValue(std::ldexp(1.0, static_cast<int>(r.Below(9)) - 4)));
        f.buffer.Set("ResumeOffset", UintegerValue(r.Below(6000)));
        f.buffer.Set("ReservedPerClass", UintegerValue(r.Below(2) ? 0 : 4096));
        f.buffer.Set("StaticThreshold", UintegerValue(r.Below(3) ? 0 : 3000 + r.Below(30000)));
        f.buffer.Set("MaxFrameBytes", UintegerValue(1500));
        f.buffer.Set("HeadroomPerClass", UintegerValue(r.Below(2) ? 0 : 100 + r.Below(20000)));
        f.marker.Set("MinThreshold", UintegerValue(10000));
        f.marker.Set("MaxThreshold", UintegerValue(50000));
        f.marker.Set("MarkOnEnqueue", BooleanValue(r.Below(2)));
        f.scheduler.Set("StrictClasses", UintegerValue(r.Below(256)));
        f.gapBytes = r.Below(2) * 20;
    }

    /** @brief The least buffer that adds up, found from the refusal, and a little more. */
    static uint64_t SmallestBuffer(const RawFabric& proto, const FabricTopology& t)
    {
        RawFabric f;
        f.flow = proto.flow;
        f.buffer = proto.buffer;
        f.buffer.Set("Size", UintegerValue(1ULL << 38));
        f.Build(t);
        uint64_t fixed = 0;
        for (const auto& sw : f.switches)
        {
            const SwitchBufferBudget& b = sw->GetBuffer()->GetBudget();
            UintegerValue perClass;
            sw->GetBuffer()->GetAttribute("StaticThreshold", perClass);
            fixed = std::max(fixed,
                             b.reserved + b.headroom + b.lastFrames +
                                 sw->GetNPorts() * 8 * perClass.Get());
        }
        return fixed;
    }

    static void RandomLoad(FabricRandom& r, RawFabric& f)
    {
        const auto n = static_cast<uint32_t>(f.hosts.size());
        const bool aligned = r.Below(2);
        const uint32_t sink = r.Below(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t j = 2 + r.Below(4); j > 0; --j)
            {
                const FabricPs start = aligned ? 1000 : r.Below(20'000'000);
                const uint32_t dst = r.Below(2) ? sink : r.Below(n);
                const uint32_t bytes = r.Below(2) ? 1036 : 64 + r.Below(1437);
                const uint8_t vl = r.Below(2) ? 3 : r.Below(8);
                if (dst != i)
                {
                    f.hosts[i]->Send({start, dst, bytes, 1 + r.Below(150), vl, r.Below(1U << 30)});
                }
            }
        }
    }

    /** @brief Fail and restore some links while traffic flows. */
    static void RandomFailures(FabricRandom& r, RawFabric& f)
    {
        for (uint32_t i = r.Below(4); i > 0; --i)
        {
            Ptr<FabricSwitch> sw = f.switches[r.Below(static_cast<uint32_t>(f.switches.size()))];
            const auto port = static_cast<uint16_t>(r.Below(sw->GetNPorts()));
            const FabricPs down = 1'000'000 + r.Below(30'000'000);
            const FabricPs up = down + 1 + r.Below(30'000'000);
            Simulator::Schedule(PicoSeconds(down), &FabricStation::SetLinkUp, sw, port, false);
            Simulator::Schedule(PicoSeconds(up), &FabricStation::SetLinkUp, sw, port, true);
        }
    }

    Result Run(uint64_t seed, bool eager)
    {
        Result result;
        {
            FabricRandom r(seed, 0);
            RawFabric f;
            f.eager = eager;
            const FabricTopology t = RandomTopology(r);
            RandomSettings(r, f);
            const uint64_t fixed = SmallestBuffer(f, t);
            f.buffer.Set("Size", UintegerValue(fixed + 2000 + r.Below(300000)));
            f.Build(t);
            RandomLoad(r, f);
            if (r.Below(3) == 0)
            {
                RandomFailures(r, f);
            }
            Simulator::Stop(MilliSeconds(3));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "seed " << seed);
            result.xoff = f.Sum(&FabricClassStats::xoffTx);
            result.marks = f.Sum(&FabricClassStats::ceMarks);
            result.trajectory = FabricStation::Trajectory();
            for (const auto& sw : f.switches)
            {
                result.headroom = std::max(result.headroom, sw->GetBuffer()->GetMaxHeadroomUsed());
            }
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak, seed " << seed);
        return result;
    }

    void DoRun() override
    {
        const uint64_t seeds = getenv("AI_FABRIC_LONG") != nullptr ? 3000 : 150;
        uint64_t hops = 0;
        uint64_t wakes = 0;
        uint64_t xoff = 0;
        for (uint64_t seed = 1; seed <= seeds && !IsStatusFailure(); ++seed)
        {
            const Result lazy = Run(seed, false);
            const Result eager = Run(seed, true);
            NS_TEST_EXPECT_MSG_EQ(lazy.trajectory.digest, eager.trajectory.digest, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(lazy.trajectory.dropped,
                                  eager.trajectory.dropped,
                                  "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(lazy.xoff, eager.xoff, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(lazy.marks, eager.marks, "seed " << seed);
            NS_TEST_EXPECT_MSG_EQ(lazy.headroom, eager.headroom, "seed " << seed);
            hops += lazy.trajectory.hops;
            wakes += lazy.trajectory.wakes;
            xoff += lazy.xoff;
        }
        NS_TEST_EXPECT_MSG_GT(xoff, seeds, "the scenarios must stress flow control");
        NS_LOG_INFO(seeds << " random runs: hops " << hops << " xoff " << xoff << " events/hop "
                          << double(wakes) / double(hops));
    }
};

/** @brief Same seed, same digest; and nothing left behind however a run ends. */
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase()
        : TestCase("the same run twice in one process is the same; another seed is another run")
    {
    }

  private:
    FabricTrajectory Run(uint64_t run, const Time& stop)
    {
        RngSeedManager::SetRun(run);
        FabricTrajectory result;
        {
            RawFabric f;
            f.buffer.Set("Size", UintegerValue(700000));
            f.marker.Set("MinThreshold", UintegerValue(10000));
            f.marker.Set("MaxThreshold", UintegerValue(40000));
            f.Build(Tree(4));
            LoadIncast(f, 200, true);
            if (stop.IsZero())
            {
                f.Run();
            }
            else
            {
                Simulator::Stop(stop);
                Simulator::Run();
            }
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "stopped at " << stop.As(Time::US));
            result = FabricStation::Trajectory();
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
        return result;
    }

    void DoRun() override
    {
        const FabricTrajectory first = Run(1, Time(0));
        for (uint32_t i = 0; i < 3; ++i)
        {
            // a run cut in mid-flight between them must leave no trace
            Run(7, MicroSeconds(3 + 5 * i));
            const FabricTrajectory again = Run(1, Time(0));
            NS_TEST_EXPECT_MSG_EQ(again.digest, first.digest, "digest of the same run");
            NS_TEST_EXPECT_MSG_EQ(again.wakes, first.wakes, "its events");
        }
        NS_TEST_EXPECT_MSG_NE(Run(2, Time(0)).digest, first.digest, "another seed");
        RngSeedManager::SetRun(1);
    }
};

/** @brief The engine takes no memory once it has warmed up. */
class NoHeapTestCase : public TestCase
{
  public:
    NoHeapTestCase()
        : TestCase("no heap traffic in steady state: incast under PFC and ECN")
    {
    }

  private:
    void DoRun() override
    {
        // ns-3's default scheduler allocates for each event; this one keeps a plain vector
        ObjectFactory scheduler("ns3::PriorityQueueScheduler");
        Simulator::SetScheduler(scheduler);
        RawFabric f;
        f.buffer.Set("Size", UintegerValue(700000));
        f.marker.Set("MinThreshold", UintegerValue(10000));
        f.marker.Set("MaxThreshold", UintegerValue(40000));
        f.Build(Tree(4));
        const auto n = static_cast<uint32_t>(f.hosts.size());
        for (uint32_t i = 0; i < n - 1; ++i)
        {
            f.hosts[i]->Send({i * 1000, n - 1, 1036, 100'000, 3, i});
            f.hosts[i]->Send({i * 1000, (i + 5) % n, 700, 100'000, 0, i + 100});
        }
        uint64_t from = 0;
        uint64_t to = 0;
        uint64_t hopsFrom = 0;
        uint64_t hopsTo = 0;
        // to warm up: pool, rings and the event queue reach the sizes that this load needs
        Simulator::Schedule(MilliSeconds(2), [&] {
            from = HeapCount::GetCalls();
            hopsFrom = FabricStation::Trajectory().hops;
        });
        Simulator::Schedule(MilliSeconds(3), [&] {
            to = HeapCount::GetCalls();
            hopsTo = FabricStation::Trajectory().hops;
        });
        Simulator::Stop(MilliSeconds(3) + MicroSeconds(1));
        Simulator::Run();
        if (HeapCount::IsActive())
        {
            NS_TEST_EXPECT_MSG_EQ(to - from, 0, "allocations in " << hopsTo - hopsFrom << " hops");
        }
        NS_TEST_EXPECT_MSG_GT(hopsTo - hopsFrom, 100'000, "a busy interval");
        NS_TEST_EXPECT_MSG_GT(f.Sum(&FabricClassStats::xoffTx), 1000, "with flow control");
        NS_TEST_EXPECT_MSG_GT(f.Sum(&FabricClassStats::ceMarks), 1000, "and marks");
        uint64_t ring = 0;
        for (const auto& sw : f.switches)
        {
            for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
            {
                ring = std::max<uint64_t>(ring, sw->GetPort(i).pending.GetCapacity());
            }
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(ring, 1024, "what is on its way fits a small ring");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

/** @brief The suite. */
class AiFabricEngineTestSuite : public TestSuite
{
  public:
    AiFabricEngineTestSuite()
        : TestSuite("ai-fabric-engine", Type::UNIT)
    {
        AddTestCase(new OracleTestCase);
        AddTestCase(new RandomOracleTestCase);
        AddTestCase(new RepeatTestCase);
        AddTestCase(new NoHeapTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricEngineTestSuite g_aiFabricEngineTestSuite; //!< the instance

} // namespace
