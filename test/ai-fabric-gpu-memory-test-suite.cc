/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-fabric.h"
#include "raw-fabric.h"

#include "ns3/fabric-port.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <functional>

using namespace ns3;

namespace
{

/** @brief Checks that are functions: build, run, compare. */
class FunctionTestCase : public TestCase
{
  public:
    /**
     * @param rule what must hold
     * @param check checks it
     */
    FunctionTestCase(const std::string& rule, std::function<void(FunctionTestCase&)> check)
        : TestCase(rule),
          m_check(std::move(check))
    {
    }

    /**
     * @param what for the message
     * @param actual measured
     * @param expected exact
     */
    void Same(const std::string& what, int64_t actual, int64_t expected)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, expected, what);
    }

    /**
     * @param what for the message
     * @param actual measured
     * @param expected value
     * @param part relative tolerance
     */
    void Near(const std::string& what, double actual, double expected, double part)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(actual, expected, expected * part, what);
    }

    /**
     * @param what for the message
     * @param holds must be true
     */
    void True(const std::string& what, bool holds)
    {
        NS_TEST_EXPECT_MSG_EQ(holds, true, what);
    }

  private:
    void DoRun() override
    {
        RawFabric::UsePicoseconds();
        m_check(*this);
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
    }

    std::function<void(FunctionTestCase&)> m_check; //!< what to run
};

/** One write over one NVLink: all its frames, the flush behind them, the way, and the ACK. */
void
WriteOverOneLink(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    for (const uint64_t bytes : {1ULL, 16ULL, 256ULL, 4096ULL, 10'000ULL, 1ULL << 20})
    {
        MemoryFabric f;
        f.Make(2);
        f.Link(0, 1, "nvlink3");
        f.Start();
        f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, bytes), f.File());
        Simulator::Run();
        uint64_t wire = bytes / 4096 * link.WireBytes(MemoryOp::WRITE, 4096);
        wire += bytes % 4096 > 0 ? link.WireBytes(MemoryOp::WRITE, bytes % 4096) : 0;
        const FabricPs there = rate.TxTime(wire + link.header) + link.latencyPs;
        const FabricPs back = rate.TxTime(link.answerHeader) + link.latencyPs;
        t.Same("completions", f.completions.size(), 1);
        t.Same("time of a write of " + std::to_string(bytes),
               f.completions.at(0).done,
               there + back);
        t.Same("bytes", f.completions.at(0).delivered, bytes);
        t.Same("failed", f.completions.at(0).failed, 0);
        t.Same("written", f.devices[1]->GetPeerStats(0).bytesWritten, bytes);
        t.True(f.ExplainImbalance(), f.ExplainImbalance().empty());
        Simulator::Destroy();
    }
}

/** @brief Memory of GPUs. */
class GpuMemoryTestSuite : public TestSuite
{
  public:
    GpuMemoryTestSuite()
        : TestSuite("ai-fabric-gpu-memory", Type::UNIT)
    {
        Add("a write takes its frames, a flush and an acknowledgement, to the picosecond",
            WriteOverOneLink);
    }

  private:
    void Add(const std::string& rule, std::function<void(FunctionTestCase&)> check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)), TestCase::Duration::QUICK);
    }
};

GpuMemoryTestSuite g_gpuMemoryTestSuite; //!< the suite

} // namespace
