/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GO_BACK_N_RECOVERY_H
#define GO_BACK_N_RECOVERY_H

#include "loss-recovery.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Go-back-N: the receiver takes packets in order only, one NAK per gap, and the sender goes
 * on from the missing packet.
 *
 * GoBackZero restarts the whole message instead, as early RoCE adapters did, on both sides: the
 * receiver forgets the part of the message it had.
 */
class GoBackNRecovery : public LossRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    uint64_t DoOnNak(const RdmaSenderView& view, uint64_t missing) override;
    uint64_t DoOnTimeout(const RdmaSenderView& view) override;
    RdmaArrival DoOnArrival(RdmaReceiverView& view, uint64_t seq) override;
    void DoOnRefused() override;

    bool m_goBackZero;     //!< restart the message
    bool m_refused{false}; //!< the sender has been told about this gap
};

} // namespace ns3

#endif /* GO_BACK_N_RECOVERY_H */
