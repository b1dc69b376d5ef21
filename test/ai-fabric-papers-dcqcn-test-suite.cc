/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Published results about DCQCN on NICs, switches and links: D4, D6, fault 26, incast.
 */

#include "fabric-scenario.h"

#include "ns3/dcqcn-fixed-point.h"
#include "ns3/fabric-port.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/switch-buffer.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps
constexpr FabricPs MS = 1'000 * US;      //!< ps

constexpr uint8_t DATA = 3;      //!< class of the data
constexpr uint32_t FRAME = 1000; //!< bytes of a data frame, as in D1 to D6
constexpr uint32_t MTU = 964;    //!< its payload: frame profile hpcc adds 36

/**
 * @brief A mark reaches its sender 4 us later, as in D4: the marked frame leaves (a frame time) and
 * crosses one link, its CNP crosses two, each with a CNP's frame time. So
 * 3 delay = 4 us - frame - 2 CNP. With marking on entering the queue the queue's wait adds to it.
 * @param bps rate of every link
 * @return delay of every link, ps
 */
FabricPs
DelayForFeedback(uint64_t bps)
{
    const FabricRate rate(bps);
    return (4 * US - rate.TxTime(FRAME) - 2 * rate.TxTime(60)) / 3;
}

/** @brief N DCQCN senders on one link, frames of 1000 B. */
class Bottleneck
{
  public:
    /**
     * @param senders how many; the receiver is the host after them
     * @param bps rate of every link
     * @param onEnqueue where packets are marked
     * @param profile of DCQCN
     */
    Bottleneck(uint32_t senders, uint64_t bps, bool onEnqueue, const std::string& profile)
        : m_senders(senders),
          m_bps(static_cast<double>(bps))
    {
        s.fabric.SetFrameProfile("hpcc");
        s.fabric.SetNicAttribute("AckInterval", UintegerValue(64));
        s.SetRed(5'000, 200'000, 0.01, onEnqueue);
        s.Build(FabricScenario::Star(senders + 1, bps, DelayForFeedback(bps)));
        s.app->SetAttribute("Mtu", UintegerValue(MTU));
        s.UseDcqcn(profile);
    }

    FabricScenario s; //!< the run

    /** @return frame bits per second that each flow has delivered since the last call */
    std::vector<double> Rates()
    {
        const auto now = s.Delivered();
        std::vector<double> rates(now.size());
        const double seconds = static_cast<double>(FabricTime::Now() - m_at) * 1e-12;
        m_before.resize(now.size());
        for (size_t i = 0; i < now.size(); ++i)
        {
            rates[i] = static_cast<double>(now[i] - m_before[i]) * 8 * FRAME / MTU / seconds;
        }
        m_before = now;
        m_at = FabricTime::Now();
        return rates;
    }

    /**
     * @param rates bits per second
     * @return their sum as part of the link rate
     */
    double Utilisation(const std::vector<double>& rates) const
    {
        double sum = 0;
        for (const double rate : rates)
        {
            sum += rate;
        }
        return sum / m_bps;
    }

    /** @return the bottleneck port */
    FabricPort& Port() const
    {
        return s.PortTo(m_senders);
    }

  private:
    uint32_t m_senders;             //!< N
    double m_bps;                   //!< bottleneck, bits per second
    std::vector<uint64_t> m_before; //!< delivered at the last call
    FabricPs m_at{0};               //!< its time
};

/** @brief D4. */
class SteadyQueueTestCase : public TestCase
{
  public:
    /** @brief One row of D4. */
    struct Row
    {
        uint64_t gbps;    //!< link, Gb/s
        uint32_t senders; //!< N
        double low;       //!< published mean queue, KB
        double high;      //!< the same; equal to low where one number is given
        bool onEnqueue;   //!< where packets are marked
    };

    /**
     * @param row what to run
     */
    explicit SteadyQueueTestCase(const Row& row)
        : TestCase("D4: " + std::to_string(row.senders) + " flows at " + std::to_string(row.gbps) +
                   "G settle where the fixed point says, marked on " +
                   (row.onEnqueue ? "entering" : "leaving")),
          m_row(row)
    {
    }

  private:
    void DoRun() override
    {
        Bottleneck b(m_row.senders, m_row.gbps * GIGA, m_row.onEnqueue, "paper2015");
        for (uint32_t i = 0; i < m_row.senders; ++i)
        {
            b.s.AddFlow(i, m_row.senders, FabricScenario::ENDLESS);
        }
        const double scale = FabricScenario::Scale();
        const auto end = static_cast<FabricPs>(300 * MS * scale);
        const FabricPs from = end / 10 * 4;
        double sum = 0;
        uint64_t samples = 0;
        b.s.Every(from, 2 * US, [&]() {
            sum += static_cast<double>(b.Port().queueBytes[DATA]);
            ++samples;
        });
        b.s.Run(from);
        b.Rates();
        const FabricClassStats before = b.Port().stats.of[DATA];
        b.s.Run(end);
        const std::vector<double> rates = b.Rates();
        const FabricClassStats after = b.Port().stats.of[DATA];
        const double kb = sum / static_cast<double>(samples) / 1000;
        const double marks = static_cast<double>(after.ceMarks - before.ceMarks) /
                             static_cast<double>(after.txPackets - before.txPackets);
        const double used = b.Utilisation(rates);
        const double jain = FabricScenario::Jain(rates);
        AI_FABRIC_NOTE("D4 " << m_row.gbps << "G N=" << m_row.senders
                             << (m_row.onEnqueue ? " enqueue" : " dequeue") << ": mean queue " << kb
                             << " KB, marks " << marks << ", utilisation " << used << ", Jain "
                             << jain);
        NS_TEST_EXPECT_MSG_EQ(b.s.Drops(), 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(b.s.Pauses(), 0, "pauses");
        if (scale < 1)
        {
            return;
        }
        NS_TEST_EXPECT_MSG_GT(kb, m_row.low * 0.95, "mean queue, KB");
        NS_TEST_EXPECT_MSG_LT(kb, m_row.high * 1.05, "mean queue, KB");
        NS_TEST_EXPECT_MSG_GT(used, 0.997, "utilisation");
        NS_TEST_EXPECT_MSG_GT(jain, 0.995, "Jain");
        if (m_row.gbps == 40)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(marks, 1.06e-3, 0.08 * 1.06e-3, "marks a packet");
        }
    }

    Row m_row; //!< see the constructor
};

/**
 * @brief D6: a second flow starts at line rate.
 *
 * How far both fall depends on how often each is cut before the first queue is gone, a small
 * number: over the runs the first window takes levels 17.2, 22.1, 24.6, 27.0, 29.5 Gb/s and the
 * second 31.2, 35.8, 37.4, 38.7. D6's three seeds landed on two of them (22 to 25, 35.7 to 37.5).
 * So the rule is for the median of nine runs. Marked on entering as in D4: a mark waits in the
 * queue with its packet; where it does not, the sum hardly falls at all (38 Gb/s).
 */
class ConvergenceTestCase : public TestCase
{
  public:
    ConvergenceTestCase()
        : TestCase("D6: a second flow at 40G: both fall, then fill the link, fairly at once")
    {
    }

  private:
    static constexpr uint32_t WINDOWS = 5; //!< after the second flow's start
    static constexpr uint32_t RUNS = 9;    //!< odd

    std::vector<double> m_sum[WINDOWS];  //!< Gb/s, by run
    std::vector<double> m_jain[WINDOWS]; //!< by run

    void Run(uint32_t run)
    {
        RngSeedManager::SetRun(run);
        const auto window = static_cast<FabricPs>(10 * MS * FabricScenario::Scale());
        Bottleneck b(2, 40 * GIGA, true, "paper2015");
        b.s.AddFlow(0, 2, FabricScenario::ENDLESS);
        b.s.AddFlow(1, 2, FabricScenario::ENDLESS, 5 * window);
        b.s.Run(5 * window);
        b.Rates();
        for (uint32_t i = 0; i < WINDOWS; ++i)
        {
            b.s.Run((6 + i) * window);
            const auto rates = b.Rates();
            m_sum[i].push_back((rates[0] + rates[1]) / 1e9);
            m_jain[i].push_back(FabricScenario::Jain(rates));
        }
        NS_TEST_EXPECT_MSG_EQ(b.s.Drops(), 0, "drops");
    }

    static double Median(std::vector<double> values)
    {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }

    void DoRun() override
    {
        for (uint32_t run = 1; run <= RUNS; ++run)
        {
            Run(run);
        }
        RngSeedManager::SetRun(1);
        for (uint32_t i = 0; i < WINDOWS; ++i)
        {
            const double sum = Median(m_sum[i]);
            const double jain = Median(m_jain[i]);
            AI_FABRIC_NOTE("D6 window " << i << ": median " << sum << " Gb/s, Jain " << jain);
            if (FabricScenario::Scale() < 1)
            {
                continue;
            }
            const double low = i == 0 ? 22 : i == 1 ? 35.7 : 39.8;
            const double high = i == 0 ? 25 : i == 1 ? 37.5 : 40.01;
            NS_TEST_EXPECT_MSG_GT_OR_EQ(sum, low, "Gb/s in window " << i);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(sum, high, "Gb/s in window " << i);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(jain, (i < 2 ? 0.95 : 0.97), "window " << i);
        }
    }
};

/** @brief fault 26. */
class AdapterProfileTestCase : public TestCase
{
  public:
    AdapterProfileTestCase()
        : TestCase("fault 26: adapter defaults, 2:1 at 40G for 1 s")
    {
    }

  private:
    void DoRun() override
    {
        const double scale = FabricScenario::Scale();
        Bottleneck b(2, 40 * GIGA, false, "connectx");
        b.s.AddFlow(0, 2, FabricScenario::ENDLESS);
        b.s.AddFlow(1, 2, FabricScenario::ENDLESS);
        b.s.Run(static_cast<FabricPs>(900 * MS * scale));
        b.Rates();
        b.s.Run(static_cast<FabricPs>(1000 * MS * scale));
        const auto rates = b.Rates();
        AI_FABRIC_NOTE("fault 26: " << rates[0] / 1e9 << " + " << rates[1] / 1e9 << " Gb/s");
        NS_TEST_EXPECT_MSG_EQ(b.s.Drops(), 0, "drops");
        if (scale < 1)
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(rates[0] / 1e9, 20, 2, "Gb/s");
        NS_TEST_EXPECT_MSG_EQ_TOL(rates[1] / 1e9, 20, 2, "Gb/s");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(b.Utilisation(rates), 0.95, "link");
    }
};

/** @brief Incast with everything on: never a drop; fair wherever the fixed point is reachable. */
class FairIncastTestCase : public TestCase
{
  public:
    /** @brief One cell of the matrix. */
    struct Cell
    {
        uint32_t senders; //!< N
        uint64_t gbps;    //!< every link, Gb/s
        FabricPs delay;   //!< every link, ps
    };

    /**
     * @param cell what to run
     */
    explicit FairIncastTestCase(const Cell& cell)
        : TestCase("DCQCN incast " + std::to_string(cell.senders) + " to 1 at " +
                   std::to_string(cell.gbps) + "G, links of " + std::to_string(cell.delay / 1000) +
                   " ns: no drop, fair unless past the cliff"),
          m_cell(cell)
    {
    }

  private:
    DcqcnFixedPoint::Point FixedPoint() const
    {
        DcqcnFixedPoint::Input in;
        in.Use(RdmaDcqcnProfile::Get("paper2015"));
        in.link = DataRate(m_cell.gbps * GIGA);
        in.flows = m_cell.senders;
        return DcqcnFixedPoint(in).Published();
    }

    void DoRun() override
    {
        const uint64_t bps = m_cell.gbps * GIGA;
        const FabricTopology star = FabricScenario::Star(m_cell.senders + 1, bps, m_cell.delay);
        FabricScenario s;
        s.fabric.SetFrameProfile("hpcc");
        s.fabric.SetNicAttribute("AckInterval", UintegerValue(64));
        s.SetRed(5'000, 200'000, 0.01, true);
        s.fabric.SetBufferAttribute("MaxFrameBytes", UintegerValue(1100));
        // 16 MiB to share beside what the ports need
        SwitchBufferPort port{FabricRate(bps), m_cell.delay, 0, 1};
        const uint64_t each =
            CreateObject<SwitchBuffer>()->GetNeededHeadroom(port) + 4096;
        s.fabric.SetBufferAttribute("Size",
                                    UintegerValue((16 << 20) + (m_cell.senders + 1) * each));
        s.Build(star);
        s.app->SetAttribute("Mtu", UintegerValue(MTU));
        s.UseDcqcn("paper2015");
        for (uint32_t i = 0; i < m_cell.senders; ++i)
        {
            s.AddFlow(i, m_cell.senders, FabricScenario::ENDLESS);
        }
        const double scale = FabricScenario::Scale();
        s.Run(static_cast<FabricPs>(50 * MS * scale));
        const auto before = s.Delivered();
        s.Run(static_cast<FabricPs>(150 * MS * scale));
        const auto after = s.Delivered();
        std::vector<double> shares;
        for (size_t i = 0; i < after.size(); ++i)
        {
            shares.push_back(static_cast<double>(after[i] - before[i]));
        }
        const double jain = FabricScenario::Jain(shares);
        const auto point = FixedPoint();
        AI_FABRIC_NOTE(GetName() << ": Jain " << jain << ", pauses " << s.Pauses() << "; "
                                 << point.Describe());
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        if (point.verdict == DcqcnFixedPoint::Verdict::CLIFF)
        {
            NS_TEST_EXPECT_MSG_NE(point.Describe().find("cliff"), std::string::npos, "named");
        }
        else if (point.verdict == DcqcnFixedPoint::Verdict::STABLE_MARKING && scale == 1)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(jain, 0.99, "Jain over 100 ms");
        }
    }

    Cell m_cell; //!< see the constructor
};

/**
 * @brief The suite.
 */
class AiFabricPapersDcqcnTestSuite : public TestSuite
{
  public:
    AiFabricPapersDcqcnTestSuite()
        : TestSuite("ai-fabric-papers-dcqcn", Type::SYSTEM)
    {
        AddTestCase(new SteadyQueueTestCase({40, 2, 24.3, 24.6, true}));
        AddTestCase(new SteadyQueueTestCase({40, 2, 24.3, 24.6, false}));
        AddTestCase(new SteadyQueueTestCase({100, 2, 10.7, 10.7, true}));
        AddTestCase(new SteadyQueueTestCase({100, 4, 20.1, 20.1, true}));
        AddTestCase(new ConvergenceTestCase);
        AddTestCase(new AdapterProfileTestCase);
        AddIncasts();
    }

  private:
    void AddIncasts()
    {
        std::vector<FairIncastTestCase::Cell> cells{{2, 10, US},
                                                    {64, 10, 10 * US},
                                                    {16, 10, US / 20},
                                                    {4, 100, US},
                                                    {16, 100, US / 20},
                                                    {64, 100, US}};
        if (FabricScenario::IsLong())
        {
            cells.clear();
            for (const uint64_t gbps : {10, 100, 400})
            {
                for (const FabricPs delay : {US / 20, US, 10 * US})
                {
                    for (uint32_t n = 2; n <= 64; n *= 2)
                    {
                        cells.push_back({n, gbps, delay});
                    }
                }
            }
        }
        for (const auto& cell : cells)
        {
            AddTestCase(new FairIncastTestCase(cell));
        }
    }

    void DoSetup() override
    {
        FabricScenario::UsePicoseconds();
    }
};

AiFabricPapersDcqcnTestSuite g_aiFabricPapersDcqcnTestSuite; //!< the instance

} // namespace
