/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/boolean.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/** @brief Exact integers for the closed forms. */
using Wide = unsigned __int128;

/**
 * @brief Time of a byte count at a rate, rounded up, by one exact division.
 * @param bytes bytes
 * @param bps bits per second
 * @return ps
 */
FabricPs
CeilPs(Wide bytes, uint64_t bps)
{
    return static_cast<FabricPs>((bytes * 8 * 1'000'000'000'000ULL + bps - 1) / bps);
}

/** @brief A train of packets over a row of equal links, packet by packet. */
class LinkTimingTestCase : public TestCase
{
  public:
    LinkTimingTestCase()
        : TestCase("store-and-forward over 1..6 links equals the closed form to the picosecond")
    {
    }

  private:
    /**
     * @brief Packet i of a train arrives, over k links, at k d + (k-1) ceil(w/C) + ceil((i+1) w/C):
     * the first of the train is stored and forwarded k-1 times, the last link then runs on without
     * a gap, and only whole picoseconds are rounded, never the sum.
     * @param links number of links
     * @param bps rate
     * @param delay of a link, ps
     * @param gap wire bytes per frame beyond the frame
     * @param bytes frame length
     * @param count packets
     */
    void Check(uint32_t links,
               uint64_t bps,
               FabricPs delay,
               uint32_t gap,
               uint32_t bytes,
               uint64_t count)
    {
        std::vector<FabricPs> arrivals;
        arrivals.reserve(count);
        {
            RawFabric f;
            f.gapBytes = gap;
            f.flow.SetTypeId("ns3::NoFlowControl");
            f.buffer.Set("Size", UintegerValue(1ULL << 34));
            f.Build(RawFabric::Line(links, bps, delay));
            f.hosts[1]->onReceive = [&](const FabricPacket& p) { arrivals.push_back(p.arrival); };
            f.hosts[0]->Send({0, 1, bytes, count, 0, 1});
            f.Run();
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "packets lost");
        }
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), count, "not all arrived");
        const uint64_t wire = bytes + gap;
        uint64_t wrong = 0;
        for (uint64_t i = 0; i < count; ++i)
        {
            const FabricPs expected =
                links * delay + (links - 1) * CeilPs(wire, bps) + CeilPs(Wide(i + 1) * wire, bps);
            wrong += arrivals[i] != expected;
        }
        NS_TEST_EXPECT_MSG_EQ(wrong,
                              0,
                              "packets off: " << links << " links at " << bps << " b/s, gap " << gap
                                              << ", " << count << " x " << bytes << " B");
    }

    void DoRun() override
    {
        const uint64_t giga = 1'000'000'000;
        for (uint64_t bps : {10 * giga,
                             25 * giga,
                             40 * giga,
                             100 * giga,
                             123 * giga,
                             400 * giga,
                             800 * giga,
                             1600 * giga,
                             giga / 1000})
        {
            for (uint32_t links = 1; links <= 6; ++links)
            {
                for (uint32_t gap : {0U, 20U})
                {
                    Check(links, bps, 1'000'000, gap, 1036, 1);
                    Check(links, bps, 1'000'000, gap, 1036, 200);
                    Check(links, bps, 50'000, gap, 64, 50);
                    Check(links, bps, 7, gap, 9018, 20);
                }
            }
        }
        // no drift: at 123 Gb/s a byte takes 65.04... ps
        Check(1, 123 * giga, 1'000'000, 0, 1036, 100000);
        Check(3, 123 * giga, 1'000'000, 20, 1037, 100000);
    }
};

/** @brief fault 28: no overflow from 1 Mb/s to 1.6 Tb/s, 1 ns to 100 ms, over an hour. */
class LinkExtremesTestCase : public TestCase
{
  public:
    LinkExtremesTestCase()
        : TestCase("fault 28: slowest and fastest links, longest cables, a simulated hour")
    {
    }

  private:
    void Check(uint64_t bps, FabricPs delay, FabricPs start, uint64_t count)
    {
        FabricPs last = 0;
        {
            RawFabric f;
            f.buffer.Set("Size", UintegerValue(1ULL << 40));
            f.Build(RawFabric::Line(2, bps, delay));
            f.hosts[1]->onReceive = [&](const FabricPacket& p) { last = p.arrival; };
            f.hosts[0]->Send({start, 1, 1500, count, 3, 1});
            f.Run();
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "packets lost");
            NS_TEST_EXPECT_MSG_EQ(f.GetDrops(), 0, "drops on an idle path");
        }
        Simulator::Destroy();
        const FabricPs expected =
            start + 2 * delay + CeilPs(1500, bps) + CeilPs(Wide(count) * 1500, bps);
        NS_TEST_EXPECT_MSG_EQ(last, expected, "last arrival at " << bps << " b/s");
    }

    void DoRun() override
    {
        const FabricPs hour = 3600LL * 1'000'000'000'000LL;
        for (FabricPs delay : {FabricPs{1000}, FabricPs{100'000'000'000}})
        {
            Check(1'000'000, delay, 0, 300000); // 12 ms a packet: one hour without a pause
            Check(1'600'000'000'000, delay, 0, 1000);
            Check(1'600'000'000'000, delay, hour, 1000);
            Check(1'000'000, delay, hour, 10);
            Check(999'999'999'989, delay, hour, 1000); // a prime: nothing divides
        }
    }
};

/** @brief Links of different rates and cables in one path. */
class MixedLinksTestCase : public TestCase
{
  public:
    MixedLinksTestCase()
        : TestCase("links of different rates: one packet, and the bottleneck's rate for a train")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t giga = 1'000'000'000;
        const std::vector<std::pair<uint64_t, FabricPs>> links = {{400 * giga, 50'000},
                                                                  {123 * giga, 1'000'003},
                                                                  {25 * giga, 10'000'000},
                                                                  {1600 * giga, 1}};
        for (uint64_t count : {1, 500})
        {
            FabricPs last = 0;
            {
                FabricTopology t;
                uint32_t at = t.AddHost();
                const uint32_t far = t.AddHost();
                for (size_t i = 0; i < links.size(); ++i)
                {
                    const uint32_t next = i + 1 < links.size() ? t.AddSwitch() : far;
                    t.AddLink(at, next, links[i].first, links[i].second);
                    at = next;
                }
                RawFabric f;
                f.Build(t);
                f.hosts[1]->onReceive = [&](const FabricPacket& p) { last = p.arrival; };
                f.hosts[0]->Send({0, 1, 1036, count, 0, 1});
                f.Run();
                NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "packets lost");
            }
            Simulator::Destroy();
            // the third link is the slowest: it never pauses once it has begun
            FabricPs expected = CeilPs(Wide(count) * 1036, links[2].first);
            for (size_t i = 0; i < links.size(); ++i)
            {
                expected += links[i].second + (i == 2 ? 0 : CeilPs(1036, links[i].first));
            }
            NS_TEST_EXPECT_MSG_EQ(last, expected, "last of " << count);
        }
    }
};

/** @brief The suite. */
class AiFabricLinkTestSuite : public TestSuite
{
  public:
    AiFabricLinkTestSuite()
        : TestSuite("ai-fabric-link", Type::UNIT)
    {
        AddTestCase(new LinkTimingTestCase);
        AddTestCase(new LinkExtremesTestCase);
        AddTestCase(new MixedLinksTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricLinkTestSuite g_aiFabricLinkTestSuite; //!< the instance

} // namespace
