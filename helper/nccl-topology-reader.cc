/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nccl-topology-reader.h"

#include "fabric-topology.h"
#include "fabric-units.h"
#include "fault-list.h"
#include "gpu-model.h"
#include "xml-fields.h"
#include "xml-reader.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Part = ServerTopology::Part;
using Report = NcclTopologyReader::Report;

constexpr uint32_t NONE = ServerTopology::NO_LIMIT;

/** @brief A link of a GPU as its element says it. */
struct GpuLink
{
    uint32_t gpu{0};     //!< part id
    uint32_t cpu{0};     //!< part id of the CPU above
    std::string target;  //!< bus number
    std::string tclass;  //!< PCI class of the target
    uint32_t count{0};   //!< parallel links
    Family family{};     //!< by name of the element
    std::string profile; //!< from model or compute capability, if known
    uint32_t line{0};    //!< of the element
};

/** @brief Makes a server of the elements. */
class Builder
{
  public:
    /**
     * @param name path for messages
     * @param answers to open questions
     */
    Builder(const std::string& name, const ServerAnswers& answers);

    /** @brief Read everything below the root. */
    void ReadSystem(const XmlElement& system);

    ServerTopology topology; //!< so far
    Report report;           //!< so far

  private:
    /** @brief Read a CPU and all below it. */
    void ReadCpu(const XmlElement& element);
    /** @brief Read a PCI device and all below it. */
    void ReadPci(const XmlElement& element, uint32_t parent, uint32_t cpu);
    /** @brief Read what is inside a PCI device. */
    void ReadChildren(const XmlElement& element, uint32_t part, uint32_t cpu);
    /** @return what a PCI device is */
    Kind KindOf(const XmlElement& element, const std::string& busId);
    /** @brief Fill in a GPU; the gpu element may be missing. */
    void FillGpu(const XmlElement& pci, const XmlElement* gpu, Part& part);
    /** @brief Fill in a NIC; the nic element may be missing. */
    void FillNic(const XmlElement* nic, Part& part);
    /** @brief Note the links of a GPU. */
    void ReadLinks(const XmlElement& gpu, uint32_t part, uint32_t cpu);
    /** @brief Link a part with its parent. */
    void Attach(const XmlElement& pci, uint32_t part, uint32_t parent);
    /** @return the profile of a slot; empty if the file does not say it */
    std::string SlotProfile(const XmlElement& pci);
    /** @brief Add all GPU links. */
    void AddGpuLinks();
    /** @brief Add one. */
    void AddGpuLink(const GpuLink& from, uint32_t peer);
    /** @return part id of the other end; NONE if that is an open question */
    uint32_t FindTarget(const GpuLink& link);

    XmlFields m_fields;                          //!< takes values out of elements
    ServerAnswers m_answers;                     //!< to open questions
    std::vector<GpuLink> m_links;                //!< all, in order of the file
    std::map<std::string, uint32_t> m_byBusId;   //!< part ids
    std::map<uint32_t, std::string> m_smProfile; //!< NVLink by compute capability of a GPU
};

Builder::Builder(const std::string& name, const ServerAnswers& answers)
    : m_fields(name),
      m_answers(answers)
{
}

void
Builder::ReadSystem(const XmlElement& system)
{
    if (system.name != "system")
    {
        m_fields.Unexpected(system, "a NCCL topology starts with <system>");
    }
    report.version = static_cast<uint32_t>(m_fields.Number(system, "version", 1, 1000));
    for (const auto& child : system.children)
    {
        if (child.name != "cpu")
        {
            m_fields.Unexpected(child, "allowed in <system> is <cpu>");
        }
        ReadCpu(child);
    }
    if (report.cpus == 0)
    {
        m_fields.Fail(system.line, "<system>", "at least one <cpu> is wanted");
    }
    AddGpuLinks();
    m_answers.JoinCpus(topology);
    m_answers.RequireAllUsed();
}

void
Builder::ReadCpu(const XmlElement& element)
{
    Part part;
    part.kind = Kind::CPU;
    part.numa =
        static_cast<int32_t>(m_fields.Number(element, "numaid", -1, NcclTopologyReader::MAX_NUMA));
    ++report.cpus;
    report.gpusByNuma[part.numa] += 0;
    const uint32_t cpu = topology.AddPart(part);
    for (const auto& child : element.children)
    {
        if (child.name == "pci")
        {
            ReadPci(child, cpu, cpu);
        }
        else if (child.name == "nic") // not on PCIe, or NCCL could not see where
        {
            Part nic;
            nic.kind = Kind::NIC;
            nic.numa = part.numa;
            FillNic(&child, nic);
            Attach(child, topology.AddPart(nic), cpu);
        }
        else
        {
            m_fields.Unexpected(child, "allowed in <cpu> are <pci> and <nic>");
        }
    }
}

Kind
Builder::KindOf(const XmlElement& element, const std::string& busId)
{
    const uint32_t pciClass = m_fields.Hex(element, "class", 6) >> 8;
    if (XmlFields::Child(element, "gpu") != nullptr)
    {
        return Kind::GPU;
    }
    if (XmlFields::Child(element, "nic") != nullptr)
    {
        return Kind::NIC;
    }
    if (pciClass == 0x0604 || !element.children.empty())
    {
        return Kind::PCIE_SWITCH;
    }
    if (pciClass >> 8 == 0x03 || pciClass == 0x1200)
    {
        return Kind::GPU;
    }
    if (pciClass >> 8 == 0x02)
    {
        return Kind::NIC;
    }
    if (pciClass != 0)
    {
        return pciClass == 0x0680 ? Kind::NVSWITCH : Kind::DEVICE;
    }
    const std::string key = "kind:" + busId;
    const std::string answer =
        m_answers.Ask(topology, key, "what is the PCI device " + busId + ": gpu, nic or other");
    if (!answer.empty() && answer != "gpu" && answer != "nic" && answer != "other")
    {
        ServerAnswers::Refuse(key, answer, "allowed are gpu, nic and other");
    }
    return answer == "gpu" ? Kind::GPU : answer == "nic" ? Kind::NIC : Kind::DEVICE;
}

void
Builder::FillGpu(const XmlElement& pci, const XmlElement* gpu, Part& part)
{
    part.name = "gpu" + std::to_string(topology.GetRanks().size());
    const auto vendor = static_cast<uint16_t>(m_fields.Hex(pci, "vendor", 4));
    const auto device = static_cast<uint16_t>(m_fields.Hex(pci, "device", 4));
    const GpuModel* model = GpuModel::FindDevice(vendor, device);
    part.model = model == nullptr ? "" : model->name;
    m_answers.AskModel(topology, part);
    ++report.gpusByNuma[part.numa];
    if (gpu != nullptr)
    {
        ++report.gpus;
        m_fields.Number(*gpu, "dev", 0, 65535);
        m_fields.MaybeNumber(*gpu, "rank", 0, ServerTopology::MAX_PARTS);
        const auto sm = m_fields.MaybeNumber(*gpu, "sm", 0, 100'000);
        if (sm && gpu->Find("gcn") == nullptr)
        {
            const auto id = static_cast<uint32_t>(topology.GetParts().size());
            m_smProfile[id] = GpuModel::NvLinkOfSm(static_cast<uint32_t>(*sm));
        }
    }
}

void
Builder::FillNic(const XmlElement* nic, Part& part)
{
    // A rate over the greatest link rate is a placeholder of the driver: asked for.
    constexpr int64_t most = FabricTopology::MAX_RATE / 1'000'000;
    part.netPorts = 0;
    bool known = nic != nullptr;
    int64_t sum = 0;
    report.nics += nic == nullptr ? 0 : 1;
    for (const auto& net : nic == nullptr ? std::vector<XmlElement>() : nic->children)
    {
        if (net.name != "net")
        {
            m_fields.Unexpected(net, "allowed in <nic> is <net>");
        }
        const std::string name = m_fields.Text(net, "name");
        const auto speed = m_fields.MaybeNumber(net, "speed", 0, 1'000'000'000);
        ++report.nets;
        ++report.netSpeeds[net.Get("speed")];
        part.name = part.netPorts == 0 && topology.Find(name) == NONE ? name : part.name;
        known = known && speed && *speed > 0 && *speed <= most;
        sum += speed ? *speed : 0;
        ++part.netPorts;
    }
    if (part.netPorts > 64)
    {
        m_fields.Fail(nic->line, "<nic>", std::to_string(part.netPorts) + " ports: allowed are 64");
    }
    if (part.name.empty())
    {
        part.name = "nic" + std::to_string(topology.GetParts(Kind::NIC).size());
    }
    if (known && part.netPorts > 0 && sum <= most)
    {
        part.netRateBps = static_cast<uint64_t>(sum) * 1'000'000;
    }
    else
    {
        m_answers.AskNetRate(topology, part);
    }
    part.netPorts = std::max(part.netPorts, 1U);
}

std::string
Builder::SlotProfile(const XmlElement& pci)
{
    const std::string speed = pci.Get("link_speed");
    const auto width = m_fields.MaybeNumber(pci, "link_width", 0, 32);
    const size_t end = speed.find(" GT/s");
    if (speed.empty() || speed == "Unknown" || speed == "Unknown speed")
    {
        return "";
    }
    const auto tenths = FabricUnits::ScaleDecimal(speed.substr(0, end), 10);
    if (end == std::string::npos || !tenths)
    {
        m_fields.Fail(pci.line, speed, "link_speed: allowed is a text like 16.0 GT/s PCIe");
    }
    for (uint32_t generation = 3; generation <= 6; ++generation)
    {
        const std::string name =
            "pcie" + std::to_string(generation) + "-x" + std::to_string(width ? *width : 0);
        if (*tenths == uint64_t{80} << (generation - 3) && LinkProfile::Has(name))
        {
            return name;
        }
    }
    return ""; // generations 1 and 2, and widths that no profile has
}

void
Builder::Attach(const XmlElement& pci, uint32_t part, uint32_t parent)
{
    ServerTopology::Link link;
    link.a = parent;
    link.b = part;
    link.line = pci.line;
    link.family = Family::PCIE;
    link.profile = SlotProfile(pci);
    if (link.profile.empty())
    {
        const std::string& name = topology.GetPart(part).name;
        const std::string said = pci.Find("link_speed") == nullptr
                                     ? ""
                                     : " (the file says '" +
                                           FaultList::Printable(pci.Get("link_speed")) + "' x" +
                                           FaultList::Printable(pci.Get("link_width")) + ")";
        link.profile =
            m_answers.AskProfile(topology, "pcie:" + name, Family::PCIE, "slot of " + name + said);
    }
    const std::string why = topology.ExplainLink(link);
    if (!why.empty())
    {
        m_fields.Fail(pci.line, topology.GetPart(part).name, why);
    }
    topology.AddLink(link);
}

void
Builder::ReadPci(const XmlElement& element, uint32_t parent, uint32_t cpu)
{
    Part part;
    part.busId = m_fields.Text(element, "busid");
    if (m_byBusId.count(part.busId) > 0)
    {
        m_fields.Fail(element.line, part.busId, "there are two PCI devices with this busid");
    }
    ++report.pcis;
    const std::string* pciClass = element.Find("class");
    part.kind = KindOf(element, part.busId);
    ++report.classes[pciClass == nullptr ? "none" : pciClass->substr(0, 6)];
    part.numa = topology.GetPart(cpu).numa;
    const XmlElement* gpu = XmlFields::Child(element, "gpu");
    const XmlElement* nic = XmlFields::Child(element, "nic");
    if (part.kind == Kind::GPU)
    {
        FillGpu(element, gpu, part);
    }
    else if (part.kind == Kind::NIC)
    {
        FillNic(nic, part);
    }
    const uint32_t id = topology.AddPart(part);
    m_byBusId[part.busId] = id;
    Attach(element, id, parent);
    ReadChildren(element, id, cpu);
}

void
Builder::ReadChildren(const XmlElement& element, uint32_t part, uint32_t cpu)
{
    const Kind kind = topology.GetPart(part).kind;
    const XmlElement* gpu = XmlFields::Child(element, "gpu");
    const XmlElement* nic = XmlFields::Child(element, "nic");
    for (const auto& child : element.children)
    {
        if (child.name == "pci" && kind == Kind::PCIE_SWITCH)
        {
            ReadPci(child, part, cpu);
        }
        else if (&child == gpu && kind == Kind::GPU)
        {
            ReadLinks(child, part, cpu);
        }
        else if (&child != nic || kind != Kind::NIC)
        {
            m_fields.Unexpected(child,
                                "a <pci> has either other <pci>, or one <gpu>, or one <nic>");
        }
    }
}

void
Builder::ReadLinks(const XmlElement& gpu, uint32_t part, uint32_t cpu)
{
    uint32_t sum = 0;
    for (const auto& child : gpu.children)
    {
        if (child.name != "nvlink" && child.name != "xgmi")
        {
            m_fields.Unexpected(child, "allowed in <gpu> are <nvlink> and <xgmi>");
        }
        GpuLink link;
        link.gpu = part;
        link.cpu = cpu;
        link.family = child.name == "xgmi" ? Family::XGMI : Family::NVLINK;
        link.target = m_fields.Text(child, "target");
        link.tclass = m_fields.Text(child, "tclass");
        link.count =
            static_cast<uint32_t>(m_fields.Number(child, "count", 1, ServerTopology::MAX_COUNT));
        link.line = child.line;
        m_fields.Hex(child, "tclass", 6);
        ++(link.family == Family::XGMI ? report.xgmis : report.nvlinks);
        ++report.tclasses[link.tclass];
        report.targets.insert(link.target);
        report.linkSum += link.count;
        sum += link.count;
        m_links.push_back(link);
    }
    if (sum > 0)
    {
        ++report.linksPerGpu[sum];
    }
}

uint32_t
Builder::FindTarget(const GpuLink& link)
{
    const auto found = m_byBusId.find(link.target);
    if (found != m_byBusId.end() && found->second != link.gpu)
    {
        return found->second;
    }
    if (link.tclass.substr(0, 8) == "0x068001")
    {
        return link.cpu; // the NVLink bridge of a POWER CPU
    }
    if (link.tclass.substr(0, 6) == "0x0680")
    {
        Part part;
        part.kind = Kind::NVSWITCH;
        part.busId = link.target;
        const uint32_t id = topology.AddPart(part);
        m_byBusId[link.target] = id;
        return id;
    }
    const std::string& name = topology.GetPart(link.gpu).name;
    const std::string key = "peer:" + name;
    const std::string what = found != m_byBusId.end()
                                 ? "to itself"
                                 : "to " + link.target + ", which the file does not have";
    const std::string answer = m_answers.Ask(topology,
                                             key,
                                             std::to_string(link.count) + " links of " + name +
                                                 " go " + what + ": name the GPU at the other end");
    if (answer.empty())
    {
        return NONE;
    }
    const uint32_t peer = topology.Find(answer);
    if (peer == NONE || peer == link.gpu || topology.GetPart(peer).kind != Kind::GPU)
    {
        ServerAnswers::Refuse(key, answer, "another GPU is wanted, gpu0 and so on");
    }
    return peer;
}

void
Builder::AddGpuLinks()
{
    std::map<std::pair<uint32_t, uint32_t>, GpuLink> once; // of two GPUs: said by one so far
    for (const auto& from : m_links)
    {
        const uint32_t peer = FindTarget(from);
        if (peer == NONE)
        {
            continue;
        }
        const bool gpus = topology.GetPart(peer).kind == Kind::GPU;
        const auto back = once.find({peer, from.gpu});
        if (gpus && back != once.end())
        {
            if (back->second.count != from.count)
            {
                m_fields.Fail(from.line,
                              from.target,
                              std::to_string(from.count) + " links, but the other end says " +
                                  std::to_string(back->second.count) + " in line " +
                                  std::to_string(back->second.line));
            }
            continue;
        }
        if (gpus && !once.emplace(std::make_pair(from.gpu, peer), from).second)
        {
            m_fields.Fail(from.line,
                          from.target,
                          "the same target twice: allowed is one element with the count");
        }
        AddGpuLink(from, peer);
    }
}

void
Builder::AddGpuLink(const GpuLink& from, uint32_t peer)
{
    ServerTopology::Link link;
    link.a = from.gpu;
    link.b = peer;
    const auto& part = topology.GetPart(from.gpu);
    const GpuModel* model = GpuModel::Find(part.model);
    link.family = from.family;
    link.count = from.count;
    link.line = from.line;
    link.profile = model != nullptr ? model->linkProfile : "";
    if (link.profile.empty() && from.family == Family::NVLINK)
    {
        link.profile = m_smProfile[from.gpu];
    }
    if (link.profile.empty() || LinkProfile::Get(link.profile).family != link.family)
    {
        const std::string what = link.family == Family::NVLINK ? "nvlink:" : "xgmi:";
        link.profile = m_answers.AskProfile(topology,
                                            what + part.name,
                                            link.family,
                                            "GPU links of " + part.name);
    }
    const std::string why = topology.ExplainLink(link);
    if (!why.empty())
    {
        m_fields.Fail(from.line, from.target, why);
    }
    topology.AddLink(link);
}

} // namespace

NcclTopologyReader::Result
NcclTopologyReader::Build(const XmlElement& root,
                          const std::string& name,
                          const ServerAnswers& answers)
{
    Builder builder(name, answers);
    builder.ReadSystem(root);
    return {builder.topology, builder.report};
}

NcclTopologyReader::Result
NcclTopologyReader::Read(const std::string& path, const ServerAnswers& answers)
{
    return Build(XmlReader::Read(path), path, answers);
}

NcclTopologyReader::Result
NcclTopologyReader::Read(std::istream& in, const std::string& name, const ServerAnswers& answers)
{
    return Build(XmlReader::Read(in, name), name, answers);
}

} // namespace ns3
