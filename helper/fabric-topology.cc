/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-topology.h"

#include "fabric-reachability.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <limits>
#include <map>
#include <ostream>
#include <queue>
#include <sstream>

namespace ns3
{

namespace
{

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;

/** A directed graph in the form that Boost's maximum flow wants. */
using FlowGraph = boost::adjacency_list<
    boost::vecS,
    boost::vecS,
    boost::directedS,
    boost::no_property,
    boost::property<
        boost::edge_capacity_t,
        int64_t,
        boost::property<boost::edge_residual_capacity_t,
                        int64_t,
                        boost::property<boost::edge_reverse_t, FlowTraits::edge_descriptor>>>>;

/**
 * @brief Add an edge, and the reverse edge without capacity that the algorithm wants.
 * @param graph the graph
 * @param from tail
 * @param to head
 * @param rate capacity from tail to head
 */
void
AddFlowEdge(FlowGraph& graph, uint32_t from, uint32_t to, int64_t rate)
{
    const auto capacity = boost::get(boost::edge_capacity, graph);
    const auto reverse = boost::get(boost::edge_reverse, graph);
    const auto there = boost::add_edge(from, to, graph).first;
    const auto here = boost::add_edge(to, from, graph).first;
    capacity[there] = rate;
    capacity[here] = 0;
    reverse[there] = here;
    reverse[here] = there;
}

/**
 * @param a a summand
 * @param b a summand
 * @return the sum, or the largest value where that does not fit
 */
uint64_t
SaturatingAdd(uint64_t a, uint64_t b)
{
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    return a > most - b ? most : a + b;
}

/**
 * @param bps bits per second
 * @return for people: "100Gb/s"
 */
std::string
RateText(uint64_t bps)
{
    const bool giga = bps % 1'000'000'000 == 0;
    const bool mega = bps % 1'000'000 == 0;
    return giga   ? std::to_string(bps / 1'000'000'000) + "Gb/s"
           : mega ? std::to_string(bps / 1'000'000) + "Mb/s"
                  : std::to_string(bps) + "b/s";
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

} // namespace

uint32_t
FabricTopology::AddNode(Node node)
{
    if (m_nodes.size() >= MAX_NODES)
    {
        throw FabricError("topology: more than " + std::to_string(MAX_NODES) + " nodes");
    }
    node.id = GetNNodes();
    if (node.name.empty())
    {
        node.name = (node.role == Role::HOST ? "h" : "s") + std::to_string(node.id);
    }
    m_nHosts += node.role == Role::HOST ? 1 : 0;
    m_nodes.push_back(std::move(node));
    m_linksOf.emplace_back();
    return m_nodes.back().id;
}

uint32_t
FabricTopology::AddHost(const std::string& name)
{
    Node node;
    node.name = name;
    return AddNode(std::move(node));
}

uint32_t
FabricTopology::AddSwitch(const std::string& name, uint16_t tier, uint32_t pod, int64_t latencyPs)
{
    if (latencyPs < 0 || latencyPs > MAX_DELAY)
    {
        throw FabricError("switch latency of " + std::to_string(latencyPs) +
                          " ps: allowed are 0 to 1 s");
    }
    Node node;
    node.role = Role::SWITCH;
    node.tier = tier;
    node.pod = pod;
    node.latencyPs = latencyPs;
    node.name = name;
    return AddNode(std::move(node));
}

void
FabricTopology::SetPod(uint32_t node, uint32_t pod)
{
    m_nodes.at(node).pod = pod;
}

void
FabricTopology::InferTiers()
{
    constexpr uint16_t none = std::numeric_limits<uint16_t>::max();
    std::queue<uint32_t> open;
    for (auto& node : m_nodes)
    {
        node.tier = node.role == Role::HOST ? 0 : none;
        if (node.role == Role::HOST)
        {
            open.push(node.id);
        }
    }
    for (; !open.empty(); open.pop())
    {
        const uint16_t next = std::min(m_nodes[open.front()].tier + 1, none - 1);
        for (const auto link : m_linksOf[open.front()])
        {
            Node& peer = m_nodes[GetPeer(link, open.front())];
            if (peer.tier == none)
            {
                peer.tier = next;
                open.push(peer.id);
            }
        }
    }
    for (auto& node : m_nodes)
    {
        node.tier = node.tier == none ? 1 : node.tier; // no host in reach
    }
}

std::string
FabricTopology::ExplainLink(uint64_t a,
                            uint64_t b,
                            uint64_t rateBps,
                            int64_t delayPs,
                            double errorRate) const
{
    std::ostringstream why;
    if (a >= m_nodes.size() || b >= m_nodes.size())
    {
        why << "node " << (a >= m_nodes.size() ? a : b) << " does not exist: allowed are ids 0 to "
            << (m_nodes.empty() ? 0 : m_nodes.size() - 1) << " (" << m_nodes.size() << " nodes)";
    }
    else if (a == b)
    {
        why << "self-link of node " << a << ": a link joins two different nodes";
    }
    else if (rateBps == 0 || rateBps > MAX_RATE)
    {
        why << "link rate of " << rateBps << " bit/s: allowed are 1 bit/s to 100 Tb/s";
    }
    else if (delayPs < 0 || delayPs > MAX_DELAY)
    {
        why << "link delay of " << delayPs << " ps: allowed are 0 to 1 s";
    }
    else if (!(errorRate >= 0 && errorRate < 1))
    {
        why << "error rate of " << errorRate << ": allowed are 0 <= rate < 1";
    }
    else if (m_links.size() >= MAX_LINKS)
    {
        why << "more than " << MAX_LINKS << " links";
    }
    return why.str();
}

uint32_t
FabricTopology::AddLink(uint32_t a,
                        uint32_t b,
                        uint64_t rateBps,
                        int64_t delayPs,
                        double errorRate,
                        uint32_t line)
{
    const std::string why = ExplainLink(a, b, rateBps, delayPs, errorRate);
    if (!why.empty())
    {
        throw FabricError("topology: " + why);
    }
    const uint32_t id = GetNLinks();
    m_links.push_back({id, a, b, rateBps, delayPs, errorRate, line});
    m_linksOf[a].push_back(id);
    m_linksOf[b].push_back(id);
    return id;
}

uint32_t
FabricTopology::GetNNodes() const
{
    return static_cast<uint32_t>(m_nodes.size());
}

uint32_t
FabricTopology::GetNHosts() const
{
    return m_nHosts;
}

uint32_t
FabricTopology::GetNSwitches() const
{
    return GetNNodes() - m_nHosts;
}

uint32_t
FabricTopology::GetNLinks() const
{
    return static_cast<uint32_t>(m_links.size());
}

bool
FabricTopology::IsHost(uint32_t node) const
{
    return m_nodes.at(node).role == Role::HOST;
}

const std::vector<FabricTopology::Node>&
FabricTopology::GetNodes() const
{
    return m_nodes;
}

const std::vector<FabricTopology::Link>&
FabricTopology::GetLinks() const
{
    return m_links;
}

const std::vector<uint32_t>&
FabricTopology::GetLinks(uint32_t node) const
{
    return m_linksOf.at(node);
}

uint32_t
FabricTopology::GetPeer(uint32_t link, uint32_t node) const
{
    const Link& l = m_links.at(link);
    return l.a == node ? l.b : l.a;
}

std::vector<uint32_t>
FabricTopology::GetHosts() const
{
    std::vector<uint32_t> hosts;
    hosts.reserve(m_nHosts);
    for (const auto& node : m_nodes)
    {
        if (node.role == Role::HOST)
        {
            hosts.push_back(node.id);
        }
    }
    return hosts;
}

std::vector<FabricTopology::Endpoint>
FabricTopology::GetEndpoints() const
{
    std::vector<Endpoint> endpoints;
    for (const auto host : GetHosts())
    {
        uint32_t nic = 0;
        for (const auto link : m_linksOf[host])
        {
            endpoints.push_back({static_cast<uint32_t>(endpoints.size()), host, nic++, link});
        }
    }
    return endpoints;
}

std::vector<uint32_t>
FabricTopology::GetComponents() const
{
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(m_nodes.size());
    for (const auto& link : m_links)
    {
        boost::add_edge(link.a, link.b, graph);
    }
    std::vector<uint32_t> component(m_nodes.size());
    if (!component.empty())
    {
        boost::connected_components(graph, component.data());
    }
    return component;
}

FabricTopology::Report
FabricTopology::Check() const
{
    Report report;
    report.hosts = GetNHosts();
    report.switches = GetNSwitches();
    report.links = GetNLinks();
    std::map<std::pair<uint64_t, int64_t>, size_t> classOf;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> between;
    for (const auto& link : m_links)
    {
        const int hostEnds = (IsHost(link.a) ? 1 : 0) + (IsHost(link.b) ? 1 : 0);
        report.switchSwitchLinks += hostEnds == 0 ? 1 : 0;
        report.hostSwitchLinks += hostEnds == 1 ? 1 : 0;
        report.hostHostLinks += hostEnds == 2 ? 1 : 0;
        report.endpoints += hostEnds;
        report.rateSumBps = SaturatingAdd(report.rateSumBps, link.rateBps);
        report.parallelLinks += between[std::minmax(link.a, link.b)]++ > 0 ? 1 : 0;
        const auto [it, isNew] =
            classOf.try_emplace({link.rateBps, link.delayPs}, report.classes.size());
        if (isNew)
        {
            report.classes.push_back({link.rateBps, link.delayPs, 0});
        }
        ++report.classes[it->second].links;
    }
    for (const auto& node : m_nodes)
    {
        const auto ports = static_cast<uint32_t>(m_linksOf[node.id].size());
        report.maxPorts = std::max(report.maxPorts, ports);
        if (ports == 0)
        {
            (IsHost(node.id) ? report.bareHosts : report.bareSwitches).push_back(node.id);
        }
    }
    for (const auto component : GetComponents())
    {
        report.components = std::max(report.components, component + 1);
    }
    FabricReachability(*this).Fill(report);
    return report;
}

uint64_t
FabricTopology::GetBisectionBps() const
{
    const auto hosts = GetHosts();
    if (hosts.size() < 2)
    {
        return 0;
    }
    const uint32_t source = GetNNodes();
    const uint32_t sink = source + 1;
    const uint32_t border = hosts[hosts.size() / 2]; // first host of the second half
    const auto isLow = [&](uint32_t node) { return node < border; };
    // Sums of rates must fit 63 bits: count in kbit/s where the fabric is that large.
    const uint64_t unit = GetNLinks() < 50'000 ? 1 : 1000;
    FlowGraph graph(m_nodes.size() + 2);
    for (const auto host : hosts)
    {
        int64_t sum = 0;
        for (const auto link : m_linksOf[host])
        {
            sum += static_cast<int64_t>(m_links[link].rateBps / unit);
        }
        isLow(host) ? AddFlowEdge(graph, source, host, sum) : AddFlowEdge(graph, host, sink, sum);
    }
    // Hosts do not forward: those of the first half only send, those of the second only receive.
    const auto leaves = [&](uint32_t node) { return !IsHost(node) || isLow(node); };
    const auto enters = [&](uint32_t node) { return !IsHost(node) || !isLow(node); };
    for (const auto& link : m_links)
    {
        const auto rate = static_cast<int64_t>(link.rateBps / unit);
        if (leaves(link.a) && enters(link.b))
        {
            AddFlowEdge(graph, link.a, link.b, rate);
        }
        if (leaves(link.b) && enters(link.a))
        {
            AddFlowEdge(graph, link.b, link.a, rate);
        }
    }
    return unit * static_cast<uint64_t>(boost::push_relabel_max_flow(graph, source, sink));
}

void
FabricTopology::WriteDot(std::ostream& os) const
{
    os << "graph fabric {\n  node [fontsize=10];\n";
    for (const auto& node : m_nodes)
    {
        os << "  n" << node.id << " [label=" << DotText(node.name)
           << (node.role == Role::HOST ? ", shape=ellipse" : ", shape=box") << "];\n";
    }
    for (const auto& link : m_links)
    {
        os << "  n" << link.a << " -- n" << link.b << " [label=\"" << RateText(link.rateBps)
           << "\"];\n";
    }
    os << "}\n";
}

} // namespace ns3
