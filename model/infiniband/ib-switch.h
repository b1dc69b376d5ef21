/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SWITCH_H
#define IB_SWITCH_H

#include "ib-managed-station.h"
#include "ib-port-counters.h"

#include "ns3/credit-switch.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class IbFlowControl;

/**
 * @ingroup ai-fabric
 * @brief InfiniBand switch: a buffer for each VL of each ingress, and credits between switches.
 *
 * A frame's dst is a LID; the linear forwarding table gives the egress, the SL-to-VL table the VL
 * there. The SL travels in the record's dscp. Frames wait in virtual output queues, or with
 * VirtualOutputQueues off in one FIFO for each ingress and VL, whose first frame holds up all
 * others. Room is free when a frame has left. Cut through: a frame goes on PipelineLatency after
 * its first bit has come, unless the egress is faster than the ingress; then the whole frame must
 * be in, as everywhere with CutThrough off.
 *
 * Frames on VL 15 are for the management agent and never forwarded by the tables. Station ports
 * count from 0; the calls of IbManagedStation count from 1, as on the device. Set-up order: that of
 * CreditSwitch, with IbFlowControl and IbVlArbiter on every port.
 */
class IbSwitch : public CreditSwitch, public IbManagedStation
{
  public:
    static constexpr uint8_t SERVICE_LEVELS = 16; //!< SL 0 to 15
    static constexpr uint8_t VL_DISCARD = 15;     //!< in an SL-to-VL table: drop the frame

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Start() override;

    /**
     * @brief Make room for LIDs and forget all routes.
     * @param top highest LID
     * @throws FabricError when it is no unicast LID
     */
    void ResetRoutes(uint16_t top);

    /**
     * @brief An entry of the linear forwarding table.
     * @param lid destination, up to the top given to ResetRoutes()
     * @param port egress; NO_PORT: none
     * @throws FabricError for another LID or port
     */
    void SetRoute(uint16_t lid, uint16_t port);

    // ---- as a subnet manager has it; see IbManagedStation ----

    void SendMad(uint8_t port, const Mad& mad) override;
    void SetActive(uint8_t port, bool active) override;
    void SetLid(uint16_t lid, uint8_t lmc) override;
    void SetForwarding(uint16_t top, const std::vector<uint8_t>& table) override;
    void SetSlToVl(uint8_t in, uint8_t out, const std::array<uint8_t, 16>& vls) override;
    void SetPKeys(uint8_t port, const std::vector<uint16_t>& keys) override;

    /**
     * @brief Check P_Keys at a port, both ways; frames without a matching one are dropped there.
     * @param port station port
     * @param enforce true: as the table of SetPKeys() says; off at first
     */
    void EnforcePartitions(uint16_t port, bool enforce);

    /**
     * @brief An entry of the SL-to-VL table. Until one is set, SL n goes to VL n mod DataVls.
     * @param in ingress; NO_PORT for frames made here
     * @param out egress
     * @param sl service level
     * @param vl 0 to DataVls - 1, or VL_DISCARD
     * @throws FabricError for anything else
     */
    void SetVl(uint16_t in, uint16_t out, uint8_t sl, uint8_t vl);

    /**
     * @param in ingress, NO_PORT for frames made here
     * @param out egress
     * @param sl service level
     * @return VL at the egress, VL_DISCARD to drop
     */
    uint8_t GetVl(uint16_t in, uint16_t out, uint8_t sl) const;

    /**
     * @param port port number
     * @return its counters up to now
     */
    IbPortCounters GetCounters(uint16_t port);

  protected:
    void DoDispose() override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
    void DoDeparted(const FabricPacket& p, FabricPs at) override;
    void DoLinkChanged(FabricPort& port, bool up) override;

    /**
     * @param port a port
     * @return its flow control
     */
    static IbFlowControl& FlowOf(const FabricPort& port);

  private:
    /** @brief What a port has beside the engine's. */
    struct PortState
    {
        bool active{true};           //!< carries data
        bool enforces{false};        //!< checks P_Keys
        std::vector<uint16_t> pKeys; //!< its P_Key table
        FabricPs waited{0};          //!< PortXmitWait, ps
        uint64_t downed{0};          //!< LinkDownedCounter
        uint64_t foreignIn{0};       //!< PortRcvConstraintErrors
        uint64_t foreignOut{0};      //!< PortXmitConstraintErrors
    };

    /** @brief Frames of an ingress and VL, with VirtualOutputQueues off. */
    struct InputFifo
    {
        FabricPacketFifo waiting; //!< behind the first
        FabricPs freeAt{0};       //!< the one before has left, ps
        bool busy{false};         //!< the first one is at its egress
    };

    /** @brief The first frame of a FIFO, on its way to the egress's queue. */
    struct Offer
    {
        FabricPs at;     //!< when it may leave, ps
        FabricPacket* p; //!< the frame
    };

    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    void DoForward(FabricPort& out, FabricPacket* p) override;

    bool DoIsMine(const FabricPacket& p) const override;
    void DoConsume(FabricPort& in, FabricPacket* p) override;
    void DoUnroutable(FabricPort& in, FabricPacket* p) override;

    bool Admits(const PortState& port, const FabricPacket& p) const;
    size_t RowOf(uint16_t in, uint16_t out) const;
    InputFifo& FifoOf(const FabricPacket& p);
    void MakeOffer(InputFifo& fifo, FabricPacket* p);
    void TakeOffers(FabricPort& out, FabricPs now);
    static FabricPs WaitOf(const FabricPort& port, FabricPs now);

    bool m_cutThrough;                                         //!< CutThrough
    bool m_outputQueues;                                       //!< VirtualOutputQueues
    uint8_t m_dataVls;                                         //!< DataVls
    uint16_t m_top{0};                                         //!< highest LID
    std::vector<std::array<uint8_t, SERVICE_LEVELS>> m_slToVl; //!< by RowOf(); empty: as DataVls
    std::vector<PortState> m_states;                           //!< by port
    std::vector<InputFifo> m_fifos;                            //!< by ingress and VL
    std::vector<std::vector<Offer>> m_offers;                  //!< by egress, latest first
};

} // namespace ns3

#endif /* IB_SWITCH_H */
