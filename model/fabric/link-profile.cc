/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "link-profile.h"

#include "fabric-error.h"

#include <algorithm>
#include <deque>

namespace ns3
{

namespace
{

using Family = LinkProfile::Family;

constexpr uint64_t GIGA = 1'000'000'000;
constexpr int64_t NS = 1000;

/** @brief The rows; a deque, so that a row never moves. */
std::deque<LinkProfile>&
Rows()
{
    static std::deque<LinkProfile> rows;
    return rows;
}

LinkProfile
NvLink(uint16_t generation, uint16_t lanes, uint64_t laneBps, const char* source)
{
    LinkProfile row;
    row.name = "nvlink" + std::to_string(generation);
    row.family = Family::NVLINK;
    row.generation = generation;
    row.lanes = lanes;
    row.rateBps = lanes * laneBps;
    row.latencyPs = 30 * NS; // assumed: two PHYs and 1 m of board or cable
    row.creditBytes = 16 << 10; // assumed: covers the round trip of one link with 4 KiB frames
    row.replayPs = 200 * NS;    // assumed: a round trip with error detection
    row.source = source;
    return row;
}

void
AddNvLinks(std::deque<LinkProfile>& rows)
{
    rows.push_back(NvLink(1, 8, 20 * GIGA, "8 pairs of 20 Gb/s a direction: 20 GB/s (P100)"));
    rows.push_back(NvLink(2, 8, 25'781'250'000, "8 pairs of 25.78 Gb/s: 25.78 GB/s (V100)"));
    rows.push_back(NvLink(3, 4, 50 * GIGA, "4 pairs of 50 Gb/s: 25 GB/s (A100)"));
    rows.push_back(NvLink(4, 2, 106'250'000'000, "2 pairs of 106.25 Gb/s PAM4: 26.56 GB/s (H100)"));
    rows.push_back(NvLink(5, 2, 212'500'000'000, "2 pairs of 212.5 Gb/s PAM4: 53.1 GB/s (B200)"));
    LinkProfile c2c = NvLink(0, 1, 3600 * GIGA, "450 GB/s a direction (GH200 data sheet)");
    c2c.name = "nvlink-c2c";
    c2c.family = Family::C2C;
    c2c.latencyPs = 10 * NS;
    c2c.creditBytes = 128 << 10;
    rows.push_back(c2c);
}

void
AddPcie(std::deque<LinkProfile>& rows)
{
    struct Generation
    {
        uint16_t number;
        uint64_t laneBps; // transfers per second
        uint64_t coded;   // line coding or flit framing: coded / of
        uint64_t of;
    };
    for (const Generation& g : {Generation{3, 8 * GIGA, 128, 130},
                                Generation{4, 16 * GIGA, 128, 130},
                                Generation{5, 32 * GIGA, 128, 130},
                                Generation{6, 64 * GIGA, 242, 256}})
    {
        for (uint16_t lanes : {1, 2, 4, 8, 16})
        {
            for (uint32_t payload : {256, 128, 512})
            {
                LinkProfile row;
                row.name = "pcie" + std::to_string(g.number) + "-x" + std::to_string(lanes) +
                           (payload == 256 ? "" : "-mps" + std::to_string(payload));
                row.family = Family::PCIE;
                row.generation = g.number;
                row.lanes = lanes;
                row.rateBps = lanes * g.laneBps * g.coded / g.of;
                row.maxPayload = payload;
                row.granule = 4;
                row.header = 24;       // 4 DW header, framing, sequence number, LCRC
                row.answerHeader = 20; // completions have 3 DW
                row.atomicOperand = 8;
                row.latencyPs = 70 * NS;    // assumed
                row.creditBytes = 64 << 10; // assumed
                row.replayPs = 500 * NS;    // assumed
                row.source = "PCI Express base specification: rate, coding, TLP layout";
                rows.push_back(row);
            }
        }
    }
}

void
AddUcie(std::deque<LinkProfile>& rows)
{
    for (const bool advanced : {false, true})
    {
        for (const bool longFlit : {false, true})
        {
            for (uint16_t gt : {32, 4, 8, 12, 16, 24})
            {
                LinkProfile row;
                row.name = std::string("ucie1-") + (advanced ? "advanced" : "standard") +
                           (longFlit ? "-256" : "") +
                           (gt == 32 ? "" : "-" + std::to_string(gt) + "gt");
                row.family = Family::UCIE;
                row.generation = 1;
                row.lanes = advanced ? 64 : 16;
                row.rateBps = row.lanes * gt * GIGA;
                // 68-byte flits carry 64 bytes; of 256-byte flits 236 are left for the protocol
                row.maxPayload = longFlit ? 236 : 64;
                row.granule = longFlit ? 4 : 64;
                row.header = longFlit ? 20 : 4;
                row.answerHeader = row.header;
                row.atomicOperand = longFlit ? 16 : 64;
                row.latencyPs = 2 * NS;
                row.creditBytes = advanced ? 64 << 10 : 32 << 10; // assumed
                row.replayPs = 20 * NS;                           // assumed
                row.source = "UCIe 1.0/1.1: lanes per module, GT/s, flit sizes, 2 ns bound";
                rows.push_back(row);
            }
        }
    }
}

/** @brief Links that move cache lines: 64 data bytes a packet. */
LinkProfile
CacheLine(const char* name, Family family, uint64_t rateBps, int64_t latencyPs, const char* source)
{
    LinkProfile row;
    row.name = name;
    row.family = family;
    row.rateBps = rateBps;
    row.maxPayload = 64;
    row.latencyPs = latencyPs;
    row.creditBytes = 32 << 10; // assumed
    row.replayPs = 200 * NS;    // assumed
    row.source = source;
    return row;
}

void
AddOthers(std::deque<LinkProfile>& rows)
{
    rows.push_back(CacheLine("xgmi3",
                             Family::XGMI,
                             512 * GIGA,
                             30 * NS,
                             "MI300X: 64 GB/s a link and direction; packet layout assumed"));
    rows.push_back(CacheLine("oam",
                             Family::OAM,
                             448 * GIGA,
                             30 * NS,
                             "OAM 1.5: 16 lanes of 28 Gb/s; packet layout assumed"));
    rows.push_back(CacheLine("qpi", Family::SOCKET, 153'600'000'000, 50 * NS, "9.6 GT/s x 2 B"));
    rows.push_back(CacheLine("upi", Family::SOCKET, 166'400'000'000, 50 * NS, "10.4 GT/s x 2 B"));
    rows.push_back(CacheLine("xgmi-socket", Family::SOCKET, 256 * GIGA, 50 * NS, "16 x 16 GT/s"));
    rows.push_back(CacheLine("xbus", Family::SOCKET, 512 * GIGA, 50 * NS, "POWER9: 64 GB/s"));
}

const LinkProfile*
Find(const std::string& name)
{
    std::deque<LinkProfile>& rows = Rows();
    if (rows.empty())
    {
        AddNvLinks(rows);
        AddPcie(rows);
        AddUcie(rows);
        AddOthers(rows);
    }
    const auto found = std::find_if(rows.begin(), rows.end(), [&name](const LinkProfile& row) {
        return row.name == name;
    });
    return found == rows.end() ? nullptr : &*found;
}

/** @return what is wrong with a new row; empty if nothing */
std::string
Explain(const LinkProfile& row)
{
    constexpr uint64_t maxRate = 100'000 * GIGA;
    constexpr int64_t maxTime = 1'000'000 * NS;
    if (row.name.empty())
    {
        return "it has no name";
    }
    if (row.rateBps == 0 || row.rateBps > maxRate)
    {
        return "its rate must be 1 bit/s to 100 Tb/s";
    }
    if (row.maxPayload == 0 || row.maxPayload > 65535 || row.granule == 0 ||
        row.granule > row.maxPayload)
    {
        return "maxPayload must be 1 to 65535 bytes, and granule 1 to maxPayload";
    }
    if (row.maxPayload % row.granule != 0)
    {
        return "maxPayload must be a whole number of granules";
    }
    if (row.header == 0 || row.answerHeader == 0)
    {
        return "packets take at least one byte besides their data";
    }
    if (row.header > 1024 || row.answerHeader > 1024 || row.atomicOperand > 1024)
    {
        return "headers and operands must not be over 1024 bytes";
    }
    if (row.latencyPs <= 0 || row.latencyPs > maxTime || row.replayPs < 0 || row.replayPs > maxTime)
    {
        return "its latency must be 1 ps to 1 ms, its replay time 0 to 1 ms";
    }
    if (row.lanes == 0 || row.creditBytes == 0)
    {
        return "it needs lanes and a receive buffer";
    }
    const uint64_t packet = row.maxPayload + std::max(row.header, row.answerHeader);
    if ((65535 / row.maxPayload + 1) * packet > 1 << 20)
    {
        return "a frame of 65535 data bytes must not take over 1048576 bytes on the wire";
    }
    return "";
}

} // namespace

const LinkProfile&
LinkProfile::Get(const std::string& name)
{
    const LinkProfile* row = Find(name);
    if (row == nullptr)
    {
        std::string known;
        for (const auto& other : GetNames())
        {
            known += (known.empty() ? "" : ", ") + other;
        }
        throw FabricError("unknown link profile '" + name + "'; known: " + known);
    }
    return *row;
}

bool
LinkProfile::Has(const std::string& name)
{
    return Find(name) != nullptr;
}

const LinkProfile&
LinkProfile::Add(const LinkProfile& row)
{
    std::string wrong = Explain(row);
    if (wrong.empty() && Has(row.name))
    {
        wrong = "there is one of this name";
    }
    if (!wrong.empty())
    {
        throw FabricError("link profile '" + row.name + "': " + wrong);
    }
    Rows().push_back(row);
    return Rows().back();
}

std::vector<std::string>
LinkProfile::GetNames()
{
    Find("");
    std::vector<std::string> names;
    for (const LinkProfile& row : Rows())
    {
        names.push_back(row.name);
    }
    return names;
}

const char*
LinkProfile::FamilyName(Family family)
{
    static const char* const names[] = {"NVLink", "C2C", "xGMI", "OAM", "PCIe", "socket", "UCIe"};
    return names[static_cast<uint8_t>(family)];
}

uint32_t
LinkProfile::Packets(MemoryOp op, uint32_t payload) const
{
    const bool one = op == MemoryOp::FLUSH || op == MemoryOp::ACK ||
                     op == MemoryOp::ATOMIC_REQUEST || op == MemoryOp::ATOMIC_RESPONSE;
    return one || payload <= maxPayload ? 1 : (payload + maxPayload - 1) / maxPayload;
}

uint32_t
LinkProfile::PacketBytes(MemoryOp op, uint32_t payload) const
{
    const bool answer = MemoryClassOf(op) == MEMORY_COMPLETION;
    uint32_t data = 0;
    if (op == MemoryOp::ATOMIC_REQUEST || op == MemoryOp::ATOMIC_RESPONSE)
    {
        data = atomicOperand;
    }
    else if (MemoryOpCarriesData(op))
    {
        data = (payload + granule - 1) / granule * granule;
    }
    return (answer ? answerHeader : header) + data;
}

uint32_t
LinkProfile::WireBytes(MemoryOp op, uint32_t payload) const
{
    const uint32_t packets = Packets(op, payload);
    return (packets - 1) * PacketBytes(op, maxPayload) + LastBytes(op, payload);
}

uint32_t
LinkProfile::FirstBytes(MemoryOp op, uint32_t payload) const
{
    return PacketBytes(op, std::min(payload, maxPayload));
}

uint32_t
LinkProfile::LastBytes(MemoryOp op, uint32_t payload) const
{
    return PacketBytes(op, payload - (Packets(op, payload) - 1) * maxPayload);
}

double
LinkProfile::Efficiency(MemoryOp op, uint32_t bytes) const
{
    const uint32_t data = bytes == 0 ? maxPayload : bytes;
    return static_cast<double>(data) / WireBytes(op, data);
}

double
LinkProfile::DataBps(uint32_t links) const
{
    return static_cast<double>(rateBps) * links * Efficiency(MemoryOp::WRITE);
}

} // namespace ns3
