/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HTSIM_TIERS_H
#define HTSIM_TIERS_H

#include "fabric-topology.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

class TextCursor;

/**
 * @ingroup ai-fabric
 * @brief A .topo file: the radix, rate and latency of each tier, and the fabric they describe.
 */
class HtsimTiers
{
  public:
    /**
     * @param cursor before the first line; throws FabricError with all faults
     */
    explicit HtsimTiers(TextCursor& cursor);

    /** @return the fabric */
    FabricTopology Build() const;

  private:
    /** @brief One tier; 0 are the ToR switches. */
    struct Tier
    {
        uint32_t line{0};            //!< where its block starts, 0 if there is none
        uint64_t speedGbps{0};       //!< of the links below
        uint64_t radixDown{0};       //!< links down of a switch
        uint64_t radixUp{0};         //!< links up of a switch
        uint64_t linkNs{0};          //!< latency of the links below
        uint64_t switchNs{0};        //!< latency of a switch
        uint64_t oversubscribed{1};  //!< capacity below / above
        uint64_t bundle{1};          //!< parallel links to each switch below
        std::array<bool, 7> given{}; //!< which of the above the file has, in that order
    };

    /** @brief Numbers that follow from the tiers. */
    struct Counts
    {
        uint64_t tors{0};       //!< ToR switches
        uint64_t torsPerPod{0}; //!< of them in a pod
        uint64_t pods{0};       //!< pods
        uint64_t aggs{0};       //!< switches of tier 1
        uint64_t aggsPerPod{0}; //!< of them in a pod
        uint64_t cores{0};      //!< switches of tier 2
    };

    /**
     * @brief Read a line in front of the tiers.
     * @param cursor at the line
     * @param key in lower case
     */
    void ReadHeaderLine(TextCursor& cursor, const std::string& key);

    /**
     * @brief Read a line of a tier.
     * @param cursor at the line
     * @param key in lower case
     * @param tier gets the value
     */
    static void ReadTierLine(TextCursor& cursor, const std::string& key, Tier& tier);

    /**
     * @brief Look for missing values.
     * @param cursor gets faults
     */
    void CheckGiven(TextCursor& cursor) const;

    /**
     * @brief Compute the counts; each division must come out even.
     * @param cursor gets faults
     */
    void Count(TextCursor& cursor);

    /**
     * @brief Compare the declared oversubscription with the radices.
     * @param cursor gets faults
     */
    void CheckOversubscription(TextCursor& cursor) const;

    /**
     * @brief Add the parallel links between a switch and one below.
     * @param topology is extended
     * @param below node id
     * @param above node id
     * @param tier of the upper one
     */
    void Connect(FabricTopology& topology, uint32_t below, uint32_t above, size_t tier) const;

    uint64_t m_nodes{0};          //!< hosts
    uint64_t m_tiers{0};          //!< 2 or 3
    uint64_t m_podSize{0};        //!< hosts in a pod
    std::array<Tier, 3> m_tier{}; //!< ToR, aggregation (or spine), core
    Counts m_n;                   //!< derived
};

} // namespace ns3

#endif /* HTSIM_TIERS_H */
