/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hpcc-scenario-reader.h"

#include "fabric-units.h"
#include "text-cursor.h"

#include <algorithm>
#include <fstream>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_ID = std::numeric_limits<uint32_t>::max() - 1; //!< largest node id in a flow

/**
 * @param cursor its file has ended too early
 * @param what is missing
 * @param want declared number
 * @param have number found
 */
[[noreturn]] void
FailShort(TextCursor& cursor, const std::string& what, uint64_t want, uint64_t have)
{
    cursor.Fail("the file ends early: " + std::to_string(want) + " " + what + " declared, " +
                std::to_string(have) + " found");
}

/**
 * @param cursor at a token
 * @param column of a time in seconds
 * @param what names it
 * @return ps, or 0 after a fault
 */
int64_t
ReadSeconds(TextCursor& cursor, size_t column, const std::string& what)
{
    const auto ps = FabricUnits::SecondsPs(cursor.Get(column));
    if (!ps)
    {
        cursor.Fault(column, what + ": allowed are seconds such as 2.0, not negative, below 9e6");
    }
    return ps.value_or(0);
}

} // namespace

FabricTopology
HpccScenarioReader::ReadTopology(const std::string& path, std::vector<std::string>* notes)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadTopology(in, path, notes);
}

FabricTopology
HpccScenarioReader::ReadTopology(std::istream& in,
                                 const std::string& name,
                                 std::vector<std::string>* notes)
{
    TextCursor cursor(in, name);
    const Header header = ReadHeader(cursor, notes);
    const auto ids = ReadIds(cursor, header.switches, header.nodes, "switch ids");
    std::vector<bool> isSwitch(header.nodes);
    for (const auto id : ids)
    {
        if (isSwitch[id])
        {
            cursor.GetFaults().Add(name,
                                   cursor.GetLine(),
                                   std::to_string(id),
                                   "switch id repeated");
        }
        isSwitch[id] = true;
    }
    cursor.GetFaults().ThrowIfAny();

    FabricTopology topology;
    for (uint32_t id = 0; id < header.nodes; ++id)
    {
        isSwitch[id] ? topology.AddSwitch() : topology.AddHost();
    }
    for (uint32_t i = 0; i < header.links; ++i)
    {
        if (!cursor.Next())
        {
            FailShort(cursor, "links", header.links, i);
        }
        ReadLink(cursor, topology);
    }
    cursor.GetFaults().ThrowIfAny();
    topology.InferTiers();
    return topology;
}

HpccScenarioReader::Header
HpccScenarioReader::ReadHeader(TextCursor& cursor, std::vector<std::string>* notes)
{
    if (!cursor.Next())
    {
        cursor.Fail("empty file, a topology starts with: nodes switches links");
    }
    const size_t columns = cursor.GetCount();
    if (columns == 6 && !FabricUnits::Real(cursor.Get(5)))
    {
        cursor.Fault(5,
                     "the header with GPU counts and a GPU type (SimAI) is not read, allowed is "
                     "nodes switches links");
    }
    else if (columns != 3 && columns != 4 && columns != 6)
    {
        cursor.Fault(0,
                     std::to_string(columns) +
                         " columns, allowed are 3: nodes switches links; 4: nodes switches tors "
                         "links; 6: the same with two line rates in bit/s");
    }
    cursor.GetFaults().ThrowIfAny();

    const size_t linkColumn = columns == 3 ? 2 : 3;
    Header header;
    header.nodes =
        static_cast<uint32_t>(cursor.ReadWhole(0, 1, FabricTopology::MAX_NODES, "nodes"));
    header.switches =
        static_cast<uint32_t>(cursor.ReadWhole(1, 0, std::max(header.nodes, 1U), "switches"));
    header.links =
        static_cast<uint32_t>(cursor.ReadWhole(linkColumn, 0, FabricTopology::MAX_LINKS, "links"));
    if (columns > 3)
    {
        cursor.ReadWhole(2, 0, header.switches, "ToR switches");
    }
    for (size_t column = 4; column < columns; ++column)
    {
        const auto rate = FabricUnits::Rate(cursor.Get(column), true);
        if (!rate)
        {
            cursor.Fault(column,
                         std::string("line rate: allowed is ") + FabricUnits::BARE_RATE_FORMS);
        }
        else if (notes != nullptr)
        {
            notes->push_back(cursor.GetName() + ": line rate " + FabricUnits::RateText(*rate) +
                             " in the header is not used, the links have their own");
        }
    }
    cursor.GetFaults().ThrowIfAny();
    return header;
}

std::vector<uint32_t>
HpccScenarioReader::ReadIds(TextCursor& cursor,
                            uint32_t count,
                            uint32_t limit,
                            const std::string& what)
{
    std::vector<uint32_t> ids;
    while (ids.size() < count)
    {
        if (!cursor.Next())
        {
            FailShort(cursor, what, count, ids.size());
        }
        for (size_t i = 0; i < cursor.GetCount(); ++i)
        {
            if (ids.size() == count)
            {
                cursor.Fault(i, "more " + what + " than the declared " + std::to_string(count));
                break;
            }
            ids.push_back(static_cast<uint32_t>(cursor.ReadWhole(i, 0, limit - 1, what)));
        }
        cursor.GetFaults().ThrowIfAny();
    }
    return ids;
}

void
HpccScenarioReader::ReadLink(TextCursor& cursor, FabricTopology& topology)
{
    if (!cursor.Expect(5, "a b rate delay error-rate"))
    {
        return;
    }
    const uint64_t limit = topology.GetNNodes() - 1;
    const auto a = static_cast<uint32_t>(cursor.ReadWhole(0, 0, limit, "node id"));
    const auto b = static_cast<uint32_t>(cursor.ReadWhole(1, 0, limit, "node id"));
    const auto rate = FabricUnits::Rate(cursor.Get(2), true);
    const auto delay = FabricUnits::TimePs(cursor.Get(3));
    const auto error = FabricUnits::Real(cursor.Get(4));
    if (!rate)
    {
        cursor.Fault(2, std::string("rate: allowed is ") + FabricUnits::BARE_RATE_FORMS);
    }
    if (!delay)
    {
        cursor.Fault(3, std::string("delay: allowed is ") + FabricUnits::TIME_FORMS);
    }
    if (!error)
    {
        cursor.Fault(4, "error rate: allowed is a number from 0 to below 1");
    }
    if (!cursor.GetFaults().IsEmpty())
    {
        return; // the file is refused anyway; its other faults are still looked for
    }
    const auto why = topology.ExplainLink(a, b, *rate, *delay, *error);
    if (!why.empty())
    {
        cursor.GetFaults().Add(cursor.GetName(), cursor.GetLine(), "", why);
        return;
    }
    topology.AddLink(a, b, *rate, *delay, *error, cursor.GetLine());
}

FlowList
HpccScenarioReader::ReadFlows(const std::string& path, uint32_t payloadBytes, FlowForm form)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadFlows(in, path, payloadBytes, form);
}

FlowList
HpccScenarioReader::ReadFlows(std::istream& in,
                              const std::string& name,
                              uint32_t payloadBytes,
                              FlowForm form)
{
    TextCursor cursor(in, name);
    if (!cursor.Next())
    {
        cursor.Fail("empty file, a flow file starts with the number of flows");
    }
    cursor.Expect(1, "number of flows");
    const uint64_t count = cursor.ReadWhole(0, 0, FlowList::MAX_FLOWS, "number of flows");
    cursor.GetFaults().ThrowIfAny();

    FlowList list;
    list.source = name;
    uint32_t decreasing = 0;
    for (uint64_t i = 0; i < count; ++i)
    {
        if (!cursor.Next())
        {
            FailShort(cursor, "flows", count, i);
        }
        if (form == FlowForm::AUTO)
        {
            const bool point = cursor.Get(4).find('.') != std::string::npos;
            const bool noPort = FabricUnits::Whole(cursor.Get(3)).value_or(0) > 65535;
            form = point || noPort ? FlowForm::PACKETS : FlowForm::SIZES;
        }
        list.flows.push_back(ReadFlow(cursor, form, payloadBytes));
        list.flows.back().id = i;
        if (i > 0 && list.flows[i].startPs < list.flows[i - 1].startPs && decreasing++ == 0)
        {
            list.notes.push_back(name + ":" + std::to_string(cursor.GetLine()) +
                                 ": start times decrease; each flow starts at its own time");
        }
    }
    cursor.GetFaults().ThrowIfAny();
    if (form == FlowForm::PACKETS)
    {
        list.notes.push_back(name + ": columns read as packet count, start, end (2015 form); " +
                             std::to_string(payloadBytes) + " B a packet");
    }
    return list;
}

FlowRecord
HpccScenarioReader::ReadFlow(TextCursor& cursor, FlowForm form, uint32_t payloadBytes)
{
    FlowRecord flow;
    flow.line = cursor.GetLine();
    const bool packets = form == FlowForm::PACKETS;
    if (!cursor.Expect(6,
                       packets ? "src dst priority packets start end"
                               : "src dst priority dst-port bytes start"))
    {
        return flow;
    }
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    flow.src = static_cast<uint32_t>(cursor.ReadWhole(0, 0, MAX_ID, "source"));
    flow.dst = static_cast<uint32_t>(cursor.ReadWhole(1, 0, MAX_ID, "destination"));
    flow.priority = static_cast<uint8_t>(cursor.ReadWhole(2, 0, 7, "priority"));
    if (packets)
    {
        const uint64_t limit = payloadBytes > 0 ? most / payloadBytes : most;
        flow.bytes = cursor.ReadWhole(3, 0, limit, "packet count") * payloadBytes;
        flow.startPs = ReadSeconds(cursor, 4, "start");
        flow.endPs = ReadSeconds(cursor, 5, "end");
        if (flow.endPs < flow.startPs)
        {
            cursor.Fault(5, "the end is before the start");
        }
        return flow;
    }
    flow.dstPort = static_cast<uint16_t>(cursor.ReadWhole(3, 0, 65535, "destination port"));
    flow.bytes = cursor.ReadWhole(4, 0, most, "bytes");
    flow.startPs = ReadSeconds(cursor, 5, "start");
    return flow;
}

std::vector<uint32_t>
HpccScenarioReader::ReadTrace(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadTrace(in, path);
}

std::vector<uint32_t>
HpccScenarioReader::ReadTrace(std::istream& in, const std::string& name)
{
    TextCursor cursor(in, name);
    if (!cursor.Next())
    {
        cursor.Fail("empty file, a trace list starts with the number of nodes");
    }
    cursor.Expect(1, "number of nodes");
    const uint64_t count = cursor.ReadWhole(0, 0, FabricTopology::MAX_NODES, "number of nodes");
    cursor.GetFaults().ThrowIfAny();
    return ReadIds(cursor, static_cast<uint32_t>(count), FabricTopology::MAX_NODES, "node ids");
}

HpccConfig
HpccScenarioReader::ReadConfig(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadConfig(in, path);
}

HpccConfig
HpccScenarioReader::ReadConfig(std::istream& in, const std::string& name)
{
    TextCursor cursor(in, name);
    return HpccConfig::Read(cursor);
}

} // namespace ns3
