/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-subnet.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{
/** Port numbers are 8 bits, and 255 is "all ports". */
constexpr uint32_t MAX_PORTS = 254;
} // namespace

uint32_t
IbSubnet::AddNode(Type type, const std::string& name, uint32_t ports, uint64_t guid)
{
    if (ports == 0 || ports > MAX_PORTS)
    {
        throw FabricError("node '" + name + "' has " + std::to_string(ports) + " ports; 1 to " +
                          std::to_string(MAX_PORTS) + " are possible");
    }
    const auto node = static_cast<uint32_t>(m_nodes.size());
    if (!m_names.emplace(name, node).second)
    {
        throw FabricError("node '" + name + "' is there twice");
    }
    m_nodes.push_back({type, guid, guid, name, "", std::vector<Port>(ports + 1), 0, 0});
    return node;
}

IbSubnet::Port&
IbSubnet::PortAt(uint32_t node, uint8_t port)
{
    Node& n = At(node);
    if (port == 0 || port >= n.ports.size())
    {
        throw FabricError("node '" + n.name + "' has ports 1 to " + std::to_string(n.GetNPorts()) +
                          ", not " + std::to_string(port));
    }
    return n.ports[port];
}

void
IbSubnet::Connect(uint32_t a,
                  uint8_t aPort,
                  uint32_t b,
                  uint8_t bPort,
                  uint8_t lanes,
                  const std::string& speed)
{
    Port& one = PortAt(a, aPort);
    Port& other = PortAt(b, bPort);
    for (const auto& [port, node, number] :
         {std::tuple(&one, a, aPort), std::tuple(&other, b, bPort)})
    {
        if (port->peer != NONE)
        {
            throw FabricError("port " + std::to_string(number) + " of '" + At(node).name +
                              "' has a cable already, to '" + At(port->peer).name + "'");
        }
    }
    if (&one == &other)
    {
        throw FabricError("port " + std::to_string(aPort) + " of '" + At(a).name +
                          "' cannot be at both ends of a cable");
    }
    one.peer = b;
    one.peerPort = bPort;
    other.peer = a;
    other.peerPort = aPort;
    one.lanes = other.lanes = lanes;
    one.speed = other.speed = speed;
}

void
IbSubnet::SetLength(uint32_t node, uint8_t port, double metres)
{
    Port& end = PortAt(node, port);
    if (end.peer == NONE || !(metres > 0 && metres < 1e9))
    {
        throw FabricError("no cable of " + std::to_string(metres) + " m can be at port " +
                          std::to_string(port) + " of '" + At(node).name +
                          "'; allowed: a length > 0 at a port with a cable");
    }
    end.metres = metres;
    PortAt(end.peer, end.peerPort).metres = metres;
}

void
IbSubnet::GiveGuids()
{
    constexpr uint64_t first = 0x10000000;
    for (uint32_t node = 0; node < m_nodes.size(); ++node)
    {
        Node& n = m_nodes[node];
        n.guid = n.guid == 0 ? first + 256 * uint64_t{node} : n.guid;
        n.systemGuid = n.systemGuid == 0 ? n.guid : n.systemGuid;
        const bool isSwitch = n.type == Type::SWITCH;
        for (size_t port = isSwitch ? 0 : 1; port < (isSwitch ? 1 : n.ports.size()); ++port)
        {
            Port& end = n.ports[port];
            const bool cabled = isSwitch || end.peer != NONE;
            end.guid = cabled && end.guid == 0 ? n.guid + port : end.guid;
        }
    }
}

IbSubnet::Node&
IbSubnet::At(uint32_t node)
{
    return const_cast<Node&>(static_cast<const IbSubnet*>(this)->At(node));
}

const IbSubnet::Node&
IbSubnet::At(uint32_t node) const
{
    if (node >= m_nodes.size())
    {
        throw FabricError("InfiniBand node " + std::to_string(node) +
                          " does not exist: there are " + std::to_string(m_nodes.size()));
    }
    return m_nodes[node];
}

uint32_t
IbSubnet::Find(const std::string& name) const
{
    const auto node = m_names.find(name);
    return node == m_names.end() ? NONE : node->second;
}

uint32_t
IbSubnet::FindGuid(uint64_t guid) const
{
    const auto node = std::find_if(m_nodes.begin(), m_nodes.end(), [guid](const Node& n) {
        return n.guid == guid;
    });
    return node == m_nodes.end() ? NONE : static_cast<uint32_t>(node - m_nodes.begin());
}

std::vector<uint32_t>
IbSubnet::GetNodesOf(Type type) const
{
    std::vector<uint32_t> nodes;
    for (uint32_t i = 0; i < m_nodes.size(); ++i)
    {
        if (m_nodes[i].type == type)
        {
            nodes.push_back(i);
        }
    }
    return nodes;
}

uint32_t
IbSubnet::GetNLinks() const
{
    uint32_t ends = 0;
    for (const Node& node : m_nodes)
    {
        ends += static_cast<uint32_t>(
            std::count_if(node.ports.begin(), node.ports.end(), [](const Port& port) {
                return port.peer != NONE;
            }));
    }
    return ends / 2;
}

std::vector<uint32_t>
IbSubnet::GetIslands() const
{
    std::vector<uint32_t> island(m_nodes.size(), NONE);
    uint32_t islands = 0;
    for (uint32_t first = 0; first < m_nodes.size(); ++first)
    {
        if (island[first] != NONE)
        {
            continue;
        }
        std::vector<uint32_t> reached{first};
        island[first] = islands;
        while (!reached.empty())
        {
            const uint32_t node = reached.back();
            reached.pop_back();
            for (const Port& port : m_nodes[node].ports)
            {
                if (port.peer != NONE && island[port.peer] == NONE)
                {
                    island[port.peer] = islands;
                    reached.push_back(port.peer);
                }
            }
        }
        ++islands;
    }
    return island;
}

bool
IbSubnet::FindLid(uint16_t lid, uint32_t& node, uint8_t& port) const
{
    for (uint32_t i = 0; i < m_nodes.size(); ++i)
    {
        for (size_t k = 0; k < m_nodes[i].ports.size(); ++k)
        {
            if (m_nodes[i].ports[k].HasLid(lid))
            {
                node = i;
                port = static_cast<uint8_t>(k);
                return true;
            }
        }
    }
    return false;
}

} // namespace ns3
