/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/rdma-psn.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(Psn, WireNumbersAreTheLow24Bits)
{
    EXPECT_EQ(RdmaPsn::Wire(0x1fffffe), 0xfffffeu);
    EXPECT_EQ(RdmaPsn::Wire(RdmaPsn::Start(0xffffff)), 0xffffffu);
    EXPECT_EQ(RdmaPsn::Wire(RdmaPsn::Start(0xffffff) + 1), 0u);
}

// fault 17, cheap variant: numbers go on past 2^24 and past 2^32
TEST(Psn, ExtendFindsTheNearestSequence)
{
    for (const uint64_t near : {uint64_t{1} << 24,
                                (uint64_t{1} << 24) + 5,
                                (uint64_t{2} << 24) - 1,
                                (uint64_t{1} << 32) - 3,
                                (uint64_t{1} << 40) + 0x7fffff})
    {
        for (const int64_t d : {-(int64_t{1} << 23),
                                int64_t{-100000},
                                int64_t{-1},
                                int64_t{0},
                                int64_t{1},
                                int64_t{77777},
                                (int64_t{1} << 23) - 1})
        {
            const uint64_t seq = near + static_cast<uint64_t>(d);
            EXPECT_EQ(RdmaPsn::Extend(RdmaPsn::Wire(seq), near), seq) << near << " " << d;
        }
    }
}
