/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/json-reader.h"
#include "ns3/scenario-config.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/** @return folder of the fixtures, with a slash */
std::string
Fixtures()
{
    const std::string here = __FILE__;
    return here.substr(0, here.rfind("unit/")) + "fixtures/";
}

/**
 * @param text JSON
 * @return the scenario
 */
ScenarioConfig
Scenario(const std::string& text)
{
    std::istringstream in(text);
    return ScenarioConfig::Read(in, "s.json");
}

/**
 * @param text JSON
 * @return its value
 */
JsonValue
Json(const std::string& text)
{
    std::istringstream in(text);
    return JsonReader::Read(in, "j.json");
}

const std::string STAR = R"("topology": {"builder": "star", "hosts": 4})"; //!< valid topology
const std::string INCAST =
    R"("traffic": {"generator": "incast", "senders": 2, "receiver": 0, "bytes": "1KB"})"; //!< valid

} // namespace

TEST(Json, ValuesLinesAndEscapes)
{
    const auto v =
        Json("{\n \"a\": [1, -2.5e3, true, null],\n \"b\": \"x\\n\\u00e9\\ud83d\\ude00\"}\n");
    ASSERT_EQ(v.members.size(), 2U);
    EXPECT_EQ(v.members[1].second.line, 3U);
    EXPECT_EQ(v.members[1].second.text, "x\n\xC3\xA9\xF0\x9F\x98\x80");
    const auto& items = v.Find("a")->items;
    ASSERT_EQ(items.size(), 4U);
    EXPECT_EQ(items[1].text, "-2.5e3");
    EXPECT_EQ(items[2].kind, JsonValue::Kind::BOOLEAN);
    EXPECT_EQ(items[3].kind, JsonValue::Kind::NUL);
    EXPECT_EQ(Json("[]").items.size(), 0U);
}

TEST(Json, FaultsAreNamed)
{
    struct Case
    {
        std::string text;
        const char* what;
    };

    const Case cases[] = {
        {"", "j.json:1: the file ends early"},
        {"{\n\"a\": 1\n", "j.json:3: the file ends early"},
        {"{\"a\" 1}", "a colon is wanted"},
        {"{a: 1}", "j.json:1: 'a': a key in double quotes"},
        {"{\"a\": 1,\n}", "j.json:2: '}': no comma may stand"},
        {"[1,]", "no comma may stand"},
        {"[1 2]", "'2': a comma or a closing bracket"},
        {"{\"a\": 1}\nx", "j.json:2: 'x': nothing may follow"},
        {"{\"a\": 1,\n \"a\": 2}", "j.json:2: 'a': key repeated, first in line 1"},
        {"[01]", "'01': a JSON value is wanted"},
        {"[1.]", "'1.': a JSON value is wanted"},
        {"[.5]", "'.5': a JSON value"},
        {"[+1]", "'+1': a JSON value"},
        {"[NaN]", "'NaN': a JSON value"},
        {"[True]", "'True': a JSON value"},
        {"[\"a\nb\"]", "a string ends with double quotes"},
        {"[\"\\x\"]", "after a backslash"},
        {"[\"\\u12g4\"]", "four hexadecimal digits"},
        {"[\"\\ud800\"]", "no character"},
        {"// comment\n{}", "a JSON value is wanted"},
        {std::string(200, '['), "inside each other"},
        {std::string(5 << 20, ' '), "bytes of JSON"},
        {std::string("{\"a\": \0}", 8), "a JSON value is wanted"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Json(c.text); });
        EXPECT_TRUE(Has(error, c.what)) << c.text.substr(0, 80) << " gave: " << error;
    }
}

TEST(Scenario, FatTreeFixture)
{
    const auto s = ScenarioConfig::Read(Fixtures() + "scenario-fat-tree.json");
    EXPECT_EQ(s.name, "fat-tree under a web search load");
    EXPECT_EQ(s.seed, 7U);
    const auto topology = s.MakeTopology();
    EXPECT_EQ(topology.GetNHosts(), 16U);
    EXPECT_EQ(topology.GetNLinks(), 16U + 16 + 2 * 16);
    const auto list = s.MakeTraffic(topology);
    uint32_t incast = 0;
    for (size_t i = 0; i < list.flows.size(); ++i)
    {
        incast += list.flows[i].dst == 15 && list.flows[i].bytes == 64'000 ? 1 : 0;
        EXPECT_EQ(list.flows[i].id, i);
    }
    EXPECT_EQ(incast, 8U);
    // 16 hosts x 0.3 x 100 Gb/s / 8 / 1,711,250 B x 1 ms = 35 arrivals, 4 sigma
    EXPECT_NEAR(static_cast<double>(list.flows.size() - incast), 35, 24);
    using Pair = ScenarioConfig::Attribute;
    ASSERT_EQ(s.attributes.size(), 2U);
    EXPECT_EQ(s.attributes[0], Pair("ns3::SwitchBuffer::Size", "32MiB"));
    EXPECT_EQ(s.attributes[1], Pair("ns3::SwitchBuffer::Alpha", "0.125"));
    EXPECT_EQ(s.stopPs, 1'000'000'000'000);
    EXPECT_EQ(s.payloadBytes, 1000U);
    EXPECT_EQ(s.monitors, (std::vector<std::string>{"queue:10us", "pause"}));
    EXPECT_EQ(s.outputDirectory, "results/fat-tree"); // seen from where the program runs
    EXPECT_EQ(s.GetInputs().size(), 1U);
}

TEST(Scenario, FilesFixtureHasPathsRelativeToItself)
{
    const auto s = ScenarioConfig::Read(Fixtures() + "scenario-files.json");
    EXPECT_EQ(s.name, "scenario-files");
    const auto topology = s.MakeTopology();
    EXPECT_EQ(topology.Check().parallelLinks, 2U);
    const auto list = s.MakeTraffic(topology);
    ASSERT_EQ(list.flows.size(), 3U);
    EXPECT_EQ(list.flows[1].bytes, 4'294'967'297U);
    EXPECT_EQ(s.frameProfile, "hpcc");
    EXPECT_EQ(s.GetInputs(),
              (std::vector<std::string>{Fixtures() + "scenario-files.json",
                                        Fixtures() + "two-leaves.txt",
                                        Fixtures() + "two-leaves-flows.txt"}));
}

TEST(Scenario, EveryBuilderAndGenerator)
{
    const auto hosts = [](const std::string& topology) {
        return Scenario("{\"topology\": {" + topology + "}, " + INCAST + "}")
            .MakeTopology()
            .GetNHosts();
    };
    EXPECT_EQ(hosts(R"("builder": "fat-tree", "k": 4, "tiers": 2)"), 8U);
    EXPECT_EQ(hosts(R"("builder": "leaf-spine", "leaves": 3, "spines": 2, "hostsPerLeaf": 5)"),
              15U);
    EXPECT_EQ(hosts(R"("builder": "dumbbell", "left": 3, "right": 4)"), 7U);
    EXPECT_EQ(hosts(R"("builder": "chain", "switches": 3, "hostsPerSwitch": 2)"), 6U);
    EXPECT_EQ(hosts(R"("builder": "star", "hosts": 9)"), 9U);
    const auto flows = [](const std::string& traffic) {
        const auto s = Scenario("{" + STAR + ", \"traffic\": {" + traffic + "}}");
        return s.MakeTraffic(s.MakeTopology());
    };
    EXPECT_EQ(flows(R"("generator": "permutation", "bytes": "1KiB")").flows[3].bytes, 1024U);
    EXPECT_EQ(flows(R"("generator": "permutation", "bytes": "1KiB", "hosts": [1, 3])").flows.size(),
              2U);
    EXPECT_GT(flows(R"("generator": "poisson", "cdf": "fbhdp", "duration": "1ms")").flows.size(),
              50U);
    EXPECT_GT(flows(R"("generator": "python-mt19937", "cdf": "FbHdp", "hostRate": "100Gbps")")
                  .flows.size(),
              200U);
}

TEST(Scenario, TheSeedOfTheScenarioIsThatOfTheTraffic)
{
    const auto first = [](const std::string& seed) {
        const auto s = Scenario("{" + seed + STAR +
                                R"(, "traffic": {"generator": "poisson", "duration": "10ms"}})");
        return s.MakeTraffic(s.MakeTopology()).flows.at(0).startPs;
    };
    EXPECT_EQ(first(""), first("\"seed\": 1, "));
    EXPECT_NE(first("\"seed\": 2, "), first("\"seed\": 1, "));
}

TEST(Scenario, SourcesOfFlowsAreMerged)
{
    const auto s = Scenario("{" + STAR + R"(, "traffic": [
        {"generator": "incast", "senders": 2, "receiver": 0, "bytes": "1KB", "start": "1us"},
        {"generator": "permutation", "bytes": "2KB", "priority": 5}]})");
    const auto list = s.MakeTraffic(s.MakeTopology());
    ASSERT_EQ(list.flows.size(), 6U);
    EXPECT_EQ(list.flows[0].startPs, 1'000'000);
    EXPECT_EQ(list.flows[5].id, 5U);
    EXPECT_EQ(list.flows[5].priority, 5);
}

// faults 13, 47: what is wrong is named with its line, and what is allowed there.
TEST(Scenario, FaultsAreNamed)
{
    const auto with = [](const std::string& more) {
        return "{\n" + STAR + ",\n" + INCAST + ",\n" + more + "}";
    };

    struct Case
    {
        std::string text;
        const char* what;
    };

    const Case cases[] = {
        {"[]", "an object { } is wanted, this is an array"},
        {"{}", "s.json:1: 'topology': this key is missing"},
        {with("\"sed\": 1"), "s.json:4: 'sed': unknown key, allowed here are name, seed, run"},
        {with("\"seed\": \"1\""), "s.json:4: '1': seed: allowed is a number, this is a string"},
        {with("\"seed\": 1.5"), "s.json:4: '1.5': seed: allowed is a whole number"},
        {with("\"seed\": -1"), "s.json:4: '-1'"},
        {with("\"seed\": 99999999999999999999"), "s.json:4: '99999999999999999999'"},
        {with("\"parameters\": {\"pfc\": 1}"), "parameters.pfc: allowed is true or false"},
        {with("\"parameters\": {\"stop\": \"5\"}"), "s.json:4: '5': parameters.stop"},
        {with("\"parameters\": {\"payload\": 1000}"), "parameters.payload: allowed is \"a size"},
        {with("\"parameters\": {\"payload\": \"9MB\"}"), "allowed are 1B to 65536B"},
        {with("\"attributes\": {\"Size\": 1}"), "a key such as ns3::SwitchBuffer::Size"},
        {with("\"attributes\": {\"ns3::A::B\": []}"), "allowed is a string, a number"},
        {with("\"outputs\": {\"monitors\": \"queue\"}"), "outputs.monitors: allowed is an array"},
        {with("\"outputs\": {\"dir\": \"x\"}"), "'outputs.dir': unknown key"},
        // names and values of attributes are looked up while the line is known (fault 47)
        {with("\"parameters\": {\"congestion\": \"dcqcm\"}"),
         "s.json:4: 'dcqcm': parameters.congestion: congestion control 'dcqcm' is not known"},
        {with("\"parameters\": {\"profile\": \"paper\"}"), "s.json:4: 'paper': parameters.profile"},
        {with("\"parameters\": {\"frameProfile\": \"x\"}"), "s.json:4: 'x': parameters.frame"},
        {with("\"attributes\": {\"ns3::SwitchBuffer::Alpha\": \"x\"}"), "s.json:4: 'x': attrib"},
        {with("\"attributes\": {\"ns3::SwitchBuffer::Alfa\": 1}"), "did you mean 'Alpha'"},
        {with("\"outputs\": {\"monitors\": [\"quue\"]}"), "s.json:4: 'quue'"},
        {"{" + INCAST + R"(, "topology": {"builder": "torus"}})",
         "allowed are fat-tree, leaf-spine"},
        {"{" + INCAST + R"(, "topology": {"builder": "fat-tree"}})", "'topology.k': this key is"},
        {"{" + INCAST + R"(, "topology": {"builder": "star", "hosts": 0}})", "from 1 to 1000000"},
        {"{" + INCAST + R"(, "topology": {"builder": "star", "hosts": 4, "k": 4}})",
         "'topology.k': unknown key, allowed here are builder, hosts, hostLink"},
        {"{" + INCAST + R"(, "topology": {"builder": "star", "hosts": 4,
            "hostLink": {"rate": "100 Gbps"}}})",
         "s.json:2: '100 Gbps': topology.hostLink.rate: allowed is \"a rate with unit"},
        {"{" + INCAST + R"(, "topology": {"builder": "star", "hosts": 4,
            "hostLink": {"rate": 100}}})",
         "'100': topology.hostLink.rate"},
        {"{" + INCAST + R"(, "topology": {"file": "t", "k": 4}})", "'topology.k': unknown key"},
        {"{" + STAR + R"(, "traffic": []})", "at least one source of flows"},
        {"{" + STAR + R"(, "traffic": "flows.txt"})", "an object { } is wanted"},
        {"{" + STAR + R"(, "traffic": {"generator": "uniform"}})", "allowed are poisson, python"},
        {"{" + STAR + R"(, "traffic": [{"generator": "poisson", "load": 0}]})",
         "traffic[0].load: allowed is a number from 0.0001 to 10"},
        {"{" + STAR + R"(, "traffic": {"generator": "poisson", "hosts": [1]}})",
         "at least two host"},
        {"{" + STAR + R"(, "traffic": {"generator": "permutation"}})", "'traffic.bytes': this key"},
    };
    for (const auto& c : cases)
    {
        const auto error = ErrorOf([&] { Scenario(c.text); });
        EXPECT_TRUE(Has(error, c.what)) << c.text << " gave: " << error;
    }
}

TEST(Scenario, SeveralFaultsComeAtOnce)
{
    const auto error = ErrorOf(
        [] { Scenario("{\n" + STAR + ",\n" + INCAST + ",\n\"seed\": 0,\n\"colour\": 1}"); });
    EXPECT_TRUE(Has(error, "s.json:4: '0'")) << error;
    EXPECT_TRUE(Has(error, "s.json:5: 'colour'")) << error;
}

TEST(Scenario, WhatTheTopologyDoesNotHaveIsNamed)
{
    const auto make = [](const std::string& text) {
        return ErrorOf([&] {
            const auto s = Scenario(text);
            s.MakeTraffic(s.MakeTopology());
        });
    };
    EXPECT_TRUE(Has(make("{" + STAR + R"(, "traffic": {"generator": "incast", "senders": 4,
        "receiver": 0, "bytes": "1KB"}})"),
                    "allowed are 1 to 3"));
    EXPECT_TRUE(Has(make("{" + STAR + R"(,
        "traffic": {"generator": "permutation", "bytes": "1KB", "hosts": [0, 4]}})"),
                    "s.json:2: traffic: '4': is not a host"));
    EXPECT_TRUE(Has(make("{" + STAR + R"(, "traffic": {"generator": "poisson", "cdf": "x"}})"),
                    "allowed are WebSearch, FbHdp or the path of a file"));
    EXPECT_TRUE(Has(make("{" + STAR + R"(, "traffic": {"file": "no/such.cm"}})"),
                    "no/such.cm: no such file"));
}
