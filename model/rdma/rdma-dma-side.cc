/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-dma-side.h"

#include "qp-core.h"
#include "rdma-nic-engine.h"
#include "rdma-nic.h"

#include <algorithm>

namespace ns3
{

RdmaDmaSide::RdmaDmaSide(RdmaNicEngine& engine, RdmaDmaPath& path)
    : m_engine(engine),
      m_path(path),
      m_staging(path),
      m_buffer(engine.m_port),
      m_landing(*this, path)
{
    m_path.Attach(this);
}

RdmaDmaSide::~RdmaDmaSide()
{
    m_path.Detach();
}

// ---- sending ------------------------------------------------------------------------------------

void
RdmaDmaSide::Prefetch(FabricPs now)
{
    RdmaNicEngine& e = m_engine;
    while (true)
    {
        e.m_scheduler.Promote(now);
        const uint8_t full = m_staging.GetFull(e.m_nic.m_prefetch);
        e.SettleFronts(now, full);
        const uint8_t ready = e.m_scheduler.GetReady() & ~full;
        if (ready == 0)
        {
            return;
        }
        const uint8_t vl = m_staging.TakeTurn(ready);
        QpCore& qp = *static_cast<QpCore*>(e.m_scheduler.Front(vl)->owner);
        const uint32_t qpn = qp.qpn;
        m_building = true;
        FabricPacket* p = e.SendFrom(qp, now);
        m_building = false;
        if (p != nullptr)
        {
            m_staging.Push(p, qpn, now);
        }
        while (!m_behind.IsEmpty())
        {
            m_staging.Push(m_behind.Pop(), qpn, now);
        }
    }
}

FabricPacket*
RdmaDmaSide::Select(FabricPs now)
{
    Prefetch(now);
    FabricPort& port = m_engine.m_port;
    const uint8_t whole = m_staging.GetWhole(now);
    const FabricMask ready = (port.queued | whole) & ~port.flow->GetBlocked();
    if (ready == 0)
    {
        return nullptr;
    }
    const uint8_t vl = port.scheduler->Select(ready);
    if ((port.queued >> vl) & 1)
    {
        return port.Dequeue(vl);
    }
    FabricPacket* p = m_staging.Pop(vl);
    Leave(p, now);
    return p;
}

void
RdmaDmaSide::Leave(FabricPacket* p, FabricPs now)
{
    QpCore* qp = m_engine.Find(static_cast<uint32_t>(p->txStamp));
    p->txStamp = now;
    if (qp != nullptr && qp->type != VerbsQpType::RC)
    {
        qp->requester.OnLeft(p->psn, now);
    }
}

FabricPs
RdmaDmaSide::NextWake(FabricPs now)
{
    Prefetch(now); // may start timers
    RdmaNicEngine& e = m_engine;
    const FabricPort& port = e.m_port;
    const FabricPs whole = m_staging.NextAt(port.flow->GetBlocked());
    const FabricPs cnp = e.m_cnps.IsEmpty() ? FABRIC_NEVER : e.m_cnps.Front()->arrival;
    FabricPs next = std::min({e.NextTimer(), e.m_exact.NextAfter(now, 0), e.m_scheduler.NextAt()});
    if (e.m_blocked > 0 && !port.inbox.IsEmpty())
    {
        next = std::min(next, port.inbox.Front()->arrival);
    }
    return std::min(next, std::max(port.busyUntil, std::min(whole, cnp)));
}

void
RdmaDmaSide::SendBehindData(uint32_t qpn, FabricPacket* p)
{
    if (m_building)
    {
        m_behind.Push(p); // the last response is being made
        return;
    }
    const FabricPs now = FabricTime::Now();
    m_staging.Push(p, qpn, now);
    WakeBy(std::max({now, m_engine.m_port.busyUntil, p->arrival}));
}

FabricPacket*
RdmaDmaSide::TakeStaged()
{
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        if (FabricPacket* p = m_staging.Pop(vl))
        {
            return p;
        }
    }
    return nullptr;
}

uint32_t
RdmaDmaSide::MemoryOf(uint32_t key) const
{
    const VerbsMemoryRegion* region = key == 0 ? nullptr : m_engine.FindMemory(key);
    return region == nullptr ? 0 : region->GetMemory();
}

FabricPs
RdmaDmaSide::FetchFrom(uint32_t key) const
{
    return static_cast<FabricPs>(MemoryOf(key)) + 1;
}

// ---- receiving ----------------------------------------------------------------------------------

bool
RdmaDmaSide::WatchesArrivals() const
{
    return m_engine.m_nic.m_rxBuffer > 0 || !m_path.IsTimed();
}

bool
RdmaDmaSide::Overflows(const FabricPacket* p)
{
    m_buffer.SetLimit(m_engine.m_nic.m_rxBuffer, p->bytes);
    return p->payload > 0 && !m_buffer.Fits(p->payload, p->arrival);
}

void
RdmaDmaSide::Store(QpCore& qp, RdmaSide side, uint32_t key, uint32_t bytes, const FabricPacket* p)
{
    if (bytes > 0)
    {
        const FabricPs left = m_landing.Store(qp, side, MemoryOf(key), bytes, p->arrival);
        m_buffer.Add(p->vl, bytes, p->arrival, left);
    }
}

void
RdmaDmaSide::Update(FabricPs now)
{
    m_landing.Deliver(now);
    m_buffer.Update(now);
}

FabricPs
RdmaDmaSide::NextUpdate() const
{
    return std::min(m_landing.NextAt(), m_buffer.NextAt());
}

void
RdmaDmaSide::Forget(QpCore& qp)
{
    m_staging.Disown(qp.qpn);
    m_landing.Forget(qp);
}

// ---- wakes --------------------------------------------------------------------------------------

void
RdmaDmaSide::WakeBy(FabricPs at)
{
    FabricPort& port = m_engine.m_port;
    if (at == FABRIC_NEVER)
    {
        return;
    }
    if (port.up)
    {
        m_engine.m_nic.Arm(port, std::max(at, FabricTime::Now()));
    }
    else
    {
        m_engine.m_nic.WatchTimersWhileDown();
    }
}

void
RdmaDmaSide::FetchDone(uint64_t tag)
{
    const FabricPs now = FabricTime::Now();
    m_staging.FetchDone(tag, now);
    WakeBy(std::max(now, m_engine.m_port.busyUntil));
}

void
RdmaDmaSide::StoreLeft(uint32_t bytes)
{
    m_buffer.Leave(bytes);
    WakeBy(FabricTime::Now());
}

void
RdmaDmaSide::StoreDone(uint64_t tag)
{
    m_landing.StoreDone(m_engine.Find(RdmaLanding::QpnOf(tag)), tag, FabricTime::Now());
    WakeBy(m_landing.NextAt());
}

} // namespace ns3
