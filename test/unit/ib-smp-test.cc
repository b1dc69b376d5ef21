/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/fabric-random.h"
#include "ns3/ib-attributes.h"
#include "ns3/ib-bits.h"
#include "ns3/ib-smp.h"
#include "ns3/ib-subnet-agent.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Verdict = IbSubnetAgent::Verdict;
constexpr uint8_t HERE = IbSubnetAgent::FROM_HERE;

IbSubnetAgent
MakeAgent(uint8_t type, uint8_t ports, uint64_t guid)
{
    IbNodeInfo info;
    info.type = type;
    info.ports = ports;
    info.nodeGuid = guid;
    std::vector<uint64_t> guids;
    for (uint8_t i = 0; i <= ports; ++i)
    {
        guids.push_back(guid + i);
    }
    IbSubnetAgent agent(info, guids);
    for (uint8_t port = 1; port <= ports; ++port)
    {
        agent.SetLink(port, true);
    }
    return agent;
}

IbSmp
Ask(IbMethod method, IbAttribute attribute, uint32_t modifier = 0)
{
    IbSmp smp;
    smp.method = method;
    smp.attribute = attribute;
    smp.modifier = modifier;
    return smp;
}

TEST(IbBits, AreBigEndianAndLeaveNeighboursAlone)
{
    uint8_t bytes[8] = {0xff, 0, 0xff, 0, 0, 0, 0, 0};
    IbBits::Set(bytes, 6, 4, 0b0110);
    EXPECT_EQ(bytes[0], 0xfd);
    EXPECT_EQ(bytes[1], 0x80);
    EXPECT_EQ(IbBits::Get(bytes, 6, 4), 0b0110U);
    EXPECT_EQ(IbBits::Get(bytes, 0, 24), 0xfd80ffU);
}

// Byte offsets of volume 1, figure 158
TEST(IbSmp, BytesLieWhereTheSpecificationHasThem)
{
    IbSmp smp = Ask(IbMethod::SET, IbAttribute::PORT_INFO, 0x01020304);
    smp.returning = true;
    smp.hopPointer = 3;
    smp.hopCount = 5;
    smp.transaction = 0x1122334455667788;
    smp.mKey = 0xaabbccddeeff0011;
    smp.data[0] = 0x77;
    smp.initialPath[1] = 9;
    smp.returnPath[63] = 8;
    const auto bytes = smp.Pack();
    const std::vector<uint8_t> head(bytes.begin(), bytes.begin() + 36);
    EXPECT_EQ(head, (std::vector<uint8_t>{1,    0x81, 1,    0x02, 0x80, 0,    3,    5,    0x11,
                                          0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,    0x15,
                                          0,    0,    1,    2,    3,    4,    0xaa, 0xbb, 0xcc,
                                          0xdd, 0xee, 0xff, 0,    0x11, 0xff, 0xff, 0xff, 0xff}));
    EXPECT_EQ(bytes[64], 0x77);
    EXPECT_EQ(bytes[129], 9);
    EXPECT_EQ(bytes[255], 8);
    IbSmp back;
    ASSERT_TRUE(IbSmp::Unpack(bytes, back));
    EXPECT_EQ(back.Pack(), bytes);
    auto wrong = bytes;
    wrong[1] = 1;
    EXPECT_FALSE(IbSmp::Unpack(wrong, back));
}

TEST(IbAttributes, RoundTripsLoseNothing)
{
    IbPortInfo port;
    port.mKey = 1ULL << 63;
    port.lid = 0xbfff;
    port.masterLid = 17;
    port.lmc = 7;
    port.state = IbPortState::ARMED;
    port.neighborMtu = 5;
    port.operationalVls = 4;
    port.vlCap = 5;
    port.mKeyViolations = 3;
    for (const auto& speed : IbRate::GetNames())
    {
        for (uint8_t lanes : {1, 2, 4, 8, 12})
        {
            port.speed = speed;
            port.lanes = lanes;
            const IbPortInfo back = IbPortInfo::Unpack(port.Pack());
            EXPECT_EQ(back.speed, speed);
            EXPECT_EQ(back.lanes, lanes);
            EXPECT_EQ(back.Pack(), port.Pack());
            EXPECT_EQ(back.lmc, 7);
            EXPECT_EQ(back.state, IbPortState::ARMED);
        }
    }
    IbNodeInfo node;
    node.systemGuid = ~0ULL;
    node.nodeGuid = 2;
    node.portGuid = 3;
    node.localPort = 36;
    node.vendor = 0x0002c9;
    EXPECT_EQ(IbNodeInfo::Unpack(node.Pack()).Pack(), node.Pack());
    EXPECT_EQ(IbNodeInfo::Unpack(node.Pack()).vendor, 0x0002c9U);
    const IbSwitchInfo sw{49151, 0, 77, true};
    EXPECT_EQ(IbSwitchInfo::Unpack(sw.Pack()).Pack(), sw.Pack());
    const IbSmInfo sm{5, 6, 7, 15, IbSmInfo::State::MASTER};
    EXPECT_EQ(IbSmInfo::Unpack(sm.Pack()).Pack(), sm.Pack());
    EXPECT_EQ(sm.Pack()[20], 0xf3);
}

// A chain adapter - switch - switch - adapter: the rules of directed routing, hop by hop
TEST(IbSubnetAgent, DirectedRoutesGoThereAndBack)
{
    IbSubnetAgent a = MakeAgent(1, 1, 100);
    IbSubnetAgent s = MakeAgent(2, 8, 200);
    IbSubnetAgent t = MakeAgent(2, 8, 300);
    IbSubnetAgent b = MakeAgent(1, 2, 400);
    IbSmp smp = Ask(IbMethod::GET, IbAttribute::NODE_INFO);
    smp.hopCount = 3;
    smp.initialPath = {0, 1, 5, 7};
    uint8_t out = 0;
    ASSERT_EQ(a.Route(smp, HERE, out), Verdict::FORWARD);
    EXPECT_EQ(out, 1);
    ASSERT_EQ(s.Route(smp, 2, out), Verdict::FORWARD);
    EXPECT_EQ(out, 5);
    ASSERT_EQ(t.Route(smp, 6, out), Verdict::FORWARD);
    EXPECT_EQ(out, 7);
    ASSERT_EQ(b.Route(smp, 2, out), Verdict::REQUEST);
    ASSERT_TRUE(b.Answer(smp, 2));
    const IbNodeInfo info = IbNodeInfo::Unpack(smp.data);
    EXPECT_EQ(info.nodeGuid, 400U);
    EXPECT_EQ(info.portGuid, 402U);
    EXPECT_EQ(info.localPort, 2);
    ASSERT_EQ(b.Route(smp, HERE, out), Verdict::FORWARD);
    EXPECT_EQ(out, 2);
    ASSERT_EQ(t.Route(smp, 7, out), Verdict::FORWARD);
    EXPECT_EQ(out, 6);
    ASSERT_EQ(s.Route(smp, 5, out), Verdict::FORWARD);
    EXPECT_EQ(out, 2);
    EXPECT_EQ(a.Route(smp, 1, out), Verdict::ANSWER);
}

TEST(IbSubnetAgent, RoutesWithoutSenseAreDiscarded)
{
    IbSubnetAgent s = MakeAgent(2, 4, 200);
    IbSubnetAgent a = MakeAgent(1, 2, 100);
    uint8_t out = 0;
    IbSmp smp = Ask(IbMethod::GET, IbAttribute::NODE_INFO);
    smp.hopCount = 2;
    smp.initialPath = {0, 1, 9};
    EXPECT_EQ(s.Route(smp, 1, out), Verdict::DISCARD) << "came in, but has not left";
    smp.hopPointer = 1;
    EXPECT_EQ(s.Route(smp, 1, out), Verdict::DISCARD) << "there is no port 9";
    smp.hopPointer = 1;
    smp.initialPath[2] = 2;
    EXPECT_EQ(a.Route(smp, 1, out), Verdict::DISCARD) << "an adapter passes nothing on";
    smp.hopPointer = 1;
    s.SetLink(2, false);
    EXPECT_EQ(s.Route(smp, 1, out), Verdict::DISCARD) << "the link is down";
    smp.hopCount = 64;
    EXPECT_EQ(s.Route(smp, HERE, out), Verdict::DISCARD) << "too long";
}

TEST(IbSubnetAgent, ForeignKeysAreCountedAndGetNoAnswer)
{
    IbSubnetAgent a = MakeAgent(1, 1, 100);
    IbSmp smp = Ask(IbMethod::SET, IbAttribute::PORT_INFO, 1);
    IbPortInfo info = a.GetPort(1).info;
    info.mKey = 42;
    info.mKeyProtect = 2;
    smp.data = info.Pack();
    ASSERT_TRUE(a.Answer(smp, 1));
    EXPECT_EQ(smp.status, IbSmpStatus::OK);
    smp = Ask(IbMethod::GET, IbAttribute::NODE_INFO);
    EXPECT_FALSE(a.Answer(smp, 1));
    smp.mKey = 41;
    EXPECT_FALSE(a.Answer(smp, 1));
    EXPECT_EQ(a.GetPort(1).info.mKeyViolations, 2);
    smp.mKey = 42;
    EXPECT_TRUE(a.Answer(smp, 1));
}

TEST(IbSubnetAgent, TablesAreReadBackAsTheyWereSet)
{
    IbSubnetAgent s = MakeAgent(2, 36, 200);
    std::vector<uint32_t> told;
    s.onSet = [&told](IbAttribute, uint32_t modifier) { told.push_back(modifier); };
    IbSmp smp = Ask(IbMethod::SET, IbAttribute::LINEAR_FORWARDING, 3);
    for (uint8_t i = 0; i < 64; ++i)
    {
        smp.data[i] = i % 36 + 1;
    }
    const IbData block = smp.data;
    ASSERT_TRUE(s.Answer(smp, 1));
    EXPECT_EQ(smp.status, IbSmpStatus::OK);
    EXPECT_EQ(s.GetForwarding()[3 * 64 + 5], 6);
    EXPECT_EQ(s.GetForwarding()[4 * 64], IbForwarding::NO_PORT);
    smp = Ask(IbMethod::GET, IbAttribute::LINEAR_FORWARDING, 3);
    ASSERT_TRUE(s.Answer(smp, 1));
    EXPECT_EQ(smp.data, block);
    smp = Ask(IbMethod::SET, IbAttribute::LINEAR_FORWARDING, 768);
    ASSERT_TRUE(s.Answer(smp, 1));
    EXPECT_EQ(smp.status, IbSmpStatus::BAD_FIELD) << "beyond the unicast LIDs";
    smp = Ask(IbMethod::SET, IbAttribute::SL_TO_VL, 4 << 8 | 7);
    IbBlock::SetVl(smp.data, 15, 3);
    ASSERT_TRUE(s.Answer(smp, 1));
    EXPECT_EQ(IbBlock::GetVl(s.GetPort(7).slToVl[4], 15), 3);
    smp = Ask(IbMethod::SET, IbAttribute::PKEY_TABLE, 7 << 16);
    IbBlock::SetWord(smp.data, 0, 0xffff);
    IbBlock::SetWord(smp.data, 1, 0x8001);
    ASSERT_TRUE(s.Answer(smp, 1));
    EXPECT_EQ(s.GetPort(7).pKeys, (std::vector<uint16_t>{0xffff, 0x8001}));
    EXPECT_EQ(told, (std::vector<uint32_t>{3, 4 << 8 | 7, 7 << 16}));
}

TEST(IbSubnetAgent, PortsOnlyStepUp)
{
    IbSubnetAgent s = MakeAgent(2, 4, 200);
    const auto set = [&s](IbPortState state) {
        IbPortInfo info = s.GetPort(1).info;
        info.state = state;
        IbSmp smp = Ask(IbMethod::SET, IbAttribute::PORT_INFO, 1);
        smp.data = info.Pack();
        EXPECT_TRUE(s.Answer(smp, 1));
        return smp.status;
    };
    EXPECT_EQ(set(IbPortState::ARMED), IbSmpStatus::OK);
    EXPECT_EQ(set(IbPortState::ACTIVE), IbSmpStatus::OK);
    EXPECT_EQ(set(IbPortState::INIT), IbSmpStatus::BAD_FIELD);
    s.SetLink(1, false);
    EXPECT_EQ(set(IbPortState::ACTIVE), IbSmpStatus::BAD_FIELD);
    EXPECT_EQ(s.GetPort(1).info.state, IbPortState::DOWN);
}

// whatever comes in: an answer, a refusal or nothing, never a crash
TEST(IbSubnetAgent, BearsAnyBytes)
{
    IbSubnetAgent agents[] = {MakeAgent(2, 3, 7), MakeAgent(1, 1, 8)};
    FabricRandom random(1, 1);
    for (uint32_t i = 0; i < 200'000; ++i)
    {
        std::array<uint8_t, IbSmp::BYTES> bytes{};
        for (auto& byte : bytes)
        {
            byte = static_cast<uint8_t>(random.Below(random.Below(4) == 0 ? 256 : 8));
        }
        bytes[0] = bytes[2] = 1;
        bytes[1] = IbSmp::DIRECTED_ROUTE_CLASS;
        bytes[16] = 0;
        bytes[17] = static_cast<uint8_t>(0x10 + random.Below(17));
        IbSmp smp;
        ASSERT_TRUE(IbSmp::Unpack(bytes, smp));
        uint8_t out = 0;
        IbSubnetAgent& agent = agents[i % 2];
        const auto ingress = static_cast<uint8_t>(1 + random.Below(agent.GetNode().ports));
        if (agent.Route(smp, ingress, out) == Verdict::FORWARD)
        {
            ASSERT_LE(out, agent.GetNode().ports);
        }
        agent.Answer(smp, ingress);
    }
}

} // namespace
