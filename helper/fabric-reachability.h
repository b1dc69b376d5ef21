/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_REACHABILITY_H
#define FABRIC_REACHABILITY_H

#include "fabric-topology.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Answers which hosts of a topology can exchange packets.
 *
 * Hosts do not forward: a path is one direct link, or it leads through switches only. Built once,
 * linear in the size of the topology; later changes of the topology are not seen.
 */
class FabricReachability
{
  public:
    /**
     * @param topology the graph
     */
    explicit FabricReachability(const FabricTopology& topology);

    /**
     * @param a host id, must exist
     * @param b host id, must exist
     * @return true if there is a path (a == b: true)
     */
    bool IsReachable(uint32_t a, uint32_t b) const;

    /**
     * @brief Write the unreachable host pairs into a report.
     * @param report fills unreachablePairs, unreachableExact and unreachableExamples
     */
    void Fill(FabricTopology::Report& report) const;

  private:
    /** @brief Hosts that touch the same switch parts. */
    struct Group
    {
        std::vector<uint32_t> parts; //!< switch parts, ascending
        std::vector<uint32_t> hosts; //!< host ids, ascending
    };

    /**
     * @brief Number the connected parts of the switches and note which of them each host touches.
     * @param topology the graph
     */
    void FindParts(const FabricTopology& topology);

    /** @brief Sort the hosts into m_groups. */
    void FindGroups();

    /**
     * @return host pairs that share no switch part but a direct link
     */
    uint64_t CountDirectOnly() const;

    /**
     * @param report gets at most 10 examples
     */
    void FindExamples(FabricTopology::Report& report) const;

    std::vector<uint32_t> m_hosts;                //!< host ids, ascending
    std::vector<std::vector<uint32_t>> m_partsOf; //!< by node id: switch parts, ascending
    std::vector<std::vector<uint32_t>> m_directs; //!< by node id: directly linked hosts, ascending
    std::vector<Group> m_groups;                  //!< ordered by parts
};

} // namespace ns3

#endif /* FABRIC_REACHABILITY_H */
