/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/dgx-builder.h"
#include "ns3/server-catalog.h"
#include "ns3/server-relations.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;
using Pairs = std::map<std::string, uint32_t>;

/** @brief What an assembly has to have. */
struct Expected
{
    const char* name;     //!< in the catalog
    uint32_t gpus;        //!< GPUs
    uint32_t linksPerGpu; //!< GPU links of each
    uint32_t switches;    //!< NVSwitches
    uint32_t portsUsed;   //!< of all NVSwitches together
    uint32_t bisection;   //!< links across the middle of the GPUs
    const char* profile;  //!< of a link; "" if there are none
    Pairs pairs;          //!< GPU pairs by relation
};

const Expected ASSEMBLIES[] = {
    // cube of two quads: 4 edges across
    {"dgx1-p100", 8, 4, 0, 0, 4, "nvlink1", {{"NV1", 16}, {"SYS", 12}}},
    // 0-4 and 1-5 double, 2-6 and 3-7 single
    {"dgx1-v100", 8, 6, 0, 0, 6, "nvlink2", {{"NV1", 8}, {"NV2", 8}, {"SYS", 12}}},
    // 12 switches with 8 + 8 ports; 6 x 8 links across: 2.4 TB/s both ways (paper G6)
    {"dgx2", 16, 6, 12, 192, 48, "nvlink2", {{"NV6", 120}}},
    {"dgx-a100", 8, 12, 6, 96, 48, "nvlink3", {{"NV12", 28}}},
    {"a800", 8, 8, 6, 64, 32, "nvlink3", {{"NV8", 28}}},
    {"dgx-h100", 8, 18, 4, 144, 72, "nvlink4", {{"NV18", 28}}},
    {"hgx-h200", 8, 18, 4, 144, 72, "nvlink4", {{"NV18", 28}}},
    {"h800", 8, 8, 4, 64, 32, "nvlink4", {{"NV8", 28}}},
    {"b200", 8, 18, 2, 144, 72, "nvlink5", {{"NV18", 28}}},
    {"nvl32", 32, 18, 18, 576, 288, "nvlink4", {{"NV18", 496}}},
    // all 72 ports of all 18 chips; 36 x 18 links across
    {"gb200-nvl72", 72, 18, 18, 1296, 648, "nvlink5", {{"NV18", 2556}}},
    // 18 planes of 16 lower and 9 upper chips: 72 and 64 ports used
    {"nvl576", 576, 18, 450, 18 * (16 * 72 + 9 * 64), 5184, "nvlink5", {{"NV18", 165600}}},
    {"mi300x", 8, 7, 0, 0, 16, "xgmi3", {{"XGMI", 28}}},
    {"oam-full-mesh", 8, 7, 0, 0, 16, "oam", {{"OAM", 28}}}, // G13: 28 cables
    {"oam-cube-mesh", 8, 6, 0, 0, 8, "oam", {{"OAM", 16}, {"SYS", 12}}},
    {"ring8-nvlink", 8, 6, 0, 0, 6, "nvlink2", {{"NV3", 8}, {"NODE", 6}, {"SYS", 14}}},
    {"l40s-pcie", 8, 0, 0, 0, 0, "", {{"PIX", 4}, {"NODE", 8}, {"SYS", 16}}},
    {"pcie-box", 4, 0, 0, 0, 0, "", {{"PHB", 2}, {"NODE", 4}}},
    {"power9", 4, 6, 0, 0, 0, "nvlink2", {{"NV3", 2}, {"SYS", 4}}},
    {"chiplet-package", 0, 0, 0, 0, 0, "", {}},
};

} // namespace

TEST(ServerCatalog, EveryAssemblyHasItsCounts)
{
    for (const auto& expected : ASSEMBLIES)
    {
        SCOPED_TRACE(expected.name);
        const auto server = ServerCatalog::Make(expected.name);
        EXPECT_EQ(server.GetRanks().size(), expected.gpus);
        EXPECT_EQ(server.GetParts(Kind::NVSWITCH).size(), expected.switches);
        for (const auto gpu : server.GetRanks())
        {
            EXPECT_EQ(server.GetGpuLinks(gpu), expected.linksPerGpu);
            EXPECT_LE(server.GetGpuLinks(gpu), server.GetPart(gpu).maxLinks);
        }
        uint32_t ports = 0;
        for (const auto nvSwitch : server.GetParts(Kind::NVSWITCH))
        {
            EXPECT_LE(server.GetGpuLinks(nvSwitch), server.GetPart(nvSwitch).maxLinks);
            ports += server.GetGpuLinks(nvSwitch);
        }
        EXPECT_EQ(ports, expected.portsUsed);
        const std::string profile = expected.profile;
        const uint64_t rate = profile.empty() ? 0 : LinkProfile::Get(profile).rateBps;
        EXPECT_EQ(server.GetBisectionBps(), rate * expected.bisection);
        EXPECT_EQ(ServerRelations(server).CountPairs(), expected.pairs);
        EXPECT_TRUE(server.GetOpenQuestions().empty());
    }
}

TEST(ServerCatalog, EveryNameIsCheckedAbove)
{
    std::vector<std::string> checked;
    for (const auto& expected : ASSEMBLIES)
    {
        checked.emplace_back(expected.name);
        EXPECT_NE(ServerCatalog::GetText(expected.name), "");
    }
    EXPECT_EQ(ServerCatalog::GetNames(), checked);
    const auto error = ErrorOf([] { ServerCatalog::Make("dgx-3"); });
    EXPECT_TRUE(Has(error, "unknown server 'dgx-3'; known: dgx1-p100, dgx1-v100, dgx2"));
}

// Issue 4: IO die, base dies, compute dies and memory as parts; OAM-like packages have no ranks.
TEST(ServerCatalog, ChipletPackageHasItsDies)
{
    const auto package = ServerCatalog::Make("chiplet-package");
    EXPECT_EQ(package.GetParts(Kind::DIE).size(), 7U);
    EXPECT_EQ(package.GetParts(Kind::MEMORY).size(), 5U);
    EXPECT_EQ(package.GetLinks(package.Find("io0")).size(), 4U); // DDR, two base dies, PCIe
    EXPECT_EQ(package.GetLinks(package.Find("base1")).size(), 5U);
    EXPECT_EQ(package.GetLinks(package.Find("compute3")).size(), 1U);
}

// GB200: a Grace with two GPUs on C2C; every GPU in one domain over 18 trays of GPUs.
TEST(ServerCatalog, Nvl72IsOneDomainOverItsTrays)
{
    const auto rack = ServerCatalog::Make("gb200-nvl72");
    EXPECT_EQ(rack.GetNServers(), 27U); // 18 with GPUs, 9 with switches
    EXPECT_EQ(rack.GetDomainGpus(rack.GetRanks()[0]), 72U);
    EXPECT_EQ(rack.GetParts(Kind::CPU).size(), 36U);
    EXPECT_EQ(rack.GetParts(Kind::NIC).size(), 72U);
    uint32_t c2c = 0;
    for (const auto& link : rack.GetLinks())
    {
        const bool toGpu = rack.GetPart(link.b).kind == Kind::GPU;
        c2c += link.family == LinkProfile::Family::C2C && toGpu ? 1 : 0;
    }
    EXPECT_EQ(c2c, 72U);
}

// A800 and H800: 400 GB/s NVLink both ways together, G3's rates cut to 8 links.
TEST(ServerCatalog, CutLinksAre400GBps)
{
    for (const char* name : {"a800", "h800"})
    {
        const auto server = ServerCatalog::Make(name);
        const uint64_t bps =
            2 * 8 * LinkProfile::Get(name[0] == 'a' ? "nvlink3" : "nvlink4").rateBps;
        EXPECT_NEAR(static_cast<double>(bps) / 8e9, 400, 26); // nvlink4 counts its line rate
        EXPECT_EQ(server.GetGpuLinks(server.GetRanks()[0]), 8U);
    }
}

// G4: the neighbours of each GPU of the hybrid cube mesh.
TEST(ServerCatalog, Dgx1V100IsTheHybridCubeMesh)
{
    const std::vector<std::vector<uint32_t>>
        single{{1, 2}, {0, 3}, {0, 6}, {1, 7}, {5, 6}, {4, 7}, {2, 4}, {3, 5}};
    const std::vector<std::vector<uint32_t>>
        twice{{3, 4}, {2, 5}, {1, 3}, {0, 2}, {0, 7}, {1, 6}, {5, 7}, {4, 6}};
    const auto server = ServerCatalog::Make("dgx1-v100");
    const auto& gpus = server.GetRanks();
    for (uint32_t i = 0; i < 8; ++i)
    {
        for (uint32_t j = 0; j < 8; ++j)
        {
            const auto in = [j](const std::vector<uint32_t>& list) {
                return std::count(list.begin(), list.end(), j) > 0;
            };
            const uint32_t links = in(single[i]) ? 1 : in(twice[i]) ? 2 : 0;
            EXPECT_EQ(server.GetGpuLinks(gpus[i], gpus[j]), links) << i << " " << j;
        }
    }
}

// Fault 36: four switches, 5+4+4+5 links of each GPU (1000+800+800+1000 Gb/s).
TEST(ServerCatalog, H100SpreadsOverFourSwitches)
{
    const auto server = ServerCatalog::Make("dgx-h100");
    for (const auto gpu : server.GetRanks())
    {
        std::vector<uint32_t> links;
        for (const auto nvSwitch : server.GetParts(Kind::NVSWITCH))
        {
            links.push_back(server.GetGpuLinks(gpu, nvSwitch));
        }
        EXPECT_EQ(links, (std::vector<uint32_t>{5, 4, 4, 5}));
    }
}

// A board with a GPU it never had.
TEST(ServerCatalog, ModelsThatDoNotFitAreRefused)
{
    EXPECT_TRUE(Has(ErrorOf([] { DgxBuilder::MakeDgx1("H100-SXM5-80GB"); }), "P100-SXM2"));
    EXPECT_TRUE(Has(ErrorOf([] { DgxBuilder::MakeA100("V100-SXM2-16GB"); }), "A100-SXM4"));
    EXPECT_TRUE(Has(ErrorOf([] { DgxBuilder::MakeHopper("B200-SXM-180GB"); }), "H100-SXM5"));
    EXPECT_TRUE(Has(ErrorOf([] { DgxBuilder::MakeDgx1("V200"); }), "unknown GPU model 'V200'"));
}
