/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef LOAD_BALANCER_H
#define LOAD_BALANCER_H

#include "forwarding-table.h"

#include "ns3/fabric-packet.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Picks one of several equal-cost ports for a packet; one object per switch.
 */
class LoadBalancer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Give this switch's balancer its own randomness.
     * @param seed differs from switch to switch, follows the run seed
     */
    void SetSeed(uint64_t seed)
    {
        m_seed = seed;
    }

    /**
     * @brief Choose.
     * @param p the packet
     * @param group at least two ports
     * @return one of the group's ports
     */
    uint16_t Select(const FabricPacket& p, const ForwardingTable::Group& group)
    {
        return DoSelect(p, group);
    }

  protected:
    uint64_t m_seed{0}; //!< per switch

  private:
    virtual uint16_t DoSelect(const FabricPacket& p, const ForwardingTable::Group& group) = 0;
};

/**
 * @ingroup ai-fabric
 * @brief Equal-cost multi-path: a hash of the flow's five-tuple, seeded per switch.
 *
 * Without a seed of its own every tier would make the same choice, and most core switches would
 * stay idle (polarisation). A flow never changes its path while the routes stay.
 */
class EcmpLoadBalancer : public LoadBalancer
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    uint16_t DoSelect(const FabricPacket& p, const ForwardingTable::Group& group) override;
};

} // namespace ns3

#endif /* LOAD_BALANCER_H */
