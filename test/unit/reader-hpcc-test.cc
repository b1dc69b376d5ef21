/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/hpcc-scenario-reader.h"

#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @param text a topology file
 * @return the topology
 */
FabricTopology
Topology(const std::string& text)
{
    std::istringstream in(text);
    return HpccScenarioReader::ReadTopology(in, "t.txt");
}

/**
 * @param text a flow file
 * @return the flows
 */
FlowList
Flows(const std::string& text)
{
    std::istringstream in(text);
    return HpccScenarioReader::ReadFlows(in, "f.txt");
}

/**
 * @param text a configuration file
 * @return the configuration
 */
HpccConfig
Config(const std::string& text)
{
    std::istringstream in(text);
    return HpccScenarioReader::ReadConfig(in, "c.txt");
}

} // namespace

// Every real topology gives the counts that an independent script found.
TEST(HpccReader, RealTopologies)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        uint32_t hosts, switches, hostSwitch, switchSwitch, hostHost;
        size_t classes;
        uint64_t sumGbps;
    };

    const Case cases[] = {
        {"topology_hpcc_66n.txt", 65, 1, 65, 0, 0, 1, 6500},
        {"topology_hpcc_fat_376n.txt", 320, 56, 320, 160, 0, 2, 96000},
        {"dcqcn2015_topology_4n.txt", 3, 1, 3, 0, 0, 1, 120},
        {"topology_conweave_fat_k4.txt", 32, 20, 32, 32, 0, 1, 6400},
        {"topology_conweave_leaf_spine_128.txt", 128, 16, 128, 64, 0, 1, 19200},
        {"topology_powertcp_138n.txt", 128, 10, 128, 16, 0, 3, 4800},
        {"topology_astra_128n_16sw.txt", 128, 16, 128, 64, 0, 2, 38400},
        {"topology_astra_8n_ring.txt", 8, 0, 0, 0, 8, 1, 200},
    };
    for (const auto& c : cases)
    {
        const auto topology = HpccScenarioReader::ReadTopology(DataPath("hpcc/") + c.file);
        const auto report = topology.Check();
        EXPECT_EQ(report.hosts, c.hosts) << c.file;
        EXPECT_EQ(report.switches, c.switches) << c.file;
        EXPECT_EQ(report.hostSwitchLinks, c.hostSwitch) << c.file;
        EXPECT_EQ(report.switchSwitchLinks, c.switchSwitch) << c.file;
        EXPECT_EQ(report.hostHostLinks, c.hostHost) << c.file;
        EXPECT_EQ(report.links, c.hostSwitch + c.switchSwitch + c.hostHost) << c.file;
        EXPECT_EQ(report.components, 1U) << c.file;
        EXPECT_EQ(report.classes.size(), c.classes) << c.file;
        EXPECT_EQ(report.rateSumBps, c.sumGbps * 1'000'000'000) << c.file;
        EXPECT_EQ(report.unreachablePairs, c.hostHost > 0 ? 20U : 0U) << c.file;
    }
}

TEST(HpccReader, RealTopologyClassesAreExact)
{
    NEEDS_DATA();
    const auto powertcp =
        HpccScenarioReader::ReadTopology(DataPath("hpcc/topology_powertcp_138n.txt")).Check();
    EXPECT_EQ(powertcp.classes[0].rateBps, 25'000'000'000U); // written 25000000000.0
    EXPECT_EQ(powertcp.classes[0].links, 128U);
    EXPECT_EQ(powertcp.classes[1].delayPs, 1'000'000);
    EXPECT_EQ(powertcp.classes[2].delayPs, 5'000'000);
    EXPECT_EQ(powertcp.classes[2].links, 8U);
    const auto astra =
        HpccScenarioReader::ReadTopology(DataPath("hpcc/topology_astra_128n_16sw.txt")).Check();
    EXPECT_EQ(astra.classes[0].delayPs, 5'000'000);  // 0.005ms
    EXPECT_EQ(astra.classes[1].delayPs, 12'500'000); // 0.0125ms
    const auto hpcc =
        HpccScenarioReader::ReadTopology(DataPath("hpcc/topology_hpcc_66n.txt")).Check();
    EXPECT_EQ(hpcc.classes[0].delayPs, 1'000'000); // 0.001ms
    EXPECT_EQ(hpcc.maxPorts, 65U);
}

TEST(HpccReader, RealTopologyTiersFollowHops)
{
    NEEDS_DATA();
    const auto t = HpccScenarioReader::ReadTopology(DataPath("hpcc/topology_hpcc_fat_376n.txt"));
    uint32_t count[4] = {};
    for (const auto& node : t.GetNodes())
    {
        ASSERT_LT(node.tier, 4);
        ++count[node.tier];
    }
    EXPECT_EQ(count[0], 320U);
    EXPECT_EQ(count[1] + count[2] + count[3], 56U);
    EXPECT_EQ(count[1], 20U); // 320 hosts, 16 at each edge switch
}

TEST(HpccReader, RealFlows)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        uint32_t flows, sources, destinations;
        uint64_t total, min, max;
        int64_t firstUs, lastUs;
        uint16_t minPort, maxPort;
    };

    const Case cases[] = {
        {"flow_hpcc_2to1.txt",
         2,
         2,
         1,
         400'000'000,
         200'000'000,
         200'000'000,
         2'000'000,
         2'000'000,
         100,
         100},
        {"flow_hpcc_old_variant.txt",
         2,
         2,
         1,
         400'000'000,
         200'000'000,
         200'000'000,
         2'000'000,
         2'000'000,
         100,
         100},
        {"flow_powertcp_5.txt",
         5,
         5,
         5,
         5'000'000'000'000,
         1'000'000'000'000,
         1'000'000'000'000,
         1'000,
         400'000,
         10000,
         10004},
        {"flow_powertcp_burst_10.txt",
         11,
         11,
         1,
         11'000'000'000'000,
         1'000'000'000'000,
         1'000'000'000'000,
         130'000,
         150'000,
         10000,
         10010},
        {"flow_alibabacloud_8to1.txt",
         64,
         8,
         1,
         2'560'000'000,
         40'000'000,
         40'000'000,
         2'000'000,
         3'000'000,
         100,
         100},
        {"dcqcn2015_flow.txt",
         2,
         2,
         1,
         20'000'000'000,
         10'000'000'000,
         10'000'000'000,
         2'000'000,
         2'000'000,
         0,
         0},
    };
    for (const auto& c : cases)
    {
        const auto list = HpccScenarioReader::ReadFlows(DataPath("hpcc/") + c.file);
        const auto s = list.Summarize();
        EXPECT_EQ(s.flows, c.flows) << c.file;
        EXPECT_EQ(s.sources, c.sources) << c.file;
        EXPECT_EQ(s.destinations, c.destinations) << c.file;
        EXPECT_EQ(s.totalBytes, c.total) << c.file;
        EXPECT_EQ(s.minBytes, c.min) << c.file;
        EXPECT_EQ(s.maxBytes, c.max) << c.file;
        EXPECT_EQ(s.firstStartPs, c.firstUs * 1'000'000) << c.file;
        EXPECT_EQ(s.lastStartPs, c.lastUs * 1'000'000) << c.file;
        EXPECT_EQ(s.minDstPort, c.minPort) << c.file;
        EXPECT_EQ(s.maxDstPort, c.maxPort) << c.file;
    }
    const auto old = HpccScenarioReader::ReadFlows(DataPath("hpcc/dcqcn2015_flow.txt"));
    EXPECT_EQ(old.flows[0].endPs, 9'500'000'000'000); // 9.5 s
    ASSERT_EQ(old.notes.size(), 1U);
    EXPECT_TRUE(Has(old.notes[0], "2015 form"));
}

TEST(HpccReader, RealTraces)
{
    NEEDS_DATA();
    const auto hpcc = HpccScenarioReader::ReadTrace(DataPath("hpcc/trace_hpcc.txt"));
    std::vector<uint32_t> all(348);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(hpcc, all);
    EXPECT_EQ(HpccScenarioReader::ReadTrace(DataPath("hpcc/dcqcn2015_trace.txt")),
              std::vector<uint32_t>{1});
    EXPECT_EQ(HpccScenarioReader::ReadTrace(DataPath("hpcc/trace_astra_5n.txt")).size(), 5U);
    EXPECT_EQ(HpccScenarioReader::ReadTrace(DataPath("hpcc/trace_config_alibabacloud.txt")),
              (std::vector<uint32_t>{0, 1}));
}

TEST(HpccReader, RealConfigs)
{
    NEEDS_DATA();

    struct Case
    {
        const char* file;
        size_t keys;
        const char *mode, *stop, *buffer, *rateAi;
    };

    const Case cases[] = {
        {"config_hpcc.txt", 47, "3", "4.00", "32", "50Mb/s"},
        {"config_powertcp.txt", 47, "3", "0.4", "50", "50Mb/s"},
        {"config_astra.txt", 48, "12", "40000000000000.00", "32", "50Mb/s"},
        {"dcqcn2015_config.txt", 34, nullptr, "3.01", nullptr, "40Mb/s"},
    };
    const auto value = [](const HpccConfig& config, const char* key) {
        const auto* s = config.Find(key);
        return s == nullptr ? std::string("absent") : s->values[0];
    };
    for (const auto& c : cases)
    {
        const auto config = HpccScenarioReader::ReadConfig(DataPath("hpcc/") + c.file);
        EXPECT_EQ(config.GetSettings().size(), c.keys) << c.file;
        EXPECT_EQ(value(config, "CC_MODE"), c.mode != nullptr ? c.mode : "absent") << c.file;
        EXPECT_EQ(value(config, "PACKET_PAYLOAD_SIZE"), "1000") << c.file;
        EXPECT_EQ(value(config, "SIMULATOR_STOP_TIME"), c.stop) << c.file;
        EXPECT_EQ(value(config, "BUFFER_SIZE"), c.buffer != nullptr ? c.buffer : "absent");
        EXPECT_EQ(value(config, "RATE_AI"), c.rateAi) << c.file;
        for (const auto& s : config.GetSettings())
        {
            using Status = HpccConfig::Status;
            EXPECT_TRUE(s.status != Status::HONOURED || !s.target.empty()) << s.key;
            EXPECT_TRUE(s.status != Status::NOT_HONOURED || !s.reason.empty()) << s.key;
        }
    }
}

TEST(HpccReader, RealConfigMapsOntoAttributes)
{
    NEEDS_DATA();
    const auto config = HpccScenarioReader::ReadConfig(DataPath("hpcc/config_hpcc.txt"));
    EXPECT_EQ(config.GetTarget("ns3::SwitchBuffer::Size"), "33554432"); // 32 MiB
    EXPECT_EQ(config.GetTarget("ns3::RdmaDcqcn::TimeReset"), "900us");
    EXPECT_EQ(config.GetTarget("ns3::RdmaDcqcn::AdditiveIncrease"), "50Mb/s");
    EXPECT_EQ(config.GetTarget("ns3::RedEcnMarker::MinThreshold"), "400000");
    EXPECT_EQ(config.GetTarget("ns3::RedEcnMarker::MaxThreshold"), "1600000");
    EXPECT_EQ(config.GetTarget("ns3::RedEcnMarker::MaxProbability"), "0.2");
    EXPECT_EQ(config.GetTarget("run:stop"), "4s");
    EXPECT_EQ(config.Find("TOPOLOGY_FILE")->status, HpccConfig::Status::NOT_HONOURED);
    EXPECT_EQ(config.GetTarget("run:congestion-control", "none"), "none"); // mode 3 is HPCC
    bool named = false;
    for (const auto& line : config.ExplainNotHonoured())
    {
        named = named || Has(line, "CC_MODE 3: HPCC (mode 3) is not built in");
    }
    EXPECT_TRUE(named);
    // the ASTRA-sim table is not linear: 40G has 800 KB, 100G 1600 KB
    const auto astra = HpccScenarioReader::ReadConfig(DataPath("hpcc/config_astra.txt"));
    EXPECT_FALSE(astra.IsEcnTableLinear());
    EXPECT_EQ(astra.GetEcn(40'000'000'000).maxBytes, 800'000U);
    EXPECT_EQ(astra.GetTarget("run:ecn-table"), "6 rates");
}

// fault 12: a rate that the ECN table does not list scales linearly from the nearest listed one.
TEST(HpccReader, EcnTableScalesToRatesThatAreNotListed)
{
    const auto config = Config("KMIN_MAP 3 25000000000 100 50000000000 200 100000000000 400\n"
                               "KMAX_MAP 3 25000000000 400 50000000000 800 100000000000 1600\n"
                               "PMAX_MAP 3 25000000000 0.2 50000000000 0.2 100000000000 0.2\n");
    EXPECT_TRUE(config.IsEcnTableLinear());
    const auto row = config.GetEcn(400'000'000'000);
    EXPECT_EQ(row.minBytes, 1'600'000U);
    EXPECT_EQ(row.maxBytes, 6'400'000U);
    EXPECT_DOUBLE_EQ(row.maxProbability, 0.2);
    EXPECT_EQ(config.GetEcn(10'000'000'000).minBytes, 40'000U);
}

TEST(HpccReader, TopologyHeaderForms)
{
    EXPECT_EQ(Topology("3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n").GetNHosts(), 2U);
    EXPECT_EQ(Topology("3 1 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n").GetNLinks(), 2U);
    std::istringstream reverie("3 1 1 2 25000000000 100000000000.0\n2\n0 2 1e9 1us 0\n"
                               "1 2 1Gbps 1us 0\n");
    std::vector<std::string> notes;
    EXPECT_EQ(HpccScenarioReader::ReadTopology(reverie, "r", &notes).GetNLinks(), 2U);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(Has(notes[1], "100Gb/s"));
}

// The declared number of links counts: what follows is neither read nor complained about.
TEST(HpccReader, SurplusLinesAndProseAreLeftAlone)
{
    EXPECT_EQ(
        Topology("2 0 1\n\n0 1 1Gbps 1us 0\n0 1 bogus\nFirst line: total node #\n\x01").GetNLinks(),
        1U);
    EXPECT_EQ(Flows("1\n0 1 3 100 5 0\nsrc dst 3 size\n").flows.size(), 1U);
    EXPECT_EQ(Topology("\xEF\xBB\xBF# comment\r\n2 0 1\r\n\r\n0 1 1Gbps 1us 0\r\n").GetNLinks(),
              1U);
}

TEST(HpccReader, ParallelLinksAndLinesAreKept)
{
    const auto t = Topology("3 1 4\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 2us 0.25\n1 2 1Gbps 1us 0\n"
                            "2 1 1Gbps 1us 0\n");
    EXPECT_EQ(t.Check().parallelLinks, 2U);
    EXPECT_EQ(t.GetLinks()[1].line, 4U);
    EXPECT_EQ(t.GetLinks()[1].delayPs, 2'000'000);
    EXPECT_DOUBLE_EQ(t.GetLinks()[1].errorRate, 0.25);
    EXPECT_EQ(t.GetEndpoints().size(), 4U);
}

// faults 45, 47: file, line, token, allowed form.
TEST(HpccReader, BadTopologiesAreNamed)
{
    const std::string good = "3 1 2\n2\n0 2 1Gbps 1us 0\n";

    struct Case
    {
        std::string text;
        const char *where, *what;
    };

    const Case cases[] = {
        {"", "t.txt", "empty file"},
        {"3 1\n", "t.txt:1", "2 columns"},
        {"3 1 2 2 2\n", "t.txt:1", "5 columns"},
        {"8 8 0 1 8 H100\n", "t.txt:1", "'H100'"},
        {"3 x 2\n", "t.txt:1: 'x'", "whole number"},
        {"0 0 0\n", "t.txt:1: '0'", "from 1"},
        {"-3 1 2\n", "t.txt:1: '-3'", "whole number"},
        {"3 4 2\n", "t.txt:1: '4'", "from 0 to 3"},
        {"99999999999999999999 1 2\n", "t.txt:1", "to 1000000"},
        {"3 1 99999999\n", "t.txt:1: '99999999'", "to 8000000"},
        {"3 1 2\n3\n", "t.txt:2: '3'", "from 0 to 2"},
        {"3 2 2\n2 2\n", "t.txt:2: '2'", "repeated"},
        {"3 1 2\n2 1\n", "t.txt:2: '1'", "more switch ids"},
        {"3 1 2\n", "t.txt:1", "ends early"},
        {good, "t.txt:3", "2 links declared, 1 found"},
        {good + "1 2 100Gb 1us 0\n", "t.txt:4: '100Gb'", "such as 100Gbps"},
        {good + "1 2 100 Gbps 1us 0\n", "t.txt:4: '0'", "column 6 is too many"},
        {good + "1 2 100Gbps 1us\n", "t.txt:4", "4 columns only"},
        {good + "1 2 100Gbps 1us 0 7\n", "t.txt:4: '7'", "column 6 is too many"},
        {good + "1 2 100Gbps 1 0\n", "t.txt:4: '1'", "time with unit"},
        {good + "1 2 100Gbps 1min 0\n", "t.txt:4: '1min'", "time with unit"},
        {good + "1 2 100Gbps -1us 0\n", "t.txt:4: '-1us'", "time with unit"},
        {good + "1 2 0Gbps 1us 0\n", "t.txt:4", "link rate of 0"},
        {good + "1 2 -5Gbps 1us 0\n", "t.txt:4: '-5Gbps'", "rate"},
        {good + "1 2 1Gbps 1us 1.5\n", "t.txt:4", "error rate"},
        {good + "1 2 1Gbps 1us nan\n", "t.txt:4: 'nan'", "error rate"},
        {good + "1 1 1Gbps 1us 0\n", "t.txt:4", "self-link of node 1"},
        {good + "1 3 1Gbps 1us 0\n", "t.txt:4: '3'", "from 0 to 2"},
        {good + "src0 dst0 rate delay error_rate\n", "t.txt:4: 'src0'", "whole number"},
        {std::string("3 1 2\n2\n\0\0", 10), "t.txt:3", "binary data (byte 0x0"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Topology(c.text); });
        EXPECT_TRUE(Has(error, c.where)) << c.text << " gave: " << error;
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

TEST(HpccReader, AllFaultsOfAFileComeAtOnceUpToACap)
{
    std::string text = "2 0 100\n";
    for (int i = 0; i < 100; ++i)
    {
        text += "0 0 1Gb 1us 0\n";
    }
    const auto error = ErrorOf([&] { Topology(text); });
    EXPECT_TRUE(Has(error, "t.txt:2:"));
    EXPECT_TRUE(Has(error, "t.txt:21:"));
    EXPECT_FALSE(Has(error, "t.txt:22:"));
    EXPECT_TRUE(Has(error, "stopped after 20 faults"));
}

TEST(HpccReader, MissingFileAndFolderAreNamed)
{
    EXPECT_TRUE(Has(ErrorOf([] { HpccScenarioReader::ReadTopology("no/such.txt"); }),
                    "no/such.txt: no such file"));
    EXPECT_TRUE(Has(ErrorOf([] { HpccScenarioReader::ReadFlows("."); }), "is a folder"));
}

TEST(HpccReader, FlowFormIsTakenFromTheFirstFlow)
{
    EXPECT_EQ(Flows("1\n2 1 3 10000000 2.0 9.5\n").flows[0].bytes, 10'000'000'000U);
    EXPECT_EQ(Flows("1\n2 1 3 100 10000000 2\n").flows[0].bytes, 10'000'000U);
    std::istringstream in("1\n2 1 3 100 2 9\n");
    const auto list =
        HpccScenarioReader::ReadFlows(in, "f", 1024, HpccScenarioReader::FlowForm::PACKETS);
    EXPECT_EQ(list.flows[0].bytes, 102'400U);
    EXPECT_EQ(list.flows[0].endPs, 9'000'000'000'000);
}

// fault 17: sizes are 64-bit; above the range is an error, it never wraps.
TEST(HpccReader, FlowSizesAre64Bit)
{
    EXPECT_EQ(Flows("1\n0 1 3 100 4294967297 0\n").flows[0].bytes, 4'294'967'297U);
    EXPECT_EQ(Flows("1\n0 1 3 100 18446744073709551615 0\n").flows[0].bytes, ~uint64_t{0});
    EXPECT_TRUE(Has(ErrorOf([] { Flows("1\n0 1 3 100 18446744073709551616 0\n"); }),
                    "f.txt:2: '18446744073709551616'"));
    EXPECT_TRUE(Has(ErrorOf([] { Flows("1\n0 1 3 18446744073709551615 2.0 9.5\n"); }), "f.txt:2"));
}

TEST(HpccReader, BadFlowsAreNamed)
{
    struct Case
    {
        const char *text, *where, *what;
    };

    const Case cases[] = {
        {"", "f.txt", "empty file"},
        {"x\n", "f.txt:1: 'x'", "number of flows"},
        {"1 2\n", "f.txt:1: '2'", "too many"},
        {"2\n0 1 3 100 5 0\n", "f.txt:2", "2 flows declared, 1 found"},
        {"1\n0 1 3 100 5\n", "f.txt:2", "5 columns only"},
        {"1\n0 1 9 100 5 0\n", "f.txt:2: '9'", "priority: allowed is a whole number from 0 to 7"},
        {"1\n0 1 3 65536 5 0.0\n", "f.txt:2", "end is before the start"},
        {"1\n0 1 3 100 -5 0\n", "f.txt:2: '-5'", "bytes"},
        {"1\n0 1 3 100 5.5e1x 0\n", "f.txt:2", "start"},
        {"1\n0 1 3 100 5 -1\n", "f.txt:2: '-1'", "seconds"},
        {"1\n0 1 3 100 5 2s\n", "f.txt:2: '2s'", "seconds"},
        {"1\n-1 1 3 100 5 2\n", "f.txt:2: '-1'", "source"},
        {"10000000\n0 1 3 100 5 2\n", "f.txt:1: '10000000'", "to 2000000"},
        {"1\nsrc0 dst0 3 dst_port0 size0 start_time0\n", "f.txt:2: 'src0'", "whole number"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Flows(c.text); });
        EXPECT_TRUE(Has(error, c.where)) << c.text << " gave: " << error;
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

TEST(HpccReader, DecreasingStartsAreNoted)
{
    const auto list = Flows("3\n0 1 3 100 5 2\n0 1 3 100 5 1\n0 1 3 100 5 0\n");
    ASSERT_EQ(list.notes.size(), 1U);
    EXPECT_TRUE(Has(list.notes[0], "f.txt:3: start times decrease"));
}

TEST(HpccReader, FlowsAreCheckedAgainstTheTopology)
{
    const auto topology = Topology("5 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n");
    Flows("1\n0 1 3 100 5 0\n").Check(topology);
    const auto error = ErrorOf([&] {
        Flows("5\n0 2 3 100 5 0\n7 1 3 100 5 0\n1 1 3 100 5 0\n0 3 3 100 5 0\n0 1 3 100 5 0\n")
            .Check(topology);
    });
    EXPECT_TRUE(Has(error, "f.txt:2: '0->2': flow 0: node 2 is a switch")) << error;
    EXPECT_TRUE(Has(error, "f.txt:3: '7->1': flow 1: node 7 does not exist")) << error;
    EXPECT_TRUE(Has(error, "f.txt:4: '1->1': flow 2: source and destination are the same"));
    EXPECT_TRUE(Has(error, "f.txt:5: '0->3': flow 3: no path"));
    EXPECT_FALSE(Has(error, "f.txt:6"));
}

TEST(HpccReader, BadConfigsAreNamed)
{
    struct Case
    {
        const char *text, *where, *what;
    };

    const Case cases[] = {
        {"", "c.txt", "empty file"},
        {"CC_MODE 1\n\nCC_MODUS 1\n", "c.txt:3: 'CC_MODUS'", "unknown key"},
        {"cc_mode 1\n", "c.txt:1: 'cc_mode'", "unknown key"},
        {"CC_MODE 1\nCC_MODE 1\n", "c.txt:2: 'CC_MODE'", "first in line 1"},
        {"CC_MODE\n", "c.txt:1", "1 columns only"},
        {"CC_MODE 1 2\n", "c.txt:1: '2'", "too many"},
        {"HAS_WIN 2\n", "c.txt:1: '2'", "from 0 to 1"},
        {"RATE_AI 50\n", "c.txt:1: '50'", "rate with unit"},
        {"RP_TIMER 900us\n", "c.txt:1: '900us'", "without unit"},
        {"EWMA_GAIN 1.5\n", "c.txt:1: '1.5'", "from 0 to 1"},
        {"EWMA_GAIN 1/16\n", "c.txt:1: '1/16'", "from 0 to 1"},
        {"KMAX_MAP 2 25000000000 400\n", "c.txt:1", "2 pairs declared, 1 found"},
        {"KMIN_MAP 1 1Gbps 4\nKMAX_MAP 1 2Gbps 4\nPMAX_MAP 1 1Gbps 1\n",
         "c.txt:2: '2Gbps'",
         "not in KMIN_MAP"},
        {"KMIN_MAP 1 1Gbps 8\nKMAX_MAP 1 1Gbps 4\nPMAX_MAP 1 1Gbps 1\n", "1Gb/s", "Kmin <= Kmax"},
        {"KMIN_MAP 1 1Gbps 8\n", "KMAX_MAP", "come together"},
        {"LINK_DOWN 5 1\n", "c.txt:1", "3 columns only"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Config(c.text); });
        EXPECT_TRUE(Has(error, c.where)) << c.text << " gave: " << error;
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

TEST(HpccReader, ConfigAttributesNameTheReferenceRateOfTheThresholds)
{
    const auto last = [](const std::string& text) { return Config(text).GetAttributes().back(); };
    using Pair = std::pair<std::string, std::string>;
    EXPECT_EQ(last("KMIN 40\nKMAX 1000\n"), Pair("ns3::RedEcnMarker::ReferenceRate", "0b/s"));
    EXPECT_EQ(last("KMIN_MAP 1 1Gbps 4\nKMAX_MAP 1 1Gbps 8\nPMAX_MAP 1 1Gbps 1\n"),
              Pair("ns3::RedEcnMarker::ReferenceRate", "100Gb/s"));
    EXPECT_EQ(last("BUFFER_SIZE 1\nHAS_WIN 1\n"), Pair("ns3::SwitchBuffer::Size", "1048576"));
}

TEST(HpccReader, ConfigValuesAreConverted)
{
    const auto config = Config("CC_MODE 1\nLINK_DOWN 10 3 4\nBUFFER_SIZE 0.5\nKMIN 40\n"
                               "L2_BACK_TO_ZERO 0\nHAS_WIN 1\n");
    EXPECT_EQ(config.GetTarget("run:congestion-control"), "ns3::RdmaDcqcn");
    EXPECT_EQ(config.GetTarget("run:link-down"), "2000010us 3 4"); // 2 s after the start of time
    EXPECT_EQ(config.GetTarget("ns3::SwitchBuffer::Size"), "524288");
    EXPECT_EQ(config.GetTarget("ns3::RedEcnMarker::MinThreshold"), "40000");
    EXPECT_EQ(config.Find("L2_BACK_TO_ZERO")->status, HpccConfig::Status::BUILT_IN);
    ASSERT_EQ(config.ExplainNotHonoured().size(), 1U);
    EXPECT_TRUE(Has(config.ExplainNotHonoured()[0], "c.txt:6: HAS_WIN 1: rates are not"));
}
