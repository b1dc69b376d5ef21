/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A fabric as data: hosts, switches and the links between them.
 *
 * Pure data without ns-3 objects: builders and file readers fill it, FabricHelper turns it into
 * nodes and devices. Node ids are dense and are the ids of the input file. Several links between
 * the same two nodes are allowed. Every Add method refuses what cannot exist by throwing
 * FabricError; Check() reports what can exist but is probably not meant.
 */
class FabricTopology
{
  public:
    /** @brief What a node does with a packet that is not its own. */
    enum class Role : uint8_t
    {
        HOST,  //!< has NICs, sends and receives, never forwards
        SWITCH //!< forwards
    };

    /** @brief A host or a switch. */
    struct Node
    {
        uint32_t id{0};        //!< dense, 0-based
        Role role{Role::HOST}; //!< host or switch
        uint16_t tier{0};      //!< 0 for hosts, 1 for the switches next to them, 2, 3 above
        uint32_t pod{0};       //!< pod (or leaf) number where the builder knows one, else 0
        int64_t latencyPs{0};  //!< forwarding latency of a switch in ps
        std::string name;      //!< for people: "h3", "leaf1", "core0"
    };

    /** @brief A full-duplex cable. */
    struct Link
    {
        uint32_t id{0};      //!< dense, in order of insertion
        uint32_t a{0};       //!< node id of one end
        uint32_t b{0};       //!< node id of the other end
        uint64_t rateBps{0}; //!< bits per second, each direction
        int64_t delayPs{0};  //!< propagation delay in ps
        double errorRate{0}; //!< probability that a packet is lost, in [0, 1)
        uint32_t line{0};    //!< line of the input file, 0 if built
    };

    /** @brief A NIC: the host's end of one link. */
    struct Endpoint
    {
        uint32_t id{0};   //!< dense, ordered by host id, then by link id
        uint32_t host{0}; //!< node id
        uint32_t nic{0};  //!< index among the NICs of the host
        uint32_t link{0}; //!< link id
    };

    /** @brief Links that have rate and delay in common. */
    struct LinkClass
    {
        uint64_t rateBps{0}; //!< bits per second
        int64_t delayPs{0};  //!< ps
        uint32_t links{0};   //!< how many
    };

    /** @brief What Check() found. */
    struct Report
    {
        uint32_t hosts{0};                  //!< host nodes
        uint32_t switches{0};               //!< switch nodes
        uint32_t links{0};                  //!< all links
        uint32_t hostSwitchLinks{0};        //!< between a host and a switch
        uint32_t switchSwitchLinks{0};      //!< between two switches
        uint32_t hostHostLinks{0};          //!< between two hosts
        uint32_t parallelLinks{0};          //!< links beyond the first between the same two nodes
        uint32_t endpoints{0};              //!< NICs
        uint32_t maxPorts{0};               //!< most links at one node
        uint64_t rateSumBps{0};             //!< sum of link rates, one direction; saturates
        std::vector<LinkClass> classes;     //!< in order of first appearance
        uint32_t components{0};             //!< connected parts, an unconnected node is one
        std::vector<uint32_t> bareHosts;    //!< hosts without a link
        std::vector<uint32_t> bareSwitches; //!< switches without a link (fault 48)
        uint64_t unreachablePairs{0};       //!< unordered host pairs without a path
        bool unreachableExact{true};        //!< false: the count is a lower bound
        std::vector<std::pair<uint32_t, uint32_t>> unreachableExamples; //!< at most 10
    };

    static constexpr uint32_t MAX_NODES = 1'000'000;          //!< most nodes
    static constexpr uint32_t MAX_LINKS = 8'000'000;          //!< most links
    static constexpr uint64_t MAX_RATE = 100'000'000'000'000; //!< bit/s: 100 Tb/s
    static constexpr int64_t MAX_DELAY = 1'000'000'000'000;   //!< ps: 1 s

    /**
     * @brief Add a host; its id is the number of nodes so far.
     * @param name for people; empty: "h" and the id
     * @return its id
     */
    uint32_t AddHost(const std::string& name = "");

    /**
     * @brief Add a switch; its id is the number of nodes so far.
     * @param name for people; empty: "s" and the id
     * @param tier 1 next to the hosts, 2 and 3 above
     * @param pod pod number, 0 where there is none
     * @param latencyPs forwarding latency in ps, 0 to 1 s
     * @return its id
     */
    uint32_t AddSwitch(const std::string& name = "",
                       uint16_t tier = 1,
                       uint32_t pod = 0,
                       int64_t latencyPs = 0);

    /**
     * @brief Note the pod of a node.
     * @param node node id
     * @param pod pod number
     */
    void SetPod(uint32_t node, uint32_t pod);

    /** @brief Set the tier of every switch to its hop distance from the nearest host. */
    void InferTiers();

    /**
     * @brief Connect two different nodes; repeat for parallel links.
     * @param a node id
     * @param b node id
     * @param rateBps bits per second, 1 to MAX_RATE
     * @param delayPs propagation delay in ps, 0 to MAX_DELAY
     * @param errorRate loss probability of a packet, in [0, 1)
     * @param line line of the input file, 0 if there is none
     * @return the link id
     */
    uint32_t AddLink(uint32_t a,
                     uint32_t b,
                     uint64_t rateBps,
                     int64_t delayPs,
                     double errorRate = 0,
                     uint32_t line = 0);

    /**
     * @brief Say why AddLink() would refuse.
     * @param a node id
     * @param b node id
     * @param rateBps bits per second
     * @param delayPs ps
     * @param errorRate loss probability
     * @return what is wrong and what is allowed; empty if nothing
     */
    std::string ExplainLink(uint64_t a,
                            uint64_t b,
                            uint64_t rateBps,
                            int64_t delayPs,
                            double errorRate) const;

    /** @return number of nodes */
    uint32_t GetNNodes() const;
    /** @return number of hosts */
    uint32_t GetNHosts() const;
    /** @return number of switches */
    uint32_t GetNSwitches() const;
    /** @return number of links */
    uint32_t GetNLinks() const;

    /**
     * @param node node id, must exist
     * @return true for a host
     */
    bool IsHost(uint32_t node) const;

    /** @return all nodes, index = id */
    const std::vector<Node>& GetNodes() const;
    /** @return all links, index = id */
    const std::vector<Link>& GetLinks() const;

    /**
     * @param node node id, must exist
     * @return ids of its links in order of insertion (= its port order)
     */
    const std::vector<uint32_t>& GetLinks(uint32_t node) const;

    /**
     * @param link link id, must exist
     * @param node id of one end
     * @return id of the other end
     */
    uint32_t GetPeer(uint32_t link, uint32_t node) const;

    /** @return ids of the hosts, ascending */
    std::vector<uint32_t> GetHosts() const;
    /** @return all NICs, index = endpoint id */
    std::vector<Endpoint> GetEndpoints() const;

    /**
     * @brief Connected parts, all links and nodes alike.
     * @return for each node the number of its part, numbered by lowest node id
     */
    std::vector<uint32_t> GetComponents() const;

    /** @return the counts, and what looks wrong */
    Report Check() const;

    /**
     * @brief Capacity between the halves of the fabric.
     *
     * The minimum cut (equal to the maximum flow) between the first and the second half of the
     * hosts in id order, which for the regular fabrics of the builders is their bisection.
     * @return bits per second, one direction; 0 with fewer than two hosts
     */
    uint64_t GetBisectionBps() const;

    /**
     * @brief Write the graph for Graphviz.
     * @param os where to
     */
    void WriteDot(std::ostream& os) const;

  private:
    /**
     * @brief Add a node of either role.
     * @param node all but the id
     * @return its id
     */
    uint32_t AddNode(Node node);

    std::vector<Node> m_nodes;                    //!< index = id
    std::vector<Link> m_links;                    //!< index = id
    std::vector<std::vector<uint32_t>> m_linksOf; //!< link ids of each node
    uint32_t m_nHosts{0};                         //!< nodes with Role::HOST
};

} // namespace ns3

#endif /* FABRIC_TOPOLOGY_H */
