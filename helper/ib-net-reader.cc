/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-net-reader.h"

#include "text-cursor.h"

#include "ns3/fabric-error.h"
#include "ns3/ib-lid-table.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

namespace ns3
{

namespace
{

using Type = IbSubnet::Type;
using Report = IbNetReader::Report;

constexpr uint32_t MAX_PORTS = 254;
constexpr size_t MAX_LINE = 1 << 20; // bytes

/** @brief One end of a cable as a line tells it. */
struct End
{
    std::string peer;    //!< node at the other end
    uint8_t peerPort{0}; //!< port there
    uint32_t line{0};    //!< where it is told
    uint8_t lanes{0};    //!< 0: not told
    std::string speed;   //!< empty: not told
    uint64_t guid{0};    //!< of this port, 0: not told
    uint32_t lid{0};     //!< of this port
    uint32_t lmc{0};     //!< of this port
};

/** @brief A node as its block tells it. */
struct Block
{
    Type type{Type::CA};         //!< kind
    uint32_t ports{0};           //!< number
    uint64_t guid{0};            //!< of the node
    uint64_t portGuid{0};        //!< of port 0 of a switch
    uint64_t systemGuid{0};      //!< of the chassis
    uint32_t vendor{0};          //!< VendorID
    uint32_t device{0};          //!< DeviceID
    std::string description;     //!< text
    uint32_t lid{0};             //!< of port 0 of a switch
    uint32_t lmc{0};             //!< of port 0 of a switch
    std::map<uint8_t, End> ends; //!< by port
};

/** @brief A line, read from left to right. */
class Scan
{
  public:
    Scan(const std::string& text, const std::string& file, uint32_t line)
        : m_text(text),
          m_where(file + ":" + std::to_string(line) + ":")
    {
        Skip();
    }

    [[noreturn]] void Fail(const std::string& allowed) const
    {
        const std::string rest = m_text.substr(m_at);
        throw FabricError(m_where + std::to_string(m_at + 1) + ": '" +
                          rest.substr(0, rest.find_first_of(" \t")) + "': " + allowed);
    }

    bool IsEnd() const
    {
        return m_at == m_text.size();
    }

    /** @return true, and moves on, if this is what comes next */
    bool Take(const std::string& what)
    {
        const bool is = m_text.compare(m_at, what.size(), what) == 0;
        m_at += is ? what.size() : 0;
        Skip(is);
        return is;
    }

    void Require(const std::string& what, const std::string& where)
    {
        if (!Take(what))
        {
            Fail("'" + what + "' is wanted " + where);
        }
    }

    /** @return a word up to white space or one of the stops */
    std::string Word(const char* stops = "")
    {
        const size_t end =
            std::min(m_text.find_first_of(std::string(" \t") + stops, m_at), m_text.size());
        const std::string word = m_text.substr(m_at, end - m_at);
        m_at = end;
        Skip();
        return word;
    }

    std::string Quoted(const std::string& what)
    {
        Require("\"", "before " + what);
        const size_t end = m_text.find('"', m_at);
        if (end == std::string::npos)
        {
            Fail(what + " ends with double quotes");
        }
        const std::string word = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        Skip();
        return word;
    }

    uint32_t Number(uint32_t least, uint32_t most, const std::string& what)
    {
        uint64_t value = 0;
        size_t at = m_at;
        while (at < m_text.size() && at < m_at + 10 && m_text[at] >= '0' && m_text[at] <= '9')
        {
            value = 10 * value + static_cast<uint64_t>(m_text[at++] - '0');
        }
        if (at == m_at || value < least || value > most)
        {
            Fail(what + " is a whole number from " + std::to_string(least) + " to " +
                 std::to_string(most));
        }
        m_at = at;
        Skip();
        return static_cast<uint32_t>(value);
    }

    uint64_t Guid(const std::string& what)
    {
        size_t at = m_at;
        at += m_text.compare(at, 2, "0x") == 0 ? 2 : 0;
        const size_t first = at;
        uint64_t value = 0;
        while (at < m_text.size() && std::isxdigit(static_cast<unsigned char>(m_text[at])) != 0)
        {
            const char c = m_text[at++];
            value = value << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        if (at == first || at > first + 16)
        {
            Fail(what + " is a hexadecimal number of at most 16 digits");
        }
        m_at = at;
        Skip();
        return value;
    }

  private:
    void Skip(bool really = true)
    {
        while (really && m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t'))
        {
            ++m_at;
        }
    }

    const std::string& m_text; //!< the line
    std::string m_where;       //!< "file:line:"
    size_t m_at{0};            //!< how far
};

/** @brief Reads the blocks, then joins them. */
class Net
{
  public:
    Net(std::istream& in, const std::string& name)
        : m_name(name)
    {
        std::string text;
        for (uint32_t line = 1; std::getline(in, text); ++line)
        {
            if (text.size() > MAX_LINE || text.find('\0') != std::string::npos)
            {
                throw FabricError(name + ":" + std::to_string(line) +
                                  ": this is no text of lines "
                                  "of at most 1 MiB");
            }
            if (!text.empty() && text.back() == '\r')
            {
                text.pop_back();
            }
            ReadLine(text, line);
        }
        if (m_blocks.empty())
        {
            throw FabricError(name + ": no node is described; blocks start with Switch, Ca, Hca or "
                                     "Rt");
        }
    }

    IbNetReader::Result Join();

  private:
    void ReadLine(const std::string& text, uint32_t line);
    void ReadHead(Type type, Scan& scan, uint32_t line);
    void ReadPort(Scan& scan, uint32_t line);
    void ReadLinkComment(Scan& scan, End& end);
    void AddMissing();
    void Connect(const std::string& name, uint8_t port, const End& end);
    void Complete(const std::string& name, const Block& block);

    std::string m_name;                    //!< path for messages
    Block m_next;                          //!< what comes before a head line
    std::vector<std::string> m_order;      //!< names, as described
    std::map<std::string, Block> m_blocks; //!< by name
    IbNetReader::Result m_result;          //!< what is made
};

void
Net::ReadLine(const std::string& text, uint32_t line)
{
    Scan scan(text, m_name, line);
    if (scan.IsEnd() || scan.Take("#") || scan.Take("Non-Chassis") || scan.Take("Chassis "))
    {
        return;
    }
    static const std::pair<const char*, Type> heads[] = {{"Switch", Type::SWITCH},
                                                         {"Hca", Type::CA},
                                                         {"Ca", Type::CA},
                                                         {"Rt", Type::ROUTER}};
    if (scan.Take("["))
    {
        ReadPort(scan, line);
        return;
    }
    for (const auto& [word, type] : heads)
    {
        if (text.find('=') == std::string::npos && scan.Take(word))
        {
            ReadHead(type, scan, line);
            return;
        }
    }
    if (scan.Take("sysimgguid="))
    {
        m_next.systemGuid = scan.Guid("a GUID");
    }
    else if (scan.Take("switchguid=") || scan.Take("caguid=") || scan.Take("rtguid="))
    {
        m_next.guid = scan.Guid("a GUID");
        if (scan.Take("("))
        {
            m_next.portGuid = scan.Guid("the GUID of port 0");
            scan.Require(")", "behind the GUID of port 0");
        }
    }
    else if (scan.Take("vendid="))
    {
        m_next.vendor = static_cast<uint32_t>(scan.Guid("a vendor's number"));
    }
    else if (scan.Take("devid="))
    {
        m_next.device = static_cast<uint32_t>(scan.Guid("a device's number"));
    }
    else
    {
        scan.Fail("a line starts with Switch, Ca, Hca, Rt, [PORT], #, or vendid=, devid=, "
                  "sysimgguid=, switchguid=, caguid=, rtguid=");
    }
}

void
Net::ReadHead(Type type, Scan& scan, uint32_t line)
{
    m_next.type = type;
    m_next.ports = scan.Number(1, MAX_PORTS, "the number of ports");
    const std::string name = scan.Quoted("the node's name");
    if (scan.Take("#") && !scan.IsEnd())
    {
        m_next.description = scan.Quoted("the description");
        // a switch: "base port 0 lid 6 lmc 0"
        while (!scan.IsEnd())
        {
            const std::string word = scan.Word();
            if (word == "lid")
            {
                m_next.lid = scan.Number(0, IbLidTable::UNICAST_END - 1, "a LID");
            }
            else if (word == "lmc")
            {
                m_next.lmc = scan.Number(0, 7, "LMC");
            }
        }
    }
    if (!scan.IsEnd())
    {
        scan.Fail("nothing may follow a node's name but a comment");
    }
    if (name.empty() || !m_blocks.emplace(name, m_next).second)
    {
        throw FabricError(m_name + ":" + std::to_string(line) + ": '" + name +
                          "': a node's name is there once, and not empty");
    }
    m_order.push_back(name);
    m_next = Block();
}

void
Net::ReadPort(Scan& scan, uint32_t line)
{
    if (m_order.empty())
    {
        scan.Fail("a port stands below the line of its node");
    }
    Block& block = m_blocks.at(m_order.back());
    End end;
    end.line = line;
    const auto port = static_cast<uint8_t>(scan.Number(1, block.ports, "a port of this node"));
    scan.Require("]", "behind the port");
    if (scan.Take("("))
    {
        end.guid = scan.Guid("the port's GUID");
        scan.Require(")", "behind the port's GUID");
    }
    end.peer = scan.Quoted("the other node's name");
    scan.Require("[", "before the other node's port");
    end.peerPort = static_cast<uint8_t>(scan.Number(1, MAX_PORTS, "a port"));
    scan.Require("]", "behind the port");
    if (scan.Take("("))
    {
        scan.Guid("the other port's GUID"); // its own line says it too
        scan.Require(")", "behind the other port's GUID");
    }
    if (scan.Take("#"))
    {
        ReadLinkComment(scan, end);
    }
    else if (!scan.IsEnd())
    {
        scan.Fail("nothing may follow the other end of a cable but a comment");
    }
    if (block.type == Type::SWITCH && end.lanes > 0)
    {
        ++m_result.report.speeds[std::to_string(end.lanes) + "x" + end.speed];
    }
    const auto [entry, isNew] = block.ends.emplace(port, end);
    if (!isNew)
    {
        throw FabricError(m_name + ":" + std::to_string(line) + ": port " + std::to_string(port) +
                          " of '" + m_order.back() + "' is told twice, first in line " +
                          std::to_string(entry->second.line));
    }
}

/** [lid N lmc N] "description" lid N 4xNDR; more words may follow. */
void
Net::ReadLinkComment(Scan& scan, End& end)
{
    bool own = true;
    while (!scan.IsEnd())
    {
        if (scan.Take("\""))
        {
            own = false;
            scan.Word("\"");
            while (!scan.IsEnd() && !scan.Take("\""))
            {
                scan.Word("\"");
            }
            continue;
        }
        const std::string word = scan.Word();
        const size_t x = word.find('x');
        if (word == "lid")
        {
            const uint32_t lid = scan.Number(0, IbLidTable::UNICAST_END - 1, "a LID");
            end.lid = own ? lid : end.lid;
        }
        else if (word == "lmc")
        {
            end.lmc = scan.Number(0, 7, "LMC");
        }
        else if (!own && x != std::string::npos && x > 0 && x < 3 &&
                 word.find_first_not_of("0123456789") == x)
        {
            end.lanes = static_cast<uint8_t>(std::stoul(word.substr(0, x)));
            end.speed = word.substr(x + 1);
            IbRate::Get(end.speed).PortBps(end.lanes); // refuses other speeds and widths
        }
    }
}

void
Net::AddMissing()
{
    std::map<std::string, Block> missing;
    for (const auto& name : m_order)
    {
        for (const auto& [port, end] : m_blocks.at(name).ends)
        {
            if (m_blocks.count(end.peer) == 0)
            {
                Block& block = missing[end.peer];
                block.type = end.peer.compare(0, 2, "S-") == 0 ? Type::SWITCH : Type::CA;
                block.ports = std::max<uint32_t>(block.ports, end.peerPort);
            }
        }
    }
    m_result.report.missing = static_cast<uint32_t>(missing.size());
    for (const auto& [name, block] : missing)
    {
        m_order.push_back(name);
        m_blocks[name] = block;
    }
}

void
Net::Connect(const std::string& name, uint8_t port, const End& end)
{
    IbSubnet& subnet = m_result.subnet;
    const uint32_t here = subnet.Find(name);
    const uint32_t there = subnet.Find(end.peer);
    const std::string where = m_name + ":" + std::to_string(end.line) + ": ";
    const auto& peer = m_blocks.at(end.peer);
    if (end.peerPort > peer.ports)
    {
        throw FabricError(where + "'" + end.peer + "' has ports 1 to " +
                          std::to_string(peer.ports) + ", not " + std::to_string(end.peerPort));
    }
    const auto back = peer.ends.find(end.peerPort);
    if (back != peer.ends.end() && (back->second.peer != name || back->second.peerPort != port))
    {
        throw FabricError(where + "port " + std::to_string(end.peerPort) + " of '" + end.peer +
                          "' goes to port " + std::to_string(back->second.peerPort) + " of '" +
                          back->second.peer + "', as line " + std::to_string(back->second.line) +
                          " has it");
    }
    if (subnet.At(here).ports[port].peer != IbSubnet::NONE)
    {
        return; // the other end came first
    }
    const bool both = back != peer.ends.end();
    m_result.report.oneSided += both ? 0 : 1;
    // where the ends disagree the link runs as the slower one says
    uint8_t lanes = end.lanes;
    std::string speed = end.speed;
    if (both && back->second.lanes > 0)
    {
        const End& other = back->second;
        lanes = lanes == 0 ? other.lanes : std::min(lanes, other.lanes);
        const bool slower =
            !speed.empty() && IbRate::Get(other.speed).dataBps > IbRate::Get(speed).dataBps;
        speed = slower ? speed : other.speed;
    }
    try
    {
        subnet.Connect(here, port, there, end.peerPort, lanes == 0 ? 4 : lanes, speed);
    }
    catch (const FabricError& e)
    {
        throw FabricError(where + e.what());
    }
    const bool switches =
        subnet.At(here).type == Type::SWITCH && subnet.At(there).type == Type::SWITCH;
    ++(switches ? m_result.report.switchLinks : m_result.report.otherLinks);
}

void
Net::Complete(const std::string& name, const Block& block)
{
    IbSubnet::Node& node = m_result.subnet.At(m_result.subnet.Find(name));
    node.description = block.description;
    node.vendor = block.vendor;
    node.device = block.device;
    node.systemGuid = block.systemGuid == 0 ? block.guid : block.systemGuid;
    if (block.type == Type::SWITCH)
    {
        node.ports[0].guid = block.portGuid == 0 ? block.guid : block.portGuid;
        node.ports[0].lid = static_cast<uint16_t>(block.lid);
        node.ports[0].lmc = static_cast<uint8_t>(block.lmc);
        return;
    }
    for (const auto& [port, end] : block.ends)
    {
        node.ports[port].guid = end.guid;
        node.ports[port].lid = static_cast<uint16_t>(end.lid);
        node.ports[port].lmc = static_cast<uint8_t>(end.lmc);
    }
}

IbNetReader::Result
Net::Join()
{
    Report& report = m_result.report;
    std::set<std::string> hosts;
    for (const auto& name : m_order)
    {
        const Block& block = m_blocks.at(name);
        ++(block.type == Type::SWITCH
               ? report.switches
               : (block.type == Type::CA ? report.adapters : report.routers));
        if (block.type == Type::SWITCH)
        {
            ++report.radix[block.ports];
        }
        else if (block.type == Type::CA && !block.description.empty())
        {
            const bool engine = block.description.find("Aggregation Node") != std::string::npos;
            report.aggregation += engine ? 1 : 0;
            hosts.insert(block.description.substr(0, block.description.find(' ')));
        }
    }
    report.hosts = static_cast<uint32_t>(hosts.size());
    AddMissing();
    for (const auto& name : m_order)
    {
        const Block& block = m_blocks.at(name);
        m_result.subnet.AddNode(block.type, name, block.ports, block.guid);
        Complete(name, block);
    }
    for (const auto& name : m_order)
    {
        for (const auto& [port, end] : m_blocks.at(name).ends)
        {
            Connect(name, port, end);
        }
    }
    const auto islands = m_result.subnet.GetIslands();
    report.islands = *std::max_element(islands.begin(), islands.end()) + 1;
    return std::move(m_result);
}

} // namespace

IbNetReader::Result
IbNetReader::Read(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return Read(in, path);
}

IbNetReader::Result
IbNetReader::Read(std::istream& in, const std::string& name)
{
    return Net(in, name).Join();
}

} // namespace ns3
