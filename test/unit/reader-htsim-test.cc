/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/htsim-scenario-reader.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @param text a connection matrix
 * @return the flows
 */
FlowList
Matrix(const std::string& text)
{
    std::istringstream in(text);
    return HtsimScenarioReader::ReadFlows(in, "m.cm");
}

/**
 * @param text a .topo file
 * @return the topology
 */
FabricTopology
Topo(const std::string& text)
{
    std::istringstream in(text);
    return HtsimScenarioReader::ReadTopology(in, "t.topo");
}

const std::string TIER0 = "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
                          "Downlink_Latency_ns 1000\n"; //!< 8 hosts, 2 links up
const std::string TIER1 = "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
                          "Downlink_Latency_ns 500\nSwitch_Latency_ns 7\n"; //!< spines for 4 leaves

} // namespace

TEST(HtsimReader, RealMatrices)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        uint32_t nodes, declared, lines, sources, destinations;
        uint64_t total;
        uint32_t triggers, dependent;
        int64_t first, last;
    };

    const Case cases[] = {
        {"csg_bidir.cm", 16, 2, 2, 2, 2, 4'000'000, 0, 0, 0, 0},
        {"csg_incast.cm", 16, 15, 15, 15, 1, 30'000'000, 0, 0, 0, 0},
        {"csg_one.cm", 16, 1, 1, 1, 1, 2'000'000, 0, 0, 0, 0},
        {"csg_outcast_incast.cm", 128, 21, 21, 3, 19, 42'000'000, 0, 0, 0, 0},
        {"csg_perm_16n_16c_2MB.cm", 16, 16, 16, 16, 16, 32'000'000, 0, 0, 0, 0},
        {"csg_example_permutation.cm", 432, 432, 432, 432, 432, 0, 0, 0, 0, 0},
        {"uet_a2a.cm", 16, 3600, 240, 16, 16, 480'000'000, 3360, 224, 0, 0},
        {"uet_alltoall_serial_16n.cm", 16, 240, 240, 16, 16, 480'000'000, 224, 224, 0, 0},
        {"uet_gen_random_incast_8192n_32c_16us_2Ms.cm",
         8192,
         32,
         32,
         32,
         1,
         67'108'864,
         0,
         0,
         1,
         16},
        {"uet_test_cr_1f10m10p.cm", 2, 10, 10, 1, 1, 408'600, 0, 0, 0, 0},
        {"uet_test_cr_1f1m10p.cm", 2, 1, 1, 1, 1, 40'860, 0, 0, 0, 0},
        {"uet_incast_2to1_size4194304B.cm", 128, 2, 2, 2, 1, 8'388'608, 0, 0, 0, 0},
        {"uet_incast_2-1.tm", 16, 2, 2, 2, 1, 4'000'000, 0, 0, 0, 0},
        {"uet_perm_128n_128c_2MB.cm", 128, 128, 128, 128, 128, 256'000'000, 0, 0, 0, 0},
        {"uet_foo2.cm", 128, 12, 12, 4, 4, 24'000'000, 8, 8, 0, 0},
    };
    for (const auto& c : cases)
    {
        HtsimScenarioReader::MatrixHeader header;
        const auto list = HtsimScenarioReader::ReadFlows(DataPath("htsim/") + c.file, &header);
        const auto s = list.Summarize();
        EXPECT_EQ(header.nodes, c.nodes) << c.file;
        EXPECT_EQ(header.connections, c.declared) << c.file;
        EXPECT_EQ(header.triggers, c.triggers) << c.file;
        EXPECT_EQ(s.flows, c.lines) << c.file;
        EXPECT_EQ(s.sources, c.sources) << c.file;
        EXPECT_EQ(s.destinations, c.destinations) << c.file;
        EXPECT_EQ(s.totalBytes, c.total) << c.file;
        EXPECT_EQ(s.dependent, c.dependent) << c.file;
        EXPECT_EQ(s.firstStartPs, c.first) << c.file;
        EXPECT_EQ(s.lastStartPs, c.last) << c.file;
        EXPECT_EQ(s.endless, c.total == 0 ? c.lines : 0) << c.file;
    }
}

// One file declares 3600 connections and 3360 triggers, and has 240 and none: said, not refused.
TEST(HtsimReader, WrongHeaderOfARealMatrixIsNoted)
{
    NEEDS_DATA();
    const auto list = HtsimScenarioReader::ReadFlows(DataPath("htsim/uet_a2a.cm"));
    ASSERT_EQ(list.notes.size(), 3U);
    EXPECT_TRUE(Has(list.notes[0], "224 triggers are used but not defined, read as oneshot"));
    EXPECT_TRUE(Has(list.notes[1], "uet_a2a.cm:2: connections: 3600 declared, 240 found"));
    EXPECT_TRUE(Has(list.notes[2], "uet_a2a.cm:3: triggers: 3360 declared, 0 found"));
}

TEST(HtsimReader, RealTopologies)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        uint32_t hosts, switches, links;
        uint64_t bisectionGbps; //!< 0: not computed
    };

    const Case cases[] = {
        // 128 ToR, 128 aggregation, 64 core; 1024 host links, 1024 to aggregation, 1024 to core
        {"csg_fat_tree_1024.topo", 1024, 128 + 128 + 64, 3 * 1024, 512 * 100},
        // 4 leaves, 2 spines, 4:1
        {"csg_leaf_spine_tiny.topo", 32, 4 + 2, 32 + 4 * 2, 4 * 100},
        // 32 ToR, 32 aggregation with one link up each, 4 core
        {"uet_fat_tree_128_4os.topo", 128, 32 + 32 + 4, 128 + 32 * 4 + 32, 16 * 100},
        {"uet_leaf_spine_8192_400g.topo", 8192, 128 + 64, 8192 + 128 * 64, 0},
    };
    for (const auto& c : cases)
    {
        const auto topology = HtsimScenarioReader::ReadTopology(DataPath("htsim/") + c.file);
        const auto report = topology.Check();
        EXPECT_EQ(report.hosts, c.hosts) << c.file;
        EXPECT_EQ(report.switches, c.switches) << c.file;
        EXPECT_EQ(report.links, c.links) << c.file;
        EXPECT_EQ(report.components, 1U) << c.file;
        EXPECT_EQ(report.unreachablePairs, 0U) << c.file;
        if (c.bisectionGbps > 0)
        {
            EXPECT_EQ(topology.GetBisectionBps(), c.bisectionGbps * 1'000'000'000) << c.file;
        }
    }
}

TEST(HtsimReader, MatrixAndTopologyOfARealPairFit)
{
    NEEDS_DATA();
    const auto topology =
        HtsimScenarioReader::ReadTopology(DataPath("htsim/uet_fat_tree_128_4os.topo"));
    HtsimScenarioReader::ReadFlows(DataPath("htsim/uet_foo2.cm")).Check(topology);
    HtsimScenarioReader::ReadFlows(DataPath("htsim/uet_perm_128n_128c_2MB.cm")).Check(topology);
}

TEST(HtsimReader, TopologyValuesArrive)
{
    const auto t =
        Topo("# comment\nNodes 32\ntiers 2\nPodsize 32\n" + TIER0 + "Oversubscribed 4\n" + TIER1);
    EXPECT_EQ(t.GetLinks()[0].delayPs, 1'000'000);
    EXPECT_EQ(t.GetLinks()[32].delayPs, 500'000);
    EXPECT_EQ(t.GetNodes().back().latencyPs, 7'000);
    EXPECT_EQ(t.GetNodes().back().tier, 2);
    EXPECT_EQ(t.GetNodes()[8].name, "h8");
}

TEST(HtsimReader, BundlesAreParallelLinks)
{
    const auto report = Topo("Nodes 32\nTiers 2\nPodsize 32\n" + TIER0 +
                             "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 8\nBundle 2\n"
                             "Downlink_Latency_ns 500\n")
                            .Check();
    EXPECT_EQ(report.switches, 4U + 1);
    EXPECT_EQ(report.links, 32U + 8);
    EXPECT_EQ(report.parallelLinks, 4U);
}

TEST(HtsimReader, BadTopologiesAreNamed)
{
    const std::string head = "Nodes 32\nTiers 2\nPodsize 32\n";

    struct Case
    {
        std::string text;
        const char* what;
    };

    const Case cases[] = {
        {"", "Nodes, Tiers and Podsize are wanted"},
        {"Nodes 32\nTiers 4\n", "t.topo:2: '4'"},
        {head + TIER0, "'Tier 1': missing"},
        {head + TIER0 + TIER0, "t.topo:9: '0': column 2: tier repeated"},
        {head + TIER0 + TIER1 + "Tier 2\n", "there are 2 tiers only"},
        {head + TIER0 + TIER1 + "Radix_Up 3\n", "the top tier has no links up"},
        {head + "Tier 0\n" + TIER1, "t.topo:4: 'radix_down': missing in this tier"},
        {head + TIER0 + "Bundle 2\n" + TIER1, "hosts have one link"},
        {head + TIER0 + "Speed 2\n" + TIER1, "t.topo:9: 'Speed'"},
        {head + TIER0 + "Radix_Up 2\n" + TIER1, "t.topo:9: 'Radix_Up': column 1: key repeated"},
        {head + "Nodes 5\n", "t.topo:4: 'Nodes'"},
        {head + "Hosts 5\n", "t.topo:4: 'Hosts'"},
        {head + "Tier\n", "t.topo:4: 1 columns only"},
        {"Nodes 33\nTiers 2\nPodsize 33\n" + TIER0 + TIER1, "33 / 8 is not a whole number"},
        {"Nodes 40\nTiers 2\nPodsize 40\n" + TIER0 + TIER1, "'4': Radix_Down: these hosts"},
        {head + TIER0 + "Oversubscribed 2\n" + TIER1, "800 Gb/s down and 200 Gb/s up"},
        {"Nodes -32\n", "'-32'"},
        {"Nodes 99999999999999999999\n", "'99999999999999999999'"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Topo(c.text); });
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

TEST(HtsimReader, StartsAndSizes)
{
    const auto list = Matrix("Nodes 4\nConnections 3\n0->1 start 15 size 5\n"
                             "1->2 start 2.500000 size 0\n2->3 id 9 start 0 size 7 prio 3\n");
    EXPECT_EQ(list.flows[0].startPs, 15);        // whole: ps
    EXPECT_EQ(list.flows[1].startPs, 2'500'000); // decimal point: us
    EXPECT_TRUE(list.flows[1].endless);
    EXPECT_FALSE(list.flows[0].endless);
    EXPECT_EQ(list.flows[2].id, 9U);
    ASSERT_EQ(list.notes.size(), 1U);
    EXPECT_TRUE(Has(list.notes[0], "not honoured: prio (1 times)"));
}

TEST(HtsimReader, MessagesShareAConnection)
{
    const auto list = Matrix("Nodes 4\n0->1 id 5 msg start 0 size 5\n0->1 id 5 msg start 0 size 6\n"
                             "0->1 id 6 start 0 size 7\n");
    EXPECT_EQ(list.flows[0].connection, 5U);
    EXPECT_EQ(list.flows[1].connection, 5U);
    EXPECT_EQ(list.flows[2].connection, 0U);
}

TEST(HtsimReader, TriggersBecomeDependencies)
{
    const std::string flows = "Nodes 8\n0->1 start 0 size 5 send_done_trigger 1\n"
                              "1->2 start 0 size 5 recv_done_trigger 1\n"
                              "2->3 id 3 trigger 1 size 5\n3->4 id 4 trigger 1 size 5\n";
    const auto oneshot = Matrix(flows + "trigger id 1 oneshot\n");
    ASSERT_EQ(oneshot.flows[2].dependsOn.size(), 2U);
    EXPECT_EQ(oneshot.flows[2].dependsOn[0].flow, 0U);
    EXPECT_FALSE(oneshot.flows[2].dependsOn[0].onReceive);
    EXPECT_TRUE(oneshot.flows[2].dependsOn[1].onReceive);
    EXPECT_EQ(oneshot.flows[2].needed, 1U);
    EXPECT_EQ(oneshot.flows[3].needed, 1U);
    const auto multishot = Matrix(flows + "trigger id 1 multishot\n");
    EXPECT_EQ(multishot.flows[2].needed, 1U);
    EXPECT_EQ(multishot.flows[3].needed, 2U);                                // one flow a firing
    EXPECT_EQ(Matrix(flows + "trigger id 1 barrier\n").flows[3].needed, 0U); // all
    EXPECT_EQ(Matrix(flows + "trigger id 1 count 2 barrier\n").flows[3].needed, 2U);
}

TEST(HtsimReader, BadMatricesAreNamed)
{
    const std::string head = "Nodes 4\n";

    struct Case
    {
        std::string text;
        const char* what;
    };

    const Case cases[] = {
        {"", "'Nodes': missing"},
        {"0->1 start 0 size 5\n", "m.cm:1: '0->1': column 1: Nodes must come before"},
        {head + "0->4 start 0 size 5\n", "m.cm:2: '0->4': column 1: allowed is src->dst with"},
        {head + "0->-1 start 0 size 5\n", "m.cm:2: '0->-1'"},
        {head + "0->x start 0 size 5\n", "m.cm:2: '0->x'"},
        {head + "0->1 start 0\n", "size is missing"},
        {head + "0->1 size 5\n", "one of start and trigger is wanted"},
        {head + "0->1 start 0 trigger 1 size 5\n", "one of start and trigger is wanted"},
        {head + "0->1 start 0 size -5\n", "m.cm:2: '-5'"},
        {head + "0->1 start 0 size 18446744073709551616\n", "'18446744073709551616'"},
        {head + "0->1 start 0 size\n", "column 5: size in bytes"},
        {head + "0->1 start -1 size 5\n", "m.cm:2: '-1'"},
        {head + "0->1 start 0 start 1 size 5\n", "column 4: repeated in this line"},
        {head + "0->1 id 0 start 0 size 5\n", "m.cm:2: '0': column 3: id"},
        {head + "0->1 begin 0 size 5\n", "m.cm:2: 'begin'"},
        {head + "0->1 id 3 start 0 size 5\n0->1 id 3 start 0 size 5\n", "m.cm:3: '0->1'"},
        {head + "0->1 id 3 msg start 0 size 5\n0->2 id 3 msg start 0 size 5\n", "other hosts"},
        {head + "0->1 trigger 7 size 5\n", "'trigger 7': starts flows but no flow fires it"},
        {head + "trigger id 1 twice\n", "m.cm:2: 'twice'"},
        {head + "trigger oneshot\n", "id and one of oneshot"},
        {head + "trigger id 1 oneshot\ntrigger id 1 oneshot\n", "first in line 2"},
        {head + "0->1 start 0 size 5 send_done_trigger 1\n1->2 trigger 1 size 5\n"
                "trigger id 1 barrier count 2\n",
         "waits for 2 firings, there are 1"},
        {head + "Nodes 5\n", "m.cm:2: 'Nodes': column 1: repeated, first in line 1"},
        {head + "hello world\n", "m.cm:2: 'hello'"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Matrix(c.text); });
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

// A flow that waits for itself, for an endless flow or for a circle never starts: refused.
TEST(HtsimReader, FlowsThatCanNeverStartAreNamed)
{
    FabricTopology topology;
    for (int i = 0; i < 4; ++i)
    {
        topology.AddHost();
    }
    const uint32_t hub = topology.AddSwitch();
    for (uint32_t i = 0; i < 4; ++i)
    {
        topology.AddLink(i, hub, 1'000'000'000, 0);
    }
    const auto circle = Matrix("Nodes 4\n0->1 trigger 1 size 5 send_done_trigger 2\n"
                               "1->2 trigger 2 size 5 send_done_trigger 1\n"
                               "2->3 start 0 size 5\n"
                               "trigger id 1 oneshot\ntrigger id 2 oneshot\n");
    const auto error = ErrorOf([&] { circle.Check(topology); });
    EXPECT_TRUE(Has(error, "m.cm:2: '0->1': flow 0 can never start")) << error;
    EXPECT_TRUE(Has(error, "m.cm:3:")) << error;
    EXPECT_FALSE(Has(error, "m.cm:4:")) << error;
    const auto endless = Matrix("Nodes 4\n0->1 start 0 size 0 send_done_trigger 1\n"
                                "1->2 trigger 1 size 5\ntrigger id 1 oneshot\n");
    EXPECT_TRUE(Has(ErrorOf([&] { endless.Check(topology); }), "m.cm:3"));
}
