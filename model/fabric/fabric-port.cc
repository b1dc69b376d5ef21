/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-port.h"

#include "fabric-station.h"
#include "link-profile.h"

#include "ns3/assert.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>

namespace ns3
{

void
FabricWake::Notify()
{
    if (m_port != nullptr)
    {
        m_port->station->OnWake(*m_port);
    }
}

void
FabricPendingRing::MakeRoom()
{
    // a port that always has something queued never asks, so what has passed piles up
    DropUntil(FabricTime::Now());
    if (!m_slots.empty() && m_size <= m_slots.size() / 2)
    {
        return;
    }
    std::vector<uint64_t> bigger(m_slots.empty() ? 16 : m_slots.size() * 2);
    for (uint32_t i = 0; i < m_size; ++i)
    {
        bigger[i] = Slot(i);
    }
    m_slots.swap(bigger);
    m_capacity = static_cast<uint32_t>(m_slots.size());
    m_head = 0;
}

FabricPort::FabricPort(FabricStation* owner, uint16_t index)
    : id(index),
      station(owner),
      wake(new FabricWake(this))
{
}

FabricPort::~FabricPort()
{
    wake->Detach();
    wake->Unref();
}

FabricPs
FabricPort::SendPackets(FabricPacket& p, FabricPs now)
{
    const auto op = static_cast<MemoryOp>(p.opcode);
    const uint32_t packets = link->Packets(op, p.payload);
    const uint32_t first = link->FirstBytes(op, p.payload);
    const uint32_t last = link->LastBytes(op, p.payload);
    const FabricPs tail = p.arrival + p.tailLag;
    Occupy(now, p.bytes);
    if (tail > now && tail + rate.TxTime(last) > busyUntil + 1) // 1: both sides are rounded up
    {
        busyUntil = tail + rate.TxTime(last);
        debt = 0;
    }
    const uint64_t replays = stats.replays;
    for (uint32_t i = 0; errorRate > 0 && i < packets; ++i)
    {
        while (errorStream.Uniform() < errorRate)
        {
            ++stats.replays;
            busyUntil += link->replayPs + rate.TxTime(i + 1 < packets ? first : last);
            debt = 0;
        }
    }
    stats.linkPackets += packets;
    stats.linkDataBytes += MemoryOpCarriesData(op) ? p.payload : 0;
    const FabricPs whole = busyUntil + latency;
    if (!peer->cutThrough || packets == 1 || stats.replays != replays)
    {
        p.tailLag = 0;
        return whole;
    }
    const FabricPs head = now + rate.TxTime(first) + latency;
    p.tailLag = static_cast<uint32_t>(whole - head);
    return head;
}

void
FabricPort::WireTo(FabricPort* other,
                   const FabricRate& wireRate,
                   FabricPs wireLatency,
                   double lossRate,
                   uint32_t gap)
{
    NS_ASSERT_MSG(peer == nullptr, "a port is wired twice");
    peer = other;
    rate = wireRate;
    latency = wireLatency;
    errorRate = lossRate;
    gapBytes = gap;
    up = true;
}

void
FabricPort::SeedStreams(uint32_t link, uint32_t end)
{
    const uint64_t seed =
        RngSeedManager::GetSeed() * 0x100000001ULL + FabricRandom::Mix(RngSeedManager::GetRun());
    channelId = link;
    errorStream = FabricRandom(seed, 4ULL * link + 2ULL * end);
    markStream = FabricRandom(seed, 4ULL * link + 2ULL * end + 1);
}

void
FabricPort::Dispose()
{
    wake->Detach();
    inbox.Clear();
    control.Clear();
    for (auto& q : queue)
    {
        q.Clear();
    }
    queued = 0;
    up = false;
    if (peer != nullptr)
    {
        peer->up = false;
        peer->peer = nullptr;
        peer = nullptr;
    }
    if (flowOwner)
    {
        flowOwner->Dispose();
    }
    flow = nullptr;
    flowOwner = nullptr;
    scheduler = nullptr;
    schedulerOwner = nullptr;
}

uint64_t
FabricPort::GetHeldPackets() const
{
    uint64_t held = 0;
    for (const FabricPacket* p = inbox.Front(); p != nullptr; p = p->next)
    {
        ++held;
    }
    for (const auto& q : queue)
    {
        for (const FabricPacket* p = q.Front(); p != nullptr; p = p->next)
        {
            ++held;
        }
    }
    return held;
}

uint8_t
FabricPort::MergeControl(FabricPacket* frame)
{
    FabricPacketPool& pool = FabricPacketPool::Get();
    FabricPacketSide& waiting = pool.Side(waitingControl);
    const FabricPacketSide& latest = pool.Side(const_cast<const FabricPacket*>(frame));
    const uint8_t enable = latest.enable;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (!((enable >> vl) & 1))
        {
            continue;
        }
        if ((waiting.enable >> vl) & 1)
        {
            // what it said so far will not be sent
            --(waiting.quanta[vl] > 0 ? stats.of[vl].xoffTx : stats.of[vl].xonTx);
        }
        waiting.quanta[vl] = latest.quanta[vl];
    }
    waiting.enable |= enable;
    pool.Free(frame);
    return enable;
}

uint64_t
FabricPort::ControlWord(const FabricPacket* frame)
{
    return FabricPacketPool::Get().Side(frame).enable | (static_cast<uint64_t>(frame->psn) << 8) |
           (static_cast<uint64_t>(frame->destQp) << 24) | (static_cast<uint64_t>(frame->vl) << 40);
}

const char*
FabricDropReasonName(FabricDropReason reason)
{
    static const char* const names[FABRIC_DROP_REASONS] = {"buffer_full",
                                                           "headroom",
                                                           "no_route",
                                                           "link_down",
                                                           "link_error",
                                                           "watchdog",
                                                           "ttl",
                                                           "partition",
                                                           "discarded"};
    return names[static_cast<uint8_t>(reason)];
}

} // namespace ns3
