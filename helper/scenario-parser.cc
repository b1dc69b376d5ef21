/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario-parser.h"

#include "attribute-defaults.h"
#include "fabric-run-options.h"
#include "fabric-units.h"
#include "flow-size-cdf.h"
#include "rdma-helper.h"

#include "ns3/fabric-error.h"
#include "ns3/frame-profile.h"

#include <filesystem>
#include <limits>

namespace ns3
{

namespace
{

using Kind = JsonValue::Kind;

constexpr uint64_t MOST_NODES = FabricTopology::MAX_NODES; //!< limit of counts

const std::vector<std::string> FORMATS = {"hpcc", "htsim"}; //!< of files
const std::vector<std::string> BUILDERS = {"fat-tree",
                                           "leaf-spine",
                                           "dumbbell",
                                           "chain",
                                           "star"}; //!< of topologies
const std::vector<std::string> GENERATORS = {"poisson",
                                             "python-mt19937",
                                             "permutation",
                                             "incast"}; //!< of flows

/**
 * @param path of a file
 * @return its format, where the scenario does not name it
 */
std::string
FormatOf(const std::string& path)
{
    const auto extension = std::filesystem::path(path).extension().string();
    return extension == ".topo" || extension == ".cm" || extension == ".tm" ? "htsim" : "hpcc";
}

} // namespace

ScenarioParser::ScenarioParser(const JsonValue& root, const std::string& file)
    : m_root(root),
      m_file(file)
{
}

ScenarioConfig
ScenarioParser::Parse()
{
    m_config.file = m_file;
    m_config.name = std::filesystem::path(m_file).stem().string();
    JsonSection root(m_root, "", m_file, m_faults);
    root.TakeString("name", m_config.name);
    root.TakeWhole("seed", m_config.seed, 1, std::numeric_limits<uint32_t>::max());
    if (m_root.Find("seed") != nullptr)
    {
        m_config.given.emplace_back("seed");
    }
    root.TakeWhole("run", m_config.run, 1, std::numeric_limits<uint32_t>::max());
    if (const auto* topology = root.Take("topology", true))
    {
        ParseTopology(*topology);
    }
    if (const auto* traffic = root.Take("traffic", true))
    {
        if (traffic->kind != Kind::ARRAY)
        {
            ParseTraffic(*traffic, "traffic");
        }
        for (size_t i = 0; i < traffic->items.size(); ++i)
        {
            ParseTraffic(traffic->items[i], "traffic[" + std::to_string(i) + "]");
        }
        if (traffic->kind == Kind::ARRAY && traffic->items.empty())
        {
            root.Fault("traffic", "at least one source of flows is wanted");
        }
    }
    if (const auto* parameters = root.Take("parameters"))
    {
        ParseParameters(*parameters);
    }
    if (const auto* attributes = root.Take("attributes"))
    {
        ParseAttributes(*attributes);
    }
    if (const auto* outputs = root.Take("outputs"))
    {
        ParseOutputs(*outputs);
    }
    root.Finish();
    m_faults.ThrowIfAny();
    return m_config;
}

void
ScenarioParser::ParseTopology(const JsonValue& value)
{
    auto& t = m_config.topology;
    JsonSection section(value, "topology", m_file, m_faults);
    if (value.Find("file") != nullptr)
    {
        section.TakeString("file", t.file);
        t.format = FormatOf(t.file);
        section.TakeChoice("format", t.format, FORMATS);
        t.file = Resolve(t.file);
        if (t.file.empty())
        {
            section.Fault("file", "a path is wanted");
        }
    }
    else
    {
        section.TakeChoice("builder", t.builder, BUILDERS, true);
        ParseBuilder(section);
        if (t.builder.empty())
        {
            return; // the other keys depend on it
        }
    }
    section.Finish();
}

void
ScenarioParser::ParseLink(JsonSection& section,
                          const std::string& key,
                          FabricTopologyBuilder::TierLink& link)
{
    if (const auto* value = section.Take(key))
    {
        JsonSection part(*value, "topology." + key, m_file, m_faults);
        part.TakeRate("rate", link.rateBps);
        part.TakeTime("delay", link.delayPs);
        part.TakeWhole("bundle", link.bundle, 1, 1024);
        part.Finish();
    }
}

void
ScenarioParser::ParseBuilder(JsonSection& section)
{
    auto& t = m_config.topology;
    if (t.builder == "fat-tree")
    {
        section.TakeWhole("k", t.fatTree.k, 2, 128, true);
        section.TakeWhole("tiers", t.fatTree.tiers, 2, 3);
        section.TakeWhole("oversubscription", t.fatTree.oversubscription, 1, 1024);
        ParseLink(section, "hostLink", t.fatTree.hostLink);
        ParseLink(section, "edgeLink", t.fatTree.edgeLink);
        ParseLink(section, "coreLink", t.fatTree.coreLink);
    }
    else if (t.builder == "leaf-spine")
    {
        section.TakeWhole("leaves", t.leafSpine.leaves, 1, MOST_NODES, true);
        section.TakeWhole("spines", t.leafSpine.spines, 1, MOST_NODES, true);
        section.TakeWhole("hostsPerLeaf", t.leafSpine.hostsPerLeaf, 1, MOST_NODES, true);
        ParseLink(section, "hostLink", t.leafSpine.hostLink);
        ParseLink(section, "upLink", t.leafSpine.upLink);
    }
    else if (t.builder == "dumbbell")
    {
        section.TakeWhole("left", t.dumbbell.left, 1, MOST_NODES, true);
        section.TakeWhole("right", t.dumbbell.right, 1, MOST_NODES, true);
        ParseLink(section, "hostLink", t.dumbbell.hostLink);
        ParseLink(section, "bottleneck", t.dumbbell.bottleneck);
    }
    else if (t.builder == "chain")
    {
        section.TakeWhole("switches", t.chain.switches, 1, MOST_NODES, true);
        section.TakeWhole("hostsPerSwitch", t.chain.hostsPerSwitch, 1, MOST_NODES, true);
        ParseLink(section, "hostLink", t.chain.hostLink);
        ParseLink(section, "switchLink", t.chain.switchLink);
    }
    else if (t.builder == "star")
    {
        section.TakeWhole("hosts", t.star.hosts, 1, MOST_NODES, true);
        ParseLink(section, "hostLink", t.star.hostLink);
    }
}

void
ScenarioParser::ParseTraffic(const JsonValue& value, const std::string& path)
{
    ScenarioTraffic one;
    one.line = value.line;
    JsonSection section(value, path, m_file, m_faults);
    if (value.Find("file") != nullptr)
    {
        section.TakeString("file", one.file);
        one.format = FormatOf(one.file);
        section.TakeChoice("format", one.format, FORMATS);
        section.TakeSize("payload", one.payloadBytes);
        one.file = Resolve(one.file);
        if (one.file.empty())
        {
            section.Fault("file", "a path is wanted");
        }
        if (one.payloadBytes == 0 || one.payloadBytes > 65536)
        {
            section.Fault("payload", "allowed are 1B to 65536B");
        }
    }
    else
    {
        section.TakeChoice("generator", one.generator, GENERATORS, value.kind == Kind::OBJECT);
        if (one.generator.empty())
        {
            return; // the other keys depend on it
        }
        ParseGenerator(section, one);
    }
    section.Finish();
    m_config.traffic.push_back(one);
}

void
ScenarioParser::ParseGenerator(JsonSection& section, ScenarioTraffic& one)
{
    section.TakeTime("start", one.startPs);
    section.TakeWhole("priority", one.priority, 0, 7);
    ParseHosts(section, one);
    if (one.generator == "incast")
    {
        section.TakeSize("bytes", one.bytes, true);
        section.TakeWhole("senders", one.senders, 1, MOST_NODES, true);
        section.TakeWhole("receiver", one.receiver, 0, MOST_NODES, true);
        return;
    }
    section.TakeWhole("seed", one.seed, 1, std::numeric_limits<uint32_t>::max());
    if (one.generator == "permutation")
    {
        section.TakeSize("bytes", one.bytes, true);
        return;
    }
    section.TakeString("cdf", one.cdf);
    section.TakeReal("load", one.load, 0.0001, 10);
    section.TakeTime("duration", one.durationPs);
    section.TakeRate("hostRate", one.hostRateBps);
    one.cdf = FlowSizeCdf::IsBuiltIn(one.cdf) ? one.cdf : Resolve(one.cdf);
    Examine(section, "cdf", [&one]() { FlowSizeCdf::Get(one.cdf); });
}

void
ScenarioParser::ParseHosts(JsonSection& section, ScenarioTraffic& one)
{
    const auto* hosts = section.Take("hosts");
    if (hosts == nullptr)
    {
        return;
    }
    if (hosts->kind != Kind::ARRAY || hosts->items.size() < 2)
    {
        section.Fault("hosts", "allowed is an array of at least two host ids");
        return;
    }
    for (const auto& item : hosts->items)
    {
        const auto id = FabricUnits::Whole(item.text);
        if (item.kind != Kind::NUMBER || !id || *id >= MOST_NODES)
        {
            m_faults.Add(m_file, item.line, item.text, "hosts: a host id is wanted");
            return;
        }
        one.hosts.push_back(static_cast<uint32_t>(*id));
    }
}

void
ScenarioParser::ParseParameters(const JsonValue& value)
{
    JsonSection section(value, "parameters", m_file, m_faults);
    section.TakeString("congestion", m_config.congestion);
    Examine(section, "congestion", [this]() {
        RdmaHelper::CongestionTypeName(m_config.congestion);
    });
    section.TakeString("profile", m_config.profile);
    if (!m_config.profile.empty() && m_faults.IsEmpty())
    {
        Examine(section, "profile", [this]() {
            RdmaHelper::CheckProfile(m_config.congestion, m_config.profile);
        });
    }
    section.TakeString("frameProfile", m_config.frameProfile);
    Examine(section, "frameProfile", [this]() { FrameProfile::Get(m_config.frameProfile); });
    uint64_t payload = m_config.payloadBytes;
    section.TakeSize("payload", payload);
    if (payload == 0 || payload > 65536)
    {
        section.Fault("payload", "allowed are 1B to 65536B");
    }
    m_config.payloadBytes = static_cast<uint32_t>(payload);
    section.TakeBool("pfc", m_config.pfc);
    section.TakeBool("ecn", m_config.ecn);
    section.TakeTime("stop", m_config.stopPs);
    const std::pair<const char*, const char*> options[] = {{"congestion", "cc"},
                                                           {"profile", "profile"},
                                                           {"payload", "payload"},
                                                           {"ecn", "ecn"},
                                                           {"stop", "stop-time"}};
    for (const auto& [key, option] : options)
    {
        if (value.Find(key) != nullptr)
        {
            m_config.given.emplace_back(option);
        }
    }
    section.TakeString("hpccConfig", m_config.hpccConfig);
    m_config.hpccConfig = Resolve(m_config.hpccConfig);
    section.Finish();
}

void
ScenarioParser::ParseAttributes(const JsonValue& value)
{
    JsonSection section(value, "attributes", m_file, m_faults);
    for (const auto& [key, attribute] : value.members)
    {
        section.Take(key);
        const bool named =
            key.compare(0, 5, "ns3::") == 0 && key.find("::", 5) != std::string::npos;
        if (!named)
        {
            section.Fault(key, "a key such as ns3::SwitchBuffer::Size is wanted");
        }
        else if (attribute.kind != Kind::STRING && attribute.kind != Kind::NUMBER &&
                 attribute.kind != Kind::BOOLEAN)
        {
            section.Fault(key, "allowed is a string, a number, true or false");
        }
        else
        {
            Examine(section, key, [text = key + "=" + attribute.text]() {
                AttributeDefaults().Set(text);
            });
        }
        m_config.attributes.emplace_back(key, attribute.text);
    }
}

void
ScenarioParser::ParseOutputs(const JsonValue& value)
{
    JsonSection section(value, "outputs", m_file, m_faults);
    section.TakeString("directory", m_config.outputDirectory);
    if (const auto* monitors = section.Take("monitors"))
    {
        if (monitors->kind != Kind::ARRAY)
        {
            section.Fault("monitors", "allowed is an array of strings such as \"queue:10us\"");
        }
        for (const auto& item : monitors->items)
        {
            if (item.kind != Kind::STRING)
            {
                m_faults.Add(m_file, item.line, item.text, "monitors: a string is wanted");
            }
            else
            {
                ExamineMonitor(item);
            }
            m_config.monitors.push_back(item.text);
        }
    }
    section.Finish();
}

void
ScenarioParser::Examine(JsonSection& section,
                        const std::string& key,
                        const std::function<void()>& check)
{
    try
    {
        check();
    }
    catch (const FabricError& error)
    {
        section.Fault(key, error.what());
    }
}

void
ScenarioParser::ExamineMonitor(const JsonValue& item)
{
    try
    {
        FabricMonitorSpec::Parse(item.text);
    }
    catch (const FabricError& error)
    {
        m_faults.Add(m_file, item.line, item.text, error.what());
    }
}

std::string
ScenarioParser::Resolve(const std::string& path) const
{
    const std::filesystem::path p(path);
    const auto folder = std::filesystem::path(m_file).parent_path();
    return path.empty() || p.is_absolute() || folder.empty() ? path : (folder / p).string();
}

} // namespace ns3
