/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hwloc-topology-reader.h"

#include "fabric-units.h"
#include "fault-list.h"
#include "gpu-model.h"
#include "xml-fields.h"
#include "xml-reader.h"

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;
using Kind = ServerTopology::Kind;
using Link = ServerTopology::Link;
using Part = ServerTopology::Part;

constexpr uint32_t NONE = ServerTopology::NO_LIMIT;

/** @brief Where in the tree of bridges a walk is. */
enum class Level : uint8_t
{
    ROOT, //!< below a host bridge
    PORT, //!< below a root port or a downstream port
    CHIP  //!< below an upstream port: inside a switch
};

/** @brief What a walk knows of the elements above. */
struct Place
{
    uint32_t cpu{NONE};       //!< part id
    uint32_t parent{NONE};    //!< part id of what devices hang below
    Level level{Level::ROOT}; //!< in the tree of bridges
    int32_t numa{-1};         //!< NUMA node
};

/** @brief The matrix as the file has it. */
struct Matrix
{
    std::vector<uint32_t> parts;  //!< part id of each column
    std::vector<uint64_t> values; //!< MB/s, row-major
    uint32_t line{0};             //!< of its element
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
    void ReadTopology(const XmlElement& root);

    ServerTopology topology;            //!< so far
    HwlocTopologyReader::Report report; //!< so far

  private:
    /** @brief Read an object and all below it. */
    void ReadObject(const XmlElement& element, Place place);
    /** @return the place below a bridge */
    Place ReadBridge(const XmlElement& element, Place place);
    /** @brief Add a PCI device. */
    void ReadDevice(const XmlElement& element, const Place& place);
    /** @brief Fill in a GPU or NIC. */
    void FillDevice(const XmlElement& element, Part& part, uint16_t vendor, uint16_t device);
    /** @return part id of a new CPU */
    uint32_t AddCpu(const XmlElement& element, int32_t numa);
    /** @brief Link a part with its parent. */
    void Attach(const XmlElement& element, uint32_t part, const Place& place);
    /** @brief Read the matrix. */
    void ReadMatrix(const XmlElement& element);
    /** @brief Count what is in the matrix. */
    void Count(const Matrix& matrix);
    /** @brief Add the links of the matrix. */
    void AddLinks(const Matrix& matrix);
    /** @brief Add links of one pair of columns. */
    void AddGpuLink(const Matrix& matrix, size_t i, size_t j);
    /** @brief Ask for the links between two groups of NVSwitches. */
    void AskTrunks();

    XmlFields m_fields;                         //!< takes values out of elements
    ServerAnswers m_answers;                    //!< to open questions
    std::map<std::string, uint32_t> m_byObject; //!< part ids by "OSDev:802"
    uint32_t m_hostBridge{0};                   //!< of links to a CPU
};

/**
 * @param element an element
 * @param type of an object
 * @return the first such object in it, or nothing
 */
const XmlElement*
FindObject(const XmlElement& element, const std::string& type)
{
    for (const auto& child : element.children)
    {
        if (child.Get("type") == type)
        {
            return &child;
        }
        const XmlElement* found = FindObject(child, type);
        if (found != nullptr)
        {
            return found;
        }
    }
    return nullptr;
}

/**
 * @param gigabytes per second, one direction, as hwloc writes it
 * @return the widest PCIe profile of that rate; empty if there is none
 */
std::string
PcieOfRate(double gigabytes)
{
    for (uint32_t generation = 3; generation <= 6; ++generation)
    {
        for (const uint32_t width : {16, 8, 4, 2, 1})
        {
            const std::string name =
                "pcie" + std::to_string(generation) + "-x" + std::to_string(width);
            const double rate = static_cast<double>(LinkProfile::Get(name).rateBps) / 8e9;
            if (std::abs(rate - gigabytes) < 0.005 * rate)
            {
                return name;
            }
        }
    }
    return "";
}

Builder::Builder(const std::string& name, const ServerAnswers& answers)
    : m_fields(name),
      m_answers(answers)
{
}

void
Builder::ReadTopology(const XmlElement& root)
{
    if (root.name != "topology")
    {
        m_fields.Unexpected(root, "a hwloc topology starts with <topology>");
    }
    report.version = m_fields.Text(root, "version");
    if (report.version[0] != '2' && report.version[0] != '3')
    {
        m_fields.Fail(root.line, report.version, "version of <topology>: allowed are 2 and 3");
    }
    for (const auto& child : root.children)
    {
        if (child.name == "object")
        {
            ReadObject(child, {});
        }
    }
    bool found = false;
    for (const auto& child : root.children)
    {
        const bool isMatrix = child.name == "distances2" || child.name == "distances2hetero";
        if (isMatrix && child.Get("name") == "NVLinkBandwidth")
        {
            if (found)
            {
                m_fields.Unexpected(child, "there are two matrices NVLinkBandwidth");
            }
            found = true;
            ReadMatrix(child);
        }
    }
    AskTrunks();
    m_answers.JoinCpus(topology);
    m_answers.RequireAllUsed();
}

void
Builder::ReadObject(const XmlElement& element, Place place)
{
    const std::string type = element.Get("type");
    if (type == "Package")
    {
        place.cpu = AddCpu(element, place.numa);
        place.numa = topology.GetPart(place.cpu).numa;
    }
    else if (type == "Bridge")
    {
        place = ReadBridge(element, place);
    }
    else if (type == "PCIDev")
    {
        ReadDevice(element, place);
        return;
    }
    for (const auto& child : element.children)
    {
        if (child.name == "object")
        {
            ReadObject(child, place);
        }
    }
}

uint32_t
Builder::AddCpu(const XmlElement& element, int32_t numa)
{
    Part part;
    part.kind = Kind::CPU;
    part.numa = numa;
    const XmlElement* node = FindObject(element, "NUMANode");
    if (node != nullptr)
    {
        part.numa = static_cast<int32_t>(m_fields.Number(*node, "os_index", 0, 65535));
        part.memoryBytes = static_cast<uint64_t>(
            m_fields.MaybeNumber(*node, "local_memory", 0, int64_t{1} << 50).value_or(0));
    }
    return topology.AddPart(part);
}

Place
Builder::ReadBridge(const XmlElement& element, Place place)
{
    if (place.cpu == NONE)
    {
        place.cpu = AddCpu(element, place.numa); // hwloc does not say at which package
    }
    const std::string type = element.Get("bridge_type");
    if (type == "0-1")
    {
        ++m_hostBridge;
        place.parent = place.cpu;
        place.level = Level::ROOT;
    }
    else if (place.parent == NONE)
    {
        m_fields.Unexpected(element, "a bridge is below a host bridge (bridge_type 0-1)");
    }
    else if (place.level == Level::PORT)
    {
        Part part;
        part.kind = Kind::PCIE_SWITCH;
        part.numa = place.numa;
        part.busId = m_fields.Text(element, "pci_busid");
        const uint32_t id = topology.AddPart(part);
        Attach(element, id, place);
        place.parent = id;
        place.level = Level::CHIP;
    }
    else
    {
        place.level = Level::PORT; // a root port, or a downstream port of a switch
    }
    return place;
}

void
Builder::ReadDevice(const XmlElement& element, const Place& place)
{
    const std::string type = m_fields.Text(element, "pci_type"); // 0302 [10de:1db8] ...
    const std::string pciClass = type.substr(0, 4);
    const auto hex = [&](size_t at) {
        const std::string digits = type.size() >= at + 4 ? type.substr(at, 4) : "";
        const bool good = digits.size() == 4 &&
                          digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        if (!good)
        {
            m_fields.Fail(element.line, type, "pci_type: allowed is a text like 0302 [10de:1db8]");
        }
        return static_cast<uint16_t>(std::stoul(digits, nullptr, 16));
    };
    const uint16_t number = hex(0);
    const uint16_t vendor = hex(6);
    const uint16_t device = hex(11);
    ++report.pciClasses[pciClass];
    const bool ofGpuMaker = vendor == 0x10de || vendor == 0x1002; // not the display of a BMC
    const bool isSwitch = number == 0x0680 || element.Get("subtype") == "NVSwitch";
    const bool isGpu = (number >> 8 == 0x03 || number == 0x1200) && ofGpuMaker;
    const bool isNic = number >> 8 == 0x02;
    if (!isSwitch && !isGpu && !isNic)
    {
        return; // discs and the like
    }
    Part part;
    part.kind = isSwitch ? Kind::NVSWITCH : isGpu ? Kind::GPU : Kind::NIC;
    part.numa = place.numa;
    part.busId = m_fields.Text(element, "pci_busid");
    if (!isSwitch)
    {
        FillDevice(element, part, vendor, device);
    }
    const uint32_t id = topology.AddPart(part);
    m_byObject["PCIDev:" + element.Get("gp_index")] = id;
    for (const auto& child : element.children)
    {
        if (child.Get("type") == "OSDev")
        {
            m_byObject["OSDev:" + child.Get("gp_index")] = id;
        }
    }
    if (!isSwitch)
    {
        Attach(element, id, place);
    }
}

void
Builder::FillDevice(const XmlElement& element, Part& part, uint16_t vendor, uint16_t device)
{
    if (part.kind == Kind::GPU)
    {
        const GpuModel* model = GpuModel::FindDevice(vendor, device);
        part.name = "gpu" + std::to_string(topology.GetRanks().size());
        part.model = model == nullptr ? "" : model->name;
        m_answers.AskModel(topology, part);
        return;
    }
    const XmlElement* os = FindObject(element, "OSDev");
    const std::string name = os == nullptr ? "" : FaultList::Printable(os->Get("name"));
    const bool isNew = !name.empty() && topology.Find(name) == NONE;
    part.name = isNew ? name : "nic" + std::to_string(topology.GetParts(Kind::NIC).size());
    m_answers.AskNetRate(topology, part);
}

void
Builder::Attach(const XmlElement& element, uint32_t part, const Place& place)
{
    if (place.parent == NONE)
    {
        m_fields.Unexpected(element, "a PCI device is below a host bridge");
    }
    const std::string& name = topology.GetPart(part).name;
    const auto rate = FabricUnits::Real(element.Get("pci_link_speed"));
    Link link;
    link.a = place.parent;
    link.b = part;
    link.line = element.line;
    link.family = Family::PCIE;
    link.hostBridge = place.parent == place.cpu ? m_hostBridge : 0;
    link.profile = rate ? PcieOfRate(*rate) : "";
    if (link.profile.empty())
    {
        link.profile =
            m_answers.AskProfile(topology, "pcie:" + name, Family::PCIE, "slot of " + name);
    }
    const std::string why = topology.ExplainLink(link);
    if (!why.empty())
    {
        m_fields.Fail(element.line, name, why);
    }
    topology.AddLink(link);
}

void
Builder::ReadMatrix(const XmlElement& element)
{
    const auto size = static_cast<size_t>(
        m_fields.Number(element, "nbobjs", 1, HwlocTopologyReader::MAX_COLUMNS));
    const std::string type = element.name == "distances2" ? m_fields.Text(element, "type") : "";
    Matrix matrix;
    matrix.line = element.line;
    for (const auto& child : element.children)
    {
        std::istringstream words(child.text);
        for (std::string word; words >> word;)
        {
            if (child.name == "indexes")
            {
                const std::string object = type.empty() ? word : type + ":" + word;
                const auto found = m_byObject.find(object);
                if (found == m_byObject.end())
                {
                    m_fields.Fail(child.line, object, "there is no such GPU or NVSwitch above");
                }
                matrix.parts.push_back(found->second);
                ++report.columns[object.substr(0, object.find(':'))];
            }
            else if (child.name == "u64values")
            {
                const auto value = FabricUnits::Whole(word);
                if (!value || *value > 100'000'000)
                {
                    m_fields.Fail(child.line, word, "allowed is a whole number of MB/s to 10^8");
                }
                matrix.values.push_back(*value);
            }
            if (matrix.parts.size() > size || matrix.values.size() > size * size)
            {
                m_fields.Fail(child.line,
                              word,
                              "too many for a matrix of " + std::to_string(size) + " columns");
            }
        }
    }
    if (matrix.parts.size() != size || matrix.values.size() != size * size)
    {
        m_fields.Fail(element.line,
                      std::to_string(size),
                      "nbobjs: there are " + std::to_string(matrix.parts.size()) + " indexes and " +
                          std::to_string(matrix.values.size()) + " values");
    }
    Count(matrix);
    AddLinks(matrix);
}

void
Builder::Count(const Matrix& matrix)
{
    const size_t size = matrix.parts.size();
    const auto isGpu = [&](size_t i) {
        return topology.GetPart(matrix.parts[i]).kind == Kind::GPU;
    };
    report.values = static_cast<uint32_t>(matrix.values.size());
    for (size_t i = 0; i < size; ++i)
    {
        uint64_t sum = 0;
        for (size_t j = 0; j < size; ++j)
        {
            const uint64_t value = matrix.values[i * size + j];
            report.nonZero += value > 0 ? 1 : 0;
            report.distinct.insert(value);
            sum += value;
            if (isGpu(i) && isGpu(j))
            {
                report.gpuGpuValues.insert(value);
            }
        }
        if (isGpu(i))
        {
            report.gpuRowSums.insert(sum);
        }
    }
}

void
Builder::AddLinks(const Matrix& matrix)
{
    const size_t size = matrix.parts.size();
    for (size_t i = 0; i < size; ++i)
    {
        for (size_t j = i + 1; j < size; ++j)
        {
            const uint64_t there = matrix.values[i * size + j];
            const uint64_t back = matrix.values[j * size + i];
            if (there != back)
            {
                m_fields.Fail(matrix.line,
                              std::to_string(there),
                              "from " + topology.GetPart(matrix.parts[i]).name + " to " +
                                  topology.GetPart(matrix.parts[j]).name + ", but back it is " +
                                  std::to_string(back));
            }
            if (there > 0)
            {
                AddGpuLink(matrix, i, j);
            }
        }
    }
}

void
Builder::AddGpuLink(const Matrix& matrix, size_t i, size_t j)
{
    // hwloc counts 20 GB/s for NVLink 1, 25 for 2 to 4, 50 for 5, one direction.
    static const std::map<std::string, uint64_t> megabytes{{"nvlink1", 20000},
                                                           {"nvlink2", 25000},
                                                           {"nvlink3", 25000},
                                                           {"nvlink4", 25000},
                                                           {"nvlink5", 50000}};
    const bool firstIsGpu = topology.GetPart(matrix.parts[i]).kind == Kind::GPU;
    const Part& gpu = topology.GetPart(matrix.parts[firstIsGpu ? i : j]);
    const GpuModel* model = GpuModel::Find(gpu.model);
    Link link;
    link.a = matrix.parts[i];
    link.b = matrix.parts[j];
    link.line = matrix.line;
    link.family = Family::NVLINK;
    link.profile = model == nullptr ? "" : model->linkProfile;
    if (megabytes.count(link.profile) == 0)
    {
        link.profile = m_answers.AskProfile(topology,
                                            "nvlink:" + gpu.name,
                                            Family::NVLINK,
                                            "GPU links of " + gpu.name);
    }
    const auto rate = megabytes.find(link.profile);
    if (rate == megabytes.end())
    {
        return; // how many links this is, is open as well
    }
    const uint64_t value = matrix.values[i * matrix.parts.size() + j];
    link.count = static_cast<uint32_t>(value / rate->second);
    std::string why = value % rate->second == 0
                          ? topology.ExplainLink(link)
                          : "no whole number of " + link.profile + " links of " +
                                std::to_string(rate->second) + " MB/s";
    if (!why.empty())
    {
        m_fields.Fail(matrix.line, std::to_string(value), why);
    }
    topology.AddLink(link);
}

void
Builder::AskTrunks()
{
    std::map<uint32_t, std::vector<uint32_t>> groups; // NVSwitches by the first GPU at them
    for (const auto id : topology.GetParts(Kind::NVSWITCH))
    {
        uint32_t first = NONE;
        for (const auto link : topology.GetLinks(id))
        {
            first = std::min(first, topology.GetPeer(link, id));
        }
        if (first != NONE)
        {
            groups[first].push_back(id);
        }
    }
    if (groups.size() != 2 || groups.begin()->second.size() != groups.rbegin()->second.size())
    {
        return;
    }
    const auto& ours = groups.begin()->second;
    const auto& theirs = groups.rbegin()->second;
    constexpr uint32_t most = 64;
    const uint32_t count = m_answers.AskNumber(
        topology,
        "nvswitch-trunk",
        "the matrix has two groups of " + std::to_string(ours.size()) +
            " NVSwitches and nothing between them: links between switches of the same place in "
            "both groups, 0 for none",
        0,
        most);
    for (size_t i = 0; count > 0 && count <= most && i < ours.size(); ++i)
    {
        const Link& sample = topology.GetLinks()[topology.GetLinks(ours[i])[0]];
        topology.AddLink(ours[i], theirs[i], std::string(sample.profile), count);
    }
}

} // namespace

HwlocTopologyReader::Result
HwlocTopologyReader::Build(const XmlElement& root,
                           const std::string& name,
                           const ServerAnswers& answers)
{
    Builder builder(name, answers);
    builder.ReadTopology(root);
    return {builder.topology, builder.report};
}

HwlocTopologyReader::Result
HwlocTopologyReader::Read(const std::string& path, const ServerAnswers& answers)
{
    return Build(XmlReader::Read(path), path, answers);
}

HwlocTopologyReader::Result
HwlocTopologyReader::Read(std::istream& in, const std::string& name, const ServerAnswers& answers)
{
    return Build(XmlReader::Read(in, name), name, answers);
}

} // namespace ns3
