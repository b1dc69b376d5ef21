/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SWITCH_BUFFER_H
#define SWITCH_BUFFER_H

#include "switch-buffer-budget.h"

#include "ns3/fabric-port-stats.h"
#include "ns3/object.h"
#include "ns3/pfc-headroom.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The packet memory of a switch and who may use how much of it.
 *
 * Every ingress port and lossless class has a reserved minimum, a share of the common pool bounded
 * by a dynamic threshold T = alpha (shared - in use), and headroom for what is still on its way
 * after the stop frame. Lossy classes are bounded by T of their egress queue.
 *
 * A class is stopped by the frame that trips its threshold, and that frame belongs in the common
 * pool. So T is 0 once the pool has only one frame for each lossless class left, and lossy classes
 * never take that rest: the headroom is whole whenever a stop frame is sent.
 *
 * Identities, asserted: the shared bytes in use are the sum over all ingress classes of what each
 * holds beyond its reserve; no part exceeds its size; after the last release everything is 0.
 */
class SwitchBuffer : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Divide the buffer among ports.
     * @param name of the switch, for messages
     * @param ports what is connected
     * @throws FabricError when the parts do not fit the size, with the numbers
     */
    void Configure(const std::string& name, const std::vector<SwitchBufferPort>& ports);

    /** @return the division */
    const SwitchBufferBudget& GetBudget() const
    {
        return m_budget;
    }

    /**
     * @brief Headroom that a port and class has and needs.
     * @param port what is connected
     * @return bytes needed so that no alignment of frames can drop, pause frame included
     */
    uint64_t GetNeededHeadroom(const SwitchBufferPort& port) const;

    /** @return headroom given to an ingress port and class, bytes */
    uint64_t GetHeadroom(uint16_t port, uint8_t vl) const
    {
        return At(port, vl).headroom;
    }

    using Verdict = SwitchBufferVerdict; //!< what Admit() says

    /**
     * @brief Take a frame in, or refuse it.
     * @param in ingress port
     * @param vl class
     * @param lossless class stops its sender
     * @param stopped its sender has been told to stop
     * @param egressBytes bytes of this class queued at the egress it goes to
     * @param bytes frame length
     * @return the verdict
     */
    Verdict Admit(uint16_t in,
                  uint8_t vl,
                  bool lossless,
                  bool stopped,
                  uint64_t egressBytes,
                  uint32_t bytes)
    {
        Ledger& l = m_ledgers[static_cast<size_t>(in) * FABRIC_CLASSES + vl];
        const uint64_t before = Shared(l);
        l.bytes += bytes;
        const uint64_t grow = Shared(l) - before;
        if (lossless && !stopped && m_used + grow <= m_budget.shared)
        {
            m_used += grow;
        }
        else if (!Squeeze(l, before, lossless, stopped, egressBytes, bytes))
        {
            return {false, true, l.bytes + l.inHeadroom};
        }
        m_held += bytes;
        m_maxHeld = std::max(m_maxHeld, m_held);
        NS_ASSERT_MSG(m_held <= m_size, "buffer overfull");
        return {true, lossless && OverStop(l), l.bytes + l.inHeadroom};
    }

    /**
     * @brief A frame taken in leaves.
     * @param in ingress port it came by
     * @param vl class
     * @param bytes frame length
     */
    void Release(uint16_t in, uint8_t vl, uint32_t bytes)
    {
        Ledger& l = m_ledgers[static_cast<size_t>(in) * FABRIC_CLASSES + vl];
        const uint64_t fromHeadroom = std::min<uint64_t>(l.inHeadroom, bytes);
        l.inHeadroom -= fromHeadroom;
        const uint64_t before = Shared(l);
        NS_ASSERT_MSG(l.bytes >= bytes - fromHeadroom, "more released than admitted");
        l.bytes -= bytes - fromHeadroom;
        m_used -= before - Shared(l);
        m_held -= bytes;
    }

    /**
     * @brief Is the class over its stop threshold?
     * @param in ingress port
     * @param vl class
     * @return true when its sender must stop
     */
    bool ShouldStop(uint16_t in, uint8_t vl) const
    {
        return OverStop(At(in, vl));
    }

    /**
     * @brief The lowest stop threshold that packets on their way can bring about: a safe bound.
     * @param comingAll bytes posted to the whole switch and not here yet
     * @return shared bytes of one ingress class
     */
    uint64_t GetThresholdAfter(uint64_t comingAll) const
    {
        const uint64_t used = m_used + comingAll;
        return used > m_budget.shared ? 0 : Threshold(used);
    }

    /**
     * @brief Could the class reach a threshold once its packets on their way are here?
     * @param in ingress port
     * @param vl class
     * @param coming bytes posted for this class and not here yet
     * @param threshold shared bytes
     * @return false when it certainly will not
     */
    bool MayStop(uint16_t in, uint8_t vl, uint64_t coming, uint64_t threshold) const
    {
        const Ledger& l = At(in, vl);
        const uint64_t bytes = l.bytes + coming;
        return l.inHeadroom > 0 || (bytes > l.reserve ? bytes - l.reserve : 0) >= threshold;
    }

    /**
     * @brief Has the class fallen to its resume threshold?
     * @param in ingress port
     * @param vl class
     * @param slack bytes of shared memory that may become free in the same instant
     * @return true when its sender may go on
     */
    bool ShouldResume(uint16_t in, uint8_t vl, uint64_t slack = 0) const
    {
        const Ledger& l = At(in, vl);
        const uint64_t shared = Shared(l);
        return l.inHeadroom == 0 &&
               (shared == 0 ||
                shared + m_resumeOffset <= Threshold(m_used > slack ? m_used - slack : 0));
    }

    /** @return shared bytes in use */
    uint64_t GetUsed() const
    {
        return m_used;
    }

    /** @return bytes held in all, reserve and headroom included */
    uint64_t GetHeld() const
    {
        return m_held;
    }

    /** @return most bytes ever held */
    uint64_t GetMaxHeld() const
    {
        return m_maxHeld;
    }

    /** @return most headroom bytes that one port and class ever used */
    uint64_t GetMaxHeadroomUsed() const
    {
        return m_maxHeadroomUsed;
    }

    /** @return current stop threshold, shared bytes of one ingress class */
    uint64_t GetThreshold() const
    {
        return Threshold(m_used);
    }

    /**
     * @param in ingress port
     * @param vl class
     * @return bytes it holds
     */
    uint64_t GetIngressBytes(uint16_t in, uint8_t vl) const
    {
        return At(in, vl).bytes + At(in, vl).inHeadroom;
    }

    /**
     * @brief Set the rule by which headroom is sized.
     * @param rule "computed" or "hpcc"
     * @throws FabricError for another word
     */
    void SetHeadroomRule(const std::string& rule);

    /** @return the rule's name */
    std::string GetHeadroomRule() const;

  private:
    using Ledger = SwitchBufferLedger;

    static uint64_t Shared(const Ledger& l)
    {
        return l.bytes > l.reserve ? l.bytes - l.reserve : 0;
    }

    bool OverStop(const Ledger& l) const
    {
        return l.inHeadroom > 0 || (l.bytes > 0 && Shared(l) >= Threshold(m_used));
    }

    const Ledger& At(uint16_t port, uint8_t vl) const
    {
        return m_ledgers[static_cast<size_t>(port) * FABRIC_CLASSES + vl];
    }

    uint64_t Threshold(uint64_t used) const
    {
        if (m_staticThreshold > 0)
        {
            return m_staticThreshold;
        }
        if (used + m_budget.lastFrames > m_budget.shared)
        {
            return 0;
        }
        return ((m_budget.shared - used) * m_alphaFixed) >> ALPHA_SHIFT;
    }

    /**
     * @brief Admit() for lossy and stopped classes, and for all when the shared memory is full.
     * @param l the ledger, the frame added already; taken out again when it is refused
     * @param before shared bytes of the ledger without the frame
     * @return true when it is accounted
     */
    bool Squeeze(Ledger& l,
                 uint64_t before,
                 bool lossless,
                 bool stopped,
                 uint64_t egressBytes,
                 uint32_t bytes);
    PfcHeadroom Needs(const SwitchBufferPort& port) const;
    void SetAlpha(double alpha);
    double GetAlpha() const;

    static constexpr uint32_t ALPHA_SHIFT = 16; //!< fixed point of alpha

    // hot
    std::vector<Ledger> m_ledgers; //!< port-major
    uint64_t m_used{0};            //!< shared bytes in use
    uint64_t m_held{0};            //!< all bytes held
    uint64_t m_alphaFixed{0};      //!< alpha << ALPHA_SHIFT
    uint64_t m_resumeOffset{0};    //!< ResumeOffset
    uint64_t m_staticThreshold{0}; //!< StaticThreshold
    uint64_t m_maxHeld{0};         //!< peak of m_held
    uint64_t m_maxHeadroomUsed{0}; //!< peak of one ledger's headroom
    uint64_t m_lossyLimit{0};      //!< shared bytes in use up to which lossy frames are taken

    // cold
    SwitchBufferBudget m_budget; //!< division
    uint64_t m_size{0};          //!< Size
    uint64_t m_reserve{0};       //!< ReservedPerClass
    uint32_t m_maxFrame{0};      //!< MaxFrameBytes
    uint64_t m_fixedHeadroom{0}; //!< HeadroomPerClass, 0 = by rule
    bool m_hpccRule{false};      //!< HeadroomRule
};

} // namespace ns3

#endif /* SWITCH_BUFFER_H */
