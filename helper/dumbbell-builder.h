/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DUMBBELL_BUILDER_H
#define DUMBBELL_BUILDER_H

#include "fabric-topology-builder.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Two switches with hosts, joined by a bottleneck.
 */
class DumbbellBuilder : public FabricTopologyBuilder
{
  public:
    /** @brief What can be chosen. */
    struct Parameters
    {
        uint32_t left{2};    //!< hosts at the left switch, with the ids 0 to left-1
        uint32_t right{2};   //!< hosts at the right switch
        TierLink hostLink;   //!< between a host and its switch
        TierLink bottleneck; //!< between the switches
    };

    /**
     * @param parameters sizes, rates and delays
     */
    explicit DumbbellBuilder(const Parameters& parameters);

  private:
    void DoCheckParameters() const override;
    Counts DoGetCounts() const override;
    void DoBuild(FabricTopology& topology) const override;
    std::string DoGetDescription() const override;

    Parameters m_p; //!< sizes, rates and delays
};

} // namespace ns3

#endif /* DUMBBELL_BUILDER_H */
