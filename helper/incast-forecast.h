/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef INCAST_FORECAST_H
#define INCAST_FORECAST_H

#include "fabric-helper.h"
#include "flow-list.h"

#include "ns3/rdma-congestion-ops.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What DCQCN will come to in the widest incast of a traffic, known before it runs.
 *
 * Takes the flows that start together towards one host as the whole of the traffic, and the paper's
 * fixed point (DcqcnFixedPoint) for the marker of that host's switch port. Rate machines with a cut
 * timer have no such formula.
 */
struct IncastForecast
{
    /**
     * @param fabric a built fabric
     * @param congestion of all flows; may be null
     * @param flows the traffic
     * @param payload bytes of a full packet
     * @return one sentence; empty when no two hosts start together, or there is no formula
     */
    static std::string Describe(const FabricHelper& fabric,
                                Ptr<RdmaCongestionOps> congestion,
                                const FlowList& flows,
                                uint32_t payload);
};

} // namespace ns3

#endif /* INCAST_FORECAST_H */
