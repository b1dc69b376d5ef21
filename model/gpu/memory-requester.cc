/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-requester.h"

#include "memory-device.h"
#include "memory-path-counts.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NONE = MemoryTransfer::NONE;

/** Local copies are done in steps of this many bytes, so that they share the memory. */
constexpr uint64_t LOCAL_STEP = 64 << 10;

bool
IsPosted(const MemoryTransfer& t)
{
    return MemoryClassOf(t.request.op) == MEMORY_POSTED;
}

} // namespace

MemoryRequester::MemoryRequester(MemoryDevice& device)
    : m_device(device)
{
}

MemoryRequester::~MemoryRequester()
{
    for (Lane& lane : m_lanes)
    {
        lane.staged[MEMORY_POSTED].Clear();
        lane.staged[MEMORY_NON_POSTED].Clear();
    }
}

void
MemoryRequester::Start(uint16_t ports, uint16_t engines, uint64_t engineBps)
{
    m_lanes.resize(ports);
    for (uint16_t port = 0; port < ports; ++port)
    {
        m_lanes[port].asking.SetRate(m_device.GetPort(port).rate.GetBps());
    }
    m_engines.SetUp(engines, engineBps);
}

uint64_t&
MemoryRequester::PathBytes(uint32_t slot, uint16_t port)
{
    return m_pathBytes[slot * m_lanes.size() + port];
}

uint32_t
MemoryRequester::Post(const MemoryRequest& request, MemoryCallback done, FabricPs now)
{
    const uint32_t slot = m_table.Allocate();
    if (slot == NONE)
    {
        throw FabricError(m_device.GetName() + ": more than " +
                          std::to_string(MemoryTransferTable::MAX_SLOTS) +
                          " memory operations at once");
    }
    m_pathBytes.resize(static_cast<size_t>(m_table.GetCapacity()) * m_lanes.size());
    MemoryTransfer& t = m_table.At(slot);
    t.request = request;
    t.done = std::move(done);
    t.posted = now;
    t.address = request.address;
    t.left = request.bytes;
    ++m_stats.posted;
    m_stats.bytesPosted += request.bytes;
    if (request.copyEngine)
    {
        t.engine = m_engines.Acquire();
        if (t.engine == 0)
        {
            t.state = State::QUEUED;
            m_table.PushBack(m_queued, slot);
            return m_table.TagOf(slot);
        }
    }
    Delay(slot,
          now + m_device.GetIssueLatency() +
              (request.copyEngine ? m_device.GetCopyEngineLatency() : 0));
    return m_table.TagOf(slot);
}

void
MemoryRequester::Delay(uint32_t slot, FabricPs due)
{
    MemoryTransfer& t = m_table.At(slot);
    t.state = State::TIMED;
    t.due = due;
    m_table.InsertByDue(m_timed, slot);
    m_device.ArmDrain(due);
}

void
MemoryRequester::OnTimer(FabricPs now)
{
    CheckDeadlines(now);
    while (m_timed.head != NONE && m_table.At(m_timed.head).due <= now)
    {
        const uint32_t slot = m_timed.head;
        m_table.Remove(m_timed, slot);
        m_table.At(slot).state == State::FINISHED ? Complete(slot, now) : Activate(slot, now);
    }
}

void
MemoryRequester::Activate(uint32_t slot, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    t.state = State::SENT; // in no list
    t.progress = now;
    if (m_device.GetTimeout() > 0 && !t.watched)
    {
        t.deadline = now + m_device.GetTimeout();
        m_table.Watch(slot);
        AskForCheck(now);
    }
    if (t.piece == 0 && !NextPiece(t))
    {
        StopSending(slot, MemoryStatus::NOT_MAPPED, now);
        return;
    }
    if (t.request.op == MemoryOp::ATOMIC_REQUEST && t.piece < t.left)
    {
        StopSending(slot, MemoryStatus::OUT_OF_BOUNDS, now); // a word is not torn
        return;
    }
    Continue(slot, now);
}

bool
MemoryRequester::NextPiece(MemoryTransfer& t) const
{
    if (t.request.owner != MemoryRequest::BY_MAP)
    {
        t.owner = t.request.owner;
        t.piece = t.left;
        return true;
    }
    MemoryMap::Place place{};
    if (!m_device.m_map->Lookup(t.address, place))
    {
        return false;
    }
    t.owner = place.owner;
    t.piece = std::min(place.bytes, t.left);
    return true;
}

void
MemoryRequester::Continue(uint32_t slot, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    if (t.owner == m_device.GetEndpoint())
    {
        Local(slot, now);
        return;
    }
    const uint64_t ports = m_device.PortsTo(t.owner);
    if (!m_device.IsAnyUp(ports))
    {
        StopSending(slot, ports == 0 ? MemoryStatus::UNREACHABLE : MemoryStatus::LINK_DOWN, now);
        return;
    }
    const uint8_t vl = IsPosted(t) ? MEMORY_POSTED : MEMORY_NON_POSTED;
    t.state = State::ACTIVE;
    t.queue = QueueOf(ports);
    m_table.PushBack(m_queues[t.queue].active[vl], slot);
    m_device.Kick(ports, vl, now);
}

uint16_t
MemoryRequester::QueueOf(uint64_t ports)
{
    const auto queue = std::find_if(m_queues.begin(), m_queues.end(), [ports](const SendQueue& q) {
        return q.ports == ports;
    });
    if (queue == m_queues.end())
    {
        m_queues.push_back({ports, {}});
        return static_cast<uint16_t>(m_queues.size() - 1);
    }
    return static_cast<uint16_t>(queue - m_queues.begin());
}

FabricPs
MemoryRequester::Stage(uint16_t port, uint8_t vl, FabricPs now)
{
    Lane& lane = m_lanes[port];
    const bool reads = vl == MEMORY_NON_POSTED;
    lane.paced = lane.paced && !reads;
    if (reads && m_reads >= m_device.GetMaxReads())
    {
        return GetReady(port, vl);
    }
    const auto queues = static_cast<uint32_t>(m_queues.size());
    for (uint32_t i = 0; lane.staged[vl].IsEmpty() && i < queues; ++i)
    {
        const uint32_t q = (lane.turn[vl] + i) % queues;
        List& active = m_queues[q].active[vl];
        if (!((m_queues[q].ports >> port) & 1) || active.head == NONE)
        {
            continue;
        }
        if (reads && now < lane.asking.GetFree())
        {
            lane.paced = true;
            break;
        }
        lane.turn[vl] = (q + 1) % queues;
        const uint32_t slot = active.head;
        m_table.Remove(active, slot);
        MakeFrame(slot, port, now);
    }
    return GetReady(port, vl);
}

void
MemoryRequester::MakeFrame(uint32_t slot, uint16_t port, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    t.state = State::SENT; // in no list
    const uint8_t vl = IsPosted(t) ? MEMORY_POSTED : MEMORY_NON_POSTED;
    const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(m_device.GetFrameBytes(), t.piece));
    FabricPacket* p = m_device.NewPacket(t.request.op, t.owner, m_table.TagOf(slot));
    p->txStamp = static_cast<FabricPs>(t.address);
    p->payload = static_cast<uint16_t>(bytes);
    p->arrival = now;
    m_lanes[port].staged[vl].Push(p);
    t.progress = now;
    t.address += bytes;
    t.piece -= bytes;
    t.left -= bytes;
    t.used |= 1ULL << port;
    if (vl == MEMORY_POSTED)
    {
        if (t.request.inMemory)
        {
            const MemoryBandwidth::Grant grant = m_device.m_memory.Take(now, bytes);
            MemoryDevice::SetReady(*p, grant.start, grant.end);
        }
        t.paths |= 1ULL << port;
        PathBytes(slot, port) += bytes;
        if (t.piece == 0)
        {
            Flush(slot, now);
        }
    }
    else
    {
        ++t.waiting;
        ++m_reads;
        m_lanes[port].asking.Take(now, m_device.AnswerBytes(port, *p));
        if (t.request.op == MemoryOp::ATOMIC_REQUEST)
        {
            FabricPacketSide& side = FabricPacketPool::Get().Side(p);
            side.imm = static_cast<uint32_t>(t.request.atomic);
            side.operand = t.request.operand;
            side.compare = t.request.compare;
        }
    }
    if (t.left == 0)
    {
        return;
    }
    const FabricPs next = t.engine == 0 ? now : m_engines.Pace(t.engine, now, bytes);
    if (t.piece > 0 && next <= now)
    {
        t.state = State::ACTIVE; // in turn, and the ports know already
        m_table.PushBack(m_queues[t.queue].active[vl], slot);
        return;
    }
    if (t.piece == 0 && !NextPiece(t))
    {
        StopSending(slot, MemoryStatus::NOT_MAPPED, now);
        return;
    }
    next > now ? Delay(slot, next) : Continue(slot, now);
}

void
MemoryRequester::Flush(uint32_t slot, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    const uint64_t paths = t.paths;
    t.paths = 0;
    for (uint64_t left = paths; left != 0; left &= left - 1)
    {
        const auto port = static_cast<uint16_t>(__builtin_ctzll(left));
        FabricPacket* p = m_device.NewPacket(MemoryOp::FLUSH, t.owner, m_table.TagOf(slot));
        p->txStamp = static_cast<FabricPs>(PathBytes(slot, port));
        FabricPacketPool::Get().Side(p).operand =
            MemoryPathCounts::KeyOf(m_device.GetEndpoint(), p->psn);
        p->arrival = now;
        PathBytes(slot, port) = 0;
        ++t.waiting;
        m_lanes[port].staged[MEMORY_POSTED].Push(p);
    }
    m_device.Kick(paths, MEMORY_POSTED, now);
}

void
MemoryRequester::Local(uint32_t slot, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    const bool atomic = t.request.op == MemoryOp::ATOMIC_REQUEST;
    const auto bytes = static_cast<uint32_t>(std::min(LOCAL_STEP, t.piece));
    if (m_device.CheckAccess(m_device.GetEndpoint(), t.address, bytes, MEMORY_NO_RIGHTS) !=
        MemoryStatus::OK)
    {
        StopSending(slot, MemoryStatus::OUT_OF_BOUNDS, now);
        return;
    }
    if (atomic)
    {
        t.value = m_device.m_responder.Execute(t.address,
                                               t.request.atomic,
                                               t.request.operand,
                                               t.request.compare);
    }
    const FabricPs end = m_device.m_memory.Take(now, t.request.inMemory ? 2 * bytes : bytes).end;
    t.progress = now;
    t.address += bytes;
    t.piece -= bytes;
    t.left -= bytes;
    t.delivered += bytes;
    t.ready = std::max(t.ready, end + m_device.GetMemoryLatency());
    if (t.left == 0 && t.waiting == 0)
    {
        Finish(slot, t.ready);
    }
    if (t.left == 0)
    {
        return;
    }
    if (t.piece == 0 && !NextPiece(t))
    {
        StopSending(slot, MemoryStatus::NOT_MAPPED, now);
        return;
    }
    Delay(slot, t.engine == 0 ? end : std::max(end, m_engines.Pace(t.engine, now, bytes)));
}

FabricPs
MemoryRequester::OnAnswer(const FabricPacket& p)
{
    const FabricPs tail = p.arrival + p.tailLag;
    const uint32_t slot = m_table.Find(p.psn);
    if (slot == NONE)
    {
        ++m_stats.stale;
        return tail;
    }
    MemoryTransfer& t = m_table.At(slot);
    t.progress = p.arrival;
    FabricPs room = tail;
    switch (static_cast<MemoryOp>(p.opcode))
    {
    case MemoryOp::READ_RESPONSE:
        --t.waiting;
        EndReads(1, p.arrival);
        t.delivered += p.payload;
        t.ready = std::max(t.ready, tail);
        if (t.request.inMemory)
        {
            room = std::max(tail, m_device.m_memory.Take(p.arrival, p.payload).end);
            t.ready = std::max(t.ready, room + m_device.GetMemoryLatency());
        }
        break;
    case MemoryOp::ATOMIC_RESPONSE:
        --t.waiting;
        EndReads(1, p.arrival);
        t.delivered += p.payload;
        t.value = FabricPacketPool::Get().Side(&p).operand;
        t.ready = tail;
        break;
    default:
        t.ready = std::max(t.ready, tail);
        OnAck(slot, p);
    }
    if (t.left == 0 && t.waiting == 0 && t.state == State::SENT)
    {
        Finish(slot, t.ready);
    }
    return room;
}

void
MemoryRequester::OnAck(uint32_t slot, const FabricPacket& p)
{
    MemoryTransfer& t = m_table.At(slot);
    const auto answered = static_cast<MemoryOp>(p.destQp);
    if (answered == MemoryOp::FLUSH)
    {
        --t.waiting;
        t.delivered += static_cast<uint64_t>(p.txStamp);
    }
    else if (MemoryClassOf(answered) != MEMORY_POSTED)
    {
        --t.waiting;
        EndReads(1, p.arrival);
    }
    if (p.syndrome != 0 && t.status == MemoryStatus::OK)
    {
        Detach(slot);
        StopSending(slot, static_cast<MemoryStatus>(p.syndrome), p.arrival);
    }
}

void
MemoryRequester::EndReads(uint32_t count, FabricPs now)
{
    const bool wereShort = m_reads >= m_device.GetMaxReads();
    m_reads -= count;
    for (const SendQueue& queue : m_queues)
    {
        if (wereShort && queue.active[MEMORY_NON_POSTED].head != NONE)
        {
            m_device.Kick(queue.ports, MEMORY_NON_POSTED, now);
        }
    }
}

void
MemoryRequester::Detach(uint32_t slot)
{
    MemoryTransfer& t = m_table.At(slot);
    if (t.state == State::QUEUED)
    {
        m_table.Remove(m_queued, slot);
    }
    else if (t.state == State::ACTIVE)
    {
        m_table.Remove(m_queues[t.queue].active[IsPosted(t) ? 0 : 1], slot);
    }
    else if (t.state != State::SENT)
    {
        m_table.Remove(m_timed, slot);
    }
    t.state = State::SENT;
}

void
MemoryRequester::StopSending(uint32_t slot, MemoryStatus status, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    t.status = t.status == MemoryStatus::OK ? status : t.status;
    t.left = 0;
    t.piece = 0;
    if (t.paths != 0)
    {
        Flush(slot, now);
    }
    if (t.waiting == 0)
    {
        Finish(slot, std::max(now, t.ready));
    }
}

void
MemoryRequester::Fail(uint32_t slot, MemoryStatus status, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    Detach(slot);
    t.status = t.status == MemoryStatus::OK ? status : t.status;
    t.left = 0;
    if (!IsPosted(t))
    {
        EndReads(t.waiting, now);
    }
    for (uint16_t port = 0; port < m_lanes.size(); ++port)
    {
        PathBytes(slot, port) = 0;
    }
    Finish(slot, now);
}

void
MemoryRequester::Finish(uint32_t slot, FabricPs at)
{
    MemoryTransfer& t = m_table.At(slot);
    m_table.Unwatch(slot);
    t.state = State::FINISHED;
    t.due = at;
    m_table.InsertByDue(m_timed, slot);
    m_device.ArmDrain(at);
}

void
MemoryRequester::Complete(uint32_t slot, FabricPs now)
{
    MemoryTransfer& t = m_table.At(slot);
    const MemoryCompletion c = t.Report(now);
    ++m_stats.completed;
    m_stats.bytesDelivered += c.delivered;
    m_stats.bytesFailed += c.failed;
    if (t.engine != 0)
    {
        m_engines.Release(t.engine);
        if (m_queued.head != NONE)
        {
            const uint32_t next = m_queued.head;
            m_table.Remove(m_queued, next);
            m_table.At(next).engine = m_engines.Acquire();
            Delay(next, now + m_device.GetCopyEngineLatency());
        }
    }
    const MemoryCallback done = std::move(t.done);
    m_table.Free(slot);
    if (done)
    {
        done(c);
    }
}

void
MemoryRequester::CheckDeadlines(FabricPs now)
{
    const FabricPs timeout = m_device.GetTimeout();
    for (uint32_t slot = m_table.GetFirstWatched(); timeout > 0 && slot != NONE;
         slot = m_table.GetFirstWatched())
    {
        MemoryTransfer& t = m_table.At(slot);
        if (t.progress + timeout <= now)
        {
            Fail(slot, MemoryStatus::TIMEOUT, now);
        }
        else if (t.deadline <= now)
        {
            m_table.Unwatch(slot);
            t.deadline = t.progress + timeout;
            m_table.Watch(slot);
        }
        else
        {
            AskForCheck(now);
            return;
        }
    }
}

void
MemoryRequester::AskForCheck(FabricPs now)
{
    if (m_watchAt <= now)
    {
        m_watchAt = m_table.At(m_table.GetFirstWatched()).deadline;
        m_device.ArmDrain(m_watchAt);
    }
}

void
MemoryRequester::OnLinkDown(uint16_t port, FabricPs now)
{
    for (auto& staged : m_lanes[port].staged)
    {
        while (!staged.IsEmpty())
        {
            m_device.Drop(staged.Pop(), m_device.GetPort(port), now, FabricDropReason::LINK_DOWN);
        }
    }
    for (uint32_t slot = 0; slot < m_table.GetCapacity(); ++slot)
    {
        const MemoryTransfer& t = m_table.At(slot);
        if (t.state == State::FREE || t.state == State::FINISHED)
        {
            continue;
        }
        const bool cutOff = t.state == State::ACTIVE && !m_device.IsAnyUp(m_queues[t.queue].ports);
        if (((t.used >> port) & 1) || cutOff)
        {
            Fail(slot, MemoryStatus::LINK_DOWN, now);
        }
    }
}

} // namespace ns3
