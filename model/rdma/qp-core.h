/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef QP_CORE_H
#define QP_CORE_H

#include "deadline-heap.h"
#include "qp-scheduler.h"
#include "rdma-delivery-queue.h"
#include "rdma-psn.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "verbs-queue-pair.h"

#include "ns3/bth-opcode.h"
#include "ns3/fabric-packet.h"
#include "ns3/frame-profile.h"
#include "ns3/rdma-congestion-ops.h"

#include <memory>

namespace ns3
{

class LossRecovery;
class RdmaNicEngine;

/**
 * @ingroup ai-fabric
 * @brief Inside of a queue pair: what requester, responder and engine share.
 *
 * Data, plus the arithmetic of pacing. One rate clock serves requests and READ responses.
 */
struct QpCore
{
    /**
     * @param nicEngine engine of the NIC
     * @param qp the public object
     */
    QpCore(RdmaNicEngine& nicEngine, VerbsQueuePair& qp);
    ~QpCore();

    /**
     * @brief Earliest start of the next packet by the rate clock.
     * @param now ps; congestion control is caught up to it
     * @return ps
     */
    FabricPs PaceAt(FabricPs now)
    {
        if (!congestion)
        {
            return paceStart;
        }
        congestion->Advance(rate, now);
        return paceStart + static_cast<FabricPs>(paceBits / rate.rateBps * 1e12);
    }

    /**
     * @brief A packet of this queue pair to its peer.
     * @param opcode BTH opcode
     * @param payload bytes
     * @param vl class
     * @param seq sequence
     * @return the packet; the caller owns it
     */
    FabricPacket* NewPacket(uint8_t opcode, uint32_t payload, uint8_t vl, uint64_t seq);

    /**
     * @brief Account for a packet that goes to the port now: rate clock, congestion control, ECN.
     * @param p the packet
     * @param now ps
     */
    void OnSent(FabricPacket* p, FabricPs now);

    /**
     * @brief A marked packet came: answer with a CNP unless one was sent lately.
     * @param at when it came, ps
     */
    void OnMarked(FabricPs at);

    /**
     * @brief Add a completion, once the payload received before it is in memory.
     * @param side whose completion queue; there may be none
     * @param wc the completion; qpNum is filled in
     */
    void Complete(RdmaSide side, const WorkCompletion& wc);

    /**
     * @brief Add a completion now.
     * @param side whose completion queue; there may be none
     * @param wc the completion; qpNum is filled in
     */
    void PushCompletion(RdmaSide side, WorkCompletion wc);

    /**
     * @brief Enter ERR: flush both queues, stop sending.
     * @param at ps
     */
    void EnterError(FabricPs at);

    RdmaNicEngine& engine;                   //!< the NIC's
    VerbsQueuePair& owner;                   //!< public object
    uint32_t qpn{0};                         //!< number
    VerbsQpType type{VerbsQpType::RC};       //!< service
    VerbsQpState state{VerbsQpState::RESET}; //!< state machine
    uint8_t needs{0};                        //!< RdmaCongestionNeed bits, low 8
    uint8_t vl{0};                           //!< data class
    bool blocked{false};                     //!< waits for an ACK or response before it can send
    uint32_t mtu{0};                         //!< payload of a full packet
    uint32_t flowHash{0};                    //!< of packets to the peer
    uint32_t postNext[2]{};                  //!< PSN after the last one filed: requests, responses
    VerbsQpAttributes attr;                  //!< as of the last Modify()
    uint32_t pdId{0};                        //!< protection domain

    RdmaRateState rate;                //!< shared with congestion control
    Ptr<RdmaCongestionOps> congestion; //!< null: line rate
    FabricPs paceStart{0};             //!< start of the last packet
    double paceBits{0};                //!< its frame bits
    FabricPs cnpFrom{0};               //!< next CNP not before
    Ptr<LossRecovery> recovery;        //!< RC only

    QpSchedulerEntry entry;  //!< sending
    DeadlineNode timer;      //!< retry timer
    RdmaQpCounters counters; //!< since creation

    Ptr<VerbsCompletionQueue> sendCq;           //!< completions of send requests
    Ptr<VerbsCompletionQueue> recvCq;           //!< completions of receive requests
    std::unique_ptr<RdmaDeliveryQueue> late[2]; //!< by RdmaSide: what waits for memory, or null
    RdmaRequester requester;                    //!< send side
    RdmaResponder responder;                    //!< receive side
};

} // namespace ns3

#endif /* QP_CORE_H */
