/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FORWARDING_TABLE_H
#define FORWARDING_TABLE_H

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Destination endpoint to equal-cost ports, flat.
 *
 * Equal groups are stored once; looking a destination up is two array reads.
 */
class ForwardingTable
{
  public:
    /** @brief The ports of one group. */
    struct Group
    {
        const uint16_t* ports; //!< the members, ascending
        uint32_t size;         //!< how many; 0 = no route
    };

    /**
     * @brief Forget all routes.
     * @param endpoints number of endpoints, which are numbered from 0
     */
    void Reset(uint32_t endpoints);

    /**
     * @brief Route a destination.
     * @param dst endpoint
     * @param ports equal-cost egress ports, ascending; may be empty
     */
    void Set(uint32_t dst, const std::vector<uint16_t>& ports);

    /**
     * @param dst endpoint; unknown ones have no route
     * @return its group
     */
    Group Lookup(uint32_t dst) const
    {
        if (dst >= m_groupOf.size())
        {
            return {nullptr, 0};
        }
        const Span& s = m_spans[m_groupOf[dst]];
        return {m_ports.data() + s.first, s.size};
    }

  private:
    /** @brief Where a group's ports lie in m_ports. */
    struct Span
    {
        uint32_t first; //!< index
        uint32_t size;  //!< count
    };

    std::vector<uint16_t> m_groupOf;                      //!< by destination
    std::vector<Span> m_spans;                            //!< by group
    std::vector<uint16_t> m_ports;                        //!< all groups' ports
    std::map<std::vector<uint16_t>, uint16_t> m_interned; //!< group numbers, for Set() only
};

} // namespace ns3

#endif /* FORWARDING_TABLE_H */
