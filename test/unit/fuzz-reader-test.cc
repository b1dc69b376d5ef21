/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/fabric-random.h"
#include "ns3/flow-size-cdf.h"
#include "ns3/hpcc-scenario-reader.h"
#include "ns3/htsim-scenario-reader.h"
#include "ns3/hwloc-topology-reader.h"
#include "ns3/ib-net-reader.h"
#include "ns3/ib-net-writer.h"
#include "ns3/ib-routes-reader.h"
#include "ns3/ib-routing.h"
#include "ns3/nccl-graph.h"
#include "ns3/nccl-topology-reader.h"
#include "ns3/scenario-config.h"
#include "ns3/server-printer.h"
#include "ns3/server-relations.h"
#include "ns3/smi-topology-reader.h"

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/** Tokens that readers get wrong. */
const char* const NASTY[] = {"0",
                             "-1",
                             "1.5",
                             "1e400",
                             "1e-400",
                             "nan",
                             "inf",
                             "999999",
                             "4294967296",
                             "18446744073709551615",
                             "18446744073709551616",
                             "99999999999999999999999999999999999999999",
                             "0x10",
                             "1e3",
                             ".",
                             "-",
                             "->",
                             "100Gbps",
                             "1us",
                             "\"",
                             "{",
                             "[",
                             ":",
                             "#",
                             "\xff\xfe",
                             "%s%n"};

/** @brief Makes broken texts out of a good one; the same seed makes the same ones. */
class Mutator
{
  public:
    /**
     * @param seed of all choices
     */
    explicit Mutator(uint64_t seed)
        : m_random(seed, 0)
    {
    }

    /**
     * @param text a good text
     * @return it after one to four mutations
     */
    std::string Mutate(std::string text)
    {
        for (uint32_t n = 1 + m_random.Below(4); n > 0; --n)
        {
            text = MutateOnce(text);
        }
        return text;
    }

  private:
    /**
     * @param size of a text
     * @return a place in it
     */
    size_t Place(size_t size)
    {
        return m_random.Below(static_cast<uint32_t>(size) + 1);
    }

    /**
     * @param text any text
     * @return first and last place of a random word of it
     */
    std::pair<size_t, size_t> Word(const std::string& text)
    {
        const size_t from = text.find_first_not_of(" \n", Place(text.size()));
        if (from == std::string::npos)
        {
            return {text.size(), text.size()};
        }
        const size_t to = text.find_first_of(" \n,}", from);
        return {from, to == std::string::npos ? text.size() : to};
    }

    /**
     * @param text any text
     * @return it after one mutation
     */
    std::string MutateOnce(std::string text)
    {
        const auto [from, to] = Word(text);
        const auto nasty = NASTY[m_random.Below(std::size(NASTY))];
        switch (m_random.Below(8))
        {
        case 0: // truncate
            return text.substr(0, Place(text.size()));
        case 1: // flip a bit
            if (!text.empty())
            {
                text[Place(text.size() - 1)] ^= static_cast<char>(1 << m_random.Below(8));
            }
            return text;
        case 2: // replace a word
        case 3:
            return text.substr(0, from) + nasty + text.substr(to);
        case 4: // delete a word
            return text.substr(0, from) + text.substr(to);
        case 5: // double a word
            return text.substr(0, to) + " " + text.substr(from);
        case 6: // repeat a part
        {
            const size_t a = Place(text.size());
            return text.substr(0, a) + text.substr(Place(a));
        }
        default: // move a word
        {
            const std::string word = text.substr(from, to - from);
            text.erase(from, to - from);
            return text.insert(Place(text.size()), word + " ");
        }
        }
    }

    FabricRandom m_random; //!< all choices
};

/** @brief A reader and a text that it likes. */
struct Target
{
    const char* name;                          //!< of the reader
    std::string good;                          //!< text
    std::function<void(std::istream&)> reader; //!< reads and uses the result
};

/** @return the readers of topologies, flows and scenarios */
std::vector<Target>
FlowTargets()
{
    const std::string topology = "5 2 6\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"
                                 "2 4 25000000000.0 0.001ms 0.01\n3 4 400Gbps 1000ns 0\n"
                                 "3 4 400Gbps 1000ns 0\n0 4 1Tbps 1us 0\n\nprose src0 dst0\n";
    const std::string flows = "4\n0 2 3 100 5000000 2\n1 0 3 101 4294967297 2.1\n"
                              "2 1 0 65535 0 2.5\n0 1 7 0 1 3\nspare\n";
    const std::string old = "2\n2 1 3 10000000 2.0 9.5\n1 0 3 10000000 2.0 9.5\n";
    const std::string config = "ENABLE_QCN 1\n\nCC_MODE 1\nKMIN_MAP 2 1000 4 2000 8\n"
                               "KMAX_MAP 2 1000 40 2000 80\nPMAX_MAP 2 1000 0.2 2000 0.2\n"
                               "RATE_AI 50Mb/s\nRP_TIMER 900\nBUFFER_SIZE 32\nLINK_DOWN 0 0 0\n";
    const std::string topo = "Nodes 16\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\n"
                             "Radix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1000\nTier 1\n"
                             "Downlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n"
                             "Downlink_Latency_ns 1000\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\n"
                             "Radix_Down 4\nDownlink_Latency_ns 1000\nBundle 1\n";
    const std::string matrix = "Nodes 5\nConnections 3\nTriggers 1\n"
                               "0->1 id 1 start 0 size 5 send_done_trigger 1\n"
                               "1->2 id 2 trigger 1 size 5\n0->2 id 3 msg start 0.5 size 0\n"
                               "0->2 id 3 msg start 1 size 9\ntrigger id 1 oneshot\n";
    const std::string cdf = "0 0\n100 10.5\n100 20\n5000 70\n100000 100\n";
    const std::string scenario =
        "{ \"name\" : \"x\" ,\n \"seed\" : 3 ,\n \"topology\" : { \"builder\" : \"fat-tree\" , "
        "\"k\" : 4 , \"hostLink\" : { \"rate\" : \"100Gbps\" , \"delay\" : \"1us\" } } ,\n"
        "\"traffic\" : [ { \"generator\" : \"poisson\" , \"load\" : 0.5 , \"duration\" : "
        "\"10us\" } , { \"generator\" : \"incast\" , \"senders\" : 3 , \"receiver\" : 0 , "
        "\"bytes\" : \"1KB\" } ] ,\n \"attributes\" : { \"ns3::SwitchBuffer::Size\" : \"1MB\" } }";
    std::istringstream in(topology);
    const auto fabric = HpccScenarioReader::ReadTopology(in, "good");
    const auto check = [fabric](const FlowList& list) {
        list.Summarize();
        list.Check(fabric);
    };
    return {{"topology",
             topology,
             [](std::istream& s) { HpccScenarioReader::ReadTopology(s, "fuzz").Check(); }},
            {"flows",
             flows,
             [check](std::istream& s) { check(HpccScenarioReader::ReadFlows(s, "fuzz")); }},
            {"old flows",
             old,
             [check](std::istream& s) { check(HpccScenarioReader::ReadFlows(s, "fuzz")); }},
            {"trace",
             "4\n0 1 2 3\n",
             [](std::istream& s) { HpccScenarioReader::ReadTrace(s, "fuzz"); }},
            {"config",
             config,
             [](std::istream& s) {
                 const auto c = HpccScenarioReader::ReadConfig(s, "fuzz");
                 c.GetEcn(400'000'000'000);
                 c.GetAttributes();
                 c.ExplainNotHonoured();
             }},
            {"topo",
             topo,
             [](std::istream& s) { HtsimScenarioReader::ReadTopology(s, "fuzz").Check(); }},
            {"matrix",
             matrix,
             [check](std::istream& s) { check(HtsimScenarioReader::ReadFlows(s, "fuzz")); }},
            {"cdf",
             cdf,
             [](std::istream& s) {
                 const auto c = FlowSizeCdf::Read(s, "fuzz");
                 EXPECT_GT(c.GetMean(), 0);
                 EXPECT_GE(c.Draw(0.999), 1U);
             }},
            {"scenario", scenario, [](std::istream& s) {
                 const auto c = ScenarioConfig::Read(s, "fuzz");
                 c.MakeTraffic(c.MakeTopology());
             }}};
}

/**
 * @param server what a reader made; all of it is used
 */
void
UseServer(const ServerTopology& server)
{
    ServerRelations(server).CountPairs();
    std::ostringstream os;
    ServerPrinter::WriteMatrix(server, os);
    ServerPrinter::WriteDot(server, os);
    server.GetBisectionBps();
    EXPECT_LE(server.GetRanks().size(), server.GetParts().size());
}

/** @return the readers of servers */
std::vector<Target>
ServerTargets()
{
    const std::string nccl =
        "<system version=\"1\">\n <cpu numaid=\"0\">\n  <pci busid=\"0:1\" class=\"0x060400\" "
        "link_speed=\"16 GT/s\" link_width=\"16\">\n   <pci busid=\"0:2\" class=\"0x030200\" "
        "vendor=\"0x10de\" device=\"0x20b0\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n "
        "  <gpu dev=\"0\" sm=\"80\" >\n <nvlink target=\"0:9\" count=\"2\" "
        "tclass=\"0x068000\" />\n <nvlink target=\"0:3\" count=\"2\" tclass=\"0x030200\" />\n "
        "</gpu>\n </pci>\n  <pci busid=\"0:3\" class=\"0x030200\" />\n  <pci busid=\"0:4\" "
        "class=\"0x020700\" >\n  <nic> <net name=\"m0\" dev=\"0\" speed=\"100000\" /> </nic>\n "
        "</pci>\n </pci>\n </cpu>\n <cpu numaid=\"1\" />\n</system>\n";
    const std::string graph =
        "<graphs version=\"1\">\n <graph id=\"0\" pattern=\"4\" nchannels=\"1\" "
        "speedintra=\"12.5\" speedinter=\"12\" typeintra=\"NVL\" typeinter=\"PIX\" >\n <channel> "
        "<net dev=\"0\" /> <gpu dev=\"0x1\" /> <gpu dev=\"2\" /> </channel>\n </graph>\n</graphs>";
    const std::string smi = "\tGPU0\tGPU1\tGPU2\tm0\tCPU Affinity\tNUMA Affinity\n"
                            "GPU0\t X \tNV2\tSYS\tPIX\t0-9\t0\nGPU1\tNV2\t X \tSYS\tPHB\t0-9\t0\n"
                            "GPU2\tSYS\tSYS\t X \tSYS\t10-19\t1\nm0\tPIX\tPHB\tSYS\t X \n\n"
                            "Legend:\n\n X = Self\n\nNIC Legend:\n m0: mlx5_0\n";
    const std::string hwloc =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology "
        "version=\"2.0\">\n <object type=\"Machine\" >\n <object type=\"Package\" >\n <object "
        "type=\"NUMANode\" os_index=\"0\" local_memory=\"1000\" />\n <object type=\"Bridge\" "
        "bridge_type=\"0-1\" >\n <object type=\"Bridge\" bridge_type=\"1-1\" >\n <object "
        "type=\"PCIDev\" gp_index=\"5\" pci_busid=\"0:1\" pci_type=\"0302 [10de:1db8]\" "
        "pci_link_speed=\"15.75\" >\n <object type=\"OSDev\" gp_index=\"7\" name=\"nvml0\" />\n "
        "</object>\n <object type=\"PCIDev\" gp_index=\"6\" pci_busid=\"0:2\" pci_type=\"0680 "
        "[10de:1ac2]\" />\n </object>\n </object>\n </object>\n </object>\n <distances2hetero "
        "nbobjs=\"2\" name=\"NVLinkBandwidth\" >\n <indexes> OSDev:7 PCIDev:6 </indexes>\n "
        "<u64values> 0 25000 25000 0 </u64values>\n </distances2hetero>\n</topology>\n";
    return {{"nccl",
             nccl,
             [](std::istream& s) { UseServer(NcclTopologyReader::Read(s, "fuzz").topology); }},
            {"nccl graph", graph, [](std::istream& s) { NcclGraph::Read(s, "fuzz"); }},
            {"smi",
             smi,
             [](std::istream& s) { UseServer(SmiTopologyReader::Read(s, "fuzz").topology); }},
            {"hwloc", hwloc, [](std::istream& s) {
                 UseServer(HwlocTopologyReader::Read(s, "fuzz").topology);
             }}};
}

/** @return the readers of InfiniBand subnets */
std::vector<Target>
SubnetTargets()
{
    const std::string net =
        "vendid=0x2c9\nsysimgguid=0x10\nswitchguid=0x10(10)\nSwitch\t4 \"S-10\"\t # "
        "\"sw one\" base "
        "port 0 lid 6 lmc 0\n[1] \"H-20\"[1](21) # \"ca\" lid 4 4xEDR\n[2] \"S-30\"[1] # \"x y\" "
        "lid 9 1xSDR s=4\n\nswitchguid=0x30\nSwitch 4 \"S-30\"\n[1] \"S-10\"[2]\n[4] \"H-40\" "
        "[1]\n\ncaguid=0x20\nCa 2 \"H-20\" # \"ca\"\n[1](21) \"S-10\"[1] # lid 4 lmc 1 \"sw\" "
        "lid 6 4xEDR\n\nHca 1 \"H-40\"\n[1] \"S-30\"[4]\n";
    const std::string lids = "0x10 0x0001 0x0001\n\n0x21 0x0004 0x0005\n";
    const std::string tables = "dump_ucast_routes: Switch 0x10\nLID    : Port : Hops : Optimal\n"
                               "0x0001 : 000  : 00   : yes\n0x0002 : UNREACHABLE\n"
                               "0x0004 : 001  : 01   : yes\n";
    std::istringstream in(net);
    const IbSubnet subnet = IbNetReader::Read(in, "good").subnet;
    return {{"ib net",
             net,
             [](std::istream& s) {
                 const IbSubnet read = IbNetReader::Read(s, "fuzz").subnet;
                 std::ostringstream os;
                 IbNetWriter::WriteDiscovery(read, os);
                 IbNetWriter::WriteSimulator(read, os);
                 for (const char* engine : {"minhop", "updn"})
                 {
                     IbRouting::Compute(engine, read).FindCreditLoop(read);
                 }
             }},
            {"ib lids",
             lids,
             [subnet](std::istream& s) {
                 IbSubnet copy = subnet;
                 IbRoutesReader::ReadLids(s, "fuzz", copy);
             }},
            {"ib tables", tables, [subnet](std::istream& s) {
                 const auto read = IbRoutesReader::ReadTables(s, "fuzz", subnet);
                 for (uint16_t lid = 0; lid < 10; ++lid)
                 {
                     read.Follow(subnet, 0, 1, lid);
                 }
                 read.FindCreditLoop(subnet);
             }}};
}

/** @return all readers */
std::vector<Target>
Targets()
{
    std::vector<Target> targets = FlowTargets();
    for (auto& target : SubnetTargets())
    {
        targets.push_back(std::move(target));
    }
    for (auto& target : ServerTargets())
    {
        targets.push_back(std::move(target));
    }
    return targets;
}

} // namespace

TEST(FuzzReaders, GoodTextsAreRead)
{
    for (const auto& target : Targets())
    {
        std::istringstream in(target.good);
        const auto error = ErrorOf([&] { target.reader(in); });
        EXPECT_EQ(error, "") << target.name;
    }
}

// Every reader returns or throws FabricError, whatever the text; AI_FABRIC_FUZZ sets the rounds.
TEST(FuzzReaders, BrokenTextsAreReadOrRefused)
{
    const char* const more = std::getenv("AI_FABRIC_FUZZ");
    const int rounds = more != nullptr ? std::atoi(more) : 800;
    uint32_t refused = 0;
    for (const auto& target : Targets())
    {
        Mutator mutator(1);
        for (int i = 0; i < rounds; ++i)
        {
            const std::string text = mutator.Mutate(target.good);
            std::istringstream in(text);
            try
            {
                target.reader(in);
            }
            catch (const FabricError& e)
            {
                ++refused;
                EXPECT_NE(std::string(e.what()), "");
            }
            catch (const std::exception& e)
            {
                FAIL() << target.name << ", round " << i << ": " << e.what() << "\n" << text;
            }
        }
    }
    EXPECT_GT(refused, static_cast<uint32_t>(rounds)); // the mutations do reach the checks
}

// A file of millions of lines is refused where it declares them, or read only so far as declared.
TEST(FuzzReaders, HugeFilesAreBounded)
{
    std::string lines;
    for (int i = 0; i < 1000; ++i)
    {
        lines += "0 1 3 100 1 0\n";
    }
    std::string many;
    for (int i = 0; i < 3000; ++i)
    {
        many += lines; // 3 million lines
    }
    std::istringstream declared("10000000\n" + many);
    EXPECT_TRUE(
        Has(ErrorOf([&] { HpccScenarioReader::ReadFlows(declared, "f.txt"); }),
            "f.txt:1: '10000000': column 1: number of flows: allowed is a whole number from "
            "0 to 2000000"));
    std::istringstream spare("2\n" + many);
    EXPECT_EQ(HpccScenarioReader::ReadFlows(spare, "f.txt").flows.size(), 2U);
    EXPECT_LT(spare.tellg(), 100); // the rest was not even looked at
    std::istringstream config(many);
    EXPECT_TRUE(
        Has(ErrorOf([&] { HpccScenarioReader::ReadConfig(config, "c.txt"); }), "20 faults"));
    std::istringstream line(std::string(20 << 20, '7'));
    EXPECT_TRUE(Has(ErrorOf([&] { HpccScenarioReader::ReadTopology(line, "t.txt"); }),
                    "line of more than 16777216 bytes"));
}
