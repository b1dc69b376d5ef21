/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-builder.h"

#include "gpu-model.h"

#include "ns3/fabric-error.h"

namespace ns3
{

namespace
{

using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;

} // namespace

ServerTopology&
ServerBuilder::GetTopology()
{
    return m_topology;
}

void
ServerBuilder::SetServer(uint32_t server)
{
    m_server = server;
}

void
ServerBuilder::NextHostBridge()
{
    ++m_hostBridge;
}

void
ServerBuilder::Attach(uint32_t part, uint32_t parent, const std::string& profile)
{
    ServerTopology::Link link;
    link.a = parent;
    link.b = part;
    link.profile = profile;
    link.hostBridge = m_topology.GetPart(parent).kind == Kind::CPU ? m_hostBridge : 0;
    m_topology.AddLink(link);
}

uint32_t
ServerBuilder::AddCpu(int32_t numa,
                      uint64_t memoryBytes,
                      double memoryGBps,
                      const std::string& affinity)
{
    Part part;
    part.kind = Kind::CPU;
    part.server = m_server;
    part.numa = numa;
    part.memoryBytes = memoryBytes;
    part.memoryRateBps = static_cast<uint64_t>(memoryGBps * 8e9);
    part.affinity = affinity;
    return m_topology.AddPart(part);
}

uint32_t
ServerBuilder::AddPcieSwitch(uint32_t parent,
                             const std::string& profile,
                             uint32_t lanes,
                             uint32_t bridges)
{
    Part part;
    part.kind = Kind::PCIE_SWITCH;
    part.server = m_topology.GetPart(parent).server;
    part.numa = m_topology.GetPart(parent).numa;
    part.maxLanes = lanes;
    part.bridges = bridges;
    const uint32_t id = m_topology.AddPart(part);
    Attach(id, parent, profile);
    return id;
}

uint32_t
ServerBuilder::AddGpu(const std::string& model, uint32_t parent, int32_t numa)
{
    const GpuModel& row = GpuModel::Get(model);
    const bool free = parent == ServerTopology::NO_LIMIT;
    Part part;
    part.kind = Kind::GPU;
    part.model = row.name;
    part.server = free ? m_server : m_topology.GetPart(parent).server;
    part.numa = numa >= 0 || free ? numa : m_topology.GetPart(parent).numa;
    part.maxLinks = row.maxLinks;
    part.maxLanes = 16;
    part.memoryBytes = row.memoryBytes;
    part.memoryRateBps = row.memoryRateBps;
    const uint32_t id = m_topology.AddPart(part);
    if (!free)
    {
        Attach(id, parent, row.pcieProfile);
    }
    return id;
}

uint32_t
ServerBuilder::AddNic(const std::string& name,
                      uint32_t parent,
                      const std::string& profile,
                      uint64_t netRateBps,
                      int32_t numa)
{
    Part part;
    part.kind = Kind::NIC;
    part.name =
        name.empty() ? "mlx5_" + std::to_string(m_topology.GetParts(Kind::NIC).size()) : name;
    part.server = m_topology.GetPart(parent).server;
    part.numa = numa >= 0 ? numa : m_topology.GetPart(parent).numa;
    part.netRateBps = netRateBps;
    part.maxLanes = 16;
    const uint32_t id = m_topology.AddPart(part);
    Attach(id, parent, profile);
    return id;
}

uint32_t
ServerBuilder::AddNvSwitch(uint32_t generation)
{
    // NVIDIA: 18 ports (DGX-2), 36 (A100), 64 (H100), 72 (NVLink 5 switch)
    static const uint32_t ports[] = {18, 36, 64, 72};
    if (generation < 1 || generation > 4)
    {
        throw FabricError("NVSwitch generation " + std::to_string(generation) +
                          ": known are 1 (18 ports), 2 (36), 3 (64) and 4 (72)");
    }
    Part part;
    part.kind = Kind::NVSWITCH;
    part.server = m_server;
    part.model = "NVSwitch" + std::to_string(generation);
    part.maxLinks = ports[generation - 1];
    return m_topology.AddPart(part);
}

void
ServerBuilder::AddMesh(const std::vector<std::vector<uint32_t>>& counts, const std::string& profile)
{
    const auto gpus = m_topology.GetRanks();
    if (counts.size() != gpus.size())
    {
        throw FabricError("mesh for " + std::to_string(counts.size()) + " GPUs: there are " +
                          std::to_string(gpus.size()));
    }
    for (size_t i = 0; i < counts.size(); ++i)
    {
        if (counts[i].size() != counts.size())
        {
            throw FabricError("mesh: row " + std::to_string(i) + " has " +
                              std::to_string(counts[i].size()) + " entries: allowed are " +
                              std::to_string(counts.size()));
        }
    }
    for (size_t i = 0; i < counts.size(); ++i)
    {
        for (size_t j = 0; j < counts.size(); ++j)
        {
            if (counts[i][j] != counts[j][i])
            {
                throw FabricError("mesh: GPU " + std::to_string(i) + " and GPU " +
                                  std::to_string(j) + " disagree about their links");
            }
            if (j > i && counts[i][j] > 0)
            {
                m_topology.AddLink(gpus[i], gpus[j], profile, counts[i][j]);
            }
        }
    }
}

void
ServerBuilder::AddFullMesh(uint32_t links, const std::string& profile)
{
    const auto gpus = m_topology.GetRanks();
    for (size_t i = 0; i < gpus.size(); ++i)
    {
        for (size_t j = i + 1; j < gpus.size(); ++j)
        {
            m_topology.AddLink(gpus[i], gpus[j], profile, links);
        }
    }
}

void
ServerBuilder::AddRing(uint32_t links, const std::string& profile)
{
    const auto gpus = m_topology.GetRanks();
    if (gpus.size() < 3)
    {
        throw FabricError("ring of " + std::to_string(gpus.size()) +
                          " GPUs: at least 3 are wanted");
    }
    for (size_t i = 0; i < gpus.size(); ++i)
    {
        m_topology.AddLink(gpus[i], gpus[(i + 1) % gpus.size()], profile, links);
    }
}

void
ServerBuilder::AddNvSwitches(const std::vector<uint32_t>& links,
                             uint32_t generation,
                             const std::string& profile)
{
    const auto gpus = m_topology.GetRanks();
    for (const auto count : links)
    {
        const uint32_t nvSwitch = AddNvSwitch(generation);
        for (const auto gpu : gpus)
        {
            m_topology.AddLink(gpu, nvSwitch, profile, count);
        }
    }
}

} // namespace ns3
