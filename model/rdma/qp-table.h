/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QP_TABLE_H
#define QP_TABLE_H

#include <cstdint>
#include <vector>

namespace ns3
{

struct QpCore;

/**
 * @ingroup ai-fabric
 * @brief The queue pairs of a NIC by number: gives out numbers and finds by them.
 *
 * A table by the low bits of the number, never more than half full: a look-up is one access.
 */
class QpTable
{
  public:
    /** @brief A place: a queue pair and its number, or null. */
    struct Slot
    {
        QpCore* qp{nullptr}; //!< the queue pair
        uint32_t qpn{0};     //!< its number; 0 is nobody's
    };

    /**
     * @brief Number a queue pair and enter it.
     * @param qp the queue pair
     * @throws FabricError when there are too many
     */
    void Add(QpCore* qp);

    /**
     * @brief Forget a queue pair.
     * @param qp the queue pair
     */
    void Remove(QpCore* qp);

    /**
     * @param qpn number
     * @return the queue pair, null if there is none
     */
    QpCore* Find(uint32_t qpn) const
    {
        if (m_slots.empty())
        {
            return nullptr;
        }
        const Slot& slot = m_slots[qpn & (m_slots.size() - 1)];
        return slot.qpn == qpn ? slot.qp : nullptr;
    }

    /** @return queue pairs in it */
    uint32_t GetN() const
    {
        return m_count;
    }

    /** @return all places; null where there is none */
    const std::vector<Slot>& GetSlots() const
    {
        return m_slots;
    }

  private:
    std::vector<Slot> m_slots; //!< by low bits of the number
    uint32_t m_count{0};       //!< queue pairs
    uint32_t m_next{1};        //!< next number to try
};

} // namespace ns3

#endif /* QP_TABLE_H */
