/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-port.h"

#include "fabric-station.h"

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

const char*
FabricDropReasonName(FabricDropReason reason)
{
    static const char* const names[FABRIC_DROP_REASONS] = {"buffer_full",
                                                           "headroom",
                                                           "no_route",
                                                           "link_down",
                                                           "link_error",
                                                           "watchdog",
                                                           "ttl"};
    return names[static_cast<uint8_t>(reason)];
}

} // namespace ns3
