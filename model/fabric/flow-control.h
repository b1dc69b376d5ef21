/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_CONTROL_H
#define FLOW_CONTROL_H

#include "fabric-packet.h"

#include "ns3/object.h"

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * @brief Link-level flow control of one port: may I send, and what do I tell the neighbour.
 *
 * One object serves both directions of a port. Egress side: which classes may start a frame.
 * Ingress side: the station says that a class's ingress is congested or relieved and the object
 * answers with the control frame to send, if any. It never schedules anything: the port asks
 * for the next deadline.
 */
class FlowControl : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Learn the port that this object serves (its rate turns quanta into time).
     * @param port the port; outlives this object's use
     */
    void SetPort(FabricPort* port);

    /**
     * @brief Egress: classes that may not start a frame now.
     * @return bit mask over classes
     */
    FabricMask GetBlocked() const
    {
        return m_blocked;
    }

    /**
     * @brief Egress: when blocked classes free themselves, without a word from the neighbour.
     * @param classes bit mask of the classes of interest
     * @return earliest such time in ps, FABRIC_NEVER if none
     */
    FabricPs NextUnblock(FabricMask classes) const;

    /**
     * @brief Egress: forget pauses that ended at or before now.
     * @param now ps
     */
    void Expire(FabricPs now)
    {
        if (m_blocked != 0)
        {
            DoExpire(now);
        }
    }

    /**
     * @brief Egress: a control frame arrived from the neighbour.
     * @param frame the frame; stays the caller's
     * @param at when it arrived, ps
     */
    void OnControl(const FabricPacket* frame, FabricPs at);

    /**
     * @brief Does somebody wait for a control frame that is on its way here?
     * @param frame the frame
     * @return false: it may be read at the port's next wake, whenever that is
     */
    bool IsAwaited(const FabricPacket& frame) const
    {
        return DoIsAwaited(frame);
    }

    /**
     * @brief Egress: a frame was lost on the wire; only now, nobody at its ends knows of it.
     * @param p the frame, of data or of control
     */
    void OnLost(const FabricPacket& p)
    {
        DoOnLost(p);
    }

    /**
     * @brief Ingress: does this class stop its sender rather than drop?
     * @param vl class
     * @return true for a lossless class
     */
    bool IsLossless(uint8_t vl) const
    {
        return (m_lossless >> vl) & 1;
    }

    /** @return time from the arrival of a control frame to its effect, ps */
    FabricPs GetReactionTime() const
    {
        return m_reactionPs;
    }

    /** @return bit mask of lossless classes */
    FabricMask GetLosslessClasses() const
    {
        return m_lossless;
    }

    /**
     * @brief Ingress: is the neighbour told to stop this class?
     * @param vl class
     * @return true from the stop to the resume
     */
    bool IsStopped(uint8_t vl) const
    {
        return (m_stopped >> vl) & 1;
    }

    /** @return bit mask of classes whose senders are told to stop */
    FabricMask GetStopped() const
    {
        return m_stopped;
    }

    /**
     * @brief Ingress: the class went over its stop threshold.
     * @param vl class, not stopped
     * @param now ps
     * @return control frame for the neighbour, or null; the caller owns it
     */
    FabricPacket* Stop(uint8_t vl, FabricPs now);

    /**
     * @brief Ingress: the class fell to its resume threshold.
     * @param vl class, stopped
     * @param now ps
     * @return control frame for the neighbour, or null; the caller owns it
     */
    FabricPacket* Resume(uint8_t vl, FabricPs now);

    /**
     * @brief Ingress: say "stop" again for all classes still stopped, before the neighbour forgets.
     * @param now ps
     * @return control frame for the neighbour, or null; the caller owns it
     */
    FabricPacket* Refresh(FabricPs now);

    /**
     * @brief Ingress: when to call Refresh().
     * @return ps, FABRIC_NEVER while nothing is stopped
     */
    FabricPs NextRefresh() const
    {
        return m_stopped == 0 ? FABRIC_NEVER : DoNextRefresh();
    }

    /**
     * @brief The link is down: both ends forget what they told each other.
     * @param now ps
     */
    void Reset(FabricPs now);

  protected:
    void DoDispose() override;

    FabricMask m_blocked{0};    //!< egress classes that must wait
    FabricMask m_stopped{0};    //!< ingress classes told to stop
    FabricMask m_lossless{0};   //!< classes under this flow control
    FabricPs m_reactionPs{0};   //!< from a control frame's arrival to its effect
    FabricPort* m_port{nullptr}; //!< the port served

  private:
    virtual void DoAttach() = 0;
    virtual FabricPs DoNextUnblock(FabricMask classes) const = 0;
    virtual void DoExpire(FabricPs now) = 0;
    virtual void DoOnControl(const FabricPacket* frame, FabricPs at) = 0;
    virtual FabricPacket* DoStop(uint8_t vl, FabricPs now) = 0;
    virtual FabricPacket* DoResume(uint8_t vl, FabricPs now) = 0;
    virtual FabricPacket* DoRefresh(FabricPs now) = 0;
    virtual FabricPs DoNextRefresh() const = 0;
    virtual void DoReset(FabricPs now);
    virtual bool DoIsAwaited(const FabricPacket& frame) const;
    virtual void DoOnLost(const FabricPacket& p);
};

/**
 * @ingroup ai-fabric
 * @brief No flow control: nothing is ever blocked, congested classes drop.
 */
class NoFlowControl : public FlowControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    void DoAttach() override;
    FabricPs DoNextUnblock(FabricMask classes) const override;
    void DoExpire(FabricPs now) override;
    void DoOnControl(const FabricPacket* frame, FabricPs at) override;
    FabricPacket* DoStop(uint8_t vl, FabricPs now) override;
    FabricPacket* DoResume(uint8_t vl, FabricPs now) override;
    FabricPacket* DoRefresh(FabricPs now) override;
    FabricPs DoNextRefresh() const override;
};

} // namespace ns3

#endif /* FLOW_CONTROL_H */
