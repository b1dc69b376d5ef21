/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "peer-meter.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

PeerMeter::PeerMeter(GpuServerHelper& server)
    : m_server(server)
{
}

uint64_t
PeerMeter::SentBy(uint32_t part) const
{
    uint64_t sent = 0;
    const Ptr<CreditSwitch> station = m_server.GetStation(part);
    for (uint16_t port = 0; port < station->GetNPorts(); ++port)
    {
        sent += station->GetPort(port).stats.linkDataBytes;
    }
    return sent;
}

PeerMeter::Result
PeerMeter::Run(uint32_t from, uint32_t to, const MemoryRequest& forth, bool both)
{
    Result result;
    MemoryStatus worst = MemoryStatus::OK;
    uint32_t waiting = both ? 2 : 1;
    const FabricPs start = FabricTime::Now();
    const uint64_t sentFrom = SentBy(from);
    const uint64_t sentTo = SentBy(to);
    const MemoryCallback done = [&](const MemoryCompletion& c) {
        --waiting;
        result.bytes += c.delivered;
        result.time = std::max(result.time, c.done - start);
        worst = worst == MemoryStatus::OK ? c.status : worst;
    };
    m_server.GetDevice(from)->Post(forth, done);
    if (both)
    {
        MemoryRequest back = forth;
        back.address = m_server.GetBase(from);
        m_server.GetDevice(to)->Post(back, done);
    }
    Simulator::Run();
    if (waiting > 0 || worst != MemoryStatus::OK)
    {
        const auto& topology = m_server.GetTopology();
        throw FabricError("transfer " + topology.GetPart(from).name + "->" +
                          topology.GetPart(to).name + ": " +
                          (waiting > 0 ? "did not end" : MemoryStatusName(worst)));
    }
    result.sourceBytes = SentBy(from) - sentFrom;
    result.targetBytes = SentBy(to) - sentTo;
    return result;
}

PeerMeter::Result
PeerMeter::Copy(uint32_t from, uint32_t to, uint64_t bytes)
{
    MemoryRequest copy;
    copy.address = m_server.GetBase(to);
    copy.bytes = bytes;
    copy.copyEngine = true;
    return Run(from, to, copy, false);
}

PeerMeter::Result
PeerMeter::CopyBoth(uint32_t a, uint32_t b, uint64_t bytes)
{
    MemoryRequest copy;
    copy.address = m_server.GetBase(b);
    copy.bytes = bytes;
    copy.copyEngine = true;
    return Run(a, b, copy, true);
}

PeerMeter::Result
PeerMeter::Store(uint32_t from, uint32_t to, uint64_t bytes)
{
    MemoryRequest store;
    store.address = m_server.GetBase(to);
    store.bytes = bytes;
    store.inMemory = false;
    return Run(from, to, store, false);
}

PeerMeter::Result
PeerMeter::Load(uint32_t by, uint32_t owner, uint64_t bytes)
{
    MemoryRequest load;
    load.op = MemoryOp::READ_REQUEST;
    load.address = m_server.GetBase(owner);
    load.bytes = bytes;
    load.inMemory = false;
    return Run(by, owner, load, false);
}

} // namespace ns3
