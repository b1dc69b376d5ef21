/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"

#include "ns3/class-map.h"
#include "ns3/fabric-error.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/star-builder.h"
#include "ns3/string.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

FabricTopology
TwoHosts()
{
    StarBuilder::Parameters star;
    star.hosts = 2;
    return StarBuilder(star).Build();
}

/** @brief A switch files frames into the class that its trust map says. */
class TrustTestCase : public TestCase
{
  public:
    TrustTestCase()
        : TestCase("class, DSCP and PCP trust")
    {
    }

  private:
    /** @brief Class in which ten packets of class 3 leave the switch. */
    uint8_t LeavesAs(Ptr<ClassMap> map)
    {
        RawFabric f;
        f.Build(TwoHosts());
        f.switches[0]->SetClassMap(map);
        f.hosts[0]->Send({0, 1, 1000, 10, 3, 1});
        Simulator::Run();
        uint8_t found = 255;
        for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
        {
            if (f.switches[0]->GetPort(1).stats.of[vl].txPackets == 10)
            {
                found = vl;
            }
        }
        f.Clear();
        Simulator::Destroy();
        return found;
    }

    void DoRun() override
    {
        const auto map = [](const std::string& trust, const std::string& dscp,
                            const std::string& pcp) {
            auto m = CreateObject<ClassMap>();
            m->SetAttribute("Trust", StringValue(trust));
            m->SetAttribute("DscpMap", StringValue(dscp));
            m->SetAttribute("PcpMap", StringValue(pcp));
            return m;
        };
        const std::string same = "0 1 2 3 4 5 6 7";
        // a raw host writes DSCP 0
        NS_TEST_EXPECT_MSG_EQ(+LeavesAs(map("class", "0:5", "0 1 2 4 4 5 6 7")), 3, "class");
        NS_TEST_EXPECT_MSG_EQ(+LeavesAs(map("dscp", "0:5", same)), 5, "DSCP 0 to class 5");
        NS_TEST_EXPECT_MSG_EQ(+LeavesAs(map("dscp", "", same)), 0, "DSCP 0 to class 0");
        NS_TEST_EXPECT_MSG_EQ(+LeavesAs(map("pcp", "", "0 1 2 4 4 5 6 7")), 4, "PCP 3 to 4");
        NS_TEST_EXPECT_MSG_EQ(map("dscp", "48:1 26:3", same)->GetDscpMap(), "48:1",
                              "pairs that differ from dscp / 8 are told");

        auto m = CreateObject<ClassMap>();
        for (const char* wrong : {"64:1", "1:8", "x:1", "1", "1:", ":1", "-1:2", "1:2:3", "999:1"})
        {
            bool refused = false;
            try
            {
                m->SetDscpMap(wrong);
            }
            catch (const FabricError&)
            {
                refused = true;
            }
            NS_TEST_EXPECT_MSG_EQ(refused, true, "'" << wrong << "' must be refused");
        }
    }
};

/** @brief The watchdog frees a class that its neighbour keeps paused. */
class WatchdogTestCase : public TestCase
{
  public:
    WatchdogTestCase()
        : TestCase("PFC watchdog")
    {
    }

  private:
    /** @brief What a storm of stop frames does. */
    struct Outcome
    {
        uint64_t received; //!< bytes at the victim
        uint64_t dropped;  //!< packets that the watchdog dropped
    };

    Outcome Storm(const Time& watchdog, bool resumes, bool eager)
    {
        RawFabric f;
        f.eager = eager;
        f.Build(TwoHosts());
        f.switches[0]->SetAttribute("PfcWatchdog", TimeValue(watchdog));
        f.switches[0]->SetAttribute("PfcWatchdogRestore", TimeValue(MicroSeconds(300)));
        f.switches[0]->Start();
        // the receiver says stop for class 3 every 100 us (or stop and resume in turn)
        for (uint32_t i = 0; i < 12; ++i)
        {
            Simulator::Schedule(MicroSeconds(100 * i), [&f, resumes] {
                FabricPort& port = f.hosts[1]->GetPort(0);
                const FabricPs now = FabricTime::Now();
                FabricPacket* frame = !port.flow->IsStopped(3) ? port.flow->Stop(3, now)
                                      : resumes                ? port.flow->Resume(3, now)
                                                               : port.flow->Refresh(now);
                f.hosts[1]->SendControl(port, frame, now);
            });
        }
        f.hosts[0]->Send({2'000'000, 1, 1000, 400, 3, 1});
        f.hosts[0]->Send({900'000'000, 1, 1000, 50, 3, 1});
        Simulator::Stop(MicroSeconds(1190));
        Simulator::Run();
        f.GetDrops();
        const Outcome outcome{f.hosts[1]->rxBytes, f.switches[0]->GetWatchdogDrops()};
        m_digest = FabricStation::Trajectory().digest;
        f.Clear();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
        return outcome;
    }

    uint64_t m_digest{0};

    void DoRun() override
    {
        const Outcome off = Storm(Time(0), false, false);
        NS_TEST_EXPECT_MSG_EQ(off.received, 0, "without a watchdog the class stays paused");
        NS_TEST_EXPECT_MSG_EQ(off.dropped, 0, "off");

        // looked at 600 us after the first packet had to wait; then the pauses mean nothing
        const Outcome on = Storm(MicroSeconds(600), false, false);
        const uint64_t digest = m_digest;
        NS_TEST_EXPECT_MSG_EQ(on.dropped, 400, "what was waiting is flushed");
        NS_TEST_EXPECT_MSG_EQ(on.received, 50 * 1000, "what comes afterwards passes");
        const Outcome eager = Storm(MicroSeconds(600), false, true);
        NS_TEST_EXPECT_MSG_EQ(eager.dropped, on.dropped, "lazy equals eager");
        NS_TEST_EXPECT_MSG_EQ(m_digest, digest, "lazy equals eager");

        // fault 15: stop and resume in turn is no storm
        const Outcome turns = Storm(MicroSeconds(600), true, false);
        NS_TEST_EXPECT_MSG_EQ(turns.dropped, 0, "no pause lasts that long");
        NS_TEST_EXPECT_MSG_EQ(turns.received, 450 * 1000, "all delivered");
    }
};

/** @brief The suite. */
class AiFabricClassMapTestSuite : public TestSuite
{
  public:
    AiFabricClassMapTestSuite()
        : TestSuite("ai-fabric-class-map", Type::UNIT)
    {
        AddTestCase(new TrustTestCase);
        AddTestCase(new WatchdogTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricClassMapTestSuite g_aiFabricClassMapTestSuite; //!< the instance

} // namespace
