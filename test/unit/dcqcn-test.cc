/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief DCQCN's rate machine against its formulas (papers sec. 3, faults 25 and 26).
 */

#include "dcqcn-flow.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::dcqcntest;

namespace
{

// ---- one CNP (fault 25) --------------------------------------------------------------------

// Fault 25, paper flavour: 100G, alpha 1: 50.000 Gb/s at once, target 100, alpha stays 1.
TEST(DcqcnTest, Fault25PaperCutsAtOnceThenUpdatesAlpha)
{
    Flow f("paper2015");
    f.With("AlphaStart", "0.5").Init();
    f.cc->OnCnp(f.state, 7 * US);
    ExpectRel(f.state.rateBps, 100e9 * (1 - 0.5 / 2)); // the alpha from before the update
    ExpectRel(f.cc->GetAlpha(7 * US), (1 - 1.0 / 256) * 0.5 + 1.0 / 256);
    ExpectRel(f.cc->GetTargetRate(), 100e9);

    Flow g("paper2015");
    g.Init();
    g.cc->OnCnp(g.state, 7 * US);
    ExpectRel(g.state.rateBps, 50e9);
    ExpectRel(g.cc->GetAlpha(7 * US), 1);
    ExpectRel(g.cc->GetTargetRate(), 100e9);
    g.cc->OnCnp(g.state, 8 * US); // R_T = R_C: the rate before the second cut
    ExpectRel(g.state.rateBps, 25e9);
    ExpectRel(g.cc->GetTargetRate(), 50e9);
}

// Fault 25, NIC flavour: 100 (1 - (255/256)^4 / 2) = 50.777 Gb/s at 4 us, not a picosecond before.
TEST(DcqcnTest, Fault25HpccForkCutsAtTheTick)
{
    Flow f("hpcc-fork");
    f.Init();
    f.cc->OnCnp(f.state, 10 * US);
    EXPECT_EQ(f.cc->NextDeadline(), 14 * US);
    f.cc->Advance(f.state, 14 * US - 1);
    EXPECT_EQ(f.state.rateBps, 100e9);
    f.cc->Advance(f.state, 14 * US);
    ExpectRel(f.state.rateBps, 100e9 * (1 - std::pow(255.0 / 256, 4) / 2));
    EXPECT_NEAR(f.state.rateBps, 50.777e9, 0.0005e9);
    ExpectRel(f.cc->GetTargetRate(), 100e9); // no increase yet: the target stays
}

// Adapter defaults: alpha_0 = 1023/1024, 1 - g = 1019/1024.
TEST(DcqcnTest, ConnectXFirstCut)
{
    Flow f("connectx");
    f.Init();
    f.cc->OnCnp(f.state, 10 * US);
    f.cc->Advance(f.state, 14 * US);
    ExpectRel(f.state.rateBps, 100e9 * (1 - 1023.0 / 1024 * std::pow(1019.0 / 1024, 4) / 2));
}

// The HPCC line reports marks on ACKs; the others ignore an echo there.
TEST(DcqcnTest, MarksOnAcks)
{
    RdmaFeedback mark;
    mark.now = 10 * US;
    mark.ecnEcho = true;
    Flow fork("hpcc-fork");
    fork.Init();
    fork.cc->OnFeedback(fork.state, mark);
    fork.cc->Advance(fork.state, 14 * US);
    ExpectRel(fork.state.rateBps, 100e9 * (1 - std::pow(255.0 / 256, 4) / 2));
    EXPECT_EQ(fork.cc->GetCounters().echoes, 1u);
    EXPECT_EQ(fork.cc->Needs(), RDMA_NEEDS_ECT | RDMA_NEEDS_ECN_ECHO);

    Flow paper("paper2015");
    paper.Init();
    paper.cc->OnFeedback(paper.state, mark);
    EXPECT_EQ(paper.state.rateBps, 100e9);
    EXPECT_EQ(paper.cc->Needs(), RDMA_NEEDS_ECT | RDMA_NEEDS_CNP);
}

// A second CNP before the cut tick changes nothing in the cut count: one cut per tick.
TEST(DcqcnTest, OneCutPerTick)
{
    Flow f("hpcc-fork");
    f.Init();
    for (FabricPs t = 10 * US; t < 18 * US; t += US / 10)
    {
        f.cc->OnCnp(f.state, t);
    }
    EXPECT_EQ(f.cc->GetCounters().rateCuts, 1u);
    f.cc->Advance(f.state, 18 * US);
    EXPECT_EQ(f.cc->GetCounters().rateCuts, 2u);
    f.cc->Advance(f.state, 100 * US);
    EXPECT_EQ(f.cc->GetCounters().rateCuts, 2u);
    EXPECT_EQ(f.cc->GetCounters().cnps, 80u);
}

// ---- alpha (fault 26) ----------------------------------------------------------------------

// One alpha tick of the paper: 55 us after the last CNP, not after the start.
TEST(DcqcnTest, PaperAlphaTickCountsFromTheLastCnp)
{
    Flow f("paper2015");
    f.Init();
    EXPECT_EQ(f.cc->GetAlpha(1000 * US), 1); // no CNP yet: alpha waits
    f.cc->OnCnp(f.state, 1000 * US);
    f.cc->OnCnp(f.state, 1050 * US);
    EXPECT_EQ(f.cc->GetAlpha(1105 * US - 1), 1);
    ExpectRel(f.cc->GetAlpha(1105 * US), 255.0 / 256);
    ExpectRel(f.cc->GetAlpha(1160 * US), std::pow(255.0 / 256, 2));
}

// One alpha tick of the adapters: with a CNP since the last tick g is added, without it is not.
TEST(DcqcnTest, ConnectXAlphaTicks)
{
    Flow f("connectx");
    f.Init();
    const double keep = 1019.0 / 1024;
    const double a0 = 1023.0 / 1024;
    f.cc->OnCnp(f.state, 0);
    f.cc->OnCnp(f.state, US / 2);
    ExpectRel(f.cc->GetAlpha(US), keep * a0 + 5.0 / 1024);
    ExpectRel(f.cc->GetAlpha(2 * US), keep * (keep * a0 + 5.0 / 1024));
    f.cc->Advance(f.state, 4 * US); // the cut reads alpha; the mark counts once all the same
    ExpectRel(f.cc->GetAlpha(6 * US), std::pow(keep, 5) * (keep * a0 + 5.0 / 1024));
}

// Fault 26, every profile: without CNP alpha falls monotonically to 0.
TEST(DcqcnTest, Fault26AlphaFallsWithoutCnp)
{
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        Flow f(name);
        f.Init();
        f.cc->OnCnp(f.state, 0);
        const FabricPs period = f.cc->GetParameters().alphaPeriod.GetPicoSeconds();
        double last = f.cc->GetAlpha(0);
        for (int k = 1; k <= 3000; ++k)
        {
            const double alpha = f.cc->GetAlpha(k * period);
            ASSERT_LT(alpha, last) << name << " tick " << k;
            last = alpha;
        }
        EXPECT_LT(last, 1e-5) << name;
        EXPECT_GE(f.cc->GetAlpha(HOUR), 0) << name;
        EXPECT_LT(f.cc->GetAlpha(HOUR), 1e-300) << name;
    }
}

// Fault 26, every profile: with a CNP in every period alpha rises to 1, from near 0.
TEST(DcqcnTest, Fault26AlphaRisesWithCnps)
{
    for (const auto& name : RdmaDcqcnProfile::Names())
    {
        Flow f(name);
        f.With("AlphaStart", "0.001").Init();
        const FabricPs period = f.cc->GetParameters().alphaPeriod.GetPicoSeconds();
        double last = 0;
        for (int k = 0; k < 5000; ++k)
        {
            const FabricPs at = k * (period - period / 50); // never a period without one
            f.cc->OnCnp(f.state, at);
            const double alpha = f.cc->GetAlpha(at);
            ASSERT_GE(alpha, last) << name << " CNP " << k;
            last = alpha;
        }
        EXPECT_NEAR(last, 1, 1e-6) << name;
    }
}

// ---- recovery, additive and hyper increase ----------------------------------------------------

// Paper, F = 5: four halvings of the gap, then R_AI per event; the byte counter never fires.
TEST(DcqcnTest, PaperTimerStepByStep)
{
    Flow f("paper2015");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    double rate = 50e9;
    double target = 100e9;
    for (int event = 1; event <= 4; ++event)
    {
        f.cc->Advance(f.state, event * 55 * US - 1);
        ExpectRel(f.state.rateBps, rate);
        rate = (rate + target) / 2;
        f.cc->Advance(f.state, event * 55 * US);
        ExpectRel(f.state.rateBps, rate);
        ExpectRel(f.cc->GetTargetRate(), target);
    }
    f.cc->OnCnp(f.state, 221 * US); // below line rate: room for additive increase
    target = rate;
    // The cut used alpha from before the CNP's update: (255/256)^4.
    rate = target * (1 - std::pow(255.0 / 256, 4) / 2);
    ExpectRel(f.state.rateBps, rate);
    for (int event = 1; event <= 12; ++event)
    {
        target += event >= 5 ? 40e6 : 0;
        rate = (rate + target) / 2;
        f.cc->Advance(f.state, (221 + event * 55) * US);
        ExpectRel(f.state.rateBps, rate);
        ExpectRel(f.cc->GetTargetRate(), target);
    }
}

// Paper: a byte counter event is an increase event; both counters past F: R_HAI.
TEST(DcqcnTest, PaperByteCounterAndHyperIncrease)
{
    Flow f("paper2015");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnCnp(f.state, 1); // target 50, rate 25: far from the line rate
    double rate = 25e9;
    double target = 50e9;
    f.cc->OnSent(f.state, 9'999'999, 2);
    ExpectRel(f.state.rateBps, rate);
    f.cc->OnSent(f.state, 1, 3);
    rate = (rate + target) / 2;
    ExpectRel(f.state.rateBps, rate); // b = 1: fast recovery
    for (int b = 2; b <= 6; ++b)
    {
        f.cc->OnSent(f.state, 10'000'000, 3 + b);
        target += b >= 5 ? 40e6 : 0;
        rate = (rate + target) / 2;
        ExpectRel(f.state.rateBps, rate); // max(t, b) reaches F at b = 5
    }
    for (int t = 1; t <= 8; ++t)
    {
        f.cc->Advance(f.state, t * 55 * US + 1);
        target += t > 5 ? 200e6 : 40e6; // min(t, b) > F once t = 6 (b = 6)
        rate = (rate + target) / 2;
        ExpectRel(f.state.rateBps, rate);
        ExpectRel(f.cc->GetTargetRate(), target);
    }
}

// A frame may carry the byte counter over more than once; the rest is kept.
TEST(DcqcnTest, ByteCounterKeepsTheRest)
{
    Flow f("paper2015");
    f.With("ByteReset", "1000").Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnSent(f.state, 2500, 1);
    ExpectRel(f.state.rateBps, 87.5e9); // two halvings of the gap 50
    f.cc->OnSent(f.state, 499, 2);
    ExpectRel(f.state.rateBps, 87.5e9);
    f.cc->OnSent(f.state, 1, 3);
    ExpectRel(f.state.rateBps, 93.75e9);
}

// A cut restarts the byte counter and the counts of both kinds of events.
TEST(DcqcnTest, CutRestartsCounters)
{
    Flow f("paper2015");
    f.With("ByteReset", "1000").Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnSent(f.state, 7999, 1); // b = 7, past F: the next event would add R_AI
    f.cc->OnCnp(f.state, 2);
    const double target = f.cc->GetTargetRate();
    const double rate = f.state.rateBps;
    f.cc->OnSent(f.state, 999, 3); // with the 999 from before the cut it would be an event
    ExpectRel(f.state.rateBps, rate);
    f.cc->OnSent(f.state, 1, 4);
    ExpectRel(f.state.rateBps, (rate + target) / 2); // b = 1: fast recovery, target unchanged
    ExpectRel(f.cc->GetTargetRate(), target);
    f.cc->Advance(f.state, 55 * US + 2);
    f.cc->OnCnp(f.state, 60 * US);
    EXPECT_EQ(f.cc->NextDeadline(), 115 * US); // the timer restarts with the cut
}

// ByteReset 0 switches the counter off.
TEST(DcqcnTest, ByteCounterOff)
{
    Flow f("paper2015");
    f.With("ByteReset", "0").Init();
    f.cc->OnCnp(f.state, 0);
    for (int i = 0; i < 100; ++i)
    {
        f.cc->OnSent(f.state, 1'000'000'000, 1);
    }
    ExpectRel(f.state.rateBps, 50e9);
}

// HPCC line, F = 1: one recovery, one additive, then hyper increase for good, every 900 us.
TEST(DcqcnTest, HpccForkPhases)
{
    Flow f("hpcc-fork");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->OnCnp(f.state, 5 * US); // cut again at 8 us, target still 100: no increase between
    f.cc->Advance(f.state, 8 * US);
    double target = 100e9;
    ExpectRel(f.cc->GetTargetRate(), target);
    double rate = f.state.rateBps;
    f.cc->Advance(f.state, 908 * US);
    rate = (rate + target) / 2;
    ExpectRel(f.state.rateBps, rate);
    f.cc->OnCnp(f.state, 909 * US); // a timer event has raised the rate: the target follows
    f.cc->Advance(f.state, 912 * US);
    target = rate;
    ExpectRel(f.cc->GetTargetRate(), target);
    rate = f.state.rateBps;
    const std::vector<double> steps{0, 50e6, 100e6, 100e6, 100e6};
    FabricPs at = 912 * US;
    for (const double step : steps)
    {
        at += 900 * US;
        target += step;
        rate = (rate + target) / 2;
        f.cc->Advance(f.state, at - 1);
        EXPECT_LT(f.state.rateBps, rate);
        f.cc->Advance(f.state, at);
        ExpectRel(f.state.rateBps, rate);
        ExpectRel(f.cc->GetTargetRate(), target);
    }
}

// Adapters, F = 1: the first event is additive already; both counters past 1: hyper.
TEST(DcqcnTest, ConnectXPhases)
{
    Flow f("connectx");
    f.Init();
    f.cc->OnCnp(f.state, 0);
    f.cc->Advance(f.state, 304 * US); // one timer event
    f.cc->OnCnp(f.state, 305 * US);   // and a cut at 308 us that moves the target down
    f.cc->Advance(f.state, 308 * US);
    double target = f.cc->GetTargetRate();
    double rate = f.state.rateBps;
    EXPECT_LT(target, 100e9);
    FabricPs now = 309 * US;
    for (int b = 1; b <= 3; ++b)
    {
        f.cc->OnSent(f.state, 32767 * 64, ++now);
        target += 5e6;
        rate = (rate + target) / 2;
        ExpectRel(f.state.rateBps, rate);
    }
    for (int t = 1; t <= 4; ++t)
    {
        f.cc->Advance(f.state, (308 + 300 * t) * US);
        target += t > 1 ? 50e6 : 5e6;
        rate = (rate + target) / 2;
        ExpectRel(f.state.rateBps, rate);
        ExpectRel(f.cc->GetTargetRate(), target);
    }
}

} // namespace
