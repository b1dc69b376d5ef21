/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-fixed-rate.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFixedRate);

TypeId
RdmaFixedRate::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFixedRate")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaFixedRate>()
            .AddAttribute("Rate",
                          "Sending rate, bits per second; 0bps means the line rate, and a higher "
                          "rate than the line's is the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaFixedRate::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Window",
                          "Most unacknowledged payload, bytes; 0 means no window.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaFixedRate::m_windowBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

RdmaFixedRate::RdmaFixedRate() = default;

RdmaFixedRate::RdmaFixedRate(const RdmaFixedRate& other) = default;

RdmaFixedRate::~RdmaFixedRate() = default;

void
RdmaFixedRate::DoInit(RdmaRateState& state, FabricPs /* now */)
{
    if (m_rate.GetBitRate() > 0)
    {
        state.rateBps = std::min(state.lineRateBps, static_cast<double>(m_rate.GetBitRate()));
    }
    state.windowBytes = m_windowBytes;
}

uint32_t
RdmaFixedRate::DoNeeds() const
{
    return 0;
}

Ptr<RdmaCongestionOps>
RdmaFixedRate::DoFork() const
{
    return CopyObject<RdmaFixedRate>(Ptr<const RdmaFixedRate>(this));
}

} // namespace ns3
