/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "smi-topology-reader.h"

#include "gpu-model.h"
#include "server-relations.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Link = ServerTopology::Link;
using Part = ServerTopology::Part;

/** Words of PCIe, nearest first. */
const char* const LEVELS[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
constexpr size_t PIX = 0;
constexpr size_t PXB = 1;
constexpr size_t PHB = 2;
constexpr size_t NODE = 3;

/** @brief Groups of entries that belong together. */
using Groups = std::vector<std::vector<size_t>>;

/**
 * @param all entries to group
 * @param together true for two entries of one group
 * @return the groups, each ascending, by lowest entry
 */
Groups
Group(const std::vector<size_t>& all, const std::function<bool(size_t, size_t)>& together)
{
    std::vector<size_t> group(all.size());
    std::iota(group.begin(), group.end(), 0);
    for (size_t i = 0; i < all.size(); ++i)
    {
        for (size_t j = i + 1; j < all.size(); ++j)
        {
            if (group[i] != group[j] && together(all[i], all[j]))
            {
                const auto [low, high] = std::minmax(group[i], group[j]);
                const size_t from = high;
                const size_t to = low;
                std::replace(group.begin(), group.end(), from, to);
            }
        }
    }
    std::map<size_t, std::vector<size_t>> members;
    for (size_t i = 0; i < all.size(); ++i)
    {
        members[group[i]].push_back(all[i]);
    }
    Groups groups;
    for (const auto& member : members)
    {
        groups.push_back(member.second);
    }
    return groups;
}

/** @brief Makes a server of a matrix. */
class Builder
{
  public:
    /**
     * @param matrix to read
     * @param name path for messages
     * @param answers to open questions
     */
    Builder(const SmiMatrix& matrix, const std::string& name, const ServerAnswers& answers);

    /** @return the server */
    ServerTopology Build();

  private:
    /** @return entries that are no further from each other than a level */
    Groups GroupBy(const std::vector<size_t>& all, size_t level) const;
    /** @brief Add all CPUs and what is below them. */
    void AddTree();
    /** @brief Add the devices of a CPU. */
    void AddBelowCpu(const std::vector<size_t>& members, uint32_t cpu);
    /** @brief Add the devices of a PCIe switch. */
    void AddSwitch(const std::vector<size_t>& members, uint32_t cpu);
    /** @brief Add a part with its link to the parent. */
    uint32_t AddBelow(Part part, uint32_t parent);
    /** @brief Add a GPU or NIC. */
    void AddEntry(size_t entry, uint32_t parent);
    /** @return the part of an entry, not added yet */
    Part MakePart(size_t entry);
    /** @return number of a NUMA node of these entries; one of its own if not given */
    int32_t NumaOf(const std::vector<size_t>& members);
    /** @brief Add the links between GPUs. */
    void AddGpuLinks();
    /** @brief Add NVLinks of GPUs that reach each other by them. */
    void AddNvLinks(const std::vector<size_t>& members);
    /** @brief Add NVSwitches between GPUs. */
    void AddNvSwitches(const std::vector<size_t>& members, uint32_t links);
    /** @brief Add links between two parts. */
    void AddGpuLink(size_t entry, uint32_t peer, Family family, uint32_t count);
    /** @brief Refuse a matrix that the tree does not reproduce. */
    void Verify() const;

    const SmiMatrix& m_matrix;     //!< to read
    std::string m_name;            //!< path for messages
    ServerAnswers m_answers;       //!< to open questions
    ServerTopology m_topology;     //!< so far
    std::vector<uint32_t> m_parts; //!< of each entry
    uint32_t m_hostBridge{0};      //!< of the next link to a CPU
    int32_t m_nextNuma{0};         //!< not in the matrix
};

Builder::Builder(const SmiMatrix& matrix, const std::string& name, const ServerAnswers& answers)
    : m_matrix(matrix),
      m_name(name),
      m_answers(answers),
      m_parts(matrix.GetEntries().size())
{
    for (const auto& entry : matrix.GetEntries())
    {
        m_nextNuma = std::max(m_nextNuma, entry.numa + 1);
    }
}

ServerTopology
Builder::Build()
{
    const auto pairs = m_matrix.CountGpuPairs();
    if (pairs.count("XGMI") > 0 || pairs.count("PCIE") > 0)
    {
        for (size_t i = 0; i < m_parts.size(); ++i)
        {
            m_parts[i] = m_topology.AddPart(MakePart(i));
        }
        if (pairs.count("PCIE") > 0)
        {
            m_topology.AddQuestion({"pcie-tree",
                                    "the table says PCIE for " + std::to_string(pairs.at("PCIE")) +
                                        " pairs, but not over which switches: read a NCCL "
                                        "topology of this machine instead"});
        }
    }
    else
    {
        AddTree();
        m_answers.JoinCpus(m_topology);
    }
    AddGpuLinks();
    Verify();
    m_answers.RequireAllUsed();
    return m_topology;
}

Groups
Builder::GroupBy(const std::vector<size_t>& all, size_t level) const
{
    const auto& entries = m_matrix.GetEntries();
    return Group(all, [&, level](size_t i, size_t j) {
        const std::string& word = m_matrix.Get(i, j);
        for (size_t l = 0; l <= level; ++l)
        {
            if (word == LEVELS[l])
            {
                return true;
            }
        }
        const bool sameNuma = entries[i].numa >= 0 && entries[i].numa == entries[j].numa;
        const bool sameCores = entries[i].numa < 0 && entries[j].numa < 0 &&
                               !entries[i].affinity.empty() && entries[i].affinity != "N/A" &&
                               entries[i].affinity == entries[j].affinity;
        return level == NODE && word != "SYS" && (sameNuma || sameCores);
    });
}

int32_t
Builder::NumaOf(const std::vector<size_t>& members)
{
    for (const auto i : members)
    {
        if (m_matrix.GetEntries()[i].numa >= 0)
        {
            return m_matrix.GetEntries()[i].numa;
        }
    }
    return m_nextNuma++;
}

void
Builder::AddTree()
{
    std::vector<size_t> all(m_parts.size());
    std::iota(all.begin(), all.end(), 0);
    for (const auto& members : GroupBy(all, NODE))
    {
        Part cpu;
        cpu.kind = Kind::CPU;
        cpu.numa = NumaOf(members);
        for (const auto i : members)
        {
            const auto& affinity = m_matrix.GetEntries()[i].affinity;
            cpu.affinity = cpu.affinity.empty() ? affinity : cpu.affinity;
        }
        AddBelowCpu(members, m_topology.AddPart(cpu));
    }
}

void
Builder::AddBelowCpu(const std::vector<size_t>& members, uint32_t cpu)
{
    for (const auto& bridge : GroupBy(members, PHB))
    {
        ++m_hostBridge;
        for (const auto& below : GroupBy(bridge, PXB))
        {
            if (below.size() == 1)
            {
                AddEntry(below[0], cpu);
            }
            else
            {
                AddSwitch(below, cpu);
            }
        }
    }
}

void
Builder::AddSwitch(const std::vector<size_t>& members, uint32_t cpu)
{
    const Groups groups = GroupBy(members, PIX);
    Part part;
    part.kind = Kind::PCIE_SWITCH;
    part.numa = m_topology.GetPart(cpu).numa;
    part.bridges = groups.size() == 1 ? 1 : 2;
    const uint32_t upper = AddBelow(part, cpu);
    for (const auto& group : groups)
    {
        uint32_t parent = upper;
        if (groups.size() > 1 && group.size() > 1)
        {
            part.bridges = 1;
            parent = AddBelow(part, upper);
        }
        for (const auto entry : group)
        {
            AddEntry(entry, parent);
        }
    }
}

uint32_t
Builder::AddBelow(Part part, uint32_t parent)
{
    const uint32_t id = m_topology.AddPart(part);
    const std::string& name = m_topology.GetPart(id).name;
    Link link;
    link.a = parent;
    link.b = id;
    link.family = Family::PCIE;
    link.profile =
        m_answers.AskProfile(m_topology, "pcie:" + name, Family::PCIE, "slot of " + name);
    link.hostBridge = m_topology.GetPart(parent).kind == Kind::CPU ? m_hostBridge : 0;
    m_topology.AddLink(link);
    return id;
}

Part
Builder::MakePart(size_t entry)
{
    const auto& from = m_matrix.GetEntries()[entry];
    Part part;
    part.kind = from.isGpu ? Kind::GPU : Kind::NIC;
    part.numa = from.numa;
    if (from.isGpu)
    {
        part.name = "gpu" + std::to_string(m_topology.GetRanks().size());
        m_answers.AskModel(m_topology, part);
    }
    else
    {
        part.name = from.device.empty() ? from.name : from.device;
        m_answers.AskNetRate(m_topology, part);
    }
    return part;
}

void
Builder::AddEntry(size_t entry, uint32_t parent)
{
    Part part = MakePart(entry);
    part.numa = m_topology.GetPart(parent).numa;
    m_parts[entry] = AddBelow(part, parent);
}

void
Builder::AddGpuLinks()
{
    std::vector<size_t> gpus;
    for (size_t i = 0; i < m_parts.size(); ++i)
    {
        if (m_matrix.GetEntries()[i].isGpu)
        {
            gpus.push_back(i);
        }
    }
    const auto joined = [this](size_t i, size_t j) {
        return SmiMatrix::GetNvLinks(m_matrix.Get(i, j)) > 0;
    };
    for (const auto& members : Group(gpus, joined))
    {
        AddNvLinks(members);
    }
    constexpr uint32_t most = 16;
    uint32_t xgmi = 0; // links between two GPUs: the table does not say
    for (const auto i : gpus)
    {
        for (const auto j : gpus)
        {
            if (j > i && m_matrix.Get(i, j) == "XGMI")
            {
                xgmi = xgmi > 0 ? xgmi
                                : m_answers.AskNumber(m_topology,
                                                      "xgmi-links",
                                                      "XGMI links between two GPUs",
                                                      1,
                                                      most);
                AddGpuLink(i, m_parts[j], Family::XGMI, xgmi > most ? 1 : xgmi);
            }
        }
    }
}

void
Builder::AddNvLinks(const std::vector<size_t>& members)
{
    constexpr size_t mostLinks = 18; // of any GPU so far
    const uint32_t links =
        members.size() < 2 ? 0 : SmiMatrix::GetNvLinks(m_matrix.Get(members[0], members[1]));
    bool equal = links > 0;
    for (const auto i : members)
    {
        for (const auto j : members)
        {
            equal = equal && (i == j || SmiMatrix::GetNvLinks(m_matrix.Get(i, j)) == links);
        }
    }
    if (equal && links * (members.size() - 1) > mostLinks)
    {
        AddNvSwitches(members, links);
        return;
    }
    if (equal && members.size() > 2)
    {
        const std::string key = "nvlink-wiring";
        const std::string answer =
            m_answers.Ask(m_topology,
                          key,
                          std::to_string(members.size()) + " GPUs have NV" + std::to_string(links) +
                              " to each other: direct or switched");
        if (!answer.empty() && answer != "direct" && answer != "switched")
        {
            ServerAnswers::Refuse(key, answer, "allowed are direct and switched");
        }
        if (answer == "switched")
        {
            AddNvSwitches(members, links);
        }
        if (answer != "direct")
        {
            return;
        }
    }
    for (const auto i : members)
    {
        for (const auto j : members)
        {
            const uint32_t count = j > i ? SmiMatrix::GetNvLinks(m_matrix.Get(i, j)) : 0;
            if (count > 0)
            {
                AddGpuLink(i, m_parts[j], Family::NVLINK, count);
            }
        }
    }
}

void
Builder::AddNvSwitches(const std::vector<size_t>& members, uint32_t links)
{
    const uint32_t answer = m_answers.AskNumber(m_topology,
                                                "nvswitches",
                                                "over how many NVSwitches do the " +
                                                    std::to_string(links) + " links of each GPU go",
                                                1,
                                                links);
    const uint32_t switches = answer > links ? 1 : answer;
    for (uint32_t i = 0; i < switches; ++i)
    {
        Part part;
        part.kind = Kind::NVSWITCH;
        const uint32_t id = m_topology.AddPart(part);
        for (const auto gpu : members)
        {
            const uint32_t more = i < links % switches ? 1 : 0; // the first ones get the rest
            AddGpuLink(gpu, id, Family::NVLINK, links / switches + more);
        }
    }
}

void
Builder::AddGpuLink(size_t entry, uint32_t peer, Family family, uint32_t count)
{
    const Part& part = m_topology.GetPart(m_parts[entry]);
    const GpuModel* model = GpuModel::Find(part.model);
    Link link;
    link.a = part.id;
    link.b = peer;
    link.family = family;
    link.count = count;
    link.line = m_matrix.GetEntries()[entry].line;
    link.profile = model != nullptr ? model->linkProfile : "";
    if (link.profile.empty() || LinkProfile::Get(link.profile).family != family)
    {
        link.profile =
            m_answers.AskProfile(m_topology,
                                 (family == Family::XGMI ? "xgmi:" : "nvlink:") + part.name,
                                 family,
                                 "GPU links of " + part.name);
    }
    const std::string why = m_topology.ExplainLink(link);
    if (!why.empty())
    {
        throw FabricError::At(m_name, link.line, "", why);
    }
    m_topology.AddLink(link);
}

void
Builder::Verify() const
{
    ServerRelations relations(m_topology);
    for (size_t i = 0; i < m_parts.size(); ++i)
    {
        for (size_t j = 0; j < m_parts.size(); ++j)
        {
            const std::string& word = m_matrix.Get(i, j);
            const bool isPcie = std::count(std::begin(LEVELS), std::end(LEVELS), word) > 0;
            const std::string ours =
                isPcie ? relations.Get(m_parts[i], m_parts[j]).GetText() : word;
            if (ours != word)
            {
                const auto& entries = m_matrix.GetEntries();
                throw FabricError::At(m_name,
                                      entries[i].line,
                                      word,
                                      "from " + entries[i].name + " to " + entries[j].name +
                                          " does not fit the rest of the matrix, which makes it " +
                                          ours);
            }
        }
    }
}

} // namespace

SmiTopologyReader::Result
SmiTopologyReader::Build(const SmiMatrix& matrix,
                         const std::string& name,
                         const ServerAnswers& answers)
{
    return {Builder(matrix, name, answers).Build(), matrix};
}

SmiTopologyReader::Result
SmiTopologyReader::Read(const std::string& path, const ServerAnswers& answers)
{
    return Build(SmiMatrix::Read(path), path, answers);
}

SmiTopologyReader::Result
SmiTopologyReader::Read(std::istream& in, const std::string& name, const ServerAnswers& answers)
{
    return Build(SmiMatrix::Read(in, name), name, answers);
}

} // namespace ns3
