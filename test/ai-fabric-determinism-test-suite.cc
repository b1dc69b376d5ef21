/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Whole fabrics: the same run twice, lazily and eagerly, and alone against the closed form.
 */

#include "fabric-scenario.h"

#include "ns3/boolean.h"
#include "ns3/chain-builder.h"
#include "ns3/config.h"
#include "ns3/fat-tree-builder.h"
#include "ns3/flow-size-cdf.h"
#include "ns3/flow-traffic-generator.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps

/** @brief What a run leaves behind. */
struct Outcome
{
    FabricTrajectory trajectory; //!< every hop
    uint64_t results{0};         //!< digest of the flows' results
    uint32_t flows{0};           //!< asked for
    uint32_t finished{0};        //!< of those
    uint64_t cnps{0};            //!< received by senders
    uint32_t leaked{0};          //!< packets still alive at the end
};

/** @brief Read the counters and end the run. */
Outcome
Finish(std::unique_ptr<FabricScenario> s)
{
    s->Run();
    Outcome o;
    o.trajectory = FabricStation::Trajectory();
    o.results = s->ResultDigest();
    o.flows = s->app->GetNFlows();
    o.finished = s->Finished();
    for (uint32_t i = 0; i < s->fabric.GetNEndpoints(); ++i)
    {
        o.cnps += s->fabric.GetNic(i)->GetCounters().cnpsRx;
    }
    s.reset();
    o.leaked = FabricPacketPool::Get().GetInUse();
    return o;
}

/**
 * @brief k=4 fat-tree, WebSearch at half load, DCQCN and PFC.
 * @param arrivals time of arrivals, ps
 */
Outcome
FatTree(FabricPs arrivals)
{
    auto s = std::make_unique<FabricScenario>();
    s->SetRed(20'000, 200'000, 0.1, false);
    s->Build(FatTreeBuilder(FatTreeBuilder::Parameters()).Build());
    s->UseDcqcn("paper2015");
    FlowTrafficGenerator::Parameters p;
    for (uint32_t i = 0; i < 16; ++i)
    {
        p.hosts.push_back(i);
    }
    p.durationPs = arrivals;
    const FlowList list = FlowTrafficGenerator(p).Poisson(FlowSizeCdf::Get("websearch"));
    for (const FlowRecord& flow : list.flows)
    {
        s->AddFlow(flow.src, flow.dst, flow.bytes, flow.startPs);
    }
    return Finish(std::move(s));
}

/** @brief 16:1 incast under DCQCN with a buffer small enough for PFC. */
Outcome
Incast()
{
    auto s = std::make_unique<FabricScenario>();
    s->UseHpccSwitches(4 << 20);
    s->SetRed(20'000, 200'000, 0.1, false);
    s->Build(FabricScenario::Star(17, 100 * GIGA, US));
    s->UseDcqcn("paper2015");
    for (uint32_t i = 0; i < 16; ++i)
    {
        s->AddFlow(i, 16, 500'000);
    }
    return Finish(std::move(s));
}

/** @brief Same seed, same run; other seed, other run; nothing left over. */
class RepeatTestCase : public TestCase
{
  public:
    RepeatTestCase()
        : TestCase("ten runs of one seed are one trajectory; another seed is another")
    {
    }

  private:
    void DoRun() override
    {
        const FabricPs arrivals = 200 * US;
        const int runs = FabricScenario::Scale() < 1 ? 3 : 10;
        const Outcome first = FatTree(arrivals);
        NS_TEST_EXPECT_MSG_GT(first.flows, 0, "flows");
        for (int run = 1; run < runs; ++run)
        {
            // another history of the heap: addresses must not matter
            const std::vector<std::vector<char>> ballast(run * 17, std::vector<char>(run * 4097));
            const Outcome again = FatTree(arrivals);
            NS_TEST_EXPECT_MSG_EQ(again.trajectory.digest, first.trajectory.digest, "run " << run);
            NS_TEST_EXPECT_MSG_EQ(again.trajectory.hops, first.trajectory.hops, "run " << run);
            NS_TEST_EXPECT_MSG_EQ(again.results, first.results, "run " << run);
            NS_TEST_EXPECT_MSG_EQ(again.finished, again.flows, "flows");
            NS_TEST_EXPECT_MSG_EQ(again.leaked, 0, "packets left");
        }
        RngSeedManager::SetRun(2);
        const Outcome other = FatTree(arrivals);
        RngSeedManager::SetRun(1);
        NS_TEST_EXPECT_MSG_NE(other.trajectory.digest, first.trajectory.digest, "other seed");
        NS_TEST_EXPECT_MSG_NE(other.results, first.results, "other seed");
    }
};

/** @brief The oracle on whole fabrics, and events per packet-hop. */
class WholeOracleTestCase : public TestCase
{
  public:
    WholeOracleTestCase()
        : TestCase("lazy equals eager with queue pairs, ACKs and DCQCN; events per hop")
    {
    }

  private:
    template <typename F>
    Outcome Compare(const std::string& name, F scenario)
    {
        const Outcome lazy = scenario();
        Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(true));
        const Outcome eager = scenario();
        Config::SetDefault("ns3::FabricStation::EagerArrivals", BooleanValue(false));
        const double events =
            static_cast<double>(lazy.trajectory.wakes) / static_cast<double>(lazy.trajectory.hops);
        AI_FABRIC_NOTE(name << ": " << lazy.flows << " flows, " << lazy.trajectory.hops << " hops, "
                            << events << " events a hop, " << lazy.cnps << " CNPs");
        NS_TEST_EXPECT_MSG_EQ(lazy.trajectory.digest, eager.trajectory.digest, name);
        NS_TEST_EXPECT_MSG_EQ(lazy.trajectory.hops, eager.trajectory.hops, name);
        NS_TEST_EXPECT_MSG_EQ(lazy.results, eager.results, name);
        NS_TEST_EXPECT_MSG_EQ(lazy.finished, lazy.flows, name);
        NS_TEST_EXPECT_MSG_EQ(lazy.leaked + eager.leaked, 0, name);
        NS_TEST_EXPECT_MSG_GT(eager.trajectory.wakes, lazy.trajectory.wakes, "it was eager");
        return lazy;
    }

    void DoRun() override
    {
        const double scale = FabricScenario::Scale();
        const auto arrivals = static_cast<FabricPs>(1000 * US * scale);
        const Outcome tree = Compare("fat-tree", [arrivals]() { return FatTree(arrivals); });
        const Outcome star = Compare("incast", Incast);
        NS_TEST_EXPECT_MSG_GT(star.cnps, 0, "DCQCN acts");
        if (scale == 1)
        {
            NS_TEST_EXPECT_MSG_GT(tree.cnps, 0, "DCQCN acts");
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(static_cast<double>(tree.trajectory.wakes),
                                    1.1 * static_cast<double>(tree.trajectory.hops),
                                    "events");
    }
};

/** @brief A flow alone takes its closed form. */
class IdleTestCase : public TestCase
{
  public:
    IdleTestCase()
        : TestCase("idle FCT of 20 sizes over 2 to 6 links is the closed form, to the picosecond")
    {
    }

  private:
    /** @brief The formula of IdealFct's description, for rates with whole picoseconds a byte. */
    static FabricPs Formula(const FrameProfile& f, uint64_t bytes, FabricPs k, FabricPs psPerByte)
    {
        const auto n = static_cast<FabricPs>(bytes == 0 ? 1 : (bytes - 1) / 1000 + 1);
        const auto last = static_cast<uint32_t>(bytes - static_cast<uint64_t>(n - 1) * 1000);
        const FabricPs w = f.WireBytes(BTH_RC_WRITE_MIDDLE, 1000);
        if (n == 1)
        {
            return k * (US + psPerByte * f.WireBytes(BTH_RC_WRITE_ONLY, last));
        }
        const FabricPs e = f.WireBytes(BTH_RC_WRITE_FIRST, 1000) - w;
        const FabricPs l = f.WireBytes(BTH_RC_WRITE_LAST, last);
        return k * US + psPerByte * (k * (w + e) + (n - 2) * w + l);
    }

    void Check(const std::string& profile, uint64_t gbps, uint32_t links)
    {
        const uint64_t sizes[] = {0,     1,      2,      64,     100,       999,       1000,
                                  1001,  1500,   1999,   2000,   2001,      4096,      10'000,
                                  12345, 65'536, 99'999, 100'000, 1'000'000, 10'000'000};
        ChainBuilder::Parameters p;
        p.switches = links - 1;
        p.hostsPerSwitch = links == 2 ? 2 : 1;
        p.hostLink.rateBps = p.switchLink.rateBps = gbps * GIGA;
        FabricScenario s;
        s.fabric.SetFrameProfile(profile);
        s.Build(ChainBuilder(p).Build());
        const uint32_t to = links == 2 ? 1 : links - 2;
        FabricPs start = 1234;
        for (const uint64_t bytes : sizes)
        {
            s.AddFlow(0, to, bytes, start);
            start += 2000 * US + 7;
        }
        s.Run();
        for (uint32_t i = 0; i < 20; ++i)
        {
            const RdmaFlowResult r = s.Get(i);
            const IdealFct::Times ideal = s.rdma->GetIdeal(0, to, sizes[i]);
            const std::string what = profile + " " + std::to_string(gbps) + "G " +
                                     std::to_string(links) + " links " + std::to_string(sizes[i]) +
                                     " B";
            NS_TEST_EXPECT_MSG_EQ(r.rxAt - r.start, ideal.rx, what);
            NS_TEST_EXPECT_MSG_EQ(r.ackAt - r.start, ideal.ack, what << ", slowdown 1.000");
            if (gbps == 100)
            {
                const FabricPs rx = Formula(FrameProfile::Get(profile), sizes[i], links, 80);
                NS_TEST_EXPECT_MSG_EQ(r.rxAt - r.start, rx, what << ", formula");
            }
        }
    }

    void DoRun() override
    {
        for (const char* profile : {"rocev2", "hpcc"}) // with and without preamble and gap
        {
            for (const uint64_t gbps : {100, 123})
            {
                for (uint32_t links = 2; links <= 6; ++links)
                {
                    Check(profile, gbps, links);
                }
            }
        }
    }
};

/**
 * @brief The suite.
 */
class AiFabricDeterminismTestSuite : public TestSuite
{
  public:
    AiFabricDeterminismTestSuite()
        : TestSuite("ai-fabric-determinism", Type::SYSTEM)
    {
        AddTestCase(new RepeatTestCase);
        AddTestCase(new WholeOracleTestCase);
        AddTestCase(new IdleTestCase);
    }

  private:
    void DoSetup() override
    {
        FabricScenario::UsePicoseconds();
    }
};

AiFabricDeterminismTestSuite g_aiFabricDeterminismTestSuite; //!< the instance

} // namespace
