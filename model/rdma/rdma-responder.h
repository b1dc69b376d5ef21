/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_RESPONDER_H
#define RDMA_RESPONDER_H

#include "loss-recovery.h"
#include "rdma-response-queue.h"
#include "verbs-shared-receive-queue.h"
#include "verbs-work.h"

#include "ns3/callback.h"
#include "ns3/fabric-packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

struct QpCore;

/** @brief AETH syndromes. */
enum RdmaSyndrome : uint8_t
{
    RDMA_ACK = 0x1f,          //!< positive, no end-to-end credits
    RDMA_RNR = 0x20,          //!< low five bits: timer code
    RDMA_NAK_SEQUENCE = 0x60, //!< PSN sequence error
    RDMA_NAK_INVALID = 0x61,  //!< invalid request
    RDMA_NAK_ACCESS = 0x62,   //!< remote access error
    RDMA_NAK_OPERATION = 0x63 //!< remote operational error
};

/**
 * @ingroup ai-fabric
 * @brief Receive side of a queue pair: order, access checks, ACK, NAK, CNP, READ responses.
 */
class RdmaResponder
{
  public:
    /**
     * @param core the queue pair
     */
    explicit RdmaResponder(QpCore& core)
        : m_core(core)
    {
    }

    /**
     * @brief Start a connection.
     * @param psn first PSN to expect
     */
    void Start(uint32_t psn);

    /** @brief Forget everything (RESET). */
    void Clear();

    /**
     * @brief A request packet came.
     * @param p the packet, stays the caller's
     */
    void OnRequest(const FabricPacket* p);

    /** @return true when READ responses wait to be sent */
    bool HasResponses() const
    {
        return !m_jobs.IsEmpty();
    }

    /** @return when the next READ response can go, ps */
    FabricPs ResponseAt() const;

    /**
     * @brief Make the next READ response.
     * @param now ps
     * @return the packet
     */
    FabricPacket* BuildResponse(FabricPs now);

    /**
     * @brief Complete all own receive requests as flushed.
     * @param at ps
     */
    void Flush(FabricPs at);

    /**
     * @brief A whole message is in memory: count it and tell.
     * @param at ps
     */
    void FinishMessage(FabricPs at);

    /** @return when the last whole SEND or WRITE had arrived, ps */
    FabricPs GetLastMessageAt() const
    {
        return m_lastMessageAt;
    }

    Ptr<VerbsSharedReceiveQueue> receives;       //!< own or shared receive queue
    bool shared{false};                          //!< it is shared
    Callback<void, uint64_t, FabricPs> delivery; //!< told of whole messages

  private:
    /** @brief An atomic that was done, for its duplicate. */
    struct Done
    {
        uint64_t seq;   //!< of the request
        uint64_t value; //!< original value
    };

    void OnReliable(const FabricPacket* p);
    void OnUnreliable(const FabricPacket* p);
    void OnDatagram(const FabricPacket* p);
    void OnDuplicate(const FabricPacket* p, uint64_t seq);
    bool FitsMessage(uint8_t opcode) const;
    uint8_t Accept(const FabricPacket* p);
    uint8_t AcceptSend(const FabricPacket* p);
    uint8_t AcceptWrite(const FabricPacket* p);
    uint8_t AcceptRead(const FabricPacket* p);
    uint8_t AcceptAtomic(const FabricPacket* p);
    uint8_t BeginReceive(const FabricPacket* p);
    void EndReceive(const FabricPacket* p, VerbsWcStatus status, bool write);
    void QueueRead(uint64_t seq, const FabricPacketSide& read, FabricPs at);
    void AnswerAtomic(uint64_t seq, uint64_t value, FabricPs at, FabricPs fetch);
    FabricPacket* BuildAtomicAck(uint64_t seq, uint64_t value, FabricPs fetch);
    FabricPs FetchFrom(uint32_t key) const;
    void SendBehindData(FabricPacket* p);
    void Store(const FabricPacket* p, uint32_t key);
    void SendAck(uint8_t syndrome, uint64_t seq, const FabricPacket* cause);
    FabricPacket* MakeAck(uint8_t syndrome, uint64_t seq, const FabricPacket* cause);
    void Refuse(uint8_t syndrome, FabricPs at);
    void ForgetMessage();
    void EndMessage(FabricPs at);

    QpCore& m_core;              //!< the queue pair
    RdmaReceiverView m_view;     //!< order
    bool m_inMessage{false};     //!< a message is in progress
    bool m_inWrite{false};       //!< it is a WRITE
    bool m_skipping{false};      //!< UC: the rest of a broken message is skipped
    bool m_hasReceive{false};    //!< m_receive is taken
    ReceiveRequest m_receive;    //!< of the message in progress
    uint64_t m_messageBytes{0};  //!< received of it
    uint64_t m_messageLength{0}; //!< WRITE: announced
    uint32_t m_writeKey{0};      //!< WRITE: key of the region
    FabricPs m_lastMessageAt{0}; //!< last whole message
    uint8_t m_refusal{0};        //!< fatal NAK to send behind the READ responses; 0 = none
    RdmaResponseQueue m_jobs;    //!< READs to be answered
    std::vector<Done> m_done;    //!< ring of the last atomics
    uint32_t m_doneNext{0};      //!< next place in it
};

} // namespace ns3

#endif /* RDMA_RESPONDER_H */
