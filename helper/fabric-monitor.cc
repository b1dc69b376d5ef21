/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-monitor.h"

#include "attribute-defaults.h"
#include "fabric-units.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/pfc-flow-control.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>

namespace ns3
{

namespace
{
/** Shortest interval of samples: 1 ns. */
constexpr FabricPs MIN_INTERVAL = 1000;

const char*
Definition(const std::string& kind)
{
    return kind == "queue"   ? "bytes queued at the egress port, all classes, at that time"
           : kind == "rate"  ? "Gb/s (10^9 bit/s) of frames, as buffers count them, whose "
                               "transmission began in the interval that ends there"
           : kind == "pause" ? "us in the interval for which the egress port was paused, summed "
                               "over classes"
           : kind == "mark"  ? "packets marked congestion experienced in the interval"
                             : "CNPs received by the NIC in the interval";
}

const char*
Unit(const std::string& kind)
{
    return kind == "queue"   ? "bytes"
           : kind == "rate"  ? "gbps"
           : kind == "pause" ? "us"
           : kind == "mark"  ? "packets"
                             : "cnps";
}
} // namespace

FabricMonitor::FabricMonitor(const FabricHelper& fabric,
                             const FabricMonitorSpec& spec,
                             const std::string& path)
    : m_fabric(fabric),
      m_kind(spec.kind),
      m_interval(spec.intervalPs),
      m_path(path),
      m_out(path)
{
    if (!m_out)
    {
        throw FabricError("monitor " + m_kind + ": cannot write '" + path + "'");
    }
    Check(fabric.GetTopology(), spec);
    AddColumns(spec);
}

FabricMonitor::~FabricMonitor()
{
    m_event.Cancel();
}

void
FabricMonitor::Check(const FabricTopology& topology, const FabricMonitorSpec& spec)
{
    if (spec.intervalPs < MIN_INTERVAL)
    {
        throw FabricError("monitor " + spec.kind + ": an interval of " +
                          FabricUnits::TimeText(spec.intervalPs) +
                          " is too short; allowed: at least 1ns");
    }
    std::vector<std::string> known;
    for (const auto& node : topology.GetNodes())
    {
        known.push_back(node.name);
    }
    for (const auto& name : spec.nodes)
    {
        if (std::find(known.begin(), known.end(), name) == known.end())
        {
            const std::string close = AttributeDefaults::CloseMatches(name, known);
            throw FabricError("monitor " + spec.kind + ": there is no node '" + name + "'" +
                              (close.empty() ? "" : "; did you mean " + close + "?"));
        }
    }
}

void
FabricMonitor::AddColumns(const FabricMonitorSpec& spec)
{
    const FabricTopology& topology = m_fabric.GetTopology();
    std::vector<std::string> names;
    const bool switchesOnly = m_kind == "queue" || m_kind == "mark";
    for (const auto& node : topology.GetNodes())
    {
        const bool isSwitch = node.role == FabricTopology::Role::SWITCH;
        const bool wanted = spec.nodes.empty() || std::find(spec.nodes.begin(), spec.nodes.end(),
                                                            node.name) != spec.nodes.end();
        if (!wanted || (switchesOnly && !isSwitch) || (m_kind == "cnp" && isSwitch))
        {
            continue;
        }
        for (uint32_t link : topology.GetLinks(node.id))
        {
            const uint32_t end = topology.GetLinks()[link].a == node.id ? 0 : 1;
            const auto [station, port] = m_fabric.GetPortOfLink(link, end);
            Column column;
            column.port = &station->GetPort(port);
            column.nic = DynamicCast<RdmaNic>(station);
            m_columns.push_back(column);
            names.push_back(node.name + ":" + std::to_string(port) + ">" +
                            topology.GetNodes()[topology.GetPeer(link, node.id)].name);
        }
    }
    WriteHeader(names);
}

void
FabricMonitor::WriteHeader(const std::vector<std::string>& names)
{
    m_out << "# time_us: simulated time of the sample, us; a row every "
          << FabricUnits::TimeText(m_interval) << "\n# node:port>peer_" << Unit(m_kind) << ": "
          << Definition(m_kind) << "\ntime_us";
    for (const auto& name : names)
    {
        m_out << "," << name << "_" << Unit(m_kind);
    }
    m_out << "\n";
    m_out.flush();
}

void
FabricMonitor::Start()
{
    m_event = Simulator::Schedule(FabricTime::To(m_interval), &FabricMonitor::Sample, this);
}

void
FabricMonitor::Stop()
{
    m_event.Cancel();
    m_out.close();
}

uint64_t
FabricMonitor::Read(const Column& column, FabricPs now) const
{
    if (m_kind == "cnp")
    {
        return column.nic->GetCounters().cnpsRx;
    }
    const auto* pfc = dynamic_cast<const PfcFlowControl*>(column.port->flow);
    uint64_t sum = 0;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        const FabricClassStats& stats = column.port->stats.of[vl];
        if (m_kind == "queue")
        {
            sum += column.port->queueBytes[vl];
        }
        else if (m_kind == "rate")
        {
            sum += stats.txBytes;
        }
        else if (m_kind == "mark")
        {
            sum += stats.ceMarks;
        }
        else if (pfc != nullptr)
        {
            sum += static_cast<uint64_t>(pfc->GetPausedTotal(vl, now));
        }
    }
    return sum;
}

void
FabricMonitor::Sample()
{
    const FabricPs now = FabricTime::Now();
    m_fabric.SyncAll();
    char text[40];
    std::snprintf(text, sizeof(text), "%.6f", static_cast<double>(now) * 1e-6);
    m_out << text;
    for (auto& column : m_columns)
    {
        const uint64_t value = Read(column, now);
        const uint64_t step = value - column.last;
        column.last = value;
        if (m_kind == "rate")
        {
            std::snprintf(text, sizeof(text), ",%.4f",
                          8e3 * static_cast<double>(step) / static_cast<double>(m_interval));
        }
        else if (m_kind == "pause")
        {
            std::snprintf(text, sizeof(text), ",%.4f", static_cast<double>(step) * 1e-6);
        }
        else
        {
            std::snprintf(text, sizeof(text), ",%llu",
                          static_cast<unsigned long long>(m_kind == "queue" ? value : step));
        }
        m_out << text;
    }
    m_out << "\n";
    ++m_rows;
    m_event = Simulator::Schedule(FabricTime::To(m_interval), &FabricMonitor::Sample, this);
}

} // namespace ns3
