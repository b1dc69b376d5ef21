/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Flat routes: any number of destinations and groups (fault 10).
 */

#include "ns3/fabric-error.h"
#include "ns3/forwarding-table.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

TEST(ForwardingTable, UnknownDestinationsHaveNoRoute)
{
    ForwardingTable table;
    EXPECT_EQ(table.Lookup(0).size, 0U);
    table.Reset(10);
    EXPECT_EQ(table.Lookup(9).size, 0U);
    EXPECT_EQ(table.Lookup(10).size, 0U);
    EXPECT_EQ(table.Lookup(0xffffffff).size, 0U);
}

TEST(ForwardingTable, EveryDestinationKeepsItsOwnGroup)
{
    ForwardingTable table;
    table.Reset(5000);
    for (uint32_t dst = 0; dst < 5000; ++dst)
    {
        std::vector<uint16_t> ports(1 + dst % 7);
        std::iota(ports.begin(), ports.end(), static_cast<uint16_t>(dst % 300));
        table.Set(dst, ports);
    }
    for (uint32_t dst = 0; dst < 5000; ++dst)
    {
        const auto group = table.Lookup(dst);
        ASSERT_EQ(group.size, 1 + dst % 7);
        for (uint32_t i = 0; i < group.size; ++i)
        {
            ASSERT_EQ(group.ports[i], dst % 300 + i);
        }
    }
}

TEST(ForwardingTable, EqualGroupsAreStoredOnceAndRoutesCanChange)
{
    ForwardingTable table;
    table.Reset(3);
    table.Set(0, {1, 2});
    table.Set(1, {1, 2});
    EXPECT_EQ(table.Lookup(0).ports, table.Lookup(1).ports);
    table.Set(0, {});
    EXPECT_EQ(table.Lookup(0).size, 0U);
    EXPECT_EQ(table.Lookup(1).size, 2U);
    table.Reset(2);
    EXPECT_EQ(table.Lookup(1).size, 0U);
    EXPECT_EQ(table.Lookup(2).size, 0U);
}

TEST(ForwardingTable, TooManyGroupsAreRefused)
{
    ForwardingTable table;
    table.Reset(70000);
    EXPECT_THROW(
        {
            for (uint32_t dst = 0; dst < 70000; ++dst)
            {
                const auto low = static_cast<uint16_t>(dst / 300);
                table.Set(dst, {low, static_cast<uint16_t>(dst % 300 + 300)});
            }
        },
        FabricError);
}

} // namespace
