/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Published results about PFC alone and about buffers: B6 to B9, D12.
 */

#include "fabric-scenario.h"

#include "ns3/fabric-port.h"
#include "ns3/fabric-watchdog.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps
constexpr FabricPs MS = 1'000 * US;      //!< ps
constexpr uint64_t MIB = 1 << 20;        //!< bytes

constexpr uint8_t DATA = 3; //!< class of the data

/** @return the time, or less of it where only a part is to run */
FabricPs
Scaled(FabricPs time)
{
    return static_cast<FabricPs>(static_cast<double>(time) * FabricScenario::Scale());
}

/** @brief Times of the flows of an incast, microseconds from the start to the last ACK. */
struct Spread
{
    double first; //!< earliest
    double last;  //!< latest
};

/** @brief N flows to the last host of a star, all at once. */
Spread
Incast(FabricScenario& s, uint32_t senders, uint64_t bytes)
{
    for (uint32_t i = 0; i < senders; ++i)
    {
        s.AddFlow(i, senders, bytes);
    }
    s.Run();
    Spread spread{1e18, 0};
    for (uint32_t i = 0; i < senders; ++i)
    {
        const double us = static_cast<double>(s.Get(i).ackAt - s.Get(i).start) / US;
        spread.first = std::min(spread.first, us);
        spread.last = std::max(spread.last, us);
    }
    return spread;
}

/** @brief B6. */
class PfcIncastTestCase : public TestCase
{
  public:
    PfcIncastTestCase()
        : TestCase("B6: 16:1 x 1 MB at 100G by PFC alone")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t N = 16;
        FabricScenario s;
        s.UseHpccSwitches(4 * MIB);
        s.Build(FabricScenario::Star(N + 1, 100 * GIGA, US));
        const Spread fct = Incast(s, N, 1'000'000);
        const uint64_t queue = s.PortTo(N).stats.of[DATA].maxQueueBytes;
        AI_FABRIC_NOTE("B6 first " << fct.first << " last " << fct.last << " us, queue " << queue);
        // closed forms of the row: B' = buffer - 17 x headroom - 17 x reserve
        const double shared = 4.0 * MIB - 17 * 37'500.0 - 17 * 4096.0;
        const double maxQueue = N * (shared / (8 + N) + 4096) + N * 2e-6 * 100e9 / 8;
        const double last = N * 1e6 * 1.036 * 8 / 100e9 * 1e6 + 4.1;
        NS_TEST_EXPECT_MSG_EQ(s.Finished(), N, "all flows");
        NS_TEST_EXPECT_MSG_EQ_TOL(fct.last, last, 0.01 * last, "last FCT, us (1330)");
        NS_TEST_EXPECT_MSG_EQ_TOL(fct.first, 1307, 0.01 * 1307, "first FCT, us");
        NS_TEST_EXPECT_MSG_EQ_TOL(queue, maxQueue, 0.015 * maxQueue, "queue, bytes (2.790 MB)");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        NS_TEST_EXPECT_MSG_GT(s.Pauses(), 0, "PFC did it");
    }
};

/** @brief B7. */
class UnfairnessTestCase : public TestCase
{
  public:
    UnfairnessTestCase()
        : TestCase("B7: PFC shares by ingress port: three sixths and a half")
    {
    }

  private:
    void DoRun() override
    {
        FabricTopology t;
        for (uint32_t i = 0; i < 5; ++i)
        {
            t.AddHost(); // H1 to H4, R
        }
        const uint32_t a = t.AddSwitch("a");
        const uint32_t b = t.AddSwitch("b");
        for (uint32_t i = 0; i < 5; ++i)
        {
            t.AddLink(i, i < 3 ? a : b, 40 * GIGA, US);
        }
        t.AddLink(a, b, 40 * GIGA, US);
        FabricScenario s;
        s.UseHpccSwitches(12 * MIB);
        s.Build(t);
        for (uint32_t i = 0; i < 4; ++i)
        {
            s.AddFlow(i, 4, FabricScenario::ENDLESS);
        }
        const FabricPs from = Scaled(10 * MS);
        const FabricPs to = Scaled(30 * MS);
        s.Run(from);
        const auto before = s.Delivered();
        s.Run(to);
        const auto after = s.Delivered();
        const double published[] = {6.44, 6.44, 6.44, 19.3}; // Gb/s of payload
        for (uint32_t i = 0; i < 4; ++i)
        {
            const double gbps = static_cast<double>(after[i] - before[i]) * 8000 / (to - from);
            AI_FABRIC_NOTE("B7 H" << i + 1 << ' ' << gbps << " Gb/s");
            if (FabricScenario::Scale() == 1)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(gbps, published[i], 0.03 * published[i], "H" << i + 1);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
    }
};

/** @brief B8. */
class VictimTestCase : public TestCase
{
  public:
    VictimTestCase()
        : TestCase("B8: a victim flow gets an n-th although its own path is free")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t N = 2;
        FabricTopology t;
        for (uint32_t i = 0; i < N + 3; ++i)
        {
            t.AddHost(); // senders, V, R, VR
        }
        const uint32_t a = t.AddSwitch("a");
        const uint32_t b = t.AddSwitch("b");
        for (uint32_t i = 0; i < N + 3; ++i)
        {
            t.AddLink(i, i <= N ? a : b, 40 * GIGA, US);
        }
        t.AddLink(a, b, 100 * GIGA, US);
        FabricScenario s;
        s.UseHpccSwitches(12 * MIB);
        s.Build(t);
        for (uint32_t i = 0; i < N; ++i)
        {
            s.AddFlow(i, N + 1, FabricScenario::ENDLESS);
        }
        const uint32_t victim = s.AddFlow(N, N + 2, FabricScenario::ENDLESS);
        s.Run(Scaled(10 * MS));
        const auto before = s.Delivered();
        s.Run(Scaled(30 * MS));
        const double gbps =
            static_cast<double>(s.Delivered()[victim] - before[victim]) * 8000 / Scaled(20 * MS);
        AI_FABRIC_NOTE("B8 victim " << gbps << " Gb/s");
        if (FabricScenario::Scale() == 1)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(gbps, 19.3, 0.03 * 19.3, "victim, Gb/s");
        }
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
    }
};

/** @brief B9. */
class RingTestCase : public TestCase
{
  public:
    /**
     * @param ring route clockwise round a ring; else the same hosts on a tree
     */
    explicit RingTestCase(bool ring)
        : TestCase(ring ? "B9: three switches in a ring stop for good, and the circle is named"
                        : "B9: the same flows with up-down routes never stop"),
          m_ring(ring)
    {
    }

  private:
    static constexpr uint32_t HOSTS = 2; //!< at each of the three switches

    /** @brief Hosts at three switches, which are a ring, or below a fourth. */
    FabricTopology Topology() const
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
        const uint32_t root = m_ring ? 0 : t.AddSwitch("root", 2);
        for (uint32_t i = 0; i < 3 * HOSTS; ++i)
        {
            t.AddLink(i, 3 * HOSTS + i / HOSTS, 100 * GIGA, US);
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            t.AddLink(3 * HOSTS + i, m_ring ? 3 * HOSTS + (i + 1) % 3 : root, 100 * GIGA, US);
        }
        return t;
    }

    /** @brief Everything leaves a switch to the next one, unless it is for a host of its own. */
    static void RouteClockwise(const FabricHelper& fabric)
    {
        for (uint32_t sw = 0; sw < 3; ++sw)
        {
            for (uint32_t host = 0; host < 3 * HOSTS; ++host)
            {
                const bool own = host / HOSTS == sw;
                const uint32_t link = own ? host : 3 * HOSTS + sw;
                const uint16_t port = fabric.GetPortOfLink(link, own ? 1 : 0).second;
                fabric.GetSwitch(3 * HOSTS + sw)
                    ->GetForwardingTable()
                    .Set(fabric.GetEndpoint(host), {port});
            }
        }
    }

    static uint64_t Sum(const FabricScenario& s)
    {
        uint64_t sum = 0;
        for (const uint64_t bytes : s.Delivered())
        {
            sum += bytes;
        }
        return sum;
    }

    void DoRun() override
    {
        FabricScenario s;
        s.UseHpccSwitches(2 * MIB);
        s.Build(Topology());
        if (m_ring)
        {
            RouteClockwise(s.fabric);
        }
        for (uint32_t i = 0; i < 3 * HOSTS; ++i)
        {
            s.AddFlow(i, (i + 2 * HOSTS) % (3 * HOSTS), FabricScenario::ENDLESS);
        }
        std::string stall;
        FabricWatchdog watchdog(s.fabric, MilliSeconds(2));
        watchdog.Start([&s]() { return Sum(s); },
                       []() { return true; },
                       [&stall](const std::string& text) { stall = text; });
        s.Run(5 * MS);
        const uint64_t early = Sum(s);
        s.Run(9 * MS);
        const auto snapshot = FabricWatchdog::TakeSnapshot(s.fabric);
        const auto found = DeadlockFinder::Find(snapshot);
        const std::string circle = DeadlockFinder::Describe(snapshot, found);
        AI_FABRIC_NOTE("B9 " << early << " bytes, then " << Sum(s) - early << "; " << circle);
        NS_TEST_EXPECT_MSG_GT(early, 0, "something was delivered at first");
        NS_TEST_EXPECT_MSG_EQ((Sum(s) == early), m_ring, "bytes delivered in the last 4 ms");
        NS_TEST_EXPECT_MSG_EQ(found.cycle.size(), (m_ring ? 3 : 0), "circle of egresses");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        if (!m_ring)
        {
            NS_TEST_EXPECT_MSG_EQ(stall, "", "no stall");
            return;
        }
        NS_TEST_EXPECT_MSG_NE(stall.find("deadlock"), std::string::npos, stall);
        for (const char* name : {"switch s0", "switch s1", "switch s2", "class 3"})
        {
            NS_TEST_EXPECT_MSG_NE(circle.find(name), std::string::npos, circle);
            NS_TEST_EXPECT_MSG_NE(watchdog.GetDeadlock().find(name), std::string::npos, name);
        }
    }

    bool m_ring; //!< see the constructor
};

/**
 * @brief D12. The queue's closed form, N S 1.036 (1 - 1/N), has every sender at line rate to its
 * end: true of the HPCC line's rate machine with the paper's timers, whose first cut tick comes
 * 50 us after the first mark and so after the last byte. The paper's own machine cuts with the
 * first CNP, which must show as a shorter queue and must not cost the last flow anything.
 */
class NoPauseIncastTestCase : public TestCase
{
  public:
    NoPauseIncastTestCase()
        : TestCase("D12: 16:1 x 500 KB at 100G under DCQCN in a large buffer")
    {
    }

  private:
    static constexpr uint32_t N = 16; //!< senders

    uint64_t Run(const std::string& profile)
    {
        FabricScenario s;
        s.UseHpccSwitches(32 * MIB);
        s.SetRed(400'000, 1'600'000, 0.2, false);
        s.Build(FabricScenario::Star(N + 1, 100 * GIGA, US));
        s.UseDcqcn(profile);
        const bool fork = profile == "hpcc-fork";
        if (fork)
        {
            s.rdma->SetCongestionAttribute("AlphaPeriod", TimeValue(MicroSeconds(50)));
            s.rdma->SetCongestionAttribute("CutPeriod", TimeValue(MicroSeconds(50)));
            s.rdma->SetCongestionAttribute("TimeReset", TimeValue(MicroSeconds(55)));
        }
        const Spread fct = Incast(s, N, 500'000);
        const uint64_t queue = s.PortTo(N).stats.of[DATA].maxQueueBytes;
        AI_FABRIC_NOTE("D12 " << profile << ": first " << fct.first << " last " << fct.last
                              << " us, queue " << queue);
        const double last = N * 500e3 * 1.036 * 8 / 100e9 * 1e6 + 4.1;
        NS_TEST_EXPECT_MSG_EQ(s.Finished(), N, "all flows");
        NS_TEST_EXPECT_MSG_EQ_TOL(fct.last, last, 0.01 * last, "last FCT, us (667.2)");
        if (fork)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(fct.first, 666.8, 0.01 * 666.8, "first FCT, us");
        }
        NS_TEST_EXPECT_MSG_EQ(s.Pauses(), 0, "pauses");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        return queue;
    }

    void DoRun() override
    {
        const uint64_t fork = Run("hpcc-fork");
        NS_TEST_EXPECT_MSG_EQ_TOL(fork, 7.77e6, 0.03 * 7.77e6, "queue, bytes");
        NS_TEST_EXPECT_MSG_LT(Run("paper2015"), fork, "cut at once");
    }
};

/**
 * @brief The suite.
 */
class AiFabricPapersPfcTestSuite : public TestSuite
{
  public:
    AiFabricPapersPfcTestSuite()
        : TestSuite("ai-fabric-papers-pfc", Type::SYSTEM)
    {
        AddTestCase(new PfcIncastTestCase);
        AddTestCase(new UnfairnessTestCase);
        AddTestCase(new VictimTestCase);
        AddTestCase(new RingTestCase(true));
        AddTestCase(new RingTestCase(false));
        AddTestCase(new NoPauseIncastTestCase);
    }

  private:
    void DoSetup() override
    {
        FabricScenario::UsePicoseconds();
    }
};

AiFabricPapersPfcTestSuite g_aiFabricPapersPfcTestSuite; //!< the instance

} // namespace
