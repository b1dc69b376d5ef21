/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef LOSS_RECOVERY_H
#define LOSS_RECOVERY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/** @brief What a receiver does with a request packet. */
enum class RdmaArrival : uint8_t
{
    ACCEPT,    //!< the one expected: process it
    DUPLICATE, //!< seen before: acknowledge again
    NAK,       //!< something is missing: say so
    DISCARD    //!< something is missing and the sender has been told
};

/** @brief Sender's view of a connection, in 64-bit packet sequences. */
struct RdmaSenderView
{
    uint64_t una{0};          //!< oldest unacknowledged
    uint64_t next{0};         //!< next to be sent
    uint64_t messageFirst{0}; //!< first packet of the message that holds `una`
};

/** @brief Receiver's view of a connection, in 64-bit packet sequences. */
struct RdmaReceiverView
{
    uint64_t expected{0};     //!< next in order
    uint64_t messageFirst{0}; //!< first packet of the message in progress, or `expected`
};

/**
 * @ingroup ai-fabric
 * @brief The seam for loss recovery of a reliable connection: one object per queue pair.
 *
 * Pure arithmetic over packet sequences: it keeps no packets, reads no clock, schedules nothing.
 * Chosen by TypeId (RdmaNic::LossRecovery).
 */
class LossRecovery : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Sender: a NAK for a missing packet came.
     * @param view sender's view, everything before the missing packet acknowledged
     * @param missing its sequence
     * @return sequence to go on from; view.next when the NAK is stale
     */
    uint64_t OnNak(const RdmaSenderView& view, uint64_t missing)
    {
        return DoOnNak(view, missing);
    }

    /**
     * @brief Sender: no acknowledgement came in time.
     * @param view sender's view
     * @return sequence to go on from
     */
    uint64_t OnTimeout(const RdmaSenderView& view)
    {
        return DoOnTimeout(view);
    }

    /**
     * @brief Receiver: a request packet came.
     * @param view receiver's view; `expected` may be moved back, never on
     * @param seq its sequence
     * @return what to do with it
     */
    RdmaArrival OnArrival(RdmaReceiverView& view, uint64_t seq)
    {
        return DoOnArrival(view, seq);
    }

    /** @brief Receiver: the sender was told by other means (RNR NAK) to come back. */
    void OnRefused()
    {
        DoOnRefused();
    }

  private:
    virtual uint64_t DoOnNak(const RdmaSenderView& view, uint64_t missing) = 0;
    virtual uint64_t DoOnTimeout(const RdmaSenderView& view) = 0;
    virtual RdmaArrival DoOnArrival(RdmaReceiverView& view, uint64_t seq) = 0;
    virtual void DoOnRefused() = 0;
};

} // namespace ns3

#endif /* LOSS_RECOVERY_H */
