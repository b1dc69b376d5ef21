/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_QUEUE_PAIR_H
#define VERBS_QUEUE_PAIR_H

#include "verbs-completion-queue.h"
#include "verbs-protection-domain.h"
#include "verbs-shared-receive-queue.h"
#include "verbs-work.h"

#include "ns3/fabric-packet.h"
#include "ns3/object.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaNic;
class RdmaNicEngine;
struct QpCore;

/** @brief What a queue pair is made with. */
struct VerbsQpInit
{
    VerbsQpType type{VerbsQpType::RC}; //!< transport service
    Ptr<VerbsProtectionDomain> pd;     //!< protection domain
    Ptr<VerbsCompletionQueue> sendCq;  //!< null: send requests complete silently
    Ptr<VerbsCompletionQueue> recvCq;  //!< null: receive requests complete silently
    Ptr<VerbsSharedReceiveQueue> srq;  //!< null: own receive queue
    uint32_t maxSend{128};             //!< most send requests outstanding
    uint32_t maxRecv{128};             //!< most receive requests outstanding (own queue)
    uint32_t mtu{0};                   //!< payload of a full packet; 0: the NIC's Mtu
    bool signalAll{false};             //!< every send request makes a completion
    Ptr<RdmaCongestionOps> congestion; //!< prototype; null: the NIC's (UD: none)
};

/** @brief What Modify() sets; names and meaning as in the verbs API. */
struct VerbsQpAttributes
{
    uint32_t destEndpoint{0};    //!< RTR: peer's endpoint (RC, UC)
    uint32_t destQpn{0};         //!< RTR: peer's queue pair (RC, UC)
    uint32_t rqPsn{0};           //!< RTR: first PSN to expect
    uint8_t maxDestRdAtomic{16}; //!< RTR: READs and atomics accepted at a time
    uint8_t minRnrTimer{12};     //!< RTR: code of the RNR NAK timer (12 = 0.64 ms)
    uint32_t qkey{0};            //!< INIT: key of datagrams accepted (UD)
    uint16_t udpSourcePort{0};   //!< RTR: ECMP entropy; 0 = derived from both numbers
    uint8_t trafficClass{255};   //!< RTR: class of data packets; 255 = the NIC's DataClass
    uint8_t serviceLevel{0};     //!< RTR: InfiniBand SL, 0 to 15; an IbHca turns it into a class
    uint16_t pKey{FABRIC_DEFAULT_PKEY}; //!< RTR: partition key; checked on InfiniBand only
    uint32_t sqPsn{0};           //!< RTS: first PSN to send
    uint8_t timeout{255};        //!< RTS: 4.096 us x 2^code, 0 = no timer; 255 = RetryTimeout
    uint8_t retryCount{7};       //!< RTS: timeouts in a row before RETRY_EXC_ERR
    uint8_t rnrRetry{7};         //!< RTS: RNR NAKs in a row before RNR_RETRY_EXC_ERR; 7 = no limit
    uint8_t maxRdAtomic{16};     //!< RTS: own READs and atomics outstanding at a time
    FabricPs baseRtt{0};         //!< RTR: idle round trip for congestion control, ps; 0 = unknown
};

/** @brief What a queue pair has done since it was made; sums are those of a NIC. */
struct RdmaQpCounters
{
    uint64_t txPackets{0};   //!< data packets sent: requests and READ responses
    uint64_t txBytes{0};     //!< their payload
    uint64_t retransmits{0}; //!< of those packets, sent before
    uint64_t rxPackets{0};   //!< data packets received
    uint64_t delivered{0};   //!< payload accepted in order
    uint64_t messagesIn{0};  //!< messages received whole: SEND, WRITE
    uint64_t acksTx{0};      //!< ACKs sent
    uint64_t acksRx{0};      //!< ACKs received
    uint64_t naksTx{0};      //!< NAKs sent, RNR apart
    uint64_t naksRx{0};      //!< NAKs received, RNR apart
    uint64_t rnrTx{0};       //!< RNR NAKs sent
    uint64_t rnrRx{0};       //!< RNR NAKs received
    uint64_t timeouts{0};    //!< retry timer expiries
    uint64_t cnpsTx{0};      //!< CNPs sent
    uint64_t cnpsRx{0};      //!< CNPs received
    uint64_t markedRx{0};    //!< data packets received with CE
    uint64_t duplicates{0};  //!< request packets seen before
    uint64_t discarded{0};   //!< packets out of order, in error, or refused

    /**
     * @brief Add up.
     * @param other counters to add
     */
    void Add(const RdmaQpCounters& other);
};

/**
 * @ingroup ai-fabric
 * @brief A queue pair: send queue, receive queue, state machine.
 *
 * Made by RdmaNic::CreateQueuePair(), brought up by Modify() to INIT, RTR and RTS. A slot of the
 * send queue is free again when its request is complete, signalled or not. Requests complete in
 * the order posted. After an error the queue pair is in ERR and everything is flushed in order.
 */
class VerbsQueuePair : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    VerbsQueuePair();
    ~VerbsQueuePair() override;

    /**
     * @brief One step of the state machine.
     * @param to new state
     * @param attributes those that belong to this step are taken, the others ignored
     * @return OK, INVALID_STATE or INVALID_ARGUMENT
     */
    VerbsResult Modify(VerbsQpState to, const VerbsQpAttributes& attributes = VerbsQpAttributes());

    /**
     * @brief Post a send request.
     * @param wr the request
     * @return OK or why nothing was posted; errors found later come as completions
     */
    VerbsResult PostSend(const WorkRequest& wr);

    /**
     * @brief Post a receive request to the own receive queue.
     * @param rr the request
     * @return OK or why nothing was posted
     */
    VerbsResult PostRecv(const ReceiveRequest& rr);

    /** @return queue pair number, 24 bits */
    uint32_t GetQpn() const;

    /** @return transport service */
    VerbsQpType GetType() const;

    /** @return present state */
    VerbsQpState GetState() const;

    /** @return send requests posted and not complete */
    uint32_t GetSendOutstanding() const;

    /** @return true in SQD once every request that was begun is complete */
    bool IsSendDrained() const;

    /**
     * @brief Counters; exact up to the clock after RdmaNic::CatchUp().
     * @return what happened since creation
     */
    const RdmaQpCounters& GetCounters() const;

    /** @return when the last whole SEND or WRITE had arrived, ps; 0 if none has */
    FabricPs GetLastMessageAt() const;

    /** @brief A message is in: how many so far, and when (ps) its last byte arrived. */
    typedef Callback<void, uint64_t, FabricPs> DeliveryCallback;

    /**
     * @brief Be told of every whole SEND or WRITE received, a measuring probe: it may run later
     * than the arrival it reports, always before the sender can see the ACK.
     * @param callback called with the count of messages and the arrival
     */
    void SetDeliveryCallback(DeliveryCallback callback);

    /** @return hash of the five-tuple of packets to the peer; 0 before RTR */
    uint32_t GetFlowHash() const;

    /** @return sending rate, bits per second of frames */
    double GetRateBps() const;

    /** @return congestion control; null: line rate, or not yet RTR */
    Ptr<RdmaCongestionOps> GetCongestion() const;

    /** @return NIC, null once destroyed */
    RdmaNic* GetNic() const
    {
        return m_nic;
    }

  protected:
    void DoDispose() override;

  private:
    friend class RdmaNic;
    friend class RdmaNicEngine;

    VerbsResult ToRtr(const VerbsQpAttributes& attributes);
    VerbsResult ToRts(const VerbsQpAttributes& attributes);
    void ToReset();
    VerbsResult CheckSend(const WorkRequest& wr) const;

    RdmaNic* m_nic{nullptr};        //!< null once destroyed
    uint32_t m_index{0};            //!< position in the NIC's list
    VerbsQpInit m_init;             //!< as asked for
    std::unique_ptr<QpCore> m_core; //!< the inside
};

} // namespace ns3

#endif /* VERBS_QUEUE_PAIR_H */
