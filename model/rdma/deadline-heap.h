/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DEADLINE_HEAP_H
#define DEADLINE_HEAP_H

#include "ns3/fabric-time.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief A member of one DeadlineHeap; part of the object that waits. */
struct DeadlineNode
{
    static constexpr uint32_t OUT = 0xffffffff; //!< not in a heap

    FabricPs at{0};       //!< deadline, picoseconds
    uint32_t order{0};    //!< decides among equal deadlines; unique
    uint32_t slot{OUT};   //!< position in the heap
    void* owner{nullptr}; //!< who waits

    /** @return true while in a heap */
    bool IsIn() const
    {
        return slot != OUT;
    }
};

/**
 * @ingroup ai-fabric
 * @brief Min-heap of deadlines over (time, order), with removal from the middle.
 *
 * Never compares addresses, so two runs of one seed pop in the same order.
 */
class DeadlineHeap
{
  public:
    /** @return true when nobody waits */
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /** @return the earliest deadline, FABRIC_NEVER if none */
    FabricPs NextAt() const
    {
        return m_heap.empty() ? FABRIC_NEVER : m_heap[0]->at;
    }

    /** @return the earliest member; the heap must not be empty */
    DeadlineNode* Top() const
    {
        return m_heap[0];
    }

    /**
     * @brief Put a member in.
     * @param node member, not in any heap; its `order` is set
     * @param at deadline, ps
     */
    void Push(DeadlineNode* node, FabricPs at)
    {
        node->at = at;
        node->slot = static_cast<uint32_t>(m_heap.size());
        m_heap.push_back(node);
        Up(node->slot);
    }

    /**
     * @brief Take a member out.
     * @param node member; nothing happens if it is not in
     */
    void Remove(DeadlineNode* node)
    {
        if (!node->IsIn())
        {
            return;
        }
        const uint32_t i = node->slot;
        node->slot = DeadlineNode::OUT;
        DeadlineNode* last = m_heap.back();
        m_heap.pop_back();
        if (last != node)
        {
            m_heap[i] = last;
            last->slot = i;
            Up(i);
            Down(last->slot);
        }
    }

  private:
    static bool Before(const DeadlineNode* a, const DeadlineNode* b)
    {
        return a->at != b->at ? a->at < b->at : a->order < b->order;
    }

    void Place(DeadlineNode* node, uint32_t i)
    {
        m_heap[i] = node;
        node->slot = i;
    }

    void Up(uint32_t i)
    {
        DeadlineNode* node = m_heap[i];
        while (i > 0 && Before(node, m_heap[(i - 1) / 2]))
        {
            Place(m_heap[(i - 1) / 2], i);
            i = (i - 1) / 2;
        }
        Place(node, i);
    }

    void Down(uint32_t i)
    {
        DeadlineNode* node = m_heap[i];
        const auto n = static_cast<uint32_t>(m_heap.size());
        while (true)
        {
            uint32_t child = 2 * i + 1;
            if (child + 1 < n && Before(m_heap[child + 1], m_heap[child]))
            {
                ++child;
            }
            if (child >= n || !Before(m_heap[child], node))
            {
                break;
            }
            Place(m_heap[child], i);
            i = child;
        }
        Place(node, i);
    }

    std::vector<DeadlineNode*> m_heap; //!< members
};

} // namespace ns3

#endif /* DEADLINE_HEAP_H */
