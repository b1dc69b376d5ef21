/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-fabric.h"
#include "raw-memory.h"

#include "ns3/fabric-error.h"
#include "ns3/nv-switch.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <numeric>

using namespace ns3;

namespace
{

constexpr FabricPs NS = 1000;        //!< ps in a nanosecond
constexpr FabricPs US = 1'000'000;   //!< ps in a microsecond
constexpr FabricPs LATENCY = 30'000; //!< of a link, ps
constexpr FabricPs PIPE = 100'000;   //!< CrossbarLatency, ps
constexpr uint32_t FRAME = 4096;     //!< data bytes of the usual frame
constexpr uint32_t WIRE = 4352;      //!< bytes of such a frame
constexpr FabricPs BYTE = 40;        //!< of the exact link, ps
constexpr uint32_t GROUP = 100;      //!< number of the group

/** @brief NVLink 4 with 25 GB/s: no time is rounded. */
std::string
ExactLink()
{
    if (!LinkProfile::Has("nvlink4-exact"))
    {
        LinkProfile row = LinkProfile::Get("nvlink4");
        row.name = "nvlink4-exact";
        row.rateBps = 200'000'000'000;
        LinkProfile::Add(row);
    }
    return "nvlink4-exact";
}

/** @brief Endpoints round one NvSwitch. */
class NvStar
{
  public:
    /**
     * @param n endpoints
     * @param profile of every link
     * @param links bundled
     * @param eager EagerArrivals
     * @param buffer bytes; 0: the profile's
     */
    explicit NvStar(uint32_t n,
                    const std::string& profile = ExactLink(),
                    uint32_t links = 1,
                    bool eager = false,
                    uint32_t buffer = 0)
    {
        fabric.eager = eager;
        CreditFabric::Wire wire;
        wire.profile = profile;
        wire.links = links;
        wire.buffer = buffer;
        fabric.MakeStar(n, wire, "ns3::NvSwitch");
        chip = DynamicCast<NvSwitch>(fabric.switches[0]);
        for (uint16_t i = 0; i < n; ++i)
        {
            chip->SetEndpoint(i, i);
        }
    }

    /** @brief All endpoints are one group; start. */
    void StartWithGroup()
    {
        std::vector<uint32_t> members(fabric.memories.size());
        std::iota(members.begin(), members.end(), 0);
        chip->AddGroup(GROUP, members);
        fabric.Start();
    }

    /** @brief Send frames. */
    void Send(uint32_t from, uint32_t dst, MemoryOp op, uint64_t count, uint32_t payload = FRAME)
    {
        RawMemory::Burst burst;
        burst.start = FabricTime::Now();
        burst.dst = dst;
        burst.op = op;
        burst.count = count;
        burst.payload = payload;
        fabric.memories[from]->Send(burst);
    }

    /** @return frames of an operation that an endpoint has got */
    uint64_t Got(uint32_t endpoint, MemoryOp op) const
    {
        return fabric.memories[endpoint]->received[static_cast<int>(op)].frames;
    }

    CreditFabric fabric; //!< everything
    Ptr<NvSwitch> chip;  //!< the switch
};

/** @brief Every pair of every permutation has the full rate (G7, G6). */
class PermutationTestCase : public TestCase
{
  public:
    PermutationTestCase()
        : TestCase("non-blocking: 7 shifts and 200 random permutations of 8 ports at full rate")
    {
    }

  private:
    void Check(const std::vector<uint32_t>& to, const std::string& what)
    {
        constexpr uint64_t FRAMES = 300;
        {
            NvStar s(8, "nvlink4", 2);
            s.fabric.Start();
            for (uint32_t i = 0; i < 8; ++i)
            {
                s.Send(i, to[i], MemoryOp::WRITE, FRAMES);
            }
            s.fabric.Run();
            const double rate = 2 * 212.5e9;
            const double idle = 2. * LATENCY + PIPE + 272 * 8e12 / rate;
            for (uint32_t i = 0; i < 8; ++i)
            {
                const double took = static_cast<double>(s.fabric.memories[to[i]]->lastTail) - idle;
                NS_TEST_EXPECT_MSG_EQ_TOL(FRAMES * WIRE * 8e12 / took,
                                          rate,
                                          rate * .001,
                                          what << ": " << i << " to " << to[i]);
                NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::WRITE), FRAMES, what << ": all of it");
            }
            NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "credits");
        }
        Simulator::Destroy();
    }

    void DoRun() override
    {
        std::vector<uint32_t> to(8);
        for (uint32_t shift = 1; shift < 8; ++shift)
        {
            for (uint32_t i = 0; i < 8; ++i)
            {
                to[i] = (i + shift) % 8;
            }
            Check(to, "shift by " + std::to_string(shift));
        }
        FabricRandom random(1, 1);
        for (int round = 0; round < 200; ++round)
        {
            bool again = true;
            while (again)
            {
                std::iota(to.begin(), to.end(), 0);
                again = false;
                for (uint32_t i = 7; i > 0; --i)
                {
                    std::swap(to[i], to[random.Below(i + 1)]);
                }
                for (uint32_t i = 0; i < 8; ++i)
                {
                    again = again || to[i] == i;
                }
            }
            Check(to, "permutation " + std::to_string(round));
        }
    }
};

/** @brief A multicast write reaches each member once, and pays each egress once. */
class MulticastTestCase : public TestCase
{
  public:
    MulticastTestCase()
        : TestCase("multicast: each member gets each byte once; egress bytes and time exact")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t FRAMES = 100;
        Exact(FRAMES);
        Simulator::Destroy();
        SlowMember();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak");
    }

    void Exact(uint64_t frames)
    {
        NvStar s(8);
        s.StartWithGroup();
        s.Send(2, GROUP, MemoryOp::WRITE, frames);
        s.Send(2, GROUP, MemoryOp::REDUCE_WRITE, 1, 1000);
        s.Send(2, GROUP, MemoryOp::FLUSH, 1, 0);
        FabricPs lastData = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            auto* tail = &lastData;
            s.fabric.memories[i]->onReceive = [tail](const FabricPacket& p) {
                const auto op = static_cast<MemoryOp>(p.opcode);
                *tail = op == MemoryOp::WRITE ? p.arrival + p.tailLag : *tail;
            };
        }
        s.fabric.Run();
        const uint64_t bytes = frames * FRAME + 1000;
        for (uint16_t i = 0; i < 8; ++i)
        {
            const auto& got = s.fabric.memories[i]->received;
            const uint64_t want = i == 2 ? 0 : frames;
            NS_TEST_EXPECT_MSG_EQ(got[0].frames, want, "writes at " << i);
            NS_TEST_EXPECT_MSG_EQ(got[0].bytes, want * FRAME, "bytes at " << i);
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::REDUCE_WRITE), (i != 2), "one sum at " << i);
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::FLUSH), (i != 2), "one flush at " << i);
            const FabricPortStats& out = s.chip->GetPort(i).stats;
            NS_TEST_EXPECT_MSG_EQ(out.linkDataBytes, (i == 2 ? 0 : bytes), "egress to " << i);
            NS_TEST_EXPECT_MSG_EQ(out.of[0].txBytes,
                                  (i == 2 ? 0 : frames * WIRE + 1072 + 16),
                                  "egress to " << i << ", on the wire");
        }
        NS_TEST_EXPECT_MSG_EQ(s.fabric.memories[2]->GetPort(0).stats.linkDataBytes,
                              bytes,
                              "the sender's link carries one copy");
        NS_TEST_EXPECT_MSG_EQ(s.Got(2, MemoryOp::ACK), 1, "one answer to the flush");
        NS_TEST_EXPECT_MSG_EQ(lastData,
                              static_cast<FabricPs>(frames) * WIRE * BYTE + 272 * BYTE + PIPE +
                                  2 * LATENCY,
                              "at full rate, cut through");
        NS_TEST_EXPECT_MSG_EQ(s.chip->GetStats().copies, 7 * (frames + 1), "copies");
        NS_TEST_EXPECT_MSG_EQ(s.chip->GetJobs(), 0, "nothing under way");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "credits");
    }

    /** @brief Room at the ingress is free when the last copy has left. */
    void SlowMember()
    {
        NvStar s(4);
        s.StartWithGroup();
        s.fabric.memories[3]->consumeTime = 100'000 * US;
        s.Send(0, GROUP, MemoryOp::WRITE, 50);
        Simulator::Stop(MicroSeconds(100));
        s.fabric.Run();
        // three frames fill the slow member, three more the ingress: 16 KiB each
        NS_TEST_EXPECT_MSG_EQ(s.Got(3, MemoryOp::WRITE), 3, "the slow member is full");
        NS_TEST_EXPECT_MSG_EQ(s.Got(1, MemoryOp::WRITE), 6, "copies of what is held are out");
        NS_TEST_EXPECT_MSG_EQ(s.Got(2, MemoryOp::WRITE), 6, "to all others");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.memories[0]->GetBacklog(), 43, "six away and one waits");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainImbalance(), "", "credits");
    }
};

/** @brief One sum: a request becomes reads of all members and one answer. */
class ReductionTestCase : public TestCase
{
  public:
    ReductionTestCase()
        : TestCase("reduction: one read of each member, one answer, at the closed-form latency")
    {
    }

  private:
    void DoRun() override
    {
        Slowest();
        Simulator::Destroy();
        NvStar s(8);
        s.StartWithGroup();
        s.fabric.memories[5]->serviceTime = 200 * NS; // the sum waits for the slowest
        s.Send(1, GROUP, MemoryOp::REDUCE_REQUEST, 1);
        s.fabric.Run();
        const FabricPs ask = 16 * BYTE + LATENCY + PIPE + 256 * BYTE + LATENCY;
        const FabricPs answer = 272 * BYTE + LATENCY + PIPE + WIRE * BYTE + LATENCY;
        NS_TEST_EXPECT_MSG_EQ(s.fabric.memories[1]->lastTail,
                              ask + 200 * NS + answer,
                              "four links, twice the crossbar, the slowest member");
        for (uint16_t i = 0; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::READ_REQUEST), 1, "read of " << i);
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::READ_RESPONSE), (i == 1), "the sum at " << i);
            NS_TEST_EXPECT_MSG_EQ(s.chip->GetPort(i).stats.linkDataBytes,
                                  (i == 1 ? FRAME : 0),
                                  "data to " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(s.chip->GetJobs(), 0, "table empty");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "credits");
    }

    /** @brief A member behind a link of a quarter of the rate: the sum ends one packet later. */
    void Slowest()
    {
        CreditFabric f;
        CreditFabric::Wire wire;
        wire.profile = ExactLink();
        auto chip = DynamicCast<NvSwitch>(f.AddSwitch("ns3::NvSwitch"));
        for (uint16_t i = 0; i < 3; ++i)
        {
            wire.rateBps = i == 2 ? 50'000'000'000 : 0;
            f.Connect(f.AddMemory(), chip, wire);
            chip->SetEndpoint(i, i);
        }
        chip->AddGroup(GROUP, {0, 1, 2});
        f.Start();
        RawMemory::Burst burst;
        burst.dst = GROUP;
        burst.op = MemoryOp::REDUCE_REQUEST;
        f.memories[0]->Send(burst);
        f.Run();
        const FabricPs tail = 16 * BYTE + LATENCY + PIPE + 256 * 4 * BYTE + LATENCY +
                              WIRE * 4 * BYTE + LATENCY + PIPE;
        NS_TEST_EXPECT_MSG_EQ(f.memories[0]->lastTail,
                              tail + 272 * BYTE + LATENCY,
                              "the last packet of the slowest answer, summed and sent on");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak");
    }
};

/** @brief N8: all-reduce by load-reduce of a shard and multicast store of the result. */
class AllReduceTestCase : public TestCase
{
  public:
    AllReduceTestCase()
        : TestCase("N8: all-reduce in the switch reaches 2(n-1) over (n+1) of a link's data rate")
    {
    }

  private:
    void Check(uint32_t n, uint32_t table)
    {
        constexpr uint64_t SHARD = 1000; // frames
        NvStar s(n, "nvlink4", 4);
        s.chip->SetAttribute("ReductionTable", UintegerValue(table));
        s.StartWithGroup();
        for (uint32_t i = 0; i < n; ++i)
        {
            s.Send(i, GROUP, MemoryOp::REDUCE_REQUEST, SHARD);
            s.fabric.memories[i]->onReceive = [&s, i](const FabricPacket& p) {
                if (static_cast<MemoryOp>(p.opcode) == MemoryOp::READ_RESPONSE)
                {
                    s.Send(i, GROUP, MemoryOp::WRITE, 1);
                }
            };
        }
        s.fabric.Run();
        FabricPs end = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            end = std::max(end, s.fabric.memories[i]->lastTail);
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::READ_RESPONSE), SHARD, "own shard");
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::WRITE), SHARD * (n - 1), "other shards");
            NS_TEST_EXPECT_MSG_EQ(s.fabric.memories[i]->GetPort(0).stats.linkDataBytes,
                                  SHARD * FRAME * (n + 1),
                                  "S (1 + 1/n) go out");
        }
        const double size = static_cast<double>(SHARD) * FRAME * n;
        const double busbw = size / (static_cast<double>(end) * 1e-12) * 2 * (n - 1) / n;
        const double link = LinkProfile::Get("nvlink4").DataBps(4) / 8;
        const double expected = link * 2 * (n - 1) / (n + 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(busbw, expected, expected * .01, n << " members");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "credits");
        NS_TEST_EXPECT_MSG_EQ(s.chip->GetJobs() + s.chip->GetWaiting(), 0, "nothing is left");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(s.chip->GetStats().maxJobs, table, "the table is bounded");
    }

    void DoRun() override
    {
        Check(8, 256);
        Simulator::Destroy();
        Check(8, 64);
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak");
    }
};

/** @brief Tenants cannot reach each other. */
class PartitionTestCase : public TestCase
{
  public:
    PartitionTestCase()
        : TestCase("partitions: what would cross is dropped, counted and answered; the rest flows")
    {
    }

  private:
    void DoRun() override
    {
        NvStar s(8);
        for (uint16_t i = 4; i < 8; ++i)
        {
            s.chip->SetPartition(i, 7);
        }
        s.chip->AddGroup(GROUP, {0, 1, 2, 3});
        s.fabric.Start();
        uint32_t unreachable = 0;
        s.fabric.memories[4]->onReceive = [&unreachable](const FabricPacket& p) {
            unreachable += static_cast<MemoryOp>(p.opcode) == MemoryOp::ACK &&
                           p.syndrome == MEMORY_UNREACHABLE;
        };
        s.Send(4, 0, MemoryOp::WRITE, 10);
        s.Send(4, 1, MemoryOp::READ_REQUEST, 10);
        s.Send(4, GROUP, MemoryOp::WRITE, 5);
        s.Send(4, GROUP, MemoryOp::REDUCE_REQUEST, 5);
        s.Send(4, 0, MemoryOp::READ_RESPONSE, 2);
        s.Send(5, 6, MemoryOp::WRITE, 1000);
        s.Send(0, GROUP, MemoryOp::WRITE, 20);
        s.fabric.Run();
        NS_TEST_EXPECT_MSG_EQ(unreachable, 30, "each request is told that there is no way");
        NS_TEST_EXPECT_MSG_EQ(s.chip->GetStats().crossings, 32, "counted");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.GetDrops(), 32, "dropped");
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::WRITE), (i == 0 ? 0 : 20), "writes at " << i);
            NS_TEST_EXPECT_MSG_EQ(s.Got(i, MemoryOp::READ_REQUEST), 0, "reads at " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(s.fabric.memories[6]->lastTail,
                              1000 * WIRE * BYTE + 272 * BYTE + PIPE + 2 * LATENCY,
                              "a tenant's own traffic is not touched");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "credits");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak");
    }
};

/** @brief Impossible set-ups, with the counts (faults 33 and 35). */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("too many links, foreign links, groups outside the domain or too old: refused")
    {
    }

  private:
    template <typename F>
    void Expect(const std::string& what, uint32_t n, const std::string& link, uint32_t links, F&& f)
    {
        std::string error;
        try
        {
            NvStar s(n, link, links);
            f(s);
            s.fabric.Start();
        }
        catch (const FabricError& e)
        {
            error = e.what();
        }
        Simulator::Destroy();
        if (what.empty())
        {
            NS_TEST_EXPECT_MSG_EQ(error, "", n << " x " << links << " " << link);
            return;
        }
        NS_TEST_EXPECT_MSG_NE(error.find(what), std::string::npos, what << " in: " << error);
    }

    void Limits()
    {
        const auto nothing = [](NvStar&) {};
        Expect("", 18, "nvlink2", 1, nothing);
        Expect("19 links are wired", 19, "nvlink2", 1, nothing);
        Expect("which has 18", 4, "nvlink2", 5, nothing);
        Expect("", 18, "nvlink3", 2, nothing);
        Expect("38 links are wired", 19, "nvlink3", 2, nothing);
        Expect("", 16, "nvlink4", 4, nothing);
        Expect("which has 64", 13, "nvlink4", 5, nothing);
        Expect("", 72, "nvlink5", 1, nothing);
        Expect("which has 72", 73, "nvlink5", 1, nothing);
        Expect("takes NVLink 3", 2, "nvlink4", 1, [](NvStar& s) {
            s.chip->SetAttribute("Generation", UintegerValue(2));
        });
    }

    void DoRun() override
    {
        Limits();
        const auto group = [](uint32_t number, const std::vector<uint32_t>& members) {
            return [=](NvStar& s) { s.chip->AddGroup(number, members); };
        };
        Expect("", 4, "nvlink4", 1, group(GROUP, {0, 3}));
        Expect("generation 3 and later have", 4, "nvlink3", 1, group(GROUP, {0, 1}));
        Expect("outside this switch: 4, 9", 4, "nvlink4", 1, group(GROUP, {0, 4, 1, 9}));
        Expect("endpoint 1 twice", 4, "nvlink4", 1, group(GROUP, {1, 0, 1}));
        Expect("1 members", 4, "nvlink4", 1, group(GROUP, {1}));
        Expect("number of an endpoint", 4, "nvlink4", 1, group(2, {0, 1}));
        Expect("exists already", 4, "nvlink4", 1, [](NvStar& s) {
            s.chip->AddGroup(GROUP, {0, 1});
            s.chip->AddGroup(GROUP, {2, 3});
        });
        Expect("members in partitions 0 and 5", 4, "nvlink4", 1, [](NvStar& s) {
            s.chip->AddGroup(GROUP, {0, 1});
            s.chip->SetPartition(1, 5);
        });
        Expect("no port 4 of 4", 4, "nvlink4", 1, [](NvStar& s) { s.chip->SetPartition(4, 1); });
    }
};

/** @brief Random mixes of everything, with a small table and small buffers. */
class RandomNvTestCase : public TestCase
{
  public:
    RandomNvTestCase()
        : TestCase("random mixes: lazy equals eager, credits conserved, every request answered")
    {
    }

  private:
    uint64_t Run(uint32_t seed, bool eager, bool failures)
    {
        uint64_t digest = 0;
        {
            FabricRandom random(seed, 9);
            const uint32_t n = 3 + random.Below(6);
            NvStar s(n, random.Below(2) == 0 ? "nvlink4" : ExactLink(), 1 + random.Below(4), eager,
                     5000 + 16 * random.Below(1500));
            s.chip->SetAttribute("ReductionTable", UintegerValue(1 + random.Below(6)));
            s.chip->AddGroup(GROUP + 3, {0, 1, 2});
            s.StartWithGroup();
            m_asked[0] = m_asked[1] = 0;
            Load(s, random);
            for (int i = 0; failures && i < 3; ++i)
            {
                const auto port = static_cast<uint16_t>(random.Below(n));
                const FabricPs down = 300 * NS + random.Below(4'000'000);
                auto chip = s.chip;
                Simulator::Schedule(PicoSeconds(down), [=] { chip->SetLinkUp(port, false); });
                Simulator::Schedule(PicoSeconds(down + 1 + random.Below(2'000'000)),
                                    [=] { chip->SetLinkUp(port, true); });
            }
            s.fabric.Run();
            digest = FabricStation::Trajectory().digest;
            NS_TEST_EXPECT_MSG_EQ(s.fabric.ExplainRest(), "", "seed " << seed << ": credits");
            NS_TEST_EXPECT_MSG_EQ(s.chip->GetJobs(), 0, "seed " << seed << ": jobs");
            NS_TEST_EXPECT_MSG_EQ(s.chip->GetWaiting(), 0, "seed " << seed << ": waiting");
            uint64_t sums = 0;
            uint64_t acks = 0;
            uint64_t backlog = 0;
            for (uint32_t i = 0; i < n; ++i)
            {
                sums += s.Got(i, MemoryOp::READ_RESPONSE);
                acks += s.Got(i, MemoryOp::ACK);
                backlog += s.fabric.memories[i]->GetBacklog();
            }
            NS_TEST_EXPECT_MSG_EQ(backlog, 0, "seed " << seed << ": all sent");
            if (!failures)
            {
                NS_TEST_EXPECT_MSG_EQ(sums, m_asked[0], "seed " << seed << ": reads and sums");
                NS_TEST_EXPECT_MSG_EQ(acks, m_asked[1], "seed " << seed << ": flushes");
                NS_TEST_EXPECT_MSG_EQ(s.chip->GetStats().stale, 0, "seed " << seed << ": stale");
                NS_TEST_EXPECT_MSG_EQ(s.fabric.GetDrops(), 0, "seed " << seed << ": drops");
            }
            m_waited += s.chip->GetStats().maxWaiting;
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "seed " << seed << ": leak");
        return digest;
    }

    void Load(NvStar& s, FabricRandom& random)
    {
        const auto n = static_cast<uint32_t>(s.fabric.memories.size());
        const bool inStep = random.Below(2) == 0;
        for (uint32_t i = 0; i < 5 * n; ++i)
        {
            static const MemoryOp ops[] = {MemoryOp::WRITE, MemoryOp::REDUCE_WRITE, MemoryOp::FLUSH,
                                           MemoryOp::READ_REQUEST, MemoryOp::REDUCE_REQUEST};
            RawMemory::Burst burst;
            burst.op = ops[random.Below(5)];
            const uint32_t from = random.Below(n);
            const bool toGroup = burst.op == MemoryOp::REDUCE_REQUEST ||
                                 (burst.op != MemoryOp::READ_REQUEST && random.Below(2) == 0);
            burst.dst = toGroup ? (random.Below(3) == 0 ? GROUP + 3 : GROUP)
                                : (from + 1 + random.Below(n - 1)) % n;
            burst.payload = burst.op == MemoryOp::FLUSH ? 0 : 1 + random.Below(FRAME);
            burst.start = inStep ? 0 : random.Below(2'000'000);
            burst.count = 1 + random.Below(20);
            m_asked[0] += MemoryClassOf(burst.op) == MEMORY_NON_POSTED ? burst.count : 0;
            m_asked[1] += burst.op == MemoryOp::FLUSH ? burst.count : 0;
            s.fabric.memories[from]->Send(burst);
        }
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 150; ++seed)
        {
            const bool failures = seed > 80;
            const uint64_t lazy = Run(seed, false, failures);
            NS_TEST_EXPECT_MSG_EQ(Run(seed, true, failures), lazy, "seed " << seed << ": eager");
        }
        NS_TEST_EXPECT_MSG_GT(m_waited, 100, "the table was too small at times");
    }

    uint64_t m_asked[2]{}; //!< reads and sums; flushes
    uint64_t m_waited{0};  //!< requests that had to wait
};

/** @brief The suite. */
class AiFabricNvSwitchTestSuite : public TestSuite
{
  public:
    AiFabricNvSwitchTestSuite()
        : TestSuite("ai-fabric-nv-switch", Type::UNIT)
    {
        AddTestCase(new PermutationTestCase);
        AddTestCase(new MulticastTestCase);
        AddTestCase(new ReductionTestCase);
        AddTestCase(new AllReduceTestCase);
        AddTestCase(new PartitionTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new RandomNvTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricNvSwitchTestSuite g_aiFabricNvSwitchTestSuite; //!< the instance

} // namespace
