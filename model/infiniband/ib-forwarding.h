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

class IbChannels;

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

    /** @brief The way of all packets that enter at a switch for a destination. */
    struct Entry
    {
        uint32_t node;                  //!< switch where they enter
        uint16_t lid;                   //!< destination
        std::vector<uint32_t> channels; //!< links behind it, see IbChannels
    };

    /** @brief A way from one LID to another. */
    struct Way
    {
        std::vector<Step> steps; //!< links, in order; empty from a port to itself
        bool arrives{false};     //!< false: it ends before, or runs in a circle
    };

    std::vector<std::vector<uint8_t>> tables; //!< by node and LID: egress port; 0: to itself
    uint64_t turns{0}; //!< entries by which a packet may go up after it went down

    std::vector<std::vector<uint8_t>> lanes; //!< by node where packets enter and LID: virtual lane
    uint8_t nLanes{1};                       //!< virtual lanes in use

    /**
     * @param node switch where a packet enters
     * @param lid destination
     * @return its virtual lane, all the way
     */
    uint8_t GetLane(uint32_t node, uint16_t lid) const;

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
     * @param subnet the subnet
     * @param channels its links
     * @return ways from every switch with adapters to every LID
     */
    std::vector<Entry> GetEntries(const IbSubnet& subnet, const IbChannels& channels) const;

    /**
     * @brief Look for a circle of links each of which waits for room behind the next one.
     *
     * Links wait for each other where packets that an adapter can send pass from one to the next.
     * With credits such a circle within one virtual lane can lock up.
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

/**
 * @ingroup ai-fabric
 * @brief Numbers for the links of a subnet, by where they begin.
 */
class IbChannels
{
  public:
    /** @param subnet the subnet */
    explicit IbChannels(const IbSubnet& subnet);

    /** @return how many numbers there are */
    uint32_t GetN() const
    {
        return m_n;
    }

    /**
     * @param step a link
     * @return its number
     */
    uint32_t Of(const IbForwarding::Step& step) const
    {
        return m_first[step.node] + step.port;
    }

    /**
     * @param channel a number
     * @return its link
     */
    IbForwarding::Step At(uint32_t channel) const;

  private:
    std::vector<uint32_t> m_first; //!< by node: number of its port 0
    uint32_t m_n{0};               //!< numbers
};

} // namespace ns3

#endif /* IB_FORWARDING_H */
