/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/server-catalog.h"
#include "ns3/server-printer.h"
#include "ns3/server-relations.h"
#include "ns3/smi-topology-reader.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;
using Answers = std::map<std::string, std::string>;
using Pairs = std::map<std::string, uint32_t>;

/** @brief What a real file has, counted by others. */
struct Expected
{
    const char* file;
    uint32_t gpus;
    uint32_t nics;
    uint32_t rows;
    Pairs gpuPairs;
    Pairs nicCells;
    uint32_t nvSum;
    std::string near;     //!< NICs at PIX or PXB of each GPU
    uint32_t linksPerGpu; //!< of the server made of it, without answers
    uint32_t switches;    //!< the same
};

const Expected FILES[] = {
    {"dgx1v_8xV100_4ib.txt",
     8,
     4,
     12,
     {{"NV1", 8}, {"NV2", 8}, {"SYS", 12}},
     {{"PIX", 8}, {"SYS", 16}, {"PHB", 8}},
     24,
     "mlx5_0 mlx5_0 mlx5_1 mlx5_1 mlx5_2 mlx5_2 mlx5_3 mlx5_3",
     6,
     0},
    {"8xV100_1ib_spaces.txt",
     8,
     1,
     9,
     {{"NV1", 8}, {"NV2", 8}, {"SYS", 12}},
     {{"NODE", 2}, {"PIX", 2}, {"SYS", 4}},
     24,
     "- - mlx5_0 mlx5_0 - - - -",
     6,
     0},
    {"8xA100_short_spaces.txt", 8, 0, 8, {{"NV12", 28}}, {}, 336, "- - - - - - - -", 12, 1},
    {"dgx_a100_12ib.txt",
     8,
     12,
     20,
     {{"NV12", 28}},
     {{"PXB", 16}, {"SYS", 80}},
     336,
     "mlx5_0/mlx5_1 mlx5_0/mlx5_1 mlx5_2/mlx5_3 mlx5_2/mlx5_3 mlx5_6/mlx5_7 mlx5_6/mlx5_7 "
     "mlx5_8/mlx5_9 mlx5_8/mlx5_9",
     12,
     1},
    {"dgx_h100_12nic_truncated.txt",
     8,
     12,
     14,
     {{"NV18", 28}},
     {{"PXB", 8}, {"NODE", 40}, {"SYS", 48}},
     504,
     "NIC0 NIC3 NIC4 NIC5 NIC6 NIC9 NIC10 NIC11",
     18,
     1},
    {"8gpu_pcie_only.txt",
     8,
     0,
     8,
     {{"NODE", 13}, {"SYS", 12}, {"PHB", 3}},
     {},
     0,
     "- - - - - - - -",
     0,
     0},
    {"power9_4xV100_4ib.txt",
     4,
     4,
     8,
     {{"NV3", 2}, {"SYS", 4}},
     {{"NODE", 8}, {"SYS", 8}},
     6,
     "- - - -",
     3,
     0},
};

/**
 * @param text a matrix
 * @param answers to open questions
 * @return the server
 */
SmiTopologyReader::Result
ReadText(const std::string& text, const Answers& answers = {})
{
    std::istringstream in(text);
    return SmiTopologyReader::Read(in, "t.txt", answers);
}

/**
 * @param matrix a matrix
 * @return NICs at PIX or PXB of each GPU: "mlx5_0/mlx5_1 -"
 */
std::string
NearNics(const SmiMatrix& matrix)
{
    std::string text;
    const auto& entries = matrix.GetEntries();
    for (size_t i = 0; i < entries.size(); ++i)
    {
        std::string nics;
        for (size_t j = 0; entries[i].isGpu && j < entries.size(); ++j)
        {
            const bool near = matrix.Get(i, j) == "PIX" || matrix.Get(i, j) == "PXB";
            if (!entries[j].isGpu && near)
            {
                nics += (nics.empty() ? "" : "/") + entries[j].name;
            }
        }
        if (entries[i].isGpu)
        {
            text += (text.empty() ? "" : " ") + (nics.empty() ? "-" : nics);
        }
    }
    return text;
}

/**
 * @brief Compare what an assembly prints with a real matrix, cell by cell.
 * @param name in the catalog
 * @param file real matrix
 * @param byName true: NICs are matched by name; false: by order of columns
 * @return cells compared
 */
uint32_t
Compare(const std::string& name, const std::string& file, bool byName)
{
    const auto real = SmiMatrix::Read(DataPath("smi-topo/" + file));
    std::stringstream text;
    ServerPrinter::WriteMatrix(ServerCatalog::Make(name), text);
    const auto ours = SmiMatrix::Read(text, name);
    EXPECT_EQ(ours.GetEntries().size(), real.GetEntries().size());
    std::vector<size_t> at;
    for (size_t i = 0; i < real.GetEntries().size(); ++i)
    {
        size_t j = i;
        for (j = 0; byName && j < ours.GetEntries().size(); ++j)
        {
            if (ours.GetEntries()[j].name == real.GetEntries()[i].name)
            {
                break;
            }
        }
        at.push_back(byName ? j : i);
    }
    uint32_t cells = 0;
    for (size_t i = 0; i < at.size(); ++i)
    {
        const auto& entry = real.GetEntries()[i];
        for (size_t j = 0; j < at.size(); ++j)
        {
            if (!real.Get(i, j).empty())
            {
                ++cells;
                EXPECT_EQ(ours.Get(at[i], at[j]), real.Get(i, j))
                    << name << ": " << entry.name << " to " << real.GetEntries()[j].name;
            }
        }
        if (entry.numa >= 0)
        {
            EXPECT_EQ(ours.GetEntries()[at[i]].numa, entry.numa) << entry.name;
        }
    }
    return cells;
}

} // namespace

TEST(SmiTopology, RealFilesHaveTheirCounts)
{
    NEEDS_DATA();
    for (const auto& e : FILES)
    {
        SCOPED_TRACE(e.file);
        const auto result = SmiTopologyReader::Read(DataPath(std::string("smi-topo/") + e.file));
        const auto& matrix = result.matrix;
        EXPECT_EQ(matrix.GetNGpus(), e.gpus);
        EXPECT_EQ(matrix.GetNNics(), e.nics);
        EXPECT_EQ(matrix.GetNRows(), e.rows);
        EXPECT_EQ(matrix.CountGpuPairs(), e.gpuPairs);
        EXPECT_EQ(matrix.CountGpuNicPairs(), e.nicCells);
        EXPECT_EQ(NearNics(matrix), e.near);
        uint32_t sum = 0;
        for (const auto& [word, pairs] : matrix.CountGpuPairs())
        {
            sum += SmiMatrix::GetNvLinks(word) * pairs;
        }
        EXPECT_EQ(sum, e.nvSum);
        // the server made of it has the same GPU pairs, and switches are no ranks (fault 33)
        const auto& server = result.topology;
        EXPECT_EQ(server.GetRanks().size(), e.gpus);
        EXPECT_EQ(server.GetParts(Kind::NVSWITCH).size(), e.switches);
        EXPECT_EQ(ServerRelations(server).CountPairs(), e.gpuPairs);
        EXPECT_EQ(server.GetGpuLinks(server.GetRanks()[0]), e.linksPerGpu);
        EXPECT_FALSE(server.GetOpenQuestions().empty()); // the text names no model and no rate
    }
}

// With the questions answered a matrix is a server that can be built.
TEST(SmiTopology, AnswersCompleteTheServer)
{
    NEEDS_DATA();
    const std::string path = DataPath("smi-topo/dgx_h100_12nic_truncated.txt");
    const Answers answers{{"model", "H100-SXM5-80GB"},
                          {"net", "400Gbps"},
                          {"nvswitches", "4"},
                          {"pcie", "pcie5-x16"},
                          {"socket", "upi"}};
    const auto server = SmiTopologyReader::Read(path, answers).topology;
    server.RequireComplete();
    std::vector<uint32_t> links;
    for (const auto nvSwitch : server.GetParts(Kind::NVSWITCH))
    {
        links.push_back(server.GetGpuLinks(server.GetRanks()[3], nvSwitch));
    }
    EXPECT_EQ(links, (std::vector<uint32_t>{5, 5, 4, 4})); // fault 36: all four are used
    EXPECT_EQ(server.GetBisectionBps(), ServerCatalog::Make("dgx-h100").GetBisectionBps());
    Answers wrong = answers;
    wrong["model"] = "A100-SXM4-40GB";
    EXPECT_TRUE(Has(ErrorOf([&] { SmiTopologyReader::Read(path, wrong); }),
                    "gpu0 (A100-SXM4-40GB) has 12 NVLink ports, 10 in use: 4 more make 14"));
}

TEST(SmiTopology, FixtureBecomesAServer)
{
    const auto result = SmiTopologyReader::Read(FixturePath("server-matrix.txt"),
                                                Answers{{"model", "V100-SXM2-16GB"},
                                                        {"net", "100Gbps"},
                                                        {"pcie", "pcie3-x16"},
                                                        {"socket", "qpi"}});
    const auto& server = result.topology;
    server.RequireComplete();
    EXPECT_EQ(ServerRelations(server).CountPairs(), (Pairs{{"NV2", 1}, {"SYS", 2}}));
    EXPECT_NE(server.Find("mlx5_bond_0"), ServerTopology::NO_LIMIT);
    EXPECT_EQ(server.GetParts(Kind::PCIE_SWITCH).size(), 1U); // both GPUs at PIX of the NIC
}

TEST(SmiTopology, RocmTableIsAFullMesh)
{
    NEEDS_DATA();
    const std::string path = DataPath("smi-topo/rocm_smi_showtopo_8xMI355X.txt");
    const auto result = SmiTopologyReader::Read(path);
    uint32_t xgmi = 0;
    for (size_t i = 0; i < 8; ++i)
    {
        for (size_t j = 0; j < 8; ++j)
        {
            xgmi += result.matrix.Get(i, j) == "XGMI" ? 1 : 0;
        }
        EXPECT_EQ(result.matrix.Get(i, i), "X");
    }
    EXPECT_EQ(xgmi, 56U);
    EXPECT_EQ(result.topology.GetRanks().size(), 8U);
    EXPECT_EQ(ServerRelations(result.topology).CountPairs(), (Pairs{{"XGMI", 28}}));
    EXPECT_TRUE(Has(ErrorOf([&] { result.topology.RequireComplete(); }), "xgmi-links: XGMI links"));
    const auto server =
        SmiTopologyReader::Read(path, Answers{{"model", "MI300X"}, {"xgmi-links", "1"}}).topology;
    server.RequireComplete();
    EXPECT_EQ(server.GetBisectionBps(), ServerCatalog::Make("mi300x").GetBisectionBps());
}

// G4 and issue 4: our DGX-1V prints what a real one prints, GPU and NIC cells alike.
TEST(SmiTopology, AssembliesPrintRealMatrices)
{
    NEEDS_DATA();
    EXPECT_EQ(Compare("dgx1-v100", "dgx1v_8xV100_4ib.txt", true), 144U);
    EXPECT_EQ(Compare("dgx-a100", "dgx_a100_12ib.txt", true), 400U);
    EXPECT_EQ(Compare("dgx-h100", "dgx_h100_12nic_truncated.txt", false), 400U - 36);
    EXPECT_EQ(Compare("power9", "power9_4xV100_4ib.txt", true), 64U);
}

// Every assembly with a CPU prints a matrix that reads back with the same GPU pairs.
TEST(SmiTopology, PrintedMatricesReadBack)
{
    for (const char* name :
         {"dgx1-p100", "dgx2", "a800", "hgx-h200", "b200", "ring8-nvlink", "l40s-pcie", "pcie-box"})
    {
        const auto server = ServerCatalog::Make(name);
        std::stringstream text;
        ServerPrinter::WriteMatrix(server, text);
        const auto back = SmiTopologyReader::Read(text, name);
        EXPECT_EQ(back.matrix.CountGpuPairs(), ServerRelations(server).CountPairs()) << name;
        EXPECT_EQ(back.matrix.GetNNics(), server.GetParts(Kind::NIC).size()) << name;
        EXPECT_EQ(ServerRelations(back.topology).CountPairs(), ServerRelations(server).CountPairs())
            << name;
    }
}

// A mesh that could be wired directly or over a switch is asked for, not guessed.
TEST(SmiTopology, AmbiguousWiringIsAskedFor)
{
    const std::string text =
        "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\t X \tNV4\tNV4\tNV4\t0-9\n"
        "GPU1\tNV4\t X \tNV4\tNV4\t0-9\nGPU2\tNV4\tNV4\t X \tNV4\t0-9\n"
        "GPU3\tNV4\tNV4\tNV4\t X \t0-9\n";
    EXPECT_TRUE(Has(ErrorOf([&] { ReadText(text).topology.RequireComplete(); }),
                    "nvlink-wiring: 4 GPUs have NV4 to each other: direct or switched"));
    const auto direct = ReadText(text, {{"nvlink-wiring", "direct"}}).topology;
    EXPECT_EQ(direct.GetGpuLinks(direct.GetRanks()[0]), 12U);
    const auto switched =
        ReadText(text, {{"nvlink-wiring", "switched"}, {"nvswitches", "2"}}).topology;
    EXPECT_EQ(switched.GetGpuLinks(switched.GetRanks()[0]), 4U);
    EXPECT_TRUE(Has(ErrorOf([&] {
                        ReadText(text, {{"nvlink-wiring", "both"}});
                    }),
                    "allowed are direct and switched"));
}

TEST(SmiTopology, FaultsNameFileLineAndToken)
{
    const auto error = [](const std::string& text) { return ErrorOf([&] { ReadText(text); }); };
    EXPECT_TRUE(Has(error(""), "t.txt"));
    EXPECT_TRUE(Has(error("hello\n"), "no line with the column names GPU0 GPU1"));
    EXPECT_TRUE(Has(error("GPU0 GPU1\nGPU0 X NV99\nGPU1 NV99 X\n"),
                    "t.txt:2: 'NV99': column 3: allowed are X, NV and a number"));
    EXPECT_TRUE(Has(error("GPU0 GPU1\nGPU0 X NV1\nGPU1 NV2 X\n"),
                    "t.txt:3: 'NV2': GPU1 to GPU0, but back it is NV1"));
    EXPECT_TRUE(
        Has(error("GPU0 GPU1\nGPU0 X\n"), "t.txt:2: 'GPU0': column 1: the row has 1 cells"));
    EXPECT_TRUE(Has(error("GPU0 GPU0\n"), "two columns of this name"));
    EXPECT_TRUE(Has(error("GPU0 GPU1\nGPU2 X X\n"), "t.txt:2: 'GPU2'"));
    // PIX twice cannot end in SYS
    EXPECT_TRUE(Has(error("GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X PIX\nGPU2 SYS PIX X\n"),
                    "t.txt:2: 'SYS': from GPU0 to GPU2 does not fit the rest of the matrix"));
}

// NIC columns named by number have their device in a legend of their own.
TEST(SmiTopology, NicLegendNamesTheDevices)
{
    const auto result = ReadText("GPU0 NIC0 CPU Affinity\nGPU0 X PHB 0-3\nNIC0 PHB X\n\nLegend:\n\n"
                                 "  X = Self\n\nNIC Legend:\n\n  NIC0: mlx5_bond_0\n");
    EXPECT_EQ(result.matrix.GetEntries()[1].device, "mlx5_bond_0");
    EXPECT_NE(result.topology.Find("mlx5_bond_0"), ServerTopology::NO_LIMIT);
}

// Of the three tables of rocm-smi the one of link types counts.
TEST(SmiTopology, RocmWeightsAndHopsAreSkipped)
{
    const auto result =
        ReadText("=== Weight between two GPUs ===\n GPU0 GPU1\nGPU0 0 15\nGPU1 15 0\n"
                 "=== Hops between two GPUs ===\n GPU0 GPU1\nGPU0 0 1\nGPU1 1 0\n"
                 "=== Link Type between two GPUs ===\n GPU0 GPU1\nGPU0 0 XGMI\n"
                 "GPU1 XGMI 0\n=== Numa Nodes ===\nGPU[0] : 0\n");
    EXPECT_EQ(result.matrix.CountGpuPairs(), (Pairs{{"XGMI", 1}}));
    EXPECT_TRUE(Has(ErrorOf([] {
                        ReadText("=== Link Type between two GPUs ===\n GPU0 GPU1\nGPU0 0 PCIE\n"
                                 "GPU1 PCIE 0\n")
                            .topology.RequireComplete();
                    }),
                    "pcie-tree: the table says PCIE for 1 pairs"));
}

TEST(ServerPrinter, DotHasAllPartsAndLinks)
{
    const auto server = ServerCatalog::Make("dgx1-v100");
    std::ostringstream os;
    ServerPrinter::WriteDot(server, os);
    const std::string text = os.str();
    size_t edges = 0;
    for (size_t at = text.find(" -- "); at != std::string::npos; at = text.find(" -- ", at + 1))
    {
        ++edges;
    }
    EXPECT_EQ(edges, server.GetLinks().size());
    EXPECT_TRUE(Has(text, "gpu7 V100-SXM2-16GB"));
    EXPECT_TRUE(Has(text, "nvlink2 x2"));
    std::ostringstream counts;
    ServerPrinter::WriteCounts(server, counts);
    EXPECT_EQ(counts.str(),
              "8 x GPU V100-SXM2-16GB\n4 x PCIe switch\n2 x CPU\n4 x NIC\n24 links nvlink2\n"
              "16 links pcie3-x16\n2 links qpi\n");
}
