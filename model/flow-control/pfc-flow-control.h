/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PFC_FLOW_CONTROL_H
#define PFC_FLOW_CONTROL_H

#include "ns3/flow-control.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Priority-based flow control, IEEE 802.1Qbb.
 *
 * Egress side: a pause frame stops each enabled class for its quanta (512 bit times each); a time
 * of 0 resumes it at once; a pause that is not renewed ends by itself, so a lost resume cannot
 * stop a port for good. Ingress side: a stop frame carries PauseQuanta and is repeated while the
 * congestion lasts.
 */
class PfcFlowControl : public FlowControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief How long a class has been paused without a break.
     * @param vl class
     * @param now ps
     * @return ps, 0 when it is not paused
     */
    FabricPs GetPausedFor(uint8_t vl, FabricPs now) const;

    /**
     * @brief Total time this egress class has been paused, the running pause included.
     * @param vl class
     * @param now ps
     * @return ps
     */
    FabricPs GetPausedTotal(uint8_t vl, FabricPs now) const;

    /**
     * @brief Watchdog: treat a class as not paused and ignore its stop frames until a time.
     * @param vl class
     * @param now ps
     * @param until ps
     */
    void IgnorePauses(uint8_t vl, FabricPs now, FabricPs until);

    /** @return length of a pause of PauseQuanta on this link, ps */
    FabricPs GetPauseTime() const;

  private:
    void DoAttach() override;
    FabricPs DoNextUnblock(FabricMask classes) const override;
    void DoExpire(FabricPs now) override;
    void DoOnControl(const FabricPacket* frame, FabricPs at) override;
    FabricPacket* DoStop(uint8_t vl, FabricPs now) override;
    FabricPacket* DoResume(uint8_t vl, FabricPs now) override;
    FabricPacket* DoRefresh(FabricPs now) override;
    FabricPs DoNextRefresh() const override;
    void DoReset(FabricPs now) override;

    FabricPs QuantaTime(uint32_t quanta) const;
    FabricPacket* MakeFrame(uint8_t classes, uint16_t quanta);
    void Unblock(uint8_t vl, FabricPs at);

    uint16_t m_quanta;         //!< PauseQuanta
    double m_refreshFraction;  //!< RefreshFraction
    Time m_reaction;           //!< ReactionTime
    FabricPs m_lastStop{0};    //!< last stop frame sent
    FabricPs m_pausedFrom[FABRIC_CLASSES]{};   //!< start of the running pause
    FabricPs m_pausedUntil[FABRIC_CLASSES]{};  //!< end of the running pause
    FabricPs m_ignoreUntil[FABRIC_CLASSES]{};  //!< watchdog: stop frames mean nothing before
};

} // namespace ns3

#endif /* PFC_FLOW_CONTROL_H */
