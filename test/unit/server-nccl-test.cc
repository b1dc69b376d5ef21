/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/nccl-topology-reader.h"
#include "ns3/nccl-topology-writer.h"
#include "ns3/server-catalog.h"
#include "ns3/server-relations.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;
using Answers = std::map<std::string, std::string>;

/** @brief What a real file has, counted by others. */
struct Expected
{
    const char* file;
    uint32_t version;
    uint32_t cpus;
    uint32_t pcis;
    uint32_t gpus;
    uint32_t nics;
    uint32_t nets;
    std::map<std::string, uint32_t> classes;
    uint32_t nvlinks;
    uint32_t xgmis;
    std::map<uint32_t, uint32_t> linksPerGpu;
    size_t targets;
    std::map<std::string, uint32_t> tclasses;
    uint32_t linkSum;
    std::map<std::string, uint32_t> netSpeeds;
    std::map<int32_t, uint32_t> gpusByNuma;
};

const Expected FILES[] = {
    {"azure_ncv4-topo.xml",
     1,
     4,
     4,
     4,
     1,
     1,
     {{"0x0302", 4}},
     4,
     0,
     {{12, 4}},
     4,
     {{"0x030200", 4}},
     48,
     {{"100000", 1}},
     {{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {"azure_ndv4-topo.xml",
     1,
     4,
     20,
     0,
     0,
     0,
     {{"0x0207", 8}, {"0x0302", 8}, {"0x0604", 4}},
     0,
     0,
     {},
     0,
     {},
     0,
     {},
     {{0, 2}, {1, 2}, {2, 2}, {3, 2}}},
    {"azure_ndv5-topo.xml",
     1,
     2,
     24,
     0,
     0,
     0,
     {{"0x0207", 8}, {"0x0302", 8}, {"0x0604", 8}},
     0,
     0,
     {},
     0,
     {},
     0,
     {},
     {{0, 4}, {1, 4}}},
    {"aws_p4d-24xl-topo.xml",
     1,
     2,
     16,
     0,
     0,
     0,
     {{"0x0200", 4}, {"0x0302", 8}, {"0x0604", 4}},
     0,
     0,
     {},
     0,
     {},
     0,
     {},
     {{0, 4}, {1, 4}}},
    {"aws_p5.48xl-topo.xml",
     1,
     2,
     40,
     0,
     0,
     0,
     {{"none", 40}},
     0,
     0,
     {},
     0,
     {},
     0,
     {},
     {{0, 0}, {1, 0}}},
    {"oci_H100-topology.xml",
     1,
     2,
     40,
     8,
     8,
     16,
     {{"0x0200", 8}, {"0x0302", 8}, {"0x0604", 24}},
     32,
     0,
     {{18, 8}},
     4,
     {{"0x068000", 32}},
     144,
     {{"180000", 16}},
     {{0, 4}, {1, 4}}},
    {"oci_A100_topo-flattened.xml",
     1,
     4,
     20,
     0,
     0,
     0,
     {{"0x0200", 8}, {"0x0302", 8}, {"0x0604", 4}},
     0,
     0,
     {},
     0,
     {},
     0,
     {},
     {{1, 2}, {3, 2}, {5, 2}, {7, 2}}},
    {"simccl_topo_1A100_1CX6.xml",
     1,
     1,
     8,
     1,
     2,
     2,
     {{"0x0200", 2}, {"0x0302", 1}, {"0x0604", 5}},
     6,
     0,
     {{12, 1}},
     6,
     {{"0x068000", 6}},
     12,
     {{"200000", 2}},
     {{0, 1}}},
    {"simccl_topo_2A100_1CX6.xml",
     1,
     1,
     9,
     2,
     2,
     2,
     {{"0x0200", 2}, {"0x0302", 2}, {"0x0604", 5}},
     12,
     0,
     {{12, 2}},
     6,
     {{"0x068000", 12}},
     24,
     {{"200000", 2}},
     {{0, 2}}},
    {"simccl_topo_8A100_4CX6.xml",
     1,
     2,
     33,
     8,
     5,
     5,
     {{"0x0200", 5}, {"0x0302", 8}, {"0x0604", 20}},
     48,
     0,
     {{12, 8}},
     6,
     {{"0x068000", 48}},
     96,
     {{"200000", 5}},
     {{0, 4}, {1, 4}}},
    {"rccl_topo_4p_940.xml",
     2,
     4,
     8,
     4,
     4,
     4,
     {{"0x0200", 4}, {"0x1200", 4}},
     0,
     12,
     {{3, 4}},
     4,
     {{"0x120000", 12}},
     12,
     {{"200000000", 4}},
     {{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {"rccl_topo_8p_940.xml",
     2,
     2,
     40,
     8,
     8,
     8,
     {{"0x0207", 8}, {"0x0604", 24}, {"0x1200", 8}},
     0,
     56,
     {{7, 8}},
     8,
     {{"0x120000", 56}},
     56,
     {{"400000", 8}},
     {{0, 4}, {1, 4}}},
    {"rccl_topo_16p1h.xml",
     2,
     4,
     52,
     16,
     8,
     8,
     {{"0x0207", 8}, {"0x0380", 16}, {"0x0604", 28}},
     0,
     56,
     {{7, 16}},
     16,
     {{"0x038000", 56}},
     112,
     {{"200000", 8}},
     {{0, 4}, {1, 4}, {2, 4}, {3, 4}}},
    {"rccl_topo_8p6l.xml",
     2,
     2,
     17,
     8,
     1,
     1,
     {{"0x0200", 1}, {"0x0380", 8}, {"0x0604", 8}},
     0,
     48,
     {{6, 8}},
     8,
     {{"0x038000", 48}},
     48,
     {{"200000", 1}},
     {{0, 4}, {1, 4}}},
    {"rccl_topo_4p3l.xml",
     2,
     1,
     11,
     4,
     2,
     2,
     {{"0x0200", 1}, {"0x0380", 4}, {"0x0604", 6}},
     0,
     12,
     {{3, 4}},
     4,
     {{"0x038000", 12}},
     12,
     {{"10000", 2}},
     {{0, 4}}},
    {"rccl_topo_8p_rome_4n_1.xml",
     2,
     4,
     32,
     8,
     4,
     4,
     {{"0x0207", 4}, {"0x0380", 8}, {"0x0604", 20}},
     0,
     24,
     {{3, 8}},
     8,
     {{"0x038000", 24}},
     24,
     {{"200000", 4}},
     {{1, 2}, {3, 2}, {5, 2}, {7, 2}}},
    {"rccl_topo_8p_pcie_2nic.xml",
     2,
     1,
     20,
     8,
     2,
     2,
     {{"0x0207", 2}, {"0x0380", 8}, {"0x0604", 10}},
     0,
     0,
     {},
     0,
     {},
     0,
     {{"100000", 2}},
     {{0, 8}}},
    {"rccl_topo_collnet_n4.xml",
     2,
     4,
     32,
     8,
     4,
     4,
     {{"0x0207", 4}, {"0x0380", 8}, {"0x0604", 20}},
     0,
     24,
     {{3, 8}},
     8,
     {{"0x038000", 24}},
     24,
     {{"200000", 4}},
     {{0, 2}, {1, 2}, {2, 2}, {3, 2}}},
    {"rccl_topo_8p_ts1_n4_2.xml",
     2,
     8,
     18,
     8,
     2,
     3,
     {{"0x0207", 2}, {"0x0380", 8}, {"0x0604", 8}},
     0,
     16,
     {{2, 8}},
     8,
     {{"0x038000", 16}},
     16,
     {{"100000", 1}, {"200000", 2}},
     {{0, 0}, {1, 1}, {2, 2}, {3, 1}, {4, 1}, {5, 2}, {6, 0}, {7, 1}}},
    {"yccl_topo_h800.xml",
     1,
     2,
     24,
     8,
     8,
     8,
     {{"0x0207", 8}, {"0x0302", 8}, {"0x0604", 8}},
     32,
     0,
     {{8, 8}},
     4,
     {{"0x068000", 32}},
     64,
     {{"400000", 8}},
     {{0, 4}, {1, 4}}},
    {"yccl_topo_4xA6000.xml",
     1,
     2,
     6,
     4,
     3,
     10,
     {{"0x0200", 2}, {"0x0300", 4}},
     0,
     0,
     {},
     0,
     {},
     0,
     {{"1000", 2}, {"10000", 8}},
     {{0, 2}, {1, 2}}},
    {"rtp_llm_rtxpro_cx8_topo.xml",
     1,
     2,
     33,
     8,
     9,
     12,
     {{"0x0200", 8}, {"0x0207", 1}, {"0x0302", 8}, {"0x0604", 16}},
     0,
     0,
     {},
     0,
     {},
     0,
     {{"", 12}},
     {{0, 4}, {1, 4}}},
};

/**
 * @param text a topology
 * @param answers to open questions
 * @return the server
 */
NcclTopologyReader::Result
ReadText(const std::string& text, const Answers& answers = {})
{
    std::istringstream in(text);
    return NcclTopologyReader::Read(in, "t.xml", answers);
}

/**
 * @param inside of a cpu element
 * @return the message of the reader
 */
std::string
ErrorIn(const std::string& inside)
{
    return ErrorOf([&] {
        ReadText("<system version=\"1\">\n<cpu numaid=\"0\">\n" + inside + "\n</cpu>\n</system>");
    });
}

/**
 * @param topology a server
 * @return GPU links by number, over all GPUs
 */
std::map<uint32_t, uint32_t>
LinksPerGpu(const ServerTopology& topology)
{
    std::map<uint32_t, uint32_t> links;
    for (const auto gpu : topology.GetRanks())
    {
        const uint32_t count = topology.GetGpuLinks(gpu);
        links[count] += count > 0 ? 1 : 0;
    }
    links.erase(0);
    return links;
}

} // namespace

TEST(NcclTopology, RealFilesHaveTheirCounts)
{
    NEEDS_DATA();
    for (const auto& e : FILES)
    {
        SCOPED_TRACE(e.file);
        const auto result = NcclTopologyReader::Read(DataPath(std::string("nccl-topo/") + e.file));
        const auto& r = result.report;
        EXPECT_EQ(r.version, e.version);
        EXPECT_EQ(r.cpus, e.cpus);
        EXPECT_EQ(r.pcis, e.pcis);
        EXPECT_EQ(r.gpus, e.gpus);
        EXPECT_EQ(r.nics, e.nics);
        EXPECT_EQ(r.nets, e.nets);
        EXPECT_EQ(r.classes, e.classes);
        EXPECT_EQ(r.nvlinks, e.nvlinks);
        EXPECT_EQ(r.xgmis, e.xgmis);
        EXPECT_EQ(r.linksPerGpu, e.linksPerGpu);
        EXPECT_EQ(r.targets.size(), e.targets);
        EXPECT_EQ(r.tclasses, e.tclasses);
        EXPECT_EQ(r.linkSum, e.linkSum);
        EXPECT_EQ(r.netSpeeds, e.netSpeeds);
        EXPECT_EQ(r.gpusByNuma, e.gpusByNuma);
        // what was read is what the server has: ranks are GPUs, never NVSwitches (fault 33)
        uint32_t gpus = 0;
        for (const auto& numa : e.gpusByNuma)
        {
            gpus += numa.second;
        }
        const auto& server = result.topology;
        EXPECT_EQ(server.GetRanks().size(), gpus);
        EXPECT_EQ(server.GetParts(Kind::CPU).size(), e.cpus);
        const bool known = std::string(e.file) != "azure_ncv4-topo.xml"; // links to themselves
        EXPECT_EQ(LinksPerGpu(server), known ? e.linksPerGpu : LinksPerGpu(ServerTopology()));
        if (e.tclasses.count("0x068000") > 0)
        {
            EXPECT_EQ(server.GetParts(Kind::NVSWITCH).size(), e.targets);
        }
    }
}

// A full dump of an H100 node leaves open only what joins the sockets.
TEST(NcclTopology, FullDumpAsksForTheSocketsOnly)
{
    NEEDS_DATA();
    const std::string path = DataPath("nccl-topo/yccl_topo_h800.xml");
    const auto open = NcclTopologyReader::Read(path).topology;
    ASSERT_EQ(open.GetOpenQuestions().size(), 1U);
    EXPECT_EQ(open.GetOpenQuestions()[0].key, "socket");
    auto server = NcclTopologyReader::Read(path, Answers{{"socket", "upi"}}).topology;
    server.RequireComplete();
    EXPECT_EQ(server.GetPart(server.GetRanks()[0]).model, "H800-SXM5-80GB");
    EXPECT_EQ(ServerRelations(server).CountPairs(), (std::map<std::string, uint32_t>{{"NV8", 28}}));
    ServerRelations relations(server);
    for (size_t i = 0; i < 8; ++i) // each GPU has its own NIC below the same switch
    {
        const auto nics = relations.GetNearestNics(server.GetRanks()[i]);
        ASSERT_EQ(nics.size(), 1U);
        EXPECT_EQ(relations.Get(server.GetRanks()[i], nics[0]).GetText(), "PIX");
        EXPECT_EQ(server.GetPart(nics[0]).netRateBps, 400'000'000'000U);
    }
}

// A dump whose links end at themselves: the other end is asked for by name.
TEST(NcclTopology, LinksToThemselvesAreAskedFor)
{
    NEEDS_DATA();
    const std::string path = DataPath("nccl-topo/azure_ncv4-topo.xml");
    const auto open = NcclTopologyReader::Read(path).topology;
    std::set<std::string> keys;
    for (const auto& question : open.GetOpenQuestions())
    {
        keys.insert(question.key);
    }
    EXPECT_EQ(keys,
              (std::set<std::string>{"peer:gpu0",
                                     "peer:gpu1",
                                     "peer:gpu2",
                                     "peer:gpu3",
                                     "pcie:gpu0",
                                     "pcie:gpu1",
                                     "pcie:gpu2",
                                     "pcie:gpu3",
                                     "pcie:eth0",
                                     "socket"}));
    EXPECT_TRUE(Has(ErrorOf([&] { open.RequireComplete(); }), "peer:gpu2: 12 links of gpu2 go to"));
    Answers answers{{"peer:gpu0", "gpu1"},
                    {"peer:gpu1", "gpu0"},
                    {"peer:gpu2", "gpu3"},
                    {"peer:gpu3", "gpu2"},
                    {"pcie", "pcie4-x16"},
                    {"socket", "xgmi-socket"}};
    const auto server = NcclTopologyReader::Read(path, answers).topology;
    server.RequireComplete();
    EXPECT_EQ(ServerRelations(server).CountPairs(),
              (std::map<std::string, uint32_t>{{"NV12", 2}, {"SYS", 4}}));
    answers["peer:gpu3"] = "gpu9";
    EXPECT_TRUE(Has(ErrorOf([&] { NcclTopologyReader::Read(path, answers); }),
                    "answer to 'peer:gpu3': 'gpu9': another GPU is wanted"));
}

// A file of bus numbers only: what each device is, is asked for, never guessed.
TEST(NcclTopology, DevicesWithoutClassAreAskedFor)
{
    NEEDS_DATA();
    const std::string path = DataPath("nccl-topo/aws_p5.48xl-topo.xml");
    const auto open = NcclTopologyReader::Read(path).topology;
    EXPECT_EQ(open.GetParts(Kind::DEVICE).size(), 32U);
    const auto server = NcclTopologyReader::Read(path,
                                                 Answers{{"kind", "nic"},
                                                         {"kind:0000:4f:00.0", "gpu"},
                                                         {"model", "H100-SXM5-80GB"},
                                                         {"net", "100Gbps"},
                                                         {"pcie", "pcie5-x16"},
                                                         {"socket", "upi"}})
                            .topology;
    server.RequireComplete();
    EXPECT_EQ(server.GetRanks().size(), 1U);
    EXPECT_EQ(server.GetParts(Kind::NIC).size(), 31U);
}

// An absurd network rate (200 Tb/s) and xGMI of an unknown generation are asked for.
TEST(NcclTopology, AbsurdAndUnknownRatesAreAskedFor)
{
    NEEDS_DATA();
    const std::string path = DataPath("nccl-topo/rccl_topo_4p_940.xml");
    const auto error = ErrorOf([&] { NcclTopologyReader::Read(path).topology.RequireComplete(); });
    EXPECT_TRUE(Has(error, "net:cxi0: network rate of cxi0"));
    EXPECT_TRUE(Has(error, "xgmi:gpu0: GPU links of gpu0: name a link profile of xGMI"));
}

// A complete file: one socket, nothing is open.
TEST(NcclTopology, FixtureIsComplete)
{
    const auto result = NcclTopologyReader::Read(FixturePath("server-nccl.xml"));
    const auto& server = result.topology;
    server.RequireComplete();
    EXPECT_EQ(result.report.linkSum, 36U);
    EXPECT_EQ(server.GetRanks().size(), 2U);
    EXPECT_EQ(server.GetParts(Kind::NVSWITCH).size(), 4U);
    ServerRelations relations(server);
    const auto& gpus = server.GetRanks();
    EXPECT_EQ(relations.Get(gpus[0], gpus[1]).GetText(), "NV18");
    EXPECT_EQ(relations.GetNearestNics(gpus[1]), std::vector<uint32_t>{server.Find("mlx5_1")});
    const auto& nic = server.GetPart(server.Find("mlx5_1"));
    EXPECT_EQ(nic.netPorts, 2U);
    EXPECT_EQ(nic.netRateBps, 400'000'000'000U); // both ports
}

TEST(NcclTopology, WrongAnswersAreRefused)
{
    const std::string text = "<system version='1'><cpu numaid='0'><pci busid='0:1' "
                             "class='0x030200' vendor='0x10de' device='0x20b0'/></cpu></system>";
    ReadText(text, {{"pcie", "pcie4-x16"}}).topology.RequireComplete();
    EXPECT_TRUE(Has(ErrorOf([&] {
                        ReadText(text, {{"pcie", "nvlink3"}});
                    }),
                    "answer to 'pcie:gpu0': 'nvlink3': a link profile of PCIe is wanted"));
    EXPECT_TRUE(Has(ErrorOf([&] {
                        ReadText(text, {{"pcie:gpu1", "pcie4-x16"}});
                    }),
                    "answer to 'pcie:gpu1': 'pcie4-x16': was not asked; asked was: pcie:gpu0"));
    EXPECT_TRUE(Has(ErrorOf([&] { ReadText(text, {{"pcie", ""}}); }), "an empty answer"));
}

TEST(NcclTopology, FaultsNameFileLineAndToken)
{
    EXPECT_TRUE(Has(ErrorIn("<pci busid='0:1' class='0x0302zz'/>"),
                    "t.xml:3: '0x0302zz': class of <pci>: allowed is 0x and 1 to 6"));
    EXPECT_TRUE(Has(ErrorIn("<pci class='0x030200'/>"), "t.xml:3: '<pci>': the attribute busid"));
    EXPECT_TRUE(Has(ErrorIn("<pci busid='0:1' class='0x030200' link_speed='fast'/>"),
                    "t.xml:3: 'fast': link_speed: allowed is a text like 16.0 GT/s PCIe"));
    EXPECT_TRUE(Has(ErrorIn("<gpu/>"), "t.xml:3: '<gpu>': allowed in <cpu> are <pci> and <nic>"));
    EXPECT_TRUE(Has(ErrorIn("<pci busid='0:1' class='0x02'>\n<gpu dev='0'>\n<nvlink target='a' "
                            "tclass='0x068000' count='0'/></gpu></pci>"),
                    "t.xml:5: '0': count of <nvlink>: allowed is a whole number from 1 to 1024"));
    EXPECT_TRUE(Has(ErrorIn("<pci busid='a' class='0x0108'/>\n<pci busid='a' class='0x0108'/>"),
                    "t.xml:4: 'a': there are two PCI devices with this busid"));
    EXPECT_TRUE(Has(ErrorIn("<pci busid='a' vendor='0x10de' device='0x20b0' class='0x030200'>\n"
                            "<gpu dev='0'>\n<nvlink target='s' tclass='0x068000' count='13'/>"
                            "</gpu></pci>"),
                    "gpu0 (A100-SXM4-40GB) has 12 NVLink ports, 0 in use: 13 more make 13"));
    EXPECT_TRUE(Has(ErrorOf([] { ReadText("<graphs/>"); }), "starts with <system>"));
    EXPECT_TRUE(Has(ErrorOf([] { ReadText("<system version='1'/>"); }), "at least one <cpu>"));
}

// Two ends that disagree about the number of links between them.
TEST(NcclTopology, EndsHaveToAgree)
{
    const auto gpu = [](int n, int peer, int count) {
        const auto text = [](int i) { return std::to_string(i); };
        return "<pci busid='" + text(n) +
               "' class='0x030200' vendor='0x10de' device='0x1db1'>"
               "<gpu dev='0'><nvlink target='" +
               text(peer) + "' count='" + text(count) + "' tclass='0x030200'/></gpu></pci>\n";
    };
    EXPECT_TRUE(Has(ErrorIn(gpu(1, 2, 2) + gpu(2, 1, 1)),
                    "t.xml:4: '1': 1 links, but the other end says 2 in line 3"));
    const auto server = ReadText("<system version='1'><cpu numaid='0'>" + gpu(1, 2, 2) +
                                 gpu(2, 1, 2) + "</cpu></system>")
                            .topology;
    EXPECT_EQ(server.GetGpuLinks(0 + 1, 0 + 2), 2U); // part 0 is the CPU; counted once
}

// Our export, read back, has the same GPUs, switches, NICs and matrix.
TEST(NcclTopology, ExportReadsBackTheSame)
{
    for (const auto& name : ServerCatalog::GetNames())
    {
        SCOPED_TRACE(name);
        const auto server = ServerCatalog::Make(name);
        if (server.GetNServers() > 1 || server.GetParts(Kind::CPU).empty())
        {
            continue; // trays and packages: see below
        }
        std::ostringstream os;
        NcclTopologyWriter::Write(server, os);
        Answers answers;
        std::istringstream first(os.str());
        const auto open = NcclTopologyReader::Read(first, "out").topology;
        for (const auto& q : open.GetOpenQuestions())
        {
            const std::string key = q.key.substr(0, q.key.find(':'));
            answers[key] = key == "socket"  ? "upi"
                           : key == "model" ? server.GetPart(server.GetRanks()[0]).model
                           : key == "xgmi"  ? "xgmi3"
                                            : "pcie4-x16";
        }
        answers.erase("nvlink");                         // follows from the model
        const bool oam = name.compare(0, 3, "oam") == 0; // the form has no word for OAM links
        if (oam)
        {
            answers.erase("model");
        }
        std::istringstream in(os.str());
        const auto back = NcclTopologyReader::Read(in, "out", oam ? Answers() : answers).topology;
        for (const Kind kind : {Kind::GPU, Kind::PCIE_SWITCH, Kind::CPU, Kind::NIC})
        {
            EXPECT_EQ(back.GetParts(kind).size(), server.GetParts(kind).size());
        }
        EXPECT_EQ(LinksPerGpu(back), LinksPerGpu(server));
        if (!oam && name != "dgx2") // the form has no links between NVSwitches
        {
            EXPECT_EQ(back.GetBisectionBps(), server.GetBisectionBps());
            ServerRelations ours(server);
            ServerRelations theirs(back);
            for (size_t i = 0; i < server.GetRanks().size(); ++i)
            {
                for (size_t j = 0; j < server.GetRanks().size(); ++j)
                {
                    const auto a = ours.Get(server.GetRanks()[i], server.GetRanks()[j]);
                    const auto b = theirs.Get(back.GetRanks()[i], back.GetRanks()[j]);
                    EXPECT_EQ(a.links, b.links);
                }
            }
        }
    }
    EXPECT_TRUE(Has(ErrorOf([] {
                        std::ostringstream os;
                        NcclTopologyWriter::Write(ServerCatalog::Make("chiplet-package"), os);
                    }),
                    "server 0 has no CPU"));
}

// A tray of an NVLink domain over many chassis: its GPUs, and all switches as targets.
TEST(NcclTopology, TrayOfADomainIsExported)
{
    const auto rack = ServerCatalog::Make("gb200-nvl72");
    std::ostringstream os;
    NcclTopologyWriter::Write(rack, os, 3);
    std::istringstream in(os.str());
    const auto tray = NcclTopologyReader::Read(in, "tray").topology;
    EXPECT_EQ(tray.GetRanks().size(), 4U);
    EXPECT_EQ(tray.GetParts(Kind::NVSWITCH).size(), 18U);
    EXPECT_EQ(LinksPerGpu(tray), (std::map<uint32_t, uint32_t>{{18, 4}}));
}
