/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/chain-builder.h"
#include "ns3/dumbbell-builder.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-reachability.h"
#include "ns3/fabric-topology.h"
#include "ns3/fat-tree-builder.h"
#include "ns3/leaf-spine-builder.h"
#include "ns3/star-builder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;
constexpr int64_t MICRO = 1'000'000; // ps

/**
 * @param f what should throw
 * @return the message of the FabricError, or "" if there was none
 */
template <typename F>
std::string
ErrorOf(F f)
{
    try
    {
        f();
    }
    catch (const FabricError& e)
    {
        return e.what();
    }
    return "";
}

} // namespace

// fault 48: k-ary fat-tree k^3/4 hosts, 5k^2/4 switches, 3k^3/4 links (k=4: 16, 20, 48).
TEST(Topology, FatTreeCountsFollowTheClosedForm)
{
    for (uint32_t k = 2; k <= 16; k += 2)
    {
        FatTreeBuilder::Parameters p;
        p.k = k;
        const auto report = FatTreeBuilder(p).Build().Check();
        EXPECT_EQ(report.hosts, k * k * k / 4) << "k=" << k;
        EXPECT_EQ(report.switches, 5 * k * k / 4) << "k=" << k;
        EXPECT_EQ(report.links, 3 * k * k * k / 4) << "k=" << k;
        EXPECT_EQ(report.maxPorts, k);
        EXPECT_EQ(report.components, 1U);
        EXPECT_TRUE(report.bareSwitches.empty());
        EXPECT_EQ(report.unreachablePairs, 0U);
    }
}

TEST(Topology, FatTreeEverySwitchHasKPorts)
{
    FatTreeBuilder::Parameters p;
    p.k = 8;
    const auto topology = FatTreeBuilder(p).Build();
    for (const auto& node : topology.GetNodes())
    {
        const size_t ports = topology.GetLinks(node.id).size();
        EXPECT_EQ(ports, topology.IsHost(node.id) ? 1U : 8U) << node.name;
    }
}

// A core switch reaches every pod exactly once: what makes k^2/4 core switches non-blocking.
TEST(Topology, FatTreeCoreReachesEveryPodOnce)
{
    FatTreeBuilder::Parameters p;
    p.k = 6;
    const auto topology = FatTreeBuilder(p).Build();
    for (const auto& node : topology.GetNodes())
    {
        if (node.tier != 3)
        {
            continue;
        }
        std::set<uint32_t> pods;
        for (const auto link : topology.GetLinks(node.id))
        {
            pods.insert(topology.GetNodes()[topology.GetPeer(link, node.id)].pod);
        }
        EXPECT_EQ(pods.size(), 6U) << node.name;
    }
}

TEST(Topology, FatTreeBisectionIsFullAndShrinksWithOversubscription)
{
    FatTreeBuilder::Parameters p;
    p.k = 4;
    EXPECT_EQ(FatTreeBuilder(p).Build().GetBisectionBps(), 8 * 100 * GIGA); // n/2 hosts
    p.oversubscription = 2;
    EXPECT_EQ(FatTreeBuilder(p).Build().GetBisectionBps(),
              8 * 100 * GIGA); // 16 hosts, up-links of 8
    p.edgeLink.bundle = 2;
    p.coreLink.bundle = 2;
    EXPECT_EQ(FatTreeBuilder(p).Build().GetBisectionBps(), 16 * 100 * GIGA);
}

TEST(Topology, FatTreeOfTwoTiers)
{
    FatTreeBuilder::Parameters p;
    p.k = 8;
    p.tiers = 2;
    p.edgeLink = {400 * GIGA, 2 * MICRO, 3};
    const auto report = FatTreeBuilder(p).Build().Check();
    EXPECT_EQ(report.hosts, 32U);    // k^2/2
    EXPECT_EQ(report.switches, 12U); // k + k/2
    EXPECT_EQ(report.hostSwitchLinks, 32U);
    EXPECT_EQ(report.switchSwitchLinks, 32U * 3);
    EXPECT_EQ(report.parallelLinks, 32U * 2);
    ASSERT_EQ(report.classes.size(), 2U);
    EXPECT_EQ(report.classes[1].rateBps, 400 * GIGA);
    EXPECT_EQ(report.classes[1].delayPs, 2 * MICRO);
    EXPECT_EQ(report.rateSumBps, (32 * 100 + 96 * 400) * GIGA);
}

TEST(Topology, LeafSpineDumbbellChainStarCounts)
{
    LeafSpineBuilder::Parameters leafSpine;
    leafSpine.leaves = 8;
    leafSpine.spines = 4;
    leafSpine.hostsPerLeaf = 16;
    leafSpine.upLink.bundle = 2;
    auto report = LeafSpineBuilder(leafSpine).Build().Check();
    EXPECT_EQ(report.hosts, 128U);
    EXPECT_EQ(report.switches, 12U);
    EXPECT_EQ(report.links, 128U + 8 * 4 * 2);

    // fault 11: the 4,004-node dumbbell
    DumbbellBuilder::Parameters dumbbell;
    dumbbell.left = 4000;
    dumbbell.right = 2;
    report = DumbbellBuilder(dumbbell).Build().Check();
    EXPECT_EQ(report.hosts + report.switches, 4004U);
    EXPECT_EQ(report.links, 4003U);
    EXPECT_EQ(report.maxPorts, 4001U);

    ChainBuilder::Parameters chain;
    chain.switches = 5;
    chain.hostsPerSwitch = 3;
    report = ChainBuilder(chain).Build().Check();
    EXPECT_EQ(report.hosts, 15U);
    EXPECT_EQ(report.links, 19U);

    // fault 10: one switch with 300 hosts
    StarBuilder::Parameters star;
    star.hosts = 300;
    star.hostLink.bundle = 2;
    report = StarBuilder(star).Build().Check();
    EXPECT_EQ(report.endpoints, 600U);
    EXPECT_EQ(report.maxPorts, 600U);
}

TEST(Topology, BuildersRefuseImpossibleParameters)
{
    FatTreeBuilder::Parameters fatTree;
    fatTree.k = 3;
    EXPECT_NE(ErrorOf([&] { FatTreeBuilder(fatTree).Build(); }).find("even"), std::string::npos);
    fatTree.k = 4;
    fatTree.tiers = 4;
    EXPECT_NE(ErrorOf([&] { FatTreeBuilder(fatTree).Build(); }).find("tiers = 4"),
              std::string::npos);
    StarBuilder::Parameters star;
    star.hostLink.rateBps = 0;
    EXPECT_NE(ErrorOf([&] { StarBuilder(star).Build(); }).find("rate of 0"), std::string::npos);
    star.hostLink = {};
    star.hostLink.delayPs = -1;
    EXPECT_NE(ErrorOf([&] { StarBuilder(star).Build(); }).find("delay of -1"), std::string::npos);
    LeafSpineBuilder::Parameters leafSpine;
    leafSpine.leaves = 1000;
    leafSpine.hostsPerLeaf = 100'000;
    EXPECT_NE(ErrorOf([&] { LeafSpineBuilder(leafSpine).Build(); }).find("too many"),
              std::string::npos);
}

TEST(Topology, EndpointsAreNumberedByHostThenLink)
{
    FabricTopology t;
    t.AddHost();
    t.AddSwitch();
    t.AddHost();
    t.AddLink(2, 1, GIGA, 0);
    t.AddLink(0, 1, GIGA, 0);
    t.AddLink(1, 2, GIGA, 0);
    const auto endpoints = t.GetEndpoints();
    ASSERT_EQ(endpoints.size(), 3U);
    EXPECT_EQ(endpoints[0].host, 0U);
    EXPECT_EQ(endpoints[0].link, 1U);
    EXPECT_EQ(endpoints[1].host, 2U);
    EXPECT_EQ(endpoints[1].link, 0U);
    EXPECT_EQ(endpoints[2].nic, 1U);
    EXPECT_EQ(endpoints[2].link, 2U);
}

TEST(Topology, AddLinkRefusesWhatCannotBe)
{
    struct Case
    {
        uint32_t a, b;
        uint64_t rate;
        int64_t delay;
        double error;
        const char* what;
    };

    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Case cases[] = {{0, 0, GIGA, 0, 0, "self-link"},
                          {0, 2, GIGA, 0, 0, "does not exist"},
                          {0, 1, 0, 0, 0, "link rate of 0"},
                          {0, 1, FabricTopology::MAX_RATE + 1, 0, 0, "100 Tb/s"},
                          {0, 1, GIGA, -1, 0, "link delay"},
                          {0, 1, GIGA, 0, 1, "error rate"},
                          {0, 1, GIGA, 0, nan, "error rate"}};
    for (const auto& c : cases)
    {
        FabricTopology t;
        t.AddHost();
        t.AddHost();
        const auto error = ErrorOf([&] { t.AddLink(c.a, c.b, c.rate, c.delay, c.error); });
        EXPECT_NE(error.find(c.what), std::string::npos) << c.what << " not in: " << error;
        EXPECT_EQ(t.GetNLinks(), 0U);
    }
}

// fault 45: two islands are counted and reported.
TEST(Topology, IslandsAreCounted)
{
    FabricTopology t;
    for (int i = 0; i < 5; ++i)
    {
        t.AddHost();
    }
    const uint32_t s0 = t.AddSwitch();
    const uint32_t s1 = t.AddSwitch();
    t.AddSwitch();
    t.AddLink(0, s0, GIGA, 0);
    t.AddLink(1, s0, GIGA, 0);
    t.AddLink(2, s1, GIGA, 0);
    t.AddLink(3, s1, GIGA, 0);
    const auto report = t.Check();
    EXPECT_EQ(report.components, 4U); // two islands, one bare host, one bare switch
    EXPECT_EQ(report.bareHosts, std::vector<uint32_t>{4});
    EXPECT_EQ(report.bareSwitches, std::vector<uint32_t>{7});
    EXPECT_EQ(report.unreachablePairs, 10U - 2);
    ASSERT_EQ(report.unreachableExamples.size(), 8U);
    EXPECT_EQ(report.unreachableExamples[0], std::make_pair(0U, 2U));
}

// Hosts do not forward: a ring of hosts joins neighbours only, although it is one component.
TEST(Topology, HostsDoNotForward)
{
    FabricTopology t;
    for (int i = 0; i < 8; ++i)
    {
        t.AddHost();
    }
    for (uint32_t i = 0; i < 8; ++i)
    {
        t.AddLink(i, (i + 1) % 8, GIGA, 0);
    }
    const auto report = t.Check();
    EXPECT_EQ(report.components, 1U);
    EXPECT_EQ(report.hostHostLinks, 8U);
    EXPECT_EQ(report.unreachablePairs, 8U * 7 / 2 - 8);
    const FabricReachability reach(t);
    EXPECT_TRUE(reach.IsReachable(7, 0));
    EXPECT_FALSE(reach.IsReachable(0, 2));
}

// The grouped count equals asking for each pair, on random multi-homed fabrics.
TEST(Topology, UnreachableCountEqualsAskingEachPair)
{
    uint64_t state = 1;
    const auto draw = [&](uint32_t n) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<uint32_t>((state >> 33) % n);
    };
    for (int round = 0; round < 50; ++round)
    {
        FabricTopology t;
        for (int i = 0; i < 12; ++i)
        {
            t.AddHost();
        }
        for (int i = 0; i < 6; ++i)
        {
            t.AddSwitch();
        }
        for (int i = 0; i < 16; ++i)
        {
            const uint32_t a = draw(18);
            const uint32_t b = draw(18);
            if (a != b)
            {
                t.AddLink(a, b, GIGA, 0);
            }
        }
        const FabricReachability reach(t);
        uint64_t apart = 0;
        for (uint32_t a = 0; a < 12; ++a)
        {
            for (uint32_t b = a + 1; b < 12; ++b)
            {
                apart += reach.IsReachable(a, b) ? 0 : 1;
            }
        }
        const auto report = t.Check();
        EXPECT_TRUE(report.unreachableExact);
        EXPECT_EQ(report.unreachablePairs, apart) << "round " << round;
        EXPECT_EQ(report.unreachableExamples.size(), std::min<uint64_t>(apart, 10));
        EXPECT_LE(t.GetBisectionBps(), report.rateSumBps);
        EXPECT_EQ(t.GetBisectionBps() % GIGA, 0U); // a cut is a sum of links
    }
}

TEST(Topology, BisectionOfADumbbellIsItsBottleneck)
{
    DumbbellBuilder::Parameters p;
    p.left = 4;
    p.right = 4;
    p.bottleneck.rateBps = 40 * GIGA;
    EXPECT_EQ(DumbbellBuilder(p).Build().GetBisectionBps(), 40 * GIGA);
    p.bottleneck.bundle = 3;
    EXPECT_EQ(DumbbellBuilder(p).Build().GetBisectionBps(), 120 * GIGA);
    p.bottleneck.rateBps = 1000 * GIGA;
    EXPECT_EQ(DumbbellBuilder(p).Build().GetBisectionBps(), 400 * GIGA); // the hosts' own links
}

TEST(Topology, DotNamesEveryNodeAndLink)
{
    FabricTopology t;
    t.AddHost("a\"b");
    t.AddSwitch();
    t.AddLink(0, 1, 100 * GIGA, 0);
    std::ostringstream os;
    t.WriteDot(os);
    EXPECT_NE(os.str().find("n0 [label=\"a\\\"b\", shape=ellipse]"), std::string::npos);
    EXPECT_NE(os.str().find("n1 [label=\"s1\", shape=box]"), std::string::npos);
    EXPECT_NE(os.str().find("n0 -- n1 [label=\"100Gb/s\"]"), std::string::npos);
}
