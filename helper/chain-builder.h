/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CHAIN_BUILDER_H
#define CHAIN_BUILDER_H

#include "fabric-topology-builder.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Switches in a row, each with hosts.
 */
class ChainBuilder : public FabricTopologyBuilder
{
  public:
    /** @brief What can be chosen. */
    struct Parameters
    {
        uint32_t switches{2};       //!< switches in the row
        uint32_t hostsPerSwitch{1}; //!< hosts at each of them
        TierLink hostLink;          //!< between a host and its switch
        TierLink switchLink;        //!< between neighbouring switches
    };

    /**
     * @param parameters sizes, rates and delays
     */
    explicit ChainBuilder(const Parameters& parameters);

  private:
    void DoCheckParameters() const override;
    Counts DoGetCounts() const override;
    void DoBuild(FabricTopology& topology) const override;
    std::string DoGetDescription() const override;

    Parameters m_p; //!< sizes, rates and delays
};

} // namespace ns3

#endif /* CHAIN_BUILDER_H */
