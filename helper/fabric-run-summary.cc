/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-run-summary.h"

#include "fabric-units.h"

#include "ns3/fabric-port.h"
#include "ns3/pfc-flow-control.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{
/** A whole number with separators: 1,234,567. */
std::string
Grouped(uint64_t value)
{
    std::string text = std::to_string(value);
    for (size_t i = text.size(); i > 3; i -= 3)
    {
        text.insert(i - 3, ",");
    }
    return text;
}

std::string
Percent(uint64_t part, uint64_t whole)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f %%",
                  whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0);
    return text;
}

std::string
PlaceOf(FabricPort& port, uint8_t vl)
{
    return port.station->GetName() + " port " + std::to_string(port.id) + " class " +
           std::to_string(vl);
}

/** The lines that describe one switch's budget; equal for switches of one kind. */
std::string
BudgetText(FabricSwitch& sw)
{
    const SwitchBufferBudget& b = sw.GetBuffer()->GetBudget();
    std::ostringstream os;
    os << sw.GetNPorts() << " ports: buffer " << Grouped(b.size) << " B = reserved "
       << Grouped(b.reserved) << " + headroom " << Grouped(b.headroom);
    if (b.maxHeadroom > 0)
    {
        os << " (" << Grouped(b.minHeadroom)
           << (b.minHeadroom == b.maxHeadroom ? "" : " to " + Grouped(b.maxHeadroom))
           << " per port and class)";
    }
    os << " + shared " << Grouped(b.shared) << "\n      first XOFF at " << Grouped(b.firstXoff)
       << " B shared by one ingress; ";
    std::set<std::string> marks;
    for (uint16_t i = 0; i < sw.GetNPorts(); ++i)
    {
        const auto red = DynamicCast<RedEcnMarker>(sw.GetMarker(i));
        if (red && sw.GetPort(i).peer != nullptr)
        {
            marks.insert("Kmin " + Grouped(red->GetEffectiveMin()) + ", Kmax " +
                         Grouped(red->GetEffectiveMax()) + " B at " +
                         FabricUnits::RateText(sw.GetPort(i).rate.GetBps()));
        }
    }
    os << (marks.empty() ? "no ECN marking" : "");
    for (const auto& mark : marks)
    {
        os << (mark == *marks.begin() ? "" : "; ") << mark;
    }
    return os.str();
}
} // namespace

FabricPs
FabricRunSummary::PausedOf(const FabricPort& port, uint8_t vl)
{
    const auto* pfc = dynamic_cast<const PfcFlowControl*>(port.flow);
    return pfc ? pfc->GetPausedTotal(vl, FabricTime::Now()) : port.stats.of[vl].pausedPs;
}

FabricRunSummary::Totals
FabricRunSummary::Count(const FabricHelper& fabric)
{
    fabric.SyncAll();
    Totals t;
    for (uint32_t end = 0; end < 2 * fabric.GetTopology().GetNLinks(); ++end)
    {
        const auto [station, index] = fabric.GetPortOfLink(end / 2, end % 2);
        FabricPort& port = station->GetPort(index);
        auto* sw = dynamic_cast<FabricSwitch*>(PeekPointer(station));
        for (uint8_t reason = 0; reason < FABRIC_DROP_REASONS; ++reason)
        {
            t.drops[reason] += port.stats.dropsByReason[reason];
        }
        for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
        {
            const FabricClassStats& s = port.stats.of[vl];
            t.sum.txPackets += s.txPackets;
            t.sum.txBytes += s.txBytes;
            t.sum.ceMarks += s.ceMarks;
            t.sum.xoffTx += s.xoffTx;
            t.sum.xonTx += s.xonTx;
            t.sum.pausedPs += PausedOf(port, vl);
            t.sum.drops += s.drops;
            t.dropsByClass[vl] += s.drops;
            if (sw != nullptr && s.maxIngressBytes > t.maxIngress)
            {
                t.maxIngress = s.maxIngressBytes;
                t.maxIngressAt = PlaceOf(port, vl);
                t.maxIngressXoff = sw->GetBuffer()->GetBudget().firstXoff;
            }
            if (sw != nullptr && s.maxQueueBytes > t.maxQueue)
            {
                t.maxQueue = s.maxQueueBytes;
                t.maxQueueAt = PlaceOf(port, vl);
            }
        }
    }
    for (uint32_t i = 0; i < fabric.GetNEndpoints(); ++i)
    {
        t.qps.Add(fabric.GetNic(i)->GetCounters());
    }
    return t;
}

std::string
FabricRunSummary::TimeText(FabricPs ps)
{
    const auto value = static_cast<double>(ps);
    char text[40];
    if (ps < 1'000'000)
    {
        std::snprintf(text, sizeof(text), "%.6g ns", value * 1e-3);
    }
    else if (ps < 1'000'000'000)
    {
        std::snprintf(text, sizeof(text), "%.6g us", value * 1e-6);
    }
    else if (ps < 1'000'000'000'000)
    {
        std::snprintf(text, sizeof(text), "%.6g ms", value * 1e-9);
    }
    else
    {
        std::snprintf(text, sizeof(text), "%.6g s", value * 1e-12);
    }
    return text;
}

bool
FabricRunSummary::PrintTopology(std::ostream& os, const FabricTopology& topology)
{
    const FabricTopology::Report r = topology.Check();
    os << "topology    " << r.hosts << " hosts, " << r.switches << " switches, " << r.links
       << " links (" << r.hostSwitchLinks << " host-switch, " << r.switchSwitchLinks
       << " switch-switch, " << r.hostHostLinks << " host-host), " << r.components
       << (r.components == 1 ? " component" : " components") << "\n";
    for (const auto& c : r.classes)
    {
        os << "            " << c.links << " x " << FabricUnits::RateText(c.rateBps) << " "
           << FabricUnits::TimeText(c.delayPs) << "\n";
    }
    bool good = true;
    auto warn = [&os, &good](const std::string& text) {
        os << "warning     " << text << "\n";
        good = false;
    };
    if (r.components > 1)
    {
        warn("the topology falls into " + std::to_string(r.components) + " parts");
    }
    if (!r.bareHosts.empty() || !r.bareSwitches.empty())
    {
        warn(std::to_string(r.bareHosts.size()) + " hosts and " +
             std::to_string(r.bareSwitches.size()) + " switches have no link");
    }
    if (r.unreachablePairs > 0)
    {
        std::string text = std::string(r.unreachableExact ? "" : "at least ") +
                           std::to_string(r.unreachablePairs) +
                           " host pairs have no path (hosts do not forward):";
        for (const auto& [a, b] : r.unreachableExamples)
        {
            text += " " + std::to_string(a) + "-" + std::to_string(b);
        }
        warn(text + (r.unreachablePairs > r.unreachableExamples.size() ? " ..." : ""));
    }
    return good;
}

void
FabricRunSummary::PrintBudgets(std::ostream& os, const FabricHelper& fabric)
{
    std::map<std::string, std::pair<std::string, uint32_t>> kinds;
    std::vector<std::string> order;
    for (const auto& sw : fabric.GetSwitches())
    {
        const std::string text = BudgetText(*sw);
        auto& [name, count] = kinds[text];
        if (count++ == 0)
        {
            name = sw->GetName();
            order.push_back(text);
        }
    }
    std::string warning;
    uint64_t shortOf = 0;
    for (const auto& sw : fabric.GetSwitches())
    {
        const SwitchBufferBudget& b = sw->GetBuffer()->GetBudget();
        warning = warning.empty() ? b.warning : warning;
        shortOf += b.shortOf;
    }
    if (shortOf > 0)
    {
        os << "warning     " << warning
           << (shortOf > 1 ? " (" + Grouped(shortOf - 1) + " more like it)" : "") << "\n";
    }
    for (const auto& text : order)
    {
        const auto& [name, count] = kinds[text];
        os << "switches    " << count << " like " << name << ", " << text << "\n";
    }
}

std::vector<FabricManifest::Part>
FabricRunSummary::PartsOf(const FabricHelper& fabric, Ptr<RdmaCongestionOps> congestion)
{
    std::vector<FabricManifest::Part> parts;
    if (fabric.GetNEndpoints() > 0)
    {
        parts.push_back({"NIC", fabric.GetNic(0)});
    }
    if (congestion)
    {
        parts.push_back({"congestion control", congestion});
    }
    if (fabric.GetSwitches().empty())
    {
        return parts;
    }
    const Ptr<FabricSwitch> sw = fabric.GetSwitches().front();
    parts.push_back({"switch", sw});
    parts.push_back({"switch buffer", sw->GetBuffer()});
    parts.push_back({"class map", sw->GetClassMap()});
    for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
    {
        FabricPort& port = sw->GetPort(i);
        if (port.peer == nullptr)
        {
            continue;
        }
        if (const auto marker = sw->GetMarker(i))
        {
            parts.push_back({"ECN marker", marker});
        }
        parts.push_back({"flow control", port.flowOwner});
        parts.push_back({"scheduler", port.schedulerOwner});
        break;
    }
    return parts;
}

void
FabricRunSummary::PrintParameters(std::ostream& os, const std::vector<FabricManifest::Part>& parts)
{
    os << "parameters in effect (set with --attribute='ns3::Type::Name=value')\n";
    for (const auto& part : parts)
    {
        os << "  " << part.object->GetInstanceTypeId().GetName() << " (" << part.what << ")\n";
        std::string line = "   ";
        for (const auto& entry : AttributeDefaults::Effective(*part.object))
        {
            const bool bare = entry.unit.empty() || entry.unit == "time" || entry.unit == "rate";
            const std::string word =
                " " + entry.name + "=" + entry.value + (bare ? "" : " " + entry.unit) + ";";
            if (line.size() + word.size() > 100)
            {
                os << line << "\n";
                line = "   ";
            }
            line += word;
        }
        os << (line.size() > 3 ? line + "\n" : "");
    }
}

void
FabricRunSummary::PrintCounters(std::ostream& os,
                                const Totals& t,
                                const RdmaCongestionCounters& congestion,
                                bool hasCongestion)
{
    os << "PFC         XOFF sent: " << Grouped(t.sum.xoffTx) << ", XON sent: "
       << Grouped(t.sum.xonTx) << "; highest ingress counter " << Grouped(t.maxIngress) << " B"
       << (t.maxIngressAt.empty() ? "" : " (" + t.maxIngressAt + ")")
       << ", XOFF threshold of a lone ingress " << Grouped(t.maxIngressXoff) << " B\n";
    char paused[32];
    std::snprintf(paused, sizeof(paused), "%.1f", static_cast<double>(t.sum.pausedPs) * 1e-6);
    os << "            paused " << paused << " us in all; longest egress queue "
       << Grouped(t.maxQueue) << " B" << (t.maxQueueAt.empty() ? "" : " (" + t.maxQueueAt + ")")
       << "\n";
    os << "ECN         marks: " << Grouped(t.sum.ceMarks) << "; marked packets at receivers: "
       << Grouped(t.qps.markedRx) << "; CNPs sent: " << Grouped(t.qps.cnpsTx)
       << ", received: " << Grouped(t.qps.cnpsRx) << "\n";
    os << "congestion  rate cuts: " << Grouped(congestion.rateCuts) << ", increases: "
       << Grouped(congestion.increases);
    const bool acted = congestion.rateCuts > 0 || t.qps.cnpsRx > 0 || t.sum.ceMarks > 0;
    os << (!hasCongestion ? " (no congestion control)"
           : acted        ? ""
                          : "; congestion control never acted")
       << "\n";
    os << "drops       " << Grouped(t.sum.drops);
    for (uint8_t reason = 0; reason < FABRIC_DROP_REASONS; ++reason)
    {
        if (t.drops[reason] > 0)
        {
            os << "; " << FabricDropReasonName(static_cast<FabricDropReason>(reason)) << " "
               << Grouped(t.drops[reason]);
        }
    }
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (t.dropsByClass[vl] > 0)
        {
            os << "; class " << static_cast<int>(vl) << ": " << Grouped(t.dropsByClass[vl]);
        }
    }
    os << "\nrecovery    packets sent again: " << Grouped(t.qps.retransmits) << ", timeouts: "
       << Grouped(t.qps.timeouts) << ", NAKs: " << Grouped(t.qps.naksRx) << ", RNR NAKs: "
       << Grouped(t.qps.rnrRx) << "\n";
}

void
FabricRunSummary::PrintPools(std::ostream& os, const FabricHelper& fabric)
{
    uint64_t held = 0;
    uint64_t heldOf = 0;
    uint64_t headroom = 0;
    uint64_t headroomOf = 0;
    std::string heldAt;
    std::string headroomAt;
    for (const auto& sw : fabric.GetSwitches())
    {
        const SwitchBuffer& b = *sw->GetBuffer();
        if (b.GetMaxHeld() > held)
        {
            held = b.GetMaxHeld();
            heldOf = b.GetBudget().size;
            heldAt = sw->GetName();
        }
        if (b.GetMaxHeadroomUsed() > headroom)
        {
            headroom = b.GetMaxHeadroomUsed();
            headroomOf = b.GetBudget().maxHeadroom;
            headroomAt = sw->GetName();
        }
    }
    os << "buffers     most held by a switch " << Grouped(held) << " B"
       << (held > 0 ? " of " + Grouped(heldOf) + " (" + Percent(held, heldOf) + ", " + heldAt + ")"
                    : "")
       << "; most headroom of one port and class " << Grouped(headroom) << " B"
       << (headroom > 0 ? " of " + Grouped(headroomOf) + " (" + headroomAt + ")" : "") << "\n";
}

uint64_t
FabricRunSummary::PrintUnfinished(std::ostream& os, const std::vector<FlowOutcome>& flows)
{
    uint64_t count = 0;
    for (const auto& f : flows)
    {
        using Status = FlowOutcome::Status;
        if (f.status == Status::FINISHED || f.status == Status::STOPPED ||
            f.status == Status::ENDLESS)
        {
            continue;
        }
        if (++count <= 10)
        {
            os << "  flow " << f.id << " (node " << f.src << " to " << f.dst << ", " << f.bytes
               << " bytes, start " << TimeText(f.startPs) << ") " << f.GetStatusName()
               << ": " << f.reason << "\n";
        }
    }
    if (count > 10)
    {
        os << "  ... and " << count - 10 << " more (see flows.csv)\n";
    }
    return count;
}

} // namespace ns3
