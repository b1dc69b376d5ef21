/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-count.h"
#include "rdma-line.h"

#include "ns3/fabric-error.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-fixed-rate.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

using namespace ns3;

namespace
{

using St = VerbsWcStatus;
using Flow = RdmaFlowResult::Status;

constexpr FabricPs US = 1'000'000;

RdmaFlow
MakeFlow(const RdmaLine& line, uint64_t id, uint64_t bytes, FabricPs start)
{
    RdmaFlow flow;
    flow.src = line.a;
    flow.dst = line.b;
    flow.id = id;
    flow.bytes = bytes;
    flow.start = start;
    return flow;
}

/** @brief No heap traffic once everything has its size. */
class SteadyHeapTestCase : public TestCase
{
  public:
    SteadyHeapTestCase()
        : TestCase("no heap allocation per packet in steady state")
    {
    }

  private:
    void DoRun() override
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::PriorityQueueScheduler"); // a vector; ns-3's default allocates
        Simulator::SetScheduler(scheduler);
        RdmaLine::Options options;
        options.relay = true;
        options.congestion = CreateObject<RdmaDcqcn>();
        RdmaLine line(options);
        uint64_t count = 0;
        line.relay->script = [&count](FabricPacket& p) {
            ++count;
            p.flags |= (p.flags & FABRIC_ECT) && count % 5000 == 0 ? FABRIC_CE : 0;
            return count % 3001 == 0;
        };
        for (int i = 0; i < 8; ++i)
        {
            auto [qa, qb] = line.Pair();
            for (uint64_t k = 0; k < 1000; ++k)
            {
                qa->PostSend(line.Write(k, 40'000));
            }
            qa->PostSend(line.Request(9999, VerbsOpcode::RDMA_READ, 10'000'000));
        }
        line.doneA.reserve(100'000);
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const uint64_t hops = FabricStation::Trajectory().hops;
        const uint64_t calls = HeapCount::GetCalls();
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const uint64_t used = HeapCount::GetCalls() - calls;
        NS_TEST_EXPECT_MSG_GT(FabricStation::Trajectory().hops - hops, 100'000, "packets moved");
        NS_TEST_EXPECT_MSG_GT(line.a->GetCounters().retransmits, 0, "losses repaired meanwhile");
        NS_TEST_EXPECT_MSG_GT(line.a->GetCounters().cnpsRx, 0, "CNPs handled meanwhile");
        // Simulator::Stop() makes one event
        NS_TEST_EXPECT_MSG_LT_OR_EQ(used, 4, "allocations in 10 ms of traffic");
    }
};

/** @brief Idle queue pairs are small, destroyed ones are gone. */
class MemoryTestCase : public TestCase
{
  public:
    MemoryTestCase()
        : TestCase("10000 idle queue pairs, 100000 flows in sequence (fault 41)")
    {
    }

  private:
    void DoRun() override
    {
        {
            RdmaLine::Options options;
            options.congestion = CreateObject<RdmaDcqcn>();
            RdmaLine line(options);
            const int64_t before = HeapCount::GetLiveBytes();
            for (int i = 0; i < 10'000; ++i)
            {
                line.Pair();
            }
            const int64_t each = (HeapCount::GetLiveBytes() - before) / 20'000;
            NS_TEST_EXPECT_MSG_LT(each, 4096, "bytes per idle queue pair");
            NS_TEST_EXPECT_MSG_EQ(line.a->GetNQueuePairs(), 10'000, "all there");
            auto last = line.a->FindQueuePair(10'000);
            NS_TEST_EXPECT_MSG_EQ(last->GetQpn(), 10'000, "found by number");
            last->PostSend(line.Write(1, 5000));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "and works");
        }
        RdmaLine line({});
        auto app = CreateObject<RdmaFlowApplication>();
        const uint32_t FLOWS = HeapCount::IsActive() ? 100'000 : 5'000; // sanitizers are slow
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            app->AddFlow(MakeFlow(line, i, 1000, i * 5 * US));
        }
        app->Initialize();
        Simulator::Stop(MicroSeconds(5 * 1000));
        Simulator::Run();
        const int64_t before = HeapCount::GetLiveBytes();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(app->GetNDone(), FLOWS, "all flows done");
        NS_TEST_EXPECT_MSG_EQ(line.a->GetNQueuePairs(), 0, "no queue pair left");
        NS_TEST_EXPECT_MSG_EQ(line.b->GetNQueuePairs(), 0, "on either side");
        NS_TEST_EXPECT_MSG_LT(HeapCount::GetLiveBytes() - before, 1'000'000, "growth, bytes");
        NS_TEST_EXPECT_MSG_EQ(line.b->GetCounters().delivered, 1000ULL * FLOWS, "counters stay");
        app->Dispose();
    }
};

/** @brief The flow application: rows for every flow, failures, stops, sharing, dependencies. */
class FlowApplicationTestCase : public TestCase
{
  public:
    FlowApplicationTestCase()
        : TestCase("flow application: unfinished, failed, stopped, shared, held (fault 19)")
    {
    }

  private:
    std::string Cut()
    {
        RdmaLine line({});
        auto app = CreateObject<RdmaFlowApplication>();
        for (uint32_t i = 0; i < 1000; ++i)
        {
            app->AddFlow(MakeFlow(line, i, 1 + FabricRandom::Mix(i) % 10'000, i * US));
        }
        // the last ten are long and come together
        for (uint32_t i = 0; i < 10; ++i)
        {
            app->AddFlow(MakeFlow(line, 1000 + i, 1'000'000, 1000 * US));
        }
        app->AddFlow(MakeFlow(line, 1010, 5, 5000 * US));
        app->Initialize();
        Simulator::Stop(MicroSeconds(1100));
        Simulator::Run();
        uint32_t rows[5] = {};
        std::ostringstream out;
        for (uint32_t i = 0; i < app->GetNFlows(); ++i)
        {
            const RdmaFlowResult r = app->GetResult(i);
            ++rows[static_cast<int>(r.status)];
            out << r.delivered << ' ' << r.ackAt << ' ';
            if (r.status == Flow::RUNNING)
            {
                // ten in turns at 100 Gb/s for 100 us: 1.1 MB of payload in all
                NS_TEST_EXPECT_MSG_EQ_TOL(double(r.delivered), 114'000., 5000., "delivered so far");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(rows[static_cast<int>(Flow::FINISHED)], 1000, "finished");
        NS_TEST_EXPECT_MSG_EQ(rows[static_cast<int>(Flow::RUNNING)], 10, "unfinished");
        NS_TEST_EXPECT_MSG_EQ(rows[static_cast<int>(Flow::UNSTARTED)], 1, "not begun");
        app->Dispose();
        return out.str();
    }

    std::string Mixed()
    {
        RdmaLine::Options options;
        options.relay = true;
        RdmaLine line(options);
        line.a->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(50)));
        auto app = CreateObject<RdmaFlowApplication>();
        app->SetAttribute("ChunkBytes", UintegerValue(7000));
        std::vector<uint32_t> order;
        app->TraceConnectWithoutContext("Done",
                                        Callback<void, uint32_t, const RdmaFlowResult&>(
                                            [&](uint32_t index, const RdmaFlowResult&) {
                                                order.push_back(index);
                                                if (index == 1)
                                                {
                                                    app->Release(2, 0);
                                                }
                                            }));
        for (uint32_t i = 0; i < 3; ++i)
        {
            RdmaFlow flow = MakeFlow(line, i, 100'000 + i, i == 2 ? FABRIC_NEVER : 0);
            flow.connection = i < 2 ? 7 : 0;
            app->AddFlow(flow);
        }
        RdmaFlow endless = MakeFlow(line, 3, 0, 100 * US);
        endless.endless = true;
        endless.stop = 200 * US;
        app->AddFlow(endless);
        RdmaFlow broken = MakeFlow(line, 4, 3000, 300 * US);
        app->AddFlow(broken);
        line.relay->script = [](FabricPacket& p) { return p.arrival > 300 * US; };
        app->Initialize();
        Simulator::Run();
        const RdmaFlowResult first = app->GetResult(0);
        const RdmaFlowResult second = app->GetResult(1);
        const RdmaFlowResult held = app->GetResult(2);
        NS_TEST_EXPECT_MSG_EQ((first.status == Flow::FINISHED), true, "first of the connection");
        NS_TEST_EXPECT_MSG_EQ((second.rxAt > first.rxAt), true, "in order on one queue pair");
        NS_TEST_EXPECT_MSG_EQ(first.delivered, 100'000, "its own bytes");
        NS_TEST_EXPECT_MSG_EQ(held.start, second.ackAt, "released by the end of another");
        NS_TEST_EXPECT_MSG_EQ(held.delivered, 100'002, "held flow");
        const RdmaFlowResult stopped = app->GetResult(3);
        NS_TEST_EXPECT_MSG_EQ((stopped.status == Flow::STOPPED), true, "stopped at its time");
        NS_TEST_EXPECT_MSG_GT(stopped.delivered, 1'000'000, "100 us at line rate");
        const RdmaFlowResult failed = app->GetResult(4);
        NS_TEST_EXPECT_MSG_EQ((failed.status == Flow::FAILED), true, "failed");
        NS_TEST_EXPECT_MSG_EQ((failed.error == St::RETRY_EXC_ERR), true, "and why");
        NS_TEST_EXPECT_MSG_EQ(failed.timeouts, 8, "one try, seven retries");
        NS_TEST_EXPECT_MSG_EQ(order.size(), 5, "each told once");
        std::ostringstream out;
        for (uint32_t i = 0; i < 5; ++i)
        {
            const RdmaFlowResult r = app->GetResult(i);
            out << r.rxAt << ' ' << r.ackAt << ' ' << r.delivered << ' ';
        }
        app->Dispose();
        return out.str();
    }

    /** @brief fault 16: an ACK is an ACK by its opcode, whatever the sizes. */
    void Sizes()
    {
        for (const char* profile : {"rocev2", "hpcc", "hpcc-int", "plain48"})
        {
            for (const uint32_t mtu : {1U, 60U, 61U, 1000U, 9000U})
            {
                for (int control = 0; control < 4; ++control)
                {
                    RdmaLine::Options options;
                    options.profile = profile;
                    if (control == 1)
                    {
                        options.congestion = CreateObject<RdmaFixedRate>();
                    }
                    else if (control > 1)
                    {
                        options.congestion = CreateObject<RdmaDcqcn>();
                        options.congestion->SetAttribute(
                            "Profile",
                            StringValue(control == 2 ? "hpcc-fork" : "connectx"));
                    }
                    RdmaLine line(options);
                    auto app = CreateObject<RdmaFlowApplication>();
                    app->SetAttribute("Mtu", UintegerValue(mtu));
                    app->AddFlow(MakeFlow(line, 0, 2000, 0));
                    app->Initialize();
                    Simulator::Run();
                    NS_TEST_EXPECT_MSG_EQ((app->GetResult(0).status == Flow::FINISHED),
                                          true,
                                          profile << ' ' << mtu << ' ' << control);
                    app->Dispose();
                }
            }
        }
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Cut(); }), "", "cut");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Mixed(); }), "", "mixed");
        Sizes();
        RdmaLine line({});
        auto app = CreateObject<RdmaFlowApplication>();
        bool thrown = false;
        try
        {
            RdmaFlow self = MakeFlow(line, 0, 1, 0);
            self.dst = line.a;
            app->AddFlow(self);
        }
        catch (const FabricError&)
        {
            thrown = true;
        }
        NS_TEST_EXPECT_MSG_EQ(thrown, true, "a flow to itself is refused");
        app->Dispose();
    }
};

/** @brief Ending the simulation in the middle leaves no packet behind. */
class MidFlightTestCase : public TestCase
{
  public:
    MidFlightTestCase()
        : TestCase("stop in mid-flight, link failure, queue pairs destroyed under way")
    {
    }

  private:
    void Stop(FabricPs at)
    {
        {
            RdmaLine::Options options;
            options.relay = true;
            options.congestion = CreateObject<RdmaDcqcn>();
            RdmaLine line(options);
            line.b->SetAttribute("CnpDelay", TimeValue(MicroSeconds(3)));
            line.relay->script = [](FabricPacket& p) {
                p.flags |= (p.flags & FABRIC_ECT) ? FABRIC_CE : 0;
                return false;
            };
            for (int i = 0; i < 3; ++i)
            {
                auto [qa, qb] = line.Pair();
                qa->PostSend(line.Write(1, 20'000));
                qa->PostSend(line.Request(2, VerbsOpcode::RDMA_READ, 20'000));
            }
            line.a->SendFrame(Create<Packet>(500), 1, 0);
            Simulator::Stop(PicoSeconds(at));
            Simulator::Run();
        }
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets left, stop " << at);
    }

    std::string LinkDown()
    {
        RdmaLine line({});
        line.a->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(20)));
        VerbsQpAttributes attributes;
        attributes.retryCount = 2;
        auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
        qa->PostSend(line.Write(1, 100'000));
        Simulator::Schedule(MicroSeconds(5), [&line]() { line.a->SetLinkUp(0, false); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "told");
        NS_TEST_EXPECT_MSG_EQ((line.doneA.at(0).status == St::RETRY_EXC_ERR), true, "why");
        NS_TEST_EXPECT_MSG_EQ(line.late, 0, "in time");
        return line.Describe();
    }

    std::string LinkFlap()
    {
        RdmaLine line({});
        line.a->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(20)));
        auto [qa, qb] = line.Pair();
        qa->PostSend(line.Write(1, 100'000));
        Simulator::Schedule(MicroSeconds(5), [&line]() { line.a->SetLinkUp(0, false); });
        Simulator::Schedule(MicroSeconds(30), [&line]() { line.a->SetLinkUp(0, true); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "completes");
        NS_TEST_EXPECT_MSG_EQ((line.doneA.at(0).status == St::SUCCESS), true, "after the repair");
        return line.Describe();
    }

    std::string Destroy()
    {
        RdmaLine line({});
        auto [qa, qb] = line.Pair();
        auto [qc, qd] = line.Pair();
        qa->PostSend(line.Write(1, 100'000));
        qc->PostSend(line.Write(2, 100'000));
        Simulator::Schedule(MicroSeconds(5), [&line, qa = qa]() { line.a->DestroyQueuePair(qa); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "the other completes");
        NS_TEST_EXPECT_MSG_GT(line.a->GetUnknownQp(), 0, "late ACKs find nobody");
        NS_TEST_EXPECT_MSG_EQ((qa->PostSend(line.Write(3, 1)) == VerbsResult::INVALID_STATE),
                              true,
                              "a destroyed queue pair takes nothing");
        return line.Describe();
    }

    std::string Frames()
    {
        RdmaLine line({});
        line.a->SetAttribute("FrameQueueLimit", UintegerValue(3000));
        std::ostringstream out;
        uint32_t got = 0;
        line.b->SetFrameCallback(
            RdmaNic::FrameCallback([&](Ptr<Packet> frame, uint32_t src, FabricPs at) {
                ++got;
                NS_TEST_EXPECT_MSG_EQ(at, FabricTime::Now(), "at its arrival");
                out << frame->GetSize() << '@' << at << " from " << src << ' ';
            }));
        auto [qa, qb] = line.Pair();
        qa->PostSend(line.Write(1, 50'000));
        uint32_t taken = 0;
        for (int i = 0; i < 5; ++i)
        {
            taken += line.a->SendFrame(Create<Packet>(996), i == 0 ? FABRIC_BROADCAST : 1, 0);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(taken, 3, "three frames of 1000 bytes fit");
        NS_TEST_EXPECT_MSG_EQ(line.a->GetFramesRefused(), 2, "two were refused");
        NS_TEST_EXPECT_MSG_EQ(got, 3, "received");
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "beside RDMA");
        return out.str() + line.Describe();
    }

    void DoRun() override
    {
        for (FabricPs at = 0; at < 12 * US; at += 333'333)
        {
            Stop(at);
        }
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return LinkDown(); }), "", "link down");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return LinkFlap(); }), "", "link flap");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Destroy(); }), "", "destroy");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Frames(); }), "", "frames");
    }
};

/** @brief The suite. */
class AiFabricRdmaScaleTestSuite : public TestSuite
{
  public:
    AiFabricRdmaScaleTestSuite()
        : TestSuite("ai-fabric-rdma-scale", Type::UNIT)
    {
        AddTestCase(new SteadyHeapTestCase);
        AddTestCase(new MemoryTestCase);
        AddTestCase(new FlowApplicationTestCase);
        AddTestCase(new MidFlightTestCase);
    }

  private:
    void DoSetup() override
    {
        RdmaLine::UsePicoseconds();
    }
};

AiFabricRdmaScaleTestSuite g_aiFabricRdmaScaleTestSuite; //!< the instance

} // namespace
