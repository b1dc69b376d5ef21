/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief DCQCN fixed points against the published and derived values (D1, D2, D3, D8).
 */

#include "ns3/dcqcn-fixed-point.h"
#include "ns3/fabric-error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @brief The paper's setting.
 * @param gbps link, Gb/s
 * @param flows number of flows
 * @param pMax marking probability at Kmax
 * @return the input
 */
DcqcnFixedPoint::Input
Paper(uint64_t gbps, uint32_t flows, double pMax = 0.01)
{
    DcqcnFixedPoint::Input in;
    in.link = DataRate(gbps * 1'000'000'000);
    in.flows = flows;
    in.pMax = pMax;
    return in;
}

// D1: queue in KB to 0.1 %, and p of the first row to its printed digits.
TEST(FixedPointTest, D1Published)
{
    struct Row
    {
        uint64_t gbps;
        uint32_t flows;
        double kiloBytes;
    };

    const std::vector<Row> rows{{40, 2, 20.15},
                                {40, 3, 30.49},
                                {40, 8, 93.77},
                                {100, 2, 9.66},
                                {100, 4, 16.37},
                                {100, 8, 32.68},
                                {100, 32, 165.4}};
    for (const auto& row : rows)
    {
        const auto point = DcqcnFixedPoint(Paper(row.gbps, row.flows)).Published();
        EXPECT_NEAR(point.queueBytes / 1000, row.kiloBytes, 0.001 * row.kiloBytes)
            << row.gbps << "G N=" << row.flows;
    }
    EXPECT_NEAR(DcqcnFixedPoint(Paper(40, 2)).Published().p, 7.770e-4, 0.0005e-4);
}

// D8: Pmax 10 % at 40G, N = 10: 16.8 KB.
TEST(FixedPointTest, D8CureOfTheCliff)
{
    const auto point = DcqcnFixedPoint(Paper(40, 10, 0.1)).Published();
    EXPECT_NEAR(point.queueBytes / 1000, 16.8, 0.05);
    EXPECT_EQ(point.verdict, DcqcnFixedPoint::Verdict::STABLE_MARKING);
}

// D1 note: the byte counter of 10 MB is never reached, so taking it away changes nothing.
TEST(FixedPointTest, D1ByteCounterIsIrrelevant)
{
    auto in = Paper(40, 2);
    const double with = DcqcnFixedPoint(in).Published().p;
    in.byteReset = 0;
    EXPECT_NEAR(DcqcnFixedPoint(in).Published().p, with, 1e-3 * with);
}

// D2: the small-p form, and that its p lies 19 to 23 % above D1.
TEST(FixedPointTest, D2SmallP)
{
    const DcqcnFixedPoint two(Paper(40, 2));
    EXPECT_NEAR(two.SmallP().p, 9.247e-4, 0.0005e-4);
    EXPECT_NEAR(two.SmallP().queueBytes / 1000, 23.03, 0.005);
    const DcqcnFixedPoint four(Paper(40, 4));
    EXPECT_NEAR(four.SmallP().p, 2.320e-3, 0.0005e-3);
    EXPECT_NEAR(four.SmallP().queueBytes / 1000, 50.2, 0.05);
    for (const auto* solver : {&two, &four})
    {
        const double ratio = solver->SmallP().p / solver->Published().p;
        EXPECT_GT(ratio, 1.185);
        EXPECT_LT(ratio, 1.235);
    }
}

// D3: the renewal form, each printed value to its printed digits.
TEST(FixedPointTest, D3Renewal)
{
    struct Row
    {
        uint64_t gbps;
        uint32_t flows;
        double p;
        double pDigit;
        double kiloBytes;
        double alpha;
    };

    const std::vector<Row> rows{{40, 2, 1.028e-3, 0.0005e-3, 25.0, 0.118},
                                {100, 2, 3.10e-4, 0.005e-4, 11.0, 0.093},
                                {100, 4, 7.68e-4, 0.005e-4, 20.0, 0.111}};
    for (const auto& row : rows)
    {
        const auto point = DcqcnFixedPoint(Paper(row.gbps, row.flows)).Renewal();
        EXPECT_NEAR(point.p, row.p, row.pDigit) << row.gbps << "G N=" << row.flows;
        EXPECT_NEAR(point.queueBytes / 1000, row.kiloBytes, 0.05);
        EXPECT_NEAR(point.alpha, row.alpha, 0.0005);
    }
}

// D3: the geometric sums equal the plain sums over timer expiries that define the form.
TEST(FixedPointTest, D3BalanceByPlainSums)
{
    const double tau = 50e-6;
    const double timer = 55e-6;
    const double step = 40e6 / 8000;
    for (const uint32_t flows : {2u, 5u, 16u})
    {
        const auto point = DcqcnFixedPoint(Paper(40, flows)).Renewal();
        const double rate = 40e9 / 8000 / flows;
        const auto reach = [&](int m) {
            return std::exp(-point.p * rate * std::max(0.0, m * timer - tau));
        };
        double half = 0;
        double raised = 0;
        double longer = 0;
        for (int k = 0; k < 20000; ++k)
        {
            const double prob = reach(k) - reach(k + 1);
            half += prob * std::pow(0.5, k);
            for (int j = 5; j <= std::min(k, 600); ++j)
            {
                raised += prob * step * (1 - std::pow(0.5, k - j + 1));
            }
            longer += reach(k + 1);
            if (reach(k) < 1e-16)
            {
                break;
            }
        }
        const double alpha = 1 / (1 + longer);
        EXPECT_NEAR(point.alpha, alpha, 1e-9);
        EXPECT_NEAR(alpha * rate / 2 * half, raised, 1e-6 * raised) << flows;
    }
}

// Past the cliff (p > Pmax) the solver says so, and so it does near it.
TEST(FixedPointTest, NamesTheCliff)
{
    using Verdict = DcqcnFixedPoint::Verdict;
    EXPECT_EQ(DcqcnFixedPoint(Paper(40, 2)).Published().verdict, Verdict::STABLE_MARKING);
    const auto near = DcqcnFixedPoint(Paper(100, 32)).Published(); // p = 0.82 Pmax
    EXPECT_EQ(near.verdict, Verdict::NEAR_CLIFF);
    EXPECT_NE(near.Describe().find("near the cliff"), std::string::npos) << near.Describe();
    const auto past = DcqcnFixedPoint(Paper(40, 64)).Published();
    EXPECT_GT(past.p, 0.01);
    EXPECT_EQ(past.verdict, Verdict::CLIFF);
    EXPECT_NE(past.Describe().find("cliff"), std::string::npos) << past.Describe();
}

// More flows on the same link need more marks, in all three forms.
TEST(FixedPointTest, MoreFlowsMoreMarks)
{
    double last[3] = {0, 0, 0};
    for (uint32_t flows = 1; flows <= 128; flows *= 2)
    {
        const DcqcnFixedPoint solver(Paper(100, flows));
        const double now[3] = {solver.Published().p, solver.SmallP().p, solver.Renewal().p};
        for (int i = 0; i < 3; ++i)
        {
            EXPECT_GT(now[i], last[i]) << flows << " form " << i;
            last[i] = now[i];
        }
    }
}

// The reaction point's part may come from a profile, but only from the paper's machine.
TEST(FixedPointTest, UseProfile)
{
    auto in = Paper(40, 2);
    in.timeReset = MicroSeconds(1);
    in.Use(RdmaDcqcnProfile::Get("paper2015"));
    EXPECT_NEAR(DcqcnFixedPoint(in).Published().p, 7.770e-4, 0.0005e-4);
    EXPECT_THROW(in.Use(RdmaDcqcnProfile::Get("connectx")), FabricError);
    EXPECT_THROW(in.Use(RdmaDcqcnProfile::Get("hpcc-fork")), FabricError);
}

TEST(FixedPointTest, BadInputIsRefused)
{
    auto in = Paper(40, 0);
    EXPECT_THROW(DcqcnFixedPoint{in}, FabricError);
    in = Paper(0, 2);
    EXPECT_THROW(DcqcnFixedPoint{in}, FabricError);
    in = Paper(40, 2);
    in.kMaxBytes = in.kMinBytes;
    EXPECT_THROW(DcqcnFixedPoint{in}, FabricError);
    in = Paper(40, 2);
    in.cnpInterval = Time(0);
    EXPECT_THROW(DcqcnFixedPoint{in}, FabricError);
}

} // namespace
