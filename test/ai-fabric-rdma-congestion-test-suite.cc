/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-line.h"

#include "ns3/fabric-helper.h"
#include "ns3/fabric-topology.h"
#include "ns3/frame-profile.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/port-scheduler.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace ns3;

namespace
{

constexpr FabricPs US = 1'000'000;

RdmaLine::Options
Dcqcn()
{
    RdmaLine::Options options;
    options.relay = true;
    options.mtu = 1000;
    options.congestion = CreateObject<RdmaDcqcn>();
    return options;
}

/** @brief fault 13: the notification delay shifts the first cut by exactly itself. */
class CnpDelayTestCase : public TestCase
{
  public:
    CnpDelayTestCase()
        : TestCase("CNP generation delay and interval (fault 13)")
    {
    }

  private:
    FabricPs FirstCut(FabricPs delay)
    {
        FabricPs cut = 0;
        const auto scenario = [&]() {
            RdmaLine line(Dcqcn());
            line.b->SetAttribute("CnpDelay", TimeValue(PicoSeconds(delay)));
            line.relay->script = [](FabricPacket& p) {
                p.flags |= (p.flags & FABRIC_ECT) && p.psn == 49 ? FABRIC_CE : 0;
                return false;
            };
            auto [qa, qb] = line.Pair();
            cut = 0;
            qa->GetCongestion()->TraceConnectWithoutContext(
                "Rate",
                Callback<void, FabricPs, double>(
                    [&cut](FabricPs at, double) { cut = cut == 0 ? at : cut; }));
            qa->PostSend(line.Write(1, 50000)); // the last packet is marked
            Simulator::Schedule(MicroSeconds(200), [&line]() { line.a->CatchUp(); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().cnpsTx, 1, "one mark, one CNP");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().cnpsRx, 1, "arrives");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCongestion()->GetCounters().rateCuts, 1, "one cut");
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
        return cut;
    }

    void Interval(FabricPs interval)
    {
        const auto scenario = [&]() {
            RdmaLine line(Dcqcn());
            line.Record();
            line.b->SetAttribute("CnpInterval", TimeValue(PicoSeconds(interval)));
            std::vector<FabricPs> marked;
            line.relay->script = [](FabricPacket& p) {
                p.flags |= (p.flags & FABRIC_ECT) ? FABRIC_CE : 0;
                return false;
            };
            line.b->TraceConnectWithoutContext(
                "Rx",
                Callback<void, const FabricPacket&, uint16_t, FabricPs>(
                    [&marked](const FabricPacket& p, uint16_t, FabricPs at) {
                        if (p.flags & FABRIC_CE)
                        {
                            marked.push_back(at);
                        }
                    }));
            auto [qa, qb] = line.Pair();
            qa->PostSend(line.Write(1, 400000));
            Simulator::Run();
            uint64_t expected = 0;
            FabricPs from = 0;
            for (const FabricPs at : marked)
            {
                if (at >= from)
                {
                    ++expected;
                    from = at + interval;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(marked.size(), 400, "every packet was marked");
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().cnpsTx, expected, "at most one an interval");
            for (const auto& [at, p] : line.sentB)
            {
                NS_TEST_EXPECT_MSG_EQ(+p.vl, (p.opcode == BTH_CNP ? 6 : 3), "classes");
                NS_TEST_EXPECT_MSG_EQ((p.flags & FABRIC_ECT), 0, "answers are not ECN-capable");
            }
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
    }

    void DoRun() override
    {
        const FabricPs prompt = FirstCut(0);
        const auto& profile = FrameProfile::Get("rocev2");
        const FabricRate rate(100'000'000'000);
        const FabricPs there = 2 * 1 * US + rate.TxTime(profile.WriteWireBytes(50000, 1000)) +
                               rate.TxTime(profile.WireBytes(BTH_RC_WRITE_FIRST, 1000));
        const FabricPs back = 2 * (US + rate.TxTime(profile.WireBytes(BTH_CNP, 0)));
        NS_TEST_EXPECT_MSG_EQ(prompt, there + back, "first cut by the closed form");
        NS_TEST_EXPECT_MSG_EQ(FirstCut(55 * US), prompt + 55 * US, "55 us later");
        NS_TEST_EXPECT_MSG_EQ(FirstCut(1),
                              prompt + rate.TxTime(profile.WireBytes(BTH_RC_ACK, 0)),
                              "1 ps late is behind the ACK");
        Interval(0);
        Interval(4 * US);
        Interval(50 * US);
    }
};

/** @brief fault 22: READ responses are under congestion control of the responder. */
class ReadCongestionTestCase : public TestCase
{
  public:
    ReadCongestionTestCase()
        : TestCase("marked READ responses slow the responder (fault 22)")
    {
    }

  private:
    void DoRun() override
    {
        const auto scenario = [&]() {
            RdmaLine line(Dcqcn());
            uint64_t count = 0;
            line.relay->script = [&count](FabricPacket& p) {
                const bool mark = BthTraits::IsReadResponse(p.opcode) && (p.flags & FABRIC_ECT) &&
                                  ++count % 101 == 0;
                p.flags |= mark ? FABRIC_CE : 0;
                return false;
            };
            std::vector<Ptr<VerbsQueuePair>> clients;
            std::vector<Ptr<VerbsQueuePair>> servers;
            for (uint64_t i = 0; i < 4; ++i)
            {
                auto [qa, qb] = line.Pair();
                clients.push_back(qa);
                servers.push_back(qb);
                qa->PostSend(line.Request(i, VerbsOpcode::RDMA_READ, 10'000'000));
            }
            Simulator::Stop(MilliSeconds(4));
            Simulator::Run();
            line.a->CatchUp();
            line.b->CatchUp();
            for (int i = 0; i < 4; ++i)
            {
                NS_TEST_EXPECT_MSG_GT(servers[i]->GetCounters().cnpsRx, 0, "CNPs at the server");
                NS_TEST_EXPECT_MSG_LT(servers[i]->GetRateBps(), 99e9, "its rate falls");
                NS_TEST_EXPECT_MSG_EQ(clients[i]->GetCounters().cnpsRx, 0, "not the client's");
            }
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Shared(); }), "", "bottleneck");
    }

    /** @brief Four clients read from one server through a 40G link between two switches. */
    std::string Shared()
    {
        std::ostringstream out;
        {
            FabricTopology topology;
            for (int i = 0; i < 5; ++i)
            {
                topology.AddHost();
            }
            const uint32_t near = topology.AddSwitch();
            const uint32_t far = topology.AddSwitch();
            topology.AddLink(0, near, 100'000'000'000, US);
            topology.AddLink(near, far, 40'000'000'000, US);
            for (uint32_t i = 1; i < 5; ++i)
            {
                topology.AddLink(i, far, 100'000'000'000, US);
            }
            FabricHelper fabric;
            fabric.SetNicAttribute("CongestionOps", PointerValue(CreateObject<RdmaDcqcn>()));
            fabric.Build(topology);
            const Ptr<RdmaNic> server = fabric.GetNic(0);
            Ptr<VerbsQueuePair> clients[4];
            for (uint32_t i = 0; i < 4; ++i)
            {
                const Ptr<RdmaNic> nic = fabric.GetNic(i + 1);
                VerbsQpInit init;
                init.pd = nic->GetDefaultDomain();
                clients[i] = nic->CreateQueuePair(init);
                init.pd = server->GetDefaultDomain();
                RdmaNic::Connect(clients[i], server->CreateQueuePair(init));
                WorkRequest wr;
                wr.opcode = VerbsOpcode::RDMA_READ;
                wr.length = 100'000'000; // longer than the run
                wr.rkey = server->GetDefaultRegion()->GetRkey();
                clients[i]->PostSend(wr);
            }
            const auto sum = [&]() {
                fabric.SyncAll();
                uint64_t bytes = 0;
                for (const auto& qp : clients)
                {
                    bytes += qp->GetCounters().delivered;
                }
                return static_cast<double>(bytes);
            };
            double before = 0;
            Simulator::Schedule(MilliSeconds(30), [&]() { before = sum(); });
            Simulator::Stop(MilliSeconds(40));
            Simulator::Run();
            const double total = sum();
            for (const auto& qp : clients)
            {
                const double share =
                    100.0 * static_cast<double>(qp->GetCounters().delivered) / total;
                NS_TEST_EXPECT_MSG_EQ_TOL(share, 25, 3, "share");
                out << qp->GetCounters().delivered << ' ';
            }
            NS_TEST_EXPECT_MSG_GT(server->GetCounters().cnpsRx, 0, "CNPs at the server");
            const double goodput = (total - before) * 8 / 0.01;
            const double most = 40e9 * 1024 / 1106; // payload over wire bytes
            NS_TEST_EXPECT_MSG_GT(goodput, 0.95 * most, "recovered from the first cuts by 30 ms");
        }
        Simulator::Destroy();
        return out.str();
    }
};

/** @brief faults 4, 6 and 15: pause frames at a NIC act on their class only, and end. */
class NicPauseTestCase : public TestCase
{
  public:
    NicPauseTestCase()
        : TestCase("pause at a NIC: per class, with any number of queue pairs (faults 4, 6, 15)")
    {
    }

  private:
    static void Frame(Ptr<RdmaNic> nic, uint8_t classes, uint16_t quanta, FabricPs at)
    {
        FabricPacketPool& pool = FabricPacketPool::Get();
        FabricPacket* frame = pool.Allocate();
        frame->kind = FabricPacketKind::PAUSE;
        frame->bytes = 64;
        FabricPacketSide& side = pool.Side(frame);
        side.enable = classes;
        std::fill(side.quanta, side.quanta + FABRIC_CLASSES, quanta);
        nic->PostControl(nic->GetPort(0), frame, at);
    }

    /**
     * @param qps queue pairs
     * @param frames {class mask, quanta, arrival}
     * @return departure times of data
     */
    std::vector<FabricPs> Run(uint32_t qps,
                              const std::vector<std::tuple<uint8_t, uint16_t, FabricPs>>& frames)
    {
        std::vector<FabricPs> sent;
        const auto scenario = [&]() {
            RdmaLine line({});
            line.Record();
            auto pfc = CreateObject<PfcFlowControl>();
            pfc->SetAttribute("LosslessClasses", UintegerValue(0xff));
            line.a->SetPortPolicies(0, pfc, CreateObject<StrictDwrrScheduler>());
            for (const auto& [classes, quanta, at] : frames)
            {
                Frame(line.a, classes, quanta, at);
            }
            for (uint32_t i = 0; i < qps; ++i)
            {
                line.Pair().first->PostSend(line.Write(i, 3'000'000 / qps));
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), qps, "all complete");
            sent.clear();
            for (const auto& [at, p] : line.sentA)
            {
                sent.push_back(at);
            }
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle, " << qps);
        return sent;
    }

    void DoRun() override
    {
        for (const uint32_t qps : {0U, 1U, 2U, 100U})
        {
            const auto free = Run(qps, {});
            for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
            {
                const uint8_t mask = 1U << vl;
                const auto sent = Run(qps, {{mask, 65535, 10 * US}, {mask, 0, 30 * US}});
                if (vl != 3 || qps == 0)
                {
                    NS_TEST_EXPECT_MSG_EQ((sent == free), true, "class " << +vl << " is not data");
                    continue;
                }
                const auto after = std::lower_bound(sent.begin(), sent.end(), 10 * US + 100'000);
                NS_TEST_EXPECT_MSG_EQ(*after, 30 * US, "silent from XOFF to XON");
            }
        }
        // without a word the pause ends by itself: 65535 x 512 bit times
        const auto sent = Run(1, {{0x08, 65535, 10 * US}});
        const auto after = std::lower_bound(sent.begin(), sent.end(), 10 * US + 100'000);
        NS_TEST_EXPECT_MSG_EQ(*after, 10 * US + 65535LL * 512 * 10, "335.54 us");
        // XON alone, every microsecond, changes nothing
        std::vector<std::tuple<uint8_t, uint16_t, FabricPs>> xons;
        for (FabricPs at = US; at < 400 * US; at += US)
        {
            xons.emplace_back(0x08, 0, at);
        }
        NS_TEST_EXPECT_MSG_EQ((Run(2, xons) == Run(2, {})), true, "XON storms nothing");
    }
};

/** @brief A star with switch, PFC and RED under DCQCN: the oracle over the whole chain. */
class IncastOracleTestCase : public TestCase
{
  public:
    IncastOracleTestCase()
        : TestCase("incast and READ mix over a switch: lazy equals eager, few events, no leak")
    {
    }

  private:
    std::string Scenario(const std::string& profile, uint32_t ackInterval, double errorRate)
    {
        std::string text;
        {
            FabricTopology topology;
            constexpr uint32_t HOSTS = 9;
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                topology.AddHost();
            }
            const uint32_t sw = topology.AddSwitch();
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                topology.AddLink(i, sw, 100'000'000'000, US, errorRate);
            }
            FabricHelper fabric;
            fabric.SetBufferAttribute("Size", UintegerValue(1'500'000));
            fabric.SetNicAttribute("AckInterval", UintegerValue(ackInterval));
            fabric.SetNicAttribute("RetryTimeout", TimeValue(MicroSeconds(300)));
            if (!profile.empty())
            {
                auto dcqcn = CreateObject<RdmaDcqcn>();
                dcqcn->SetAttribute("Profile", StringValue(profile));
                fabric.SetNicAttribute("CongestionOps", PointerValue(dcqcn));
            }
            fabric.Build(topology);
            auto app = CreateObject<RdmaFlowApplication>();
            for (uint32_t i = 0; i < 60; ++i)
            {
                RdmaFlow flow;
                flow.id = i;
                flow.src = fabric.GetNic(i % (HOSTS - 1));
                flow.dst = fabric.GetNic(i % 3 == 0 ? (i + 1) % (HOSTS - 1) : HOSTS - 1);
                flow.bytes = 1 + FabricRandom::Mix(i) % 300'000;
                flow.start =
                    i % 4 == 0 ? 0 : static_cast<FabricPs>(FabricRandom::Mix(i) % 300 * US);
                flow.connection = i % 5 == 0 ? 1 + i % 2 : 0;
                app->AddFlow(flow);
            }
            app->Initialize();
            Simulator::Stop(MilliSeconds(40));
            Simulator::Run();
            std::ostringstream out;
            for (uint32_t i = 0; i < app->GetNFlows(); ++i)
            {
                const RdmaFlowResult r = app->GetResult(i);
                out << static_cast<int>(r.status) << ':' << r.rxAt << ':' << r.ackAt << ':'
                    << r.retransmits << ' ';
            }
            NS_TEST_EXPECT_MSG_EQ(app->GetNDone(), 60, "all flows end, " << profile);
            uint64_t marks = 0;
            for (uint16_t i = 0; i < HOSTS; ++i)
            {
                const auto& port = fabric.GetSwitches()[0]->GetPort(i);
                for (const auto& c : port.stats.of)
                {
                    out << c.txPackets << ',' << c.ceMarks << ',' << c.xoffTx << ',' << c.drops
                        << ' ';
                    marks += c.ceMarks;
                }
            }
            NS_TEST_EXPECT_MSG_EQ((marks > 0), !profile.empty(), "marks with DCQCN only");
            const auto& t = FabricStation::Trajectory();
            // chores are the switch's: it watches thresholds in a buffer this small
            m_perHop.push_back(static_cast<double>(t.wakes - t.chores) /
                               static_cast<double>(t.hops));
            text = out.str();
            app->Dispose();
        }
        Simulator::Destroy();
        return text;
    }

    std::vector<double> m_perHop; //!< events per packet-hop of every run

    void DoRun() override
    {
        for (const std::string profile : {"", "paper2015", "hpcc-fork", "connectx"})
        {
            for (const uint32_t interval : {1U, 8U})
            {
                for (const double errorRate : {0.0, 0.002})
                {
                    m_perHop.clear();
                    NS_TEST_EXPECT_MSG_EQ(
                        LazyEqualsEager([&]() { return Scenario(profile, interval, errorRate); }),
                        "",
                        profile << ", ACK interval " << interval << ", loss " << errorRate);
                    NS_TEST_EXPECT_MSG_LT(m_perHop.front(), 1.1, profile << ' ' << interval);
                }
            }
        }
    }
};

/** @brief The suite. */
class AiFabricRdmaCongestionTestSuite : public TestSuite
{
  public:
    AiFabricRdmaCongestionTestSuite()
        : TestSuite("ai-fabric-rdma-congestion", Type::UNIT)
    {
        AddTestCase(new CnpDelayTestCase);
        AddTestCase(new ReadCongestionTestCase);
        AddTestCase(new NicPauseTestCase);
        AddTestCase(new IncastOracleTestCase);
    }

  private:
    void DoSetup() override
    {
        RdmaLine::UsePicoseconds();
    }
};

AiFabricRdmaCongestionTestSuite g_aiFabricRdmaCongestionTestSuite; //!< the instance

} // namespace
