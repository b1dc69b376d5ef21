/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-pcie-profile.h"

#include "ns3/fabric-error.h"
#include "ns3/link-profile.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPcieProfile);

namespace
{
FabricRate
CheckedRate(const char* attribute, const DataRate& rate)
{
    if (rate.GetBitRate() == 0)
    {
        throw FabricError(std::string("ns3::RdmaPcieProfile::") + attribute +
                          " '0': more than 0 bit/s is needed");
    }
    return FabricRate::From(rate);
}
} // namespace

TypeId
RdmaPcieProfile::GetTypeId()
{
    constexpr uint32_t LATER = TypeId::ATTR_GET | TypeId::ATTR_SET; // not before Link
    static TypeId tid =
        TypeId("ns3::RdmaPcieProfile")
            .SetParent<RdmaDmaPath>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaPcieProfile>()
            .AddAttribute("Link",
                          "PCIe row of the table of links, pcie3-x1 .. pcie6-x16: sets ReadRate "
                          "and WriteRate to its rate after line coding, times the share of data in "
                          "completions and in writes at the row's MaxPayload. Default: pcie5-x16, "
                          "the slot of a 400 Gb/s NIC.",
                          StringValue("pcie5-x16"),
                          MakeStringAccessor(&RdmaPcieProfile::SetLink, &RdmaPcieProfile::GetLink),
                          MakeStringChecker())
            .AddAttribute("ReadLatency",
                          "From a read request to its first byte at the NIC (time). Default: 547 "
                          "ns, median of small reads of host memory in pcie-bench (SIGCOMM 2018, "
                          "Xeon E5).",
                          TimeValue(PicoSeconds(547'000)),
                          MakeTimeAccessor(&RdmaPcieProfile::m_readLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("WriteLatency",
                          "From a write's last byte leaving the NIC to its being in memory (time). "
                          "Default: 273.5 ns; writes are posted and take one of a read's two ways, "
                          "so this is half of ReadLatency (an assumption).",
                          TimeValue(PicoSeconds(273'500)),
                          MakeTimeAccessor(&RdmaPcieProfile::m_writeLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "ReadRate",
                "Payload rate of reads, packet overhead taken off (data rate). Default: "
                "that of Link.",
                LATER,
                DataRateValue(DataRate(1)),
                MakeDataRateAccessor(&RdmaPcieProfile::SetReadRate, &RdmaPcieProfile::GetReadRate),
                MakeDataRateChecker())
            .AddAttribute("WriteRate",
                          "Payload rate of writes, packet overhead taken off (data rate). Default: "
                          "that of Link.",
                          LATER,
                          DataRateValue(DataRate(1)),
                          MakeDataRateAccessor(&RdmaPcieProfile::SetWriteRate,
                                               &RdmaPcieProfile::GetWriteRate),
                          MakeDataRateChecker());
    return tid;
}

RdmaPcieProfile::RdmaPcieProfile() = default;
RdmaPcieProfile::~RdmaPcieProfile() = default;

void
RdmaPcieProfile::SetLink(std::string name)
{
    if (!LinkProfile::Has(name) || LinkProfile::Get(name).family != LinkProfile::Family::PCIE)
    {
        std::string known;
        for (const std::string& other : LinkProfile::GetNames())
        {
            const bool pcie = LinkProfile::Get(other).family == LinkProfile::Family::PCIE;
            known += pcie ? (known.empty() ? "" : ", ") + other : "";
        }
        throw FabricError("PCIe link of a NIC '" + name + "': one of " + known + " is needed");
    }
    const LinkProfile& row = LinkProfile::Get(name);
    const auto rate = [&row](MemoryOp op) {
        return FabricRate(static_cast<uint64_t>(
            std::floor(static_cast<double>(row.rateBps) * row.Efficiency(op))));
    };
    m_reads.rate = rate(MemoryOp::READ_RESPONSE);
    m_writes.rate = rate(MemoryOp::WRITE);
    m_link = name;
}

std::string
RdmaPcieProfile::GetLink() const
{
    return m_link;
}

void
RdmaPcieProfile::SetReadRate(DataRate rate)
{
    m_reads.rate = CheckedRate("ReadRate", rate);
}

DataRate
RdmaPcieProfile::GetReadRate() const
{
    return DataRate(m_reads.rate.GetBps());
}

void
RdmaPcieProfile::SetWriteRate(DataRate rate)
{
    m_writes.rate = CheckedRate("WriteRate", rate);
}

DataRate
RdmaPcieProfile::GetWriteRate() const
{
    return DataRate(m_writes.rate.GetBps());
}

void
RdmaPcieProfile::SetWay(uint32_t memory, const Way& way)
{
    if (way.readLatency.IsStrictlyNegative() || way.writeLatency.IsStrictlyNegative())
    {
        throw FabricError("RdmaPcieProfile::SetWay: latencies of memory " + std::to_string(memory) +
                          " must not be negative");
    }
    Memory m{};
    m.readLatency = FabricTime::From(way.readLatency);
    m.writeLatency = FabricTime::From(way.writeLatency);
    m.limitsReads = way.readRate.GetBitRate() > 0;
    m.limitsWrites = way.writeRate.GetBitRate() > 0;
    if (m.limitsReads)
    {
        m.reads.rate = FabricRate::From(way.readRate);
    }
    if (m.limitsWrites)
    {
        m.writes.rate = FabricRate::From(way.writeRate);
    }
    m_memory[memory] = m;
}

void
RdmaPcieProfile::SetWay(uint32_t memory, const RdmaPcieLinks& links)
{
    if (links.IsEmpty())
    {
        throw FabricError("RdmaPcieProfile::SetWay: memory " + std::to_string(memory) +
                          " needs at least one link");
    }
    LinkedMemory m{};
    m.links = links;
    m.narrow = links.GetSlowestRate().GetBps() < links.GetRate().GetBps();
    m.reads.rate = links.GetSlowestRate();
    m.writes.rate = links.GetSlowestRate();
    m.memory.rate = links.GetMemoryRate();
    m_linked[memory] = m;
    m_in.rate = links.GetRate();
    m_out.rate = links.GetRate();
}

FabricPs
RdmaPcieProfile::Pipe::Pass(FabricPs from, uint32_t bytes)
{
    Hold(from);
    free += rate.Serialise(bytes, debt);
    return free;
}

void
RdmaPcieProfile::Pipe::Hold(FabricPs until)
{
    if (until > free)
    {
        free = until;
        debt = 0;
    }
}

bool
RdmaPcieProfile::DoIsTimed() const
{
    return true;
}

FabricPs
RdmaPcieProfile::DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t)
{
    if (const auto linked = m_linked.find(memory); linked != m_linked.end())
    {
        return FetchOver(linked->second, bytes, now);
    }
    const auto it = m_memory.find(memory);
    if (it == m_memory.end())
    {
        return m_reads.Pass(now + FabricTime::From(m_readLatency), bytes);
    }
    Memory& own = it->second;
    const FabricPs from = now + own.readLatency;
    const FabricPs link = m_reads.Pass(from, bytes);
    return own.limitsReads ? std::max(link, own.reads.Pass(from, bytes)) : link;
}

FabricPs
RdmaPcieProfile::FetchOver(LinkedMemory& memory, uint32_t bytes, FabricPs now)
{
    if (memory.readSize != bytes)
    {
        memory.readSize = bytes;
        memory.readTime = memory.links.GetReadTime(bytes);
    }
    const FabricPs idle = now + memory.readTime;
    const uint32_t wire = memory.links.GetWireBytes(MemoryOp::READ_RESPONSE, bytes);
    const FabricPs end = m_in.Pass(idle - m_in.rate.TxTime(wire), wire);
    return memory.narrow
               ? std::max(end, memory.reads.Pass(idle - memory.reads.rate.TxTime(wire), wire))
               : end;
}

RdmaDmaPath::Landing
RdmaPcieProfile::StoreOver(LinkedMemory& memory, uint32_t bytes, FabricPs at)
{
    const RdmaPcieLinks& links = memory.links;
    if (memory.writeSize != bytes)
    {
        memory.writeSize = bytes;
        memory.leave = links.GetLeaveTime(bytes);
        memory.arrive = links.GetArriveTime(bytes);
        memory.header = links.GetHeaderTime(bytes);
    }
    const uint32_t wire = links.GetWireBytes(MemoryOp::WRITE, bytes);
    const uint32_t header = links.GetWireBytes(MemoryOp::FLUSH, 0);
    const FabricPs left = m_out.Pass(at + memory.leave - m_out.rate.TxTime(wire), wire);
    m_out.Pass(left, header);
    FabricPs there = left + memory.arrive - memory.leave;
    if (memory.narrow)
    {
        const FabricPs from = at + memory.arrive - memory.writes.rate.TxTime(wire);
        there = std::max(there, memory.writes.Pass(from, wire));
        memory.writes.Pass(there, header);
    }
    const FabricPs served = links.IsMemoryLimited() ? memory.memory.Pass(there, bytes) : there;
    memory.done = std::max(
        {memory.done, served + links.GetMemoryLatency(), there + memory.header - memory.arrive});
    const FabricPs done = memory.done;
    return {left, done};
}

RdmaDmaPath::Landing
RdmaPcieProfile::DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t)
{
    if (const auto linked = m_linked.find(memory); linked != m_linked.end())
    {
        return StoreOver(linked->second, bytes, at);
    }
    FabricPs left = m_writes.Pass(at, bytes);
    const auto it = m_memory.find(memory);
    if (it == m_memory.end())
    {
        return {left, left + FabricTime::From(m_writeLatency)};
    }
    Memory& own = it->second;
    if (own.limitsWrites)
    {
        left = std::max(left, own.writes.Pass(at, bytes));
        m_writes.Hold(left); // posted writes leave in order
    }
    return {left, left + own.writeLatency};
}

} // namespace ns3
