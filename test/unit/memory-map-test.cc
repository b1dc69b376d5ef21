/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fabric-error.h"
#include "ns3/fabric-random.h"
#include "ns3/memory-map.h"
#include "ns3/memory-pool.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

using namespace ns3;

namespace
{

constexpr uint64_t TOP = UINT64_MAX;

std::string
Complaint(const std::function<void()>& mistake)
{
    try
    {
        mistake();
    }
    catch (const FabricError& e)
    {
        return e.what();
    }
    return "";
}

TEST(MemoryMap, FindsEveryByteOfItsRangesAndNoOther)
{
    const auto map = CreateObject<MemoryMap>();
    map->Add(1000, 100, 3, MEMORY_READ);
    map->Add(1100, 1, 4, MEMORY_READ);
    map->Add(0, 1, 5, MEMORY_READ);
    MemoryMap::Place place{};
    EXPECT_FALSE(map->Lookup(999, place));
    EXPECT_FALSE(map->Lookup(1, place));
    EXPECT_FALSE(map->Lookup(1101, place));
    ASSERT_TRUE(map->Lookup(1000, place));
    EXPECT_EQ(place.owner, 3U);
    EXPECT_EQ(place.bytes, 100U);
    ASSERT_TRUE(map->Lookup(1099, place));
    EXPECT_EQ(place.bytes, 1U);
    ASSERT_TRUE(map->Lookup(1100, place));
    EXPECT_EQ(place.owner, 4U);
    ASSERT_TRUE(map->Lookup(0, place));
    EXPECT_EQ(place.owner, 5U);
}

TEST(MemoryMap, RefusesEmptyWrappingAndOverlappingRanges)
{
    const auto map = CreateObject<MemoryMap>();
    map->Add(1000, 1000, 0, 0);
    EXPECT_THROW(map->Add(5000, 0, 0, 0), FabricError);
    EXPECT_THROW(map->Add(TOP, 2, 0, 0), FabricError);
    EXPECT_THROW(map->Add(2, TOP, 0, 0), FabricError);
    for (const auto& [base, bytes] : {std::pair<uint64_t, uint64_t>(1000, 1000),
                                      {1000, 1},
                                      {1999, 1},
                                      {1500, 10},
                                      {0, 1001},
                                      {0, 5000},
                                      {1999, 5000}})
    {
        const std::string text = Complaint([&]() { map->Add(base, bytes, 1, 0); });
        EXPECT_NE(text.find("0x3e8"), std::string::npos) << text;
    }
    EXPECT_EQ(map->GetN(), 1U);
    map->Add(0, 1000, 1, 0);
    map->Add(2000, 1, 1, 0);
    map->Add(TOP, 1, 1, 0); // the very last byte
    MemoryMap::Place place{};
    ASSERT_TRUE(map->Lookup(TOP, place));
    EXPECT_EQ(place.bytes, 1U);
    EXPECT_EQ(map->GetN(), 4U);
}

TEST(MemoryMap, RefusesBadRightsAndOwners)
{
    const auto map = CreateObject<MemoryMap>();
    EXPECT_THROW(map->Add(0, 10, 0, 8), FabricError);
    EXPECT_THROW(map->AddInterleaved(0, 10, {}, 5, 0), FabricError);
    EXPECT_THROW(map->AddInterleaved(0, 10, {1, 1}, 5, 0), FabricError);
    EXPECT_THROW(map->AddInterleaved(0, 10, {1, 2}, 3, 0), FabricError);
    EXPECT_THROW(map->AddInterleaved(0, 10, {1, 2}, 0, 0), FabricError);
    EXPECT_THROW(map->SetRights(0, 0, 0), FabricError);
    map->Add(0, 10, 0, 0);
    EXPECT_THROW(map->SetRights(0, 0, 8), FabricError);
    EXPECT_THROW(map->SetRights(1, 0, 0), FabricError);
}

TEST(MemoryMap, ChecksOwnerBoundsAndRights)
{
    const auto map = CreateObject<MemoryMap>();
    const uint32_t range = map->Add(100, 100, 7, MEMORY_READ);
    map->SetRights(range, 2, MEMORY_WRITE | MEMORY_ATOMIC);
    EXPECT_EQ(map->Check(7, 1, 100, 100, MEMORY_READ), MemoryStatus::OK);
    EXPECT_EQ(map->Check(7, 1, 100, 1, MEMORY_WRITE), MemoryStatus::NO_ACCESS);
    EXPECT_EQ(map->Check(7, 2, 100, 1, MEMORY_READ), MemoryStatus::NO_ACCESS);
    EXPECT_EQ(map->Check(7, 2, 100, 1, MEMORY_ATOMIC), MemoryStatus::OK);
    EXPECT_EQ(map->Check(7, 2, 100, 1, MEMORY_ATOMIC | MEMORY_READ), MemoryStatus::NO_ACCESS);
    EXPECT_EQ(map->Check(7, 7, 100, 1, MEMORY_ALL_RIGHTS), MemoryStatus::OK); // its owner
    EXPECT_EQ(map->Check(7, 1, 100, 101, MEMORY_READ), MemoryStatus::OUT_OF_BOUNDS);
    EXPECT_EQ(map->Check(7, 1, 199, 1, MEMORY_READ), MemoryStatus::OK);
    EXPECT_EQ(map->Check(7, 1, 200, 1, MEMORY_READ), MemoryStatus::OUT_OF_BOUNDS);
    EXPECT_EQ(map->Check(6, 1, 100, 1, MEMORY_READ), MemoryStatus::OUT_OF_BOUNDS);
}

TEST(MemoryPool, DealsPagesToAllOwnersOfTheLargestDomain)
{
    std::vector<uint32_t> owners(MemoryPool::MAX_OWNERS);
    std::iota(owners.begin(), owners.end(), 10);
    const auto map = CreateObject<MemoryMap>();
    const auto pool = CreateObject<MemoryPool>();
    const uint64_t share = 80ULL << 30;
    pool->Create(map, 1ULL << 45, share, owners, MEMORY_READ);
    EXPECT_EQ(pool->GetBytes(), share * 576);
    const uint64_t page = 2 << 20;
    for (uint64_t i = 0; i < 2000; ++i)
    {
        EXPECT_EQ(pool->GetOwner(i * page), owners[i % 576]);
        EXPECT_EQ(pool->GetOwner(i * page + page - 1), owners[i % 576]);
    }
    for (uint64_t i = 0; i < 10'000; ++i)
    {
        const uint64_t offset = FabricRandom::Mix(i) % pool->GetBytes();
        MemoryMap::Place place{};
        ASSERT_TRUE(map->Lookup((1ULL << 45) + offset, place));
        EXPECT_EQ(place.owner, owners[offset / page % 576]);
        EXPECT_EQ(place.bytes, page - offset % page);
        EXPECT_LT(place.range, map->GetN());
    }
    EXPECT_THROW(pool->GetOwner(pool->GetBytes()), FabricError);
    pool->SetRights(11, 0);
    EXPECT_EQ(map->Check(10, 11, 1ULL << 45, 1, MEMORY_READ), MemoryStatus::NO_ACCESS);
    EXPECT_EQ(map->Check(10, 12, 1ULL << 45, page, MEMORY_READ), MemoryStatus::OK);
    EXPECT_EQ(map->Check(10, 12, 1ULL << 45, page + 1, MEMORY_READ), MemoryStatus::OUT_OF_BOUNDS);
}

TEST(MemoryPool, RefusesWhatCannotBe)
{
    const auto map = CreateObject<MemoryMap>();
    const auto make = [&map](uint64_t share, uint32_t owners, uint64_t base = 0) {
        std::vector<uint32_t> all(owners);
        std::iota(all.begin(), all.end(), 0);
        const auto pool = CreateObject<MemoryPool>();
        pool->Create(map, base, share, all, 0);
    };
    const std::string many = Complaint([&]() { make(2 << 20, 577); });
    EXPECT_NE(many.find("577"), std::string::npos) << many;
    EXPECT_NE(many.find("576"), std::string::npos) << many;
    EXPECT_THROW(make(2 << 20, 0), FabricError);
    EXPECT_THROW(make(0, 2), FabricError);
    EXPECT_THROW(make((2 << 20) + 1, 2), FabricError);
    EXPECT_THROW(make(1ULL << 63, 2), FabricError);
    EXPECT_THROW(make(1ULL << 62, 2, TOP - 100), FabricError);
    const auto pool = CreateObject<MemoryPool>();
    EXPECT_THROW(pool->SetRights(0, 0), FabricError);
    EXPECT_THROW(pool->GetOwner(0), FabricError);
    EXPECT_THROW(pool->Create(nullptr, 0, 2 << 20, {0}, 0), FabricError);
    map->Add(1ULL << 50, 16 << 20, 5, 0);
    const std::string big = Complaint([&]() { pool->Create(map, 0, 18 << 20, {0, 5}, 0); });
    EXPECT_NE(big.find("18874368 bytes is more than the 16777216 bytes of endpoint 5"),
              std::string::npos)
        << big;
    pool->Create(map, 0, 2 << 20, {0}, 0);
    EXPECT_THROW(pool->Create(map, 1ULL << 40, 2 << 20, {0}, 0), FabricError);
}

TEST(MemoryStatus, EveryOneHasANameOfItsOwn)
{
    std::set<std::string> names;
    for (uint8_t i = 0; i < MEMORY_STATUSES; ++i)
    {
        names.insert(MemoryStatusName(static_cast<MemoryStatus>(i)));
    }
    EXPECT_EQ(names.size(), MEMORY_STATUSES);
}

} // namespace
