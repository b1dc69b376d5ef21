/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef STAR_BUILDER_H
#define STAR_BUILDER_H

#include "fabric-topology-builder.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief All hosts at one switch.
 */
class StarBuilder : public FabricTopologyBuilder
{
  public:
    /** @brief What can be chosen. */
    struct Parameters
    {
        uint32_t hosts{16}; //!< hosts
        TierLink hostLink;  //!< between a host and the switch; a bundle gives several NICs
    };

    /**
     * @param parameters sizes, rates and delays
     */
    explicit StarBuilder(const Parameters& parameters);

  private:
    void DoCheckParameters() const override;
    Counts DoGetCounts() const override;
    void DoBuild(FabricTopology& topology) const override;
    std::string DoGetDescription() const override;

    Parameters m_p; //!< sizes, rates and delays
};

} // namespace ns3

#endif /* STAR_BUILDER_H */
