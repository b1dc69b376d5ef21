/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-routing.h"

#include "ib-layers.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

using Type = IbSubnet::Type;
constexpr uint32_t NONE = IbSubnet::NONE;

/** @brief A cable from a switch to a switch. */
struct Link
{
    uint8_t port; //!< leaves by
    uint32_t to;  //!< switch
};

/** @brief A destination. */
struct Target
{
    uint16_t lid;   //!< LID
    uint32_t at;    //!< switch that has it, or its adapter
    uint8_t port;   //!< there; 0: the switch itself
    uint32_t order; //!< number among the adapters' LIDs, NONE for a switch
};

/** @brief The switches of a subnet, with all that engines share. */
class Graph
{
  public:
    explicit Graph(const IbSubnet& subnet);

    /** @brief Tables by shortest ways. */
    void MinHop(IbForwarding& tables);

    /** @brief Tables by ways that go up, then down. */
    void UpDown(IbForwarding& tables, bool byNumber);

    /** @return number of switches */
    size_t GetNSwitches() const
    {
        return m_switches.size();
    }

  private:
    /** @brief How a switch gets to a target. */
    enum class Way : uint8_t
    {
        DOWN, //!< down all the way
        UP,   //!< up, then down
        ANY   //!< neither is possible
    };

    std::vector<uint32_t> LegalDistances(uint32_t target);
    void RequireFatTree();
    bool IsAllowed(uint32_t from, uint32_t to) const;
    std::vector<uint32_t> DistancesFrom(const std::vector<uint32_t>& switches) const;
    void Rank();
    std::vector<uint32_t> RootsOf(uint32_t start) const;
    bool AreAdjacent(uint32_t a, uint32_t b) const;
    bool IsTiered(const std::vector<uint32_t>& island) const;
    bool IsUp(uint32_t from, uint32_t to) const;
    void Go(IbForwarding& tables,
            const Target& target,
            const std::vector<uint32_t>& distance,
            bool byNumber);
    size_t Choose(const std::vector<const Link*>& links,
                  uint32_t node,
                  const Target& target,
                  bool byNumber);

    const IbSubnet& m_subnet;                 //!< the subnet
    std::vector<uint32_t> m_switches;         //!< nodes
    std::vector<std::vector<Link>> m_links;   //!< by node: to switches, by port
    std::vector<uint32_t> m_hosts;            //!< by node: adapters on it
    std::vector<Target> m_targets;            //!< by LID
    std::vector<uint32_t> m_rank;             //!< by node: 0 for roots
    std::vector<uint32_t> m_level;            //!< by node: 0 for switches with hosts
    std::vector<uint32_t> m_divisor;          //!< by level: what the digits below it count
    std::vector<uint32_t> m_order;            //!< switches, those above first
    std::vector<Way> m_way;                   //!< by node: how it gets to the target
    std::vector<std::vector<uint32_t>> m_use; //!< by node and port: destinations that leave there
};

Graph::Graph(const IbSubnet& subnet)
    : m_subnet(subnet)
{
    const size_t n = subnet.GetNodes().size();
    m_links.resize(n);
    m_hosts.resize(n);
    m_use.resize(n);
    for (uint32_t node = 0; node < n; ++node)
    {
        const auto& ports = subnet.At(node).ports;
        const bool isSwitch = subnet.At(node).type == Type::SWITCH;
        m_use[node].resize(ports.size());
        if (isSwitch)
        {
            m_switches.push_back(node);
        }
        for (uint8_t i = 0; i < ports.size(); ++i)
        {
            const IbSubnet::Port& port = ports[i];
            if (isSwitch && port.peer != NONE)
            {
                const bool toSwitch = subnet.At(port.peer).type == Type::SWITCH;
                m_hosts[node] += toSwitch ? 0 : 1;
                if (toSwitch && port.peer != node)
                {
                    m_links[node].push_back({i, port.peer});
                }
            }
            const uint32_t at = isSwitch ? node : port.peer;
            const bool reached = at != NONE && subnet.At(at).type == Type::SWITCH;
            for (uint32_t k = 0; port.lid != 0 && reached && k < 1U << port.lmc; ++k)
            {
                m_targets.push_back({static_cast<uint16_t>(port.lid + k),
                                     at,
                                     isSwitch ? uint8_t{0} : port.peerPort,
                                     isSwitch ? NONE : 0});
            }
        }
    }
    // hosts are numbered as they are plugged in: by switch, then by port
    std::sort(m_targets.begin(), m_targets.end(), [](const Target& a, const Target& b) {
        return std::tie(a.at, a.port, a.lid) < std::tie(b.at, b.port, b.lid);
    });
    uint32_t order = 0;
    for (Target& target : m_targets)
    {
        target.order = target.order == NONE ? NONE : order++;
    }
}

std::vector<uint32_t>
Graph::DistancesFrom(const std::vector<uint32_t>& switches) const
{
    std::vector<uint32_t> distance(m_links.size(), NONE);
    std::vector<uint32_t> queue = switches;
    for (uint32_t node : switches)
    {
        distance[node] = 0;
    }
    for (size_t i = 0; i < queue.size(); ++i)
    {
        for (const Link& link : m_links[queue[i]])
        {
            if (distance[link.to] == NONE)
            {
                distance[link.to] = distance[queue[i]] + 1;
                queue.push_back(link.to);
            }
        }
    }
    return distance;
}

/** Which of the ways that are equally good: by the destination's number, or the least used. */
size_t
Graph::Choose(const std::vector<const Link*>& links,
              uint32_t node,
              const Target& target,
              bool byNumber)
{
    if (byNumber)
    {
        // at level l the digit l of the number, in the bases of the levels below: their ways up
        const uint32_t number = target.order == NONE ? target.lid : target.order;
        return number / m_divisor[m_level[node]] % links.size();
    }
    size_t best = 0;
    for (size_t i = 1; i < links.size(); ++i)
    {
        best = m_use[node][links[i]->port] < m_use[node][links[best]->port] ? i : best;
    }
    return best;
}

void
Graph::Go(IbForwarding& tables,
          const Target& target,
          const std::vector<uint32_t>& distance,
          bool byNumber)
{
    std::vector<const Link*> nearer;
    for (uint32_t node : m_switches)
    {
        nearer.clear();
        for (const Link& link : m_links[node])
        {
            if (distance[node] != NONE && distance[link.to] != NONE &&
                distance[link.to] + 1 == distance[node] && IsAllowed(node, link.to))
            {
                nearer.push_back(&link);
            }
        }
        if (!nearer.empty())
        {
            const uint8_t port = nearer[Choose(nearer, node, target, byNumber)]->port;
            tables.Set(node, target.lid, port);
            m_use[node][port] += target.order == NONE ? 0 : 1; // hosts are what counts
        }
    }
    tables.Set(target.at, target.lid, target.port);
}

void
Graph::MinHop(IbForwarding& tables)
{
    uint32_t at = NONE;
    std::vector<uint32_t> distance;
    for (const Target& target : m_targets)
    {
        distance = target.at == at ? distance : DistancesFrom({target.at});
        at = target.at;
        Go(tables, target, distance, false);
    }
}

void
Graph::Rank()
{
    // switches with hosts: more than a quarter of the most that any has; engines of in-network
    // reduction, one on each switch, do not make a leaf of a spine
    const uint32_t most = *std::max_element(m_hosts.begin(), m_hosts.end());
    std::vector<uint32_t> leaves;
    for (uint32_t node : m_switches)
    {
        if (m_hosts[node] > most / 4)
        {
            leaves.push_back(node);
        }
    }
    m_level = DistancesFrom(leaves);
    std::vector<uint32_t> roots;
    m_rank.assign(m_links.size(), NONE);
    for (uint32_t node : m_switches)
    {
        if (m_rank[node] == NONE) // an island that has no root yet
        {
            const auto more = RootsOf(node);
            roots.insert(roots.end(), more.begin(), more.end());
            m_rank = DistancesFrom(roots);
        }
    }
}

/** @return whether one is on the level above the other */
bool
Graph::AreAdjacent(uint32_t a, uint32_t b) const
{
    return m_level[a] + 1 == m_level[b] || m_level[b] + 1 == m_level[a];
}

/** @return whether all cables between these switches join adjacent levels */
bool
Graph::IsTiered(const std::vector<uint32_t>& island) const
{
    return std::all_of(island.begin(), island.end(), [this](uint32_t node) {
        return std::all_of(m_links[node].begin(), m_links[node].end(), [&](const Link& link) {
            return AreAdjacent(node, link.to);
        });
    });
}

/** The switches farthest from hosts on the island of a switch; if all are alike, the most central.
 */
std::vector<uint32_t>
Graph::RootsOf(uint32_t start) const
{
    const auto reached = DistancesFrom({start});
    std::vector<uint32_t> island;
    std::vector<uint32_t> roots;
    uint32_t top = 0;
    for (uint32_t node : m_switches)
    {
        if (reached[node] == NONE)
        {
            continue;
        }
        island.push_back(node);
        const uint32_t level = m_level[node] == NONE ? 0 : m_level[node];
        roots = level > top ? std::vector<uint32_t>() : roots;
        top = std::max(top, level);
        if (level == top)
        {
            roots.push_back(node);
        }
    }
    if (top > 0 && IsTiered(island))
    {
        return roots;
    }
    uint32_t least = NONE;
    for (uint32_t node : island)
    {
        const auto distance = DistancesFrom({node});
        uint32_t farthest = 0;
        for (uint32_t other : island)
        {
            farthest = std::max(farthest, distance[other]);
        }
        roots = farthest < least ? std::vector<uint32_t>{node} : roots;
        least = std::min(least, farthest);
    }
    return roots;
}

bool
Graph::IsUp(uint32_t from, uint32_t to) const
{
    return std::tie(m_rank[to], to) < std::tie(m_rank[from], from);
}

/** Who can go down all the way does so; others go up. Then nobody goes up after down. */
bool
Graph::IsAllowed(uint32_t from, uint32_t to) const
{
    if (m_way.empty() || m_way[from] == Way::ANY)
    {
        return true; // shortest ways, whatever they do
    }
    return m_way[from] == Way::DOWN ? m_way[to] == Way::DOWN && !IsUp(from, to)
                                    : m_way[to] != Way::ANY && IsUp(from, to);
}

/** @return hops to a switch by legal ways; where there is none, by the shortest that there is */
std::vector<uint32_t>
Graph::LegalDistances(uint32_t target)
{
    std::vector<uint32_t> distance(m_links.size(), NONE);
    std::vector<uint32_t> queue{target};
    m_way.assign(m_links.size(), Way::ANY);
    m_way[target] = Way::DOWN;
    distance[target] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
    {
        for (const Link& link : m_links[queue[i]])
        {
            if (distance[link.to] == NONE && IsUp(queue[i], link.to))
            {
                distance[link.to] = distance[queue[i]] + 1;
                m_way[link.to] = Way::DOWN;
                queue.push_back(link.to);
            }
        }
    }
    for (uint32_t node : m_order) // those above come first
    {
        for (const Link& link : m_links[node])
        {
            if (m_way[node] != Way::DOWN && IsUp(node, link.to) && distance[link.to] != NONE)
            {
                distance[node] = std::min(distance[node], distance[link.to] + 1);
                m_way[node] = Way::UP;
            }
        }
    }
    for (bool more = true; more;)
    {
        more = false;
        std::vector<uint32_t> next = distance;
        for (uint32_t node : m_switches)
        {
            for (const Link& link : m_links[node])
            {
                if (m_way[node] == Way::ANY && distance[link.to] != NONE &&
                    distance[link.to] + 1 < next[node])
                {
                    next[node] = distance[link.to] + 1;
                    more = true;
                }
            }
        }
        distance.swap(next);
    }
    return distance;
}

void
Graph::UpDown(IbForwarding& tables, bool byNumber)
{
    Rank();
    if (byNumber)
    {
        RequireFatTree();
    }
    m_order = m_switches;
    std::sort(m_order.begin(), m_order.end(), [this](uint32_t a, uint32_t b) {
        return IsUp(b, a);
    });
    uint32_t at = NONE;
    std::vector<uint32_t> distance;
    for (const Target& target : m_targets)
    {
        if (target.at != at)
        {
            at = target.at;
            distance = LegalDistances(at);
        }
        for (uint32_t node : m_switches)
        {
            const bool turns = m_way[node] == Way::ANY && distance[node] != NONE;
            tables.turns += turns && target.order != NONE ? 1 : 0; // hosts are what counts
        }
        Go(tables, target, distance, byNumber);
    }
}

void
Graph::RequireFatTree()
{
    const std::string no = "engine ftree: this is no fat-tree: ";
    uint32_t top = 0;
    for (uint32_t node : m_switches)
    {
        top = m_level[node] == NONE ? top : std::max(top, m_level[node]);
    }
    if (top == 0 || top > 7)
    {
        throw FabricError(no + "its switches have " + std::to_string(top + 1) +
                          " level(s); 2 to 8 are possible");
    }
    std::vector<uint32_t> arity(top + 1, 1);
    for (uint32_t node : m_switches)
    {
        uint32_t up = 0;
        for (const Link& link : m_links[node])
        {
            if (!AreAdjacent(node, link.to))
            {
                throw FabricError(no + "'" + m_subnet.At(node).name + "' and '" +
                                  m_subnet.At(link.to).name +
                                  "' have a cable but are not on adjacent levels");
            }
            up += m_level[link.to] > m_level[node] ? 1 : 0;
        }
        if (m_level[node] != NONE)
        {
            arity[m_level[node]] = std::max(arity[m_level[node]], up);
        }
    }
    m_divisor.assign(top + 1, 1);
    for (uint32_t level = 1; level <= top; ++level)
    {
        m_divisor[level] = m_divisor[level - 1] * arity[level - 1];
    }
}

/** @brief An engine. */
struct Engine
{
    const char* name;                                    //!< what it is asked for by
    bool lanes;                                          //!< its ways go in lanes
    void (*compute)(Graph& graph, IbForwarding& tables); //!< makes the ways
};

const Engine ENGINES[] = {
    {"minhop", false, [](Graph& graph, IbForwarding& tables) { graph.MinHop(tables); }},
    {"updn", false, [](Graph& graph, IbForwarding& tables) { graph.UpDown(tables, false); }},
    {"ftree", false, [](Graph& graph, IbForwarding& tables) { graph.UpDown(tables, true); }},
    {"dfsssp", true, [](Graph& graph, IbForwarding& tables) { graph.MinHop(tables); }},
};

const Engine&
Find(const std::string& name)
{
    std::string known;
    for (const Engine& engine : ENGINES)
    {
        if (name == engine.name)
        {
            return engine;
        }
        known += (known.empty() ? "" : ", ") + std::string(engine.name);
    }
    throw FabricError("unknown routing engine '" + name + "'; known: " + known);
}

} // namespace

std::vector<std::string>
IbRouting::GetNames()
{
    std::vector<std::string> names;
    for (const Engine& engine : ENGINES)
    {
        names.push_back(engine.name);
    }
    return names;
}

void
IbRouting::Check(const std::string& name)
{
    Find(name);
}

bool
IbRouting::NeedsLanes(const std::string& name)
{
    return Find(name).lanes;
}

IbForwarding
IbRouting::Compute(const std::string& name, const IbSubnet& subnet, uint32_t lanes)
{
    const Engine& engine = Find(name);
    IbForwarding result;
    result.tables.resize(subnet.GetNodes().size());
    Graph graph(subnet);
    if (graph.GetNSwitches() > 0)
    {
        engine.compute(graph, result);
    }
    if (engine.lanes)
    {
        IbLayers::Assign(subnet, result, lanes);
    }
    return result;
}

} // namespace ns3
