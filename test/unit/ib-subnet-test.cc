/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fabric-error.h"
#include "ns3/ib-lid-table.h"
#include "ns3/ib-rate.h"
#include "ns3/ib-subnet.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Type = IbSubnet::Type;

// fault 44: every speed has its data rate, newest included; others are refused with the list
TEST(IbRate, DataRatesOfFourLanes)
{
    const std::vector<std::pair<const char*, double>> expected{{"SDR", 8},
                                                               {"DDR", 16},
                                                               {"QDR", 32},
                                                               {"FDR10", 40},
                                                               {"FDR", 54.5454},
                                                               {"EDR", 100},
                                                               {"HDR", 200},
                                                               {"NDR", 400},
                                                               {"XDR", 800}};
    ASSERT_EQ(IbRate::GetNames().size(), expected.size());
    for (const auto& [name, gbps] : expected)
    {
        EXPECT_NEAR(static_cast<double>(IbRate::Get(name).PortBps(4)) / 1e9, gbps, 1e-3) << name;
        EXPECT_LE(IbRate::Get(name).dataBps, IbRate::Get(name).signallingBps) << name;
    }
    EXPECT_EQ(IbRate::Get("EDR").PortBps(12), 300'000'000'000U);
    EXPECT_THROW(IbRate::Get("EDR").PortBps(3), FabricError);
    try
    {
        IbRate::Get("GDR");
        FAIL();
    }
    catch (const FabricError& e)
    {
        EXPECT_NE(std::string(e.what()).find("XDR"), std::string::npos) << e.what();
    }
}

TEST(IbSubnet, CablesJoinFreePortsThatExist)
{
    IbSubnet subnet;
    const uint32_t s = subnet.AddNode(Type::SWITCH, "S-1", 4, 0x10);
    const uint32_t h = subnet.AddNode(Type::CA, "H-1", 1, 0x20);
    subnet.Connect(s, 3, h, 1, 4, "NDR");
    EXPECT_EQ(subnet.At(s).ports[3].peer, h);
    EXPECT_EQ(subnet.At(h).ports[1].peerPort, 3);
    EXPECT_EQ(subnet.GetNLinks(), 1U);
    EXPECT_THROW(subnet.Connect(s, 3, h, 1), FabricError);
    EXPECT_THROW(subnet.Connect(s, 0, s, 1), FabricError);
    EXPECT_THROW(subnet.Connect(s, 5, s, 1), FabricError);
    EXPECT_THROW(subnet.Connect(s, 1, s, 1), FabricError);
    EXPECT_THROW(subnet.Connect(s, 1, 7, 1), FabricError);
    EXPECT_THROW(subnet.AddNode(Type::CA, "H-1", 1), FabricError);
    EXPECT_THROW(subnet.AddNode(Type::CA, "H-2", 255), FabricError);
    EXPECT_THROW(subnet.AddNode(Type::CA, "H-2", 0), FabricError);
    EXPECT_EQ(subnet.FindGuid(0x20), h);
    EXPECT_EQ(subnet.Find("H-9"), IbSubnet::NONE);
}

// fault 45: islands are counted
TEST(IbSubnet, CountsIslands)
{
    IbSubnet subnet;
    for (const char* name : {"a", "b", "c", "d", "e"})
    {
        subnet.AddNode(Type::SWITCH, name, 4);
    }
    subnet.Connect(0, 1, 3, 1);
    subnet.Connect(1, 1, 2, 1);
    EXPECT_EQ(subnet.GetIslands(), (std::vector<uint32_t>{0, 1, 1, 0, 2}));
}

TEST(IbSubnet, FindsLidsWithTheirLmc)
{
    IbSubnet subnet;
    subnet.AddNode(Type::SWITCH, "s", 4);
    subnet.AddNode(Type::CA, "h", 2);
    subnet.At(0).ports[0].lid = 1;
    subnet.At(1).ports[2].lid = 8;
    subnet.At(1).ports[2].lmc = 2;
    uint32_t node = 0;
    uint8_t port = 0;
    EXPECT_FALSE(subnet.FindLid(7, node, port));
    EXPECT_FALSE(subnet.FindLid(12, node, port));
    ASSERT_TRUE(subnet.FindLid(11, node, port));
    EXPECT_EQ(node, 1U);
    EXPECT_EQ(port, 2);
}

TEST(IbLidTable, PortsKeepTheirLids)
{
    IbSubnet subnet;
    for (const char* name : {"a", "b", "c", "d"})
    {
        subnet.AddNode(Type::CA, name, 1);
    }
    for (uint64_t i = 0; i < 4; ++i)
    {
        subnet.At(static_cast<uint32_t>(i)).ports[1].guid = 100 + i;
    }
    subnet.At(1).ports[1].lid = 2; // two bring the same, one brings none that is allowed
    subnet.At(2).ports[1].lid = 2;
    subnet.At(3).ports[1].lid = 0xc000;
    IbLidTable table;
    table.Assign(subnet);
    EXPECT_EQ(table.Get(100), 1);
    EXPECT_EQ(table.Get(101), 2);
    EXPECT_EQ(table.Get(102), 3);
    EXPECT_EQ(table.Get(103), 4);
    EXPECT_EQ(table.Get(104), 0);
    EXPECT_EQ(subnet.At(2).ports[1].lid, 3);

    IbSubnet later; // b is away, e is new, a comes with a LID of another subnet
    later.AddNode(Type::CA, "e", 1);
    later.AddNode(Type::CA, "a", 1);
    later.At(0).ports[1].guid = 104;
    later.At(1).ports[1].guid = 100;
    later.At(1).ports[1].lid = 77;
    table.Assign(later);
    EXPECT_EQ(table.Get(104), 5);
    EXPECT_EQ(later.At(1).ports[1].lid, 1);
    EXPECT_EQ(table.Get(101), 2);
    EXPECT_EQ(table.GetTop(), 5);
}

TEST(IbLidTable, RunsOutOfLids)
{
    IbSubnet subnet;
    IbLidTable table;
    for (uint32_t i = 0; i < 194; ++i)
    {
        const uint32_t node = subnet.AddNode(Type::CA, std::to_string(i), 254);
        for (uint32_t port = 1; port < 255; ++port)
        {
            subnet.At(node).ports[port].guid = 1000 * (i + 1) + port;
        }
    }
    EXPECT_THROW(table.Assign(subnet), FabricError); // 194 x 254 = 49276 > 49151
}

} // namespace
