/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Packet records: pool, side slots, clones, lists and the ring of arrivals.
 */

#include "ns3/fabric-packet.h"
#include "ns3/fabric-port.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

TEST(FabricPacketPool, RecordsAreCleanDistinctAndReused)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    const uint64_t before = pool.GetInUse();
    std::set<FabricPacket*> records;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        FabricPacket* p = pool.Allocate();
        EXPECT_EQ(p->bytes, 0U);
        EXPECT_EQ(p->side, 0U);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0U) << "one cache line";
        p->bytes = 77;
        records.insert(p);
    }
    EXPECT_EQ(records.size(), 3000U);
    EXPECT_EQ(pool.GetInUse(), before + 3000);
    const uint64_t capacity = pool.GetCapacity();
    for (FabricPacket* p : records)
    {
        pool.Free(p);
    }
    EXPECT_EQ(pool.GetInUse(), before);
    FabricPacket* again = pool.Allocate();
    EXPECT_EQ(again->bytes, 0U);
    pool.Free(again);
    EXPECT_EQ(pool.GetCapacity(), capacity) << "nothing new was made";
}

TEST(FabricPacketPool, SideSlotsComeCleanAndGoWithTheRecord)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* a = pool.Allocate();
    pool.Side(a).rkey = 5;
    pool.Side(a).frame = Create<Packet>(100);
    const uint32_t slot = a->side;
    EXPECT_NE(slot, 0U);
    pool.Free(a);
    FabricPacket* b = pool.Allocate();
    EXPECT_EQ(pool.Side(b).rkey, 0U);
    EXPECT_EQ(b->side, slot) << "the slot is used again";
    EXPECT_FALSE(pool.Side(b).frame);
    pool.Free(b);
}

TEST(FabricPacketPool, ClonesAreIndependent)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacket* a = pool.Allocate();
    a->bytes = 1036;
    pool.Side(a).frame = Create<Packet>(100);
    pool.Side(a).imm = 9;
    FabricPacket* b = pool.Clone(a);
    EXPECT_EQ(b->bytes, 1036U);
    EXPECT_NE(b->side, a->side);
    EXPECT_EQ(pool.Side(b).imm, 9U);
    EXPECT_NE(pool.Side(b).frame, pool.Side(a).frame);
    pool.Free(a);
    EXPECT_EQ(pool.Side(b).frame->GetSize(), 100U);
    pool.Free(b);
}

TEST(FabricPacketFifo, FirstInFirstOut)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    const uint64_t before = pool.GetInUse();
    FabricPacketFifo fifo;
    EXPECT_TRUE(fifo.IsEmpty());
    for (uint32_t round = 0; round < 3; ++round)
    {
        for (uint32_t i = 0; i < 5; ++i)
        {
            FabricPacket* p = pool.Allocate();
            p->psn = i;
            fifo.Push(p);
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            ASSERT_FALSE(fifo.IsEmpty());
            FabricPacket* p = fifo.Pop();
            EXPECT_EQ(p->psn, i);
            pool.Free(p);
        }
        EXPECT_TRUE(fifo.IsEmpty());
    }
    fifo.Push(pool.Allocate());
    fifo.Push(pool.Allocate());
    fifo.Clear();
    EXPECT_EQ(pool.GetInUse(), before);
}

TEST(FabricPendingRing, OrdersArrivalsAndPassesOverBlockedClasses)
{
    FabricPendingRing ring;
    EXPECT_EQ(ring.NextAfter(0, 0), FABRIC_NEVER);
    for (FabricPs at : {50, 20, 40, 10, 30})
    {
        ring.Insert(at, static_cast<uint8_t>(at / 10));
    }
    EXPECT_EQ(ring.NextAfter(0, 0), 10);
    EXPECT_EQ(ring.NextAfter(0, 1 << 1), 20);
    EXPECT_EQ(ring.NextAfter(10, 0), 20) << "what has arrived is not pending";
    EXPECT_EQ(ring.NextAfter(29, 1 << 3), 40);
    EXPECT_EQ(ring.NextAfter(30, 0x30), FABRIC_NEVER);
    EXPECT_EQ(ring.NextAfter(50, 0), FABRIC_NEVER);
    EXPECT_TRUE(ring.IsEmpty());
}

TEST(FabricPendingRing, GrowsWithoutLosingAnything)
{
    FabricPendingRing ring;
    for (FabricPs at = 1000; at > 0; --at)
    {
        ring.Insert(at, 3);
    }
    for (FabricPs now = 0; now < 1000; ++now)
    {
        ASSERT_EQ(ring.NextAfter(now, 0), now + 1);
    }
}

} // namespace
