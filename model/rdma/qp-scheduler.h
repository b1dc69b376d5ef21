/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QP_SCHEDULER_H
#define QP_SCHEDULER_H

#include "deadline-heap.h"

#include "ns3/fabric-packet.h"

#include <cstdint>

namespace ns3
{

/** @brief A queue pair's place in a QpScheduler. */
struct QpSchedulerEntry
{
    DeadlineNode wait;               //!< in the heap until its time has come
    QpSchedulerEntry* next{nullptr}; //!< ring
    QpSchedulerEntry* prev{nullptr}; //!< ring; self-linked ends are null
    uint8_t vl{0};                   //!< class it sends in
    bool ringed{false};              //!< it is in the ring of its class
    void* owner{nullptr};            //!< the queue pair

    /** @return true when it waits or is ready */
    bool IsScheduled() const
    {
        return ringed || wait.IsIn();
    }
};

/**
 * @ingroup ai-fabric
 * @brief Which queue pair of a NIC sends next: no event per queue pair.
 *
 * Queue pairs that may not send yet wait in a heap by (time, number). When the port is free,
 * Promote() moves those whose time has come to the tail of their class's ring, in that order, and
 * the front of a ring is next. A queue pair that sent is scheduled again behind its packet, so
 * equals take turns. Promotion only ever happens at the instant of a choice: the rings' order is
 * then the order of the times, whatever else woke the port in between.
 */
class QpScheduler
{
  public:
    /**
     * @brief A queue pair may send from a time on.
     * @param e its entry, not scheduled
     * @param at ps; may lie in the past
     */
    void Schedule(QpSchedulerEntry* e, FabricPs at)
    {
        m_heap.Push(&e->wait, at);
    }

    /**
     * @brief Forget a queue pair.
     * @param e its entry; nothing happens if it is not scheduled
     */
    void Remove(QpSchedulerEntry* e);

    /**
     * @brief The port is free: everybody whose time has come becomes ready.
     * @param now ps
     */
    void Promote(FabricPs now);

    /** @return mask of classes with a ready queue pair */
    uint8_t GetReady() const
    {
        return m_ready;
    }

    /**
     * @brief Next of a class.
     * @param vl a ready class
     * @return its entry, still in the ring
     */
    QpSchedulerEntry* Front(uint8_t vl) const
    {
        return m_head[vl];
    }

    /**
     * @return when the next waiting queue pair becomes ready, FABRIC_NEVER if none waits
     */
    FabricPs NextAt() const
    {
        return m_heap.NextAt();
    }

  private:
    void Append(QpSchedulerEntry* e);

    DeadlineHeap m_heap;                        //!< waiting
    QpSchedulerEntry* m_head[FABRIC_CLASSES]{}; //!< ready, oldest
    QpSchedulerEntry* m_tail[FABRIC_CLASSES]{}; //!< ready, newest
    uint8_t m_ready{0};                         //!< classes with ready queue pairs
};

} // namespace ns3

#endif /* QP_SCHEDULER_H */
