/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-topology.h"

#include "fabric-topology.h"
#include "gpu-model.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;

const char* const KIND_NAMES[] =
    {"GPU", "NVSwitch", "PCIe switch", "CPU", "NIC", "die", "memory", "device"};
const char* const DEFAULT_NAMES[] = {"gpu", "nvsw", "plx", "cpu", "nic", "die", "mem", "dev"};

/**
 * @param family a family
 * @return kinds that it may join, for messages
 */
const char*
AllowedEnds(Family family)
{
    switch (family)
    {
    case Family::NVLINK:
        return "GPUs, NVSwitches and CPUs";
    case Family::C2C:
        return "a CPU and a GPU or CPU";
    case Family::XGMI:
        return "GPUs, or a GPU and a CPU";
    case Family::OAM:
        return "GPUs";
    case Family::SOCKET:
        return "CPUs";
    case Family::UCIE:
        return "dies and memory";
    default:
        return "CPUs, PCIe switches, GPUs, NICs, NVSwitches, dies and other devices";
    }
}

/**
 * @param family a family
 * @param a kind of one end
 * @param b kind of the other end
 * @return true if such a link can exist
 */
bool
CanJoin(Family family, Kind a, Kind b)
{
    const auto both = [a, b](std::initializer_list<Kind> allowed) {
        const auto in = [&allowed](Kind k) {
            return std::find(allowed.begin(), allowed.end(), k) != allowed.end();
        };
        return in(a) && in(b);
    };
    const bool cpus = a == Kind::CPU && b == Kind::CPU;
    switch (family)
    {
    case Family::NVLINK:
        return both({Kind::GPU, Kind::NVSWITCH, Kind::CPU}) && !cpus;
    case Family::C2C:
        return both({Kind::CPU, Kind::GPU}) && (a == Kind::CPU || b == Kind::CPU);
    case Family::XGMI:
        return both({Kind::GPU, Kind::CPU}) && !cpus;
    case Family::OAM:
        return both({Kind::GPU});
    case Family::SOCKET:
        return cpus;
    case Family::UCIE:
        return both({Kind::DIE, Kind::MEMORY}) && (a == Kind::DIE || b == Kind::DIE);
    default:
        return both({Kind::CPU,
                     Kind::PCIE_SWITCH,
                     Kind::GPU,
                     Kind::NIC,
                     Kind::NVSWITCH,
                     Kind::DIE,
                     Kind::DEVICE}) &&
               !cpus;
    }
}

} // namespace

uint32_t
ServerTopology::AddPart(Part part)
{
    if (m_parts.size() >= MAX_PARTS)
    {
        throw FabricError("server: more than " + std::to_string(MAX_PARTS) + " parts");
    }
    auto& same = m_ofKind[static_cast<size_t>(part.kind)];
    part.id = static_cast<uint32_t>(m_parts.size());
    part.index = static_cast<uint32_t>(same.size());
    if (part.name.empty())
    {
        part.name = DEFAULT_NAMES[static_cast<size_t>(part.kind)] + std::to_string(part.index);
    }
    if (part.kind == Kind::NIC && (part.netPorts == 0 || part.netPorts > 64))
    {
        throw FabricError("server: " + part.name + " has " + std::to_string(part.netPorts) +
                          " network ports: allowed are 1 to 64");
    }
    if (!m_byName.emplace(part.name, part.id).second)
    {
        throw FabricError("server: there are two parts named '" + part.name + "'");
    }
    same.push_back(part.id);
    m_domain.push_back(part.id);
    m_domainGpus.push_back(part.kind == Kind::GPU ? 1 : 0);
    m_linksOf.emplace_back();
    m_gpuLinks.push_back(0);
    m_lanes.push_back(0);
    m_parts.push_back(std::move(part));
    return m_parts.back().id;
}

uint32_t
ServerTopology::AddLink(uint32_t a, uint32_t b, const std::string& profile, uint32_t count)
{
    Link link;
    link.a = a;
    link.b = b;
    link.profile = profile;
    link.count = count;
    if (profile.empty())
    {
        throw FabricError("server: a link without profile");
    }
    return AddLink(std::move(link));
}

uint32_t
ServerTopology::AddLink(Link link)
{
    if (!link.profile.empty())
    {
        link.family = LinkProfile::Get(link.profile).family;
    }
    const std::string why = ExplainLink(link);
    if (!why.empty())
    {
        throw FabricError("server: " + why);
    }
    link.id = static_cast<uint32_t>(m_links.size());
    m_linksOf[link.a].push_back(link.id);
    m_linksOf[link.b].push_back(link.id);
    for (const auto end : {link.a, link.b})
    {
        const bool pcie = link.family == Family::PCIE && !link.profile.empty();
        m_lanes[end] += pcie ? LinkProfile::Get(link.profile).lanes * link.count : 0;
        m_gpuLinks[end] += IsGpuLink(link.family) ? link.count : 0;
    }
    if (link.family == Family::NVLINK)
    {
        const uint32_t a = Root(link.a);
        const uint32_t b = Root(link.b);
        if (a != b)
        {
            m_domain[b] = a;
            m_domainGpus[a] += m_domainGpus[b];
        }
    }
    m_links.push_back(std::move(link));
    return m_links.back().id;
}

std::string
ServerTopology::ExplainKinds(const Link& link) const
{
    const Part& a = m_parts[link.a];
    const Part& b = m_parts[link.b];
    if (CanJoin(link.family, a.kind, b.kind))
    {
        return "";
    }
    return std::string("a ") + LinkProfile::FamilyName(link.family) + " link cannot join " +
           a.name + " (" + KindName(a.kind) + ") and " + b.name + " (" + KindName(b.kind) +
           "): it joins " + AllowedEnds(link.family);
}

std::string
ServerTopology::ExplainEnd(const Link& link, const Part& part) const
{
    std::ostringstream why;
    if (IsGpuLink(link.family))
    {
        const uint32_t used = GetGpuLinks(part.id);
        if (part.maxLinks != NO_LIMIT && used + link.count > part.maxLinks)
        {
            why << part.name << " (" << (part.model.empty() ? KindName(part.kind) : part.model)
                << ") has " << part.maxLinks << " " << LinkProfile::FamilyName(link.family)
                << " ports, " << used << " in use: " << link.count << " more make "
                << used + link.count;
        }
    }
    else if (link.family == Family::PCIE && !link.profile.empty())
    {
        const uint32_t used = m_lanes[part.id];
        const uint32_t more = LinkProfile::Get(link.profile).lanes * link.count;
        if (part.maxLanes != NO_LIMIT && used + more > part.maxLanes)
        {
            why << part.name << " has " << part.maxLanes << " PCIe lanes, " << used
                << " in use: " << link.profile << " makes " << used + more;
        }
    }
    const GpuModel* model = part.kind == Kind::GPU ? GpuModel::Find(part.model) : nullptr;
    if (why.str().empty() && model != nullptr && IsGpuLink(link.family) && !link.profile.empty() &&
        link.profile != model->linkProfile)
    {
        why << part.name << " (" << part.model << ") has "
            << (model->linkProfile.empty() ? "no GPU links" : model->linkProfile + " links")
            << ", not " << link.profile;
    }
    return why.str();
}

std::string
ServerTopology::ExplainLink(const Link& link) const
{
    std::ostringstream why;
    if (link.a >= m_parts.size() || link.b >= m_parts.size())
    {
        why << "part " << (link.a >= m_parts.size() ? link.a : link.b)
            << " does not exist: there are " << m_parts.size() << " parts";
    }
    else if (link.a == link.b)
    {
        why << m_parts[link.a].name << " linked to itself: a link joins two different parts";
    }
    else if (link.count == 0 || link.count > MAX_COUNT)
    {
        why << "a bundle of " << link.count << " links between " << m_parts[link.a].name << " and "
            << m_parts[link.b].name << ": allowed are 1 to " << MAX_COUNT;
    }
    else if (!(link.errorRate >= 0 && link.errorRate < 1))
    {
        why << "error rate of " << link.errorRate << ": allowed are 0 <= rate < 1";
    }
    else if (link.latencyPs < -1 || link.latencyPs > FabricTopology::MAX_DELAY)
    {
        why << "link latency of " << link.latencyPs << " ps: allowed are 0 to 1 s, -1 for the "
            << "profile's";
    }
    else if (m_links.size() >= MAX_LINKS)
    {
        why << "more than " << MAX_LINKS << " links";
    }
    else
    {
        std::string text = ExplainKinds(link);
        text = text.empty() ? ExplainEnd(link, m_parts[link.a]) : text;
        text = text.empty() ? ExplainEnd(link, m_parts[link.b]) : text;
        why << text;
    }
    if (why.str().empty() && link.family == Family::NVLINK && Root(link.a) != Root(link.b))
    {
        const uint32_t gpus = GetDomainGpus(link.a) + GetDomainGpus(link.b);
        if (gpus > MAX_DOMAIN_GPUS)
        {
            why << "an NVLink domain of " << gpus << " GPUs: allowed are " << MAX_DOMAIN_GPUS;
        }
    }
    return why.str();
}

void
ServerTopology::AddQuestion(const Question& question)
{
    if (m_asked.insert(question.key).second)
    {
        m_questions.push_back(question);
    }
}

const std::vector<ServerTopology::Question>&
ServerTopology::GetOpenQuestions() const
{
    return m_questions;
}

void
ServerTopology::RequireComplete() const
{
    if (m_questions.empty())
    {
        return;
    }
    std::string text =
        "server: the input leaves " + std::to_string(m_questions.size()) + " questions open:";
    for (const auto& question : m_questions)
    {
        text += "\n  " + question.key + ": " + question.text;
    }
    throw FabricError(text);
}

const std::vector<ServerTopology::Part>&
ServerTopology::GetParts() const
{
    return m_parts;
}

const std::vector<ServerTopology::Link>&
ServerTopology::GetLinks() const
{
    return m_links;
}

const ServerTopology::Part&
ServerTopology::GetPart(uint32_t id) const
{
    return m_parts.at(id);
}

const std::vector<uint32_t>&
ServerTopology::GetParts(Kind kind) const
{
    return m_ofKind[static_cast<size_t>(kind)];
}

const std::vector<uint32_t>&
ServerTopology::GetRanks() const
{
    return GetParts(Kind::GPU);
}

uint32_t
ServerTopology::Find(const std::string& name) const
{
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? NO_LIMIT : found->second;
}

const std::vector<uint32_t>&
ServerTopology::GetLinks(uint32_t part) const
{
    return m_linksOf.at(part);
}

uint32_t
ServerTopology::GetPeer(uint32_t link, uint32_t part) const
{
    const Link& l = m_links.at(link);
    return l.a == part ? l.b : l.a;
}

uint32_t
ServerTopology::GetGpuLinks(uint32_t part) const
{
    return m_gpuLinks.at(part);
}

uint32_t
ServerTopology::GetGpuLinks(uint32_t a, uint32_t b) const
{
    uint32_t sum = 0;
    for (const auto link : m_linksOf.at(a))
    {
        const bool counts = IsGpuLink(m_links[link].family) && GetPeer(link, a) == b;
        sum += counts ? m_links[link].count : 0;
    }
    return sum;
}

uint32_t
ServerTopology::Root(uint32_t part) const
{
    while (m_domain[part] != part)
    {
        part = m_domain[part];
    }
    return part;
}

uint32_t
ServerTopology::GetDomainGpus(uint32_t part) const
{
    return m_domainGpus[Root(part)];
}

uint64_t
ServerTopology::GetBisectionBps() const
{
    FabricTopology fabric;
    std::unordered_map<uint32_t, uint32_t> node;
    for (const auto gpu : GetRanks())
    {
        node[gpu] = fabric.AddHost();
    }
    for (const auto nvSwitch : GetParts(Kind::NVSWITCH))
    {
        node[nvSwitch] = fabric.AddSwitch();
    }
    for (const auto& link : m_links)
    {
        const auto a = node.find(link.a);
        const auto b = node.find(link.b);
        const bool counts = IsGpuLink(link.family) && !link.profile.empty();
        if (counts && a != node.end() && b != node.end())
        {
            const uint64_t rate = LinkProfile::Get(link.profile).rateBps * link.count;
            fabric.AddLink(a->second, b->second, rate, 0);
        }
    }
    return fabric.GetBisectionBps();
}

uint32_t
ServerTopology::GetNServers() const
{
    std::set<uint32_t> servers;
    for (const auto& part : m_parts)
    {
        servers.insert(part.server);
    }
    return static_cast<uint32_t>(servers.size());
}

bool
ServerTopology::IsGpuLink(LinkProfile::Family family)
{
    return family == Family::NVLINK || family == Family::XGMI || family == Family::OAM;
}

const char*
ServerTopology::KindName(Kind kind)
{
    return KIND_NAMES[static_cast<size_t>(kind)];
}

} // namespace ns3
