/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fat-tree-builder.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps in a microsecond

FabricTopology
Tree(uint32_t k)
{
    FatTreeBuilder::Parameters parameters;
    parameters.k = k;
    return FatTreeBuilder(parameters).Build();
}

/** @brief fault 9: ECMP spreads flows over all cores and keeps each on its path. */
class EcmpTestCase : public TestCase
{
  public:
    EcmpTestCase()
        : TestCase("fault 9: ECMP gives each core its share, and a flow never changes its path")
    {
    }

  private:
    void OnRx(FabricSwitch* core, const FabricPacket& p, uint16_t, FabricPs)
    {
        m_coreOf[p.flowHash].insert(core);
    }

    std::map<uint32_t, std::set<FabricSwitch*>> m_coreOf; //!< cores that a flow has crossed

    void DoRun() override
    {
        RawFabric f;
        const FabricTopology tree = Tree(4);
        f.Build(tree);
        std::vector<FabricSwitch*> cores;
        size_t sw = 0;
        for (const auto& node : tree.GetNodes())
        {
            if (node.role == FabricTopology::Role::SWITCH)
            {
                if (node.tier == 3)
                {
                    cores.push_back(PeekPointer(f.switches[sw]));
                    cores.back()->TraceConnectWithoutContext(
                        "Rx",
                        MakeCallback(&EcmpTestCase::OnRx, this).Bind(cores.back()));
                }
                ++sw;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(cores.size(), 4, "k = 4");
        for (uint32_t i = 0; i < 1024; ++i)
        {
            const uint32_t src = i % 16;
            const uint32_t dst = (src / 4 + 1 + i / 16 % 3) % 4 * 4 + i / 48 % 4;
            NS_TEST_ASSERT_MSG_NE(src / 4, dst / 4, "between pods");
            for (FabricPs start : {FabricPs{0}, 200 * US, 400 * US})
            {
                const auto hash = static_cast<uint32_t>(FabricRandom::Mix(i + 1));
                f.hosts[src]->Send({start, dst, 1036, 1, 3, hash});
            }
        }
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().delivered, 3072, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(m_coreOf.size(), 1024, "each flow crosses the core");
        std::map<FabricSwitch*, uint32_t> flows;
        uint32_t moved = 0;
        for (const auto& [hash, crossed] : m_coreOf)
        {
            moved += crossed.size() != 1;
            ++flows[*crossed.begin()];
        }
        NS_TEST_EXPECT_MSG_EQ(moved, 0, "flows that changed their path");
        for (FabricSwitch* core : cores)
        {
            // 3 sigma of a binomial with n = 1024, p = 1/4
            NS_TEST_EXPECT_MSG_EQ_TOL(flows[core], 256, 42, core->GetName());
        }
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

/** @brief fault 10: no table of fixed size. */
class ManyPortsTestCase : public TestCase
{
  public:
    ManyPortsTestCase()
        : TestCase("fault 10: one switch with 300 hosts, a flow to each")
    {
    }

  private:
    void DoRun() override
    {
        RawFabric f;
        f.Build(RawFabric::Star(300, 100 * GIGA, US));
        for (uint32_t i = 1; i < 300; ++i)
        {
            f.hosts[0]->Send({0, i, 1036, 10, 3, i});
        }
        f.Run();
        for (uint32_t i = 1; i < 300; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(f.hosts[i]->rxBytes, 10360, "host " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

/** @brief fault 14: the test that real switches must pass. */
class EcnAccuracyTestCase : public TestCase
{
  public:
    EcnAccuracyTestCase()
        : TestCase("fault 14: marks follow the RED line, judged on leaving the queue")
    {
    }

  private:
    void Check(uint32_t seed, bool onEnqueue)
    {
        RngSeedManager::SetRun(seed);
        RawFabric f;
        f.flow.Set("LosslessClasses", UintegerValue(0));
        f.buffer.Set("Alpha", DoubleValue(8));
        f.marker.Set("MinThreshold", UintegerValue(500'000));
        f.marker.Set("MaxThreshold", UintegerValue(2'000'000));
        f.marker.Set("MaxProbability", DoubleValue(0.05));
        f.marker.Set("MarkOnEnqueue", BooleanValue(onEnqueue));
        f.Build(RawFabric::Star(2, 100 * GIGA, US));
        TxLog log(f.switches[0]);
        const uint32_t packets = 2010; // Kmax + 10 packets of 1 KB
        RawFabric::Pause(f.switches[0]->GetPort(1), 0xff, 65535, 1);
        f.hosts[0]->Send({0, 1, 1000, packets, 3, 1});
        f.Run();
        NS_TEST_ASSERT_MSG_EQ(log.frames.size(), packets, "all leave");
        NS_TEST_EXPECT_MSG_GT(log.frames[0].start, 300 * US, "the queue was whole before");
        uint32_t marks = 0;
        uint32_t first = 0;
        uint32_t last = 0;
        for (uint32_t i = 0; i < packets; ++i)
        {
            const bool ce = log.frames[i].flags & FABRIC_CE;
            marks += ce;
            first += ce && i < 10;
            last += ce && i >= packets - 500;
        }
        if (onEnqueue)
        {
            // the mirror image: the first 500 found a queue below Kmin
            uint32_t early = 0;
            for (uint32_t i = 0; i < 500; ++i)
            {
                early += (log.frames[i].flags & FABRIC_CE) != 0;
            }
            NS_TEST_EXPECT_MSG_EQ(early, 0, "the first 500 found a short queue");
            m_onEnqueue += marks;
            return;
        }
        // 10 above Kmax, and 0.05 x (mean 1/2) x 1500 on the line: 47.5; 3 sigma
        NS_TEST_EXPECT_MSG_GT_OR_EQ(marks, 29, "marks, seed " << seed);
        NS_TEST_EXPECT_MSG_LT_OR_EQ(marks, 66, "marks, seed " << seed);
        NS_TEST_EXPECT_MSG_EQ(first, 10, "the first ten leave a queue above Kmax");
        NS_TEST_EXPECT_MSG_EQ(last, 0, "the last 500 leave a queue below Kmin");
        m_onLeaving += marks;
    }

    uint64_t m_onLeaving{0}; //!< marks over all seeds, judged on leaving
    uint64_t m_onEnqueue{0}; //!< marks over all seeds, judged on entering

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            Check(seed, false);
            Simulator::Destroy();
            Check(seed, true);
            Simulator::Destroy();
        }
        // variance of a run: sum p (1 - p) = 36.25; of the mean of 20: 1.81; 3 sigma are 4.04. On
        // entering, a packet does not count itself, so one fewer is above Kmax.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(m_onLeaving) / 20, 47.5, 4.04, "on leaving");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(m_onEnqueue) / 20, 46.5, 4.04, "on entering");
        RngSeedManager::SetRun(1);
    }
};

/** @brief fault 12: edges of the RED line, and thresholds at any rate. */
class EcnScalingTestCase : public TestCase
{
  public:
    EcnScalingTestCase()
        : TestCase("fault 12: ECN thresholds scale with the rate; the line's edges")
    {
    }

  private:
    void DoRun() override
    {
        const auto marker = CreateObject<RedEcnMarker>();
        for (uint64_t rate : {10, 25, 40, 100, 123, 400, 800})
        {
            marker->SetRate(FabricRate(rate * GIGA));
            NS_TEST_EXPECT_MSG_EQ(marker->GetEffectiveMin(), 4000 * rate, "Kmin at " << rate);
            NS_TEST_EXPECT_MSG_EQ(marker->GetEffectiveMax(), 16000 * rate, "Kmax at " << rate);
        }
        marker->SetRate(FabricRate(100 * GIGA));
        NS_TEST_EXPECT_MSG_EQ(marker->GetProbability(400'000), 0.0, "at Kmin");
        NS_TEST_EXPECT_MSG_EQ_TOL(marker->GetProbability(1'000'000), 0.1, 1e-12, "half way");
        NS_TEST_EXPECT_MSG_EQ_TOL(marker->GetProbability(1'600'000), 0.2, 1e-12, "at Kmax");
        NS_TEST_EXPECT_MSG_EQ(marker->GetProbability(1'600'001), 1.0, "above Kmax");
        FabricRandom random(1, 1);
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < 1000; ++i)
        {
            wrong += marker->ShouldMark(400'000, random);
            wrong += !marker->ShouldMark(1'600'001, random);
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "never at Kmin, always above Kmax");
    }
};

/** @brief Class scheduling at a saturated port. */
class SchedulingTestCase : public TestCase
{
  public:
    SchedulingTestCase()
        : TestCase("DWRR shares, strict priority, and no penalty for having been alone")
    {
    }

  private:
    void CheckShares()
    {
        RawFabric f;
        f.scheduler.Set("Weights", StringValue("1 3 1 1 1 1 1 1"));
        f.Build(RawFabric::Star(2, 100 * GIGA, US));
        TxLog log(f.hosts[0]);
        // frames of unlike length: shares are of bytes, not of frames
        f.hosts[0]->Send({0, 1, 1500, 3000, 1, 1});
        f.hosts[0]->Send({0, 1, 300, 3000, 2, 2});
        f.Run();
        int64_t sent[FABRIC_CLASSES]{};
        int64_t worst = 0;
        for (const auto& frame : log.frames)
        {
            sent[frame.vl] += frame.bytes;
            if (sent[1] == 3000 * 1500 || sent[2] == 3000 * 300)
            {
                break; // from here on one class is alone
            }
            worst = std::max<int64_t>(worst, std::abs(sent[1] - 3 * sent[2]));
        }
        // a round earns 4500 and 1500 bytes and may overdraw by one frame each
        NS_TEST_EXPECT_MSG_LT_OR_EQ(worst, 4500 + 1500 + 3 * 300, "3:1 at every moment");
    }

    void CheckAlone()
    {
        RawFabric f;
        f.Build(RawFabric::Star(2, 100 * GIGA, US));
        TxLog log(f.hosts[0]);
        f.hosts[0]->Send({0, 1, 1500, 2000, 1, 1});
        f.hosts[0]->Send({120 * US, 1, 1500, 500, 2, 2});
        f.Run();
        uint32_t of[FABRIC_CLASSES]{};
        uint32_t worst = 0;
        for (const auto& frame : log.frames)
        {
            if (frame.start >= 120 * US && of[2] < 499)
            {
                ++of[frame.vl];
                worst = std::max(worst, of[1] > of[2] ? of[1] - of[2] : of[2] - of[1]);
            }
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(worst, 2, "equal shares from the first frame on");
    }

    void CheckStrict()
    {
        RawFabric f;
        f.Build(RawFabric::Star(2, 100 * GIGA, US));
        TxLog log(f.hosts[0]);
        f.hosts[0]->Send({0, 1, 1500, 2000, 1, 1});
        f.hosts[0]->Send({100 * US + 1, 1, 1000, 10, 6, 2});
        f.hosts[0]->Send({100 * US + 1, 1, 1000, 10, 7, 3});
        f.Run();
        const FabricPs frame = 120'000;
        const FabricPs first7 = log.FirstAfter(7, 0);
        NS_TEST_EXPECT_MSG_LT(first7 - 100 * US, frame + 1, "waits for one frame at most");
        NS_TEST_EXPECT_MSG_EQ(log.FirstAfter(6, 0), first7 + 10 * 80'000, "7 before 6");
        NS_TEST_EXPECT_MSG_EQ(log.FirstAfter(1, first7), first7 + 20 * 80'000, "6 before 1");
    }

    void DoRun() override
    {
        CheckShares();
        Simulator::Destroy();
        CheckAlone();
        Simulator::Destroy();
        CheckStrict();
        Simulator::Destroy();
    }
};

/** @brief The suite. */
class AiFabricSwitchTestSuite : public TestSuite
{
  public:
    AiFabricSwitchTestSuite()
        : TestSuite("ai-fabric-switch", Type::UNIT)
    {
        AddTestCase(new EcmpTestCase);
        AddTestCase(new ManyPortsTestCase);
        AddTestCase(new EcnAccuracyTestCase);
        AddTestCase(new EcnScalingTestCase);
        AddTestCase(new SchedulingTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricSwitchTestSuite g_aiFabricSwitchTestSuite; //!< the instance

} // namespace
