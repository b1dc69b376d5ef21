/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief DCQCN's limits, time, counters and attributes (faults 13, 26, 28, 30).
 */

#include "dcqcn-flow.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-fixed-rate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dcqcntest;

namespace
{

// ---- clamps and limits -------------------------------------------------------------------------

/**
 * @brief Cut, one timer increase, second cut.
 * @param clamp ClampTargetRate
 * @param afterTime ClampTargetRateAfterTime
 * @return target rate after the second cut divided by the rate before it
 */
double
TargetOverRate(int clamp, int afterTime)
{
    Flow f("connectx");
    f.With("ClampTargetRate", std::to_string(clamp))
        .With("ClampTargetRateAfterTime", std::to_string(afterTime))
        .Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->Advance(f.state, 304 * US);
    const double before = f.state.rateBps;
    f.cc->OnCnp(f.state, 305 * US);
    f.cc->Advance(f.state, 308 * US);
    return f.cc->GetTargetRate() / before;
}

// Each clamp flag alone makes the target follow the rate; with neither it stays.
TEST(DcqcnTest, ClampFlags)
{
    EXPECT_DOUBLE_EQ(TargetOverRate(1, 0), 1);
    EXPECT_DOUBLE_EQ(TargetOverRate(0, 1), 1);
    EXPECT_DOUBLE_EQ(TargetOverRate(1, 1), 1);
    EXPECT_GT(TargetOverRate(0, 0), 1.01);
}

// ClampTargetRate 0 and no increase between two cuts: the target stays where it was.
TEST(DcqcnTest, NoIncreaseNoClamp)
{
    Flow f("connectx");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnCnp(f.state, 5 * US);
    f.cc->Advance(f.state, 8 * US);
    EXPECT_EQ(f.cc->GetCounters().rateCuts, 2u);
    ExpectRel(f.cc->GetTargetRate(), 100e9);
    // A byte counter increase alone does move it, with both flags off.
    Flow g("connectx");
    g.With("ByteReset", "1000").With("ClampTargetRateAfterTime", "0").Init();
    g.cc->OnCnp(g.state, 0);
    g.cc->OnSent(g.state, 1000, 5 * US);
    const double before = g.state.rateBps;
    g.cc->OnCnp(g.state, 6 * US);
    g.cc->Advance(g.state, 8 * US);
    ExpectRel(g.cc->GetTargetRate(), before);
}

// One cut leaves at least MinDecreaseFactor of the rate.
TEST(DcqcnTest, MinDecreaseFactor)
{
    Flow f("connectx");
    f.With("MinDecreaseFactor", "0.9").Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->Advance(f.state, 4 * US);
    ExpectRel(f.state.rateBps, 90e9);
}

// The rate stops at MinRate, every profile, and comes back from there to the line rate.
TEST(DcqcnTest, MinRateAndBack)
{
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        Flow f(name);
        f.Init();
        FabricPs now = 0;
        for (int k = 0; k < 200; ++k)
        {
            now += 4 * US;
            f.cc->OnCnp(f.state, now);
        }
        f.cc->Advance(f.state, now + 4 * US);
        EXPECT_EQ(f.state.rateBps, f.cc->GetParameters().minRate.GetBitRate()) << name;
        f.cc->Advance(f.state, now + HOUR);
        EXPECT_EQ(f.state.rateBps, 100e9) << name;
        EXPECT_EQ(f.cc->GetTargetRate(), 100e9) << name; // never above the line rate
        EXPECT_EQ(f.cc->NextDeadline(), FABRIC_NEVER) << name;
    }
}

// A MinRate above the line rate never raises the rate.
TEST(DcqcnTest, MinRateAboveLine)
{
    Flow f("paper2015", 10e6);
    f.With("MinRate", "1Gb/s").Init();
    f.cc->OnCnp(f.state, 0);
    EXPECT_EQ(f.state.rateBps, 10e6);
    EXPECT_EQ(f.cc->GetCounters().rateCuts, 0u);
}

// RateOnFirstCnp: the first CNP starts the limiter there, the cut follows at the tick.
TEST(DcqcnTest, RateOnFirstCnp)
{
    Flow f("connectx");
    f.With("RateOnFirstCnp", "10Gb/s").Init();
    f.cc->OnCnp(f.state, 0);
    EXPECT_EQ(f.state.rateBps, 10e9);
    ExpectRel(f.cc->GetTargetRate(), 10e9);
    f.cc->Advance(f.state, 4 * US);
    ExpectRel(f.state.rateBps, 10e9 * (1 - 1023.0 / 1024 * std::pow(1019.0 / 1024, 4) / 2));
}

// ---- time -----------------------------------------------------------------------------------

/**
 * @brief Catch up a gap at once and deadline by deadline; compare everything.
 * @param name profile
 * @param gap picoseconds without input
 * @param clamp ClampTargetRate
 */
void
ExpectGapEqual(const std::string& name, FabricPs gap, int clamp)
{
    Flow lazy(name);
    Flow eager(name);
    for (Flow* f : {&lazy, &eager})
    {
        f->With("ClampTargetRate", std::to_string(clamp)).Init();
        for (int k = 0; k < 40; ++k)
        {
            f->cc->OnCnp(f->state, k * 7 * US);
            f->cc->OnSent(f->state, 3'000'000, k * 7 * US + 1);
        }
    }
    const FabricPs end = 40 * 7 * US + gap;
    lazy.cc->Advance(lazy.state, end);
    while (eager.cc->NextDeadline() <= end)
    {
        eager.cc->Advance(eager.state, eager.cc->NextDeadline());
    }
    EXPECT_EQ(lazy.cc->NextDeadline(), eager.cc->NextDeadline()) << name << " " << gap;
    ExpectRel(lazy.state.rateBps, eager.state.rateBps);
    ExpectRel(lazy.cc->GetTargetRate(), eager.cc->GetTargetRate());
    EXPECT_EQ(lazy.cc->GetCounters().increases, eager.cc->GetCounters().increases);
    for (Flow* f : {&lazy, &eager}) // and both behave alike afterwards
    {
        f->cc->OnCnp(f->state, end + 3);
        f->cc->Advance(f->state, end + 5 * US);
    }
    ExpectRel(lazy.state.rateBps, eager.state.rateBps);
    ExpectRel(lazy.cc->GetAlpha(end + 5 * US), eager.cc->GetAlpha(end + 5 * US));
}

// A long idle gap caught up at once gives what every single deadline in turn gives.
TEST(DcqcnTest, IdleGapEqualsTickByTick)
{
    const std::vector<FabricPs>
        gaps{1, US, 54 * US, 56 * US, 997 * US, 50'000 * US, 2'000'000 * US, 20'000'000 * US};
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        for (const FabricPs gap : gaps)
        {
            for (const int clamp : {-1, 1}) // 1: all profiles start from a low target rate
            {
                ExpectGapEqual(name, gap, clamp);
            }
        }
    }
}

// alpha looked at after every tick equals alpha looked at once.
TEST(DcqcnTest, AlphaClosedFormEqualsTickByTick)
{
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        Flow f(name);
        f.Init();
        f.cc->OnCnp(f.state, 0);
        const auto& p = f.cc->GetParameters();
        const FabricPs period = p.alphaPeriod.GetPicoSeconds();
        double alpha = f.cc->GetAlpha(0);
        for (int k = 1; k <= 2000; ++k)
        {
            alpha *= 1 - p.gain;
            ExpectRel(f.cc->GetAlpha(k * period), alpha);
        }
    }
}

// A timer and a CNP at the same picosecond: the timer first.
TEST(DcqcnTest, TimerBeforeCnpAtTheSameTime)
{
    Flow f("paper2015");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnCnp(f.state, 55 * US);
    ExpectRel(f.cc->GetTargetRate(), 75e9); // (50 + 100) / 2, then R_T = R_C
    ExpectRel(f.state.rateBps, 75e9 * (1 - 255.0 / 256 / 2));
}

// Fault 28: 1 Mb/s to 1.6 Tb/s, an hour, bursts and gaps: rates stay in range, no overflow (the
// sanitizer run of this test is the check for undefined behaviour).
TEST(DcqcnTest, Fault28NoOverflow)
{
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        for (const double line : {1e6, 1e9, 100e9, 1.6e12})
        {
            Flow f(name, line);
            f.Init();
            const double least = std::min(line, 1.0 * f.cc->GetParameters().minRate.GetBitRate());
            FabricPs now = 0;
            for (FabricPs gap = 1; now < HOUR; gap = gap * 3 + 1)
            {
                for (int k = 0; k < 10; ++k)
                {
                    f.cc->OnCnp(f.state, now);
                    f.cc->OnSent(f.state, 0xffffffff, now);
                    ASSERT_GE(f.state.rateBps, least) << name << " " << line;
                    ASSERT_LE(f.state.rateBps, line) << name << " " << line;
                    ASSERT_GT(f.cc->NextDeadline(), now) << name << " " << line;
                    now += gap;
                }
            }
            EXPECT_TRUE(std::isfinite(f.cc->GetTargetRate()));
        }
    }
}

// A slow additive increase over an idle hour is caught up in closed form, not event by event.
TEST(DcqcnTest, HourOfMicrosecondTimer)
{
    Flow f("paper2015", 1.6e12);
    f.With("TimeReset", "1us").With("AdditiveIncrease", "1bps").Init();
    for (int k = 0; k < 60; ++k)
    {
        f.cc->OnCnp(f.state, k);
    }
    f.cc->Advance(f.state, HOUR);
    const auto events = HOUR / US - 1; // the first is 1 us after the last CNP at 59 ps
    // MinRate is 1 Mb/s, the target of the last cut too: four recovery events change nothing, and
    // from event 5 on each adds 1 bit/s.
    EXPECT_EQ(f.cc->GetCounters().increases, static_cast<uint64_t>(events) - 4);
    ExpectRel(f.cc->GetTargetRate(), 1e6 + events - 4);
    ExpectRel(f.state.rateBps, 1e6 + events - 5);
}

// ---- counters, attributes, forks
// -----------------------------------------------------------------

// Fault 30: the counters say whether congestion control acted.
TEST(DcqcnTest, Fault30CountersTellWhetherItActed)
{
    Flow f("paper2015");
    f.Init();
    f.cc->OnSent(f.state, 1000, 1);
    f.cc->Advance(f.state, HOUR);
    const auto& c = f.cc->GetCounters();
    EXPECT_EQ(c.cnps + c.rateCuts + c.increases + c.alphaTicks, 0u);
    EXPECT_EQ(f.state.rateBps, 100e9);
    f.cc->OnCnp(f.state, HOUR);
    f.cc->Advance(f.state, HOUR + 110 * US);
    EXPECT_EQ(c.cnps, 1u);
    EXPECT_EQ(c.rateCuts, 1u);
    EXPECT_EQ(c.increases, 2u);
    EXPECT_EQ(c.alphaTicks, 1u); // with the CNP itself; decay is applied when alpha is used
}

// Fault 30: another algorithm on the same inputs gives another rate.
TEST(DcqcnTest, Fault30FixedRateIgnoresEverything)
{
    auto cc = CreateObject<RdmaFixedRate>();
    RdmaRateState state;
    state.lineRateBps = 100e9;
    cc->Init(state, 0);
    cc->OnCnp(state, US);
    cc->OnLoss(state, 2 * US);
    EXPECT_EQ(state.rateBps, 100e9);
    EXPECT_EQ(cc->Needs(), 0u);
    EXPECT_EQ(cc->NextDeadline(), FABRIC_NEVER);
    EXPECT_EQ(cc->GetCounters().cnps, 1u);
    EXPECT_EQ(cc->GetCounters().losses, 1u);
    EXPECT_EQ(cc->GetCounters().rateCuts, 0u);
    cc->SetAttribute("Rate", StringValue("25Gb/s"));
    cc->Fork()->Init(state, 0);
    EXPECT_EQ(state.rateBps, 25e9);
}

// An override survives whatever order Config or a factory sets things in; the rest is the profile.
TEST(DcqcnTest, OverridesBeatTheProfile)
{
    ObjectFactory factory("ns3::RdmaDcqcn");
    factory.Set("TimeReset", StringValue("77us"));
    factory.Set("Profile", StringValue("connectx"));
    auto cc = factory.Create<RdmaDcqcn>();
    EXPECT_EQ(cc->GetParameters().timeReset, MicroSeconds(77));
    EXPECT_EQ(cc->GetParameters().cutPeriod, MicroSeconds(4));

    Config::SetDefault("ns3::RdmaDcqcn::Gain", DoubleValue(0.25));
    Config::SetDefault("ns3::RdmaDcqcn::Profile", StringValue("hpcc-fork"));
    auto other = CreateObject<RdmaDcqcn>();
    Config::Reset();
    EXPECT_EQ(other->GetParameters().gain, 0.25);
    EXPECT_EQ(other->GetParameters().timeReset, MicroSeconds(900));

    // On a living object the later call wins, and a negative value returns to the profile.
    other->SetAttribute("Profile", StringValue("paper2015"));
    EXPECT_EQ(other->GetParameters().gain, 1.0 / 256);
    other->SetAttribute("Threshold", IntegerValue(9));
    other->SetAttribute("Threshold", IntegerValue(-1));
    EXPECT_EQ(other->GetParameters().threshold, 5);
}

// Reading an attribute gives the value in effect, also where nothing was set (manifest).
TEST(DcqcnTest, GetAttributeGivesEffectiveValues)
{
    Flow f("connectx");
    TimeValue time;
    f.cc->GetAttribute("TimeReset", time);
    EXPECT_EQ(time.Get(), MicroSeconds(300));
    IntegerValue bytes;
    f.cc->GetAttribute("ByteReset", bytes);
    EXPECT_EQ(bytes.Get(), 32767 * 64);
    DoubleValue gain;
    f.cc->GetAttribute("Gain", gain);
    EXPECT_EQ(gain.Get(), 5.0 / 1024);
    DataRateValue ai;
    f.cc->GetAttribute("AdditiveIncrease", ai);
    EXPECT_EQ(ai.Get(), DataRate("5Mb/s"));
}

// Fault 26: every attribute has a help text, and those with a unit name it.
TEST(DcqcnTest, Fault26HelpTextsNameTheUnit)
{
    const TypeId tid = RdmaDcqcn::GetTypeId();
    EXPECT_EQ(tid.GetAttributeN(), 18u);
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto info = tid.GetAttribute(i);
        const std::string type = info.checker->GetValueTypeName();
        const std::string unit = type == "ns3::TimeValue"       ? "time"
                                 : type == "ns3::DataRateValue" ? "bits per second"
                                 : type == "ns3::DoubleValue"   ? "raction"
                                                                : "";
        EXPECT_NE(info.help.find(unit), std::string::npos) << info.name;
        EXPECT_GT(info.help.size(), 40u) << info.name;
    }
}

// Mistakes are FabricErrors that say what is allowed.
TEST(DcqcnTest, WrongValuesAreRefused)
{
    Flow f("connectx");
    EXPECT_THROW(f.With("Profile", "paper"), FabricError);
    EXPECT_THROW(f.With("Gain", "1.5"), FabricError);
    EXPECT_THROW(f.With("AlphaPeriod", "0s"), FabricError);
    EXPECT_THROW(f.With("TimeReset", "0s"), FabricError);
    EXPECT_THROW(f.With("TimeReset", "2h"), FabricError);
    EXPECT_THROW(f.With("ClampTargetRate", "2"), FabricError);
    EXPECT_NO_THROW(f.With("CutPeriod", "0s"));
    try
    {
        f.With("Profile", "paper");
    }
    catch (const FabricError& e)
    {
        for (const auto& name : RdmaDcqcnProfile::Names())
        {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        }
    }
    RdmaRateState none;
    EXPECT_THROW(f.cc->Init(none, 0), FabricError);
}

// A fork has the attributes and none of the history.
TEST(DcqcnTest, ForkIsFresh)
{
    Flow f("connectx");
    f.With("MinDecreaseFactor", "0.9").Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->Advance(f.state, 4 * US);
    auto fork = f.cc->Fork();
    RdmaRateState state;
    state.lineRateBps = 40e9;
    fork->Init(state, 100 * US);
    EXPECT_EQ(state.rateBps, 40e9);
    EXPECT_EQ(fork->GetCounters().cnps, 0u);
    EXPECT_EQ(fork->NextDeadline(), FABRIC_NEVER);
    fork->OnCnp(state, 100 * US);
    fork->Advance(state, 104 * US);
    ExpectRel(state.rateBps, 36e9);
    ExpectRel(f.state.rateBps, 90e9);
}

// The receiver's side of each profile (fault 13): how often it should send CNPs.
TEST(DcqcnTest, RecommendedCnpInterval)
{
    EXPECT_EQ(Flow("paper2015").cc->RecommendedCnpInterval(), 50 * US);
    EXPECT_EQ(Flow("connectx").cc->RecommendedCnpInterval(), 4 * US);
    EXPECT_EQ(Flow("hpcc-fork").cc->RecommendedCnpInterval(), 0);
    EXPECT_EQ(CreateObject<RdmaFixedRate>()->RecommendedCnpInterval(), 0);
}

// Init may be called again: everything starts over.
TEST(DcqcnTest, InitStartsOver)
{
    Flow f("paper2015");
    f.Init();
    f.cc->OnCnp(f.state, 5);
    f.cc->OnSent(f.state, 9'999'999, 6);
    f.cc->Init(f.state, 10);
    EXPECT_EQ(f.state.rateBps, 100e9);
    EXPECT_EQ(f.cc->GetTargetRate(), 100e9);
    EXPECT_EQ(f.cc->NextDeadline(), FABRIC_NEVER);
    EXPECT_EQ(f.cc->GetCounters().cnps, 0u);
    EXPECT_EQ(f.cc->GetAlpha(HOUR), 1);
    f.cc->OnCnp(f.state, 20);
    f.cc->OnSent(f.state, 1, 21);
    ExpectRel(f.state.rateBps, 50e9); // the bytes of the earlier life do not count
}

} // namespace
