/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/fat-tree-builder.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps in a microsecond

/** @return packets that a station dropped for one reason */
uint64_t
DropsFor(FabricStation& station, FabricDropReason reason)
{
    uint64_t sum = 0;
    for (uint16_t i = 0; i < station.GetNPorts(); ++i)
    {
        sum += station.GetPort(i).stats.dropsByReason[static_cast<uint8_t>(reason)];
    }
    return sum;
}

FabricTopology
Tree(uint32_t k)
{
    FatTreeBuilder::Parameters parameters;
    parameters.k = k;
    return FatTreeBuilder(parameters).Build();
}

/** @brief A link fails and comes back. */
class LinkFailureTestCase : public TestCase
{
  public:
    LinkFailureTestCase()
        : TestCase("link failure: queued and travelling packets are counted, buffers return, "
                   "pauses are forgotten")
    {
    }

  private:
    void DoRun() override
    {
        RawFabric f;
        f.Build(RawFabric::Star(3, 100 * GIGA, 5 * US));
        Ptr<FabricSwitch> sw = f.switches[0];
        TxLog log(sw);
        for (uint32_t i : {0, 1})
        {
            f.hosts[i]->Send({0, 2, 1000, 500, 3, i});        // 40 us at line rate
            f.hosts[i]->Send({150 * US, 2, 1000, 100, 3, i}); // after the repair
        }
        // told to stop for 335 us just before the failure
        RawFabric::Pause(sw->GetPort(2), 1 << 3, 65535, 19 * US);
        uint64_t queued = 0;
        Simulator::Schedule(MicroSeconds(20), [&] {
            sw->Sync();
            queued = sw->GetPort(2).queueBytes[3];
            sw->SetLinkUp(2, false);
            NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetHeld(), 0, "nothing held for a dead link");
        });
        Simulator::Schedule(MicroSeconds(100), [&] { sw->SetLinkUp(2, true); });
        f.Run();
        NS_TEST_EXPECT_MSG_GT(queued, 0, "the queue was not empty");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
        const uint64_t atSwitch = DropsFor(*sw, FabricDropReason::LINK_DOWN);
        const uint64_t onWire = DropsFor(*f.hosts[2], FabricDropReason::LINK_DOWN);
        NS_TEST_EXPECT_MSG_EQ(f.GetDrops(), atSwitch + onWire, "no drop for another reason");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(atSwitch, queued / 1000, "queued and later arrivals");
        // paused at 19 us, cut at 20 us: the last 4 us before the pause were on a 5 us wire
        NS_TEST_EXPECT_MSG_EQ_TOL(onWire, 50, 2, "packets on the wire are lost");
        NS_TEST_EXPECT_MSG_LT(log.FirstAfter(3, 100 * US),
                              160 * US + 200'000,
                              "not paused any more");
        NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().delivered,
                              1200 - atSwitch - onWire,
                              "rest");
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetHeld(), 0, "buffer empty");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
    }
};

/** @brief Packets without a way. */
class NoWayTestCase : public TestCase
{
  public:
    NoWayTestCase()
        : TestCase("unknown destinations are NO_ROUTE, routing loops end by TTL")
    {
    }

  private:
    void DoRun() override
    {
        {
            RawFabric f;
            f.Build(RawFabric::Line(3, 100 * GIGA, US));
            f.hosts[0]->Send({0, 77, 1000, 5, 3, 1});
            f.Run();
            NS_TEST_EXPECT_MSG_EQ(DropsFor(*f.switches[0], FabricDropReason::NO_ROUTE),
                                  5,
                                  "unknown");
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
            NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().hops, 5, "never forwarded");
        }
        Simulator::Destroy();
        {
            RawFabric f;
            f.Build(RawFabric::Line(3, 100 * GIGA, US));
            f.switches[1]->GetForwardingTable().Set(1, {0}); // back where it came from
            f.hosts[0]->Send({0, 1, 1000, 3, 3, 1});
            f.Run();
            uint64_t looped = 0;
            for (const auto& sw : f.switches)
            {
                looped += DropsFor(*sw, FabricDropReason::TTL);
            }
            NS_TEST_EXPECT_MSG_EQ(looped, 3, "a loop ends");
            NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().hops, 3 * 251, "after 250 links");
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
        }
        Simulator::Destroy();
    }
};

/** @brief Broadcast reaches everybody once, also under flow control. */
class BroadcastTestCase : public TestCase
{
  public:
    BroadcastTestCase()
        : TestCase("a broadcast reaches every host of a fat-tree exactly once; lazy equals eager")
    {
    }

  private:
    FabricTrajectory Run(uint8_t vl, uint64_t packets, uint64_t buffer, bool eager)
    {
        FabricTrajectory result;
        {
            RawFabric f;
            f.eager = eager;
            f.buffer.Set("Size", UintegerValue(buffer));
            f.Build(Tree(4));
            for (uint32_t i : {0, 5})
            {
                f.hosts[i]->Send({0, FABRIC_BROADCAST, 1036, packets, vl, i});
            }
            f.Run();
            for (uint32_t i = 0; i < 16 && f.GetDrops() == 0; ++i)
            {
                const uint64_t senders = 2 - (i == 0 || i == 5);
                NS_TEST_EXPECT_MSG_EQ(f.hosts[i]->rxBytes, senders * packets * 1036, "host " << i);
            }
            for (const auto& sw : f.switches)
            {
                NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetHeld(), 0, "buffer empty");
            }
            m_xoff = f.Sum(&FabricClassStats::xoffTx);
            result = FabricStation::Trajectory();
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
        return result;
    }

    uint64_t m_xoff{0}; //!< stop frames of the last run

    void DoRun() override
    {
        for (uint8_t vl : {0, 3})
        {
            NS_TEST_EXPECT_MSG_EQ(Run(vl, 300, 32 << 20, false).dropped, 0, "class " << +vl);
        }
        // Copies multiply the load behind a stop frame, so a small buffer may drop; but every stop
        // frame must still be sent at its time.
        const FabricTrajectory lazy = Run(3, 300, 400'000, false);
        const FabricTrajectory eager = Run(3, 300, 400'000, true);
        NS_TEST_EXPECT_MSG_GT(m_xoff, 10, "flow control acts");
        NS_TEST_EXPECT_MSG_EQ(lazy.digest, eager.digest, "trajectories");
        NS_TEST_EXPECT_MSG_EQ(lazy.dropped, eager.dropped, "drops");
    }
};

/** @brief What a PFC watchdog does to a stuck class. */
class FlushTestCase : public TestCase
{
  public:
    FlushTestCase()
        : TestCase("PFC watchdog: flush a class, let it run, heed pauses again later")
    {
    }

  private:
    void DoRun() override
    {
        RawFabric f;
        f.flow.Set("LosslessClasses", UintegerValue(0x18));
        f.Build(RawFabric::Star(2, 100 * GIGA, US));
        Ptr<FabricSwitch> sw = f.switches[0];
        FabricPort& port = sw->GetPort(1);
        TxLog log(sw);
        f.hosts[0]->Send({0, 1, 1000, 100, 3, 1});
        f.hosts[0]->Send({0, 1, 1000, 50, 4, 1});
        f.hosts[0]->Send({50 * US, 1, 1000, 100, 3, 1});
        f.hosts[0]->Send({150 * US, 1, 1000, 10, 3, 1});
        RawFabric::Pause(port, 0x18, 65535, 1);
        uint64_t flushed = 0;
        Simulator::Schedule(MicroSeconds(30), [&] { flushed = sw->FlushClass(1, 3, 90 * US); });
        RawFabric::Pause(port, 0x08, 65535, 60 * US);  // ignored
        RawFabric::Pause(port, 0x08, 65535, 140 * US); // heeded
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(flushed, 100, "all that was queued");
        NS_TEST_EXPECT_MSG_EQ(DropsFor(*sw, FabricDropReason::WATCHDOG), 100, "counted");
        NS_TEST_EXPECT_MSG_LT(log.FirstAfter(3, 0), 55 * US, "runs on in spite of pauses");
        NS_TEST_EXPECT_MSG_EQ(log.FirstAfter(3, 135 * US),
                              140 * US + 335'539'200,
                              "then heeds them");
        NS_TEST_EXPECT_MSG_EQ(log.FirstAfter(4, 0), 1 + 335'539'200, "the other class waits");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
        NS_TEST_EXPECT_MSG_EQ(sw->GetBuffer()->GetHeld(), 0, "buffer empty");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

/** @brief papers B9: circular waiting stops everything, a tree cannot wait in a circle. */
class DeadlockTestCase : public TestCase
{
  public:
    DeadlockTestCase()
        : TestCase("B9: three switches in a ring, each flow two hops clockwise: all stop")
    {
    }

  private:
    void DoRun() override
    {
        FabricTopology ring;
        for (uint32_t i = 0; i < 6; ++i)
        {
            i < 3 ? ring.AddHost() : ring.AddSwitch();
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            ring.AddLink(i, 3 + i, 100 * GIGA, US);
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            ring.AddLink(3 + i, 3 + (i + 1) % 3, 100 * GIGA, US);
        }
        RawFabric f;
        f.buffer.Set("Size", UintegerValue(400'000));
        f.Build(ring);
        for (uint32_t i = 0; i < 3; ++i)
        {
            // the clockwise port is the one whose peer is the next switch
            FabricSwitch& sw = *f.switches[i];
            for (uint16_t port = 0; port < sw.GetNPorts(); ++port)
            {
                if (sw.GetPort(port).peer->station == PeekPointer(f.switches[(i + 1) % 3]))
                {
                    sw.GetForwardingTable().Set((i + 1) % 3, {port});
                    sw.GetForwardingTable().Set((i + 2) % 3, {port});
                }
            }
            f.hosts[i]->Send({0, (i + 2) % 3, 1036, 100'000, 3, i});
        }
        uint64_t early = 0;
        uint64_t late = 0;
        uint64_t later = 0;
        const auto total = [&f] {
            f.GetDrops();
            return f.hosts[0]->rxBytes + f.hosts[1]->rxBytes + f.hosts[2]->rxBytes;
        };
        Simulator::Schedule(MicroSeconds(20), [&] { early = total(); });
        Simulator::Schedule(MilliSeconds(3), [&] { late = total(); });
        Simulator::Schedule(MilliSeconds(20), [&] { later = total(); });
        Simulator::Stop(MilliSeconds(21));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(early, 0, "it starts well");
        NS_TEST_EXPECT_MSG_EQ(later, late, "then nothing is delivered any more");
        NS_TEST_EXPECT_MSG_GT(f.hosts[0]->GetBacklog(), 0, "though there is work");
        NS_TEST_EXPECT_MSG_EQ(f.GetDrops(), 0, "and nothing is dropped");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "conservation");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
    }
};

/** @brief The suite. */
class AiFabricFailureTestSuite : public TestSuite
{
  public:
    AiFabricFailureTestSuite()
        : TestSuite("ai-fabric-failure", Type::UNIT)
    {
        AddTestCase(new LinkFailureTestCase);
        AddTestCase(new NoWayTestCase);
        AddTestCase(new BroadcastTestCase);
        AddTestCase(new FlushTestCase);
        AddTestCase(new DeadlockTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricFailureTestSuite g_aiFabricFailureTestSuite; //!< the instance

} // namespace
