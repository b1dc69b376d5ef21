/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_NIC_ENGINE_H
#define RDMA_NIC_ENGINE_H

#include "deadline-heap.h"
#include "qp-scheduler.h"
#include "qp-table.h"
#include "verbs-completion-queue.h"
#include "verbs-memory-region.h"

#include "ns3/fabric-packet.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"

#include <memory>
#include <vector>

namespace ns3
{

class RdmaDmaPath;
class RdmaDmaSide;
class RdmaNic;
struct QpCore;

/**
 * @ingroup ai-fabric
 * @brief The moving part of a NIC: which packet next, what an arrival does, when to wake.
 *
 * Everything acts as of a packet's arrival or of the instant of a send, never of the moment at
 * which an arrival happens to be drained; doc/design.rst tells why that is exact. What may reach
 * the application (completions) gets a wake at its very arrival.
 */
class RdmaNicEngine
{
  public:
    /** @param nic the NIC */
    explicit RdmaNicEngine(RdmaNic& nic);
    ~RdmaNicEngine();

    // ---- called by the NIC's station hooks ----

    /**
     * @brief Rule R1.
     * @param p packet just filed
     */
    void OnPost(const FabricPacket* p);

    /**
     * @brief A transport packet has arrived.
     * @param p packet, stays the caller's
     */
    void OnAdmit(const FabricPacket* p);

    /**
     * @brief The port is free: next packet.
     * @param now ps
     * @return the packet, null if none
     */
    FabricPacket* Select(FabricPs now);

    /**
     * @brief Rule R3, apart from the port's own queues.
     * @param now ps
     * @return ps
     */
    FabricPs NextWake(FabricPs now);

    /**
     * @brief Run retry timers that have expired, deliver what is in memory, announce completions.
     * @param now ps
     */
    void RunTimers(FabricPs now);

    /** @return when RunTimers() has something to do next, ps */
    FabricPs NextTimer() const;

    /**
     * @brief The link went down: start the retry timers of all that have something to send.
     * @param now ps
     */
    void EnsureTimers(FabricPs now);

    /** @return true while the link is up */
    bool IsLinkUp() const
    {
        return m_port.up;
    }

    /** @brief Call back for all completions made since the last call. */
    void Announce();

    /** @brief Announce() from an event of its own, for completions made inside a verbs call. */
    void AnnounceLater();

    /** @brief Give up all packets held. */
    void Clear();

    /** @return true while an arrival is being handled */
    bool IsAdmitting() const
    {
        return m_admitting;
    }

    /** @param on an arrival is being handled */
    void SetAdmitting(bool on)
    {
        m_admitting = on;
    }

    /**
     * @brief A packet that the application will be told of: wake at its very arrival.
     * @param at arrival, ps
     */
    void WakeExactly(FabricPs at);

    // ---- queue pairs ----

    /**
     * @brief Number a queue pair and enter it.
     * @param qp the queue pair
     */
    void Add(QpCore* qp);

    /**
     * @brief Forget a queue pair.
     * @param qp the queue pair
     */
    void Remove(QpCore* qp);

    /**
     * @param qpn number
     * @return the queue pair, null if there is none
     */
    QpCore* Find(uint32_t qpn) const
    {
        return m_table.Find(qpn);
    }

    /** @return queue pairs */
    uint32_t GetNQueuePairs() const
    {
        return m_table.GetN();
    }

    /**
     * @brief Put a queue pair where it belongs: heap, blocked or idle.
     *
     * Nothing happens while it is scheduled: it will be looked at in its turn.
     * @param qp the queue pair
     * @param at as of when, ps
     */
    void Resettle(QpCore& qp, FabricPs at);

    /**
     * @brief Resettle() for a call of the application: arms the wake as well.
     * @param qp the queue pair
     * @param now ps
     */
    void Kick(QpCore& qp, FabricPs now);

    /**
     * @brief A queue pair stops: no schedule, no timer.
     * @param qp the queue pair
     */
    void Quiesce(QpCore& qp);

    // ---- services for requester and responder ----

    /**
     * @brief Queue a packet ahead of all queue pairs of its class.
     * @param p packet
     */
    void SendControl(FabricPacket* p);

    /**
     * @brief Send a CNP after the generation delay.
     * @param p packet
     * @param at when the mark came, ps
     */
    void SendCnp(FabricPacket* p, FabricPs at);

    /**
     * @param qp queue pair without an entry in the timer heap
     * @param at ps
     */
    void StartTimer(QpCore& qp, FabricPs at);

    /** @param qp queue pair; nothing happens if its timer does not run */
    void StopTimer(QpCore& qp);

    /**
     * @brief Add a completion and remember to announce it.
     * @param qp queue pair
     * @param cq queue
     * @param wc completion
     */
    void PushCompletion(QpCore& qp, const Ptr<VerbsCompletionQueue>& cq, const WorkCompletion& wc);

    /**
     * @brief The message-rate limiter's next slot.
     * @param now ps
     * @return ps
     */
    FabricPs TakeMessageToken(FabricPs now);

    /** @return true when the message rate is limited */
    bool LimitsMessages() const;

    /**
     * @param qp queue pair
     * @return window in payload bytes, 0 = none
     */
    uint64_t WindowOf(const QpCore& qp) const;

    /**
     * @param qp queue pair
     * @param psn of a packet accepted
     * @return true when coalescing asks for an ACK behind it
     */
    bool IsAckDue(const QpCore& qp, uint32_t psn) const;

    /**
     * @param qp queue pair
     * @param endpoint destination
     * @param destQpn destination queue pair
     * @return hash of the five-tuple
     */
    uint32_t FlowHash(const QpCore& qp, uint32_t endpoint, uint32_t destQpn) const;

    /**
     * @param key local or remote key
     * @return the region, null if there is none
     */
    VerbsMemoryRegion* FindMemory(uint32_t key) const;

    /** @return frame sizes */
    const FrameProfile& Profile() const;
    /** @return endpoint number */
    uint32_t Endpoint() const;
    /** @return class of a queue pair's ACKs @param qp the queue pair */
    uint8_t AckClass(const QpCore& qp) const;
    /** @return class of a queue pair's CNPs @param qp the queue pair */
    uint8_t CnpClass(const QpCore& qp) const;
    /** @return true when a class has something to send and may not */
    bool IsHeldUp() const
    {
        return ((m_port.queued | m_scheduler.GetReady()) & m_port.flow->GetBlocked()) != 0;
    }
    /** @return least time between CNPs of one queue pair, ps */
    FabricPs CnpInterval() const;
    /** @return DMA read latency, ps */
    FabricPs DmaRead() const;

    /**
     * @brief Read and write payload by a path from now on; before any queue pair.
     * @param path the path, outlives its use; null: payload is at hand
     */
    void SetDmaPath(RdmaDmaPath* path);

    /** @return the NIC's side of its DMA path, null without one */
    RdmaDmaSide* Dma() const
    {
        return m_dma.get();
    }

  private:
    friend class RdmaDmaSide;

    int Outlook(QpCore& qp, FabricPs t, FabricPs& at, bool& paced);
    void PostRequest(QpCore* qp, const FabricPacket* p);
    void PostAnswer(QpCore* qp, const FabricPacket* p);
    void ReleaseCnps(FabricPs until);
    void SettleFronts(FabricPs now, FabricMask blocked);
    FabricPacket* SendFrom(QpCore& qp, FabricPs now);
    void NeedWake(FabricPs at, uint8_t vl);

    RdmaNic& m_nic;                                      //!< whose
    FabricPort& m_port;                                  //!< its port
    QpTable m_table;                                     //!< queue pairs by number
    QpScheduler m_scheduler;                             //!< who sends
    DeadlineHeap m_timers;                               //!< retry timers
    FabricPacketFifo m_cnps;                             //!< being generated; arrival = when due
    FabricPendingRing m_exact;                           //!< arrivals the application may notice
    uint32_t m_blocked{0};                               //!< queue pairs that wait for an ACK
    FabricPs m_tokenFree{0};                             //!< message limiter: next free slot
    double m_tokenFraction{0};                           //!< its fraction of a picosecond
    bool m_admitting{false};                             //!< an arrival is being handled
    bool m_announcing{false};                            //!< inside Announce()
    std::vector<Ptr<VerbsCompletionQueue>> m_toAnnounce; //!< with new completions
    std::vector<uint32_t> m_overrun;                     //!< queue pairs whose completion was lost
    std::unique_ptr<RdmaDmaSide> m_dma;                  //!< null: no DMA path
};

} // namespace ns3

#endif /* RDMA_NIC_ENGINE_H */
