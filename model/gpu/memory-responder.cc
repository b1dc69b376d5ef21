/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-responder.h"

#include "memory-device.h"
#include "memory-write-watcher.h"

#include "ns3/fabric-port.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** @return MemoryRight bits that an operation takes */
uint8_t
RightsFor(MemoryOp op)
{
    switch (op)
    {
    case MemoryOp::WRITE:
    case MemoryOp::REDUCE_WRITE:
        return MEMORY_WRITE;
    case MemoryOp::ATOMIC_REQUEST:
        return MEMORY_ATOMIC;
    default:
        return MEMORY_READ;
    }
}

/** @return what tells operations apart on one path: source and tag; a FLUSH carries it */
uint64_t
PathKey(const FabricPacket& p)
{
    return static_cast<MemoryOp>(p.opcode) == MemoryOp::FLUSH
               ? FabricPacketPool::Get().Side(&p).operand
               : MemoryPathCounts::KeyOf(p.src, p.psn);
}

} // namespace

MemoryResponder::MemoryResponder(MemoryDevice& device)
    : m_device(device)
{
}

MemoryResponder::~MemoryResponder()
{
    for (Lane& lane : m_lanes)
    {
        lane.data.Clear();
        lane.acks.Clear();
    }
}

void
MemoryResponder::Start(uint16_t ports)
{
    m_lanes.resize(ports);
}

MemoryPeerStats
MemoryResponder::GetPeer(uint32_t peer) const
{
    const auto stats = m_peers.find(peer);
    return stats == m_peers.end() ? MemoryPeerStats{} : stats->second;
}

uint64_t
MemoryResponder::GetWord(uint64_t address) const
{
    const auto word = m_words.find(address);
    return word == m_words.end() ? 0 : word->second;
}

MemoryStatus
MemoryResponder::Check(const FabricPacket& p) const
{
    const auto op = static_cast<MemoryOp>(p.opcode);
    return m_device.CheckAccess(p.src, static_cast<uint64_t>(p.txStamp), p.payload, RightsFor(op));
}

void
MemoryResponder::OnRequest(FabricPort& in, FabricPacket* p)
{
    const auto op = static_cast<MemoryOp>(p->opcode);
    if (op == MemoryOp::FLUSH)
    {
        OnFlush(in, p);
        return;
    }
    const MemoryStatus status = Check(*p);
    const bool posted = MemoryClassOf(op) == MEMORY_POSTED;
    if (posted)
    {
        m_lanes[in.id].came.Add(PathKey(*p), p->payload, status);
    }
    if (status != MemoryStatus::OK)
    {
        Refuse(in, p, status);
    }
    else if (posted)
    {
        OnWrite(in, p);
    }
    else
    {
        op == MemoryOp::ATOMIC_REQUEST ? OnAtomic(in, p) : OnRead(in, p);
    }
}

void
MemoryResponder::OnFlush(FabricPort& in, FabricPacket* p)
{
    Lane& lane = m_lanes[in.id];
    const FabricPs tail = p->arrival + p->tailLag;
    m_device.Release(*p, tail);
    const auto sent = static_cast<uint64_t>(p->txStamp);
    const MemoryPathCounts::Count came = lane.came.Take(PathKey(*p), sent);
    p->txStamp = static_cast<FabricPs>(came.stored);
    const MemoryStatus status =
        came.stored + came.refused < sent ? MemoryStatus::LINK_DOWN : came.status;
    const FabricPs ready = std::max(tail, lane.written);
    p->flags = 0;
    if (in.up && status == MemoryStatus::OK && FindWatcher(p->src) != nullptr)
    {
        p->flags = FABRIC_ACK_REQ; // until the watcher is told
        ++m_untold;
        m_device.ArmDrain(ready);
    }
    Acknowledge(in, p, status, ready);
}

void
MemoryResponder::Watch(uint32_t peer, MemoryWriteWatcher* watcher)
{
    const auto entry = std::find_if(m_watchers.begin(), m_watchers.end(), [peer](const auto& w) {
        return w.first == peer;
    });
    if (entry != m_watchers.end())
    {
        entry->second = watcher;
        return;
    }
    m_watchers.emplace_back(peer, watcher);
}

MemoryWriteWatcher*
MemoryResponder::FindWatcher(uint32_t peer) const
{
    for (const auto& [endpoint, watcher] : m_watchers)
    {
        if (endpoint == peer)
        {
            return watcher;
        }
    }
    return nullptr;
}

void
MemoryResponder::OnTimer(FabricPs now)
{
    for (size_t lane = 0; m_untold > 0 && lane < m_lanes.size(); ++lane)
    {
        for (FabricPacket* p = m_lanes[lane].acks.Front(); p != nullptr && p->arrival <= now;
             p = p->next)
        {
            if ((p->flags & FABRIC_ACK_REQ) == 0)
            {
                continue;
            }
            p->flags = 0;
            --m_untold;
            if (MemoryWriteWatcher* watcher = FindWatcher(p->dst))
            {
                watcher->WriteLanded(p->psn, static_cast<uint64_t>(p->txStamp));
            }
        }
    }
}

void
MemoryResponder::OnWrite(FabricPort& in, FabricPacket* p)
{
    // a reduction reads, adds and writes
    const uint32_t passes = static_cast<MemoryOp>(p->opcode) == MemoryOp::REDUCE_WRITE ? 2 : 1;
    const FabricPs end = std::max(m_device.m_memory.Take(p->arrival, passes * p->payload).end,
                                  p->arrival + p->tailLag);
    FabricPs& written = m_lanes[in.id].written;
    written = std::max(written, end + m_device.GetMemoryLatency());
    m_peers[p->src].bytesWritten += p->payload;
    m_device.Release(*p, end);
    FabricPacketPool::Get().Free(p);
}

void
MemoryResponder::OnRead(FabricPort& in, FabricPacket* p)
{
    const FabricPs tail = p->arrival + p->tailLag;
    const MemoryBandwidth::Grant grant = m_device.m_memory.Take(p->arrival, p->payload);
    m_peers[p->src].bytesRead += p->payload;
    m_device.Release(*p, tail);
    p->opcode = static_cast<uint8_t>(MemoryOp::READ_RESPONSE);
    // the first packet leaves when its data are there, the last one not before the last data are
    const FabricPs latency = m_device.GetMemoryLatency();
    MemoryDevice::SetReady(*p, grant.start + latency, std::max(grant.end, tail) + latency);
    Answer(in, m_lanes[in.id].data, p);
}

void
MemoryResponder::OnAtomic(FabricPort& in, FabricPacket* p)
{
    FabricPacketSide& side = FabricPacketPool::Get().Side(p);
    const auto address = static_cast<uint64_t>(p->txStamp);
    side.operand =
        Execute(address, static_cast<MemoryAtomic>(side.imm), side.operand, side.compare);
    const MemoryBandwidth::Grant grant = m_device.m_memory.Take(p->arrival, 2 * p->payload);
    ++m_peers[p->src].atomics;
    m_device.Release(*p, p->arrival);
    p->opcode = static_cast<uint8_t>(MemoryOp::ATOMIC_RESPONSE);
    const FabricPs ready = grant.end + m_device.GetMemoryLatency();
    MemoryDevice::SetReady(*p, ready, ready);
    Answer(in, m_lanes[in.id].data, p);
}

uint64_t
MemoryResponder::Execute(uint64_t address, MemoryAtomic atomic, uint64_t operand, uint64_t compare)
{
    uint64_t& word = m_words[address];
    const uint64_t before = word;
    if (atomic == MemoryAtomic::FETCH_ADD)
    {
        word += operand;
    }
    else if (before == compare)
    {
        word = operand;
    }
    return before;
}

void
MemoryResponder::Refuse(FabricPort& in, FabricPacket* p, MemoryStatus status)
{
    const FabricPs tail = p->arrival + p->tailLag;
    ++m_peers[p->src].refused;
    m_device.Release(*p, tail);
    p->flags = 0; // no watcher is told
    if (static_cast<MemoryOp>(p->opcode) == MemoryOp::FLUSH)
    {
        p->txStamp = 0; // nothing of it came to its memory
    }
    // behind all answers to what came in earlier, as a flush is
    Acknowledge(in, p, status, std::max(tail, m_lanes[in.id].written));
}

void
MemoryResponder::Acknowledge(FabricPort& in, FabricPacket* p, MemoryStatus status, FabricPs ready)
{
    p->destQp = p->opcode; // what is answered
    p->opcode = static_cast<uint8_t>(MemoryOp::ACK);
    p->syndrome = static_cast<uint8_t>(status);
    MemoryDevice::SetReady(*p, ready, ready);
    Answer(in, m_lanes[in.id].acks, p);
}

void
MemoryResponder::Answer(FabricPort& in, FabricPacketFifo& list, FabricPacket* p)
{
    std::swap(p->src, p->dst);
    p->vl = MEMORY_COMPLETION;
    p->inPort = MemoryDevice::NO_PORT;
    p->hops = 0;
    if (!in.up)
    {
        m_device.Drop(p, in, p->arrival, FabricDropReason::LINK_DOWN);
        return;
    }
    list.Push(p);
    m_device.Kick(1ULL << in.id, MEMORY_COMPLETION, p->arrival);
}

void
MemoryResponder::OnLinkDown(FabricPort& port, FabricPs now)
{
    while (GetReady(port.id) != FABRIC_NEVER)
    {
        FabricPacket* p = Take(port.id);
        m_untold -= (p->flags & FABRIC_ACK_REQ) != 0 ? 1 : 0;
        m_device.Drop(p, port, now, FabricDropReason::LINK_DOWN);
    }
}

FabricPs
MemoryResponder::GetReady(uint16_t port) const
{
    const Lane& lane = m_lanes[port];
    return std::min(lane.data.IsEmpty() ? FABRIC_NEVER : lane.data.Front()->arrival,
                    lane.acks.IsEmpty() ? FABRIC_NEVER : lane.acks.Front()->arrival);
}

FabricPacket*
MemoryResponder::Take(uint16_t port)
{
    Lane& lane = m_lanes[port];
    const bool ack =
        lane.data.IsEmpty() ||
        (!lane.acks.IsEmpty() && lane.acks.Front()->arrival < lane.data.Front()->arrival);
    return ack ? lane.acks.Pop() : lane.data.Pop();
}

} // namespace ns3
