/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_FLOW_CONTROL_H
#define IB_FLOW_CONTROL_H

#include "ns3/credit-flow-control.h"
#include "ns3/nstime.h"

#include <array>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief InfiniBand's credits: absolute counters in flow-control packets, one buffer for each VL.
 *
 * Both ends count 64-byte blocks modulo 4096. The receiver's packet grants up to FCCL: what it has
 * received (ABR) and the room that is free. The sender may send a frame of b blocks when
 * (FCCL - (FCTBS + b)) mod 4096 <= 2047, FCTBS being all it has sent. Its own packets carry FCTBS,
 * and the receiver sets ABR to it: blocks lost on the wire so become room again, and a lost
 * flow-control packet is made good by the next one. VL 15 has no flow control.
 *
 * A packet is due when UpdateBlocks have been freed, and at the latest 65,536 symbol times after
 * something has changed on a VL. Repetitions that would say nothing new are left out, so an idle
 * link has no events; 16 VLs of them would take 0.05 % of an EDR line.
 *
 * The station that has the port must ask NextUpdate() and TakeUpdate() at its wakes, call Settle()
 * before it admits or sends anything there, and OnSent() after; IbSwitch and IbHca do.
 */
class IbFlowControl : public CreditFlowControl
{
  public:
    static constexpr uint32_t BLOCK = 64;        //!< bytes of a block
    static constexpr uint32_t MAX_BLOCKS = 2048; //!< most that counters of 12 bits can grant
    static constexpr uint8_t VL_MANAGEMENT = 15; //!< the VL without flow control
    static constexpr uint32_t PACKET_BYTES = 8;  //!< of a flow-control packet on the wire

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Ingress: take note of what has become free, and of FCTBS heard, up to a time.
     * @param now ps; all frames that arrived before are admitted, control frames are read
     */
    void Settle(FabricPs now);

    /**
     * @brief Ingress: when a flow-control packet is due, as far as is known now.
     * @param now ps; settled
     * @return ps, FABRIC_NEVER if none
     */
    FabricPs NextUpdate(FabricPs now) const;

    /**
     * @brief Ingress: a flow-control packet that is due; the line must be free.
     * @param now ps; settled
     * @return it, or null; the caller owns it and sends it now
     */
    FabricPacket* TakeUpdate(FabricPs now);

    /**
     * @brief Egress: a frame has started, after Spend().
     * @param vl its VL
     * @param now ps
     */
    void OnSent(uint8_t vl, FabricPs now);

    /**
     * @brief Ingress: a frame was posted that will be used up as it arrives; instead of Hold() and
     * Release().
     * @param vl its VL
     * @param bytes its length
     * @param at its arrival, ps
     */
    void Expect(uint8_t vl, uint32_t bytes, FabricPs at);

    /**
     * @brief Ingress: is there room for a frame on VL 15, which nobody asked for?
     * @param bytes frame length
     * @return false: it must be dropped
     */
    bool HasRoom(uint32_t bytes) const;

    /** @return blocks that must be free before a packet is sent for them */
    uint32_t GetUpdateBlocks() const
    {
        return m_update;
    }

    /** @return 65,536 symbol times on this link (or what MaxInterval says), ps */
    FabricPs GetInterval() const
    {
        return m_interval;
    }

    /** @return flow-control packets sent on a VL @param vl the VL */
    uint64_t GetUpdates(uint8_t vl) const
    {
        return m_updates[vl];
    }

  private:
    void DoAttach() override;
    void DoExpire(FabricPs now) override;
    void DoOnControl(const FabricPacket* frame, FabricPs at) override;
    void DoReset(FabricPs now) override;
    bool DoIsAwaited(const FabricPacket& frame) const override;
    void DoOnLost(const FabricPacket& p) override;
    void DoStart() override;
    void DoRelease(uint8_t vl, uint32_t blocks, FabricPs at) override;
    void DoRestore() override;
    std::string DoExplainImbalance() const override;

    /** @brief A number modulo 4096. */
    static uint32_t Wrap(uint32_t n)
    {
        return n & 4095;
    }

    void Free(const CreditNote& note);
    uint32_t GetUnsettled(uint8_t vl) const;
    IbFlowControl* PeerEnd() const;
    uint32_t GetRoom() const;
    uint32_t GetSent(uint8_t vl) const;
    void Touch(uint8_t vl, FabricPs at);
    void TakeFreed(FabricPs now);
    void Repair(uint8_t vl, uint32_t sent, FabricPs at);
    FabricPs DueAt(uint8_t vl, uint32_t freed, FabricPs at) const;
    void InitLane(IbFlowControl& sender, uint8_t vl);

    uint16_t m_mtu;            //!< Mtu
    uint32_t m_updateBlocks;   //!< UpdateBlocks
    uint32_t m_symbols;        //!< MaxInterval, symbol times
    uint8_t m_lanes;           //!< Lanes
    Time m_turn;               //!< TurnTime
    uint32_t m_update{1};      //!< blocks freed that make a packet due
    FabricPs m_interval{0};    //!< MaxInterval, ps
    FabricPs m_turnPs{1};      //!< TurnTime, ps

    FabricMask m_news{0};      //!< ingress: VLs of which the last packet does not say all
    CreditNotes m_freed;       //!< ingress: room that becomes free
    CreditNotes m_heardSent;   //!< ingress: FCTBS heard while frames of before were still coming
    std::array<uint16_t, FABRIC_LANES> m_heard{};   //!< egress: FCCL heard last
    std::array<uint16_t, FABRIC_LANES> m_limit{};   //!< ingress: FCCL, ABR + free
    std::array<uint16_t, FABRIC_LANES> m_told{};    //!< ingress: FCCL sent last
    std::array<uint32_t, FABRIC_LANES> m_lost{};    //!< egress: blocks lost, not yet repaired
    std::array<FabricPs, FABRIC_LANES> m_sentAt{};  //!< last packet, or what stands for it, ps
    std::array<uint64_t, FABRIC_LANES> m_updates{}; //!< packets sent
};

} // namespace ns3

#endif /* IB_FLOW_CONTROL_H */
