/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_TOPOLOGY_BUILDER_H
#define FABRIC_TOPOLOGY_BUILDER_H

#include "fabric-topology.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief From a few parameters to a FabricTopology; base of the regular fabrics.
 *
 * Build() checks the parameters, lets the subclass build, and then checks the result against the
 * counts that the subclass computes from its parameters alone: a builder cannot leave a switch
 * unused or place hosts elsewhere without being noticed.
 */
class FabricTopologyBuilder
{
  public:
    /** @brief The links of one tier. */
    struct TierLink
    {
        uint64_t rateBps{100'000'000'000}; //!< bits per second
        int64_t delayPs{1'000'000};        //!< propagation delay in ps
        uint32_t bundle{1};                //!< parallel links between the same two nodes
    };

    /** @brief What a fabric must have. */
    struct Counts
    {
        uint64_t hosts{0};    //!< hosts
        uint64_t switches{0}; //!< switches
        uint64_t links{0};    //!< links
    };

    virtual ~FabricTopologyBuilder() = default;

    /**
     * @brief Build the fabric; throws FabricError if a parameter is out of range.
     *
     * Hosts get the ids 0, 1, ..., then the switches follow from the lowest tier upwards.
     * @return the topology
     */
    FabricTopology Build() const;

    /** @return the counts that the parameters ask for */
    Counts GetCounts() const;

    /** @return one line for people: the kind of fabric and its parameters */
    std::string GetDescription() const;

  protected:
    /**
     * @brief Refuse a parameter that is out of range.
     * @param name of the parameter
     * @param value its value
     * @param min least allowed
     * @param max greatest allowed
     */
    static void RequireRange(const std::string& name, uint64_t value, uint64_t min, uint64_t max);

    /**
     * @brief Refuse impossible links.
     * @param name of the tier
     * @param link its parameters
     */
    static void RequireLink(const std::string& name, const TierLink& link);

    /**
     * @brief Add all parallel links between two nodes.
     * @param topology is extended
     * @param a node id
     * @param b node id
     * @param link parameters
     */
    static void Connect(FabricTopology& topology, uint32_t a, uint32_t b, const TierLink& link);

    /**
     * @param link parameters
     * @return for people: "100Gb/s 1us", with " x2" for two parallel links
     */
    static std::string LinkText(const TierLink& link);

  private:
    /** @brief Throw FabricError if a parameter is out of range. */
    virtual void DoCheckParameters() const = 0;

    /** @return closed-form counts of the fabric */
    virtual Counts DoGetCounts() const = 0;

    /**
     * @param topology empty, is filled
     */
    virtual void DoBuild(FabricTopology& topology) const = 0;

    /** @return one line for people */
    virtual std::string DoGetDescription() const = 0;
};

} // namespace ns3

#endif /* FABRIC_TOPOLOGY_BUILDER_H */
