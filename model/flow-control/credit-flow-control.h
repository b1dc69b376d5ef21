/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CREDIT_FLOW_CONTROL_H
#define CREDIT_FLOW_CONTROL_H

#include "credit-notes.h"

#include "ns3/flow-control.h"

#include <array>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Credits: a frame starts only when the far end is known to have room for all of it.
 *
 * Room is counted per class in blocks; a frame takes whole blocks. The receiver gives blocks back
 * as its station lets frames go; they reach the sender one way later and cost no wire time there,
 * because links of this kind carry them in the headers of their packets. Nothing is ever dropped
 * for want of room. A credit on its way is a note in a ring at the sender, not an event; only a
 * sender that is blocked is woken by it. A subclass may return credits in another way.
 *
 * At any instant, per class of one direction: credits at the sender + credits on their way + frames
 * on their way + frames held = Buffer. ExplainImbalance() checks it.
 */
class CreditFlowControl : public FlowControl
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Size of this port's receive buffer, for every class; before traffic.
     * @param bytes at least one frame of the largest kind
     */
    void SetBuffer(uint32_t bytes);

    /** @return bytes of one class, whole blocks */
    uint32_t GetBuffer() const;

    /** @return unit in which room is counted, bytes */
    uint32_t GetBlockBytes() const
    {
        return m_blockBytes;
    }

    /** @brief Both ends are wired and have buffers: hand out the first credits. */
    void Start();

    /**
     * @brief Egress: the length of the frame that a class would send next.
     * @param vl class
     * @param bytes frame length, 0 when nothing waits
     * @throws FabricError for a frame that the far end could never have room for
     */
    void SetHead(uint8_t vl, uint32_t bytes);

    /**
     * @brief Egress: a frame starts; takes its credits.
     * @param vl class
     * @param bytes frame length
     * @param now ps
     */
    void Spend(uint8_t vl, uint32_t bytes, FabricPs now);

    /**
     * @brief Egress: may a frame of this length start now?
     * @param vl class
     * @param bytes frame length
     * @return true when there are credits for all of it
     */
    bool CanSend(uint8_t vl, uint32_t bytes) const
    {
        return m_credits[vl] >= Blocks(bytes);
    }

    /**
     * @brief Ingress: a frame has been admitted and holds its room.
     * @param vl class
     * @param bytes frame length
     */
    void Hold(uint8_t vl, uint32_t bytes);

    /**
     * @brief Ingress: a frame's room is free again; tells the sender.
     * @param vl class
     * @param bytes frame length
     * @param at when, ps; not before now
     */
    void Release(uint8_t vl, uint32_t bytes, FabricPs at)
    {
        DoRelease(vl, Blocks(bytes), at);
    }

    /** @brief Ingress: the link is up again; the sender gets what is neither held nor coming. */
    void Restore()
    {
        DoRestore();
    }

    /**
     * @param vl class
     * @return blocks that the egress side may send
     */
    uint32_t GetCredits(uint8_t vl) const
    {
        return m_credits[vl];
    }

    /**
     * @param vl class
     * @return blocks held by the ingress side
     */
    uint32_t GetHeld(uint8_t vl) const
    {
        return m_held[vl];
    }

    /**
     * @brief Check that no credit was made or lost on the direction that this port sends.
     * @return empty when it adds up, else the numbers
     */
    std::string ExplainImbalance() const
    {
        return DoExplainImbalance();
    }

    /**
     * @param bytes frame length
     * @return blocks that it takes
     */
    uint32_t Blocks(uint32_t bytes) const
    {
        return (bytes + m_blockBytes - 1) / m_blockBytes;
    }

  protected:
    void DoAttach() override;
    void DoExpire(FabricPs now) override;
    void DoReset(FabricPs now) override;

    /** @brief May the next frame of a class start? @param vl class */
    void Judge(uint8_t vl);

    /** @return the other end's */
    CreditFlowControl* Peer() const;

    /**
     * @param vl class
     * @return blocks of frames on their way to the other end
     */
    uint32_t GetOnTheWay(uint8_t vl) const;

    uint32_t m_blockBytes;                            //!< BlockBytes
    std::array<uint32_t, FABRIC_LANES> m_credits{};   //!< egress: blocks left
    std::array<uint32_t, FABRIC_LANES> m_held{};      //!< ingress: blocks in use

  private:
    FabricPs DoNextUnblock(FabricMask classes) const override;
    void DoOnControl(const FabricPacket* frame, FabricPs at) override;
    FabricPacket* DoStop(uint8_t vl, FabricPs now) override;
    FabricPacket* DoResume(uint8_t vl, FabricPs now) override;
    FabricPacket* DoRefresh(FabricPs now) override;
    FabricPs DoNextRefresh() const override;
    virtual void DoStart();
    virtual void DoRelease(uint8_t vl, uint32_t blocks, FabricPs at);
    virtual void DoRestore();
    virtual std::string DoExplainImbalance() const;

    void OnCredit(const CreditNote& note);
    void TakeArrived(FabricPs now);

    uint32_t m_buffer;                                //!< Buffer, bytes
    Time m_returnLatency;                             //!< ReturnLatency
    FabricPs m_wayBack{0};                            //!< from a release to the sender, ps
    std::array<uint32_t, FABRIC_LANES> m_need{};      //!< egress: blocks of the next frame
    CreditNotes m_notes;                              //!< egress: credits to come
};

} // namespace ns3

#endif /* CREDIT_FLOW_CONTROL_H */
