/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_FORWARDING_H
#define IB_FORWARDING_H

#include "ib-subnet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The linear forwarding tables of all switches of a subnet, and what follows from them.
 */
class IbForwarding
{
  public:
    static constexpr uint8_t NO_PORT = 255; //!< no way

    /** @brief A link that a packet takes. */
    struct Step
    {
        uint32_t node; //!< leaves this node
        uint8_t port;  //!< by this port
    };

    /** @brief A way from one LID to another. */
    struct Way
    {
        std::vector<Step> steps; //!< links, in order; empty from a port to itself
        bool arrives{false};     //!< false: it ends before, or runs in a circle
    };

    std::vector<std::vector<uint8_t>> tables; //!< by node and LID: egress port; 0: to itself
    uint64_t turns{0}; //!< entries by which a packet may go up after it went down

    /**
     * @param node index
     * @param lid destination
     * @return egress port, NO_PORT for none
     */
    uint8_t Get(uint32_t node, uint16_t lid) const;

    /**
     * @param node index
     * @param lid destination
     * @param port egress port
     */
    void Set(uint32_t node, uint16_t lid, uint8_t port);

    /**
     * @brief Follow the tables.
     * @param subnet the subnet
     * @param from LID of the source
     * @param to LID of the destination
     * @return the way
     * @throws FabricError for a LID that nobody has
     */
    Way Trace(const IbSubnet& subnet, uint16_t from, uint16_t to) const;

    /**
     * @brief The same from a port.
     * @param subnet the subnet
     * @param node where it starts
     * @param port an adapter's port by which it starts; of no matter at a switch
     * @param to LID of the destination
     * @return the way
     */
    Way Follow(const IbSubnet& subnet, uint32_t node, uint8_t port, uint16_t to) const;

    /**
     * @brief Look for a circle of links each of which waits for room behind the next one.
     *
     * Links wait for each other where packets that an adapter can send pass from one to the next.
     * With credits and one virtual lane such a circle can lock up.
     * @param subnet the subnet
     * @return links of a circle, in order; empty if there is none
     */
    std::vector<Step> FindCreditLoop(const IbSubnet& subnet) const;

    /**
     * @param subnet the subnet
     * @param steps links
     * @return them for people: "a[3] -> b[1], b[2] -> ..."
     */
    static std::string Describe(const IbSubnet& subnet, const std::vector<Step>& steps);
};

} // namespace ns3

#endif /* IB_FORWARDING_H */
