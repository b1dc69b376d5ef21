/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nccl-topology-writer.h"

#include "gpu-model.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;

/** @brief Writes one chassis. */
class Writer
{
  public:
    /**
     * @param topology the server
     * @param os where to
     */
    Writer(const ServerTopology& topology, std::ostream& os);

    /** @brief Write a CPU and all below it. */
    void WriteCpu(const Part& cpu);

  private:
    /** @brief Write a PCIe device and all below it. */
    void WritePci(const Part& part, const std::string& slot, const std::string& indent);
    /** @brief Write a gpu element. */
    void WriteGpu(const Part& part, const std::string& indent);
    /** @brief Write a nic element. */
    void WriteNic(const Part& part, const std::string& indent);

    const ServerTopology& m_topology;  //!< the server
    std::ostream& m_os;                //!< where to
    std::vector<std::string> m_busIds; //!< of each part
    std::set<uint32_t> m_written;      //!< parts done
};

/** @return true for AMD's and open modules, whose links are xgmi elements */
bool
IsXgmi(Family family)
{
    return family == Family::XGMI || family == Family::OAM;
}

/** @return the PCI class of a part as NCCL writes it */
std::string
ClassOf(const ServerTopology& topology, const Part& part)
{
    if (part.kind == Kind::GPU)
    {
        for (const auto link : topology.GetLinks(part.id))
        {
            if (IsXgmi(topology.GetLinks()[link].family))
            {
                return "0x120000"; // processing accelerator
            }
        }
        return "0x030200";
    }
    return part.kind == Kind::NVSWITCH ? "0x068000"
           : part.kind == Kind::NIC    ? "0x020700"
                                       : "0x060400";
}

/** @return attributes link_speed and link_width of a PCIe profile */
std::string
SlotText(const std::string& profile)
{
    const LinkProfile& row = LinkProfile::Get(profile);
    if (row.family != Family::PCIE)
    {
        return "link_speed=\"\" link_width=\"0\""; // not on PCIe
    }
    const int gt = 8 << (row.generation - 3); // 8 GT/s is generation 3
    return "link_speed=\"" + std::to_string(gt) + ".0 GT/s PCIe\" link_width=\"" +
           std::to_string(row.lanes) + "\"";
}

/** @return a text with XML's special characters escaped */
std::string
Escape(const std::string& text)
{
    std::string out;
    for (const char c : text)
    {
        out += c == '&'   ? "&amp;"
               : c == '<' ? "&lt;"
               : c == '>' ? "&gt;"
               : c == '"' ? "&quot;"
                          : std::string(1, c);
    }
    return out;
}

Writer::Writer(const ServerTopology& topology, std::ostream& os)
    : m_topology(topology),
      m_os(os)
{
    std::set<std::string> taken;
    for (const auto& part : topology.GetParts())
    {
        taken.insert(part.busId);
    }
    uint32_t next = 0;
    for (const auto& part : topology.GetParts())
    {
        std::string id = part.busId;
        while (id.empty() || (part.busId.empty() && taken.count(id) > 0))
        {
            std::ostringstream text;
            const uint32_t n = ++next;
            text << std::hex << std::setfill('0') << std::setw(4) << n / 255 << ":" << std::setw(2)
                 << n % 255 + 1 << ":00.0";
            id = text.str();
        }
        m_busIds.push_back(id);
    }
}

void
Writer::WriteGpu(const Part& part, const std::string& indent)
{
    m_os << indent << "<gpu dev=\"" << part.index << "\" rank=\"" << part.index << "\" gdr=\"1\"";
    bool open = false;
    for (const auto id : m_topology.GetLinks(part.id))
    {
        const auto& link = m_topology.GetLinks()[id];
        if (!ServerTopology::IsGpuLink(link.family))
        {
            continue;
        }
        const Part& peer = m_topology.GetPart(m_topology.GetPeer(id, part.id));
        const bool toCpu = peer.kind == Kind::CPU;
        m_os << (open ? "" : ">\n") << indent << "  <" << (IsXgmi(link.family) ? "xgmi" : "nvlink")
             << " target=\"" << Escape(m_busIds[peer.id]) << "\" count=\"" << link.count
             << "\" tclass=\"" << (toCpu ? "0x068001" : ClassOf(m_topology, peer)) << "\"/>\n";
        open = true;
    }
    m_os << (open ? indent + "</gpu>\n" : "/>\n");
}

void
Writer::WriteNic(const Part& part, const std::string& indent)
{
    m_os << indent << "<nic>\n";
    for (uint32_t port = 0; port < part.netPorts; ++port)
    {
        const std::string suffix = part.netPorts > 1 ? "-port" + std::to_string(port + 1) : "";
        m_os << indent << "  <net name=\"" << Escape(part.name + suffix) << "\" dev=\""
             << part.index << "\" speed=\"" << part.netRateBps / part.netPorts / 1'000'000
             << "\" port=\"" << port + 1 << "\" guid=\"0x" << std::hex << part.id + 1 << std::dec
             << "\" maxconn=\"131072\" gdr=\"1\"/>\n";
    }
    m_os << indent << "</nic>\n";
}

void
Writer::WritePci(const Part& part, const std::string& slot, const std::string& indent)
{
    if (!m_written.insert(part.id).second)
    {
        return;
    }
    m_os << indent << "<pci busid=\"" << Escape(m_busIds[part.id]) << "\" class=\""
         << ClassOf(m_topology, part) << "\"";
    const GpuModel* model = part.kind == Kind::GPU ? GpuModel::Find(part.model) : nullptr;
    if (model != nullptr && model->device != 0)
    {
        m_os << std::hex << std::setfill('0') << " vendor=\"0x" << std::setw(4) << model->vendor
             << "\" device=\"0x" << std::setw(4) << model->device << "\"" << std::dec;
    }
    m_os << " " << slot << ">\n";
    if (part.kind == Kind::GPU)
    {
        WriteGpu(part, indent + "  ");
    }
    else if (part.kind == Kind::NIC)
    {
        WriteNic(part, indent + "  ");
    }
    for (const auto id : m_topology.GetLinks(part.id))
    {
        const auto& link = m_topology.GetLinks()[id];
        const Part& peer = m_topology.GetPart(m_topology.GetPeer(id, part.id));
        if (part.kind == Kind::PCIE_SWITCH && link.family == Family::PCIE && peer.kind != Kind::CPU)
        {
            WritePci(peer, SlotText(link.profile), indent + "  ");
        }
    }
    m_os << indent << "</pci>\n";
}

void
Writer::WriteCpu(const Part& cpu)
{
    m_os << "  <cpu numaid=\"" << cpu.numa << "\" affinity=\"\" arch=\"x86_64\" vendor=\"\" "
         << "familyid=\"0\" modelid=\"0\">\n";
    for (const auto id : m_topology.GetLinks(cpu.id))
    {
        const auto& link = m_topology.GetLinks()[id];
        const Part& peer = m_topology.GetPart(m_topology.GetPeer(id, cpu.id));
        if (peer.kind != Kind::CPU)
        {
            WritePci(peer, SlotText(link.profile), "    ");
        }
    }
    m_os << "  </cpu>\n";
}

} // namespace

std::vector<uint32_t>
NcclTopologyWriter::GetServers(const ServerTopology& topology)
{
    std::set<uint32_t> servers;
    for (const auto id : topology.GetParts(Kind::CPU))
    {
        servers.insert(topology.GetPart(id).server);
    }
    return {servers.begin(), servers.end()};
}

void
NcclTopologyWriter::Write(const ServerTopology& topology, std::ostream& os, uint32_t server)
{
    topology.RequireComplete();
    const std::vector<uint32_t> servers = GetServers(topology);
    if (std::find(servers.begin(), servers.end(), server) == servers.end())
    {
        throw FabricError("NCCL topology: server " + std::to_string(server) +
                          " has no CPU; the form starts with CPUs");
    }
    os << "<system version=\"1\">\n";
    Writer writer(topology, os);
    for (const auto id : topology.GetParts(Kind::CPU))
    {
        if (topology.GetPart(id).server == server)
        {
            writer.WriteCpu(topology.GetPart(id));
        }
    }
    os << "</system>\n";
}

} // namespace ns3
