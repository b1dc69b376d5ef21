/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NV_SWITCH_GENERATION_H
#define NV_SWITCH_GENERATION_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * @brief What the generations of NVSwitch have: links of one generation of NVLink, and how many.
 */
class NvSwitchGeneration
{
  public:
    /**
     * @param generation 1 to 4
     * @return links of one chip
     * @throws FabricError for another generation
     */
    static uint32_t GetLinkLimit(uint32_t generation);

    /**
     * @param generation 1 to 4
     * @return name for messages
     */
    static std::string GetName(uint32_t generation);

    /**
     * @param generation 1 to 4
     * @return true when it has multicast and reduction
     */
    static bool CanReduce(uint32_t generation)
    {
        return generation >= 3;
    }

    /**
     * @brief Check the links of a chip.
     * @param name of the chip, for messages
     * @param ports its ports, wired or not
     * @param generation 1 to 4; 0: the one that fits the links
     * @return the generation
     * @throws FabricError for links of another generation, or too many, with the counts
     */
    static uint32_t Check(const std::string& name,
                          const std::vector<FabricPort*>& ports,
                          uint32_t generation);

    /** @brief Latest generation. */
    static constexpr uint32_t NEWEST = 4;
};

} // namespace ns3

#endif /* NV_SWITCH_GENERATION_H */
