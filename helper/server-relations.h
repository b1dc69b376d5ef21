/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_RELATIONS_H
#define SERVER_RELATIONS_H

#include "server-topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How two parts of a server are connected, in the words of nvidia-smi, from the graph.
 *
 * GPU links count first: direct ones, or the fewer of both ends where they meet in switches. Else
 * the shortest PCIe path decides: PIX one bridge, PXB several, PHB a host bridge, NODE two host
 * bridges of a NUMA node, SYS two NUMA nodes.
 */
class ServerRelations
{
  public:
    /** @brief Kinds of connections, nearest first. */
    enum class Word : uint8_t
    {
        SELF, //!< X
        NV,   //!< NVLink
        XGMI, //!< AMD's GPU link
        OAM,  //!< module link
        PIX,  //!< one PCIe bridge
        PXB,  //!< several PCIe bridges
        PHB,  //!< a host bridge
        NODE, //!< several host bridges of a NUMA node
        SYS,  //!< across NUMA nodes
        NONE  //!< no path
    };

    /** @brief A connection. */
    struct Relation
    {
        Word word{Word::NONE}; //!< its kind
        uint32_t links{0};     //!< GPU links in parallel

        /** @return as nvidia-smi prints it: "NV12", "PIX" */
        std::string GetText() const;
    };

    /**
     * @param topology the server; has to outlive this object
     */
    explicit ServerRelations(const ServerTopology& topology);

    /**
     * @param a part id
     * @param b part id
     * @return how they are connected
     */
    Relation Get(uint32_t a, uint32_t b);

    /**
     * @brief Pairs of GPUs by kind of connection.
     * @return number of unordered pairs by text: {"NV1": 8, "NV2": 8, "SYS": 12}
     */
    std::map<std::string, uint32_t> CountPairs();

    /**
     * @param gpu part id of a GPU
     * @return ids of the NICs nearest to it, ascending; empty if there are none in its server
     */
    std::vector<uint32_t> GetNearestNics(uint32_t gpu);

    /**
     * @brief The shortest path over PCIe, sockets and CPU links.
     * @param a part id
     * @param b part id
     * @return link ids from a to b; empty if there is none, or a == b
     */
    std::vector<uint32_t> GetPciePath(uint32_t a, uint32_t b);

  private:
    /** @return the connection over GPU links; NONE if there is none */
    Relation GetByGpuLinks(uint32_t a, uint32_t b) const;
    /** @return the connection over PCIe; NONE if there is none */
    Relation GetByPcie(uint32_t a, uint32_t b);
    /** @brief Group NVSwitches that are linked with each other. */
    void FindPlanes();
    /** @brief Search all paths from a part. */
    void Search(uint32_t from);

    const ServerTopology& m_topology;              //!< the server
    std::vector<uint32_t> m_plane;                 //!< of each NVSwitch: lowest id linked with it
    std::vector<uint32_t> m_via;                   //!< of the last search: link towards its start
    uint32_t m_searched{ServerTopology::NO_LIMIT}; //!< start of the last search
};

} // namespace ns3

#endif /* SERVER_RELATIONS_H */
