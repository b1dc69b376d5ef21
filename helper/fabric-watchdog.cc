/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-watchdog.h"

#include "fabric-units.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{
/** A station's place in the snapshot. */
using StationIndex = std::map<const FabricStation*, uint32_t>;

void
AddEgress(DeadlockFinder::Snapshot& snapshot,
          const StationIndex& index,
          const FabricPort& port,
          uint8_t vl)
{
    DeadlockFinder::Egress e;
    e.station = index.at(port.station);
    e.port = port.id;
    e.vl = vl;
    const auto peer = port.peer ? index.find(port.peer->station) : index.end();
    if (peer != index.end())
    {
        e.peerStation = peer->second;
        e.peerPort = port.peer->id;
        // a pause that its sender has withdrawn is as good as over
        e.paused = ((port.flow->GetBlocked() >> vl) & 1) && port.peer->flow->IsStopped(vl);
    }
    std::map<uint16_t, uint64_t> held;
    for (const FabricPacket* p = port.queue[vl].Front(); p != nullptr; p = p->next)
    {
        held[p->inPort] += p->bytes;
    }
    for (const auto& [inPort, bytes] : held)
    {
        e.held.push_back({inPort, bytes});
    }
    snapshot.egresses.push_back(std::move(e));
}

/** Bytes that a station holds of one ingress class, by egress, in words. */
std::string
HeldText(FabricStation& station, uint16_t inPort, uint8_t vl)
{
    std::string text;
    for (uint16_t i = 0; i < station.GetNPorts(); ++i)
    {
        const FabricPort& out = station.GetPort(i);
        uint64_t bytes = 0;
        for (const FabricPacket* p = out.queue[vl].Front(); p != nullptr; p = p->next)
        {
            bytes += p->inPort == inPort ? p->bytes : 0;
        }
        if (bytes > 0)
        {
            const bool paused = (out.flow->GetBlocked() >> vl) & 1;
            text += (text.empty() ? "" : ", ") + FabricUnits::SizeText(bytes) + " for its port " +
                    std::to_string(i) + (paused ? " (paused too)" : "");
        }
    }
    return text.empty() ? "nothing of it any more" : text;
}
} // namespace

FabricWatchdog::FabricWatchdog(const FabricHelper& fabric, const Time& stall, const Time& retries)
    : m_fabric(fabric),
      m_look((FabricTime::From(stall) + 3) / 4),
      m_silence(std::max(FabricTime::From(stall), FabricTime::From(retries)))
{
    if (FabricTime::From(stall) <= 0)
    {
        throw FabricError("the stall time of the watchdog must be longer than 0");
    }
}

FabricWatchdog::~FabricWatchdog()
{
    Stop();
}

void
FabricWatchdog::Start(std::function<uint64_t()> delivered,
                      std::function<bool()> waiting,
                      std::function<void(const std::string&)> onStall)
{
    m_delivered = std::move(delivered);
    m_waiting = std::move(waiting);
    m_onStall = std::move(onStall);
    m_last = m_delivered();
    m_lastAt = FabricTime::Now();
    m_event = Simulator::Schedule(FabricTime::To(m_look), &FabricWatchdog::Look, this);
}

void
FabricWatchdog::Stop()
{
    m_event.Cancel();
}

void
FabricWatchdog::Look()
{
    const FabricPs now = FabricTime::Now();
    const uint64_t delivered = m_delivered();
    const bool quiet = delivered == m_last && m_waiting();
    if (!quiet)
    {
        m_last = delivered;
        m_lastAt = now;
    }
    const auto snapshot = TakeSnapshot(m_fabric);
    const std::string deadlock =
        DeadlockFinder::Describe(snapshot, DeadlockFinder::Find(snapshot));
    const bool stands = !deadlock.empty() && deadlock == m_deadlock;
    if (!deadlock.empty())
    {
        m_deadlock = deadlock;
    }
    if (quiet && ((stands && m_quiet) || now - m_lastAt >= m_silence))
    {
        std::string text = "no flow byte was delivered for " +
                           FabricUnits::TimeText(now - m_lastAt) + " until " +
                           FabricUnits::TimeText(now);
        if (!deadlock.empty())
        {
            text += "\nPFC deadlock, each waits for the next: " + deadlock;
        }
        for (const auto& line : ExplainPauses(m_fabric, 10))
        {
            text += "\n" + line;
        }
        m_onStall(text);
        return;
    }
    m_quiet = quiet;
    m_event = Simulator::Schedule(FabricTime::To(m_look), &FabricWatchdog::Look, this);
}

DeadlockFinder::Snapshot
FabricWatchdog::TakeSnapshot(const FabricHelper& fabric)
{
    fabric.SyncAll();
    DeadlockFinder::Snapshot snapshot;
    StationIndex index;
    for (const auto& sw : fabric.GetSwitches())
    {
        index[PeekPointer(sw)] = static_cast<uint32_t>(snapshot.names.size());
        snapshot.names.push_back("switch " + sw->GetName());
    }
    for (const auto& sw : fabric.GetSwitches())
    {
        for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
        {
            const FabricPort& port = sw->GetPort(i);
            for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
            {
                if ((port.queued >> vl) & 1)
                {
                    AddEgress(snapshot, index, port, vl);
                }
            }
        }
    }
    return snapshot;
}

std::vector<std::string>
FabricWatchdog::ExplainPauses(const FabricHelper& fabric, size_t limit)
{
    fabric.SyncAll();
    std::vector<std::string> lines;
    for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            const auto [station, index] = fabric.GetPortOfLink(link, end);
            const FabricPort& port = station->GetPort(index);
            if (port.flow == nullptr || port.flow->GetBlocked() == 0 || port.peer == nullptr)
            {
                continue;
            }
            if (lines.size() == limit)
            {
                lines.push_back("... and more");
                return lines;
            }
            FabricStation& peer = *port.peer->station;
            const auto vl = static_cast<uint8_t>(__builtin_ctz(port.flow->GetBlocked()));
            lines.push_back(station->GetName() + " port " + std::to_string(index) + ", class " +
                            std::to_string(vl) + ", waits for " + peer.GetName() + " port " +
                            std::to_string(port.peer->id) + ", which holds " +
                            HeldText(peer, port.peer->id, vl));
        }
    }
    return lines;
}

} // namespace ns3
