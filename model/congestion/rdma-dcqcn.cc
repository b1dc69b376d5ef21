/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-dcqcn.h"

#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/integer.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

namespace
{

/** Steps taken one by one before closed forms are used. */
constexpr uint64_t SMALL = 64;

/** Longest period accepted: keeps every sum of time far from the end of 64 bits. */
constexpr FabricPs MAX_PERIOD = 3600 * FabricPs{1'000'000'000'000};

} // namespace

TypeId
RdmaDcqcn::GetTypeId()
{
    // Profile must stay first: attributes are set in this order at construction.
    static TypeId tid = NoticeAttributes(IncreaseAttributes(CutAttributes(AlphaAttributes(
        TypeId("ns3::RdmaDcqcn")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaDcqcn>()
            .AddAttribute("Profile",
                          "Named parameter set: paper2015 (SIGCOMM 2015), hpcc-fork (simulators of "
                          "the HPCC line) or connectx (adapter defaults). Sets all attributes "
                          "below; those set to other than their initial value override it.",
                          StringValue("paper2015"),
                          MakeStringAccessor(&RdmaDcqcn::SetProfile, &RdmaDcqcn::GetProfile),
                          MakeStringChecker())))));
    return tid;
}

TypeId
RdmaDcqcn::AlphaAttributes(TypeId tid)
{
    using P = RdmaDcqcnProfile;
    return tid
        .AddAttribute("Gain",
                      "g, weight of the newest mark in alpha, fraction 0 to 1. Paper sec. 5: "
                      "1/256; adapters document 1-g = 1019/1024. Negative: as the profile.",
                      DoubleValue(-1),
                      MakeDoubleAccessor(&RdmaDcqcn::SetFraction<&P::gain>,
                                         &RdmaDcqcn::GetField<double, &P::gain>),
                      MakeDoubleChecker<double>())
        .AddAttribute("AlphaStart",
                      "alpha until the first CNP, fraction 0 to 1. Paper sec. 3: 1; adapters "
                      "1023/1024. Negative: as the profile.",
                      DoubleValue(-1),
                      MakeDoubleAccessor(&RdmaDcqcn::SetFraction<&P::alphaStart>,
                                         &RdmaDcqcn::GetField<double, &P::alphaStart>),
                      MakeDoubleChecker<double>())
        .AddAttribute("AlphaPeriod",
                      "Alpha timer, time. Paper sec. 5 (K): 55 us; adapters (dce_tcp_rtt) and "
                      "the HPCC line (ALPHA_RESUME_INTERVAL): 1 us. Negative: as the profile.",
                      TimeValue(NanoSeconds(-1)),
                      MakeTimeAccessor(&RdmaDcqcn::SetTime<&P::alphaPeriod>,
                                       &RdmaDcqcn::GetField<Time, &P::alphaPeriod>),
                      MakeTimeChecker());
}

TypeId
RdmaDcqcn::CutAttributes(TypeId tid)
{
    using P = RdmaDcqcnProfile;
    return tid
        .AddAttribute("CutPeriod",
                      "Period of the rate cut tick, time; 0 cuts with each CNP at once, as the "
                      "paper does. Adapters (rate_reduce_monitor_period) and the HPCC line "
                      "(RATE_DECREASE_INTERVAL): 4 us. Negative: as the profile.",
                      TimeValue(NanoSeconds(-1)),
                      MakeTimeAccessor(&RdmaDcqcn::SetTime<&P::cutPeriod>,
                                       &RdmaDcqcn::GetField<Time, &P::cutPeriod>),
                      MakeTimeChecker())
        .AddAttribute("MinRate",
                      "Lowest rate, bits per second. Adapters (rpg_min_rate): 1 Mb/s; HPCC "
                      "line (MIN_RATE): 100 Mb/s; the paper names none (1 Mb/s used). 0bps: "
                      "as the profile.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaDcqcn::SetDataRate<&P::minRate>,
                                           &RdmaDcqcn::GetField<DataRate, &P::minRate>),
                      MakeDataRateChecker())
        .AddAttribute("MinDecreaseFactor",
                      "One cut leaves at least this fraction of the rate, 0 to 1. Adapters "
                      "(rpg_min_dec_fac): 0.5; others none. Negative: as the profile.",
                      DoubleValue(-1),
                      MakeDoubleAccessor(&RdmaDcqcn::SetFraction<&P::minDecreaseFactor>,
                                         &RdmaDcqcn::GetField<double, &P::minDecreaseFactor>),
                      MakeDoubleChecker<double>())
        .AddAttribute("ClampTargetRate",
                      "1: every cut sets the target rate to the rate before it (paper eq. 1). "
                      "0: only if a byte counter event has raised the rate since the last cut "
                      "(adapters: clamp_tgt_rate). Negative: as the profile.",
                      IntegerValue(-1),
                      MakeIntegerAccessor(&RdmaDcqcn::SetFlag<&P::clampTargetRate>,
                                          &RdmaDcqcn::GetField<int64_t, &P::clampTargetRate>),
                      MakeIntegerChecker<int64_t>())
        .AddAttribute(
            "ClampTargetRateAfterTime",
            "With ClampTargetRate 0: 1 counts timer events too (adapters: "
            "clamp_tgt_rate_after_time_inc; the HPCC line does so). Negative: as the profile.",
            IntegerValue(-1),
            MakeIntegerAccessor(&RdmaDcqcn::SetFlag<&P::clampTargetRateAfterTime>,
                                &RdmaDcqcn::GetField<int64_t, &P::clampTargetRateAfterTime>),
            MakeIntegerChecker<int64_t>())
        .AddAttribute("RateOnFirstCnp",
                      "Rate and target rate set by the first CNP, bits per second (adapters: "
                      "rate_to_set_on_first_cnp). 0bps: keep the rate, as all profiles do.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaDcqcn::SetDataRate<&P::rateOnFirstCnp>,
                                           &RdmaDcqcn::GetField<DataRate, &P::rateOnFirstCnp>),
                      MakeDataRateChecker());
}

TypeId
RdmaDcqcn::IncreaseAttributes(TypeId tid)
{
    using P = RdmaDcqcnProfile;
    return tid
        .AddAttribute("TimeReset",
                      "Rate increase timer, time. Paper sec. 5 (T): 55 us; adapters "
                      "(rpg_time_reset): 300 us; HPCC line (RP_TIMER): 900 us in its "
                      "configuration file, 300 us in its scripts. Negative: as the profile.",
                      TimeValue(NanoSeconds(-1)),
                      MakeTimeAccessor(&RdmaDcqcn::SetTime<&P::timeReset>,
                                       &RdmaDcqcn::GetField<Time, &P::timeReset>),
                      MakeTimeChecker())
        .AddAttribute("ByteReset",
                      "Rate increase byte counter, bytes; 0 = none. Paper sec. 5 (B): 10 MB; "
                      "adapters (rpg_byte_reset): 32767 x 64 B. Negative: as the profile.",
                      IntegerValue(-1),
                      MakeIntegerAccessor(&RdmaDcqcn::SetInteger<&P::byteReset>,
                                          &RdmaDcqcn::GetField<int64_t, &P::byteReset>),
                      MakeIntegerChecker<int64_t>())
        .AddAttribute("Threshold",
                      "F, increase events that end fast recovery, count. Paper sec. 5: 5; "
                      "adapters (rpg_threshold): 1; HPCC line (FAST_RECOVERY_TIMES): 1. "
                      "Negative: as the profile.",
                      IntegerValue(-1),
                      MakeIntegerAccessor(&RdmaDcqcn::SetInteger<&P::threshold>,
                                          &RdmaDcqcn::GetField<int64_t, &P::threshold>),
                      MakeIntegerChecker<int64_t>())
        .AddAttribute("AdditiveIncrease",
                      "R_AI, bits per second. Paper sec. 5: 40 Mb/s; adapters (rpg_ai_rate): "
                      "5 Mb/s; HPCC line (RATE_AI): 50 Mb/s. 0bps: as the profile.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaDcqcn::SetDataRate<&P::additiveIncrease>,
                                           &RdmaDcqcn::GetField<DataRate, &P::additiveIncrease>),
                      MakeDataRateChecker())
        .AddAttribute("HyperIncrease",
                      "R_HAI, bits per second. paper2015: 5 x R_AI; adapters (rpg_hai_rate): "
                      "50 Mb/s; HPCC line (RATE_HAI): 100 Mb/s. 0bps: as the profile.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaDcqcn::SetDataRate<&P::hyperIncrease>,
                                           &RdmaDcqcn::GetField<DataRate, &P::hyperIncrease>),
                      MakeDataRateChecker())
        .AddAttribute("TimerOnlyPhases",
                      "1: phases of the HPCC line: F timer events of fast recovery, one of "
                      "additive increase, then hyper increase. 0: those of the paper, sec. 3. "
                      "Negative: as the profile.",
                      IntegerValue(-1),
                      MakeIntegerAccessor(&RdmaDcqcn::SetFlag<&P::timerOnlyPhases>,
                                          &RdmaDcqcn::GetField<int64_t, &P::timerOnlyPhases>),
                      MakeIntegerChecker<int64_t>());
}

TypeId
RdmaDcqcn::NoticeAttributes(TypeId tid)
{
    using P = RdmaDcqcnProfile;
    return tid
        .AddAttribute("MarksOnAcks",
                      "1: a mark comes back on the ACK of the marked packet and acts as a CNP, "
                      "as in the HPCC line. 0: by CNP. Negative: as the profile.",
                      IntegerValue(-1),
                      MakeIntegerAccessor(&RdmaDcqcn::SetFlag<&P::marksOnAcks>,
                                          &RdmaDcqcn::GetField<int64_t, &P::marksOnAcks>),
                      MakeIntegerChecker<int64_t>())
        .AddAttribute("CnpInterval",
                      "Recommended least time between two CNPs of a queue pair at the "
                      "receiver, time. Paper sec. 3.1 (N): 50 us; adapters "
                      "(min_time_between_cnps): 4 us; HPCC line: 0. Negative: as the profile.",
                      TimeValue(NanoSeconds(-1)),
                      MakeTimeAccessor(&RdmaDcqcn::SetTime<&P::cnpInterval>,
                                       &RdmaDcqcn::GetField<Time, &P::cnpInterval>),
                      MakeTimeChecker());
}

RdmaDcqcn::RdmaDcqcn()
    : m_param(RdmaDcqcnProfile::Get("paper2015"))
{
}

RdmaDcqcn::RdmaDcqcn(const RdmaDcqcn& other)
    : RdmaCongestionOps(other),
      m_param(other.m_param)
{
}

RdmaDcqcn::~RdmaDcqcn() = default;

void
RdmaDcqcn::SetProfile(std::string name)
{
    m_param = RdmaDcqcnProfile::Get(name);
}

std::string
RdmaDcqcn::GetProfile() const
{
    return m_param.name;
}

template <Time RdmaDcqcnProfile::*F>
void
RdmaDcqcn::SetTime(Time value)
{
    const bool mayBeZero = F == &RdmaDcqcnProfile::cutPeriod || F == &RdmaDcqcnProfile::cnpInterval;
    if (value.IsZero() && !mayBeZero)
    {
        throw FabricError("RdmaDcqcn: the periods AlphaPeriod and TimeReset must be above 0");
    }
    if (value > FabricTime::To(MAX_PERIOD))
    {
        throw FabricError("RdmaDcqcn: periods may be at most one hour");
    }
    m_param.*F = value.IsStrictlyNegative() ? RdmaDcqcnProfile::Get(m_param.name).*F : value;
}

template <DataRate RdmaDcqcnProfile::*F>
void
RdmaDcqcn::SetDataRate(DataRate value)
{
    m_param.*F = value.GetBitRate() == 0 ? RdmaDcqcnProfile::Get(m_param.name).*F : value;
}

template <double RdmaDcqcnProfile::*F>
void
RdmaDcqcn::SetFraction(double value)
{
    if (!(value <= 1))
    {
        throw FabricError("RdmaDcqcn: Gain, AlphaStart and MinDecreaseFactor are fractions from 0 "
                          "to 1, not " +
                          std::to_string(value));
    }
    m_param.*F = value < 0 ? RdmaDcqcnProfile::Get(m_param.name).*F : value;
}

template <int64_t RdmaDcqcnProfile::*F>
void
RdmaDcqcn::SetInteger(int64_t value)
{
    m_param.*F = value < 0 ? RdmaDcqcnProfile::Get(m_param.name).*F : value;
}

template <int64_t RdmaDcqcnProfile::*F>
void
RdmaDcqcn::SetFlag(int64_t value)
{
    if (value > 1)
    {
        throw FabricError("RdmaDcqcn: flags are 0 or 1, not " + std::to_string(value));
    }
    SetInteger<F>(value);
}

uint32_t
RdmaDcqcn::DoNeeds() const
{
    return RDMA_NEEDS_ECT | (m_param.marksOnAcks != 0 ? RDMA_NEEDS_ECN_ECHO : RDMA_NEEDS_CNP);
}

FabricPs
RdmaDcqcn::DoCnpInterval() const
{
    return FabricTime::From(m_param.cnpInterval);
}

Ptr<RdmaCongestionOps>
RdmaDcqcn::DoFork() const
{
    return CopyObject<RdmaDcqcn>(Ptr<const RdmaDcqcn>(this));
}

void
RdmaDcqcn::DoInit(RdmaRateState& state, FabricPs now)
{
    m_alphaPeriod = FabricTime::From(m_param.alphaPeriod);
    m_cutPeriod = FabricTime::From(m_param.cutPeriod);
    m_timeReset = FabricTime::From(m_param.timeReset);
    m_byteReset = static_cast<uint64_t>(m_param.byteReset);
    m_threshold = static_cast<uint64_t>(m_param.threshold);
    m_target = state.lineRateBps;
    m_alpha = m_param.alphaStart;
    m_alphaAt = now;
    m_cutAnchor = now;
    m_cutDue = FABRIC_NEVER;
    m_timeDue = FABRIC_NEVER;
    m_timeStage = 0;
    m_byteStage = 0;
    m_bytes = 0;
    m_started = false;
    m_alphaMarked = false;
}

void
RdmaDcqcn::DoOnFeedback(RdmaRateState& state, const RdmaFeedback& feedback)
{
    if (feedback.ecnEcho && m_param.marksOnAcks != 0)
    {
        Notify(state, feedback.now);
    }
}

void
RdmaDcqcn::DoOnCnp(RdmaRateState& state, FabricPs now)
{
    Notify(state, now);
}

void
RdmaDcqcn::Notify(RdmaRateState& state, FabricPs now)
{
    const bool first = !m_started;
    if (first)
    {
        m_started = true;
        m_alphaAt = now;
        m_cutAnchor = now;
        const auto rate = static_cast<double>(m_param.rateOnFirstCnp.GetBitRate());
        if (rate > 0)
        {
            SetRate(state, now, rate);
            m_target = state.rateBps;
        }
    }
    AdvanceAlpha(now);
    if (m_cutPeriod == 0)
    {
        Cut(state, now);
        m_alpha = (1 - m_param.gain) * m_alpha + m_param.gain;
        m_alphaAt = now;
        ++m_counters.alphaTicks;
    }
    else
    {
        m_alphaMarked = !first;
        if (m_cutDue == FABRIC_NEVER)
        {
            m_cutDue = now + m_cutPeriod - (now - m_cutAnchor) % m_cutPeriod;
        }
    }
    SetDeadline(Due());
}

void
RdmaDcqcn::Cut(RdmaRateState& state, FabricPs at)
{
    if (m_param.clampTargetRate != 0 || m_byteStage > 0 ||
        (m_timeStage > 0 && m_param.clampTargetRateAfterTime != 0))
    {
        m_target = state.rateBps;
    }
    const double least = std::max(state.rateBps * m_param.minDecreaseFactor,
                                  static_cast<double>(m_param.minRate.GetBitRate()));
    const double rate = std::max(state.rateBps * (1 - m_alpha / 2), least);
    SetRate(state, at, std::min(rate, state.rateBps));
    m_timeStage = 0;
    m_byteStage = 0;
    m_bytes = 0;
    m_timeDue = at + m_timeReset;
}

FabricPs
RdmaDcqcn::DoAdvance(RdmaRateState& state, FabricPs now)
{
    if (m_cutDue <= now)
    {
        const FabricPs at = m_cutDue;
        m_cutDue = FABRIC_NEVER;
        AdvanceTimer(state, at);
        AdvanceAlpha(at);
        Cut(state, at);
    }
    AdvanceTimer(state, now);
    return Due();
}

void
RdmaDcqcn::AdvanceTimer(RdmaRateState& state, FabricPs until)
{
    while (m_timeDue <= until)
    {
        Leap(state, until);
        const FabricPs at = m_timeDue;
        m_timeDue += m_timeReset;
        ++m_timeStage;
        Increase(state, at);
    }
}

void
RdmaDcqcn::Leap(RdmaRateState& state, FabricPs until)
{
    // From t = F + 2 on all steps are alike, until the target meets the line rate. A step of
    // size a turns the gap d = R_T - R_C into (d + a)/2, so after many steps the gap is a.
    const double step = Step();
    const double room = (state.lineRateBps - m_target) / std::max(step, 1.0);
    const auto due = static_cast<double>((until - m_timeDue) / m_timeReset);
    const double steps = std::floor(std::min(room, due));
    if (m_timeStage < m_threshold + 2 || steps < 2.0 * SMALL)
    {
        return;
    }
    m_target += steps * step;
    m_timeStage += static_cast<uint64_t>(steps);
    m_timeDue += static_cast<FabricPs>(steps) * m_timeReset;
    m_counters.increases += static_cast<uint64_t>(steps) - 1;
    SetRate(state, m_timeDue - m_timeReset, m_target - step);
}

double
RdmaDcqcn::Step() const
{
    const uint64_t most = std::max(m_timeStage, m_byteStage);
    const uint64_t least = std::min(m_timeStage, m_byteStage);
    const bool timerOnly = m_param.timerOnlyPhases != 0;
    if (timerOnly ? most <= m_threshold : most < m_threshold)
    {
        return 0;
    }
    const bool hyper = timerOnly ? most > m_threshold + 1 : least > m_threshold;
    return static_cast<double>(
        (hyper ? m_param.hyperIncrease : m_param.additiveIncrease).GetBitRate());
}

void
RdmaDcqcn::Increase(RdmaRateState& state, FabricPs at)
{
    m_target = std::min(m_target + Step(), state.lineRateBps);
    double rate = (m_target + state.rateBps) / 2;
    // Halving a gap never closes it in floating point: close it when it is down to rounding.
    if (m_target - rate <= 2 * std::numeric_limits<double>::epsilon() * m_target)
    {
        rate = m_target;
    }
    SetRate(state, at, rate);
    if (rate >= state.lineRateBps)
    {
        m_timeDue = FABRIC_NEVER; // nothing left to raise until the next cut restarts it
    }
}

void
RdmaDcqcn::DoOnSent(RdmaRateState& state, uint32_t frameBytes, FabricPs now)
{
    if (m_byteReset == 0 || state.rateBps >= state.lineRateBps)
    {
        return;
    }
    m_bytes += frameBytes;
    while (m_bytes >= m_byteReset)
    {
        m_bytes -= m_byteReset;
        ++m_byteStage;
        Increase(state, now);
        SetDeadline(Due());
    }
}

double
RdmaDcqcn::Decay(double alpha, uint64_t ticks) const
{
    const double keep = 1 - m_param.gain;
    if (ticks > SMALL)
    {
        return alpha * std::pow(keep, static_cast<double>(ticks));
    }
    for (; ticks > 0; --ticks)
    {
        alpha *= keep;
    }
    return alpha;
}

double
RdmaDcqcn::GetAlpha(FabricPs now) const
{
    const uint64_t ticks = m_started && now > m_alphaAt ? (now - m_alphaAt) / m_alphaPeriod : 0;
    if (ticks == 0)
    {
        return m_alpha;
    }
    const double first = Decay(m_alpha, 1) + (m_alphaMarked ? m_param.gain : 0);
    return Decay(first, ticks - 1);
}

void
RdmaDcqcn::AdvanceAlpha(FabricPs at)
{
    const FabricPs ticks = (at - m_alphaAt) / m_alphaPeriod;
    if (ticks > 0)
    {
        m_alpha = GetAlpha(at);
        m_alphaAt += ticks * m_alphaPeriod;
        m_alphaMarked = false;
        m_counters.alphaTicks += static_cast<uint64_t>(ticks);
    }
}

} // namespace ns3
