/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SUBNET_BUILDER_H
#define IB_SUBNET_BUILDER_H

#include "ns3/ib-subnet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Subnets of the shapes that are built, from a few numbers.
 *
 * Hosts are single-port adapters "h0", "h1", ...; all cables are 4X of one speed.
 */
class IbSubnetBuilder
{
  public:
    /** @param speed IbRate name of all cables, such as "HDR" */
    explicit IbSubnetBuilder(const std::string& speed);

    /**
     * @brief A non-blocking fat-tree of switches of one kind: as many uplinks as hosts at each.
     * @param radix ports of a switch, even: 40 of HDR, 64 of NDR
     * @param hosts adapters; 0: as many as fit. With fewer only what they need is built
     * @param tiers 2 or 3
     * @return the subnet; leaves first, then the tiers above
     * @throws FabricError for an odd radix, other tiers, or more hosts than fit: radix^tiers /
     *         2^(tiers - 1)
     */
    IbSubnet FatTree(uint32_t radix, uint32_t hosts = 0, uint32_t tiers = 2) const;

    /**
     * @brief Servers with a NIC for each rail; NICs of one rail of radix / 2 servers share a leaf,
     * and spines join all leaves without blocking.
     * @param servers servers; NIC r of server s is host s * rails + r, "s0/nic0" to its description
     * @param rails NICs of a server
     * @param radix ports of a switch, even
     * @return the subnet; leaves first, by group of servers, then rail
     * @throws FabricError when the spines' ports do not suffice
     */
    IbSubnet RailOptimised(uint32_t servers, uint32_t rails, uint32_t radix) const;

    /**
     * @brief Groups, each a full bipartite graph of leaves and spines, joined by the spines.
     * @param groups groups, at least 2
     * @param leaves leaves of a group, and spines as many
     * @param hostsPerLeaf adapters at a leaf
     * @param globalPorts ports of a spine to other groups; they take turns
     * @return the subnet; group by group, its leaves, then its spines
     * @throws FabricError when a group has fewer global ports than other groups, or an odd one is
     *         left
     */
    IbSubnet DragonflyPlus(uint32_t groups,
                           uint32_t leaves,
                           uint32_t hostsPerLeaf,
                           uint32_t globalPorts) const;

    /**
     * @brief Switches in a circle; port 1 goes to the next, port 2 to the one before.
     * @param switches at least 3
     * @param hostsPerSwitch adapters at each, from port 3
     * @return the subnet; switches first
     * @throws FabricError for fewer switches
     */
    IbSubnet Ring(uint32_t switches, uint32_t hostsPerSwitch) const;

  private:
    static void AddSwitches(IbSubnet& subnet,
                            const std::string& name,
                            uint32_t count,
                            uint32_t ports);
    uint32_t AddHost(IbSubnet& subnet, uint32_t sw) const;
    void Join(IbSubnet& subnet, uint32_t a, uint32_t b) const;
    void AddSpines(IbSubnet& subnet, uint32_t leaves, uint32_t radix) const;

    std::string m_speed; //!< of all cables
};

} // namespace ns3

#endif /* IB_SUBNET_BUILDER_H */
