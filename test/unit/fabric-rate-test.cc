/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Rates and picoseconds: exact serialisation, no drift, no overflow (fault 28).
 */

#include "ns3/fabric-random.h"
#include "ns3/fabric-time.h"

#include <gtest/gtest.h>
#include <initializer_list>

using namespace ns3;

namespace
{

constexpr uint64_t GBPS = 1'000'000'000; //!< bits per second of a Gb/s
using Wide = unsigned __int128;          //!< for exact expectations

TEST(FabricRate, KnownTimes)
{
    uint64_t debt = 0;
    EXPECT_EQ(FabricRate(100 * GBPS).Serialise(1000, debt), 80'000);
    EXPECT_EQ(FabricRate(400 * GBPS).Serialise(64, debt), 1280);
    EXPECT_EQ(FabricRate(1600 * GBPS).Serialise(1, debt), 5);
    EXPECT_EQ(FabricRate(1'000'000).Serialise(1500, debt), 12'000'000'000);
    EXPECT_EQ(debt, 0U) << "whole picoseconds leave no debt";
    EXPECT_EQ(FabricRate(100 * GBPS).BytesIn(2'000'000), 25'000U);
}

TEST(FabricRate, BackToBackFramesNeverDrift)
{
    FabricRandom r(1, 0);
    for (uint64_t bps : std::initializer_list<uint64_t>{123 * GBPS,
                                                        7 * GBPS,
                                                        999'999'999'989ULL,
                                                        1600 * GBPS,
                                                        1'000'003ULL})
    {
        const FabricRate rate(bps);
        uint64_t debt = 0;
        FabricPs clock = 0;
        Wide bytes = 0;
        for (uint32_t i = 0; i < 100000; ++i)
        {
            const uint32_t frame = 64 + r.Below(9000);
            clock += rate.Serialise(frame, debt);
            bytes += frame;
            const auto exact =
                static_cast<FabricPs>((bytes * 8'000'000'000'000ULL + bps - 1) / bps);
            ASSERT_EQ(clock, exact) << bps << " frame " << i;
            ASSERT_LT(debt, bps);
        }
    }
}

TEST(FabricRate, LargestArgumentsDoNotOverflow)
{
    const uint32_t largest = 1U << 20;
    for (uint64_t bps : std::initializer_list<uint64_t>{1'000'000ULL,
                                                        999'983ULL,
                                                        1600 * GBPS,
                                                        1'599'999'999'989ULL})
    {
        uint64_t debt = 0;
        EXPECT_EQ(FabricRate(bps).Serialise(largest, debt),
                  static_cast<FabricPs>((Wide(largest) * 8'000'000'000'000ULL + bps - 1) / bps));
    }
    // 4 GiB and one byte at 400 Gb/s: fault 17's size
    EXPECT_EQ(FabricRate(400 * GBPS).TxTime(4'294'967'297ULL), 85'899'345'940LL);
    // an hour at 1.6 Tb/s
    EXPECT_EQ(FabricRate(1600 * GBPS).BytesIn(3'600'000'000'000'000LL), 720'000'000'000'000ULL);
}

TEST(FabricRate, BytesAndTimesAgree)
{
    for (uint64_t bps :
         std::initializer_list<uint64_t>{1'000'000ULL, 10 * GBPS, 123 * GBPS, 1600 * GBPS})
    {
        const FabricRate rate(bps);
        for (uint64_t bytes : std::initializer_list<uint64_t>{1ULL, 64ULL, 1500ULL, 123'456'789ULL})
        {
            EXPECT_GE(rate.BytesIn(rate.TxTime(bytes)), bytes) << "rounding is upwards";
            EXPECT_LE(rate.BytesIn(rate.TxTime(bytes) - 1), bytes);
        }
    }
}

} // namespace
