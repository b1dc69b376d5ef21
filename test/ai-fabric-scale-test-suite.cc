/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Sizes that broke others: many ports, hosts, flows, queue pairs (faults 8, 10, 11, 22, 23,
 * 41).
 */

#include "fabric-scenario.h"
#include "heap-count.h"

#include "ns3/dumbbell-builder.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; //!< bits per second in a Gb/s
constexpr FabricPs US = 1'000'000;       //!< ps

/** @return resident memory of the process, bytes; 0 where /proc does not tell */
uint64_t
ResidentBytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
    {
        if (line.rfind("VmRSS:", 0) == 0)
        {
            return std::stoull(line.substr(6)) * 1024;
        }
    }
    return 0;
}

/** @brief fault 8. */
class ChainTestCase : public TestCase
{
  public:
    ChainTestCase()
        : TestCase("fault 8: ACKs and CNPs cross five switches")
    {
    }

  private:
    void DoRun() override
    {
        // two hosts at the near end, one at each other switch; the last link is the bottleneck of
        // the near end's two senders
        FabricTopology t;
        for (uint32_t i = 0; i < 6; ++i)
        {
            t.AddHost();
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            t.AddSwitch();
        }
        for (uint32_t i = 0; i < 6; ++i)
        {
            t.AddLink(i, i < 2 ? 6 : 5 + i, 100 * GIGA, US);
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            t.AddLink(6 + i, 7 + i, 400 * GIGA, US);
        }
        FabricScenario s;
        s.SetRed(20'000, 200'000, 0.1, false);
        s.Build(t);
        s.UseDcqcn("paper2015");
        const uint64_t bytes = 10'000'000;
        s.AddFlow(0, 5, bytes);
        s.AddFlow(1, 5, bytes);
        s.Run();
        NS_TEST_EXPECT_MSG_EQ(s.Finished(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        const RdmaQpCounters receiver = s.fabric.GetNic(s.fabric.GetEndpoint(5))->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(receiver.acksTx, 2 * bytes / 1000, "one ACK a packet");
        NS_TEST_EXPECT_MSG_GT(receiver.cnpsTx, 0, "CNPs");
        uint64_t cnps = 0;
        for (uint32_t i = 0; i < 2; ++i)
        {
            const RdmaQpCounters c = s.fabric.GetNic(s.fabric.GetEndpoint(i))->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(c.acksRx, bytes / 1000, "every ACK arrives");
            NS_TEST_EXPECT_MSG_EQ(c.retransmits, 0, "nothing is sent twice");
            cnps += c.cnpsRx;
        }
        NS_TEST_EXPECT_MSG_EQ(cnps, receiver.cnpsTx, "every CNP arrives");
    }
};

/** @brief fault 22. */
class ReadSharesTestCase : public TestCase
{
  public:
    ReadSharesTestCase()
        : TestCase("fault 22: four clients read 10 MB each through one 100G port")
    {
    }

  private:
    void DoRun() override
    {
        FabricTopology t;
        for (uint32_t i = 0; i < 5; ++i)
        {
            t.AddHost(); // the server is the last
        }
        const uint32_t near = t.AddSwitch();
        const uint32_t far = t.AddSwitch();
        for (uint32_t i = 0; i < 5; ++i)
        {
            t.AddLink(i, i < 4 ? far : near, (i < 4 ? 100 : 200) * GIGA, US);
        }
        t.AddLink(near, far, 100 * GIGA, US);
        FabricScenario s;
        s.SetRed(5'000, 200'000, 0.1, false);
        s.Build(t);
        s.UseDcqcn("paper2015");
        const Ptr<RdmaNic> server = s.fabric.GetNic(4);
        std::vector<Ptr<VerbsQueuePair>> clients;
        std::vector<Ptr<VerbsCompletionQueue>> queues;
        for (uint32_t i = 0; i < 4; ++i)
        {
            queues.push_back(s.fabric.GetNic(i)->CreateCompletionQueue(16));
            queues[i]->SetCallback(Callback<void, VerbsCompletionQueue&>([](
                VerbsCompletionQueue&) { Simulator::Stop(); }));
            VerbsQpInit at;
            at.sendCq = queues[i];
            at.signalAll = true;
            VerbsQpInit to;
            to.pd = server->GetDefaultDomain();
            clients.push_back(s.rdma->Connect(i, 4, at, to).a);
            WorkRequest wr;
            wr.opcode = VerbsOpcode::RDMA_READ;
            wr.length = 10'000'000;
            wr.rkey = server->GetDefaultRegion()->GetRkey();
            clients[i]->PostSend(wr);
        }
        s.Run(); // until the first client has everything
        double sum = 0;
        std::vector<double> read;
        for (const auto& client : clients)
        {
            read.push_back(static_cast<double>(client->GetCounters().delivered));
            sum += read.back();
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            AI_FABRIC_NOTE("fault 22: client " << i << ' ' << 100 * read[i] / sum << " %");
            NS_TEST_EXPECT_MSG_EQ_TOL(100 * read[i] / sum, 25, 3, "share, %");
        }
        for (uint32_t i = 1; i < 4; ++i)
        {
            s.Run(); // every completion stops the clock
        }
        for (const auto& client : clients)
        {
            NS_TEST_EXPECT_MSG_EQ(client->GetCounters().delivered, 10'000'000, "bytes read");
        }
        NS_TEST_EXPECT_MSG_GT(server->GetCounters().cnpsRx, 0, "CNPs at the server");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
    }
};

/** @brief fault 23. */
class BcubeTestCase : public TestCase
{
  public:
    BcubeTestCase()
        : TestCase("fault 23: permutations on BCube(4,1), two NICs a server")
    {
    }

  private:
    void DoRun() override
    {
        FabricTopology t;
        for (uint32_t i = 0; i < 16; ++i)
        {
            t.AddHost();
        }
        for (uint32_t i = 0; i < 8; ++i)
        {
            t.AddSwitch();
        }
        for (uint32_t i = 0; i < 16; ++i)
        {
            t.AddLink(i, 16 + i / 4, 100 * GIGA, US); // level 0
            t.AddLink(i, 20 + i % 4, 100 * GIGA, US); // level 1
        }
        FabricScenario s;
        s.Build(t);
        s.UseDcqcn("paper2015");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.GetNEndpoints(), 32, "NICs");
        for (uint32_t i = 0; i < 16; ++i)
        {
            s.AddFlow(i, i / 4 * 4 + (i + 1) % 4, 1'000'000); // by level 0
            s.AddFlow(i, (i + 4) % 16, 1'000'000);            // by level 1
        }
        s.Run();
        NS_TEST_EXPECT_MSG_EQ(s.Finished(), 32, "flows");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        const IdealFct::Times alone = s.rdma->GetIdeal(s.fabric.GetEndpoint(0, 0),
                                                       s.fabric.GetEndpoint(1, 0),
                                                       1'000'000);
        for (uint32_t i = 0; i < 32; ++i)
        {
            // every NIC sends one flow and receives one, beside whose ACKs the data goes
            const auto fct = static_cast<double>(s.Get(i).ackAt - s.Get(i).start);
            NS_TEST_EXPECT_MSG_LT(fct, 1.1 * static_cast<double>(alone.ack), "flow " << i);
        }
        for (uint32_t i = 0; i < 32; ++i)
        {
            const RdmaQpCounters c = s.fabric.GetNic(i)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(c.txBytes, 1'000'000, "NIC " << i << " sends");
            NS_TEST_EXPECT_MSG_EQ(c.delivered, 1'000'000, "NIC " << i << " receives");
        }
        // servers do not forward: neither the same row nor the same column is out of reach
        bool refused = false;
        try
        {
            s.rdma->ChooseNics(0, 5, 0);
        }
        catch (const FabricError& error)
        {
            refused = std::string(error.what()).find("hosts do not forward") != std::string::npos;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "pair without a path");
    }
};

/** @brief fault 10, and 10,000 flows on the same star. */
class ManyPortsTestCase : public TestCase
{
  public:
    ManyPortsTestCase()
        : TestCase("fault 10: 300 hosts at one switch; 10000 flows")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 300; //!< ports of the switch

    static void Configure(FabricScenario& s)
    {
        s.fabric.SetBufferAttribute("Size", UintegerValue(64 << 20));
        s.Build(FabricScenario::Star(HOSTS, 100 * GIGA, US));
        s.UseDcqcn("paper2015");
    }

    void DoRun() override
    {
        {
            FabricScenario s;
            Configure(s);
            for (uint32_t i = 1; i < HOSTS; ++i)
            {
                s.AddFlow(0, i, 10'000);
            }
            s.Run();
            NS_TEST_EXPECT_MSG_EQ(s.Finished(), HOSTS - 1, "one result for each");
            NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        }
        FabricScenario s;
        Configure(s);
        const int64_t before = HeapCount::GetLiveBytes();
        constexpr uint32_t FLOWS = 10'000;
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            const uint32_t src = i % HOSTS;
            const uint32_t dst = (src + 1 + i / HOSTS * 7) % HOSTS;
            s.AddFlow(src, dst == src ? (src + 1) % HOSTS : dst, 1'000 + i % 5 * 1'000);
            bytes += 1'000 + i % 5 * 1'000;
        }
        s.Run(1); // all are open now
        const int64_t each = (HeapCount::GetLiveBytes() - before) / FLOWS;
        AI_FABRIC_NOTE("10000 flows: " << each << " bytes each, both ends");
        NS_TEST_EXPECT_MSG_LT(each, 2 * 4096, "bytes of a flow: two queue pairs");
        s.Run();
        NS_TEST_EXPECT_MSG_EQ(s.Finished(), FLOWS, "flows");
        NS_TEST_EXPECT_MSG_EQ(s.Drops(), 0, "drops");
        uint64_t delivered = 0;
        for (const uint64_t flow : s.Delivered())
        {
            delivered += flow;
        }
        NS_TEST_EXPECT_MSG_EQ(delivered, bytes, "bytes");
    }
};

/** @brief fault 11. */
class ManyHostsTestCase : public TestCase
{
  public:
    ManyHostsTestCase()
        : TestCase("fault 11: 4004-node dumbbell; memory grows linearly with the hosts")
    {
    }

  private:
    /** @brief One flow of 2 bytes over three links; returns live heap bytes of the fabric. */
    int64_t Run(uint32_t hosts)
    {
        const int64_t before = HeapCount::GetLiveBytes();
        DumbbellBuilder::Parameters p;
        p.left = hosts;
        p.right = 2;
        p.hostLink.delayPs = p.bottleneck.delayPs = 3'330'000;
        FabricScenario s;
        s.fabric.SetFrameProfile("plain48");
        s.fabric.SetBufferAttribute("Size", UintegerValue(1ULL << 31));
        s.Build(DumbbellBuilder(p).Build());
        const uint32_t flow = s.AddFlow(0, hosts, 2);
        s.Run();
        const RdmaFlowResult r = s.Get(flow);
        NS_TEST_EXPECT_MSG_EQ(s.fabric.GetNodes().GetN(), hosts + 4, "nodes");
        NS_TEST_EXPECT_MSG_EQ(r.rxAt - r.start, 3 * (3'330'000 + 4'000), "FCT at the receiver, ps");
        return HeapCount::GetLiveBytes() - before;
    }

    void DoRun() override
    {
        Run(4000);
        const uint64_t resident = ResidentBytes(); // 0: not known here
        AI_FABRIC_NOTE("4004 nodes: resident " << resident / 1'000'000 << " MB");
        NS_TEST_EXPECT_MSG_LT(resident, 2'000'000'000, "resident bytes");
        if (HeapCount::IsActive())
        {
            const auto small = static_cast<double>(Run(2500));
            const auto large = static_cast<double>(Run(5000));
            AI_FABRIC_NOTE("2500 and 5000 hosts: " << small / 1e6 << " and " << large / 1e6
                                                   << " MB");
            NS_TEST_EXPECT_MSG_GT(small, 1e6, "measured at all");
            NS_TEST_EXPECT_MSG_LT(large / small, 2.3, "memory, 5000 to 2500 hosts");
        }
    }
};

/** @brief fault 41. */
class ManyQueuePairsTestCase : public TestCase
{
  public:
    ManyQueuePairsTestCase()
        : TestCase("fault 41: 100000 flows one after the other, 10000 queue pairs at once")
    {
    }

  private:
    void DoRun() override
    {
        const auto flows = static_cast<uint32_t>(100'000 * FabricScenario::Scale());
        const uint64_t resident = ResidentBytes();
        {
            FabricScenario s;
            s.Build(FabricScenario::Star(2, 100 * GIGA, US));
            s.UseDcqcn("paper2015");
            for (uint32_t i = 0; i < flows; ++i)
            {
                s.AddFlow(0, 1, 1'000, i * 6 * US);
            }
            s.Run();
            const uint64_t now = ResidentBytes();
            AI_FABRIC_NOTE("fault 41: resident " << resident / 1'000'000 << " then "
                                                 << now / 1'000'000 << " MB");
            NS_TEST_EXPECT_MSG_EQ(s.Finished(), flows, "flows");
            NS_TEST_EXPECT_MSG_EQ(s.fabric.GetNic(0)->GetNQueuePairs(), 0, "all given back");
            if (HeapCount::IsActive()) // a sanitizer keeps freed memory
            {
                NS_TEST_EXPECT_MSG_LT(now, resident + 50'000'000, "resident bytes");
            }
        }
        FabricScenario s;
        s.Build(FabricScenario::Star(2, 100 * GIGA, US));
        s.UseDcqcn("paper2015");
        const int64_t before = HeapCount::GetLiveBytes();
        constexpr int64_t PAIRS = 10'000;
        for (int64_t i = 0; i < PAIRS; ++i)
        {
            s.rdma->Connect(0, 1);
        }
        const int64_t each = (HeapCount::GetLiveBytes() - before) / (2 * PAIRS);
        AI_FABRIC_NOTE("fault 41: " << each << " bytes an idle queue pair");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.GetNic(0)->GetNQueuePairs(), PAIRS, "all there");
        NS_TEST_EXPECT_MSG_LT(each, 4096, "bytes an idle queue pair");
    }
};

/**
 * @brief The suite.
 */
class AiFabricScaleTestSuite : public TestSuite
{
  public:
    AiFabricScaleTestSuite()
        : TestSuite("ai-fabric-scale", Type::SYSTEM)
    {
        AddTestCase(new ManyQueuePairsTestCase); // first: measures resident memory
        AddTestCase(new ManyHostsTestCase);
        AddTestCase(new ManyPortsTestCase);
        AddTestCase(new ChainTestCase);
        AddTestCase(new ReadSharesTestCase);
        AddTestCase(new BcubeTestCase);
    }

  private:
    void DoSetup() override
    {
        FabricScenario::UsePicoseconds();
    }
};

AiFabricScaleTestSuite g_aiFabricScaleTestSuite; //!< the instance

} // namespace
