/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/fabric-units.h"

#include <gtest/gtest.h>
#include <limits>

using namespace ns3;

TEST(Units, RatesAreExact)
{
    struct Case
    {
        const char* text;
        uint64_t bps;
    };

    const Case cases[] = {{"100Gbps", 100'000'000'000},
                          {"40Gb/s", 40'000'000'000},
                          {"12.5GB/s", 100'000'000'000},
                          {"0.1Tbps", 100'000'000'000},
                          {"1000kbps", 1'000'000},
                          {"1Kib/s", 1024},
                          {"1bps", 1},
                          {"2.5e1Gbps", 25'000'000'000}};
    for (const auto& c : cases)
    {
        EXPECT_EQ(FabricUnits::Rate(c.text).value_or(0), c.bps) << c.text;
    }
    EXPECT_EQ(FabricUnits::Rate("25000000000.0", true).value_or(0), 25'000'000'000U);
}

// fault 47: bad tokens give nothing, they are never half read.
TEST(Units, BadTextsAreRefused)
{
    for (const char* text : {"",
                             "100",
                             "100Gb",
                             "Gbps",
                             "100 Gbps",
                             "-1Gbps",
                             "1.2.3Gbps",
                             "1Gbpsx",
                             "1gbps",
                             "nan",
                             "infbps",
                             "0x1Gbps",
                             "1e999Gbps",
                             "+5Gbps",
                             "99999999999Gbps"})
    {
        EXPECT_FALSE(FabricUnits::Rate(text).has_value()) << text;
    }
    for (const char* text :
         {"", "1", "1m", "1min", "us", "-1us", "1 us", "1uss", "9223373s", "1us1"})
    {
        EXPECT_FALSE(FabricUnits::TimePs(text).has_value()) << text;
    }
    for (const char* text :
         {"", "1", "KB", "-1KB", "1Kb", "1kib", "400cells", "1 MB", "18446745TB"})
    {
        EXPECT_FALSE(FabricUnits::Size(text).has_value()) << text;
    }
    for (const char* text :
         {"", "-", "1-2", "1e", "1e1e1", "nan", "inf", "0x5", "1e999", ".", "e5"})
    {
        EXPECT_FALSE(FabricUnits::Real(text).has_value()) << text;
    }
    for (const char* text : {"", "-1", "1.0", "1e3", "18446744073709551616", " 1"})
    {
        EXPECT_FALSE(FabricUnits::Whole(text).has_value()) << text;
    }
}

TEST(Units, TimesAreExactToThePicosecond)
{
    EXPECT_EQ(FabricUnits::TimePs("0.001ms").value_or(-1), 1'000'000);
    EXPECT_EQ(FabricUnits::TimePs("0.0125ms").value_or(-1), 12'500'000);
    EXPECT_EQ(FabricUnits::TimePs("614.4ns").value_or(-1), 614'400);
    EXPECT_EQ(FabricUnits::TimePs("1.0004ns").value_or(-1), 1'000); // rounds half up
    EXPECT_EQ(FabricUnits::TimePs("1.0005ns").value_or(-1), 1'001);
    EXPECT_EQ(FabricUnits::TimePs("0s").value_or(-1), 0);
    EXPECT_EQ(FabricUnits::SecondsPs("2.000000000001").value_or(-1), 2'000'000'000'001);
    EXPECT_EQ(FabricUnits::TimePs("9223372.036854775807s").value_or(-1),
              std::numeric_limits<int64_t>::max());
}

// fault 13: 400 cells, 400 KB and 400 KiB are three sizes; cells need their size.
TEST(Units, SizesKeepTheirUnits)
{
    EXPECT_EQ(FabricUnits::Size("400KB").value_or(0), 400'000U);
    EXPECT_EQ(FabricUnits::Size("400KiB").value_or(0), 409'600U);
    EXPECT_EQ(FabricUnits::Size("400cells", 208).value_or(0), 83'200U);
    EXPECT_EQ(FabricUnits::Size("32MiB").value_or(0), 33'554'432U);
    EXPECT_EQ(FabricUnits::Size("1.5KB").value_or(0), 1'500U);
    EXPECT_EQ(FabricUnits::Size("1000", 0, true).value_or(0), 1'000U);
    EXPECT_TRUE(Has(ErrorOf([] { FabricUnits::RequireSize("400", "Kmin"); }),
                    "Kmin: '400': allowed is a size with unit, such as 1500B, 400KB (1000)"));
    EXPECT_TRUE(Has(ErrorOf([] { FabricUnits::RequireRate("100", "rate"); }), "rate: '100'"));
    EXPECT_TRUE(Has(ErrorOf([] { FabricUnits::RequireTimePs("5", "delay"); }), "delay: '5'"));
}

TEST(Units, WholeNumbersGoTo64Bits)
{
    EXPECT_EQ(FabricUnits::Whole("18446744073709551615").value_or(0), ~uint64_t{0});
    EXPECT_EQ(FabricUnits::Whole("007").value_or(0), 7U);
    EXPECT_EQ(FabricUnits::ScaleDecimal("1.8446744073709551615e19", 1).value_or(0), ~uint64_t{0});
    EXPECT_EQ(FabricUnits::ScaleDecimal("0.000000000000000000000000000001e30", 1).value_or(0), 1U);
    EXPECT_EQ(FabricUnits::ScaleDecimal("1e-500", 1).value_or(9), 0U);
}

// What is echoed to the user reads back as the same value.
TEST(Units, TextsReadBack)
{
    for (const uint64_t v :
         {1ULL, 999ULL, 1000ULL, 1500ULL, 1000000ULL, 25781250000ULL, 400000000000ULL})
    {
        EXPECT_EQ(FabricUnits::Rate(FabricUnits::RateText(v)).value_or(0), v);
        EXPECT_EQ(FabricUnits::Size(FabricUnits::SizeText(v)).value_or(0), v);
        const auto ps = static_cast<int64_t>(v);
        EXPECT_EQ(FabricUnits::TimePs(FabricUnits::TimeText(ps)).value_or(0), ps);
    }
    EXPECT_EQ(FabricUnits::RateText(100'000'000'000), "100Gb/s");
    EXPECT_EQ(FabricUnits::TimeText(12'500'000), "12500ns");
    EXPECT_EQ(FabricUnits::TimeText(-1'000'000), "-1us");
    EXPECT_EQ(FabricUnits::SizeText(409'600), "409600B");
    EXPECT_EQ(FabricUnits::TimeText(0), "0ps");
}
