/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ECN_MARKER_H
#define ECN_MARKER_H

#include "ns3/data-rate.h"
#include "ns3/fabric-packet.h"
#include "ns3/fabric-random.h"
#include "ns3/fabric-time.h"
#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Decides whether a packet that leaves (or enters) an egress queue is marked; one per port.
 */
class EcnMarker : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Learn the port's rate.
     * @param rate link rate
     * @throws FabricError when the settings make no sense at this rate
     */
    void SetRate(const FabricRate& rate)
    {
        DoSetRate(rate);
    }

    /** @return true when packets are judged on entering the queue, false on leaving it */
    bool MarksOnEnqueue() const
    {
        return m_onEnqueue;
    }

    /**
     * @param vl class
     * @return true when packets of this class are judged
     */
    bool Covers(uint8_t vl) const
    {
        return (m_classes >> vl) & 1;
    }

    /**
     * @brief Judge one packet.
     * @param queueBytes queue length: on entering, what it finds; on leaving, itself included
     * @param random the port's own stream
     * @return true to mark
     */
    bool ShouldMark(uint64_t queueBytes, FabricRandom& random)
    {
        return DoShouldMark(queueBytes, random);
    }

  protected:
    bool m_onEnqueue{false}; //!< MarkOnEnqueue
    uint8_t m_classes{0xff}; //!< Classes

  private:
    virtual void DoSetRate(const FabricRate& rate) = 0;
    virtual bool DoShouldMark(uint64_t queueBytes, FabricRandom& random) = 0;
};

/**
 * @ingroup ai-fabric
 * @brief RED on the instantaneous queue, as DCQCN and DCTCP switches do it.
 *
 * p = 0 at or below Kmin, Pmax (q - Kmin) / (Kmax - Kmin) between, 1 above Kmax. Thresholds are
 * given at ReferenceRate and scale with the port's rate.
 */
class RedEcnMarker : public EcnMarker
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @return Kmin at this port, bytes */
    uint64_t GetEffectiveMin() const
    {
        return m_kmin;
    }

    /** @return Kmax at this port, bytes */
    uint64_t GetEffectiveMax() const
    {
        return m_kmax;
    }

    /**
     * @brief The RED line.
     * @param queueBytes queue length
     * @return marking probability
     */
    double GetProbability(uint64_t queueBytes) const;

  private:
    void DoSetRate(const FabricRate& rate) override;
    bool DoShouldMark(uint64_t queueBytes, FabricRandom& random) override;

    uint64_t m_min{0};     //!< MinThreshold
    uint64_t m_max{0};     //!< MaxThreshold
    double m_pmax{0};      //!< MaxProbability
    DataRate m_reference;  //!< ReferenceRate
    uint64_t m_kmin{0};    //!< scaled Kmin
    uint64_t m_kmax{0};    //!< scaled Kmax
};

} // namespace ns3

#endif /* ECN_MARKER_H */
