/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SUBNET_H
#define IB_SUBNET_H

#include "ib-rate.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief An InfiniBand subnet as its subnet manager knows it: nodes with GUIDs, ports, cables.
 *
 * A value: readers make one of a file, a sweep makes one of what answers. Ports are numbered as on
 * the device: channel adapters and routers have 1 to n, switches also 0, which is their management
 * port and holds their LID.
 */
class IbSubnet
{
  public:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max(); //!< no such node

    /** @brief Kinds of node, by their NodeType in NodeInfo. */
    enum class Type : uint8_t
    {
        CA = 1,     //!< host or target channel adapter
        SWITCH = 2, //!< switch
        ROUTER = 3  //!< router between subnets
    };

    /** @brief A port. */
    struct Port
    {
        uint32_t peer{NONE}; //!< node at the other end; NONE: no cable
        uint8_t peerPort{0}; //!< port there
        uint8_t lanes{4};    //!< width of the link
        std::string speed;   //!< IbRate name; empty: not known
        uint64_t guid{0};    //!< port GUID; 0: not known, or a port of a switch but 0
        uint16_t lid{0};     //!< lowest LID; 0: none yet
        uint8_t lmc{0};      //!< 2^lmc LIDs
        double metres{2};    //!< length of the cable; 2 where nobody says it

        /**
         * @param wanted a LID
         * @return whether it is one of this port's
         */
        bool HasLid(uint16_t wanted) const
        {
            return lid != 0 && wanted >= lid && wanted < lid + (1U << lmc);
        }

        /** @return delay of the cable, ps; 5 ns per metre, in copper as in glass */
        int64_t GetDelay() const
        {
            return static_cast<int64_t>(metres * 5000);
        }
    };

    /** @brief A node. */
    struct Node
    {
        Type type{Type::CA};
        uint64_t guid{0};        //!< node GUID; 0 only while a file of names is read
        uint64_t systemGuid{0};  //!< of the chassis
        std::string name;        //!< what refers to it in a file: "S-0008f1..." or a free name
        std::string description; //!< NodeDescription
        std::vector<Port> ports; //!< [0] is the management port of a switch, unused elsewhere
        uint32_t vendor{0};      //!< VendorID
        uint32_t device{0};      //!< DeviceID

        /** @return highest port number */
        uint8_t GetNPorts() const
        {
            return static_cast<uint8_t>(ports.size() - 1);
        }
    };

    /**
     * @brief Add a node without cables.
     * @param type kind
     * @param name unique name
     * @param ports 1 to 254
     * @param guid node GUID
     * @return its index
     * @throws FabricError for a name that is taken, or an impossible number of ports
     */
    uint32_t AddNode(Type type, const std::string& name, uint32_t ports, uint64_t guid = 0);

    /**
     * @brief Plug a cable in.
     * @param a node
     * @param aPort its port, 1 to n
     * @param b node; may be a
     * @param bPort its port, 1 to n
     * @param lanes width
     * @param speed IbRate name, or empty when it is not known
     * @throws FabricError for a node or port that does not exist or has a cable already
     */
    void Connect(uint32_t a,
                 uint8_t aPort,
                 uint32_t b,
                 uint8_t bPort,
                 uint8_t lanes = 4,
                 const std::string& speed = "");

    /**
     * @brief Say how long a cable is.
     * @param node a node at its end
     * @param port its port there
     * @param metres length, > 0
     * @throws FabricError when there is no cable, or for another length
     */
    void SetLength(uint32_t node, uint8_t port, double metres);

    /** @brief Give GUIDs to nodes and ports that have none, as ibsim numbers them. */
    void GiveGuids();

    /** @return all nodes, in order of adding */
    const std::vector<Node>& GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @param node index
     * @return the node, to be completed
     * @throws FabricError when there is none
     */
    Node& At(uint32_t node);

    /**
     * @param node index
     * @return the node
     * @throws FabricError when there is none
     */
    const Node& At(uint32_t node) const;

    /**
     * @param name a name
     * @return index of the node, NONE when there is none
     */
    uint32_t Find(const std::string& name) const;

    /**
     * @param guid a node GUID
     * @return index of the node, NONE when there is none
     */
    uint32_t FindGuid(uint64_t guid) const;

    /**
     * @param type a kind
     * @return indices of its nodes, in order
     */
    std::vector<uint32_t> GetNodesOf(Type type) const;

    /** @return number of cables */
    uint32_t GetNLinks() const;

    /** @return for each node the number of its island, 0 first */
    std::vector<uint32_t> GetIslands() const;

    /**
     * @param lid a LID
     * @param node the node that has it
     * @param port its port
     * @return false when nobody has it
     */
    bool FindLid(uint16_t lid, uint32_t& node, uint8_t& port) const;

  private:
    Port& PortAt(uint32_t node, uint8_t port);

    std::vector<Node> m_nodes;               //!< in order of adding
    std::map<std::string, uint32_t> m_names; //!< indices
};

} // namespace ns3

#endif /* IB_SUBNET_H */
