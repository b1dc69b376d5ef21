/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/flow-size-cdf.h"
#include "ns3/flow-traffic-generator.h"
#include "ns3/python-random.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @param text a table
 * @return the distribution
 */
FlowSizeCdf
Cdf(const std::string& text)
{
    std::istringstream in(text);
    return FlowSizeCdf::Read(in, "d.txt");
}

/**
 * @param n number of hosts
 * @return parameters of a generator over hosts 0 to n-1
 */
FlowTrafficGenerator::Parameters
Hosts(uint32_t n)
{
    FlowTrafficGenerator::Parameters p;
    p.hosts.resize(n);
    std::iota(p.hosts.begin(), p.hosts.end(), 0);
    return p;
}

} // namespace

TEST(Cdf, RealTables)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        size_t points;
        double min, max, total, mean, median;
    };

    const Case cases[] = {
        {"AliStorage2019.txt", 9, 0, 2e6, 100, 40869.8, 6339.7},
        {"FbHdp_distribution.txt", 20, 0, 1e7, 100, 120420.8, 700.0},
        {"WebSearch_distribution.txt", 12, 0, 3e7, 100, 1711250.0, 73076.9},
        {"GoogleRPC2008_conweave.txt", 120, 0, 15158200, 100, 2967.9, 245.5},
        {"Solar2022.txt", 8, 0, 262144, 100, 39423.5, 16384.0},
        {"DCTCP_CDF_fraction.txt", 12, 0, 3e7, 1, 1711250.0, 73076.9},
        {"cachefollower_fraction.txt", 23, 70, 3e6, 1, 712573.5, 30000.0},
        {"VL2_CDF.txt", 13, 0, 1e9, 1, 12658198.6, 1100.0},
        {"websearch_powertcp.txt", 16, 0, 3e7, 1, 1711222.5, 73076.9},
        {"ns2_cachefollower_cdf.txt", 23, 70, 3e6, 1, 712573.5, 30000.0},
    };
    for (const auto& c : cases)
    {
        const auto cdf = FlowSizeCdf::Read(DataPath("cdf/") + c.file);
        EXPECT_EQ(cdf.GetPoints().size(), c.points) << c.file;
        EXPECT_EQ(cdf.GetPoints().front().bytes, c.min) << c.file;
        EXPECT_NEAR(cdf.GetPoints().back().bytes, c.max, c.max * 1e-5) << c.file;
        EXPECT_EQ(cdf.GetTotal(), c.total) << c.file;
        EXPECT_NEAR(cdf.GetMean(), c.mean, 0.0501) << c.file; // the list rounds to 0.1
        EXPECT_NEAR(cdf.GetMedian(), c.median, 0.0501) << c.file;
    }
}

TEST(Cdf, BuiltInTablesEqualTheFiles)
{
    NEEDS_DATA();
    const std::pair<const char*, const char*> pairs[] = {
        {"WebSearch", "cdf/WebSearch_distribution.txt"},
        {"FbHdp", "cdf/FbHdp_distribution.txt"}};
    for (const auto& [name, file] : pairs)
    {
        const auto a = FlowSizeCdf::Get(name).GetPoints();
        const auto b = FlowSizeCdf::Get(DataPath(file)).GetPoints();
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); ++i)
        {
            EXPECT_EQ(a[i].bytes, b[i].bytes);
            EXPECT_EQ(a[i].cumulative, b[i].cumulative);
        }
    }
}

TEST(Cdf, BuiltInMeans)
{
    EXPECT_NEAR(FlowSizeCdf::Get("websearch").GetMean(), 1711250, 1e-6);
    EXPECT_NEAR(FlowSizeCdf::Get("FBHDP").GetMean(), 120420.75, 1e-6);
    EXPECT_TRUE(
        Has(ErrorOf([] { FlowSizeCdf::Get("web-serch"); }), "WebSearch, FbHdp or the path"));
}

TEST(Cdf, QuantilesInterpolateStepAndSkipGaps)
{
    const auto steps = Cdf("10 0\n10 0.5\n20 0.5\n40 1\n");
    EXPECT_DOUBLE_EQ(steps.GetQuantile(0), 10);
    EXPECT_DOUBLE_EQ(steps.GetQuantile(0.4), 10); // half of all flows have exactly 10 bytes
    EXPECT_DOUBLE_EQ(steps.GetQuantile(0.75), 30);
    EXPECT_DOUBLE_EQ(steps.GetQuantile(1), 40);
    EXPECT_DOUBLE_EQ(steps.GetMean(), 0.5 * 10 + 0.5 * 30);
    const auto lead = Cdf("0 0\n2000 0\n3000 1\n");
    EXPECT_DOUBLE_EQ(lead.GetQuantile(0), 2000);
    const auto mass = Cdf("100 40\n200 100\n"); // first point has probability of its own
    EXPECT_DOUBLE_EQ(mass.GetQuantile(0.2), 100);
    EXPECT_DOUBLE_EQ(mass.GetMean(), 0.4 * 100 + 0.6 * 150);
    EXPECT_EQ(Cdf("0 0\n1 1\n").Draw(0.5), 1U); // a flow has at least one byte
}

TEST(Cdf, BadTablesAreNamed)
{
    struct Case
    {
        const char *text, *what;
    };

    const Case cases[] = {
        {"", "at least two points"},
        {"1 1\n", "at least two points"},
        {"0 0\n10 0.5\n5 1\n", "d.txt:3: '5': column 1: sizes must not decrease"},
        {"0 0\n10 0.5\n20 0.4\n", "d.txt:3: '20'"},
        {"0 0\n10 0.5\n", "the last cumulative value is 0.5, allowed is 1"},
        {"0 0\n10 101\n", "d.txt:2: '101'"},
        {"0 0\n-5 1\n", "d.txt:2: '-5'"},
        {"0 0\n1 2 3 4\n", "d.txt:2: '3': column 3 is too many"},
        {"0 1 0\n5 1\n", "d.txt:2: 2 columns only"},
        {"0 0\nx 1\n", "d.txt:2: 'x': column 1"},
        {"0 nan\n1 1\n", "d.txt:1: 'nan'"},
        {"0 0\n0 1\n", "mean flow size is 0"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Cdf(c.text); });
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

// Values printed by CPython 3.11: random.Random(1), random.Random(2**40 + 7).
TEST(PythonRandom, EqualsCPython)
{
    PythonRandom one(1);
    EXPECT_EQ(one.Random(), 0.13436424411240122);
    EXPECT_EQ(one.Random(), 0.8474337369372327);
    EXPECT_EQ(one.Randrange(15), 12U);
    EXPECT_DOUBLE_EQ(one.Expovariate(2.0), 0.03259300369589231);
    PythonRandom large((1ULL << 40) + 7);
    EXPECT_EQ(large.Random(), 0.6137037779936511);
}

// papers H6: 16 hosts, 100G, 50 % Hadoop; must give 1637 flows and 215,690,092 B.
TEST(Traffic, H6IsRepeatedExactly)
{
    auto p = Hosts(16);
    p.startPs = 2'000'000'000'000;
    p.durationPs = 2'000'000'000;
    const auto list = FlowTrafficGenerator(p).PythonMt19937(FlowSizeCdf::Get("FbHdp"));
    const auto s = list.Summarize();
    EXPECT_EQ(s.flows, 1637U);
    EXPECT_EQ(s.totalBytes, 215'690'092U);
    // first and last flow as the Python script prints them
    EXPECT_EQ(list.flows[0].startPs, 2'000'002'780'000);
    EXPECT_EQ(list.flows[0].src, 0U);
    EXPECT_EQ(list.flows[0].dst, 14U);
    EXPECT_EQ(list.flows[0].bytes, 46453U);
    EXPECT_EQ(list.flows.back().startPs, 2'001'999'799'000);
    EXPECT_EQ(list.flows.back().bytes, 500U);
}

TEST(Traffic, PoissonMeetsItsLoadAndSpreadsEvenly)
{
    auto p = Hosts(128);
    p.durationPs = 100'000'000'000; // 100 ms
    const auto cdf = FlowSizeCdf::Get("WebSearch");
    const auto list = FlowTrafficGenerator(p).Poisson(cdf);
    const double expected = 128 * 0.5 * 100e9 / 8 / cdf.GetMean() * 0.1;
    const auto flows = static_cast<double>(list.flows.size());
    EXPECT_NEAR(flows, expected, 4 * std::sqrt(expected)); // 46,749 flows, 4 sigma
    const auto s = list.Summarize();
    EXPECT_NEAR(static_cast<double>(s.totalBytes) / flows, cdf.GetMean(), 0.06 * cdf.GetMean());
    std::vector<double> to(128);
    int64_t last = 0;
    for (const auto& flow : list.flows)
    {
        ASSERT_NE(flow.src, flow.dst);
        ASSERT_GE(flow.startPs, last);
        ASSERT_LE(flow.startPs, p.durationPs);
        last = flow.startPs;
        ++to[flow.dst];
    }
    for (const auto count : to)
    {
        EXPECT_NEAR(count, flows / 128, 5 * std::sqrt(flows / 128));
    }
}

TEST(Traffic, SameSeedSameFlowsAndHostsAreIndependent)
{
    auto p = Hosts(8);
    p.durationPs = 10'000'000'000;
    const auto cdf = FlowSizeCdf::Get("WebSearch");
    const auto text = [](const FlowList& list, uint32_t src) {
        std::ostringstream os;
        for (const auto& flow : list.flows)
        {
            if (flow.src == src)
            {
                os << flow.startPs << ' ' << flow.bytes << '\n';
            }
        }
        return os.str();
    };
    const auto a = FlowTrafficGenerator(p).Poisson(cdf);
    EXPECT_EQ(text(a, 3), text(FlowTrafficGenerator(p).Poisson(cdf), 3));
    p.seed = 2;
    EXPECT_NE(text(a, 3), text(FlowTrafficGenerator(p).Poisson(cdf), 3));
    p.seed = 1;
    p.hosts.push_back(8);
    EXPECT_EQ(text(a, 3), text(FlowTrafficGenerator(p).Poisson(cdf), 3));
}

TEST(Traffic, PermutationIsOneCycle)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        auto p = Hosts(17);
        p.seed = seed;
        const auto list = FlowTrafficGenerator(p).Permutation(1000);
        ASSERT_EQ(list.flows.size(), 17U);
        std::set<uint32_t> seen;
        for (uint32_t at = 0; seen.insert(at).second;)
        {
            at = list.flows[at].dst;
        }
        EXPECT_EQ(seen.size(), 17U) << "seed " << seed;
    }
}

TEST(Traffic, IncastAndRefusals)
{
    auto p = Hosts(4);
    const auto list = FlowTrafficGenerator(p).Incast(2, 1, 500);
    ASSERT_EQ(list.flows.size(), 2U);
    EXPECT_EQ(list.flows[0].src, 0U);
    EXPECT_EQ(list.flows[1].src, 2U);
    EXPECT_EQ(list.flows[1].dst, 1U);
    EXPECT_TRUE(
        Has(ErrorOf([&] { FlowTrafficGenerator(p).Incast(4, 1, 5); }), "allowed are 1 to 3"));
    EXPECT_TRUE(Has(ErrorOf([&] { FlowTrafficGenerator(p).Incast(1, 9, 5); }), "receiver 9"));
    const auto cdf = FlowSizeCdf::Get("FbHdp");
    const auto poisson = [&] { FlowTrafficGenerator(p).Poisson(cdf); };
    p.load = 0;
    EXPECT_TRUE(Has(ErrorOf(poisson), "load of 0"));
    p.load = 0.5;
    p.durationPs = 1'000'000'000'000'000;
    EXPECT_TRUE(Has(ErrorOf(poisson), "flows would arrive, allowed are 2000000"));
    p.durationPs = 0;
    EXPECT_TRUE(Has(ErrorOf(poisson), "duration of 0"));
    p.durationPs = 1;
    EXPECT_TRUE(Has(FlowTrafficGenerator(p).Poisson(cdf).notes.at(0), "no flow arrives"));
    p.hosts = {3};
    EXPECT_TRUE(Has(ErrorOf(poisson), "at least 2"));
    p.hosts = {3, 3};
    EXPECT_TRUE(Has(ErrorOf(poisson), "listed twice"));
}
