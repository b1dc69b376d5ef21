/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-line.h"

#include "ns3/fabric-error.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace
{

using Op = VerbsOpcode;
using St = VerbsWcStatus;
using S = VerbsQpState;

/** @brief Post to a list of completions what it should hold: {wrId, status}. */
using Expected = std::vector<std::pair<uint64_t, St>>;

std::string
Compare(const std::vector<WorkCompletion>& done, const Expected& expected)
{
    std::string got;
    bool equal = done.size() == expected.size();
    for (size_t i = 0; i < done.size(); ++i)
    {
        got += std::to_string(done[i].wrId) + ":" + VerbsStatusName(done[i].status) + " ";
        equal = equal && done[i].wrId == expected[i].first && done[i].status == expected[i].second;
    }
    return equal ? "" : "got " + got;
}

/** @brief Transitions through Modify() and what may be posted in each state. */
class StateTestCase : public TestCase
{
  public:
    StateTestCase()
        : TestCase("queue pair states: transitions, posting rules, flush, drain")
    {
    }

  private:
    void DoRun() override
    {
        RdmaLine line({});
        VerbsQpInit init;
        init.pd = line.a->GetDefaultDomain();
        init.sendCq = init.recvCq = line.cqA;
        auto qp = line.a->CreateQueuePair(init);
        const ReceiveRequest rr{7, 0, 0, 100};
        NS_TEST_EXPECT_MSG_EQ((qp->PostRecv(rr) == VerbsResult::INVALID_STATE), true, "RESET");
        NS_TEST_EXPECT_MSG_EQ((qp->Modify(S::RTR) == VerbsResult::INVALID_STATE), true, "skip");
        NS_TEST_EXPECT_MSG_EQ((qp->Modify(S::INIT) == VerbsResult::OK), true, "INIT");
        NS_TEST_EXPECT_MSG_EQ((qp->PostRecv(rr) == VerbsResult::OK), true, "recv in INIT");
        NS_TEST_EXPECT_MSG_EQ((qp->PostSend(line.Write(1, 1)) == VerbsResult::INVALID_STATE),
                              true,
                              "send in INIT");
        VerbsQpAttributes bad;
        bad.minRnrTimer = 32;
        NS_TEST_EXPECT_MSG_EQ((qp->Modify(S::RTR, bad) == VerbsResult::INVALID_ARGUMENT),
                              true,
                              "RNR code 32");
        NS_TEST_EXPECT_MSG_EQ((qp->GetState() == S::INIT), true, "still INIT");
        qp->Modify(S::ERR);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneA, {{7, St::WR_FLUSH_ERR}}), "", "flush in ERR");
        qp->PostRecv({8, 0, 0, 100});
        NS_TEST_EXPECT_MSG_EQ((qp->PostSend(line.Write(9, 1)) == VerbsResult::OK), true, "ERR");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(
            Compare(line.doneA,
                    {{7, St::WR_FLUSH_ERR}, {8, St::WR_FLUSH_ERR}, {9, St::WR_FLUSH_ERR}}),
            "",
            "posted in ERR");
        NS_TEST_EXPECT_MSG_EQ((qp->Modify(S::RESET) == VerbsResult::OK), true, "back to RESET");
        Drain();
        Refusals();
    }

    void Drain()
    {
        RdmaLine line({});
        auto [qa, qb] = line.Pair();
        qa->PostSend(line.Write(1, 10000));
        Simulator::Schedule(NanoSeconds(100), [&line, qa = qa]() {
            qa->Modify(S::SQD); // the first is begun and goes on, the second waits
            qa->PostSend(line.Write(2, 10000));
        });
        Simulator::Schedule(MicroSeconds(20), [this, &line, qa = qa]() {
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 1, "begun request completes in SQD");
            NS_TEST_EXPECT_MSG_EQ(qa->IsSendDrained(), true, "drained");
            qa->Modify(S::RTS);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneA, {{1, St::SUCCESS}, {2, St::SUCCESS}}), "", "SQD");
        NS_TEST_EXPECT_MSG_GT(line.doneA[1].at, 20'000'000, "second waited for RTS");
    }

    void Refusals()
    {
        RdmaLine line({});
        auto [qa, qb] =
            line.Pair(VerbsQpType::RC, {}, [](VerbsQpInit& init, int) { init.maxSend = 2; });
        NS_TEST_EXPECT_MSG_EQ(
            (qa->PostSend(line.Write(1, (1ULL << 31) + 1)) == VerbsResult::TOO_LONG),
            true,
            "longer than 2 GiB");
        NS_TEST_EXPECT_MSG_EQ((qa->PostSend(line.Write(1, 0)) == VerbsResult::OK), true, "0");
        qa->PostSend(line.Write(2, 0));
        NS_TEST_EXPECT_MSG_EQ((qa->PostSend(line.Write(3, 0)) == VerbsResult::QUEUE_FULL),
                              true,
                              "full");
        auto [ua, ub] = line.Pair(VerbsQpType::UC);
        NS_TEST_EXPECT_MSG_EQ(
            (ua->PostSend(line.Request(1, Op::RDMA_READ, 8)) == VerbsResult::INVALID_OPCODE),
            true,
            "READ on UC");
        auto [da, db] = line.Pair(VerbsQpType::UD);
        NS_TEST_EXPECT_MSG_EQ((da->PostSend(line.Write(1, 8)) == VerbsResult::INVALID_OPCODE),
                              true,
                              "WRITE on UD");
        NS_TEST_EXPECT_MSG_EQ(
            (da->PostSend(line.Request(1, Op::SEND, 1025)) == VerbsResult::TOO_LONG),
            true,
            "datagram over one MTU");
        bool thrown = false;
        try
        {
            line.a->CreateQueuePair(VerbsQpInit());
        }
        catch (const FabricError&)
        {
            thrown = true;
        }
        NS_TEST_EXPECT_MSG_EQ(thrown, true, "a queue pair needs a domain");
        Simulator::Run();
    }
};

/** @brief Every opcode with its completion on both sides, lazily and eagerly. */
class OpcodeTestCase : public TestCase
{
  public:
    OpcodeTestCase()
        : TestCase("SEND, WRITE, READ, CAS, FETCH_ADD with and without immediate data")
    {
    }

  private:
    std::string Scenario()
    {
        RdmaLine line({});
        auto [qa, qb] = line.Pair();
        for (uint64_t i = 0; i < 4; ++i)
        {
            qb->PostRecv({100 + i, 0, 0, 5000});
        }
        auto post = [&, qa = qa](uint64_t id,
                                 Op op,
                                 uint64_t bytes,
                                 uint8_t flags = VERBS_SEND_SIGNALED) {
            WorkRequest wr = line.Request(id, op, bytes);
            wr.immData = 0xabcd0000 + static_cast<uint32_t>(id);
            wr.flags = flags;
            wr.remoteAddr = 4096;
            return qa->PostSend(wr);
        };
        post(1, Op::SEND, 3000);
        post(2, Op::SEND_WITH_IMM, 0);
        post(3, Op::RDMA_WRITE, 5000);
        post(4, Op::RDMA_WRITE_WITH_IMM, 1);
        post(5, Op::RDMA_READ, 3500);
        post(6, Op::RDMA_WRITE, 10, 0); // not signalled
        WorkRequest add = line.Request(7, Op::ATOMIC_FETCH_AND_ADD, 0);
        add.remoteAddr = 4096;
        add.compareAdd = 5;
        qa->PostSend(add);
        WorkRequest cas = line.Request(8, Op::ATOMIC_CMP_AND_SWP, 0);
        cas.remoteAddr = 4096;
        cas.compareAdd = 5;
        cas.swap = 77;
        qa->PostSend(cas);
        cas.wrId = 9; // compares with 5 again, finds 77
        qa->PostSend(cas);
        post(10, Op::RDMA_READ, 0);
        post(11, Op::RDMA_WRITE_WITH_IMM, 2000, VERBS_SEND_SIGNALED | VERBS_SEND_FENCE);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.late, 0, "callbacks run at the completion's time");
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneA,
                                      {{1, St::SUCCESS},
                                       {2, St::SUCCESS},
                                       {3, St::SUCCESS},
                                       {4, St::SUCCESS},
                                       {5, St::SUCCESS},
                                       {7, St::SUCCESS},
                                       {8, St::SUCCESS},
                                       {9, St::SUCCESS},
                                       {10, St::SUCCESS},
                                       {11, St::SUCCESS}}),
                              "",
                              "completions in post order, unsignalled ones silent");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[5].atomicValue, 0, "memory starts as 0");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[6].atomicValue, 5, "after the add");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[7].atomicValue, 77, "after the swap");
        NS_TEST_EXPECT_MSG_EQ((line.doneA[6].opcode == VerbsWcOpcode::COMP_SWAP), true, "opcode");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[4].byteLen, 3500, "READ length");
        NS_TEST_EXPECT_MSG_EQ(line.doneB.size(), 4, "two SENDs, two immediates");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[0].byteLen, 3000, "SEND length");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[0].withImm, false, "no immediate");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[1].immData, 0xabcd0002, "immediate of SEND");
        NS_TEST_EXPECT_MSG_EQ((line.doneB[2].opcode == VerbsWcOpcode::RECV_RDMA_WITH_IMM),
                              true,
                              "WRITE with immediate takes a receive request");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[3].wrId, 103, "receive requests in order");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[3].byteLen, 2000, "WRITE length");
        NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().delivered, 3000 + 5000 + 1 + 10 + 2000, "bytes in");
        return line.Describe();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Scenario(); }), "", "oracle");
    }
};

/** @brief Wrong requests get the status of the verbs API; everything behind is flushed in order. */
class ErrorTestCase : public TestCase
{
  public:
    ErrorTestCase()
        : TestCase("error statuses: access, length, protection, flush order, overrun")
    {
    }

  private:
    /** @brief Post one bad request between a good one and one to be flushed. */
    void Check(const char* what,
               const std::function<void(RdmaLine&, WorkRequest&)>& spoil,
               St status)
    {
        const auto scenario = [&]() {
            RdmaLine line({});
            auto [qa, qb] = line.Pair();
            qb->PostRecv({50, 0, 0, 10});
            qb->PostRecv({51, 0, 0, 10});
            WorkRequest bad = line.Write(2, 4000);
            spoil(line, bad);
            qa->PostSend(line.Write(1, 3000));
            qa->PostSend(bad);
            WorkRequest last = line.Write(3, 3000);
            last.flags = 0; // errors complete unsignalled requests too
            qa->PostSend(last);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(
                Compare(line.doneA, {{1, St::SUCCESS}, {2, status}, {3, St::WR_FLUSH_ERR}}),
                "",
                what);
            NS_TEST_EXPECT_MSG_EQ((qa->GetState() == S::ERR), true, what);
            NS_TEST_EXPECT_MSG_EQ(line.late, 0, what);
            return line.Describe();
        };
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", what);
    }

    void DoRun() override
    {
        Check(
            "unknown key",
            [](RdmaLine&, WorkRequest& wr) { wr.rkey = 0x9999; },
            St::REM_ACCESS_ERR);
        const auto limited = [](uint8_t access) {
            return [access](RdmaLine& line, WorkRequest& wr) {
                wr.rkey =
                    line.b->RegisterMemory(line.b->GetDefaultDomain(), 0, 3999, access)->GetRkey();
            };
        };
        Check("out of bounds", limited(VERBS_ACCESS_REMOTE_WRITE), St::REM_ACCESS_ERR);
        Check("no write right", limited(VERBS_ACCESS_REMOTE_READ), St::REM_ACCESS_ERR);
        Check(
            "other domain",
            [](RdmaLine& line, WorkRequest& wr) {
                wr.rkey = line.b->RegisterMemory(line.b->CreateProtectionDomain(), 0, 9999, 15)
                              ->GetRkey();
            },
            St::REM_ACCESS_ERR);
        Check(
            "deregistered",
            [](RdmaLine& line, WorkRequest& wr) {
                auto mr = line.b->RegisterMemory(line.b->GetDefaultDomain(), 0, 9999, 15);
                wr.rkey = mr->GetRkey();
                line.b->DeregisterMemory(mr);
            },
            St::REM_ACCESS_ERR);
        Check(
            "READ without right",
            [&](RdmaLine& line, WorkRequest& wr) {
                limited(VERBS_ACCESS_REMOTE_WRITE)(line, wr);
                wr.opcode = Op::RDMA_READ;
                wr.length = 10;
            },
            St::REM_ACCESS_ERR);
        Check(
            "atomic without right",
            [&](RdmaLine& line, WorkRequest& wr) {
                limited(VERBS_ACCESS_REMOTE_WRITE)(line, wr);
                wr.opcode = Op::ATOMIC_FETCH_AND_ADD;
            },
            St::REM_ACCESS_ERR);
        Check(
            "atomic off its alignment",
            [](RdmaLine&, WorkRequest& wr) {
                wr.opcode = Op::ATOMIC_CMP_AND_SWP;
                wr.remoteAddr = 12;
            },
            St::REM_INV_REQ_ERR);
        Check(
            "SEND longer than the receive buffer",
            [](RdmaLine&, WorkRequest& wr) { wr.opcode = Op::SEND; },
            St::REM_INV_REQ_ERR);
        Check(
            "local key unknown",
            [](RdmaLine&, WorkRequest& wr) { wr.lkey = 0x9999; },
            St::LOC_PROT_ERR);
        Responder();
        Overrun();
    }

    void Responder()
    {
        RdmaLine line({});
        auto [qa, qb] = line.Pair();
        qb->PostRecv({50, 0, 0, 10});
        qb->PostRecv({51, 0, 0, 10});
        qa->PostSend(line.Request(1, Op::SEND, 11));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneB, {{50, St::LOC_LEN_ERR}, {51, St::WR_FLUSH_ERR}}),
                              "",
                              "the receiver is told too, and flushed");
        NS_TEST_EXPECT_MSG_EQ((qb->GetState() == S::ERR), true, "receiver in ERR");
    }

    void Overrun()
    {
        RdmaLine line({});
        auto cq = line.a->CreateCompletionQueue(2);
        auto [qa, qb] = line.Pair(VerbsQpType::RC, {}, [&](VerbsQpInit& init, int side) {
            init.sendCq = side == 0 ? cq : nullptr;
        });
        for (uint64_t i = 0; i < 3; ++i)
        {
            qa->PostSend(line.Write(i, 1));
        }
        Simulator::Run();
        WorkCompletion wc[4];
        NS_TEST_EXPECT_MSG_EQ(cq->Poll(wc, 4), 2, "what fitted can be read");
        NS_TEST_EXPECT_MSG_EQ(cq->HasOverrun(), true, "overrun");
        NS_TEST_EXPECT_MSG_EQ(cq->Poll(wc, 4), -1, "then the error");
        NS_TEST_EXPECT_MSG_EQ((qa->GetState() == S::ERR), true, "queue pair in ERR");
    }
};

/** @brief Unreliable services: loss is silent; keys, limits and shared receive queues hold. */
class UnreliableTestCase : public TestCase
{
  public:
    UnreliableTestCase()
        : TestCase("UC and UD: silent loss, qkey, shared receive queue")
    {
    }

  private:
    std::string Connected()
    {
        RdmaLine::Options options;
        options.relay = true;
        RdmaLine line(options);
        auto [qa, qb] = line.Pair(VerbsQpType::UC);
        for (uint64_t i = 0; i < 3; ++i)
        {
            qb->PostRecv({100 + i, 0, 0, 5000});
        }
        line.relay->script = [](FabricPacket& p) { return p.psn == 4; }; // 2nd of message 2
        for (uint64_t i = 1; i <= 3; ++i)
        {
            qa->PostSend(line.Request(i, Op::SEND, 3000));
        }
        qa->PostSend(line.Write(4, 3000));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 4, "the sender sees success");
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneB, {{100, St::SUCCESS}, {101, St::SUCCESS}}),
                              "",
                              "message 2 is gone and its receive request serves message 3");
        NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().delivered, 9000, "two SENDs and the WRITE");
        NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().acksTx, 0, "nobody acknowledges");
        return line.Describe();
    }

    std::string Datagrams()
    {
        RdmaLine line({});
        VerbsQpAttributes attributes;
        attributes.qkey = 42;
        auto pd = line.b->GetDefaultDomain();
        auto srq = line.b->CreateSharedReceiveQueue(pd, 2);
        auto [qa, qb] = line.Pair(VerbsQpType::UD, attributes, [&](VerbsQpInit& init, int side) {
            init.srq = side == 1 ? srq : nullptr;
        });
        srq->PostRecv({100, 0, 0, 2000});
        srq->PostRecv({101, 0, 0, 2000});
        NS_TEST_EXPECT_MSG_EQ((srq->PostRecv({1, 0, 0, 1}) == VerbsResult::QUEUE_FULL), true, "2");
        WorkRequest wr = line.Request(1, Op::SEND_WITH_IMM, 1024);
        wr.remoteEndpoint = 1;
        wr.remoteQpn = qb->GetQpn();
        wr.remoteQkey = 41; // wrong
        qa->PostSend(wr);
        wr.remoteQkey = 42;
        for (uint64_t i = 2; i < 5; ++i)
        {
            wr.wrId = i;
            qa->PostSend(wr); // the third finds no receive request
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 4, "the sender sees success");
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneB, {{100, St::SUCCESS}, {101, St::SUCCESS}}),
                              "",
                              "right key and a receive request");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[0].srcQp, qa->GetQpn(), "source queue pair");
        NS_TEST_EXPECT_MSG_EQ(line.doneB[0].srcEndpoint, 0, "source endpoint");
        NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().discarded, 2, "two dropped");
        return line.Describe();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Connected(); }), "", "UC");
        NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([this]() { return Datagrams(); }), "", "UD");
    }
};

/** @brief READ limits, fences, several in flight, and shared receive queues on RC. */
class ReadOrderTestCase : public TestCase
{
  public:
    ReadOrderTestCase()
        : TestCase("READ: limit of outstanding ones, fence, order against WRITE")
    {
    }

  private:
    std::string Scenario(uint8_t limit, bool fence)
    {
        RdmaLine line({});
        line.Record();
        VerbsQpAttributes attributes;
        attributes.maxRdAtomic = limit;
        auto [qa, qb] = line.Pair(VerbsQpType::RC, attributes);
        for (uint64_t i = 0; i < 6; ++i)
        {
            qa->PostSend(line.Request(i, Op::RDMA_READ, 20000));
        }
        WorkRequest wr = line.Write(6, 100);
        wr.flags |= fence ? VERBS_SEND_FENCE : 0;
        qa->PostSend(wr);
        Simulator::Run();
        Expected all;
        for (uint64_t i = 0; i < 7; ++i)
        {
            all.emplace_back(i, St::SUCCESS);
        }
        NS_TEST_EXPECT_MSG_EQ(Compare(line.doneA, all), "", "in post order");
        FabricPs writeSent = 0;
        uint32_t outstanding = 0;
        uint32_t most = 0;
        for (const auto& [at, p] : line.sentA)
        {
            writeSent = p.opcode == BTH_RC_WRITE_ONLY ? at : writeSent;
            if (p.opcode == BTH_RC_READ_REQUEST)
            {
                uint32_t done = 0;
                for (const auto& wc : line.doneA)
                {
                    done += wc.at <= at ? 1 : 0;
                }
                most = std::max(most, ++outstanding - done);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(most, std::min<uint32_t>(limit, 6), "READs outstanding");
        NS_TEST_EXPECT_MSG_EQ((writeSent >= line.doneA[5].at),
                              fence,
                              "a fence waits for the READs");
        return line.Describe();
    }

    void DoRun() override
    {
        for (const uint8_t limit : {1, 3, 16})
        {
            for (const bool fence : {false, true})
            {
                if (limit < 6 && !fence)
                {
                    continue; // the WRITE waits behind READs anyway
                }
                NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager([&]() { return Scenario(limit, fence); }),
                                      "",
                                      "limit " << +limit << " fence " << fence);
            }
        }
    }
};

/** @brief The suite. */
class AiFabricVerbsTestSuite : public TestSuite
{
  public:
    AiFabricVerbsTestSuite()
        : TestSuite("ai-fabric-verbs", Type::UNIT)
    {
        AddTestCase(new StateTestCase);
        AddTestCase(new OpcodeTestCase);
        AddTestCase(new ErrorTestCase);
        AddTestCase(new UnreliableTestCase);
        AddTestCase(new ReadOrderTestCase);
    }

  private:
    void DoSetup() override
    {
        RdmaLine::UsePicoseconds();
    }
};

AiFabricVerbsTestSuite g_aiFabricVerbsTestSuite; //!< the instance

} // namespace
