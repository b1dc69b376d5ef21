/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/hwloc-topology-reader.h"
#include "ns3/nccl-graph.h"
#include "ns3/nccl-topology-reader.h"
#include "ns3/server-catalog.h"
#include "ns3/server-relations.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;
using Answers = std::map<std::string, std::string>;

/**
 * @param text a topology
 * @return the message of the reader
 */
std::string
ErrorIn(const std::string& text)
{
    return ErrorOf([&] {
        std::istringstream in(text);
        HwlocTopologyReader::Read(in, "h.xml");
    });
}

/**
 * @param text an XML text
 * @return the message of a reader of it
 */
std::string
XmlError(const std::string& text)
{
    return ErrorOf([&] {
        std::istringstream in(text);
        NcclTopologyReader::Read(in, "x.xml");
    });
}

} // namespace

TEST(HwlocTopology, Dgx2HasItsCounts)
{
    NEEDS_DATA();
    const auto result = HwlocTopologyReader::Read(DataPath("smi-topo/hwloc_nvidia_DGX2.xml"));
    const auto& r = result.report;
    EXPECT_EQ(r.version, "3.0");
    EXPECT_EQ(r.pciClasses,
              (std::map<std::string, uint32_t>{{"0302", 16}, {"0680", 11}, {"0000", 1}}));
    EXPECT_EQ(r.columns, (std::map<std::string, uint32_t>{{"OSDev", 16}, {"PCIDev", 12}}));
    EXPECT_EQ(r.values, 784U);
    EXPECT_EQ(r.nonZero, 192U);
    EXPECT_EQ(r.distinct, (std::set<uint64_t>{0, 25000}));
    EXPECT_EQ(r.gpuRowSums, (std::set<uint64_t>{150000}));
    EXPECT_EQ(r.gpuGpuValues, (std::set<uint64_t>{0}));
    const auto& server = result.topology;
    EXPECT_EQ(server.GetRanks().size(), 16U); // fault 33: not 28
    EXPECT_EQ(server.GetParts(Kind::NVSWITCH).size(), 12U);
    for (const auto gpu : server.GetRanks())
    {
        EXPECT_EQ(server.GetGpuLinks(gpu), 6U);
        EXPECT_EQ(server.GetPart(gpu).model, "V100-SXM3-32GB");
    }
}

// What the matrix leaves out, the links between the boards, is asked for.
TEST(HwlocTopology, LinksBetweenTheBoardsAreAskedFor)
{
    NEEDS_DATA();
    const std::string path = DataPath("smi-topo/hwloc_nvidia_DGX2.xml");
    const auto open = HwlocTopologyReader::Read(path).topology;
    EXPECT_TRUE(
        Has(ErrorOf([&] { open.RequireComplete(); }), "nvswitch-trunk: the matrix has two"));
    EXPECT_EQ(open.GetBisectionBps(), 0U);
    const auto server =
        HwlocTopologyReader::Read(path, Answers{{"nvswitch-trunk", "8"}, {"socket", "upi"}})
            .topology;
    server.RequireComplete();
    EXPECT_EQ(server.GetBisectionBps(), ServerCatalog::Make("dgx2").GetBisectionBps());
    EXPECT_EQ(ServerRelations(server).CountPairs(),
              (std::map<std::string, uint32_t>{{"NV6", 120}}));
    EXPECT_TRUE(Has(ErrorOf([&] {
                        HwlocTopologyReader::Read(path, Answers{{"nvswitch-trunk", "65"}});
                    }),
                    "answer to 'nvswitch-trunk': '65': a whole number from 0 to 64"));
}

TEST(HwlocTopology, FaultsNameFileLineAndToken)
{
    EXPECT_TRUE(Has(ErrorIn("<system version='1'/>"), "h.xml:1: '<system>': a hwloc topology"));
    EXPECT_TRUE(Has(ErrorIn("<topology version='1.0'/>"), "allowed are 2 and 3"));
    const std::string matrix = "<topology version='2.0'>\n<distances2hetero nbobjs='2' "
                               "name='NVLinkBandwidth'>\n<indexes>OSDev:7</indexes>\n"
                               "</distances2hetero></topology>";
    EXPECT_TRUE(Has(ErrorIn(matrix), "h.xml:3: 'OSDev:7': there is no such GPU or NVSwitch above"));
    EXPECT_TRUE(Has(ErrorIn("<topology version='2.0'>\n<object type='Machine'>\n<object "
                            "type='PCIDev' pci_type='03'/></object></topology>"),
                    "h.xml:3: '03': pci_type: allowed is a text like 0302 [10de:1db8]"));
}

// The graphs of NCCL: channels and the order of GPUs, decimal and hexadecimal numbers.
TEST(NcclGraph, RealFilesHaveTheirCounts)
{
    NEEDS_DATA();
    const std::vector<uint32_t> order{0, 1, 2, 3};
    const auto azure = NcclGraph::Read(DataPath("nccl-topo/azure_ncv4-graph.xml"));
    ASSERT_EQ(azure.size(), 3U);
    const uint32_t patterns[] = {4, 1, 3};
    const size_t channels[] = {2, 4, 4};
    for (size_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(azure[i].id, i);
        EXPECT_EQ(azure[i].pattern, patterns[i]);
        EXPECT_EQ(azure[i].channels.size(), channels[i]);
        EXPECT_EQ(azure[i].speedIntra, 12);
        EXPECT_EQ(azure[i].speedInter, 12);
        EXPECT_EQ(azure[i].typeIntra, "SYS");
        EXPECT_EQ(azure[i].typeInter, "PIX");
        EXPECT_EQ(NcclGraph::GetGpus(azure[i].channels[0]), order);
    }
    EXPECT_EQ(NcclGraph::GetGpus(azure[0].channels[1]), (std::vector<uint32_t>{0, 3, 2, 1}));
    const auto yccl = NcclGraph::Read(DataPath("nccl-topo/yccl_graph_4xA6000.xml"));
    ASSERT_EQ(yccl.size(), 5U);
    const uint32_t ids[] = {0, 1, 4, 2, 3};
    const uint32_t kinds[] = {4, 1, 6, 3, 5};
    for (size_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(yccl[i].id, ids[i]);
        EXPECT_EQ(yccl[i].pattern, kinds[i]);
        EXPECT_EQ(yccl[i].channels.size(), i < 2 ? 1U : 0U);
        EXPECT_EQ(yccl[i].speedIntra, i < 2 ? 10 : 0);
        EXPECT_EQ(yccl[i].speedInter, i < 2 ? 10 : 0);
        EXPECT_EQ(yccl[i].typeIntra, i < 2 ? "SYS" : "LOC");
        EXPECT_EQ(yccl[i].typeInter, i < 2 ? "PIX" : "LOC");
        if (i < 2)
        {
            EXPECT_EQ(NcclGraph::GetGpus(yccl[i].channels[0]), order);
        }
    }
}

TEST(NcclGraph, ChannelsAreCounted)
{
    std::istringstream in("<graphs version='1'>\n<graph id='0' pattern='4' nchannels='2' "
                          "speedintra='1' speedinter='1' typeintra='NVL' typeinter='PIX'>"
                          "<channel><net dev='0'/><gpu dev='0xa'/></channel></graph></graphs>");
    EXPECT_TRUE(Has(ErrorOf([&] { NcclGraph::Read(in, "g.xml"); }),
                    "g.xml:2: '2': nchannels of <graph>: there are 1 channels"));
}

// Size, depth and number of elements are bounded, and nothing is expanded.
TEST(XmlReader, HostileTextsAreRefused)
{
    EXPECT_TRUE(Has(XmlError("<?xml version='1.0'?>\n<!DOCTYPE x [<!ENTITY a 'b'>]>\n<system/>"),
                    "x.xml:2: '<!DOCTYPE': a DOCTYPE with definitions is refused"));
    EXPECT_TRUE(Has(XmlError("<system version='&a;'/>"), "x.xml:1: '&a;'/>': allowed are &lt;"));
    std::string deep;
    for (int i = 0; i < 100000; ++i)
    {
        deep += "<a>";
    }
    EXPECT_TRUE(Has(XmlError(deep), "more than 64 elements inside each other"));
    std::string many = "<system>";
    for (int i = 0; i < 1000001; ++i)
    {
        many += "<a/>";
    }
    EXPECT_TRUE(Has(XmlError(many), "more than 1000000 elements"));
    EXPECT_TRUE(Has(XmlError(std::string((64 << 20) + 1, ' ')), "more than 67108864 bytes of XML"));
    EXPECT_TRUE(
        Has(XmlError("<a>\n<b>\n</a>"), "x.xml:3: '</a>': </b> is wanted, opened in line 2"));
    EXPECT_TRUE(Has(XmlError("<a b='1' b='2'/>"), "x.xml:1: 'b': attribute given twice"));
    EXPECT_TRUE(Has(XmlError("<a"), "x.xml:1"));
    EXPECT_TRUE(Has(XmlError("<a/>x"), "nothing may follow the root element"));
    EXPECT_TRUE(Has(XmlError("<a>\x01</a>"), "binary data"));
    EXPECT_TRUE(Has(XmlError("<!-- a"), "a comment without its end -->"));
    EXPECT_TRUE(Has(XmlError(""), "an XML element is wanted"));
}
