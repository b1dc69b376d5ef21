/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-relations.h"

#include <algorithm>
#include <queue>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Word = ServerRelations::Word;

constexpr uint32_t NONE = ServerTopology::NO_LIMIT;

const char* const WORDS[] = {"X", "NV", "XGMI", "OAM", "PIX", "PXB", "PHB", "NODE", "SYS", "N/A"};

/**
 * @param family a family of GPU links
 * @return its word
 */
Word
WordOf(Family family)
{
    return family == Family::NVLINK ? Word::NV : family == Family::XGMI ? Word::XGMI : Word::OAM;
}

} // namespace

std::string
ServerRelations::Relation::GetText() const
{
    const std::string text = WORDS[static_cast<size_t>(word)];
    return word == Word::NV ? text + std::to_string(links) : text;
}

ServerRelations::ServerRelations(const ServerTopology& topology)
    : m_topology(topology)
{
    FindPlanes();
}

void
ServerRelations::FindPlanes()
{
    m_plane.assign(m_topology.GetParts().size(), NONE);
    for (const auto start : m_topology.GetParts(Kind::NVSWITCH))
    {
        std::vector<uint32_t> open;
        if (m_plane[start] == NONE)
        {
            m_plane[start] = start;
            open.push_back(start);
        }
        while (!open.empty())
        {
            const uint32_t at = open.back();
            open.pop_back();
            for (const auto link : m_topology.GetLinks(at))
            {
                const uint32_t peer = m_topology.GetPeer(link, at);
                const bool isSwitch = m_topology.GetPart(peer).kind == Kind::NVSWITCH;
                if (isSwitch && m_plane[peer] == NONE &&
                    ServerTopology::IsGpuLink(m_topology.GetLinks()[link].family))
                {
                    m_plane[peer] = start;
                    open.push_back(peer);
                }
            }
        }
    }
}

ServerRelations::Relation
ServerRelations::GetByGpuLinks(uint32_t a, uint32_t b) const
{
    Relation relation;
    std::map<uint32_t, uint32_t> planes; // links of a into each plane
    for (const auto id : m_topology.GetLinks(a))
    {
        const auto& link = m_topology.GetLinks()[id];
        const uint32_t peer = m_topology.GetPeer(id, a);
        if (ServerTopology::IsGpuLink(link.family))
        {
            if (peer == b)
            {
                relation.word = WordOf(link.family);
                relation.links += link.count;
            }
            else if (m_plane[peer] != NONE)
            {
                planes[m_plane[peer]] += link.count;
            }
        }
    }
    std::map<uint32_t, uint32_t> theirs;
    for (const auto id : m_topology.GetLinks(b))
    {
        const uint32_t plane = m_plane[m_topology.GetPeer(id, b)];
        if (ServerTopology::IsGpuLink(m_topology.GetLinks()[id].family) && plane != NONE &&
            planes.count(plane) > 0)
        {
            theirs[plane] += m_topology.GetLinks()[id].count;
        }
    }
    for (const auto& [plane, links] : theirs)
    {
        relation.word = Word::NV;
        relation.links += std::min(links, planes[plane]);
    }
    return relation;
}

void
ServerRelations::Search(uint32_t from)
{
    if (m_searched == from)
    {
        return;
    }
    m_searched = from;
    m_via.assign(m_topology.GetParts().size(), NONE);
    std::queue<uint32_t> open;
    for (open.push(from); !open.empty(); open.pop())
    {
        const uint32_t at = open.front();
        const Kind kind = m_topology.GetPart(at).kind;
        if (at != from && kind != Kind::PCIE_SWITCH && kind != Kind::CPU)
        {
            continue; // devices do not forward
        }
        for (const auto id : m_topology.GetLinks(at))
        {
            const auto& link = m_topology.GetLinks()[id];
            const uint32_t peer = m_topology.GetPeer(id, at);
            const bool ofCpu = kind == Kind::CPU || m_topology.GetPart(peer).kind == Kind::CPU;
            const bool usable = link.family == Family::PCIE || link.family == Family::SOCKET ||
                                link.family == Family::C2C || ofCpu;
            if (usable && peer != from && m_via[peer] == NONE)
            {
                m_via[peer] = id;
                open.push(peer);
            }
        }
    }
}

std::vector<uint32_t>
ServerRelations::GetPciePath(uint32_t a, uint32_t b)
{
    Search(a);
    std::vector<uint32_t> path;
    for (uint32_t at = b; at != a && m_via[at] != NONE; at = m_topology.GetPeer(m_via[at], at))
    {
        path.push_back(m_via[at]);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

ServerRelations::Relation
ServerRelations::GetByPcie(uint32_t a, uint32_t b)
{
    const auto path = GetPciePath(a, b);
    if (path.empty())
    {
        return {};
    }
    uint32_t bridges = 0;
    uint32_t cpus = 0;
    bool oneBridge = true;
    uint32_t at = a;
    for (size_t i = 0; i < path.size(); ++i)
    {
        const auto& part = m_topology.GetPart(at);
        bridges += part.kind == Kind::PCIE_SWITCH ? part.bridges : 0;
        cpus += part.kind == Kind::CPU ? 1 : 0;
        if (part.kind == Kind::CPU && i > 0)
        {
            oneBridge = m_topology.GetLinks()[path[i - 1]].hostBridge ==
                        m_topology.GetLinks()[path[i]].hostBridge;
        }
        at = m_topology.GetPeer(path[i], at);
    }
    const bool oneNode = m_topology.GetPart(a).numa == m_topology.GetPart(b).numa;
    cpus += m_topology.GetPart(b).kind == Kind::CPU ? 1 : 0;
    const Word word = cpus == 0 && bridges <= 1 ? Word::PIX
                      : cpus == 0               ? Word::PXB
                      : !oneNode                ? Word::SYS
                      : cpus == 1 && oneBridge  ? Word::PHB
                                                : Word::NODE;
    return {word, 0};
}

ServerRelations::Relation
ServerRelations::Get(uint32_t a, uint32_t b)
{
    if (a == b)
    {
        return {Word::SELF, 0};
    }
    const bool gpus =
        m_topology.GetPart(a).kind == Kind::GPU && m_topology.GetPart(b).kind == Kind::GPU;
    const Relation direct = gpus ? GetByGpuLinks(a, b) : Relation();
    return direct.word != Word::NONE ? direct : GetByPcie(a, b);
}

std::map<std::string, uint32_t>
ServerRelations::CountPairs()
{
    std::map<std::string, uint32_t> pairs;
    const auto& gpus = m_topology.GetRanks();
    for (size_t i = 0; i < gpus.size(); ++i)
    {
        for (size_t j = i + 1; j < gpus.size(); ++j)
        {
            ++pairs[Get(gpus[i], gpus[j]).GetText()];
        }
    }
    return pairs;
}

std::vector<uint32_t>
ServerRelations::GetNearestNics(uint32_t gpu)
{
    std::vector<uint32_t> nearest;
    Word best = Word::NONE;
    for (const auto nic : m_topology.GetParts(Kind::NIC))
    {
        const Word word = Get(gpu, nic).word;
        if (word < best)
        {
            nearest.clear();
            best = word;
        }
        if (word == best && word != Word::NONE)
        {
            nearest.push_back(nic);
        }
    }
    return nearest;
}

} // namespace ns3
