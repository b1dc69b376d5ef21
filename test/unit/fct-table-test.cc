/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fct-table.h"
#include "ns3/file-digest.h"
#include "ns3/flow-outcome.h"
#include "ns3/ideal-fct.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace ns3;

namespace
{

constexpr FabricPs US = 1'000'000;

std::vector<IdealFct::Hop>
Path(size_t links, uint64_t bps, FabricPs delay)
{
    return std::vector<IdealFct::Hop>(links, {FabricRate(bps), delay, delay});
}

} // namespace

// nearest rank: the p-th percentile of n values is value number ceil(p n / 100)
TEST(FctTable, PercentilesAreNearestRank)
{
    std::vector<double> hundred;
    for (int i = 1; i <= 100; ++i)
    {
        hundred.push_back(i);
    }
    EXPECT_EQ(FctTable::Percentile(hundred, 50), 50);
    EXPECT_EQ(FctTable::Percentile(hundred, 95), 95);
    EXPECT_EQ(FctTable::Percentile(hundred, 99), 99);
    EXPECT_EQ(FctTable::Percentile({7}, 1), 7);
    EXPECT_EQ(FctTable::Percentile({1, 2, 3}, 50), 2);
    EXPECT_EQ(FctTable::Percentile({}, 50), 0);
}

// each size falls into the bin whose upper end it does not exceed; nothing is lost
TEST(FctTable, BinsCoverEverySizeOnce)
{
    FctTable table;
    for (uint64_t bytes : {0ULL, 1000ULL, 1001ULL, 10000ULL, 10001ULL, 100001ULL, 1000001ULL})
    {
        table.Add(bytes, 1.5);
    }
    const auto rows = table.GetRows();
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].flows, 2U);
    EXPECT_EQ(rows[1].flows, 2U);
    EXPECT_EQ(rows[2].flows, 1U);
    EXPECT_EQ(rows[3].flows, 1U);
    EXPECT_EQ(rows[4].flows, 1U);
    EXPECT_EQ(rows[5].flows, 7U);
    EXPECT_EQ(rows[5].p99, 1.5);
}

// fault 18: an empty table prints no not-a-number
TEST(FctTable, EmptyTablePrintsNoNan)
{
    std::ostringstream os;
    FctTable().Print(os);
    EXPECT_EQ(os.str().find("nan"), std::string::npos);
}

// one packet over k links: rx = k (d + (l + e)/C), ack = rx + k (d + a/C)
TEST(IdealFct, OnePacket)
{
    const IdealFct ideal(FrameProfile::Get("rocev2"), 1000);
    for (size_t k = 1; k <= 6; ++k)
    {
        for (uint64_t bytes : {0ULL, 1ULL, 1000ULL})
        {
            const auto t = ideal.Compute(bytes, Path(k, 100'000'000'000, US));
            const auto links = static_cast<FabricPs>(k);
            const auto wire = static_cast<FabricPs>(bytes + 82 + 16);
            EXPECT_EQ(t.rx, links * (US + wire * 80));
            EXPECT_EQ(t.ack, t.rx + links * (US + 86 * 80));
        }
    }
}

// n full packets over k links: rx = k d + (k (w + e) + (n - 1) w)/C, to the picosecond; above the
// number of packets that are stepped as well
TEST(IdealFct, ManyPackets)
{
    const IdealFct ideal(FrameProfile::Get("rocev2"), 1000);
    for (FabricPs n : {2, 3, 511, 512, 513, 10000, 5'000'000})
    {
        for (FabricPs k = 1; k <= 6; ++k)
        {
            const auto t = ideal.Compute(static_cast<uint64_t>(n) * 1000,
                                         Path(static_cast<size_t>(k), 400'000'000'000, 50'000));
            // every 2 GiB a work request ends and the next one carries a RETH of its own
            const FabricPs requests = (n * 1000 - 1) / (1LL << 31);
            EXPECT_EQ(t.rx,
                      k * 50'000 + (k * (1082 + 16) + (n - 1) * 1082 + requests * 16) * 20);
            EXPECT_EQ(t.ack, t.rx + k * (50'000 + 86 * 20));
        }
    }
}

// a short last packet: its ACK may have to wait for the one before it (83 wire bytes against 86)
TEST(IdealFct, AckOfATinyTailWaits)
{
    const IdealFct ideal(FrameProfile::Get("rocev2"), 1000);
    const auto t = ideal.Compute(1001, Path(1, 100'000'000'000, US));
    EXPECT_EQ(t.rx, US + (1098 + 83) * 80);
    EXPECT_EQ(t.ack, US + 1098 * 80 + 86 * 80 + 86 * 80 + US);
}

// the slowest link sets the pace, whichever it is; others only add their own store-and-forward
TEST(IdealFct, BottleneckAnywhere)
{
    const IdealFct ideal(FrameProfile::Get("plain48"), 1000);
    for (size_t slow = 0; slow < 3; ++slow)
    {
        auto path = Path(3, 100'000'000'000, US);
        path[slow].rate = FabricRate(25'000'000'000);
        const auto t = ideal.Compute(1'000'000, path);
        EXPECT_EQ(t.rx, 3 * US + 2 * 1048 * 80 + 1000 * 1048 * 320);
    }
}

// fault 17: sizes of 64 bits; HPCC's formula for a payload of 9000 B at 400 Gb/s
TEST(IdealFct, BeyondFourGigabytes)
{
    const IdealFct ideal(FrameProfile::Get("plain48"), 9000);
    const uint64_t bytes = 4'294'967'297;
    const auto t = ideal.Compute(bytes, Path(1, 400'000'000'000, US));
    const uint64_t packets = 477'219;
    EXPECT_EQ(t.rx, US + static_cast<FabricPs>((bytes + packets * 48) * 20));
}

TEST(FlowOutcome, SlowdownOfUnfinishedIsZero)
{
    FlowOutcome flow;
    flow.idealAckPs = 100;
    flow.ackPs = 250;
    EXPECT_EQ(flow.GetSlowdown(), 0);
    flow.status = FlowOutcome::Status::FINISHED;
    EXPECT_EQ(flow.GetSlowdown(), 2.5);
}

// FIPS 180-4 examples
TEST(FileDigest, KnownAnswers)
{
    EXPECT_EQ(FileDigest::OfText(""),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(FileDigest::OfText("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(FileDigest::OfText("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(FileDigest::OfFile("/nonexistent/file"), "");
}
