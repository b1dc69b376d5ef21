/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-nic-helper.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/rdma-pcie-ports.h"
#include "ns3/rdma-pcie-profile.h"

namespace ns3
{

using Kind = ServerTopology::Kind;

ServerNicHelper::ServerNicHelper(const GpuServerHelper& server, const FabricHelper& fabric)
    : m_server(server),
      m_fabric(fabric),
      m_skip(server.GetTopology().GetParts().size(), false),
      m_nicOf(server.GetTopology().GetParts().size())
{
}

void
ServerNicHelper::SetRealPorts(bool real)
{
    m_real = real;
}

void
ServerNicHelper::SkipNics(const std::vector<std::string>& names)
{
    const ServerTopology& topology = m_server.GetTopology();
    for (const std::string& name : names)
    {
        const uint32_t part = topology.Find(name);
        if (part == ServerTopology::NO_LIMIT || topology.GetPart(part).kind != Kind::NIC)
        {
            throw FabricError("'" + name + "' is no NIC of the server");
        }
        m_skip[part] = true;
    }
}

void
ServerNicHelper::Attach()
{
    const ServerTopology& topology = m_server.GetTopology();
    const NodeContainer nodes = m_fabric.GetNodes();
    for (uint32_t server = 0; server < topology.GetNServers(); ++server)
    {
        uint32_t host = 0;
        while (host < nodes.GetN() && nodes.Get(host) != m_server.GetNodes().Get(server))
        {
            ++host;
        }
        if (host == nodes.GetN() || !m_fabric.GetTopology().IsHost(host))
        {
            throw FabricError("chassis " + std::to_string(server) +
                              " is on no host of the fabric: install the server on its nodes");
        }
        std::vector<uint32_t> parts;
        for (uint32_t part : topology.GetParts(Kind::NIC))
        {
            if (topology.GetPart(part).server == server && !m_skip[part])
            {
                parts.push_back(part);
            }
        }
        const size_t nics = m_fabric.GetTopology().GetLinks(host).size();
        if (nics > parts.size())
        {
            throw FabricError("host " + m_fabric.GetTopology().GetNodes()[host].name + " has " +
                              std::to_string(nics) + " NICs, but its chassis has only " +
                              std::to_string(parts.size()));
        }
        for (uint32_t i = 0; i < nics; ++i)
        {
            const Ptr<RdmaNic> nic = m_fabric.GetNic(m_fabric.GetEndpoint(host, i));
            nic->SetDmaPath(m_real ? MakePorts(parts[i]) : MakeProfile(parts[i]));
            m_nicOf[parts[i]] = nic;
        }
    }
}

std::vector<uint32_t>
ServerNicHelper::GetMemoriesOf(uint32_t nic) const
{
    std::vector<uint32_t> memories;
    for (const auto& part : m_server.GetTopology().GetParts())
    {
        if (part.memoryBytes > 0 && part.id != nic &&
            !m_server.GetRouting().GetPath(nic, part.id).empty())
        {
            memories.push_back(part.id);
        }
    }
    return memories;
}

Ptr<RdmaDmaPath>
ServerNicHelper::MakePorts(uint32_t nic) const
{
    auto ports = CreateObject<RdmaPciePorts>();
    ports->SetDevice(m_server.GetDevice(nic));
    for (uint32_t part : GetMemoriesOf(nic))
    {
        ports->SetMemory(GetMemory(part), m_server.GetDevice(part), m_server.GetBase(part));
    }
    const uint32_t host = GetNearestHost(nic);
    ports->SetMemory(0, m_server.GetDevice(host), m_server.GetBase(host));
    return ports;
}

Ptr<RdmaDmaPath>
ServerNicHelper::MakeProfile(uint32_t nic) const
{
    auto profile = CreateObject<RdmaPcieProfile>();
    for (uint32_t part : GetMemoriesOf(nic))
    {
        profile->SetWay(GetMemory(part), GetLinks(nic, part));
    }
    profile->SetWay(0, GetLinks(nic, GetNearestHost(nic)));
    return profile;
}

RdmaPcieLinks
ServerNicHelper::GetLinks(uint32_t nic, uint32_t memory) const
{
    const ServerTopology& topology = m_server.GetTopology();
    const ServerRouting& routing = m_server.GetRouting();
    if (routing.GetPath(nic, memory).empty())
    {
        throw FabricError(topology.GetPart(nic).name + " has no way to the memory of " +
                          topology.GetPart(memory).name);
    }
    RdmaPcieLinks links;
    for (uint32_t at = nic; at != memory;)
    {
        const uint16_t port = routing.GetPorts(at, routing.GetEndpointOf(memory)).at(0);
        const uint32_t link = topology.GetLinks(at).at(port);
        links.Add(m_server.GetPortOfLink(link, topology.GetLinks()[link].a == at ? 0 : 1));
        at = topology.GetPeer(link, at);
    }
    DataRateValue rate;
    const Ptr<MemoryDevice> device = m_server.GetDevice(memory);
    device->GetAttribute("MemoryRate", rate);
    links.SetEnds(m_server.GetDevice(nic)->GetIssueLatency(),
                  device->GetMemoryLatency(),
                  rate.Get().GetBitRate());
    return links;
}

uint32_t
ServerNicHelper::GetMemory(uint32_t part) const
{
    m_server.GetBase(part); // refuses a part without memory
    return part + 1;
}

uint32_t
ServerNicHelper::GetMemory(const std::string& name) const
{
    const uint32_t part = m_server.GetTopology().Find(name);
    if (part == ServerTopology::NO_LIMIT)
    {
        throw FabricError("the server has no part '" + name + "'");
    }
    return GetMemory(part);
}

uint32_t
ServerNicHelper::GetNearestHost(uint32_t part) const
{
    uint32_t nearest = ServerTopology::NO_LIMIT;
    size_t best = 0;
    for (uint32_t cpu : m_server.GetTopology().GetParts(Kind::CPU))
    {
        const size_t stops = m_server.GetRouting().GetPath(part, cpu).size();
        const bool has = m_server.GetTopology().GetPart(cpu).memoryBytes > 0;
        if (has && stops > 0 && (nearest == ServerTopology::NO_LIMIT || stops < best))
        {
            nearest = cpu;
            best = stops;
        }
    }
    if (nearest == ServerTopology::NO_LIMIT)
    {
        throw FabricError(m_server.GetTopology().GetPart(part).name +
                          " reaches no host memory: no CPU with memory is linked to it");
    }
    return nearest;
}

Ptr<RdmaNic>
ServerNicHelper::GetNic(uint32_t part) const
{
    if (part >= m_nicOf.size() || !m_nicOf[part])
    {
        throw FabricError("part " + std::to_string(part) + " is not tied to a NIC of the network");
    }
    return m_nicOf[part];
}

std::vector<uint32_t>
ServerNicHelper::GetParts() const
{
    std::vector<uint32_t> parts;
    for (uint32_t part = 0; part < m_nicOf.size(); ++part)
    {
        if (m_nicOf[part])
        {
            parts.push_back(part);
        }
    }
    return parts;
}

} // namespace ns3
