/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/server-builder.h"
#include "ns3/server-relations.h"
#include "ns3/server-topology.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;

/**
 * @param topology a server
 * @param kind of a new part
 * @return its id
 */
uint32_t
Add(ServerTopology& topology, Kind kind)
{
    Part part;
    part.kind = kind;
    return topology.AddPart(part);
}

} // namespace

// Issue 4: more links than ports is refused with the counts, for each generation of GPUs.
TEST(ServerTopology, LinksOverThePortsAreRefused)
{
    const std::pair<const char*, uint32_t> models[] = {{"P100-SXM2-16GB", 4},
                                                       {"V100-SXM2-16GB", 6},
                                                       {"A100-SXM4-80GB", 12},
                                                       {"A800-SXM4-80GB", 8},
                                                       {"H100-SXM5-80GB", 18},
                                                       {"H800-SXM5-80GB", 8},
                                                       {"B200-SXM-180GB", 18},
                                                       {"MI300X", 7}};
    const char* const profiles[] =
        {"nvlink1", "nvlink2", "nvlink3", "nvlink3", "nvlink4", "nvlink4", "nvlink5", "xgmi3"};
    for (size_t i = 0; i < std::size(models); ++i)
    {
        ServerBuilder builder;
        auto& topology = builder.GetTopology();
        const uint32_t a = builder.AddGpu(models[i].first);
        const uint32_t b = builder.AddGpu(models[i].first);
        const uint32_t c = builder.AddGpu(models[i].first);
        topology.AddLink(a, b, profiles[i], models[i].second - 1);
        const std::string used = std::to_string(models[i].second - 1) + " in use: 2 more make " +
                                 std::to_string(models[i].second + 1);
        EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(c, a, profiles[i], 2); }), used));
        EXPECT_EQ(topology.GetLinks().size(), 1U); // nothing was half added
        EXPECT_EQ(topology.GetGpuLinks(a), models[i].second - 1);
        topology.AddLink(c, a, profiles[i]); // the last port is there
        EXPECT_EQ(topology.GetGpuLinks(a), models[i].second);
    }
}

TEST(ServerTopology, LinksOfAnotherGenerationAreRefused)
{
    ServerBuilder builder;
    const uint32_t a = builder.AddGpu("V100-SXM2-16GB");
    const uint32_t b = builder.AddGpu("V100-SXM2-16GB");
    const uint32_t c = builder.AddGpu("L40S-48GB");
    auto& topology = builder.GetTopology();
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, b, "nvlink4"); }),
                    "gpu0 (V100-SXM2-16GB) has nvlink2 links, not nvlink4"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, c, "nvlink2"); }),
                    "gpu2 (L40S-48GB) has 0 NVLink ports, 0 in use: 1 more make 1"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, b, "nvlink9"); }), "nvlink9"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, b, "nvlink2", 0); }), "bundle of 0"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, a, "nvlink2"); }), "linked to itself"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, 7, "nvlink2"); }),
                    "part 7 does not exist: there are 3 parts"));
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(a, b, ""); }), "without profile"));
}

TEST(ServerTopology, SwitchPortsAndLanesAreCounted)
{
    ServerBuilder builder;
    const uint32_t nvSwitch = builder.AddNvSwitch(1);
    for (int i = 0; i < 18; ++i)
    {
        builder.GetTopology().AddLink(builder.AddGpu("V100-SXM2-16GB"), nvSwitch, "nvlink2");
    }
    const uint32_t over = builder.AddGpu("V100-SXM2-16GB");
    EXPECT_TRUE(Has(ErrorOf([&] { builder.GetTopology().AddLink(over, nvSwitch, "nvlink2"); }),
                    "nvsw0 (NVSwitch1) has 18 NVLink ports, 18 in use: 1 more make 19"));
    EXPECT_TRUE(Has(ErrorOf([&] { builder.AddNvSwitch(5); }), "generation 5"));

    const uint32_t cpu = builder.AddCpu(0, 1, 1);
    const uint32_t plx = builder.AddPcieSwitch(cpu, "pcie3-x16", 40);
    builder.AddNic("", plx, "pcie3-x16", 1);
    EXPECT_TRUE(Has(ErrorOf([&] { builder.AddNic("", plx, "pcie3-x16", 1); }),
                    "plx0 has 40 PCIe lanes, 32 in use: pcie3-x16 makes 48"));
    builder.AddNic("small", plx, "pcie3-x8", 1); // exactly full
}

// Issue 4: an NVLink domain over the limit is refused with the counts.
TEST(ServerTopology, DomainOver576GpusIsRefused)
{
    ServerTopology topology;
    const uint32_t nvSwitch = Add(topology, Kind::NVSWITCH);
    for (uint32_t i = 0; i < 576; ++i)
    {
        topology.AddLink(Add(topology, Kind::GPU), nvSwitch, "nvlink5");
    }
    EXPECT_EQ(topology.GetDomainGpus(nvSwitch), 576U);
    const uint32_t over = Add(topology, Kind::GPU);
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(over, nvSwitch, "nvlink5"); }),
                    "an NVLink domain of 577 GPUs: allowed are 576"));
    EXPECT_EQ(topology.GetDomainGpus(over), 1U);
    topology.AddLink(topology.GetRanks()[0], nvSwitch, "nvlink5"); // one more link, no more GPUs
    EXPECT_EQ(topology.GetDomainGpus(nvSwitch), 576U);
}

TEST(ServerTopology, KindsOfEndsAreChecked)
{
    ServerTopology topology;
    const uint32_t gpu = Add(topology, Kind::GPU);
    const uint32_t cpu = Add(topology, Kind::CPU);
    const uint32_t cpu1 = Add(topology, Kind::CPU);
    const uint32_t nic = Add(topology, Kind::NIC);
    const uint32_t die = Add(topology, Kind::DIE);
    const uint32_t memory = Add(topology, Kind::MEMORY);
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddLink(gpu, nic, "nvlink2"); }),
                    "a NVLink link cannot join gpu0 (GPU) and nic0 (NIC): it joins GPUs"));
    EXPECT_NE(ErrorOf([&] { topology.AddLink(cpu, gpu, "qpi"); }), "");
    EXPECT_NE(ErrorOf([&] { topology.AddLink(cpu, cpu1, "pcie3-x16"); }), "");
    EXPECT_NE(ErrorOf([&] { topology.AddLink(die, gpu, "ucie1-standard"); }), "");
    EXPECT_NE(ErrorOf([&] { topology.AddLink(gpu, nic, "nvlink-c2c"); }), "");
    topology.AddLink(die, memory, "ucie1-standard");
    topology.AddLink(cpu, gpu, "nvlink2"); // POWER9
    topology.AddLink(cpu, gpu, "nvlink-c2c");
    topology.AddLink(cpu, cpu1, "xbus");
}

TEST(ServerTopology, NamesAreUnique)
{
    ServerTopology topology;
    Part part;
    part.name = "gpu1";
    topology.AddPart(part);
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddPart({}); }), "two parts named 'gpu1'"));
    EXPECT_EQ(topology.GetParts().size(), 1U);
    EXPECT_EQ(topology.Find("gpu1"), 0U);
    EXPECT_EQ(topology.Find("gpu0"), ServerTopology::NO_LIMIT);
    part.name = "many";
    part.kind = Kind::NIC;
    part.netPorts = 0;
    EXPECT_TRUE(Has(ErrorOf([&] { topology.AddPart(part); }), "0 network ports"));
}

// Fault 33: 2 servers x 8 GPUs + 2 NVSwitches are 16 ranks, not 18.
TEST(ServerTopology, NvSwitchesAreNoRanks)
{
    ServerBuilder builder;
    for (uint32_t server = 0; server < 2; ++server)
    {
        builder.SetServer(server);
        const uint32_t nvSwitch = builder.AddNvSwitch(3);
        for (int i = 0; i < 8; ++i)
        {
            builder.GetTopology().AddLink(builder.AddGpu("H100-SXM5-80GB"), nvSwitch, "nvlink4", 8);
        }
    }
    const auto& topology = builder.GetTopology();
    EXPECT_EQ(topology.GetRanks().size(), 16U);
    EXPECT_EQ(topology.GetParts().size(), 18U);
    EXPECT_EQ(topology.GetNServers(), 2U);
    for (size_t rank = 0; rank < 16; ++rank)
    {
        const auto& part = topology.GetPart(topology.GetRanks()[rank]);
        EXPECT_EQ(part.kind, Kind::GPU);
        EXPECT_EQ(part.index, rank); // ranks are dense over the GPUs
        EXPECT_EQ(topology.GetDomainGpus(part.id), 8U);
    }
}

TEST(ServerTopology, OpenQuestionsStopTheBuild)
{
    ServerTopology topology;
    topology.RequireComplete();
    topology.AddQuestion({"pcie:gpu0", "which PCIe link has gpu0"});
    topology.AddQuestion({"pcie:gpu0", "again"});
    EXPECT_EQ(topology.GetOpenQuestions().size(), 1U);
    EXPECT_TRUE(
        Has(ErrorOf([&] { topology.RequireComplete(); }), "pcie:gpu0: which PCIe link has gpu0"));
}

// The words of nvidia-smi's legend, one pair for each.
TEST(ServerRelations, EveryWordFollowsFromTheGraph)
{
    ServerBuilder builder;
    const uint32_t cpu0 = builder.AddCpu(0, 1, 1);
    const uint32_t cpu1 = builder.AddCpu(1, 1, 1);
    auto& topology = builder.GetTopology();
    topology.AddLink(cpu0, cpu1, "upi");
    const uint32_t up = builder.AddPcieSwitch(cpu0, "pcie4-x16", 96);
    const uint32_t low = builder.AddPcieSwitch(up, "pcie4-x16", 96);
    const uint32_t a = builder.AddGpu("A100-SXM4-40GB", low);
    const uint32_t b = builder.AddGpu("A100-SXM4-40GB", low);
    const uint32_t near = builder.AddNic("near", low, "pcie4-x16", 1);
    const uint32_t mid = builder.AddNic("mid", up, "pcie4-x16", 1);
    const uint32_t same = builder.AddNic("same", cpu0, "pcie4-x16", 1);
    builder.NextHostBridge();
    const uint32_t other = builder.AddNic("other", cpu0, "pcie4-x16", 1);
    const uint32_t far = builder.AddNic("far", cpu1, "pcie4-x16", 1);
    const uint32_t lost = Add(topology, Kind::NIC);
    topology.AddLink(a, b, "nvlink3", 4);
    ServerRelations relations(topology);
    const std::pair<uint32_t, const char*> words[] = {{a, "X"},
                                                      {b, "NV4"},
                                                      {near, "PIX"},
                                                      {mid, "PXB"},
                                                      {same, "PHB"},
                                                      {other, "NODE"},
                                                      {far, "SYS"},
                                                      {lost, "N/A"}};
    for (const auto& [part, word] : words)
    {
        EXPECT_EQ(relations.Get(a, part).GetText(), word);
        EXPECT_EQ(relations.Get(part, a).GetText(), word); // symmetric
    }
    EXPECT_EQ(relations.GetNearestNics(a), std::vector<uint32_t>{near});
    EXPECT_EQ(relations.GetPciePath(a, far).size(), 5U); // low, up, cpu0, cpu1, far
    EXPECT_TRUE(relations.GetPciePath(a, lost).empty());
}
