/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-line.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/frame-profile.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <set>

using namespace ns3;

namespace
{

using St = VerbsWcStatus;

constexpr FabricPs US = 1'000'000;

/** @brief A line with a relay and a retry timer of 100 us. */
RdmaLine::Options
Relayed(double errorRate = 0)
{
    RdmaLine::Options options;
    options.relay = true;
    options.mtu = 1000;
    options.errorRate = errorRate;
    return options;
}

void
SetTimeout(RdmaLine& line, FabricPs timeout)
{
    line.a->SetAttribute("RetryTimeout", TimeValue(PicoSeconds(timeout)));
    line.b->SetAttribute("RetryTimeout", TimeValue(PicoSeconds(timeout)));
}

bool
IsData(const FabricPacket& p)
{
    return BthTraits::IsRequest(p.opcode) || BthTraits::IsReadResponse(p.opcode);
}

/** @brief fault 7: whatever is lost, the flow ends, and in the time it should. */
class TailLossTestCase : public TestCase
{
  public:
    TailLossTestCase()
        : TestCase("lost tail, lost NAK, lost everything (fault 7)")
    {
    }

  private:
    /**
     * @param drop which transmissions are lost: {opcode class, PSN}, once each
     * @param timeouts expected
     * @return completion time
     */
    FabricPs Run(std::set<std::pair<bool, uint32_t>> drop, uint64_t timeouts, uint64_t naks)
    {
        FabricPs end = 0;
        const auto scenario = [&]() {
            RdmaLine line(Relayed());
            SetTimeout(line, 100 * US);
            auto left = drop;
            line.relay->script = [&left](FabricPacket& p) {
                return left.erase({IsData(p), p.psn}) > 0;
            };
            auto [qa, qb] = line.Pair();
            qa->PostSend(line.Write(1, 100 * 1000));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "completes");
            NS_TEST_EXPECT_MSG_EQ((line.doneA.at(0).status == St::SUCCESS), true, "well");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().timeouts, timeouts, "timeouts");
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().naksTx, naks, "one NAK a gap");
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().delivered, 100000, "every byte once");
            end = line.doneA[0].at;
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
        return end;
    }

    void DoRun() override
    {
        const FabricPs idle = Run({}, 0, 0);
        const FabricPs rtt = 5 * US; // four links of 1 us and four frames
        const FabricPs tail = Run({{true, 99}}, 1, 0);
        NS_TEST_EXPECT_MSG_EQ_TOL(tail, idle + 100 * US, rtt, "last packet lost: idle + RTO");
        const FabricPs middle = Run({{true, 49}}, 0, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(middle, idle, 2 * rtt, "one lost: a round trip more");
        const FabricPs both = Run({{true, 49}, {false, 49}}, 1, 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(both,
                                  idle + 100 * US,
                                  10 * US,
                                  "packet and NAK lost: from there again after the RTO");
        Run({{true, 0}}, 0, 1);
        Run({{false, 99}}, 1, 0);
        Exhausted();
    }

    void Exhausted()
    {
        const auto scenario = [&]() {
            RdmaLine line(Relayed());
            SetTimeout(line, 100 * US);
            line.relay->script = [](FabricPacket&) { return true; };
            VerbsQpAttributes attributes;
            attributes.retryCount = 3;
            auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
            qa->PostSend(line.Write(1, 5000));
            qa->PostSend(line.Write(2, 5000));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 2, "both complete");
            NS_TEST_EXPECT_MSG_EQ((line.doneA.at(0).status == St::RETRY_EXC_ERR), true, "first");
            NS_TEST_EXPECT_MSG_EQ((line.doneA.at(1).status == St::WR_FLUSH_ERR), true, "second");
            NS_TEST_EXPECT_MSG_EQ(line.doneA[0].at, 400 * US, "one try and three retries");
            NS_TEST_EXPECT_MSG_EQ(line.late, 0, "told at that time");
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
    }
};

/** @brief Random loss in both directions, all verbs mixed. */
class RandomLossTestCase : public TestCase
{
  public:
    RandomLossTestCase()
        : TestCase("random loss of 0.1 and 1 percent: everything completes once, in order")
    {
    }

  private:
    std::string Scenario(double errorRate, uint32_t ackInterval)
    {
        RdmaLine line(Relayed(errorRate));
        SetTimeout(line, 200 * US);
        line.b->SetAttribute("AckInterval", UintegerValue(ackInterval));
        uint64_t expected = 0;
        for (int q = 0; q < 4; ++q)
        {
            VerbsQpAttributes attributes;
            attributes.sqPsn = 0xffff00; // wraps soon
            auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
            for (uint64_t i = 0; i < 60; ++i)
            {
                qb->PostRecv({i, 0, 0, 100000});
                const VerbsOpcode kinds[] = {VerbsOpcode::RDMA_WRITE,
                                             VerbsOpcode::SEND,
                                             VerbsOpcode::RDMA_READ,
                                             VerbsOpcode::RDMA_WRITE_WITH_IMM,
                                             VerbsOpcode::ATOMIC_FETCH_AND_ADD};
                WorkRequest wr = line.Request(q * 1000 + i, kinds[i % 5], 777 * i);
                wr.compareAdd = 1;
                wr.remoteAddr = 8;
                expected += i % 5 == 4 ? 1 : 0;
                qa->PostSend(wr);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 240, "all complete");
        uint64_t next[4] = {0, 0, 0, 0};
        for (const auto& wc : line.doneA)
        {
            NS_TEST_EXPECT_MSG_EQ((wc.status == St::SUCCESS), true, wc.wrId);
            NS_TEST_EXPECT_MSG_EQ(wc.wrId % 1000, next[wc.wrId / 1000]++, "in post order");
        }
        NS_TEST_EXPECT_MSG_EQ(line.b->GetDefaultRegion()->ReadWord(8),
                              expected,
                              "atomics are done once, however often they are asked for");
        NS_TEST_EXPECT_MSG_EQ(line.late, 0, "callbacks in time");
        NS_TEST_EXPECT_MSG_GT(line.a->GetCounters().retransmits, 0, "something was lost");
        return line.Describe();
    }

    void DoRun() override
    {
        for (const double rate : {0.001, 0.01})
        {
            for (const uint32_t interval : {1, 8})
            {
                NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([&]() { return Scenario(rate, interval); }),
                                      "",
                                      "rate " << rate << ", ACK interval " << interval);
            }
        }
    }
};

/** @brief fault 20: one ACK completes all it covers. */
class CoalescedAckTestCase : public TestCase
{
  public:
    CoalescedAckTestCase()
        : TestCase("ten WRITEs, only the last acknowledged: ten completions (fault 20)")
    {
    }

  private:
    void DoRun() override
    {
        const auto scenario = [&]() {
            RdmaLine line(Relayed());
            SetTimeout(line, 100 * US);
            line.relay->script = [](FabricPacket& p) {
                return p.opcode == BTH_RC_ACK && p.psn != 49;
            };
            auto [qa, qb] = line.Pair();
            for (uint64_t i = 0; i < 10; ++i)
            {
                qa->PostSend(line.Write(i, 4096));
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 10, "one each");
            for (uint64_t i = 0; i < line.doneA.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(line.doneA[i].wrId, i, "in post order");
                NS_TEST_EXPECT_MSG_EQ(line.doneA[i].at, line.doneA[0].at, "by the same ACK");
            }
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().timeouts, 0, "no timer went off");
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
    }
};

/** @brief fault 21: receiver not ready. */
class RnrTestCase : public TestCase
{
  public:
    RnrTestCase()
        : TestCase("receiver not ready: retry at exactly the timer, counted, limited (fault 21)")
    {
    }

  private:
    void Check(uint8_t code, VerbsOpcode opcode)
    {
        const auto scenario = [&]() {
            RdmaLine line({});
            line.Record();
            VerbsQpAttributes attributes;
            attributes.minRnrTimer = code;
            auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
            qa->PostSend(line.Request(1, opcode, 100));
            qa->PostSend(line.Write(2, 100)); // waits its turn behind the refused one
            Simulator::Schedule(MicroSeconds(100), [qb = qb]() { qb->PostRecv({9, 0, 0, 100}); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 2, "both complete");
            NS_TEST_EXPECT_MSG_EQ(line.doneB.size(), 1, "received once");
            std::vector<FabricPs> tries;
            std::vector<FabricPs> refusals;
            for (const auto& [at, p] : line.sentA)
            {
                if (p.psn == 0 && IsData(p))
                {
                    tries.push_back(at);
                }
            }
            for (const auto& [at, p] : line.sentB)
            {
                if ((p.syndrome & 0x60) == 0x20)
                {
                    refusals.push_back(at + FabricRate(100'000'000'000).TxTime(86) + US);
                }
            }
            NS_TEST_EXPECT_MSG_EQ(tries.size(), refusals.size() + 1, "each refusal, one retry");
            for (size_t i = 0; i < refusals.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(tries[i + 1], refusals[i] + VerbsRnrTimer(code), "on time");
            }
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().rnrTx, refusals.size(), "counted there");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().rnrRx, refusals.size(), "and here");
            NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().naksTx, 0, "no sequence NAK for what followed");
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "code " << +code);
    }

    void DoRun() override
    {
        for (const uint8_t code : {0, 1, 5, 12})
        {
            Check(code, VerbsOpcode::SEND);
            Check(code, VerbsOpcode::RDMA_WRITE_WITH_IMM);
        }
        RdmaLine line({});
        VerbsQpAttributes attributes;
        attributes.minRnrTimer = 1;
        attributes.rnrRetry = 2;
        auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
        qa->PostSend(line.Request(1, VerbsOpcode::SEND, 100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((line.doneA.at(0).status == St::RNR_RETRY_EXC_ERR), true, "limit");
        NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().rnrRx, 3, "one try and two retries");
    }
};

/** @brief Losses on the way back: READ responses and atomic ACKs. */
class ResponseLossTestCase : public TestCase
{
  public:
    ResponseLossTestCase()
        : TestCase("lost READ responses and atomic ACKs: asked for again, done once")
    {
    }

  private:
    void Check(uint8_t opcode, uint32_t psn, uint64_t timeouts)
    {
        const auto scenario = [&]() {
            RdmaLine line(Relayed());
            SetTimeout(line, 100 * US);
            bool lost = false;
            line.relay->script = [&](FabricPacket& p) {
                const bool hit = !lost && p.opcode == opcode && p.psn == psn;
                lost = lost || hit;
                return hit;
            };
            auto [qa, qb] = line.Pair();
            qa->PostSend(line.Request(1, VerbsOpcode::RDMA_READ, 10000));            // PSN 0 to 9
            WorkRequest add = line.Request(2, VerbsOpcode::ATOMIC_FETCH_AND_ADD, 8); // 10
            add.compareAdd = 3;
            qa->PostSend(add);
            qa->PostSend(line.Request(3, VerbsOpcode::RDMA_READ, 3000)); // 11 to 13
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(lost, true, "the script found its packet");
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 3, "all complete");
            NS_TEST_EXPECT_MSG_EQ(line.doneA.at(1).atomicValue, 0, "first value");
            NS_TEST_EXPECT_MSG_EQ(line.b->GetDefaultRegion()->ReadWord(0), 3, "added once");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().delivered, 13000, "every byte once");
            NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().timeouts, timeouts, "timeouts");
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", +opcode << " " << psn);
    }

    void DoRun() override
    {
        Check(BTH_RC_READ_RESPONSE_FIRST, 0, 0);
        Check(BTH_RC_READ_RESPONSE_MIDDLE, 5, 0);
        Check(BTH_RC_READ_RESPONSE_LAST, 9, 0);
        Check(BTH_RC_ATOMIC_ACK, 10, 0);
        Check(BTH_RC_READ_RESPONSE_LAST, 13, 1); // nothing behind it tells
        Check(BTH_RC_READ_REQUEST, 0, 0);
        Check(BTH_RC_FETCH_ADD, 10, 0);
    }
};

/** @brief B10: go-back-0 never finishes a long message, go-back-N hardly notices. */
class GoBackZeroTestCase : public TestCase
{
  public:
    GoBackZeroTestCase()
        : TestCase("B10: 4 MB messages, every 256th packet lost")
    {
    }

  private:
    /** @brief Share of the line that messages delivered whole made up, after 10 ms. */
    double Run(bool zero)
    {
        Config::SetDefault("ns3::GoBackNRecovery::GoBackZero", BooleanValue(zero));
        double share = 0;
        const auto scenario = [&]() {
            RdmaLine::Options options = Relayed();
            options.rateBps = 40'000'000'000;
            options.delay = 100'000;
            RdmaLine line(options);
            uint64_t count = 0;
            line.relay->script = [&count](FabricPacket& p) {
                return IsData(p) && ++count % 256 == 0;
            };
            auto [qa, qb] = line.Pair();
            for (uint64_t i = 0; i < 20; ++i)
            {
                qa->PostSend(line.Write(i, 4'000'000));
            }
            Simulator::Stop(MilliSeconds(10));
            Simulator::Run();
            line.b->CatchUp();
            const double bits = 8.0 * 4e6 * static_cast<double>(qb->GetCounters().messagesIn);
            share = bits / static_cast<double>(qb->GetLastMessageAt()) * 1e12 / 40e9;
            NS_TEST_EXPECT_MSG_EQ(line.doneA.empty(), zero, "completions");
            if (zero)
            {
                NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().messagesIn, 0, "goodput exactly 0");
                NS_TEST_EXPECT_MSG_GT(qa->GetCounters().txPackets, 40000, "busy all the time");
            }
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", "oracle");
        Config::SetDefault("ns3::GoBackNRecovery::GoBackZero", BooleanValue(false));
        return share;
    }

    void DoRun() override
    {
        Run(true);
        const double clean = 1000.0 / 1082;
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(false), clean, clean * 0.05, "go-back-N is near the line");
    }
};

/** @brief fault 17: sizes past 4 GB, PSNs past 2^24. */
class LongFlowTestCase : public TestCase
{
  public:
    LongFlowTestCase()
        : TestCase("a flow of 4294967297 bytes is delivered whole (fault 17)")
    {
    }

  private:
    void DoRun() override
    {
        RdmaLine::Options options;
        options.rateBps = 400'000'000'000;
        options.profile = "plain48";
        RdmaLine line(options);
        line.b->SetAttribute("AckInterval", UintegerValue(64));
        auto app = CreateObject<RdmaFlowApplication>();
        app->SetAttribute("Mtu", UintegerValue(9000));
        RdmaFlow flow;
        flow.src = line.a;
        flow.dst = line.b;
        flow.bytes = 4'294'967'297;
        app->AddFlow(flow);
        app->Initialize();
        Simulator::Run();
        const RdmaFlowResult r = app->GetResult(0);
        NS_TEST_EXPECT_MSG_EQ((r.status == RdmaFlowResult::Status::FINISHED), true, "finished");
        NS_TEST_EXPECT_MSG_EQ(line.b->GetCounters().delivered, flow.bytes, "every byte");
        // two work requests of 2 GiB (238,610 packets each) and one of a byte
        const uint64_t packets = 2 * 238'610 + 1;
        NS_TEST_EXPECT_MSG_EQ(line.b->GetCounters().rxPackets, packets, "packets");
        const FabricPs wire = FabricRate(400'000'000'000).TxTime(flow.bytes + packets * 48);
        NS_TEST_EXPECT_MSG_EQ(r.rxAt, wire + US, "closed form");
        app->Dispose();
    }
};

/** @brief The suite. */
class AiFabricRdmaLossTestSuite : public TestSuite
{
  public:
    AiFabricRdmaLossTestSuite()
        : TestSuite("ai-fabric-rdma-loss", Type::UNIT)
    {
        AddTestCase(new TailLossTestCase);
        AddTestCase(new RandomLossTestCase);
        AddTestCase(new CoalescedAckTestCase);
        AddTestCase(new RnrTestCase);
        AddTestCase(new ResponseLossTestCase);
        AddTestCase(new GoBackZeroTestCase);
        AddTestCase(new LongFlowTestCase);
    }

  private:
    void DoSetup() override
    {
        RdmaLine::UsePicoseconds();
    }
};

AiFabricRdmaLossTestSuite g_aiFabricRdmaLossTestSuite; //!< the instance

} // namespace
