/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-count.h"
#include "raw-fabric.h"
#include "raw-memory.h"

#include "ns3/credit-flow-control.h"
#include "ns3/fabric-error.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>

using namespace ns3;

namespace
{

constexpr FabricPs NS = 1000;      //!< ps in a nanosecond
constexpr FabricPs US = 1'000'000; //!< ps in a microsecond
constexpr uint32_t FRAME = 4096;   //!< data bytes of the usual frame

/** @brief A link of one row, nothing else set. */
CreditFabric::Wire
LinkOf(const std::string& profile, uint32_t links = 1, uint32_t buffer = 0)
{
    CreditFabric::Wire wire;
    wire.profile = profile;
    wire.links = links;
    wire.buffer = buffer;
    return wire;
}

/** @brief Writes from endpoint 0, at once. */
RawMemory::Burst
Writes(uint32_t dst, uint64_t count, uint32_t payload = FRAME)
{
    RawMemory::Burst burst;
    burst.dst = dst;
    burst.count = count;
    burst.payload = payload;
    return burst;
}

/** @brief G1: latency over a line of links, to the picosecond. */
class LatencyTestCase : public TestCase
{
  public:
    LatencyTestCase()
        : TestCase("latency of one frame over 1 to 4 links, by closed form to the picosecond")
    {
    }

  private:
    void Check(const std::string& profile, uint32_t links, bool cutThrough, uint32_t payload)
    {
        FabricPs arrival = 0;
        {
            CreditFabric f;
            f.cutThrough = cutThrough;
            f.MakeLine(links, LinkOf(profile));
            f.memories[0]->Send(Writes(1, 1, payload));
            f.Run();
            arrival = f.memories[1]->lastTail;
            NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
        }
        Simulator::Destroy();
        const LinkProfile& row = LinkProfile::Get(profile);
        const FabricRate rate(row.rateBps);
        const FabricPs whole = rate.TxTime(row.WireBytes(MemoryOp::WRITE, payload));
        const FabricPs first = rate.TxTime(row.FirstBytes(MemoryOp::WRITE, payload));
        const FabricPs expected =
            cutThrough ? (links - 1) * (first + row.latencyPs) + whole + row.latencyPs
                       : links * (whole + row.latencyPs);
        NS_TEST_EXPECT_MSG_EQ(arrival,
                              expected,
                              profile << ", " << links << " links, " << payload << " bytes");
    }

    void DoRun() override
    {
        for (const char* profile : {"nvlink2", "nvlink3", "nvlink4", "pcie5-x16", "ucie1-standard"})
        {
            for (uint32_t links = 1; links <= 4; ++links)
            {
                for (bool cutThrough : {false, true})
                {
                    Check(profile, links, cutThrough, FRAME);
                    Check(profile, links, cutThrough, 32);
                }
            }
        }
    }
};

/** @brief A frame of n packets is n frames of one packet (FrameBytes 256 is the oracle). */
class FrameTestCase : public TestCase
{
  public:
    FrameTestCase()
        : TestCase("the last bit of a 4 KiB frame comes when that of sixteen packets does")
    {
    }

  private:
    FabricPs Last(const std::vector<uint32_t>& bundles, uint32_t payload)
    {
        FabricPs last = 0;
        {
            CreditFabric f;
            Ptr<CreditSwitch> from = f.AddMemory();
            for (size_t i = 0; i < bundles.size(); ++i)
            {
                Ptr<CreditSwitch> to;
                if (i + 1 < bundles.size())
                {
                    to = f.AddSwitch();
                }
                else
                {
                    to = f.AddMemory();
                }
                f.Connect(from, to, LinkOf("nvlink3", bundles[i]));
                from = to;
            }
            f.Start();
            f.memories[0]->Send(Writes(1, FRAME / payload, payload));
            f.Run();
            last = f.memories[1]->lastTail;
            NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].bytes, FRAME, "all of it");
        }
        Simulator::Destroy();
        return last;
    }

    void DoRun() override
    {
        // 25 GB/s is 40 ps a byte: nothing is rounded; bundles make egresses slower and faster
        for (const std::vector<uint32_t>& bundles :
             std::vector<std::vector<uint32_t>>{{1},
                                                {1, 1},
                                                {1, 1, 1},
                                                {2, 2, 2, 2},
                                                {4, 1},
                                                {1, 4},
                                                {4, 1, 4},
                                                {1, 4, 1},
                                                {2, 4, 1, 4}})
        {
            NS_TEST_EXPECT_MSG_EQ(Last(bundles, FRAME),
                                  Last(bundles, 256),
                                  bundles.size() << " links, bundles of " << bundles[0] << ", "
                                                 << bundles.back());
        }
    }
};

/** @brief What a buffer of B bytes and a round trip of T allow: min(rate, B/T). */
class WindowTestCase : public TestCase
{
  public:
    WindowTestCase()
        : TestCase("throughput is min(rate, whole frames of the buffer per round trip)")
    {
    }

  private:
    void Check(uint32_t frames, uint32_t more, FabricPs consume, FabricPs turn)
    {
        constexpr uint64_t ROUNDS = 50;
        const LinkProfile& row = LinkProfile::Get("nvlink3");
        const uint32_t bytes = row.WireBytes(MemoryOp::WRITE, FRAME);
        FabricPs last = 0;
        {
            CreditFabric f;
            f.returnTime = turn;
            f.MakeLine(1, LinkOf("nvlink3", 1, frames * bytes + more));
            f.memories[1]->consumeTime = consume;
            f.memories[0]->Send(Writes(1, frames * ROUNDS));
            f.Run();
            last = f.memories[1]->lastTail;
            NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
        }
        Simulator::Destroy();
        const FabricPs tx = FabricRate(row.rateBps).TxTime(bytes);
        const FabricPs round = tx + 2 * row.latencyPs + consume + turn;
        const auto rounds = static_cast<FabricPs>(ROUNDS);
        const FabricPs expected =
            (rounds - 1) * std::max(round, frames * tx) + frames * tx + row.latencyPs;
        NS_TEST_EXPECT_MSG_EQ(last, expected, frames << " frames of buffer, " << consume << " ps");
    }

    void DoRun() override
    {
        for (uint32_t frames = 1; frames <= 6; ++frames)
        {
            Check(frames, 0, 0, 0);
            Check(frames, 4336, 400 * NS, 0); // not quite room for one more
            Check(frames, 16, 300 * NS, 50 * NS);
        }
    }
};

/** @brief Classes have buffers of their own. */
class ClassTestCase : public TestCase
{
  public:
    ClassTestCase()
        : TestCase("a class without credits holds up no other class")
    {
    }

  private:
    void DoRun() override
    {
        FabricPs arrival = 0;
        CreditFabric f;
        f.MakeLine(2, LinkOf("nvlink3"));
        f.memories[1]->consumeTime = 1'000'000 * US;
        f.memories[1]->onReceive = [&arrival](const FabricPacket& p) {
            arrival = p.vl == MEMORY_COMPLETION ? p.arrival : arrival;
        };
        f.memories[0]->Send(Writes(1, 100)); // three fit into each of the two buffers
        RawMemory::Burst other = Writes(1, 1);
        other.start = 20 * US;
        other.op = MemoryOp::READ_RESPONSE;
        f.memories[0]->Send(other);
        Simulator::Stop(PicoSeconds(40 * US));
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].frames, 3, "the buffer is full");
        NS_TEST_EXPECT_MSG_EQ(f.memories[0]->GetBacklog(), 93, "3 + 3 are away, one waits");
        NS_TEST_EXPECT_MSG_EQ(arrival,
                              20 * US + 272 * 40 + 4352 * 40 + 2 * 30 * NS,
                              "the other class goes as if it were alone");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "credits");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }
};

/** @brief A full ingress buffer holds up everything of its class; another class is free. */
class HeadOfLineTestCase : public TestCase
{
  public:
    HeadOfLineTestCase()
        : TestCase("head-of-line blocking behind a slow receiver, and its cure by a second class")
    {
    }

  private:
    /** @return share of the line that the innocent flow gets */
    double Share(uint8_t vl)
    {
        constexpr FabricPs END = 1000 * US;
        uint64_t bytes = 0;
        {
            CreditFabric f;
            auto near = f.AddSwitch();
            auto far = f.AddSwitch();
            for (int i = 0; i < 4; ++i)
            {
                f.Connect(f.AddMemory(), i < 2 ? near : far, LinkOf("nvlink3"));
            }
            f.Connect(near, far, LinkOf("nvlink3", 2));
            f.Start();
            f.memories[2]->consumeTime = 10 * US;
            f.memories[0]->Send(Writes(2, 1'000'000));
            RawMemory::Burst innocent = Writes(3, 1'000'000);
            innocent.vl = vl;
            f.memories[1]->Send(innocent);
            Simulator::Stop(PicoSeconds(END));
            f.Run();
            bytes = f.memories[3]->received[0].frames * 4352;
            NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "credits");
        }
        Simulator::Destroy();
        return static_cast<double>(bytes) * 40 / END;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_LT(Share(0), .15, "one class: held up by frames for somebody else");
        NS_TEST_EXPECT_MSG_GT(Share(1), .99, "two classes: full rate");
    }
};

/** @brief Packets hit by an error are repeated: time is lost, nothing else. */
class ReplayTestCase : public TestCase
{
  public:
    ReplayTestCase()
        : TestCase("replay on errors: goodput by closed form, nothing lost, order kept")
    {
    }

  private:
    void Check(double p)
    {
        constexpr uint64_t FRAMES = 4000;
        constexpr double PACKETS = FRAMES * 16;
        const LinkProfile& row = LinkProfile::Get("nvlink3");
        uint32_t tag = 0;
        uint64_t wrongOrder = 0;
        CreditFabric f;
        CreditFabric::Wire wire = LinkOf("nvlink3", 1, 1 << 20);
        wire.errorRate = p;
        f.MakeLine(1, wire);
        f.memories[1]->onReceive = [&](const FabricPacket& got) {
            wrongOrder += got.psn != ++tag;
        };
        f.memories[0]->Send(Writes(1, FRAMES));
        f.Run();
        const FabricPortStats& stats = f.memories[0]->GetPort(0).stats;
        const auto replays = static_cast<double>(stats.replays);
        const double mean = p / (1 - p);
        NS_TEST_EXPECT_MSG_EQ_TOL(replays / PACKETS,
                                  mean,
                                  4 * std::sqrt(p / PACKETS) / (1 - p),
                                  "repetitions of each packet");
        const FabricPs packet = 272 * 40;
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->lastTail,
                              static_cast<FabricPs>(FRAMES) * 4352 * 40 + row.latencyPs +
                                  static_cast<FabricPs>(stats.replays) * (row.replayPs + packet),
                              "each costs the replay time and the packet once more");
        const double cost = 1 + static_cast<double>(row.replayPs) / static_cast<double>(packet);
        const double goodput = FRAMES * 4352. * 40 / static_cast<double>(f.memories[1]->lastTail);
        const double expected = 1 / (1 + mean * cost);
        NS_TEST_EXPECT_MSG_EQ_TOL(goodput,
                                  expected,
                                  4 * cost * std::sqrt(p / PACKETS) / (1 - p) * expected + 1e-4,
                                  "share of the error-free rate");
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].frames, FRAMES, "nothing lost");
        NS_TEST_EXPECT_MSG_EQ(wrongOrder, 0, "order kept");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
    }

    void DoRun() override
    {
        for (double p : {1e-3, 1e-2, .1})
        {
            Check(p);
            Simulator::Destroy();
        }
    }
};

/** @brief A random tree of switches with memories as leaves, and random traffic. */
class RandomCredits
{
  public:
    /**
     * @param seed which one
     * @param eager EagerArrivals
     */
    RandomCredits(uint32_t seed, bool eager)
        : m_random(seed, 77)
    {
        fabric.eager = eager;
        fabric.cutThrough = m_random.Below(4) != 0;
        fabric.returnTime = m_random.Below(2) * 7 * NS;
        const uint32_t switches = 1 + m_random.Below(4);
        for (uint32_t i = 0; i < switches; ++i)
        {
            auto made = fabric.AddSwitch();
            for (uint32_t n = 1 + m_random.Below(2); i > 0 && n > 0; --n)
            {
                fabric.Connect(made, fabric.switches[m_random.Below(i)], RandomWire());
            }
        }
        const uint32_t memories = 3 + m_random.Below(6);
        for (uint32_t i = 0; i < memories; ++i)
        {
            auto made = fabric.AddMemory();
            fabric.Connect(made, fabric.switches[m_random.Below(switches)], RandomWire());
            made->consumeTime = m_random.Below(3) * 111 * NS;
            made->serviceTime = m_random.Below(3) * 77 * NS;
        }
        fabric.Start();
        Load();
    }

    CreditFabric fabric;    //!< what was built
    uint64_t sent{0};       //!< frames asked for
    uint64_t toAnswer{0};   //!< of those, to be answered

  private:
    CreditFabric::Wire RandomWire()
    {
        static const char* const names[] = {"nvlink2", "nvlink3", "nvlink4", "nvlink5", "pcie4-x8",
                                            "pcie3-x16-mps512", "ucie1-standard", "xgmi3", "upi"};
        CreditFabric::Wire wire;
        wire.profile = names[m_random.Below(9)];
        wire.links = 1 + m_random.Below(3);
        wire.buffer = 5200 + 16 * m_random.Below(2000);
        wire.errorRate = m_random.Below(5) == 0 ? .01 : 0;
        return wire;
    }

    void Load()
    {
        const auto n = static_cast<uint32_t>(fabric.memories.size());
        const bool inStep = m_random.Below(2) == 0;
        for (uint32_t i = 0; i < 4 * n; ++i)
        {
            static const MemoryOp ops[] = {MemoryOp::WRITE, MemoryOp::WRITE, MemoryOp::READ_REQUEST,
                                           MemoryOp::FLUSH, MemoryOp::ATOMIC_REQUEST};
            const uint32_t from = m_random.Below(n);
            RawMemory::Burst burst;
            burst.op = ops[m_random.Below(5)];
            burst.start = inStep ? 0 : m_random.Below(3'000'000);
            burst.dst = (from + 1 + m_random.Below(n - 1)) % n;
            burst.payload = burst.op == MemoryOp::FLUSH            ? 0
                            : burst.op == MemoryOp::ATOMIC_REQUEST ? 8
                            : m_random.Below(2) == 0               ? FRAME
                                                                   : 1 + m_random.Below(FRAME);
            burst.count = 1 + m_random.Below(40);
            sent += burst.count;
            toAnswer += burst.op == MemoryOp::FLUSH || burst.op == MemoryOp::READ_REQUEST
                            ? burst.count
                            : 0;
            fabric.memories[from]->Send(burst);
        }
    }

    FabricRandom m_random; //!< draws
};

/** @brief Credits of random fabrics: never made, never lost, whatever the order of drains. */
class RandomCreditTestCase : public TestCase
{
  public:
    RandomCreditTestCase()
        : TestCase("120 random fabrics: credits conserved at every sample, lazy equals eager")
    {
    }

  private:
    uint64_t Run(uint32_t seed, bool eager, bool sampled)
    {
        uint64_t digest = 0;
        {
            RandomCredits r(seed, eager);
            m_wrong.clear();
            m_samples = 0;
            const std::function<void()> sample = [&] {
                const std::string wrong = r.fabric.ExplainImbalance();
                m_wrong = m_wrong.empty() ? wrong : m_wrong;
                ++m_samples;
            };
            for (uint32_t i = 1; sampled && i < 300; ++i)
            {
                Simulator::Schedule(PicoSeconds(i * 97'777), [&sample] { sample(); });
            }
            r.fabric.Run();
            digest = FabricStation::Trajectory().digest;
            NS_TEST_EXPECT_MSG_EQ(m_wrong, "", "seed " << seed << ": while running");
            NS_TEST_EXPECT_MSG_EQ(r.fabric.ExplainRest(), "", "seed " << seed << ": afterwards");
            NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().delivered,
                                  r.sent + r.toAnswer,
                                  "seed " << seed << ": all arrived");
            NS_TEST_EXPECT_MSG_EQ(r.fabric.GetDrops(), 0, "seed " << seed << ": no drop");
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "seed " << seed << ": leak");
        return digest;
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 120; ++seed)
        {
            const uint64_t lazy = Run(seed, false, false);
            NS_TEST_EXPECT_MSG_EQ(Run(seed, true, false), lazy, "seed " << seed << ": eager");
            NS_TEST_EXPECT_MSG_EQ(Run(seed, false, true), lazy, "seed " << seed << ": sampled");
        }
    }

    std::string m_wrong;    //!< first imbalance
    uint32_t m_samples{0};  //!< samples taken
};

/** @brief Links fail and return in mid-traffic. */
class LinkFailureTestCase : public TestCase
{
  public:
    LinkFailureTestCase()
        : TestCase("links down and up in mid-traffic: credits right again, every frame accounted")
    {
    }

  private:
    uint64_t Run(uint32_t seed, bool eager)
    {
        uint64_t digest = 0;
        {
            RandomCredits r(seed, eager);
            FabricRandom random(seed, 5);
            for (int i = 0; i < 3; ++i)
            {
                auto victim = r.fabric.switches[random.Below(
                    static_cast<uint32_t>(r.fabric.switches.size()))];
                const auto port = static_cast<uint16_t>(random.Below(victim->GetNPorts()));
                const FabricPs down = 500 * NS + random.Below(4'000'000);
                const FabricPs up = down + 1 + random.Below(i == 0 ? 20'000 : 3'000'000);
                Simulator::Schedule(PicoSeconds(down), [=] { victim->SetLinkUp(port, false); });
                Simulator::Schedule(PicoSeconds(up), [=] { victim->SetLinkUp(port, true); });
                Simulator::Schedule(PicoSeconds(up), [&r, this] { Note(r.fabric); });
            }
            Simulator::Schedule(MicroSeconds(200), [] {}); // after the last "up"
            r.fabric.Run();
            digest = FabricStation::Trajectory().digest;
            NS_TEST_EXPECT_MSG_EQ(m_wrong, "", "seed " << seed << ": when it is up again");
            NS_TEST_EXPECT_MSG_EQ(r.fabric.ExplainRest(), "", "seed " << seed << ": afterwards");
            uint64_t answered = 0;
            uint64_t backlog = 0;
            for (auto& m : r.fabric.memories)
            {
                answered += m->received[static_cast<int>(MemoryOp::READ_REQUEST)].frames +
                            m->received[static_cast<int>(MemoryOp::FLUSH)].frames;
                backlog += m->GetBacklog();
            }
            NS_TEST_EXPECT_MSG_EQ(backlog, 0, "seed " << seed << ": traffic goes on");
            NS_TEST_EXPECT_MSG_EQ(FabricStation::Trajectory().delivered + r.fabric.GetDrops(),
                                  r.sent + answered,
                                  "seed " << seed << ": delivered or dropped");
            m_drops += r.fabric.GetDrops();
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "seed " << seed << ": leak");
        return digest;
    }

    void Note(CreditFabric& fabric)
    {
        m_wrong = m_wrong.empty() ? fabric.ExplainImbalance() : m_wrong;
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 80; ++seed)
        {
            const uint64_t lazy = Run(seed, false);
            NS_TEST_EXPECT_MSG_EQ(Run(seed, true), lazy, "seed " << seed << ": eager");
        }
        NS_TEST_EXPECT_MSG_GT(m_drops, 100, "the failures hit something");
    }

    std::string m_wrong; //!< first imbalance
    uint64_t m_drops{0}; //!< of all runs
};

/** @brief Corners that random runs meet rarely: all by hand. */
class CornerTestCase : public TestCase
{
  public:
    CornerTestCase()
        : TestCase("credits that come while nothing waits, or with a failing link")
    {
    }

  private:
    /** @brief Two classes wake up together; the first one's credits came while it was idle. */
    void IdleReturn()
    {
        CreditFabric f;
        f.MakeLine(1, LinkOf("nvlink3", 1, 4352 + 16));
        f.memories[0]->Send(Writes(1, 1));
        for (MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_RESPONSE})
        {
            RawMemory::Burst later = Writes(1, 1);
            later.op = op;
            later.start = 10 * US;
            f.memories[0]->Send(later);
        }
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].frames, 2, "both writes arrive");
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->lastTail,
                              10 * US + 2 * 4352 * 40 + 30 * NS,
                              "one behind the other");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
    }

    /** @brief A frame arrives in the very instant in which its link fails. */
    void FailsAtArrival(bool senderFirst)
    {
        CreditFabric f;
        const FabricPs arrival = 4352 * 40 + 30 * NS;
        Simulator::Schedule(PicoSeconds(arrival), [&f, senderFirst] {
            f.memories[senderFirst ? 0 : 1]->SetLinkUp(0, false);
        });
        Simulator::Schedule(PicoSeconds(arrival + NS), [&f, this] {
            f.memories[0]->SetLinkUp(0, true);
            m_wrong = f.ExplainImbalance();
        });
        f.MakeLine(1, LinkOf("nvlink3"));
        f.memories[0]->Send(Writes(1, 1));
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(m_wrong, "", "credits when the link is up again");
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].frames, 1, "it had arrived");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
    }

    /** @brief A long frame waited when the link failed; a short one fits what room is left. */
    void ShortAfterLong()
    {
        CreditFabric f;
        f.MakeLine(2, LinkOf("nvlink3", 1, 9000));
        f.memories[1]->consumeTime = 1'000'000 * US;
        f.memories[0]->Send(Writes(1, 3));
        RawMemory::Burst shortOne = Writes(1, 1, 64);
        shortOne.start = 20 * US;
        f.memories[0]->Send(shortOne);
        f.memories[0]->Send(Writes(1, 1)); // no room: what arrived before the failure still has it
        Simulator::Schedule(MicroSeconds(10), [&f] { f.switches[0]->SetLinkUp(1, false); });
        Simulator::Schedule(MicroSeconds(15), [&f] { f.switches[0]->SetLinkUp(1, true); });
        Simulator::Stop(MicroSeconds(30));
        f.Run();
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].bytes, 2 * FRAME + 64, "it fits");
        NS_TEST_EXPECT_MSG_EQ(f.GetDrops(), 1, "the one that waited is lost");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainImbalance(), "", "credits");
    }

    void DoRun() override
    {
        IdleReturn();
        Simulator::Destroy();
        FailsAtArrival(true);
        Simulator::Destroy();
        FailsAtArrival(false);
        Simulator::Destroy();
        ShortAfterLong();
        Simulator::Destroy();
    }

    std::string m_wrong; //!< first imbalance
};

/** @brief A frame that has nowhere to go gives its room back. */
class NoRouteTestCase : public TestCase
{
  public:
    NoRouteTestCase()
        : TestCase("frames without a route are counted and their room is given back")
    {
    }

  private:
    void DoRun() override
    {
        CreditFabric f;
        f.MakeLine(3, LinkOf("nvlink4"));
        f.memories[0]->Send(Writes(99, 50));
        f.memories[0]->Send(Writes(1, 50));
        f.Run();
        const FabricPortStats& stats = f.switches[0]->GetPort(0).stats;
        const auto reason = static_cast<uint8_t>(FabricDropReason::NO_ROUTE);
        NS_TEST_EXPECT_MSG_EQ(stats.dropsByReason[reason], 50, "counted where they came in");
        NS_TEST_EXPECT_MSG_EQ(f.memories[1]->received[0].frames, 50, "the others arrive");
        NS_TEST_EXPECT_MSG_EQ(f.ExplainRest(), "", "credits");
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "leak");
    }
};

/** @brief Set-ups that can never work are refused with the numbers. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
        : TestCase("frames longer than the peer's buffer and unlike ends are refused")
    {
    }

  private:
    template <typename F>
    void Expect(const std::string& what, F&& setUp)
    {
        std::string error;
        try
        {
            CreditFabric f;
            setUp(f);
        }
        catch (const FabricError& e)
        {
            error = e.what();
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_NE(error.find(what), std::string::npos, what << " in: " << error);
    }

    void DoRun() override
    {
        const auto small = [](CreditFabric& f) { f.MakeLine(2, LinkOf("nvlink3", 1, 4351)); };
        Expect("4096 data bytes", small);
        Expect("take 4352 bytes of buffer", small);
        Expect("has 4336 for each class", small);
        Expect("64 data bytes, which take 80", [](CreditFabric& f) {
            f.MakeStar(2, LinkOf("nvlink3", 1, 79));
            for (auto& m : f.memories)
            {
                m->SetAttribute("MaxPayload", UintegerValue(64));
            }
            f.Start();
        });
        Expect("8704 bytes will never fit", [](CreditFabric& f) {
            f.MakeLine(1, LinkOf("nvlink3", 1, 8000));
            // A frame of more than MaxPayload; asked outside of an event, as an event that throws
            // is never freed.
            static_cast<CreditFlowControl*>(f.memories[0]->GetPort(0).flow)->SetHead(0, 8704);
        });
        Expect("disagree about the link profile: 'nvlink4' and 'nvlink3'", [](CreditFabric& f) {
            f.MakeStar(2, LinkOf("nvlink3"));
            f.memories[1]->GetPort(0).link = &LinkProfile::Get("nvlink4");
            f.Start();
        });
        Expect("CreditFlowControl at both ends", [](CreditFabric& f) {
            f.MakeStar(2, LinkOf("nvlink3"));
            f.memories[1]->SetPortPolicies(0,
                                           CreateObject<NoFlowControl>(),
                                           CreateObject<StrictDwrrScheduler>());
            f.Start();
        });
    }
};

/** @brief Nothing is allocated per frame, and events are few. */
class CostTestCase : public TestCase
{
  public:
    CostTestCase()
        : TestCase("no heap in steady state; wakes per frame and hop stay bounded")
    {
    }

  private:
    /** @return wakes per hop */
    double Run(bool incast)
    {
        double wakesPerHop = 0;
        Simulator::SetScheduler(ObjectFactory("ns3::PriorityQueueScheduler"));
        {
            CreditFabric f;
            f.MakeStar(8, LinkOf("nvlink4", 4));
            f.Start();
            for (uint32_t i = 0; i < 8; ++i)
            {
                f.memories[i]->Send(Writes(incast ? (i == 0 ? 1 : 0) : (i + 3) % 8, 1'000'000));
            }
            uint64_t calls = 0;
            uint64_t hops = 0;
            Simulator::Schedule(MicroSeconds(100), [&] {
                calls = HeapCount::GetCalls();
                hops = FabricStation::Trajectory().hops;
            });
            Simulator::Schedule(MicroSeconds(400), [&] { calls = HeapCount::GetCalls() - calls; });
            Simulator::Stop(MicroSeconds(401));
            f.Run();
            const FabricTrajectory& t = FabricStation::Trajectory();
            NS_TEST_EXPECT_MSG_GT(t.hops - hops, 10'000, "a busy interval");
            if (HeapCount::IsActive())
            {
                NS_TEST_EXPECT_MSG_EQ(calls, 0, "allocations in " << t.hops - hops << " hops");
            }
            wakesPerHop = static_cast<double>(t.wakes) / static_cast<double>(t.hops);
        }
        Simulator::Destroy();
        return wakesPerHop;
    }

    void DoRun() override
    {
        // a wake of the egress for every hop, a drain for every frame consumed: 3 over 2 links
        NS_TEST_EXPECT_MSG_LT(Run(false), 1.51, "permutation");
        NS_TEST_EXPECT_MSG_LT(Run(true), 1.51, "incast: credits that come add no more");
    }
};

/** @brief The suite. */
class AiFabricCreditTestSuite : public TestSuite
{
  public:
    AiFabricCreditTestSuite()
        : TestSuite("ai-fabric-credit", Type::UNIT)
    {
        AddTestCase(new LatencyTestCase);
        AddTestCase(new FrameTestCase);
        AddTestCase(new WindowTestCase);
        AddTestCase(new ClassTestCase);
        AddTestCase(new HeadOfLineTestCase);
        AddTestCase(new ReplayTestCase);
        AddTestCase(new RandomCreditTestCase);
        AddTestCase(new LinkFailureTestCase);
        AddTestCase(new CornerTestCase);
        AddTestCase(new NoRouteTestCase);
        AddTestCase(new RefusalTestCase);
        AddTestCase(new CostTestCase);
    }

  private:
    void DoSetup() override
    {
        RawFabric::UsePicoseconds();
    }
};

AiFabricCreditTestSuite g_aiFabricCreditTestSuite; //!< the instance

} // namespace
