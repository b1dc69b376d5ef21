/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/qp-scheduler.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

struct Fleet
{
    explicit Fleet(uint32_t n)
        : entries(n)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            entries[i].wait.owner = &entries[i];
            entries[i].wait.order = i;
        }
    }

    uint32_t PopFront(uint8_t vl)
    {
        QpSchedulerEntry* e = scheduler.Front(vl);
        scheduler.Remove(e);
        return e->wait.order;
    }

    std::deque<QpSchedulerEntry> entries;
    QpScheduler scheduler;
};

} // namespace

TEST(QpScheduler, NobodyIsReadyBeforeItsTime)
{
    Fleet f(1);
    f.scheduler.Schedule(&f.entries[0], 100);
    f.scheduler.Promote(99);
    EXPECT_EQ(f.scheduler.GetReady(), 0);
    EXPECT_EQ(f.scheduler.NextAt(), 100);
    f.scheduler.Promote(100);
    EXPECT_EQ(f.scheduler.GetReady(), 1);
    EXPECT_EQ(f.scheduler.NextAt(), FABRIC_NEVER);
}

TEST(QpScheduler, OrderIsTimeThenNumber)
{
    Fleet f(4);
    f.scheduler.Schedule(&f.entries[2], 10);
    f.scheduler.Schedule(&f.entries[3], 5);
    f.scheduler.Schedule(&f.entries[1], 10);
    f.scheduler.Schedule(&f.entries[0], 11);
    f.scheduler.Promote(20);
    EXPECT_EQ(f.PopFront(0), 3u);
    EXPECT_EQ(f.PopFront(0), 1u);
    EXPECT_EQ(f.PopFront(0), 2u);
    EXPECT_EQ(f.PopFront(0), 0u);
}

TEST(QpScheduler, EqualsTakeTurns)
{
    Fleet f(3);
    for (auto& e : f.entries)
    {
        f.scheduler.Schedule(&e, 0);
    }
    FabricPs now = 0;
    for (uint32_t round = 0; round < 9; ++round)
    {
        f.scheduler.Promote(now);
        const uint32_t who = f.PopFront(0);
        EXPECT_EQ(who, round % 3);
        now += 80;
        f.scheduler.Schedule(&f.entries[who], now); // back to back at line rate
    }
}

TEST(QpScheduler, ClassesHaveRingsOfTheirOwn)
{
    Fleet f(2);
    f.entries[1].vl = 5;
    f.scheduler.Schedule(&f.entries[0], 1);
    f.scheduler.Schedule(&f.entries[1], 1);
    f.scheduler.Promote(1);
    EXPECT_EQ(f.scheduler.GetReady(), 0x21);
    EXPECT_EQ(f.PopFront(5), 1u);
    EXPECT_EQ(f.scheduler.GetReady(), 0x01);
}

TEST(QpScheduler, RemovalFromAnywhereKeepsTheOrderOfTheOthers)
{
    std::mt19937 rng(7);
    for (int trial = 0; trial < 200; ++trial)
    {
        Fleet f(40);
        std::vector<std::pair<FabricPs, uint32_t>> expect;
        for (uint32_t i = 0; i < 40; ++i)
        {
            const FabricPs at = rng() % 20;
            f.scheduler.Schedule(&f.entries[i], at);
            expect.emplace_back(at, i);
        }
        f.scheduler.Promote(5); // some in the ring, some in the heap
        for (int k = 0; k < 15; ++k)
        {
            const uint32_t victim = rng() % 40;
            f.scheduler.Remove(&f.entries[victim]);
            expect.erase(std::remove_if(expect.begin(),
                                        expect.end(),
                                        [&](const auto& x) { return x.second == victim; }),
                         expect.end());
        }
        std::sort(expect.begin(), expect.end());
        f.scheduler.Promote(100);
        for (const auto& x : expect)
        {
            ASSERT_EQ(f.PopFront(0), x.second);
        }
        EXPECT_EQ(f.scheduler.GetReady(), 0);
    }
}
