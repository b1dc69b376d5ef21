/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-run.h"

#include "attribute-defaults.h"
#include "fabric-manifest.h"
#include "nccl-topology-writer.h"
#include "server-answers.h"
#include "server-catalog.h"
#include "server-file-reader.h"
#include "server-printer.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>

namespace ns3
{

namespace
{
/** More GPUs than this: only the first one's pairs are measured. */
constexpr size_t MOST_FOR_ALL_PAIRS = 16;
constexpr uint64_t MIB = 1 << 20;
/** Bytes of the store whose time is the latency, as p2pBandwidthLatencyTest has it. */
constexpr uint64_t LATENCY_BYTES = 4;

/** @brief The simulation ends with the scope, so that another may follow in the same process. */
struct SimulationScope
{
    ~SimulationScope()
    {
        Simulator::Destroy();
    }
};

std::ofstream
Open(const std::string& path)
{
    std::ofstream file(path);
    if (!file)
    {
        throw FabricError("cannot write '" + path + "'");
    }
    return file;
}

void
Close(std::ofstream& file, const std::string& path)
{
    file.close();
    if (!file)
    {
        throw FabricError("'" + path + "' could not be written whole");
    }
}

uint32_t
RequirePart(const ServerTopology& topology, const std::string& name)
{
    const uint32_t part = topology.Find(name);
    if (part == ServerTopology::NO_LIMIT)
    {
        std::string known;
        for (const auto& other : topology.GetParts())
        {
            known += (known.empty() ? "" : ", ") + other.name;
        }
        throw FabricError("'" + name + "' is no part of this server; its parts: " + known);
    }
    return part;
}

/** @brief Refuse a server with open questions, and say how to answer them. */
void
RequireAnswers(const ServerTopology& topology)
{
    try
    {
        topology.RequireComplete();
    }
    catch (const FabricError& error)
    {
        throw FabricError(std::string(error.what()) +
                          "\nanswer by --answer=KEY=VALUE; the word before the colon answers for "
                          "all parts, as --answer=pcie=pcie5-x16");
    }
}

/** @return links between two parts, at least one */
std::vector<uint32_t>
RequireLinks(const ServerTopology& topology, const std::string& a, const std::string& b)
{
    const uint32_t one = RequirePart(topology, a);
    const uint32_t other = RequirePart(topology, b);
    std::vector<uint32_t> links;
    std::string peers;
    for (uint32_t link : topology.GetLinks(one))
    {
        const uint32_t peer = topology.GetPeer(link, one);
        peers += (peers.empty() ? "" : ", ") + topology.GetPart(peer).name;
        if (peer == other)
        {
            links.push_back(link);
        }
    }
    if (links.empty())
    {
        throw FabricError("no link between " + a + " and " + b + "; " + a + " has links to " +
                          peers);
    }
    return links;
}
} // namespace

GpuRun::GpuRun(const GpuRunOptions& options, std::ostream& out)
    : m_options(options),
      m_out(out)
{
}

GpuRun::~GpuRun() = default;

int
GpuRun::Execute()
{
    if (m_options.help)
    {
        m_out << GpuRunOptions::Help();
        return 0;
    }
    if (m_options.list)
    {
        for (const auto& name : ServerCatalog::GetNames())
        {
            m_out << std::left << std::setw(18) << name << ServerCatalog::GetText(name) << "\n";
        }
        return 0;
    }
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    AttributeDefaults defaults;
    for (const auto& assignment : m_options.attributes)
    {
        defaults.Set(assignment);
    }
    const ServerTopology topology = MakeTopology();
    Change(topology, false);
    Describe(topology);
    WriteGraphs(topology);
    if (m_options.check)
    {
        PrintQuestions(topology);
        return 0;
    }
    RequireAnswers(topology);
    FindEnds(topology);
    const SimulationScope scope;
    Build(topology);
    if (m_options.pair.empty())
    {
        MeasurePairs();
    }
    else
    {
        MeasureSweep();
    }
    PrintCounters();
    WriteResults();
    return m_moved == m_counted && m_server->ExplainImbalance().empty() ? 0 : 1;
}

ServerTopology
GpuRun::MakeTopology() const
{
    if (m_options.file.empty())
    {
        return ServerCatalog::Make(m_options.model);
    }
    std::map<std::string, std::string> answers;
    for (const auto& answer : m_options.answers)
    {
        const size_t equals = answer.find('=');
        if (equals == std::string::npos || equals == 0)
        {
            throw FabricError("--answer: '" + answer + "' is not of the form KEY=VALUE");
        }
        answers[answer.substr(0, equals)] = answer.substr(equals + 1);
    }
    return ServerFileReader::Read(m_options.file, ServerAnswers(answers));
}

void
GpuRun::Build(const ServerTopology& topology)
{
    m_server = std::make_unique<GpuServerHelper>();
    m_server->SetRelay(m_options.relay);
    SetDevices();
    for (const auto& change : m_options.changes)
    {
        for (uint32_t link : RequireLinks(topology, change.a, change.b))
        {
            if (change.rateBps > 0)
            {
                m_server->SetLinkRate(link, change.rateBps);
            }
        }
    }
    m_server->Build(topology);
    Change(topology, true);
}

void
GpuRun::SetDevices()
{
    using Kind = ServerTopology::Kind;
    for (const auto& text : m_options.attributes)
    {
        // also where it is what the class declares, but not what the GPU model says
        const auto assignment = AttributeDefaults::Split(text);
        if (assignment.type != "ns3::MemoryDevice")
        {
            continue;
        }
        const auto info = AttributeDefaults::Find(assignment.type, assignment.attribute);
        const auto value = AttributeDefaults::Parse(info, assignment.attribute, assignment.value);
        for (const Kind kind : {Kind::GPU, Kind::CPU, Kind::NIC, Kind::DIE, Kind::MEMORY})
        {
            m_server->SetDeviceAttribute(kind, assignment.attribute, *value);
        }
    }
}

void
GpuRun::Change(const ServerTopology& topology, bool built)
{
    for (const auto& change : m_options.changes)
    {
        for (uint32_t link : RequireLinks(topology, change.a, change.b))
        {
            if (built && change.rateBps == 0)
            {
                m_server->SetLinkUp(link, false);
            }
        }
    }
    const auto missing =
        built ? m_server->GetRouting().GetUnreachableGpus() : std::vector<ServerRouting::Pair>();
    if (!missing.empty())
    {
        throw FabricError("without the failed links " + topology.GetPart(missing[0].first).name +
                          " has no way to " + topology.GetPart(missing[0].second).name);
    }
}

void
GpuRun::Describe(const ServerTopology& topology) const
{
    m_out << "server " << (m_options.file.empty() ? m_options.model : m_options.file) << "\n";
    ServerPrinter::WriteCounts(topology, m_out);
    m_out << "\n";
    if (topology.GetRanks().size() <= MOST_FOR_ALL_PAIRS)
    {
        ServerPrinter::WriteMatrix(topology, m_out);
        m_out << "\n";
    }
}

void
GpuRun::FindEnds(const ServerTopology& topology)
{
    m_ends = topology.GetRanks();
    if (m_ends.size() >= 2)
    {
        return;
    }
    m_ends.clear(); // no GPUs to speak of, as in a chiplet package: all that has memory
    for (const auto& part : topology.GetParts())
    {
        if (part.memoryBytes > 0)
        {
            m_ends.push_back(part.id);
        }
    }
    if (m_ends.size() < 2)
    {
        throw FabricError("this server has " + std::to_string(m_ends.size()) +
                          " parts with memory: there is nothing to measure between");
    }
}

void
GpuRun::PrintQuestions(const ServerTopology& topology) const
{
    for (const auto& question : topology.GetOpenQuestions())
    {
        m_out << "open: " << question.key << ": " << question.text << "\n";
    }
}

void
GpuRun::WriteGraphs(const ServerTopology& topology) const
{
    if (!m_options.dot.empty())
    {
        std::ofstream file = Open(m_options.dot);
        ServerPrinter::WriteDot(topology, file);
        Close(file, m_options.dot);
    }
    if (!m_options.xml.empty())
    {
        WriteXml(topology);
    }
}

void
GpuRun::WriteXml(const ServerTopology& topology) const
{
    const std::vector<uint32_t> servers = NcclTopologyWriter::GetServers(topology);
    if (servers.size() <= 1)
    {
        std::ofstream file = Open(m_options.xml);
        NcclTopologyWriter::Write(topology, file, servers.empty() ? 0 : servers[0]);
        Close(file, m_options.xml);
        return;
    }
    // the form has one chassis: FILE.0, FILE.1, ...
    const std::filesystem::path given(m_options.xml);
    std::string names;
    for (uint32_t server : servers)
    {
        std::filesystem::path path = given;
        path.replace_filename(given.stem().string() + "." + std::to_string(server) +
                              given.extension().string());
        std::ofstream file = Open(path.string());
        NcclTopologyWriter::Write(topology, file, server);
        Close(file, path.string());
        names = (server == servers.front() ? path.string() + " to " : names) +
                (server == servers.back() ? path.string() : "");
    }
    m_out << "a topology file has one chassis: wrote " << names << "\n\n";
}

void
GpuRun::MeasurePairs()
{
    const ServerTopology& topology = m_server->GetTopology();
    const size_t sources = m_ends.size() > MOST_FOR_ALL_PAIRS ? 1 : m_ends.size();
    if (sources < m_ends.size())
    {
        m_out << m_ends.size() << " ends: only pairs with " << topology.GetPart(m_ends[0]).name
              << " are measured\n\n";
    }
    ServerRelations relations(topology);
    PeerMeter meter(*m_server);
    for (size_t i = 0; i < sources; ++i)
    {
        for (uint32_t to : m_ends)
        {
            const uint32_t from = m_ends[i];
            if (from == to)
            {
                continue;
            }
            const auto one = meter.Copy(from, to, m_options.bytes);
            const auto both = meter.CopyBoth(from, to, m_options.bytes);
            const auto store = meter.Store(from, to, LATENCY_BYTES);
            m_moved += one.bytes + both.bytes + store.bytes;
            m_counted += one.sourceBytes + both.sourceBytes + both.targetBytes + store.sourceBytes;
            m_pairs.push_back({from,
                               to,
                               relations.Get(from, to).GetText(),
                               one.GetGBps(),
                               both.GetGBps(),
                               store.GetMicroseconds()});
        }
    }
    const bool whole = m_options.bytes % MIB == 0;
    const std::string size = whole ? std::to_string(m_options.bytes / MIB) + " MiB"
                                   : std::to_string(m_options.bytes) + " bytes";
    PrintMatrix("bandwidth one way, GB/s, copies of " + size, &Pair::oneWay, 2);
    PrintMatrix("bandwidth both ways, GB/s, sum of both directions", &Pair::bothWays, 2);
    PrintMatrix("latency, us, a store of 4 bytes until it is known to be in memory",
                &Pair::latency,
                3);
    PrintRelations();
}

void
GpuRun::MeasureSweep()
{
    const ServerTopology& topology = m_server->GetTopology();
    const size_t comma = m_options.pair.find(',');
    if (comma == std::string::npos)
    {
        throw FabricError("--pair: '" + m_options.pair + "' is not of the form A,B, as gpu0,gpu1");
    }
    const uint32_t from = RequirePart(topology, m_options.pair.substr(0, comma));
    const uint32_t to = RequirePart(topology, m_options.pair.substr(comma + 1));
    if (from == to)
    {
        throw FabricError("--pair: '" + m_options.pair + "' names the same part twice");
    }
    PeerMeter meter(*m_server);
    m_out << "      bytes     one way GB/s   both ways GB/s      time us\n";
    for (uint64_t bytes = m_options.sweepFrom; bytes <= m_options.sweepTo; bytes *= 2)
    {
        const auto one = meter.Copy(from, to, bytes);
        const auto both = meter.CopyBoth(from, to, bytes);
        m_moved += one.bytes + both.bytes;
        m_counted += one.sourceBytes + both.sourceBytes + both.targetBytes;
        m_out << std::setw(11) << bytes << std::fixed << std::setprecision(3) << std::setw(17)
              << one.GetGBps() << std::setw(17) << both.GetGBps() << std::setw(13)
              << one.GetMicroseconds() << "\n";
    }
    m_out << "\n";
}

void
GpuRun::PrintMatrix(const std::string& title, double Pair::*figure, int digits) const
{
    const ServerTopology& topology = m_server->GetTopology();
    constexpr int width = 9;
    if (m_ends.size() > MOST_FOR_ALL_PAIRS)
    {
        return; // pairs.csv has them all
    }
    m_out << title << "\n" << std::setw(width) << "";
    for (uint32_t gpu : m_ends)
    {
        m_out << std::setw(width) << topology.GetPart(gpu).name;
    }
    uint32_t row = ServerTopology::NO_LIMIT;
    m_out << std::fixed << std::setprecision(digits);
    for (const Pair& pair : m_pairs)
    {
        if (pair.from != row)
        {
            row = pair.from;
            m_out << "\n" << std::setw(width) << topology.GetPart(row).name;
            for (uint32_t gpu : m_ends)
            {
                const auto found =
                    std::find_if(m_pairs.begin(), m_pairs.end(), [&](const Pair& other) {
                        return other.from == row && other.to == gpu;
                    });
                m_out << std::setw(width);
                found == m_pairs.end() ? m_out << "-" : m_out << (*found).*figure;
            }
        }
    }
    m_out << "\n\n";
}

void
GpuRun::PrintRelations() const
{
    std::map<std::string, std::vector<const Pair*>> kinds;
    for (const Pair& pair : m_pairs)
    {
        kinds[pair.relation].push_back(&pair);
    }
    m_out << "by relation   pairs   one way GB/s        both ways GB/s      latency us\n";
    for (const auto& [name, pairs] : kinds)
    {
        m_out << std::left << std::setw(14) << name << std::right << std::setw(5) << pairs.size();
        for (const auto& [figure, digits] : {std::pair(&Pair::oneWay, 2),
                                             std::pair(&Pair::bothWays, 2),
                                             std::pair(&Pair::latency, 3)})
        {
            const auto [low, high] =
                std::minmax_element(pairs.begin(),
                                    pairs.end(),
                                    [figure = figure](const Pair* a, const Pair* b) {
                                        return a->*figure < b->*figure;
                                    });
            std::ostringstream range;
            range << std::fixed << std::setprecision(digits) << (*low)->*figure << "-"
                  << (*high)->*figure;
            m_out << "   " << std::left << std::setw(17) << range.str() << std::right;
        }
        m_out << "\n";
    }
    m_out << "\n";
}

void
GpuRun::PrintCounters() const
{
    const std::string wrong = m_server->ExplainImbalance();
    m_out << "ports counted " << m_counted << " data bytes leaving the senders; transfers moved "
          << m_moved << (m_counted == m_moved ? "" : ": THEY DISAGREE") << "\n"
          << "credits of all links: " << (wrong.empty() ? "add up" : wrong) << "\n";
    PrintLinkBytes();
}

void
GpuRun::PrintLinkBytes() const
{
    const ServerTopology& topology = m_server->GetTopology();
    constexpr uint64_t kib = 1 << 10;
    if (m_ends.size() > MOST_FOR_ALL_PAIRS)
    {
        return; // links.csv has them all
    }
    m_out << "data that links carried, KiB (those that carried any)\n";
    for (const auto& link : topology.GetLinks())
    {
        const uint64_t forth = m_server->GetPortOfLink(link.id, 0).stats.linkDataBytes;
        const uint64_t back = m_server->GetPortOfLink(link.id, 1).stats.linkDataBytes;
        if (forth + back > 0)
        {
            m_out << "  " << std::left << std::setw(8) << topology.GetPart(link.a).name
                  << std::setw(8) << topology.GetPart(link.b).name << std::right << std::setw(3)
                  << link.count << " x " << std::left << std::setw(12) << link.profile << std::right
                  << std::setw(12) << forth / kib << " ->" << std::setw(12) << back / kib
                  << " <-\n";
        }
    }
}

std::string
GpuRun::GetDirectory() const
{
    const std::string name =
        m_options.out.empty() ? "results/dgx-" + m_options.model : m_options.out;
    std::error_code error;
    std::filesystem::create_directories(name, error);
    if (error)
    {
        throw FabricError("cannot make directory '" + name + "': " + error.message());
    }
    return name;
}

void
GpuRun::WriteResults() const
{
    const ServerTopology& topology = m_server->GetTopology();
    const std::string directory = GetDirectory();
    const std::string pairs = directory + "/pairs.csv";
    std::ofstream file = Open(pairs);
    file << "from,to,relation,one_way_GBps,both_ways_GBps,store_latency_us\n";
    for (const Pair& p : m_pairs)
    {
        file << topology.GetPart(p.from).name << "," << topology.GetPart(p.to).name << ","
             << p.relation << "," << p.oneWay << "," << p.bothWays << "," << p.latency << "\n";
    }
    Close(file, pairs);
    const std::string links = directory + "/links.csv";
    file = Open(links);
    file << "link,a,b,profile,count,rate_bps_one_direction,data_bytes_a_to_b,data_bytes_b_to_a,"
            "wire_packets_a_to_b,wire_packets_b_to_a,replays\n";
    for (const auto& link : topology.GetLinks())
    {
        const FabricPort& a = m_server->GetPortOfLink(link.id, 0);
        const FabricPort& b = m_server->GetPortOfLink(link.id, 1);
        file << link.id << "," << topology.GetPart(link.a).name << ","
             << topology.GetPart(link.b).name << "," << link.profile << "," << link.count << ","
             << a.rate.GetBps() << "," << a.stats.linkDataBytes << "," << b.stats.linkDataBytes
             << "," << a.stats.linkPackets << "," << b.stats.linkPackets << ","
             << a.stats.replays + b.stats.replays << "\n";
    }
    Close(file, links);
    FabricManifest manifest;
    manifest.Set("command", m_options.commandLine);
    manifest.Set("model", m_options.model);
    manifest.AddPart({topology.GetPart(m_ends[0]).name, m_server->GetDevice(m_ends[0])});
    manifest.SetNumber("trajectory_digest", FabricStation::Trajectory().digest);
    const std::string path = directory + "/manifest.json";
    file = Open(path);
    file << manifest.ToJson();
    Close(file, path);
    m_out << "results: " << pairs << ", links.csv, manifest.json\n";
}

} // namespace ns3
