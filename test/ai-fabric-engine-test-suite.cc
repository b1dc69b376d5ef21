/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/chain-builder.h"
#include "ns3/double.h"
#include "ns3/fat-tree-builder.h"
#include "ns3/star-builder.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>

using namespace ns3;

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

FabricTopology
Star(uint32_t hosts, uint64_t rate, int64_t delayPs)
{
    FabricTopology t;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddHost();
    }
    const uint32_t sw = t.AddSwitch();
    for (uint32_t i = 0; i < hosts; ++i)
    {
        t.AddLink(i, sw, rate, delayPs);
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
            {"permutation", nullptr, [] { return Tree(4); },
             [](RawFabric& f) { LoadPermutation(f, 300, 1036, false); }},
            {"permutation in step", nullptr, [] { return EvenTree(4); },
             [](RawFabric& f) { LoadPermutation(f, 300, 1036, true); }},
            {"incast", small, [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"incast in step", small, [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"incast, marking on enqueue", enqueue, [] { return Tree(4, 5000); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"three lossless classes", manyClasses, [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, false); }},
            {"three lossless classes in step", manyClasses, [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"short pauses that expire", reaction, [] { return Tree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"static thresholds", fixed, [] { return EvenTree(4); },
             [](RawFabric& f) { LoadIncast(f, 200, true); }},
            {"star in step", small, [] { return Star(9, 123'000'000'000, 50'000); },
             [](RawFabric& f) { LoadIncast(f, 300, true); }},
            {"lossy links", small,
             [] {
                 FabricTopology t = Star(6, 100'000'000'000, 500'000);
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
            if (getenv("AI_FABRIC_VERBOSE"))
            {
                std::cout << s.name << ": hops " << lazy.hops << " drops " << lazy.dropped
                          << " xoff " << xoff << " marks " << marks << " events/hop "
                          << double(lazy.wakes) / double(lazy.hops) << " spurious "
                          << double(lazy.spurious) / double(lazy.hops) << " chores "
                          << double(lazy.chores) / double(lazy.hops) << " eager "
                          << double(eager.wakes) / double(eager.hops) << std::endl;
            }
        }
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
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricEngineTestSuite g_aiFabricEngineTestSuite; //!< the instance

} // namespace
