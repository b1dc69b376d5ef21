/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "htsim-matrix.h"

#include "fabric-units.h"
#include "text-cursor.h"

#include <cctype>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint64_t MOST = std::numeric_limits<uint64_t>::max();
constexpr uint64_t MAX_DEPENDENCIES = 10'000'000; //!< flows waited for, summed over all flows

/**
 * @param text any text
 * @return it in lower case
 */
std::string
Lower(std::string text)
{
    for (auto& c : text)
    {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace

HtsimMatrix::HtsimMatrix(TextCursor& cursor)
    : m_cursor(cursor)
{
    m_list.source = cursor.GetName();
}

FlowList
HtsimMatrix::Read(HtsimScenarioReader::MatrixHeader& header)
{
    while (m_cursor.Next())
    {
        const std::string& first = m_cursor.Get(0);
        if (first.find("->") != std::string::npos)
        {
            if (m_list.flows.size() == FlowList::MAX_FLOWS)
            {
                m_cursor.Fail("more than " + std::to_string(FlowList::MAX_FLOWS) + " connections");
            }
            ReadConnection(header.nodes);
        }
        else if (first == "trigger")
        {
            ReadTrigger();
        }
        else if (first == "failure")
        {
            ++m_failureLines;
            ++m_unhonoured["failure lines (use link-down)"];
        }
        else
        {
            ReadHeaderLine(header, Lower(first));
        }
    }
    if (header.nodes == 0)
    {
        m_cursor.GetFaults().Add(m_list.source, 0, "Nodes", "missing in front of the connections");
    }
    m_cursor.GetFaults().ThrowIfAny();
    ResolveTriggers();
    m_cursor.GetFaults().ThrowIfAny();
    CompareHeader(header);
    return std::move(m_list);
}

void
HtsimMatrix::ReadHeaderLine(HtsimScenarioReader::MatrixHeader& header, const std::string& key)
{
    uint32_t* const value = key == "nodes"         ? &header.nodes
                            : key == "connections" ? &header.connections
                            : key == "triggers"    ? &header.triggers
                            : key == "failures"    ? &header.failures
                                                   : nullptr;
    if (value == nullptr)
    {
        m_cursor.Fault(0,
                       "allowed are Nodes, Connections, Triggers, Failures, a connection as "
                       "0->1 start 0 size 1000, and trigger or failure lines");
        return;
    }
    const auto [it, isNew] = m_headers.try_emplace(key, m_cursor.GetLine());
    if (!isNew)
    {
        m_cursor.Fault(0, "repeated, first in line " + std::to_string(it->second));
    }
    if (m_cursor.Expect(2, "key number"))
    {
        const uint64_t most = std::numeric_limits<uint32_t>::max();
        *value = static_cast<uint32_t>(
            key == "nodes" ? m_cursor.ReadWhole(1, 1, FabricTopology::MAX_NODES, "nodes")
                           : m_cursor.ReadWhole(1, 0, most, key));
    }
}

void
HtsimMatrix::ReadConnection(uint32_t nodes)
{
    const std::string pair = m_cursor.Get(0);
    const size_t arrow = pair.find("->");
    const auto src = FabricUnits::Whole(pair.substr(0, arrow));
    const auto dst = FabricUnits::Whole(pair.substr(arrow + 2));
    if (!src || !dst || *src >= nodes || *dst >= nodes)
    {
        m_cursor.Fault(0,
                       nodes == 0
                           ? "Nodes must come before the connections"
                           : "allowed is src->dst with hosts 0 to " + std::to_string(nodes - 1));
        return;
    }
    FlowRecord flow;
    flow.src = static_cast<uint32_t>(*src);
    flow.dst = static_cast<uint32_t>(*dst);
    flow.line = m_cursor.GetLine();
    m_keys.clear();
    for (size_t i = 1; i < m_cursor.GetCount();)
    {
        ReadConnectionKey(i, flow);
    }
    if (m_keys.count("start") == m_keys.count("trigger"))
    {
        m_cursor.Fault(0, "one of start and trigger is wanted, not both");
    }
    if (m_keys.count("size") == 0)
    {
        m_cursor.Fault(0, "size is missing");
    }
    flow.endless = flow.bytes == 0;
    File(flow);
    m_list.flows.push_back(std::move(flow));
}

void
HtsimMatrix::ReadConnectionKey(size_t& i, FlowRecord& flow)
{
    const std::string key = m_cursor.Get(i++);
    if (!m_keys.insert(key).second)
    {
        m_cursor.Fault(i - 1, "repeated in this line");
    }
    if (key == "msg")
    {
        return;
    }
    if (key == "addon")
    {
        ++m_unhonoured["addon"];
    }
    else if (key == "size")
    {
        flow.bytes = m_cursor.ReadWhole(i++, 0, MOST, "size in bytes");
    }
    else if (key == "id")
    {
        flow.id = m_cursor.ReadWhole(i++, 1, MOST, "id");
    }
    else if (key == "prio")
    {
        m_cursor.ReadWhole(i++, 0, MOST, "prio");
        ++m_unhonoured["prio"];
    }
    else if (key == "start")
    {
        const bool micros = m_cursor.Get(i).find('.') != std::string::npos;
        const auto ps = FabricUnits::ScaleDecimal(m_cursor.Get(i), micros ? 1'000'000 : 1);
        if (!ps || *ps > MOST / 2)
        {
            m_cursor.Fault(i, "start: allowed are whole ps, or us with a decimal point");
        }
        flow.startPs = static_cast<int64_t>(ps.value_or(0) & (MOST / 2));
        ++i;
    }
    else if (key == "trigger")
    {
        FindTrigger(i++).targets.push_back(static_cast<uint32_t>(m_list.flows.size()));
    }
    else if (key == "send_done_trigger" || key == "recv_done_trigger")
    {
        const auto index = static_cast<uint32_t>(m_list.flows.size());
        FindTrigger(i++).firers.push_back({index, key[0] == 'r'});
    }
    else
    {
        m_cursor.Fault(i - 1,
                       "allowed are start, trigger, size, id, msg, send_done_trigger, "
                       "recv_done_trigger, prio, addon");
    }
}

void
HtsimMatrix::File(FlowRecord& flow)
{
    const auto index = static_cast<uint32_t>(m_list.flows.size());
    if (flow.id == 0)
    {
        flow.id = index;
        return;
    }
    const auto [it, isNew] = m_firstOf.try_emplace(flow.id, index);
    if (isNew)
    {
        flow.connection = m_keys.count("msg") > 0 ? flow.id : 0;
        return;
    }
    FlowRecord& first = m_list.flows[it->second];
    const std::string line = std::to_string(first.line);
    if (m_keys.count("msg") == 0)
    {
        m_cursor.Fault(0,
                       "id " + std::to_string(flow.id) + " repeated, first in line " + line +
                           ": further messages of a connection say msg");
    }
    else if (first.src != flow.src || first.dst != flow.dst)
    {
        m_cursor.Fault(0,
                       "id " + std::to_string(flow.id) + " has other hosts than in line " + line);
    }
    first.connection = flow.id;
    flow.connection = flow.id;
}

HtsimMatrix::Trigger&
HtsimMatrix::FindTrigger(size_t i)
{
    Trigger& trigger = m_triggers[m_cursor.ReadWhole(i, 1, MOST, "trigger")];
    trigger.firstUse = trigger.firstUse > 0 ? trigger.firstUse : m_cursor.GetLine();
    return trigger;
}

void
HtsimMatrix::ReadTrigger()
{
    ++m_triggerLines;
    Trigger read;
    uint64_t id = 0;
    for (size_t i = 1; i < m_cursor.GetCount(); ++i)
    {
        const std::string& key = m_cursor.Get(i);
        if (key == "id")
        {
            id = m_cursor.ReadWhole(++i, 1, MOST, "trigger id");
        }
        else if (key == "count")
        {
            read.count = m_cursor.ReadWhole(++i, 1, MOST, "count");
        }
        else if (read.type.empty() && (key == "oneshot" || key == "multishot" || key == "barrier"))
        {
            read.type = key;
        }
        else
        {
            m_cursor.Fault(i, "allowed are id, count and one of oneshot, multishot, barrier");
        }
    }
    if (id == 0 || read.type.empty())
    {
        m_cursor.Fault(0, "id and one of oneshot, multishot, barrier are wanted");
        return;
    }
    Trigger& trigger = m_triggers[id];
    if (trigger.line > 0)
    {
        m_cursor.Fault(0,
                       "trigger " + std::to_string(id) + " repeated, first in line " +
                           std::to_string(trigger.line));
    }
    trigger.line = m_cursor.GetLine();
    trigger.type = read.type;
    trigger.count = read.count;
}

void
HtsimMatrix::ResolveTriggers()
{
    uint32_t undefined = 0;
    uint64_t total = 0;
    for (auto& [id, trigger] : m_triggers)
    {
        const std::string name = "trigger " + std::to_string(id);
        undefined += trigger.line == 0 ? 1 : 0;
        const bool barrier = trigger.type == "barrier";
        const uint64_t fired = trigger.firers.size();
        if (!trigger.targets.empty() && (fired == 0 || (barrier && trigger.count > fired)))
        {
            m_cursor.GetFaults().Add(m_list.source,
                                     trigger.firstUse,
                                     name,
                                     fired == 0
                                         ? "starts flows but no flow fires it"
                                         : "waits for " + std::to_string(trigger.count) +
                                               " firings, there are " + std::to_string(fired));
            continue;
        }
        total += fired * trigger.targets.size();
        if (total > MAX_DEPENDENCIES)
        {
            m_cursor.GetFaults().Fail(m_list.source,
                                      trigger.firstUse,
                                      name,
                                      "too many dependencies");
        }
        for (size_t t = 0; t < trigger.targets.size(); ++t)
        {
            FlowRecord& flow = m_list.flows[trigger.targets[t]];
            flow.dependsOn = trigger.firers;
            // A barrier opens with its last firing, a multishot starts one flow a firing.
            const uint64_t needed = barrier                       ? trigger.count
                                    : trigger.type == "multishot" ? t + 1
                                                                  : 1;
            flow.needed = static_cast<uint32_t>(needed);
        }
    }
    if (undefined > 0)
    {
        m_list.notes.push_back(m_list.source + ": " + std::to_string(undefined) +
                               " triggers are used but not defined, read as oneshot");
    }
}

void
HtsimMatrix::CompareHeader(const HtsimScenarioReader::MatrixHeader& header)
{
    const auto compare = [this](const char* key, uint64_t declared, uint64_t found) {
        const auto it = m_headers.find(key);
        if (it != m_headers.end() && declared != found)
        {
            m_list.notes.push_back(m_list.source + ":" + std::to_string(it->second) + ": " + key +
                                   ": " + std::to_string(declared) + " declared, " +
                                   std::to_string(found) + " found; the lines count");
        }
    };
    compare("connections", header.connections, m_list.flows.size());
    compare("triggers", header.triggers, m_triggerLines);
    compare("failures", header.failures, m_failureLines);
    for (const auto& [what, count] : m_unhonoured)
    {
        m_list.notes.push_back(m_list.source + ": not honoured: " + what + " (" +
                               std::to_string(count) + " times)");
    }
}

} // namespace ns3
