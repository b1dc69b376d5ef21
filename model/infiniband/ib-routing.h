/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_ROUTING_H
#define IB_ROUTING_H

#include "ib-forwarding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Routing engines of a subnet manager: tables of a subnet whose LIDs are given.
 *
 * | engine | ways                                             | credit loops |
 * |--------|--------------------------------------------------|--------------|
 * | minhop | shortest, by the least used port                 | possible     |
 * | updn   | up towards the roots, then down, never up again  | none         |
 * | ftree  | as updn, the way up chosen by the destination's  | none         |
 * |        | number (d mod k): shift patterns do not collide  |              |
 * | dfsssp | as minhop, in as many virtual lanes as it takes   | none         |
 *
 * Roots are the switches farthest from those with hosts; where these are no tiers, the most central
 * one. From one root of several there may be no legal way to a host on another: updn and ftree take
 * the shortest way then, count it in IbForwarding::turns, and a credit loop is possible. All but
 * dfsssp need one virtual lane.
 */
class IbRouting
{
  public:
    /** @return names of the engines */
    static std::vector<std::string> GetNames();

    /**
     * @param name an engine
     * @throws FabricError for an unknown name, with all known ones
     */
    static void Check(const std::string& name);

    /**
     * @param name an engine
     * @param subnet the subnet
     * @param lanes virtual lanes that there are
     * @return its tables
     * @throws FabricError for an unknown name, a subnet that the engine does not fit, or too few
     *         lanes, with both numbers
     */
    static IbForwarding Compute(const std::string& name,
                                const IbSubnet& subnet,
                                uint32_t lanes = 8);

    /**
     * @param name an engine
     * @return whether its packets go in lanes by source and destination
     * @throws FabricError for an unknown name, with all known ones
     */
    static bool NeedsLanes(const std::string& name);
};

} // namespace ns3

#endif /* IB_ROUTING_H */
