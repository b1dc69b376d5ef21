/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PORT_SCHEDULER_H
#define PORT_SCHEDULER_H

#include "fabric-class-list.h"
#include "fabric-packet.h"

#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which class sends next at a port.
 *
 * One object per port, so its state is its own. The port offers the classes that have something to
 * send and are not paused, and reports what was sent.
 */
class PortScheduler : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Choose among ready classes.
     * @param ready bit mask of classes, not 0
     * @return a class in the mask
     */
    uint8_t Select(FabricMask ready)
    {
        if ((ready & (ready - 1)) == 0)
        {
            return static_cast<uint8_t>(__builtin_ctz(ready));
        }
        m_contended = true;
        return DoSelect(ready);
    }

    /**
     * @brief A frame of a class starts; only frames that won against another class are charged.
     * @param vl class
     * @param bytes its buffer bytes
     */
    void OnSent(uint8_t vl, uint32_t bytes)
    {
        if (m_contended)
        {
            m_contended = false;
            DoOnSent(vl, bytes);
        }
    }

  private:
    bool m_contended{false}; //!< the last Select() had a choice

    virtual uint8_t DoSelect(FabricMask ready) = 0;
    virtual void DoOnSent(uint8_t vl, uint32_t bytes) = 0;
};

/**
 * @ingroup ai-fabric
 * @brief Strict priority classes first (highest number first), the others by deficit round robin.
 *
 * Deficits may go negative and are repaid in the next rounds, so the shares hold over any
 * interval up to one maximum frame per class, without looking at packet lengths beforehand.
 */
class StrictDwrrScheduler : public PortScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Weights of the non-strict classes.
     * @param weights eight numbers "w0 w1 .. w7", each 1..1000
     * @throws FabricError for another count or a number out of range
     */
    void SetWeights(const std::string& weights);

    /** @return the weights as text */
    std::string GetWeights() const;

  private:
    uint8_t DoSelect(FabricMask ready) override;
    void DoOnSent(uint8_t vl, uint32_t bytes) override;

    uint8_t m_strict;                   //!< mask of strict-priority classes
    uint32_t m_quantum;                 //!< bytes a weight of 1 earns per round
    FabricClassList::Numbers m_weight{{1, 1, 1, 1, 1, 1, 1, 1}}; //!< of the other classes
    int64_t m_deficit[FABRIC_CLASSES]{}; //!< bytes each may still send
    uint8_t m_current{0};               //!< class served last
};

} // namespace ns3

#endif /* PORT_SCHEDULER_H */
