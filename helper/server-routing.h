/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_ROUTING_H
#define SERVER_ROUTING_H

#include "server-topology.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Ways between the parts of a server: which ports lead to which endpoint.
 *
 * GPU links (NVLink, xGMI, OAM, die-to-die, C2C) are preferred to any way over PCI Express, however
 * long. Switches, dies and root complexes forward; a GPU forwards only between GPU links, and only
 * where relaying is on; NICs and memories never do. Equally good ports form one group.
 */
class ServerRouting
{
  public:
    /** @brief A part without a way to an endpoint. */
    typedef std::pair<uint32_t, uint32_t> Pair;

    /**
     * @brief Compute all ways.
     * @param topology the server; must outlive this object
     * @param relay do GPUs forward between their GPU links?
     * @param linkUp by link id; empty: all are up
     */
    ServerRouting(const ServerTopology& topology, bool relay, std::vector<bool> linkUp = {});

    /** @return parts that packets can be addressed to (all but switches), in order of part id */
    const std::vector<uint32_t>& GetEndpoints() const
    {
        return m_endpoints;
    }

    /**
     * @param part part id
     * @return its endpoint number, NONE for a switch
     */
    uint32_t GetEndpointOf(uint32_t part) const
    {
        return m_endpointOf.at(part);
    }

    /**
     * @param part part id
     * @param endpoint endpoint number
     * @return indexes into the part's links, ascending; empty: no way, or the part itself
     */
    std::vector<uint16_t> GetPorts(uint32_t part, uint32_t endpoint) const;

    /**
     * @brief Parts that packets visit from one part to another, one of the best ways.
     * @param from part id
     * @param to part id of an endpoint
     * @return part ids, both ends included; empty when there is no way
     */
    std::vector<uint32_t> GetPath(uint32_t from, uint32_t to) const;

    /** @return ordered pairs of GPUs without a way, as part ids */
    std::vector<Pair> GetUnreachableGpus() const;

    /** @brief GetEndpointOf(): the part is a switch. */
    static constexpr uint32_t NONE = 0xffffffff;

  private:
    /** @brief Kinds of first link of a way. */
    enum LinkKind : uint8_t
    {
        GPU_LINK,  //!< NVLink, xGMI, OAM, die-to-die, C2C
        HOST_LINK, //!< PCI Express, socket
        KINDS
    };

    /** @brief Least cost to one endpoint, by part and kind of the first link. */
    typedef std::vector<uint32_t> Costs;

    LinkKind KindOf(uint32_t link) const;
    uint32_t CostOf(uint32_t link) const;
    bool Forwards(uint32_t part, LinkKind from, LinkKind to) const;
    Costs ComputeCosts(uint32_t target) const;

    const ServerTopology& m_topology;   //!< the server
    bool m_relay;                       //!< GPUs relay
    std::vector<bool> m_linkUp;         //!< by link id
    std::vector<LinkKind> m_kindOf;     //!< by link id
    std::vector<uint32_t> m_endpoints;  //!< part ids
    std::vector<uint32_t> m_endpointOf; //!< by part id
    std::vector<Costs> m_costs;         //!< by endpoint
};

} // namespace ns3

#endif /* SERVER_ROUTING_H */
