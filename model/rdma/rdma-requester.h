/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_REQUESTER_H
#define RDMA_REQUESTER_H

#include "rdma-send-queue.h"
#include "verbs-work.h"

#include "ns3/fabric-packet.h"

#include <cstdint>

namespace ns3
{

struct QpCore;

/**
 * @ingroup ai-fabric
 * @brief Send side of a queue pair: cuts requests into packets, keeps the window, completes.
 *
 * A READ takes as many PSNs as it has response packets and is answered by those alone: an ACK that
 * runs ahead of them is remembered and counts when they are in.
 */
class RdmaRequester
{
  public:
    /**
     * @param core the queue pair
     */
    explicit RdmaRequester(QpCore& core)
        : m_core(core)
    {
    }

    /**
     * @brief Start a connection.
     * @param psn first PSN
     * @param timeout retry timer, ps; FABRIC_NEVER = none
     */
    void Start(uint32_t psn, FabricPs timeout);

    /** @brief Forget everything (RESET). */
    void Clear();

    /**
     * @brief Append a request.
     * @param wr the request, checked
     * @param readyAt when its first packet can go, ps
     */
    void Post(const WorkRequest& wr, FabricPs readyAt);

    /** @return requests posted and not complete */
    uint32_t GetOutstanding() const
    {
        return static_cast<uint32_t>(m_queue.tail - m_queue.head);
    }

    /** @return true when requests that were begun are incomplete */
    bool HasBegun() const
    {
        return m_queue.cursor > m_queue.head || m_queue.cursorPacket > 0;
    }

    /**
     * @brief May the next packet go?
     * @param now ps
     * @param at out: earliest time, ps; may lie in the past
     * @return 1 yes at that time, 0 nothing to send, -1 not before an ACK or a response
     */
    int Outlook(FabricPs now, FabricPs& at);

    /**
     * @brief Make the next packet; Outlook() said yes.
     * @param now ps
     * @return the packet, or null when the request failed on the way
     */
    FabricPacket* Build(FabricPs now);

    /**
     * @brief A packet leaves whose payload was fetched; it completes UC and UD requests.
     * @param psn PSN on the wire
     * @param now ps
     */
    void OnLeft(uint32_t psn, FabricPs now);

    /**
     * @brief Would an ACK or response up to here complete the oldest request?
     * @param psn PSN on the wire
     * @return true if so
     */
    bool CompletesOldest(uint32_t psn) const;

    /**
     * @brief ACK, NAK or RNR NAK.
     * @param p the packet, stays the caller's
     */
    void OnAck(const FabricPacket* p);

    /**
     * @brief READ response or atomic ACK.
     * @param p the packet, stays the caller's
     */
    void OnResponse(const FabricPacket* p);

    /**
     * @brief The link is down: what waits to be sent must run into its retry limit all the same.
     * @param now ps
     */
    void EnsureTimer(FabricPs now);

    /**
     * @brief The retry timer's heap entry came up.
     * @param at its time, ps
     */
    void OnTimer(FabricPs at);

    /**
     * @brief Complete everything outstanding as flushed.
     * @param at ps
     */
    void Flush(FabricPs at);

    /** @return payload bytes sent and not acknowledged */
    uint64_t GetInFlight() const;

    /** @return payload bytes acknowledged */
    uint64_t GetAckedBytes() const
    {
        return m_unaByte;
    }

  private:
    using Wqe = RdmaSendQueue::Wqe;

    bool Acknowledge(uint64_t end, FabricPs at);
    void AdvanceHead(FabricPs at);
    void Retire(FabricPs at);
    void GoBack(uint64_t seq, FabricPs at);
    void Report(const FabricPacket* p, uint64_t ackedBytes);
    void RestartTimer(FabricPs at);
    void StopTimer();
    void Fail(VerbsWcStatus status, FabricPs at);
    void CompleteHead(VerbsWcStatus status, FabricPs at);
    bool CheckLocal(const Wqe& w, FabricPs now);
    void OnNak(const FabricPacket* p, uint64_t seq);
    void OnRnr(const FabricPacket* p, uint64_t seq);

    QpCore& m_core;          //!< the queue pair
    RdmaSendQueue m_queue;   //!< requests, and where sending stands
    uint64_t m_una{0};       //!< oldest unacknowledged sequence
    uint64_t m_unaByte{0};   //!< data bytes before it
    uint64_t m_acked{0};     //!< ACKs seen cover sequences before this
    uint64_t m_sentSeq{0};   //!< one past the highest sequence ever sent
    bool m_gapSeen{false};   //!< READ: this gap has been dealt with
    bool m_rateToken{false}; //!< the message limiter has given leave to the next message
    FabricPs m_tokenAt{0};   //!< from when
    FabricPs m_holdUntil{0}; //!< RNR: no packet before
    FabricPs m_timeout{0};   //!< retry timer, FABRIC_NEVER = none
    FabricPs m_deadline{0};  //!< retry timer expires, FABRIC_NEVER = not running
    uint8_t m_retries{0};    //!< timeouts in a row
    uint8_t m_rnrs{0};       //!< RNR NAKs in a row
};

} // namespace ns3

#endif /* RDMA_REQUESTER_H */
