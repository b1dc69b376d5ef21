/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-printer.h"

#include "server-relations.h"

#include <map>
#include <ostream>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;

/** What the words mean, as nvidia-smi explains them; the last two rows are ours. */
const char* const LEGEND =
    "\nLegend:\n\n"
    "  X    = Self\n"
    "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., "
    "QPI/UPI)\n"
    "  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges "
    "within a NUMA node\n"
    "  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)\n"
    "  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host "
    "Bridge)\n"
    "  PIX  = Connection traversing at most a single PCIe bridge\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n";
const char* const OTHER_LEGEND = "  XGMI = Connection over AMD's GPU links\n"
                                 "  OAM  = Connection over links between OAM modules\n"
                                 "  N/A  = No connection inside the server\n";

/**
 * @param part a GPU or NIC
 * @return as the matrix names it
 */
std::string
ColumnName(const Part& part)
{
    return part.kind == Kind::GPU ? "GPU" + std::to_string(part.index) : part.name;
}

/**
 * @param topology the server
 * @param gpu a GPU
 * @return cores of the CPU on the same NUMA node and chassis, or else of the nearest CPU
 */
std::string
AffinityOf(const ServerTopology& topology, ServerRelations& relations, uint32_t gpu)
{
    const Part& part = topology.GetPart(gpu);
    std::string nearest;
    size_t hops = 0;
    for (const auto id : topology.GetParts(Kind::CPU))
    {
        const Part& cpu = topology.GetPart(id);
        if (cpu.server == part.server && cpu.numa == part.numa && part.numa >= 0)
        {
            return cpu.affinity;
        }
        const size_t length = relations.GetPciePath(gpu, id).size();
        if (length > 0 && (hops == 0 || length < hops))
        {
            hops = length;
            nearest = cpu.affinity;
        }
    }
    return nearest;
}

/**
 * @param text any text
 * @return it as a quoted Graphviz string
 */
std::string
DotText(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text)
    {
        out += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    }
    return out + "\"";
}

/**
 * @param kind a kind
 * @return how Graphviz draws it
 */
const char*
DotShape(Kind kind)
{
    switch (kind)
    {
    case Kind::GPU:
        return "box, style=filled, fillcolor=palegreen";
    case Kind::NVSWITCH:
        return "hexagon, style=filled, fillcolor=lightgrey";
    case Kind::PCIE_SWITCH:
        return "hexagon";
    case Kind::NIC:
        return "ellipse";
    default:
        return "box";
    }
}

/**
 * @param link a link
 * @return "nvlink2 x2"
 */
std::string
LinkText(const ServerTopology::Link& link)
{
    const std::string name = link.profile.empty()
                                 ? std::string(LinkProfile::FamilyName(link.family)) + "?"
                                 : link.profile;
    return link.count > 1 ? name + " x" + std::to_string(link.count) : name;
}

} // namespace

void
ServerPrinter::WriteMatrix(const ServerTopology& topology, std::ostream& os, uint32_t server)
{
    std::vector<uint32_t> columns;
    for (const Kind kind : {Kind::GPU, Kind::NIC})
    {
        for (const auto id : topology.GetParts(kind))
        {
            if (server == ServerTopology::NO_LIMIT || topology.GetPart(id).server == server)
            {
                columns.push_back(id);
            }
        }
    }
    ServerRelations relations(topology);
    for (const auto id : columns)
    {
        os << "\t" << ColumnName(topology.GetPart(id));
    }
    os << "\tCPU Affinity\tNUMA Affinity\n";
    bool others = false;
    for (const auto row : columns)
    {
        const Part& part = topology.GetPart(row);
        os << ColumnName(part);
        for (const auto column : columns)
        {
            const auto relation = relations.Get(row, column);
            const auto word = relation.word;
            others = others || word == ServerRelations::Word::XGMI ||
                     word == ServerRelations::Word::OAM || word == ServerRelations::Word::NONE;
            os << "\t" << (row == column ? " X " : relation.GetText());
        }
        os << "\t";
        if (part.kind == Kind::GPU)
        {
            os << AffinityOf(topology, relations, row) << "\t"
               << (part.numa < 0 ? "N/A" : std::to_string(part.numa));
        }
        os << "\n";
    }
    os << LEGEND << (others ? OTHER_LEGEND : "");
}

void
ServerPrinter::WriteDot(const ServerTopology& topology, std::ostream& os)
{
    os << "graph server {\n  node [fontsize=10];\n  edge [fontsize=8];\n";
    std::map<uint32_t, std::vector<uint32_t>> servers;
    for (const auto& part : topology.GetParts())
    {
        servers[part.server].push_back(part.id);
    }
    for (const auto& [server, parts] : servers)
    {
        os << "  subgraph cluster" << server << " {\n    label=\"server " << server << "\";\n";
        for (const auto id : parts)
        {
            const Part& part = topology.GetPart(id);
            const std::string label = part.model.empty() ? part.name : part.name + " " + part.model;
            os << "    p" << id << " [label=" << DotText(label) << ", shape=" << DotShape(part.kind)
               << "];\n";
        }
        os << "  }\n";
    }
    for (const auto& link : topology.GetLinks())
    {
        os << "  p" << link.a << " -- p" << link.b << " [label=" << DotText(LinkText(link))
           << (ServerTopology::IsGpuLink(link.family) ? ", penwidth=2" : "") << "];\n";
    }
    os << "}\n";
}

void
ServerPrinter::WriteCounts(const ServerTopology& topology, std::ostream& os)
{
    for (const Kind kind : {Kind::GPU,
                            Kind::NVSWITCH,
                            Kind::PCIE_SWITCH,
                            Kind::CPU,
                            Kind::NIC,
                            Kind::DIE,
                            Kind::MEMORY,
                            Kind::DEVICE})
    {
        const auto& parts = topology.GetParts(kind);
        if (!parts.empty())
        {
            const std::string& model = topology.GetPart(parts[0]).model;
            os << parts.size() << " x " << ServerTopology::KindName(kind)
               << (model.empty() ? "" : " " + model) << "\n";
        }
    }
    std::map<std::string, uint32_t> links;
    for (const auto& link : topology.GetLinks())
    {
        const std::string name = link.profile.empty() ? LinkText(link) : link.profile;
        links[name] += link.count;
    }
    for (const auto& [name, count] : links)
    {
        os << count << " links " << name << "\n";
    }
}

} // namespace ns3
