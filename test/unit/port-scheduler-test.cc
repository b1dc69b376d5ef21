/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Class scheduling without a network: shares, strictness, refused weights.
 */

#include "ns3/fabric-error.h"
#include "ns3/port-scheduler.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

TEST(StrictDwrr, SharesFollowTheWeightsAtEveryMoment)
{
    const auto s = CreateObject<StrictDwrrScheduler>();
    s->SetWeights("1 2 3 4 1 1 1 1");
    const uint32_t frame[4] = {64, 1500, 300, 9000};
    int64_t sent[4]{};
    for (uint32_t i = 0; i < 20000; ++i)
    {
        const uint8_t vl = s->Select(0x0f);
        ASSERT_LT(vl, 4);
        s->OnSent(vl, frame[vl]);
        sent[vl] += frame[vl];
        for (uint32_t a = 0; a < 4; ++a)
        {
            // normalised service of two classes differs by one round and one overdraft each
            const int64_t share = sent[a] / (a + 1);
            ASSERT_LE(std::abs(share - sent[0]), 2 * 1500 + 9000 / 4 + 1500) << i;
        }
    }
}

TEST(StrictDwrr, EqualFramesAlternateExactly)
{
    const auto s = CreateObject<StrictDwrrScheduler>();
    s->SetAttribute("Quantum", UintegerValue(1000));
    s->SetWeights("1 3 1 1 1 1 1 1");
    uint32_t ones = 0;
    for (uint32_t i = 1; i <= 4000; ++i)
    {
        const uint8_t vl = s->Select(0x03);
        s->OnSent(vl, 1000);
        ones += vl;
        if (i % 4 == 0)
        {
            ASSERT_EQ(ones, i / 4 * 3) << i;
        }
    }
}

TEST(StrictDwrr, StrictClassesGoFirstHighestFirst)
{
    const auto s = CreateObject<StrictDwrrScheduler>();
    EXPECT_EQ(s->Select(0xff), 7);
    EXPECT_EQ(s->Select(0x7f), 6);
    EXPECT_LT(s->Select(0x3f), 6);
    s->SetAttribute("StrictClasses", UintegerValue(0x21));
    EXPECT_EQ(s->Select(0xff), 5);
    EXPECT_EQ(s->Select(0xdf), 0);
}

TEST(StrictDwrr, BeingAloneCostsNothingLater)
{
    const auto s = CreateObject<StrictDwrrScheduler>();
    for (uint32_t i = 0; i < 10000; ++i)
    {
        ASSERT_EQ(s->Select(0x02), 1);
        s->OnSent(1, 1500);
    }
    int balance = 0;
    for (uint32_t i = 0; i < 100; ++i)
    {
        const uint8_t vl = s->Select(0x06);
        s->OnSent(vl, 1500);
        balance += vl == 1 ? 1 : -1;
        ASSERT_LE(std::abs(balance), 1) << i;
    }
}

TEST(StrictDwrr, WrongWeightsAreRefusedAndChangeNothing)
{
    const auto s = CreateObject<StrictDwrrScheduler>();
    s->SetWeights("1 2 3 4 5 6 7 8");
    for (const char* wrong : {"",
                              "1 1 1 1 1 1 1",
                              "1 1 1 1 1 1 1 1 1",
                              "0 1 1 1 1 1 1 1",
                              "1001 1 1 1 1 1 1 1",
                              "-1 1 1 1 1 1 1 1",
                              "a 1 1 1 1 1 1 1",
                              "1.5 1 1 1 1 1 1 1",
                              "99999999999999999999 1 1 1 1 1 1 1"})
    {
        EXPECT_THROW(s->SetWeights(wrong), FabricError) << wrong;
        EXPECT_EQ(s->GetWeights(), "1 2 3 4 5 6 7 8");
    }
}

} // namespace
