/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Buffer ledgers: identities under random load, thresholds, resume rule, B5 (faults 1 to 3).
 */

#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-random.h"
#include "ns3/string.h"
#include "ns3/switch-buffer.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t GBPS = 1'000'000'000; //!< bits per second of a Gb/s

/**
 * @param n ports
 * @param lossless classes of each
 * @return equal ports, 100 Gb/s, 1 us
 */
std::vector<SwitchBufferPort>
Ports(uint32_t n, uint8_t lossless)
{
    SwitchBufferPort port;
    port.rate = FabricRate(100 * GBPS);
    port.delay = 1'000'000;
    port.losslessClasses = lossless;
    return std::vector<SwitchBufferPort>(n, port);
}

/** @brief One frame in the buffer. */
struct Frame
{
    uint16_t in;    //!< ingress port
    uint8_t vl;     //!< class
    uint32_t bytes; //!< length
};

TEST(SwitchBuffer, BudgetAddsUp)
{
    const auto buffer = CreateObject<SwitchBuffer>();
    buffer->Configure("s", Ports(16, 0x18));
    const SwitchBufferBudget& b = buffer->GetBudget();
    // 2 x 12,500 B of cable, 2 x 1100 B frames, 2 x 84 B pause frames (one per lossless class)
    EXPECT_EQ(b.maxHeadroom, 27'368U);
    EXPECT_EQ(b.minHeadroom, b.maxHeadroom);
    EXPECT_EQ(b.headroom, 32 * b.maxHeadroom);
    EXPECT_EQ(b.reserved, 32 * 4096U);
    EXPECT_EQ(b.lastFrames, 32 * 1100U);
    EXPECT_EQ(b.shared + b.headroom + b.reserved, b.size);
    EXPECT_EQ(b.size, 33'554'432U);
    EXPECT_EQ(buffer->GetHeadroom(3, 3), b.maxHeadroom);
    EXPECT_EQ(buffer->GetHeadroom(3, 2), 0U);
}

TEST(SwitchBuffer, HpccRuleB5)
{
    const auto buffer = CreateObject<SwitchBuffer>();
    buffer->SetAttribute("HeadroomRule", StringValue("hpcc"));
    buffer->SetAttribute("Size", UintegerValue(4'194'304));
    buffer->Configure("s", Ports(17, 0x08));
    const SwitchBufferBudget& b = buffer->GetBudget();
    EXPECT_EQ(b.maxHeadroom, 37'500U);
    EXPECT_EQ(b.reserved, 17 * 4096U);
    EXPECT_EQ(b.shared, 4'194'304U - 17 * 37'500U - 17 * 4096U);
    EXPECT_EQ(buffer->GetThreshold(), b.shared / 8);
    // one ingress fills: it is stopped when its shared bytes reach (shared - used) / 8
    uint64_t bytes = 0;
    SwitchBuffer::Verdict v{};
    while (!v.overStop)
    {
        v = buffer->Admit(0, 3, true, false, 0, 1036);
        ASSERT_TRUE(v.admitted);
        bytes += 1036;
        ASSERT_EQ(v.ingressBytes, bytes);
    }
    const uint64_t mine = bytes - 4096;
    EXPECT_GE(mine, (b.shared - mine) / 8);
    EXPECT_LT(mine - 1036, (b.shared - (mine - 1036)) / 8);
    // and let go 3 KB or more below
    while (!buffer->ShouldResume(0, 3))
    {
        buffer->Release(0, 3, 1036);
        bytes -= 1036;
    }
    const uint64_t left = bytes - 4096;
    EXPECT_LE(left + 3000, (b.shared - left) / 8);
    EXPECT_GT(left + 1036 + 3000, (b.shared - (left + 1036)) / 8);
}

TEST(SwitchBuffer, AlphaSharesSettleAtTheClosedForm)
{
    for (uint32_t n : {1, 2, 4, 16})
    {
        for (double alpha : {0.125, 1.0, 4.0})
        {
            const auto buffer = CreateObject<SwitchBuffer>();
            buffer->SetAttribute("Alpha", DoubleValue(alpha));
            buffer->SetAttribute("ReservedPerClass", UintegerValue(0));
            buffer->Configure("s", Ports(16, 0x08));
            std::vector<bool> stopped(n, false);
            std::vector<uint64_t> held(n, 0);
            for (uint32_t left = n; left > 0;)
            {
                for (uint16_t i = 0; i < n; ++i)
                {
                    if (!stopped[i])
                    {
                        const auto v = buffer->Admit(i, 3, true, false, 0, 1000);
                        ASSERT_TRUE(v.admitted);
                        held[i] += 1000;
                        stopped[i] = v.overStop;
                        left -= v.overStop;
                    }
                }
            }
            const double expected =
                alpha * static_cast<double>(buffer->GetBudget().shared) / (1 + alpha * n);
            for (uint16_t i = 0; i < n; ++i)
            {
                EXPECT_NEAR(static_cast<double>(held[i]), expected, 1000 * (1 + alpha * n)) << n;
            }
        }
    }
}

TEST(SwitchBuffer, StoppedClassUsesItsHeadroomAndThenDrops)
{
    const auto buffer = CreateObject<SwitchBuffer>();
    buffer->SetAttribute("StaticThreshold", UintegerValue(50'000));
    buffer->Configure("s", Ports(2, 0x08));
    const uint64_t headroom = buffer->GetBudget().maxHeadroom;
    bool stopped = false;
    while (!stopped)
    {
        stopped = buffer->Admit(0, 3, true, false, 0, 1000).overStop;
    }
    uint64_t more = 0;
    while (buffer->Admit(0, 3, true, true, 0, 1000).admitted)
    {
        more += 1000;
    }
    EXPECT_EQ(more, headroom / 1000 * 1000);
    EXPECT_EQ(buffer->GetMaxHeadroomUsed(), more);
    // the other ingress is not touched by that
    EXPECT_TRUE(buffer->Admit(1, 3, true, false, 0, 1000).admitted);
}

TEST(SwitchBuffer, LossyClassIsBoundedByItsEgressQueueAndLeavesRoomForLossless)
{
    const auto buffer = CreateObject<SwitchBuffer>();
    buffer->SetAttribute("Alpha", DoubleValue(64));
    buffer->SetAttribute("Size", UintegerValue(1'000'000));
    buffer->Configure("s", Ports(4, 0x08));
    uint64_t queue = 0;
    while (buffer->Admit(0, 0, false, false, queue, 1000).admitted)
    {
        queue += 1000;
    }
    const SwitchBufferBudget& b = buffer->GetBudget();
    EXPECT_LE(queue, b.shared - b.lastFrames);
    EXPECT_LE(queue, (b.shared - queue + 1000) * 64);
    // the frame that stops each lossless sender still fits outside the headroom
    for (uint16_t i = 0; i < 4; ++i)
    {
        SwitchBuffer::Verdict v{};
        while (!v.overStop)
        {
            v = buffer->Admit(i, 3, true, false, 0, 1100);
            ASSERT_TRUE(v.admitted);
        }
    }
    EXPECT_EQ(buffer->GetMaxHeadroomUsed(), 0U);
}

TEST(SwitchBuffer, IdentitiesUnderRandomLoad)
{
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        FabricRandom r(seed, 0);
        const auto buffer = CreateObject<SwitchBuffer>();
        const uint32_t ports = 2 + r.Below(6);
        const auto lossless = static_cast<uint8_t>(r.Below(256));
        buffer->SetAttribute("Alpha", DoubleValue(0.125 * (1 + r.Below(32))));
        buffer->SetAttribute("ReservedPerClass", UintegerValue(r.Below(2) * 4096));
        buffer->SetAttribute("Size", UintegerValue(2'000'000 + r.Below(1'000'000)));
        buffer->Configure("s", Ports(ports, lossless));
        const SwitchBufferBudget& b = buffer->GetBudget();
        std::vector<Frame> held;
        std::vector<uint64_t> of(ports * FABRIC_CLASSES, 0);
        std::vector<bool> stopped(ports * FABRIC_CLASSES, false);
        uint64_t total = 0;
        for (uint32_t step = 0; step < 5000; ++step)
        {
            if (r.Below(5) < 3)
            {
                const auto in = static_cast<uint16_t>(r.Below(ports));
                const auto vl = static_cast<uint8_t>(r.Below(8));
                const uint32_t bytes = 64 + r.Below(1037);
                const uint32_t key = in * FABRIC_CLASSES + vl;
                const bool isLossless = (lossless >> vl) & 1;
                const auto v = buffer->Admit(in, vl, isLossless, stopped[key], of[key], bytes);
                if (v.admitted)
                {
                    held.push_back({in, vl, bytes});
                    of[key] += bytes;
                    total += bytes;
                    stopped[key] = stopped[key] || (isLossless && v.overStop);
                    ASSERT_EQ(v.ingressBytes, of[key]) << seed;
                }
                else if (isLossless)
                {
                    ASSERT_TRUE(stopped[key]) << "a lossless drop without a stop, seed " << seed;
                }
            }
            else if (!held.empty())
            {
                const uint32_t i = r.Below(static_cast<uint32_t>(held.size()));
                const Frame f = held[i];
                held[i] = held.back();
                held.pop_back();
                buffer->Release(f.in, f.vl, f.bytes);
                const uint32_t key = f.in * FABRIC_CLASSES + f.vl;
                of[key] -= f.bytes;
                total -= f.bytes;
                if (stopped[key] && buffer->ShouldResume(f.in, f.vl))
                {
                    stopped[key] = false;
                }
            }
            ASSERT_EQ(buffer->GetHeld(), total) << seed;
            ASSERT_LE(buffer->GetUsed(), b.shared) << seed;
            ASSERT_LE(total, buffer->GetUsed() + b.reserved + b.headroom) << seed;
        }
        for (const Frame& f : held)
        {
            buffer->Release(f.in, f.vl, f.bytes);
        }
        EXPECT_EQ(buffer->GetHeld(), 0U) << seed;
        EXPECT_EQ(buffer->GetUsed(), 0U) << seed;
        for (uint32_t key = 0; key < of.size(); ++key)
        {
            EXPECT_TRUE(buffer->ShouldResume(key / FABRIC_CLASSES, key % FABRIC_CLASSES));
            EXPECT_FALSE(buffer->ShouldStop(key / FABRIC_CLASSES, key % FABRIC_CLASSES));
        }
    }
}

TEST(SwitchBuffer, WrongWordsAndImpossibleBudgetsAreRefused)
{
    const auto buffer = CreateObject<SwitchBuffer>();
    EXPECT_THROW(buffer->SetHeadroomRule("magic"), FabricError);
    buffer->SetAttribute("Size", UintegerValue(100'000));
    EXPECT_THROW(buffer->Configure("s", Ports(16, 0x08)), FabricError);
    EXPECT_NO_THROW(buffer->Configure("s", Ports(16, 0)));
}

} // namespace
