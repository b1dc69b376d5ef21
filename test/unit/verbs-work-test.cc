/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/verbs-memory-region.h"
#include "ns3/verbs-work.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

// fault 21: code 0 is the longest wait, not none
TEST(VerbsWork, RnrTimerTable)
{
    const FabricPs ms = 1'000'000'000;
    EXPECT_EQ(VerbsRnrTimer(0), 65536 * ms / 100);
    EXPECT_EQ(VerbsRnrTimer(1), ms / 100);
    EXPECT_EQ(VerbsRnrTimer(12), 64 * ms / 100);
    EXPECT_EQ(VerbsRnrTimer(31), 49152 * ms / 100);
    for (uint8_t code = 2; code < 32; ++code)
    {
        EXPECT_GT(VerbsRnrTimer(code), VerbsRnrTimer(code - 1)) << +code;
        EXPECT_LT(VerbsRnrTimer(code), VerbsRnrTimer(0)) << +code;
    }
}

TEST(VerbsWork, StateMachine)
{
    // rows: from; columns: RESET INIT RTR RTS SQD SQE ERR; for RC
    const char* const legal[7] =
        {"11....1", "111...1", "1..1..1", "1..11.1", "1..11.1", "1.....1", "1.....1"};
    for (int from = 0; from < 7; ++from)
    {
        for (int to = 0; to < 7; ++to)
        {
            EXPECT_EQ(VerbsTransitionAllowed(VerbsQpType::RC,
                                             static_cast<VerbsQpState>(from),
                                             static_cast<VerbsQpState>(to)),
                      legal[from][to] == '1')
                << from << " to " << to;
        }
    }
    EXPECT_TRUE(VerbsTransitionAllowed(VerbsQpType::UD, VerbsQpState::SQE, VerbsQpState::RTS));
    EXPECT_STREQ(VerbsStateName(VerbsQpState::SQD), "SQD");
    EXPECT_STREQ(VerbsStatusName(VerbsWcStatus::RNR_RETRY_EXC_ERR), "RNR_RETRY_EXC_ERR");
}

TEST(VerbsWork, MemoryRegionChecksDomainBoundsAndRights)
{
    const VerbsMemoryRegion mr(1, 1000, 500, VERBS_ACCESS_REMOTE_WRITE, 0x101);
    EXPECT_TRUE(mr.Allows(1, 1000, 500, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_TRUE(mr.Allows(1, 1500, 0, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(mr.Allows(2, 1000, 500, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(mr.Allows(1, 999, 1, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(mr.Allows(1, 1000, 501, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(mr.Allows(1, 1001, ~0ULL, VERBS_ACCESS_REMOTE_WRITE));
    EXPECT_FALSE(mr.Allows(1, 1000, 1, VERBS_ACCESS_REMOTE_READ));
    EXPECT_FALSE(mr.Allows(1, 1000, 1, VERBS_ACCESS_REMOTE_WRITE | VERBS_ACCESS_REMOTE_READ));
}
