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
 *
 * Roots are the switches farthest from those with hosts; where these are no tiers, the most central
 * one. From one root of several there may be no legal way to a host on another: updn and ftree take
 * the shortest way then, count it in IbForwarding::turns, and a credit loop is possible. All need
 * one virtual lane.
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
     * @return its tables
     * @throws FabricError for an unknown name, or a subnet that the engine does not fit
     */
    static IbForwarding Compute(const std::string& name, const IbSubnet& subnet);
};

} // namespace ns3

#endif /* IB_ROUTING_H */
