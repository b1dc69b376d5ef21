/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-routes-reader.h"

#include "text-cursor.h"

#include "ns3/ib-lid-table.h"

#include <fstream>
#include <map>

namespace ns3
{

namespace
{

/** @return a number "0x..." of at most 16 digits and a value; notes a fault otherwise */
uint64_t
Hex(TextCursor& cursor, size_t i, uint64_t most, const std::string& what)
{
    const std::string& word = cursor.Get(i);
    const bool form = word.size() > 2 && word.size() <= 18 && word.compare(0, 2, "0x") == 0 &&
                      word.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    const uint64_t value = form ? std::stoull(word.substr(2), nullptr, 16) : 0;
    if (!form || value > most)
    {
        cursor.Fail(what + " is a hexadecimal number, 0x..., up to " + std::to_string(most), word);
    }
    return value;
}

} // namespace

uint32_t
IbRoutesReader::ReadLids(const std::string& path, IbSubnet& subnet)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadLids(in, path, subnet);
}

uint32_t
IbRoutesReader::ReadLids(std::istream& in, const std::string& name, IbSubnet& subnet)
{
    TextCursor cursor(in, name);
    std::map<uint64_t, std::pair<uint16_t, uint8_t>> lids;
    while (cursor.Next())
    {
        if (!cursor.Expect(3, "PORT-GUID FIRST-LID LAST-LID"))
        {
            continue;
        }
        const uint64_t guid = Hex(cursor, 0, UINT64_MAX, "a port GUID");
        const uint64_t first = Hex(cursor, 1, IbLidTable::UNICAST_END - 1, "a LID");
        const uint64_t last = Hex(cursor, 2, IbLidTable::UNICAST_END - 1, "a LID");
        uint8_t lmc = 0;
        while (lmc < 7 && first + (1U << lmc) - 1 < last)
        {
            ++lmc;
        }
        if (first == 0 || first + (1U << lmc) - 1 != last || first % (1U << lmc) != 0)
        {
            cursor.Fault(2, "LIDs are 1, 2, 4 to 128 in a row, from a multiple of their number");
        }
        lids[guid] = {static_cast<uint16_t>(first), lmc};
    }
    cursor.GetFaults().ThrowIfAny();
    uint32_t given = 0;
    for (uint32_t node = 0; node < subnet.GetNodes().size(); ++node)
    {
        for (IbSubnet::Port& port : subnet.At(node).ports)
        {
            const auto entry = port.guid == 0 ? lids.end() : lids.find(port.guid);
            port.lid = entry == lids.end() ? 0 : entry->second.first;
            port.lmc = entry == lids.end() ? 0 : entry->second.second;
            given += entry == lids.end() ? 0 : 1;
        }
    }
    return given;
}

IbForwarding
IbRoutesReader::ReadTables(const std::string& path, const IbSubnet& subnet)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadTables(in, path, subnet);
}

IbForwarding
IbRoutesReader::ReadTables(std::istream& in, const std::string& name, const IbSubnet& subnet)
{
    TextCursor cursor(in, name);
    IbForwarding result;
    result.tables.resize(subnet.GetNodes().size());
    uint32_t node = IbSubnet::NONE;
    while (cursor.Next())
    {
        if (cursor.Get(0) == "dump_ucast_routes:")
        {
            const uint64_t guid = Hex(cursor, 2, UINT64_MAX, "a switch GUID");
            node = subnet.FindGuid(guid);
            if (node == IbSubnet::NONE || subnet.At(node).type != IbSubnet::Type::SWITCH)
            {
                cursor.Fail("a GUID of a switch of the subnet", cursor.Get(2));
            }
            continue;
        }
        if (cursor.Get(0) == "LID")
        {
            continue; // the titles of the columns
        }
        const uint64_t lid = Hex(cursor, 0, IbLidTable::UNICAST_END - 1, "a LID");
        if (node == IbSubnet::NONE)
        {
            cursor.Fail("a line 'dump_ucast_routes: Switch GUID' before", cursor.Get(0));
        }
        if (cursor.Get(2) != "UNREACHABLE")
        {
            const uint64_t port =
                cursor.ReadWhole(2, 0, subnet.At(node).GetNPorts(), "a port of the switch");
            result.Set(node, static_cast<uint16_t>(lid), static_cast<uint8_t>(port));
        }
    }
    cursor.GetFaults().ThrowIfAny();
    return result;
}

} // namespace ns3
