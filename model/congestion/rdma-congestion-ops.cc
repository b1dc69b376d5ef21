/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-congestion-ops.h"

#include "ns3/assert.h"
#include "ns3/fabric-error.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCongestionOps")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddTraceSource("Rate",
                            "The sending rate changed: time (ps), new rate (bits per second).",
                            MakeTraceSourceAccessor(&RdmaCongestionOps::m_rateTrace),
                            "ns3::RdmaCongestionOps::RateTracedCallback");
    return tid;
}

RdmaCongestionOps::RdmaCongestionOps() = default;

RdmaCongestionOps::RdmaCongestionOps(const RdmaCongestionOps& other)
    : Object(other),
      m_rateTrace(other.m_rateTrace)
{
}

RdmaCongestionOps::~RdmaCongestionOps() = default;

void
RdmaCongestionOps::Init(RdmaRateState& state, FabricPs now)
{
    if (!(state.lineRateBps > 0))
    {
        throw FabricError("RdmaCongestionOps: the line rate of the port must be above 0 bit/s");
    }
    m_counters = RdmaCongestionCounters{};
    m_due = FABRIC_NEVER;
    state.rateBps = state.lineRateBps;
    state.windowBytes = 0;
    DoInit(state, now);
}

void
RdmaCongestionOps::OnFeedback(RdmaRateState& state, const RdmaFeedback& feedback)
{
    Advance(state, feedback.now);
    m_counters.echoes += feedback.ecnEcho ? 1 : 0;
    DoOnFeedback(state, feedback);
}

void
RdmaCongestionOps::OnCnp(RdmaRateState& state, FabricPs now)
{
    Advance(state, now);
    ++m_counters.cnps;
    DoOnCnp(state, now);
}

void
RdmaCongestionOps::OnLoss(RdmaRateState& state, FabricPs now)
{
    Advance(state, now);
    ++m_counters.losses;
    DoOnLoss(state, now);
}

Ptr<RdmaCongestionOps>
RdmaCongestionOps::Fork() const
{
    return DoFork();
}

void
RdmaCongestionOps::SetRate(RdmaRateState& state, FabricPs at, double rateBps)
{
    NS_ASSERT_MSG(rateBps > 0, "a rate of 0 would stop the queue pair for good");
    const double rate = std::min(rateBps, state.lineRateBps);
    if (rate == state.rateBps)
    {
        return;
    }
    if (rate < state.rateBps)
    {
        ++m_counters.rateCuts;
    }
    else
    {
        ++m_counters.increases;
    }
    state.rateBps = rate;
    m_rateTrace(at, rate);
}

FabricPs
RdmaCongestionOps::DoAdvance(RdmaRateState& /* state */, FabricPs /* now */)
{
    return FABRIC_NEVER;
}

void
RdmaCongestionOps::DoOnSent(RdmaRateState& /* state */,
                            uint32_t /* frameBytes */,
                            FabricPs /* now */)
{
}

void
RdmaCongestionOps::DoOnFeedback(RdmaRateState& /* state */, const RdmaFeedback& /* feedback */)
{
}

void
RdmaCongestionOps::DoOnCnp(RdmaRateState& /* state */, FabricPs /* now */)
{
}

void
RdmaCongestionOps::DoOnLoss(RdmaRateState& /* state */, FabricPs /* now */)
{
}

FabricPs
RdmaCongestionOps::DoCnpInterval() const
{
    return 0;
}

} // namespace ns3
