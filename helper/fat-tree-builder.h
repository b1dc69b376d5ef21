/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FAT_TREE_BUILDER_H
#define FAT_TREE_BUILDER_H

#include "fabric-topology-builder.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The fat-tree of switches with k ports.
 *
 * Three tiers (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches and
 * k^2/4 core switches; k^3/4 hosts, 5k^2/4 switches, 3k^3/4 links. Two tiers: k edge and k/2 spine
 * switches, k^2/2 hosts, k^2 links. Oversubscription multiplies the hosts of an edge switch.
 */
class FatTreeBuilder : public FabricTopologyBuilder
{
  public:
    /** @brief What can be chosen. */
    struct Parameters
    {
        uint32_t k{4};                //!< ports of a switch, even, 2 to 128
        uint32_t tiers{3};            //!< 2 or 3
        uint32_t oversubscription{1}; //!< hosts per edge switch are this many times k/2
        TierLink hostLink;            //!< between a host and its edge switch
        TierLink edgeLink;            //!< between an edge switch and the tier above
        TierLink coreLink;            //!< between aggregation and core (3 tiers)
    };

    /**
     * @param parameters sizes, rates and delays
     */
    explicit FatTreeBuilder(const Parameters& parameters);

  private:
    void DoCheckParameters() const override;
    Counts DoGetCounts() const override;
    void DoBuild(FabricTopology& topology) const override;
    std::string DoGetDescription() const override;

    /**
     * @brief Second of two tiers.
     * @param topology has hosts and edge switches
     * @param firstEdge id of the first edge switch
     */
    void AddSpines(FabricTopology& topology, uint32_t firstEdge) const;

    /**
     * @brief Second and third of three tiers.
     * @param topology has hosts and edge switches
     * @param firstEdge id of the first edge switch
     */
    void AddAggregationAndCore(FabricTopology& topology, uint32_t firstEdge) const;

    Parameters m_p; //!< sizes, rates and delays
};

} // namespace ns3

#endif /* FAT_TREE_BUILDER_H */
