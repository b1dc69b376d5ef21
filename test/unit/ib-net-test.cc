/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/fabric-random.h"
#include "ns3/ib-net-reader.h"
#include "ns3/ib-net-writer.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

using Type = IbSubnet::Type;
using Speeds = std::map<std::string, uint32_t>;
using Radix = std::map<uint32_t, uint32_t>;

/** @brief What a real file has, counted by others. */
struct Expected
{
    const char* file;
    uint32_t switches;
    uint32_t adapters;
    uint32_t aggregation;
    uint32_t hosts; //!< first words; in the pod 122 hosts, "Mellanox" and "MT4129"
    uint32_t switchLinks;
    uint32_t otherLinks;
    uint32_t oneSided;
    uint32_t missing;
    Radix radix;
    Speeds speeds;
};

const Expected FILES[] = {
    {"ibnetdiscover_h100_pod_ndr.txt",
     40,
     582,
     40,
     124,
     532,
     582,
     0,
     0,
     {{65, 40}},
     {{"4xNDR", 1646}}},
    {"ibnetdiscover_single_ca.txt", 0, 1, 0, 1, 0, 0, 0, 0, {}, {}},
    {"ibnetdiscover_doc_2007.txt",
     2,
     4,
     0,
     1,
     2,
     5,
     0,
     0,
     {{24, 1}, {8, 1}},
     {{"4xSDR", 8}, {"1xSDR", 1}}},
    {"ibnetdiscover_superbench_fake.txt", 8, 10, 0, 10, 7, 11, 1, 1, {{41, 8}}, {{"4xHDR", 25}}},
    {"ibsim_net.txt", 2, 2, 0, 0, 2, 2, 0, 0, {{8, 2}}, {}},
    {"ibsim_net.1.txt", 1, 2, 0, 0, 0, 2, 0, 0, {{8, 1}}, {}},
    {"ibsim_net.2sw2path.txt", 2, 2, 0, 0, 2, 2, 0, 0, {{8, 2}}, {}},
    {"ibsim_fattree_k4n3_full.topo.txt",
     80,
     128,
     0,
     128,
     256,
     128,
     0,
     0,
     {{8, 80}},
     {{"4xEDR", 640}}},
};

void
ExpectSame(const IbSubnet& a, const IbSubnet& b, bool all)
{
    ASSERT_EQ(a.GetNodes().size(), b.GetNodes().size());
    for (uint32_t i = 0; i < a.GetNodes().size(); ++i)
    {
        const auto& x = a.At(i);
        const auto& y = b.At(b.Find(x.name));
        EXPECT_EQ(x.type, y.type);
        EXPECT_EQ(x.ports.size(), y.ports.size());
        EXPECT_TRUE(!all || (x.guid == y.guid && x.systemGuid == y.systemGuid &&
                             x.description == y.description && x.vendor == y.vendor &&
                             x.device == y.device))
            << x.name;
        for (size_t p = 0; p < x.ports.size(); ++p)
        {
            const auto& m = x.ports[p];
            const auto& n = y.ports[p];
            ASSERT_EQ(m.peer == IbSubnet::NONE, n.peer == IbSubnet::NONE) << x.name << " " << p;
            EXPECT_TRUE(m.peer == IbSubnet::NONE ||
                        (a.At(m.peer).name == b.At(n.peer).name && m.peerPort == n.peerPort));
            EXPECT_TRUE(!all || (m.lanes == n.lanes && m.speed == n.speed && m.guid == n.guid &&
                                 m.lid == n.lid && m.lmc == n.lmc))
                << x.name << " " << p;
        }
    }
}

TEST(IbNet, RealFilesHaveTheirCountsAndSurviveARoundTrip)
{
    NEEDS_DATA();
    for (const auto& e : FILES)
    {
        SCOPED_TRACE(e.file);
        const auto [subnet, r] = IbNetReader::Read(DataPath(std::string("infiniband/") + e.file));
        EXPECT_EQ(r.switches, e.switches);
        EXPECT_EQ(r.adapters, e.adapters);
        EXPECT_EQ(r.aggregation, e.aggregation);
        EXPECT_EQ(r.hosts, e.hosts);
        EXPECT_EQ(r.switchLinks, e.switchLinks);
        EXPECT_EQ(r.otherLinks, e.otherLinks);
        EXPECT_EQ(r.oneSided, e.oneSided);
        EXPECT_EQ(r.missing, e.missing);
        EXPECT_EQ(r.radix, e.radix);
        EXPECT_EQ(r.speeds, e.speeds);
        EXPECT_EQ(r.islands, 1U);
        EXPECT_EQ(subnet.GetNLinks(), e.switchLinks + e.otherLinks);
        std::stringstream discovery;
        IbNetWriter::WriteDiscovery(subnet, discovery);
        ExpectSame(subnet, IbNetReader::Read(discovery, "again").subnet, true);
        std::stringstream simulator;
        IbNetWriter::WriteSimulator(subnet, simulator);
        ExpectSame(subnet, IbNetReader::Read(simulator, "again").subnet, false);
    }
}

TEST(IbNet, RandomSubnetsSurviveARoundTrip)
{
    const auto speeds = IbRate::GetNames();
    for (uint32_t seed = 0; seed < 50; ++seed)
    {
        FabricRandom random(seed, 3);
        IbSubnet subnet;
        for (uint32_t i = 0; i < 20; ++i)
        {
            const auto type = static_cast<Type>(1 + random.Below(3));
            const uint32_t n =
                subnet.AddNode(type, "n" + std::to_string(i), 1 + random.Below(40), i);
            subnet.At(n).description =
                "node " + std::to_string(random.Below(100)) + " x4xNDR lid 5";
            subnet.At(n).vendor = random.Below(1 << 24);
            for (auto& port : subnet.At(n).ports)
            {
                const bool managed = (&port == &subnet.At(n).ports[0]) == (type == Type::SWITCH);
                port.lid = static_cast<uint16_t>(managed ? 1 + random.Below(49000) : 0);
                port.lmc = static_cast<uint8_t>(managed ? random.Below(8) : 0);
                port.guid = managed ? 1000 + random.Below(1 << 30) : 0;
            }
        }
        for (uint32_t i = 0; i < 60; ++i)
        {
            const uint32_t a = random.Below(20);
            const uint32_t b = random.Below(20);
            try
            {
                subnet.Connect(a,
                               static_cast<uint8_t>(1 + random.Below(subnet.At(a).GetNPorts())),
                               b,
                               static_cast<uint8_t>(1 + random.Below(subnet.At(b).GetNPorts())),
                               random.Below(2) == 0 ? 4 : 1,
                               speeds[random.Below(static_cast<uint32_t>(speeds.size()))]);
            }
            catch (const FabricError&)
            {
                continue; // taken
            }
        }
        // what a form cannot hold of a port without a cable is not expected back
        for (uint32_t n = 0; n < 20; ++n)
        {
            const bool isSwitch = subnet.At(n).type == Type::SWITCH;
            for (size_t p = 1; p < subnet.At(n).ports.size() && !isSwitch; ++p)
            {
                IbSubnet::Port& port = subnet.At(n).ports[p];
                port = port.peer == IbSubnet::NONE ? IbSubnet::Port() : port;
            }
        }
        std::stringstream text;
        IbNetWriter::WriteDiscovery(subnet, text);
        ExpectSame(subnet, IbNetReader::Read(text, "again").subnet, true);
    }
}

std::string
Error(const std::string& text)
{
    std::istringstream in(text);
    return ErrorOf([&in] { IbNetReader::Read(in, "f"); });
}

// fault 45 and the rule of bad input: file, line, column, token, what is allowed
TEST(IbNet, FaultsAreNamed)
{
    const std::string two = "Switch 4 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n[1] \"a\"[1]\n";
    EXPECT_EQ(Error(two), "");
    const std::pair<std::string, const char*> cases[] = {
        {"", "no node is described"},
        {"Switch 4 a", "f:1:10: 'a': '\"' is wanted before the node's name"},
        {"Switch 0 \"a\"", "f:1:8: '0': the number of ports"},
        {"Switch 255 \"a\"", "'255'"},
        {"Switch 99999999999999 \"a\"", "'99999999999999'"},
        {"Switch 4 \"a", "double quotes"},
        {"Switch 4 \"a\" x", "f:1:14: 'x': nothing may follow"},
        {"[1] \"b\"[1]", "below the line of its node"},
        {"Switch 4 \"a\"\n[5] \"b\"[1]", "f:2:2: '5]': a port of this node"},
        {"Switch 4 \"a\"\n[1] \"b\"", "'[' is wanted"},
        {"Switch 4 \"a\"\n[1] \"b\"[1] extra", "f:2:12: 'extra'"},
        {"Switch 4 \"a\"\n[1](xyz) \"b\"[1]", "hexadecimal"},
        {"Switch 4 \"a\"\n[1](11112222333344445) \"b\"[1]", "hexadecimal"},
        {two + "Hca 1 \"b\"\n", "f:6: 'b'"},
        {two + "[1] \"a\"[2]\n", "told twice, first in line 5"},
        {two + "Hca 1 \"c\"\n[1] \"a\"[1]\n", "f:7: port 1 of 'a' goes to port 1 of 'b'"},
        {two + "Hca 1 \"c\"\n[1] \"a\"[5]\n", "'a' has ports 1 to 4, not 5"},
        {"Hca 1 \"a\"\n[1] \"a\"[1]\n", "both ends"},
        {"Switch 4 \"a\"\n[1] \"b\"[1] # \"x\" lid 1 4xGDR\n", "GDR"},
        {"Switch 4 \"a\"\n[1] \"b\"[1] # \"x\" lid 1 3xEDR\n", "lanes"},
        {"Switch 4 \"a\"\n[1] \"b\"[1] # \"x\" lid 99999 4xEDR\n", "a LID"},
        {"vendid=\n", "f:1:8: '': a vendor's"},
        {"nodes 4\n", "f:1:1: 'nodes'"},
        {std::string("Switch 4\0", 9), "no text"},
    };
    for (const auto& [text, what] : cases)
    {
        EXPECT_NE(Error(text).find(what), std::string::npos) << text << " gave: " << Error(text);
    }
}

TEST(IbNet, IslandsAreCounted)
{
    std::istringstream in("Switch 4 \"a\"\n[1] \"b\"[1]\nHca 1 \"b\"\n[1] \"a\"[1]\nHca 2 \"c\"\n");
    const auto result = IbNetReader::Read(in, "f");
    EXPECT_EQ(result.report.islands, 2U);
    EXPECT_EQ(result.report.oneSided, 0U);
}

} // namespace
