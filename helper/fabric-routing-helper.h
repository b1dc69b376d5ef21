/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_ROUTING_HELPER_H
#define FABRIC_ROUTING_HELPER_H

#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class ForwardingTable;

/**
 * @ingroup ai-fabric
 * @brief Shortest-path routes with all equal-cost ports, from the graph into forwarding tables.
 *
 * Hosts never forward. One search per switch that has hosts, not per host, so the work grows with
 * (edge switches) x (links).
 */
class FabricRoutingHelper
{
  public:
    /**
     * @param topology the graph; must outlive this object
     */
    explicit FabricRoutingHelper(const FabricTopology& topology);

    /**
     * @brief Compute all routes.
     * @param linkUp by link id: usable or not
     * @param tables by node id: the table to fill, null for hosts
     */
    void Compute(const std::vector<bool>& linkUp,
                 const std::vector<ForwardingTable*>& tables) const;

    /**
     * @brief Ports of every switch that lie on a spanning tree (plus all host ports), for floods.
     * @param linkUp by link id: usable or not
     * @return by node id: port numbers, ascending; empty for hosts
     */
    std::vector<std::vector<uint16_t>> GetFloodPorts(const std::vector<bool>& linkUp) const;

  private:
    /** @brief Hops to one switch over switches only; UINT32_MAX where unreachable. */
    std::vector<uint32_t> Distances(uint32_t root, const std::vector<bool>& linkUp) const;

    const FabricTopology& m_topology; //!< the graph
};

} // namespace ns3

#endif /* FABRIC_ROUTING_HELPER_H */
