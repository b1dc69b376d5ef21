/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-count.h"
#include "rdma-line.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-error.h"
#include "ns3/frame-profile.h"
#include "ns3/link-profile.h"
#include "ns3/object-factory.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-pcie-profile.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <sstream>

using namespace ns3;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;
constexpr FabricPs DELAY = 1'000'000; //!< of the link, ps
constexpr uint32_t MTU = 1024;

/** @brief A way to memory, in numbers. */
struct Numbers
{
    FabricPs readLatency{500'000};  //!< ps
    FabricPs writeLatency{300'000}; //!< ps
    uint64_t readBps{200 * GIGA};   //!< bit/s
    uint64_t writeBps{160 * GIGA};  //!< bit/s
};

Ptr<RdmaPcieProfile>
MakeProfile(const Numbers& n)
{
    auto profile = CreateObject<RdmaPcieProfile>();
    profile->SetAttribute("ReadLatency", TimeValue(PicoSeconds(n.readLatency)));
    profile->SetAttribute("WriteLatency", TimeValue(PicoSeconds(n.writeLatency)));
    profile->SetAttribute("ReadRate", DataRateValue(DataRate(n.readBps)));
    profile->SetAttribute("WriteRate", DataRateValue(DataRate(n.writeBps)));
    return profile;
}

/** @brief Both NICs of a line get a profile each. */
void
Attach(RdmaLine& line, const Numbers& n)
{
    line.a->SetAttribute("DmaPath", PointerValue(MakeProfile(n)));
    line.b->SetAttribute("DmaPath", PointerValue(MakeProfile(n)));
}

/** @brief Times of one transfer alone, by the definition of the pieces. */
struct Closed
{
    FabricPs before; //!< the last but one packet is whole at the receiver's NIC
    FabricPs whole;  //!< the last packet is whole there
    FabricPs done;   //!< it is in memory there
};

/** @brief Fetches, frames, stores one behind the other, each as soon as the one before allows. */
Closed
Transfer(const Numbers& n, const std::vector<std::pair<uint32_t, uint32_t>>& frames, FabricPs begin)
{
    const FabricRate wire(100 * GIGA);
    FabricPs fetched = begin + n.readLatency;
    FabricPs sent = begin;
    FabricPs stored = 0;
    Closed closed{};
    for (const auto& [payload, wireBytes] : frames)
    {
        fetched += FabricRate(n.readBps).TxTime(payload);
        sent = std::max(sent, payload > 0 ? fetched : begin) + wire.TxTime(wireBytes);
        closed.before = closed.whole;
        closed.whole = sent + DELAY;
        stored = std::max(stored, closed.whole) + FabricRate(n.writeBps).TxTime(payload);
        closed.done = stored + (payload > 0 ? n.writeLatency : 0);
    }
    return closed;
}

/** @brief Payload and wire bytes of each frame of a WRITE or of a READ's answer. */
std::vector<std::pair<uint32_t, uint32_t>>
Frames(uint64_t bytes, bool read)
{
    const FrameProfile& profile = FrameProfile::Get("rocev2");
    std::vector<std::pair<uint32_t, uint32_t>> frames;
    const uint64_t count = bytes == 0 ? 1 : (bytes - 1) / MTU + 1;
    for (uint64_t i = 0; i < count; ++i)
    {
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(MTU, bytes - i * MTU));
        const bool last = i + 1 == count;
        uint8_t opcode = read ? BTH_RC_READ_RESPONSE_MIDDLE : BTH_RC_WRITE_MIDDLE;
        if (i == 0)
        {
            opcode = read ? (last ? BTH_RC_READ_RESPONSE_ONLY : BTH_RC_READ_RESPONSE_FIRST)
                          : (last ? BTH_RC_WRITE_ONLY : BTH_RC_WRITE_FIRST);
        }
        else if (last)
        {
            opcode = read ? BTH_RC_READ_RESPONSE_LAST : BTH_RC_WRITE_LAST;
        }
        frames.emplace_back(payload, profile.WireBytes(opcode, payload));
    }
    return frames;
}

/** @brief G9, G10: the profile's numbers are those of the table of links. */
class ProfileTestCase : public TestCase
{
  public:
    ProfileTestCase()
        : TestCase("G9, G10: rates of PCIe 3 to 6 slots after packet overhead; refused settings")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* link;
            double write; //!< GB/s
            double read;  //!< GB/s
        };

        for (const Row& row : {Row{"pcie3-x16", 14.40, 14.61},
                               Row{"pcie4-x16", 28.81, 29.22},
                               Row{"pcie5-x16", 57.61, 58.45},
                               Row{"pcie3-x8", 7.20, 7.305},
                               Row{"pcie6-x8", 60.5 * 0.9143, 60.5 * 0.9275}})
        {
            auto profile = CreateObject<RdmaPcieProfile>();
            profile->SetAttribute("Link", StringValue(row.link));
            DataRateValue read;
            DataRateValue write;
            profile->GetAttribute("ReadRate", read);
            profile->GetAttribute("WriteRate", write);
            const double gigabyte = 8e9;
            NS_TEST_EXPECT_MSG_EQ_TOL(write.Get().GetBitRate() / gigabyte,
                                      row.write,
                                      0.0012 * row.write,
                                      row.link << " writes");
            NS_TEST_EXPECT_MSG_EQ_TOL(read.Get().GetBitRate() / gigabyte,
                                      row.read,
                                      0.0012 * row.read,
                                      row.link << " reads");
        }
        RdmaLine line({});
        line.a->SetAttribute("Pcie", StringValue("pcie4-x8"));
        NS_TEST_EXPECT_MSG_EQ(line.a->GetPcie(), "pcie4-x8", "by name");
        Refused([&]() { line.a->SetPcie("pcie9-x16"); }, "unknown link");
        Refused([&]() { line.a->SetPcie("nvlink4"); }, "not PCIe");
        Refused([&]() { line.b->SetDmaPath(line.a->GetDmaPath()); }, "one path, two NICs");
        Refused([&]() { MakeProfile({0, 0, 0, 1}); }, "rate 0");
        line.Pair();
        Refused([&]() { line.a->SetPcie("pcie5-x16"); }, "queue pairs exist");
    }

    void Refused(const std::function<void()>& call, const char* what)
    {
        bool thrown = false;
        try
        {
            call();
        }
        catch (const FabricError&)
        {
            thrown = true;
        }
        NS_TEST_EXPECT_MSG_EQ(thrown, true, what);
    }
};

/** @brief Idle transfers over one hop take exactly the sum of their pieces. */
class IdleTestCase : public TestCase
{
  public:
    IdleTestCase()
        : TestCase("idle WRITE, SEND and READ: exact to the picosecond, told after the store")
    {
    }

  private:
    void Check(const Numbers& n, uint64_t bytes)
    {
        const FabricRate wire(100 * GIGA);
        const FrameProfile& profile = FrameProfile::Get("rocev2");
        const FabricPs ackTime = wire.TxTime(profile.WireBytes(BTH_RC_ACK, 0));
        std::ostringstream what;
        what << bytes << " B, " << n.readBps << ", " << n.writeBps;
        {
            RdmaLine line({});
            Attach(line, n);
            auto [qa, qb] = line.Pair();
            FabricPs told = 0;
            qb->SetDeliveryCallback(Callback<void, uint64_t, FabricPs>([&](uint64_t, FabricPs at) {
                told = at;
                m_late += at != FabricTime::Now() ? 1 : 0;
            }));
            qa->PostSend(line.Write(1, bytes));
            Simulator::Run();
            const Closed closed = Transfer(n, Frames(bytes, false), 0);
            NS_TEST_EXPECT_MSG_EQ(told, closed.done, "WRITE in memory, " << what.str());
            NS_TEST_EXPECT_MSG_EQ(qb->GetLastMessageAt(), closed.done, "the same");
            // the ACK speaks for the NIC, not for the memory behind it
            const FabricPs acked =
                std::max(closed.whole, closed.before + ackTime) + ackTime + DELAY;
            NS_TEST_EXPECT_MSG_EQ(line.doneA.at(0).at, acked, "ACK " << what.str());
        }
        {
            RdmaLine line({});
            Attach(line, n);
            auto [qa, qb] = line.Pair();
            ReceiveRequest rr;
            rr.length = bytes;
            qb->PostRecv(rr);
            qa->PostSend(line.Request(1, VerbsOpcode::SEND, bytes));
            Simulator::Run();
            // frames of a SEND carry no RETH
            const FabricPs reth = wire.TxTime(profile.WireBytes(BTH_RC_WRITE_ONLY, MTU)) -
                                  wire.TxTime(profile.WireBytes(BTH_RC_SEND_ONLY, MTU));
            const FabricPs done = Transfer(n, Frames(bytes, false), 0).done;
            NS_TEST_EXPECT_MSG_EQ(
                (line.doneB.at(0).at <= done && line.doneB.at(0).at >= done - reth),
                true,
                "SEND is told after the store, " << what.str());
            NS_TEST_EXPECT_MSG_EQ(line.doneB.at(0).at, qb->GetLastMessageAt(), "both at once");
            NS_TEST_EXPECT_MSG_EQ(line.late, 0, "told at their time");
        }
        {
            RdmaLine line({});
            Attach(line, n);
            auto [qa, qb] = line.Pair();
            qa->PostSend(line.Request(1, VerbsOpcode::RDMA_READ, bytes));
            Simulator::Run();
            const FabricPs asked = wire.TxTime(profile.WireBytes(BTH_RC_READ_REQUEST, 0)) + DELAY;
            NS_TEST_EXPECT_MSG_EQ(line.doneA.at(0).at,
                                  Transfer(n, Frames(bytes, true), asked).done,
                                  "READ in memory, " << what.str());
            NS_TEST_EXPECT_MSG_EQ(line.late, 0, "told at its time");
        }
    }

    void DoRun() override
    {
        // rates whose times are whole picoseconds, so that sums need no rounding
        for (const uint64_t read : {200 * GIGA, 50 * GIGA, 100 * GIGA})
        {
            for (const uint64_t write : {160 * GIGA, 40 * GIGA})
            {
                for (const uint64_t bytes : {0, 1, 1023, 1024, 1025, 4096, 100'000})
                {
                    Check({500'000, 300'000, read, write}, bytes);
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(m_late, 0, "deliveries told at their time");
    }

    uint64_t m_late{0}; //!< deliveries told at another time
};

/** @brief Inline data is not fetched; the older latencies come on top. */
class CombineTestCase : public TestCase
{
  public:
    CombineTestCase()
        : TestCase("inline skips the fetch; DoorbellLatency and DmaReadLatency come on top")
    {
    }

  private:
    FabricPs Run(FabricPs doorbell, FabricPs dma, uint32_t inlined, uint8_t flags = 0)
    {
        RdmaLine line({});
        Attach(line, {});
        line.a->SetAttribute("DoorbellLatency", TimeValue(PicoSeconds(doorbell)));
        line.a->SetAttribute("DmaReadLatency", TimeValue(PicoSeconds(dma)));
        line.a->SetAttribute("InlineThreshold", UintegerValue(inlined));
        auto [qa, qb] = line.Pair();
        WorkRequest wr = line.Write(1, 200);
        wr.flags |= flags;
        qa->PostSend(wr);
        Simulator::Run();
        m_fetched = line.a->GetDmaPath()->GetFetchedBytes();
        NS_TEST_EXPECT_MSG_EQ(line.b->GetDmaPath()->GetStoredBytes(), 200, "stored");
        return line.doneA.at(0).at;
    }

    void DoRun() override
    {
        const FabricPs fetch = 500'000 + FabricRate(200 * GIGA).TxTime(200);
        const FabricPs base = Run(0, 0, 0);
        NS_TEST_EXPECT_MSG_EQ(m_fetched, 200, "fetched");
        NS_TEST_EXPECT_MSG_EQ(Run(0, 0, 200), base - fetch, "inline by size");
        NS_TEST_EXPECT_MSG_EQ(m_fetched, 0, "not fetched");
        NS_TEST_EXPECT_MSG_EQ(Run(0, 0, 0, VERBS_SEND_INLINE), base - fetch, "inline by flag");
        NS_TEST_EXPECT_MSG_EQ(Run(300'001, 0, 0), base + 300'001, "doorbell");
        NS_TEST_EXPECT_MSG_EQ(Run(0, 900'000, 0), base + 900'000, "DMA read latency on top");
        NS_TEST_EXPECT_MSG_EQ(Run(5, 900'000, 200), base - fetch + 5, "inline has none of them");
    }

    uint64_t m_fetched{0}; //!< by the sender
};

/** @brief A slot slower than the wire sets the rate, and queue pairs share it. */
class ThrottleTestCase : public TestCase
{
  public:
    ThrottleTestCase()
        : TestCase("PCIe slower than the wire: its rate within 0.1 %, shared in turns")
    {
    }

  private:
    /** @brief Goodput in bit/s at b, from the first message to the last, for each queue pair. */
    std::vector<double> Measure(const Numbers& n, int pairs, VerbsOpcode opcode, uint64_t prefetch)
    {
        RdmaLine line({});
        Attach(line, n);
        line.a->SetAttribute("PrefetchBytes", UintegerValue(prefetch));
        line.b->SetAttribute("PrefetchBytes", UintegerValue(prefetch));
        std::vector<uint64_t> bytes(pairs, 0);
        std::vector<Ptr<VerbsQueuePair>> qps;
        constexpr uint64_t SIZE = 64 * 1024;
        for (int i = 0; i < pairs; ++i)
        {
            qps.push_back(line.Pair().first);
            for (uint64_t k = 0; k < 200; ++k)
            {
                qps.back()->PostSend(line.Request(i, opcode, SIZE));
            }
        }
        const auto count = [&]() {
            for (int i = 0; i < pairs; ++i)
            {
                line.a->CatchUp();
                line.b->CatchUp();
                const auto other = line.b->GetQueuePair(i);
                bytes[i] =
                    std::max(qps[i]->GetCounters().delivered, other->GetCounters().delivered);
            }
        };
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        count();
        const std::vector<uint64_t> before = bytes;
        Simulator::Stop(MicroSeconds(1000));
        Simulator::Run();
        count();
        std::vector<double> rates;
        for (int i = 0; i < pairs; ++i)
        {
            rates.push_back(8.0 * static_cast<double>(bytes[i] - before[i]) / 1000e-6);
        }
        return rates;
    }

    void DoRun() override
    {
        Numbers slow;
        slow.readBps = 40 * GIGA;
        for (const auto opcode : {VerbsOpcode::RDMA_WRITE, VerbsOpcode::RDMA_READ})
        {
            const double rate = Measure(slow, 1, opcode, 128 << 10).at(0);
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, 40e9, 40e6, "throttled");
            const auto both = Measure(slow, 2, opcode, 128 << 10);
            NS_TEST_EXPECT_MSG_EQ_TOL(both[0], 20e9, 20e6, "half each");
            NS_TEST_EXPECT_MSG_EQ_TOL(both[1], 20e9, 20e6, "half each");
        }
        // reads that do not run ahead far enough: so many bytes a latency, no more
        const Numbers fast{2'000'000, 0, 400 * GIGA, 400 * GIGA};
        const double frame = FrameProfile::Get("rocev2").BufferBytes(BTH_RC_WRITE_MIDDLE, MTU);
        const uint64_t ahead = 8 * static_cast<uint64_t>(frame);
        const double period = 2e-6 + (8 * 8.0 * MTU) / 400e9; // of 8 packets, wire hidden: a bound
        const double starved = Measure(fast, 1, VerbsOpcode::RDMA_WRITE, ahead).at(0);
        NS_TEST_EXPECT_MSG_LT(starved, 8 * 8.0 * MTU / 2e-6, "less than bytes ahead a latency");
        NS_TEST_EXPECT_MSG_GT(starved, 0.9 * 8 * 8.0 * MTU / period, "and not much less");
        const double full = Measure(fast, 1, VerbsOpcode::RDMA_WRITE, 128 << 10).at(0);
        NS_TEST_EXPECT_MSG_EQ_TOL(full,
                                  FrameProfile::Get("rocev2").WriteGoodputBps(100e9, 65536, MTU),
                                  0.001 * 100e9,
                                  "line rate with the default");
    }
};

/** @brief Regions in a GPU's memory take that memory's way. */
class MemoryTestCase : public TestCase
{
  public:
    MemoryTestCase()
        : TestCase("regions in GPU memory take its latency and rate, others those of the host")
    {
    }

  private:
    /** @brief Time at which one message is in the memory of its receiver. */
    FabricPs Run(uint32_t from, uint32_t to, VerbsOpcode opcode)
    {
        RdmaLine line({});
        Attach(line, {});
        for (const auto& nic : {line.a, line.b})
        {
            const auto profile = DynamicCast<RdmaPcieProfile>(nic->GetDmaPath());
            profile->SetWay(
                3,
                {NanoSeconds(1200), NanoSeconds(700), DataRate(20 * GIGA), DataRate(10 * GIGA)});
        }
        auto [qa, qb] = line.Pair();
        const auto local =
            line.a->RegisterMemory(line.a->GetDefaultDomain(), 0, 1 << 20, 0x0f, from);
        const auto remote =
            line.b->RegisterMemory(line.b->GetDefaultDomain(), 0, 1 << 20, 0x0f, to);
        WorkRequest wr = line.Request(1, opcode, 1000);
        wr.lkey = local->GetLkey();
        wr.rkey = remote->GetRkey();
        if (opcode == VerbsOpcode::SEND)
        {
            qb->PostRecv({1, 0, remote->GetLkey(), 1000});
        }
        qa->PostSend(wr);
        Simulator::Run();
        return opcode == VerbsOpcode::RDMA_READ ? line.doneA.at(0).at : qb->GetLastMessageAt();
    }

    void DoRun() override
    {
        const auto time = [](uint64_t bps) { return FabricRate(bps).TxTime(1000); };
        const FabricPs slowRead = 700'000 + time(20 * GIGA) - time(200 * GIGA);
        const FabricPs slowWrite = 400'000 + time(10 * GIGA) - time(160 * GIGA);
        for (const auto opcode : {VerbsOpcode::RDMA_WRITE, VerbsOpcode::SEND})
        {
            const FabricPs base = Run(0, 0, opcode);
            NS_TEST_EXPECT_MSG_EQ(Run(3, 0, opcode), base + slowRead, "from the GPU");
            NS_TEST_EXPECT_MSG_EQ(Run(0, 3, opcode), base + slowWrite, "to the GPU");
            NS_TEST_EXPECT_MSG_EQ(Run(3, 3, opcode), base + slowRead + slowWrite, "both");
            NS_TEST_EXPECT_MSG_EQ(Run(7, 7, opcode), base, "a memory without a way of its own");
        }
        const FabricPs base = Run(0, 0, VerbsOpcode::RDMA_READ);
        NS_TEST_EXPECT_MSG_EQ(Run(3, 0, VerbsOpcode::RDMA_READ), base + slowWrite, "READ to it");
        NS_TEST_EXPECT_MSG_EQ(Run(0, 3, VerbsOpcode::RDMA_READ), base + slowRead, "READ from it");
    }
};

/** @brief A path that answers by events what a profile answers at once. */
class EventPath : public RdmaDmaPath
{
  public:
    Ptr<RdmaPcieProfile> profile; //!< does the sums

  private:
    bool DoIsTimed() const override
    {
        return false;
    }

    FabricPs DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag) override
    {
        m_inexact += now != FabricTime::Now() ? 1 : 0;
        At(profile->Fetch(memory, bytes, now, tag), [this, tag]() { m_client->FetchDone(tag); });
        return FABRIC_NEVER;
    }

    Landing DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag) override
    {
        m_inexact += at != FabricTime::Now() ? 1 : 0;
        const Landing landing = profile->Store(memory, bytes, at, tag);
        At(landing.left, [this, bytes]() { m_client->StoreLeft(bytes); });
        At(landing.done, [this, tag]() { m_client->StoreDone(tag); });
        return {FABRIC_NEVER, FABRIC_NEVER};
    }

    void At(FabricPs at, const std::function<void()>& call)
    {
        const Ptr<EventPath> self(this);
        Simulator::Schedule(FabricTime::To(at - FabricTime::Now()), [self, call]() {
            if (self->m_client != nullptr)
            {
                call();
            }
        });
    }

  public:
    uint64_t m_inexact{0}; //!< calls that did not come at their time
};

/** @brief Everything at once: lazy equals eager, a path that calls back equals one that knows. */
class MixTestCase : public TestCase
{
  public:
    MixTestCase()
        : TestCase("all services with losses, marks, windows, a full buffer: lazy == eager")
    {
    }

  private:
    struct Setup
    {
        uint64_t window;
        uint64_t rxBuffer;
        uint64_t prefetch;
        bool events;
        bool losses;
    };

    std::string Run(const Setup& setup)
    {
        RdmaLine::Options options;
        options.relay = setup.losses;
        options.congestion = CreateObject<RdmaDcqcn>();
        RdmaLine line(options);
        const Numbers n{500'123, 300'077, 80 * GIGA + 7, 60 * GIGA + 11};
        std::vector<Ptr<EventPath>> paths;
        for (const auto& nic : {line.a, line.b})
        {
            const auto profile = MakeProfile(n);
            profile->SetWay(1,
                            {NanoSeconds(1300), NanoSeconds(650), DataRate(), DataRate(30 * GIGA)});
            Ptr<RdmaDmaPath> path = profile;
            if (setup.events)
            {
                paths.push_back(CreateObject<EventPath>());
                paths.back()->profile = profile;
                path = paths.back();
            }
            nic->SetAttribute("DmaPath", PointerValue(path));
            nic->SetAttribute("Window", UintegerValue(setup.window));
            nic->SetAttribute("RxBuffer", UintegerValue(setup.rxBuffer));
            nic->SetAttribute("PrefetchBytes", UintegerValue(setup.prefetch));
            nic->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(200)));
            nic->SetAttribute("InlineThreshold", UintegerValue(64));
        }
        if (!setup.losses)
        {
            Lossless(line);
        }
        else
        {
            line.relay->script = [count = 0](FabricPacket& p) mutable {
                ++count;
                p.flags |= (p.flags & FABRIC_ECT) && count % 37 == 0 ? FABRIC_CE : 0;
                return count % 211 == 0;
            };
        }
        Post(line);
        Simulator::Run();
        for (const auto& path : paths)
        {
            NS_TEST_EXPECT_MSG_EQ(path->m_inexact, 0, "an untimed path is asked at the time");
        }
        NS_TEST_EXPECT_MSG_EQ(line.late, 0, "completions are told at their time");
        m_most = line.b->GetMostRxBuffer();
        m_drops = Drops(line);
        return line.Describe();
    }

    /** @brief Traffic of all kinds in both directions, in two classes and two memories. */
    void Post(RdmaLine& line)
    {
        const auto gpuA = line.a->RegisterMemory(line.a->GetDefaultDomain(), 0, ~0ULL, 0x0f, 1);
        const auto gpuB = line.b->RegisterMemory(line.b->GetDefaultDomain(), 0, ~0ULL, 0x0f, 1);
        uint64_t id = 0;
        for (int i = 0; i < 6; ++i)
        {
            VerbsQpAttributes attributes;
            attributes.trafficClass = i == 5 ? 2 : 3;
            const auto type = i == 3 ? VerbsQpType::UC : VerbsQpType::RC;
            auto [qa, qb] = line.Pair(type, attributes);
            for (uint64_t k = 0; k < 24; ++k)
            {
                const uint64_t size = FabricRandom::Mix(i * 100 + k) % 30'000;
                VerbsOpcode opcode = k % 5 == 1 ? VerbsOpcode::SEND : VerbsOpcode::RDMA_WRITE;
                if (type == VerbsQpType::RC && k % 5 >= 3)
                {
                    opcode =
                        k % 5 == 3 ? VerbsOpcode::RDMA_READ : VerbsOpcode::ATOMIC_FETCH_AND_ADD;
                }
                WorkRequest wr = line.Request(++id, opcode, size);
                wr.lkey = k % 3 == 0 ? gpuA->GetLkey() : 0;
                wr.rkey = k % 4 == 0 ? gpuB->GetRkey() : wr.rkey;
                qb->PostRecv({id, 0, k % 2 == 0 ? gpuB->GetLkey() : 0, 100'000});
                qa->PostSend(wr);
                WorkRequest back = line.Request(++id, VerbsOpcode::RDMA_WRITE, size / 2);
                back.rkey = line.a->GetDefaultRegion()->GetRkey();
                qb->PostSend(back);
            }
        }
        auto [ua, ub] = line.Pair(VerbsQpType::UD);
        for (uint64_t k = 0; k < 20; ++k)
        {
            WorkRequest wr = line.Request(++id, VerbsOpcode::SEND, 900 - k);
            wr.remoteEndpoint = 1;
            wr.remoteQpn = ub->GetQpn();
            ub->PostRecv({id, 0, 0, 2000});
            ua->PostSend(wr);
        }
    }

    static void Lossless(RdmaLine& line)
    {
        for (const auto& nic : {line.a, line.b})
        {
            auto pfc = CreateObject<PfcFlowControl>();
            pfc->SetAttribute("LosslessClasses", UintegerValue(0xff));
            nic->SetPortPolicies(0, pfc, CreateObject<StrictDwrrScheduler>());
        }
    }

    static uint64_t Drops(RdmaLine& line)
    {
        uint64_t drops = 0;
        for (const auto& nic : {line.a, line.b})
        {
            for (const auto& stats : nic->GetPort(0).stats.of)
            {
                drops += stats.drops;
            }
        }
        return drops;
    }

    void DoRun() override
    {
        constexpr uint64_t FAR = 128 << 10;
        for (const Setup& setup : {Setup{0, 0, FAR, false, false},
                                   Setup{0, 0, FAR, false, true},
                                   Setup{20'000, 0, 9'000, false, true},
                                   Setup{0, 80'000, FAR, false, false},
                                   Setup{30'000, 80'000, FAR, false, true},
                                   Setup{0, 0, FAR, true, false},
                                   Setup{0, 80'000, 20'000, true, false},
                                   Setup{0, 0, FAR, true, true}})
        {
            std::ostringstream name;
            name << setup.window << ' ' << setup.rxBuffer << ' ' << setup.prefetch << ' '
                 << setup.events << ' ' << setup.losses;
            std::string outcome;
            const auto scenario = [&]() { return outcome = Run(setup); };
            NS_TEST_EXPECT_MSG_EQ(LazyEqualsEager(scenario), "", name.str());
            if (!setup.losses)
            {
                NS_TEST_EXPECT_MSG_EQ(m_drops, 0, "lossless: " << name.str());
                Setup other = setup;
                other.events = !setup.events;
                NS_TEST_EXPECT_MSG_EQ(Run(other), outcome, "told or known, " << name.str());
            }
            if (setup.rxBuffer > 0)
            {
                NS_TEST_EXPECT_MSG_GT(m_most, 0, "the buffer is used");
                NS_TEST_EXPECT_MSG_LT_OR_EQ(m_most, setup.rxBuffer, "the buffer's limit holds");
            }
        }
    }

    uint64_t m_most{0};  //!< in b's receive buffer
    uint64_t m_drops{0}; //!< by both NICs
};

/** @brief A slow way to memory pushes back by PFC, or drops in a lossy class. */
class PushBackTestCase : public TestCase
{
  public:
    PushBackTestCase()
        : TestCase("RxBuffer: PFC throttles the sender to WriteRate without loss; lossy drops")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool lossless : {true, false})
        {
            RdmaLine line({});
            Numbers n;
            n.writeBps = 25 * GIGA;
            Attach(line, n);
            line.b->SetAttribute("RxBuffer", UintegerValue(128 << 10));
            line.a->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(200)));
            for (const auto& nic : {line.a, line.b})
            {
                auto pfc = CreateObject<PfcFlowControl>();
                pfc->SetAttribute("LosslessClasses", UintegerValue(lossless ? 1 << 3 : 0));
                nic->SetPortPolicies(0, pfc, CreateObject<StrictDwrrScheduler>());
            }
            auto [qa, qb] = line.Pair();
            std::vector<FabricPs> in;
            qb->SetDeliveryCallback(Callback<void, uint64_t, FabricPs>(
                [&in](uint64_t, FabricPs at) { in.push_back(at); }));
            for (uint64_t k = 0; k < 100; ++k)
            {
                qa->PostSend(line.Write(k, 65536));
            }
            Simulator::Run();
            const auto& stats = line.b->GetPort(0).stats.of[3];
            NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 100, "all complete");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(line.b->GetMostRxBuffer(), 128 << 10, "limit");
            if (lossless)
            {
                const double rate = 8e12 * 65536 * 90 / static_cast<double>(in.at(95) - in.at(5));
                NS_TEST_EXPECT_MSG_EQ(stats.drops, 0, "no loss");
                NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().retransmits, 0, "no repetition");
                NS_TEST_EXPECT_MSG_GT(stats.xoffTx, 0, "stopped");
                NS_TEST_EXPECT_MSG_GT(stats.xonTx, 0, "resumed");
                NS_TEST_EXPECT_MSG_EQ_TOL(rate, 25e9, 25e6, "WriteRate");
            }
            else
            {
                NS_TEST_EXPECT_MSG_GT(stats.drops, 0, "dropped");
                NS_TEST_EXPECT_MSG_EQ(stats.xoffTx, 0, "nobody is stopped");
                NS_TEST_EXPECT_MSG_EQ(qb->GetCounters().messagesIn, 100, "repaired");
            }
        }
    }
};

/** @brief Order where staging could break it, and ends in the middle of things. */
class OrderTestCase : public TestCase
{
  public:
    OrderTestCase()
        : TestCase("answers stay in order; UC completes when sent; failures leave nothing behind")
    {
    }

  private:
    void Answers()
    {
        RdmaLine line({});
        Attach(line, {});
        auto [qa, qb] = line.Pair();
        qa->PostSend(line.Request(1, VerbsOpcode::RDMA_READ, 20'000));
        qa->PostSend(line.Request(2, VerbsOpcode::ATOMIC_FETCH_AND_ADD, 8));
        qa->PostSend(line.Request(3, VerbsOpcode::RDMA_READ, 3'000));
        WorkRequest bad = line.Write(4, 100);
        bad.rkey = 0xdead00;
        qa->PostSend(bad);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 4, "all told");
        for (size_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(line.doneA[i].wrId, i + 1, "in order");
            NS_TEST_EXPECT_MSG_EQ((line.doneA[i].status == VerbsWcStatus::SUCCESS), true, i);
        }
        NS_TEST_EXPECT_MSG_EQ((line.doneA[3].status == VerbsWcStatus::REM_ACCESS_ERR), true, "NAK");
        NS_TEST_EXPECT_MSG_EQ(qa->GetCounters().retransmits, 0, "nothing asked twice");
    }

    void Unreliable()
    {
        RdmaLine line({});
        Attach(line, {});
        line.Record();
        auto [qa, qb] = line.Pair(VerbsQpType::UC);
        qa->PostSend(line.Write(1, 5'000));
        qa->PostSend(line.Write(2, 0));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(line.doneA.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[0].at, line.sentA.at(4).first, "when its last leaves");
        NS_TEST_EXPECT_MSG_EQ(line.doneA[1].at, line.sentA.at(5).first, "the same");
    }

    /** @brief Cut, reset or destroy at many times; the pool must be empty in the end. */
    void Cut(FabricPs at, int how)
    {
        RdmaLine line({});
        Attach(line, {});
        line.a->SetAttribute("RetryTimeout", TimeValue(MicroSeconds(20)));
        auto [qa, qb] = line.Pair();
        auto other = line.Pair(VerbsQpType::UC);
        for (uint64_t k = 0; k < 4; ++k)
        {
            qa->PostSend(line.Write(k, 30'000));
            qa->PostSend(line.Request(k, VerbsOpcode::RDMA_READ, 30'000));
            other.first->PostSend(line.Write(k, 10'000));
        }
        const auto cut = [&line, how, a = qa, b = qb, o = other]() {
            switch (how)
            {
            case 0:
                line.a->SetLinkUp(0, false);
                break;
            case 1:
                line.a->DestroyQueuePair(a);
                line.a->DestroyQueuePair(o.first);
                break;
            case 2:
                line.b->DestroyQueuePair(b);
                break;
            case 3:
                a->Modify(VerbsQpState::RESET, VerbsQpAttributes());
                o.first->Modify(VerbsQpState::RESET, VerbsQpAttributes());
                break;
            default:
                a->Modify(VerbsQpState::ERR, VerbsQpAttributes());
                break;
            }
        };
        Simulator::Schedule(FabricTime::To(at), cut);
        Simulator::Run();
        uint64_t told = 0;
        for (const auto& wc : line.doneA)
        {
            told += wc.qpNum == qa->GetQpn() ? 1 : 0;
        }
        const bool all = how == 0 || how == 2 || how == 4;
        NS_TEST_EXPECT_MSG_EQ((told == 8 || !all), true, "every request is told of " << how);
        NS_TEST_EXPECT_MSG_EQ(line.late, 0, "at its time");
    }

    void DoRun() override
    {
        Answers();
        Unreliable();
        for (int how = 0; how < 5; ++how)
        {
            for (FabricPs at = 1; at < 30'000'000; at += 1'234'567)
            {
                Cut(at, how);
                NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, how << " at " << at);
            }
        }
    }
};

/** @brief No heap traffic with a path once everything has its size. */
class DmaHeapTestCase : public TestCase
{
  public:
    DmaHeapTestCase()
        : TestCase("with a path: no heap allocation per packet in steady state")
    {
    }

  private:
    void DoRun() override
    {
        ObjectFactory scheduler;
        scheduler.SetTypeId("ns3::PriorityQueueScheduler"); // a vector; ns-3's default allocates
        Simulator::SetScheduler(scheduler);
        RdmaLine::Options options;
        options.congestion = CreateObject<RdmaDcqcn>();
        RdmaLine line(options);
        Attach(line, {});
        line.b->SetAttribute("RxBuffer", UintegerValue(256 << 10));
        for (int i = 0; i < 8; ++i)
        {
            auto [qa, qb] = line.Pair();
            for (uint64_t k = 0; k < 1000; ++k)
            {
                const bool read = i % 2 == 1;
                qa->PostSend(line.Request(k,
                                          read ? VerbsOpcode::RDMA_READ : VerbsOpcode::RDMA_WRITE,
                                          40'000));
            }
        }
        line.doneA.reserve(100'000);
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        const uint64_t hops = FabricStation::Trajectory().hops;
        const uint64_t calls = HeapCount::GetCalls();
        Simulator::Stop(MilliSeconds(6));
        Simulator::Run();
        const uint64_t used = HeapCount::GetCalls() - calls;
        NS_TEST_EXPECT_MSG_GT(FabricStation::Trajectory().hops - hops, 50'000, "packets moved");
        // Simulator::Stop() makes one event
        NS_TEST_EXPECT_MSG_LT_OR_EQ(used, 4, "allocations in 6 ms of traffic");
    }
};

/** @brief The suite. */
class AiFabricNicDmaTestSuite : public TestSuite
{
  public:
    AiFabricNicDmaTestSuite()
        : TestSuite("ai-fabric-nic-dma", Type::UNIT)
    {
        AddTestCase(new ProfileTestCase);
        AddTestCase(new IdleTestCase);
        AddTestCase(new CombineTestCase);
        AddTestCase(new ThrottleTestCase);
        AddTestCase(new MemoryTestCase);
        AddTestCase(new MixTestCase);
        AddTestCase(new PushBackTestCase);
        AddTestCase(new OrderTestCase);
        AddTestCase(new DmaHeapTestCase);
    }

  private:
    void DoSetup() override
    {
        RdmaLine::UsePicoseconds();
    }
};

AiFabricNicDmaTestSuite g_aiFabricNicDmaTestSuite; //!< the instance

} // namespace
