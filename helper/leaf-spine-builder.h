/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef LEAF_SPINE_BUILDER_H
#define LEAF_SPINE_BUILDER_H

#include "fabric-topology-builder.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Two tiers, every leaf linked to every spine.
 */
class LeafSpineBuilder : public FabricTopologyBuilder
{
  public:
    /** @brief What can be chosen. */
    struct Parameters
    {
        uint32_t leaves{4};       //!< leaf switches
        uint32_t spines{2};       //!< spine switches
        uint32_t hostsPerLeaf{4}; //!< hosts at each leaf
        TierLink hostLink;        //!< between a host and its leaf
        TierLink upLink;          //!< between a leaf and a spine
    };

    /**
     * @param parameters sizes, rates and delays
     */
    explicit LeafSpineBuilder(const Parameters& parameters);

  private:
    void DoCheckParameters() const override;
    Counts DoGetCounts() const override;
    void DoBuild(FabricTopology& topology) const override;
    std::string DoGetDescription() const override;

    Parameters m_p; //!< sizes, rates and delays
};

} // namespace ns3

#endif /* LEAF_SPINE_BUILDER_H */
