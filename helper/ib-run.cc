/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-run.h"

#include "ib-net-writer.h"
#include "ib-routes-reader.h"
#include "option-table.h"

#include "ns3/fabric-error.h"
#include "ns3/ib-lid-table.h"
#include "ns3/ib-routing.h"

#include <fstream>
#include <map>

namespace ns3
{

using Type = IbSubnet::Type;

namespace
{

OptionTable<IbRunOptions>::Setter
Store(std::string IbRunOptions::*member)
{
    return [member](IbRunOptions& o, const std::string& text) { o.*member = text; };
}

const OptionTable<IbRunOptions>&
Table()
{
    using O = IbRunOptions;
    static const OptionTable<O> table({
        {"file",
         "FILE",
         "a subnet as ibnetdiscover prints it, or a network of ibsim",
         Store(&O::file)},
        {"engine",
         "NAME",
         "routing engine: minhop (default), updn, ftree, dfsssp",
         Store(&O::engine)},
        {"lids", "FILE", "LIDs of a real manager: guid2lid of opensm", Store(&O::lids)},
        {"routes", "FILE", "its tables, instead of an engine: opensm.fdbs", Store(&O::routes)},
        {"trace",
         "A,B",
         "print the way from adapter A to B, by name or description",
         Store(&O::trace)},
        {"write-ibnetdiscover", "FILE", "write the subnet as ibnetdiscover", Store(&O::discovery)},
        {"write-ibsim", "FILE", "write the subnet as a network of ibsim", Store(&O::simulator)},
        {"check", "", "counts only, no routes", [](O& o, const std::string&) { o.check = true; }},
        {"help", "", "print this", [](O& o, const std::string&) { o.help = true; }},
    });
    return table;
}

template <typename F>
void
WriteFile(const std::string& path, F&& write)
{
    std::ofstream file(path);
    write(file);
    file.close();
    if (!file)
    {
        throw FabricError("cannot write '" + path + "'");
    }
}

template <typename K>
std::string
Histogram(const std::map<K, uint32_t>& counts)
{
    std::ostringstream os;
    for (const auto& [key, count] : counts)
    {
        os << (os.tellp() == 0 ? "" : ", ") << count << " x " << key;
    }
    return os.str();
}

} // namespace

IbRunOptions
IbRunOptions::Parse(const std::vector<std::string>& args)
{
    IbRunOptions options;
    Table().Apply(args, options, [](IbRunOptions&, const std::string& word) {
        throw FabricError("'" + word + "': ib takes options only; see ib --help");
    });
    if (options.help)
    {
        return options;
    }
    if (options.file.empty())
    {
        throw FabricError("ib needs --file=FILE; see ib --help");
    }
    if (options.routes.empty() != options.lids.empty())
    {
        throw FabricError("--lids and --routes: both or neither, as routes are by LID");
    }
    IbRouting::Check(options.engine);
    return options;
}

std::string
IbRunOptions::Help()
{
    return "ai-fabric-run ib: looks at an InfiniBand subnet.\n\n"
           "  ai-fabric-run ib --file=FILE [options]\n\n"
           "Counts what the file has, gives LIDs, computes forwarding tables (or takes those of a\n"
           "real subnet manager), and checks them: who reaches whom, hops, credit loops.\n"
           "Exit code: 0 all adapters that cables join reach each other, 1 not so, 2 bad input.\n\n"
           "Options (--name=value or --name value):\n" +
           Table().Help();
}

IbRun::IbRun(const IbRunOptions& options, std::ostream& out)
    : m_options(options),
      m_out(out)
{
}

int
IbRun::Execute()
{
    if (m_options.help)
    {
        m_out << IbRunOptions::Help();
        return 0;
    }
    auto [subnet, report] = IbNetReader::Read(m_options.file);
    m_subnet = std::move(subnet);
    PrintCounts(report);
    m_subnet.GiveGuids();
    Write();
    if (m_options.check)
    {
        return 0;
    }
    GiveLids();
    const IbForwarding routes = m_options.routes.empty()
                                    ? IbRouting::Compute(m_options.engine, m_subnet)
                                    : IbRoutesReader::ReadTables(m_options.routes, m_subnet);
    const int code = CheckRoutes(routes);
    if (!m_options.trace.empty())
    {
        PrintWay(routes);
    }
    return code;
}

void
IbRun::PrintCounts(const IbNetReader::Report& r) const
{
    m_out << "subnet      " << m_options.file << "\n"
          << "nodes       " << r.switches << " switches, " << r.adapters << " channel adapters ("
          << r.aggregation << " of them aggregation engines in switches), " << r.routers
          << " routers\n"
          << "ports       switches: " << Histogram(r.radix) << "\n"
          << "cables      " << r.switchLinks + r.otherLinks << ": " << r.switchLinks
          << " between switches, " << r.otherLinks << " others; " << r.oneSided
          << " told from one end only\n";
    if (!r.speeds.empty())
    {
        m_out << "speeds      switch ports: " << Histogram(r.speeds) << "\n";
    }
    if (r.missing > 0)
    {
        m_out << "warning     " << r.missing << " node(s) are named but not described\n";
    }
    if (r.islands > 1)
    {
        m_out << "warning     " << r.islands << " islands have no cable to each other\n";
    }
}

void
IbRun::Write() const
{
    if (!m_options.discovery.empty())
    {
        WriteFile(m_options.discovery,
                  [this](std::ostream& os) { IbNetWriter::WriteDiscovery(m_subnet, os); });
    }
    if (!m_options.simulator.empty())
    {
        WriteFile(m_options.simulator,
                  [this](std::ostream& os) { IbNetWriter::WriteSimulator(m_subnet, os); });
    }
}

void
IbRun::GiveLids()
{
    if (!m_options.lids.empty())
    {
        const uint32_t given = IbRoutesReader::ReadLids(m_options.lids, m_subnet);
        m_out << "LIDs        " << given << " ports, of " << m_options.lids << "\n";
        return;
    }
    IbLidTable table;
    table.Assign(m_subnet);
    m_out << "LIDs        up to " << table.GetTop() << "\n";
}

int
IbRun::CheckRoutes(const IbForwarding& routes) const
{
    std::vector<IbForwarding::Step> ends; // cabled ports of adapters
    for (uint32_t node : m_subnet.GetNodesOf(Type::CA))
    {
        const auto& ports = m_subnet.At(node).ports;
        for (size_t port = 1; port < ports.size(); ++port)
        {
            if (ports[port].peer != IbSubnet::NONE)
            {
                ends.push_back({node, static_cast<uint8_t>(port)});
            }
        }
    }
    const auto islands = m_subnet.GetIslands();
    std::map<uint32_t, uint32_t> hops;
    uint64_t reached = 0;
    uint64_t joined = 0;
    for (const auto& a : ends)
    {
        for (const auto& b : ends)
        {
            if (a.node == b.node || islands[a.node] != islands[b.node])
            {
                continue;
            }
            ++joined;
            const uint16_t lid = m_subnet.At(b.node).ports[b.port].lid;
            const auto way = routes.Follow(m_subnet, a.node, a.port, lid);
            if (lid != 0 && way.arrives)
            {
                ++reached;
                ++hops[static_cast<uint32_t>(way.steps.size())];
            }
        }
    }
    m_out << "routes      "
          << (m_options.routes.empty() ? "engine " + m_options.engine : m_options.routes) << "\n"
          << "pairs       " << reached << " of " << joined
          << " ordered pairs of adapter ports reach each other\n"
          << "hops        " << Histogram(hops) << "\n";
    if (routes.turns > 0)
    {
        m_out << "warning     " << routes.turns
              << " table entries turn up after down: there is no other way\n";
    }
    m_out << "lanes       " << +routes.nLanes << "\n";
    const auto loop = routes.FindCreditLoop(m_subnet);
    m_out << (loop.empty()
                  ? "credits     no loop\n"
                  : "warning     credit loop: " + IbForwarding::Describe(m_subnet, loop) + "\n");
    return reached == joined ? 0 : 1;
}

uint32_t
IbRun::RequireAdapter(const std::string& name) const
{
    for (uint32_t node : m_subnet.GetNodesOf(Type::CA))
    {
        if (m_subnet.At(node).name == name || m_subnet.At(node).description == name)
        {
            return node;
        }
    }
    throw FabricError("--trace: no channel adapter has the name or description '" + name + "'");
}

void
IbRun::PrintWay(const IbForwarding& routes) const
{
    const size_t comma = m_options.trace.find(',');
    if (comma == std::string::npos)
    {
        throw FabricError("--trace: '" + m_options.trace + "' is not of the form A,B");
    }
    const uint32_t a = RequireAdapter(m_options.trace.substr(0, comma));
    const uint32_t b = RequireAdapter(m_options.trace.substr(comma + 1));
    const auto portOf = [this](uint32_t node) {
        const auto& ports = m_subnet.At(node).ports;
        size_t port = 1;
        while (port + 1 < ports.size() && ports[port].peer == IbSubnet::NONE)
        {
            ++port;
        }
        return static_cast<uint8_t>(port);
    };
    const auto way = routes.Follow(m_subnet, a, portOf(a), m_subnet.At(b).ports[portOf(b)].lid);
    m_out << "way         " << m_subnet.At(a).name << " to " << m_subnet.At(b).name
          << (way.arrives ? "" : ": does not arrive") << "\n";
    for (const auto& step : way.steps)
    {
        m_out << "  " << IbForwarding::Describe(m_subnet, {step}) << "\n";
    }
}

} // namespace ns3
