/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Links inside servers as table rows (G1, G2, G3, G9, G10, G12).
 */

#include "ns3/fabric-error.h"
#include "ns3/link-profile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

constexpr double GBYTE = 8e9; //!< bits per second of a GB/s

/** @return message of the error, empty without one */
template <typename F>
std::string
ErrorOf(F&& f)
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

/** @return GB/s of one direction, before packets */
double
RawOf(const std::string& name, uint32_t links = 1)
{
    return static_cast<double>(LinkProfile::Get(name).rateBps) * links / GBYTE;
}

// G1: 16 bytes of header for n data bytes: n / (n + 16).
TEST(LinkProfileTest, G1EfficiencyByPayload)
{
    for (const char* name : {"nvlink1", "nvlink2", "nvlink3", "nvlink4", "nvlink5"})
    {
        const LinkProfile& row = LinkProfile::Get(name);
        EXPECT_NEAR(row.Efficiency(MemoryOp::WRITE, 256), .9412, 5e-5) << name;
        EXPECT_NEAR(row.Efficiency(MemoryOp::WRITE, 128), .8889, 5e-5) << name;
        EXPECT_NEAR(row.Efficiency(MemoryOp::WRITE, 64), .8, 5e-5) << name;
        EXPECT_NEAR(row.Efficiency(MemoryOp::WRITE, 32), .6667, 5e-5) << name;
        EXPECT_NEAR(row.Efficiency(MemoryOp::READ_RESPONSE, 256), .9412, 5e-5) << name;
        EXPECT_DOUBLE_EQ(row.Efficiency(MemoryOp::WRITE), row.Efficiency(MemoryOp::WRITE, 256));
    }
}

// G2, G3: one direction of one GPU, all links of its generation; never both directions added up.
TEST(LinkProfileTest, G2G3RatesPerDirection)
{
    struct Row
    {
        const char* name;
        uint32_t links;
        double raw;       // GB/s
        double tolerance; // of raw: the table names the rate before or after line coding
        double data;      // GB/s
    };
    for (const Row& row : {Row{"nvlink1", 4, 80, .0001, 75.29},
                           Row{"nvlink2", 6, 150, .032, 145.59},
                           Row{"nvlink3", 12, 300, .0001, 282.35},
                           Row{"nvlink4", 18, 450, .063, 450},
                           Row{"nvlink5", 18, 900, .063, 900}})
    {
        EXPECT_NEAR(RawOf(row.name, row.links), row.raw, row.raw * row.tolerance) << row.name;
        EXPECT_NEAR(LinkProfile::Get(row.name).DataBps(row.links) / GBYTE, row.data, .1)
            << row.name;
    }
    EXPECT_NEAR(LinkProfile::Get("nvlink2").DataBps() / GBYTE, 24.26, .01); // measured 24.22
    EXPECT_NEAR(LinkProfile::Get("nvlink2").DataBps(2) / GBYTE, 48.53, .01); // measured 48.34
    EXPECT_NEAR(RawOf("nvlink4", 18), 478.1, .1);
    EXPECT_NEAR(RawOf("nvlink5", 18), 956.2, .1);
    EXPECT_NEAR(RawOf("nvlink-c2c"), 450, .001);
}

// G1: a row says how many lanes its rate is made of.
TEST(LinkProfileTest, LanesCarryTheRate)
{
    EXPECT_EQ(LinkProfile::Get("nvlink1").lanes, 8);
    EXPECT_EQ(LinkProfile::Get("nvlink2").lanes, 8);
    EXPECT_EQ(LinkProfile::Get("nvlink3").lanes, 4);
    EXPECT_EQ(LinkProfile::Get("nvlink4").lanes, 2);
    EXPECT_EQ(LinkProfile::Get("nvlink5").lanes, 2);
}

// G9: after line coding (128b/130b) or flit framing (242/256), one direction.
TEST(LinkProfileTest, G9PcieRates)
{
    EXPECT_NEAR(RawOf("pcie3-x16"), 15.754, .0005);
    EXPECT_NEAR(RawOf("pcie4-x16"), 31.508, .0005);
    EXPECT_NEAR(RawOf("pcie5-x16"), 63.015, .0005);
    EXPECT_NEAR(RawOf("pcie6-x16"), 121, .0005);
    for (int generation = 3; generation <= 6; ++generation)
    {
        const std::string stem = "pcie" + std::to_string(generation) + "-x";
        for (int lanes : {1, 2, 4, 8})
        {
            EXPECT_NEAR(RawOf(stem + std::to_string(lanes)) * 16 / lanes,
                        RawOf(stem + "16"),
                        1e-6)
                << stem << lanes;
        }
    }
}

// G10: a write costs 24 bytes besides its data, a completion 20.
TEST(LinkProfileTest, G10TlpEfficiency)
{
    struct Row
    {
        const char* suffix;
        double write;
        double completion;
    };
    for (const Row& row : {Row{"-mps128", .8421, .8649}, Row{"", .9143, .9275},
                           Row{"-mps512", .9552, .9624}})
    {
        const LinkProfile& link = LinkProfile::Get(std::string("pcie4-x16") + row.suffix);
        EXPECT_NEAR(link.Efficiency(MemoryOp::WRITE), row.write, 5e-5) << row.suffix;
        EXPECT_NEAR(link.Efficiency(MemoryOp::READ_RESPONSE), row.completion, 5e-5) << row.suffix;
    }
    struct Rate
    {
        const char* name;
        double write;
        double completion;
    };
    for (const Rate& row : {Rate{"pcie3-x16", 14.40, 14.61}, Rate{"pcie4-x16", 28.81, 29.22},
                            Rate{"pcie5-x16", 57.61, 58.45}})
    {
        const LinkProfile& link = LinkProfile::Get(row.name);
        EXPECT_NEAR(link.DataBps() / GBYTE, row.write, .006) << row.name;
        EXPECT_NEAR(RawOf(row.name) * link.Efficiency(MemoryOp::READ_RESPONSE),
                    row.completion,
                    .006)
            << row.name;
    }
}

// G12: x16 standard and x64 advanced modules, flits of 68 bytes with 64 of data.
TEST(LinkProfileTest, G12Ucie)
{
    EXPECT_DOUBLE_EQ(RawOf("ucie1-standard"), 64);
    EXPECT_DOUBLE_EQ(RawOf("ucie1-advanced"), 256);
    EXPECT_DOUBLE_EQ(RawOf("ucie1-standard-256"), 64);
    EXPECT_DOUBLE_EQ(RawOf("ucie1-advanced-256"), 256);
    EXPECT_DOUBLE_EQ(RawOf("ucie1-standard-4gt"), 8);
    EXPECT_DOUBLE_EQ(RawOf("ucie1-advanced-16gt"), 128);
    const LinkProfile& flit = LinkProfile::Get("ucie1-standard");
    EXPECT_EQ(flit.WireBytes(MemoryOp::WRITE, 64), 68);
    EXPECT_NEAR(flit.Efficiency(MemoryOp::WRITE), .941, 5e-4);
    EXPECT_EQ(LinkProfile::Get("ucie1-advanced-256").WireBytes(MemoryOp::WRITE, 236), 256);
    EXPECT_LE(flit.latencyPs, 4000) << "at most 2 ns in each of two adapters with PHY";
}

// G1: exact bytes of frames of odd sizes: data in whole flits of 16, a header for every 256.
TEST(LinkProfileTest, ExactFrameBytes)
{
    struct Row
    {
        uint32_t payload;
        uint32_t packets;
        uint32_t wire;
        uint32_t first;
        uint32_t last;
    };
    const LinkProfile& row = LinkProfile::Get("nvlink4");
    for (const Row& r : {Row{0, 1, 16, 16, 16}, Row{1, 1, 32, 32, 32}, Row{255, 1, 272, 272, 272},
                         Row{256, 1, 272, 272, 272}, Row{257, 2, 304, 272, 32},
                         Row{4096, 16, 4352, 272, 272}})
    {
        for (MemoryOp op : {MemoryOp::WRITE, MemoryOp::REDUCE_WRITE, MemoryOp::READ_RESPONSE})
        {
            EXPECT_EQ(row.Packets(op, r.payload), r.packets) << r.payload;
            EXPECT_EQ(row.WireBytes(op, r.payload), r.wire) << r.payload;
            EXPECT_EQ(row.FirstBytes(op, r.payload), r.first) << r.payload;
            EXPECT_EQ(row.LastBytes(op, r.payload), r.last) << r.payload;
        }
    }
    const LinkProfile& pcie = LinkProfile::Get("pcie4-x8");
    EXPECT_EQ(pcie.WireBytes(MemoryOp::WRITE, 0), 24);
    EXPECT_EQ(pcie.WireBytes(MemoryOp::WRITE, 1), 28);
    EXPECT_EQ(pcie.WireBytes(MemoryOp::WRITE, 255), 280);
    EXPECT_EQ(pcie.WireBytes(MemoryOp::WRITE, 257), 280 + 28);
    EXPECT_EQ(pcie.WireBytes(MemoryOp::READ_RESPONSE, 257), 276 + 24);
    EXPECT_EQ(pcie.WireBytes(MemoryOp::READ_RESPONSE, 4096), 16 * 276);
}

// The pieces of a frame are the frame: one packet of every whole maxPayload, and the rest.
TEST(LinkProfileTest, FramesAreTheirPackets)
{
    for (const auto& name : LinkProfile::GetNames())
    {
        const LinkProfile& row = LinkProfile::Get(name);
        for (MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST, MemoryOp::READ_RESPONSE})
        {
            for (uint32_t payload : {0U, 1U, 63U, 64U, 65U, 255U, 256U, 257U, 4096U, 65535U})
            {
                uint32_t sum = 0;
                uint32_t packets = 0;
                uint32_t left = payload;
                do
                {
                    const uint32_t part = std::min(left, row.maxPayload);
                    sum += row.WireBytes(op, part);
                    left -= part;
                    ++packets;
                } while (left > 0);
                ASSERT_EQ(row.WireBytes(op, payload), sum) << name << " " << payload;
                ASSERT_EQ(row.Packets(op, payload), packets) << name << " " << payload;
            }
        }
    }
}

// A request names a length and carries none of it.
TEST(LinkProfileTest, RequestsCarryNoData)
{
    const LinkProfile& row = LinkProfile::Get("nvlink3");
    EXPECT_EQ(row.WireBytes(MemoryOp::READ_REQUEST, 256), 16);
    EXPECT_EQ(row.WireBytes(MemoryOp::REDUCE_REQUEST, 4096), 16 * 16);
    EXPECT_EQ(row.WireBytes(MemoryOp::FLUSH, 0), 16);
    EXPECT_EQ(row.WireBytes(MemoryOp::ACK, 4096), 16) << "an ACK is one packet whatever it answers";
    EXPECT_EQ(row.WireBytes(MemoryOp::ATOMIC_REQUEST, 8), 32);
    EXPECT_EQ(LinkProfile::Get("pcie3-x8").WireBytes(MemoryOp::ATOMIC_RESPONSE, 8), 28);
}

TEST(LinkProfileTest, UnknownNameRefusedWithTheList)
{
    const std::string error = ErrorOf([] { LinkProfile::Get("nvlink9"); });
    EXPECT_NE(error.find("'nvlink9'"), std::string::npos) << error;
    for (const char* name : {"nvlink1", "nvlink-c2c", "pcie6-x16", "ucie1-advanced-256", "xbus"})
    {
        EXPECT_NE(error.find(name), std::string::npos) << name;
        EXPECT_TRUE(LinkProfile::Has(name));
    }
    EXPECT_FALSE(LinkProfile::Has("nvlink9"));
    EXPECT_FALSE(LinkProfile::Has(""));
}

TEST(LinkProfileTest, NamesAreUniqueAndSourced)
{
    auto names = LinkProfile::GetNames();
    for (const auto& name : names)
    {
        const LinkProfile& row = LinkProfile::Get(name);
        EXPECT_FALSE(row.source.empty()) << name;
        EXPECT_GT(row.creditBytes, row.WireBytes(MemoryOp::WRITE, 4096)) << name;
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(LinkProfileTest, ImpossibleRowsRefused)
{
    const auto refused = [](const char* what, void (*spoil)(LinkProfile&)) {
        LinkProfile row = LinkProfile::Get("nvlink4");
        row.name = "spoilt";
        spoil(row);
        EXPECT_NE(ErrorOf([&row] { LinkProfile::Add(row); }).find(what), std::string::npos) << what;
        EXPECT_FALSE(LinkProfile::Has("spoilt"));
    };
    refused("name", [](LinkProfile& r) { r.name = ""; });
    refused("one of this name", [](LinkProfile& r) { r.name = "nvlink4"; });
    refused("rate", [](LinkProfile& r) { r.rateBps = 0; });
    refused("rate", [](LinkProfile& r) { r.rateBps = 100'000'000'000'001; });
    refused("maxPayload", [](LinkProfile& r) { r.maxPayload = 0; });
    refused("maxPayload", [](LinkProfile& r) { r.maxPayload = 65536; });
    refused("granule", [](LinkProfile& r) { r.granule = 0; });
    refused("granule", [](LinkProfile& r) { r.granule = 257; });
    refused("whole", [](LinkProfile& r) { r.granule = 48; });
    refused("headers", [](LinkProfile& r) { r.header = 1025; });
    refused("at least one byte", [](LinkProfile& r) { r.header = 0; });
    refused("at least one byte", [](LinkProfile& r) { r.answerHeader = 0; });
    refused("latency", [](LinkProfile& r) { r.latencyPs = 0; });
    refused("replay", [](LinkProfile& r) { r.replayPs = -1; });
    refused("buffer", [](LinkProfile& r) { r.creditBytes = 0; });
    refused("lanes", [](LinkProfile& r) { r.lanes = 0; });
}

// A new generation is one row more, found like the others; rows never move.
TEST(LinkProfileTest, RowsOfUsersAreFound)
{
    const LinkProfile* first = &LinkProfile::Get("nvlink1");
    LinkProfile row = LinkProfile::Get("nvlink5");
    row.name = "nvlink6-test";
    row.generation = 6;
    row.rateBps = 2 * row.rateBps;
    LinkProfile::Add(row);
    EXPECT_DOUBLE_EQ(RawOf("nvlink6-test"), 2 * RawOf("nvlink5"));
    EXPECT_EQ(LinkProfile::Get("nvlink6-test").generation, 6);
    EXPECT_EQ(LinkProfile::GetNames().back(), "nvlink6-test");
    EXPECT_EQ(&LinkProfile::Get("nvlink1"), first);
}

} // namespace
