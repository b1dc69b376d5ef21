/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/copy-engines.h"
#include "ns3/fabric-random.h"
#include "ns3/memory-bandwidth.h"
#include "ns3/memory-path-counts.h"
#include "ns3/memory-transfer.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

constexpr uint32_t NONE = MemoryTransfer::NONE;

TEST(MemoryBandwidth, NeverDriftsFromItsRate)
{
    MemoryBandwidth memory;
    memory.SetRate(123'456'789'123);
    FabricPs end = 0;
    for (uint32_t i = 0; i < 1'000'000; ++i)
    {
        end = memory.Take(0, 4096).end;
    }
    EXPECT_EQ(end, FabricRate(123'456'789'123).TxTime(4'096'000'000));
}

TEST(MemoryBandwidth, ServesInOrderOfAskingAndIdlesBetween)
{
    MemoryBandwidth memory;
    memory.SetRate(8'000'000'000); // 1000 ps a byte
    EXPECT_EQ(memory.Take(500, 10).end, 10'500);
    EXPECT_EQ(memory.Take(600, 10).start, 10'500);
    EXPECT_EQ(memory.GetFree(), 20'500);
    EXPECT_EQ(memory.Take(50'000, 1).start, 50'000);
    memory.SetRate(0);
    EXPECT_EQ(memory.Take(7, 1 << 20).end, 7);
}

TEST(CopyEngines, AreGivenOutOnceAndPacedApart)
{
    CopyEngines engines;
    engines.SetUp(2, 8'000'000'000);
    EXPECT_EQ(engines.Acquire(), 1);
    EXPECT_EQ(engines.Acquire(), 2);
    EXPECT_EQ(engines.Acquire(), 0);
    engines.Release(1);
    EXPECT_EQ(engines.Acquire(), 1);
    EXPECT_EQ(engines.Pace(1, 0, 10), 10'000);
    EXPECT_EQ(engines.Pace(1, 0, 10), 20'000);
    EXPECT_EQ(engines.Pace(2, 0, 10), 10'000);
}

TEST(MemoryPathCounts, IsAMapOfCounts)
{
    MemoryPathCounts counts;
    EXPECT_EQ(counts.Take(1, 10).stored, 0U);
    std::map<uint64_t, uint64_t> expected;
    for (uint64_t i = 0; i < 200'000; ++i)
    {
        const uint64_t dice = FabricRandom::Mix(i);
        const uint64_t key = dice % 97 << 32 | (dice >> 8) % 5;
        const uint64_t bytes = 1 + (dice >> 16) % 1000;
        if ((dice >> 32) % 2 == 0)
        {
            counts.Add(key, bytes);
            expected[key] += bytes;
            continue;
        }
        const uint64_t there = expected.count(key) ? expected[key] : 0;
        ASSERT_EQ(counts.Take(key, 2 * bytes).stored, std::min(2 * bytes, there));
        if (there <= 2 * bytes)
        {
            expected.erase(key);
        }
        else
        {
            expected[key] -= 2 * bytes;
        }
        ASSERT_EQ(counts.GetN(), expected.size());
    }
}

TEST(MemoryPathCounts, TellsStoredFromRefusedBytesAndTheFirstReason)
{
    MemoryPathCounts counts;
    for (uint64_t other = 10; other < 50; ++other)
    {
        counts.Add(other, 7); // makes the table grow around it
        counts.Add(1, 100, other % 2 == 0 ? MemoryStatus::OK : MemoryStatus::OUT_OF_BOUNDS);
        counts.Add(1, 1, MemoryStatus::NO_ACCESS);
    }
    MemoryPathCounts::Count got = counts.Take(1, 1000);
    EXPECT_EQ(got.stored, 1000U);
    EXPECT_EQ(got.refused, 0U);
    EXPECT_EQ(got.status, MemoryStatus::OK);
    got = counts.Take(1, 1500);
    EXPECT_EQ(got.stored, 1000U);
    EXPECT_EQ(got.refused, 500U);
    EXPECT_EQ(got.status, MemoryStatus::NO_ACCESS);
    EXPECT_EQ(counts.Take(1, 99'999).refused, 1540U);
    EXPECT_EQ(counts.GetN(), 40U);
    counts.Add(1, 3);
    EXPECT_EQ(counts.Take(1, 9).status, MemoryStatus::OK);
}

TEST(MemoryTransferTable, TagsOfOperationsThatAreOverAreUnknown)
{
    MemoryTransferTable table;
    const uint32_t slot = table.Allocate();
    table.At(slot).state = MemoryTransfer::State::SENT;
    const uint32_t tag = table.TagOf(slot);
    EXPECT_EQ(table.Find(tag), slot);
    EXPECT_EQ(table.Find(tag + 1), NONE);
    table.Free(slot);
    EXPECT_EQ(table.Find(tag), NONE);
    ASSERT_EQ(table.Allocate(), slot);
    table.At(slot).state = MemoryTransfer::State::SENT;
    EXPECT_EQ(table.Find(tag), NONE);
    EXPECT_NE(table.TagOf(slot), tag);
    EXPECT_EQ(table.GetInUse(), 1U);
}

TEST(MemoryTransferTable, RunsOutAtSixteenBits)
{
    MemoryTransferTable table;
    for (uint32_t i = 0; i < MemoryTransferTable::MAX_SLOTS; ++i)
    {
        ASSERT_NE(table.Allocate(), NONE);
    }
    EXPECT_EQ(table.Allocate(), NONE);
    table.Free(777);
    EXPECT_EQ(table.Allocate(), 777U);
}

TEST(MemoryTransferTable, ListsKeepTheirOrderWhateverIsRemoved)
{
    MemoryTransferTable table;
    MemoryTransferTable::List list;
    std::multiset<std::pair<FabricPs, uint32_t>> expected;
    uint32_t order = 0;
    for (uint32_t i = 0; i < 5000; ++i)
    {
        const uint64_t dice = FabricRandom::Mix(i);
        if (dice % 3 != 0 || expected.empty())
        {
            const uint32_t slot = table.Allocate();
            table.At(slot).due = static_cast<FabricPs>((dice >> 8) % 100);
            table.At(slot).deadline = table.At(slot).due;
            table.At(slot).value = ++order;
            table.InsertByDue(list, slot);
            table.Watch(slot);
            expected.insert({table.At(slot).due, order});
            continue;
        }
        uint32_t slot = list.head;
        for (uint64_t step = (dice >> 8) % expected.size(); step > 0; --step)
        {
            slot = table.At(slot).next;
        }
        expected.erase({table.At(slot).due, static_cast<uint32_t>(table.At(slot).value)});
        table.Remove(list, slot);
        table.Unwatch(slot);
        table.Free(slot);
    }
    uint32_t slot = list.head;
    uint32_t watched = table.GetFirstWatched();
    for (const auto& [due, number] : expected)
    {
        ASSERT_NE(slot, NONE);
        EXPECT_EQ(table.At(slot).due, due);
        EXPECT_EQ(table.At(slot).value, number);
        EXPECT_EQ(watched, slot);
        slot = table.At(slot).next;
        watched = table.At(watched).watchNext;
    }
    EXPECT_EQ(slot, NONE);
    EXPECT_EQ(watched, NONE);
    EXPECT_EQ(table.GetInUse(), expected.size());
}

} // namespace
