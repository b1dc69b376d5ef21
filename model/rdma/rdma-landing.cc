/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-landing.h"

#include "qp-core.h"
#include "rdma-dma-side.h"

#include <algorithm>

namespace ns3
{

namespace
{
constexpr uint32_t QPN_BITS = 24;
constexpr uint32_t COUNT_BITS = 64 - QPN_BITS - 1; //!< of a tag: queue pair, side, number
} // namespace

FabricPs
RdmaLanding::Store(QpCore& qp, RdmaSide side, uint32_t memory, uint32_t bytes, FabricPs at)
{
    auto& queue = qp.late[static_cast<uint8_t>(side)];
    const auto stream = qp.qpn * 2 + static_cast<uint32_t>(side);
    if (!queue)
    {
        queue = std::make_unique<RdmaDeliveryQueue>();
        queue->due.order = stream;
        queue->due.owner = &qp;
    }
    constexpr uint64_t MASK = (1ULL << COUNT_BITS) - 1;
    queue->stores = (queue->stores + 1) & MASK;
    const uint64_t tag = (static_cast<uint64_t>(stream) << COUNT_BITS) | queue->stores;
    const RdmaDmaPath::Landing landing = m_path.Store(memory, bytes, at, tag);
    queue->gate = landing.done == FABRIC_NEVER || queue->gate == FABRIC_NEVER
                      ? landing.done
                      : std::max(queue->gate, landing.done);
    return landing.left;
}

bool
RdmaLanding::Defer(QpCore& qp, RdmaSide side, const WorkCompletion& wc)
{
    auto& queue = qp.late[static_cast<uint8_t>(side)];
    return queue && Wait(*queue, {false, queue->stores, wc.at, wc});
}

bool
RdmaLanding::DeferMessage(QpCore& qp, FabricPs at)
{
    auto& queue = qp.late[static_cast<uint8_t>(RdmaSide::RECEIVE)];
    return queue && Wait(*queue, {true, queue->stores, at, WorkCompletion()});
}

bool
RdmaLanding::Wait(RdmaDeliveryQueue& queue, const RdmaDelivery& delivery)
{
    if (queue.IsEmpty() && queue.gate <= delivery.at)
    {
        return false;
    }
    const bool first = queue.IsEmpty();
    queue.Push(delivery);
    RdmaDelivery& last = queue.ring[(queue.tail - 1) & (queue.ring.size() - 1)];
    last.at = std::max(last.at, queue.gate);
    if (first)
    {
        Schedule(queue);
    }
    return true;
}

void
RdmaLanding::Schedule(RdmaDeliveryQueue& queue)
{
    if (!queue.IsEmpty() && !queue.due.IsIn() && queue.Head().at != FABRIC_NEVER)
    {
        m_due.Push(&queue.due, std::max(queue.Head().at, queue.last));
        m_side.WakeBy(queue.due.at);
    }
}

void
RdmaLanding::Deliver(FabricPs now)
{
    while (!m_due.IsEmpty() && m_due.NextAt() <= now)
    {
        DeadlineNode* node = m_due.Top();
        QpCore& qp = *static_cast<QpCore*>(node->owner);
        const auto side = static_cast<RdmaSide>(node->order & 1);
        RdmaDeliveryQueue& queue = *qp.late[node->order & 1];
        RdmaDelivery delivery = queue.Head();
        queue.last = node->at;
        ++queue.head;
        m_due.Remove(node);
        Schedule(queue);
        // what is told may end the queue pair
        if (delivery.message)
        {
            qp.responder.FinishMessage(queue.last);
            continue;
        }
        delivery.wc.at = queue.last;
        qp.PushCompletion(side, delivery.wc);
    }
}

uint32_t
RdmaLanding::QpnOf(uint64_t tag)
{
    return static_cast<uint32_t>(tag >> (COUNT_BITS + 1));
}

void
RdmaLanding::StoreDone(QpCore* qp, uint64_t tag, FabricPs at)
{
    const auto stream = static_cast<uint32_t>(tag >> COUNT_BITS);
    if (qp == nullptr || !qp->late[stream & 1])
    {
        return; // gone since
    }
    qp->late[stream & 1]->StoreDone(tag & ((1ULL << COUNT_BITS) - 1), at);
    Schedule(*qp->late[stream & 1]);
}

void
RdmaLanding::Forget(QpCore& qp)
{
    for (auto& queue : qp.late)
    {
        if (queue)
        {
            m_due.Remove(&queue->due);
            queue->head = queue->tail;
            queue->gate = 0;
        }
    }
}

} // namespace ns3
