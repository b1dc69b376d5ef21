/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "verbs-completion-queue.h"
#include "verbs-memory-region.h"
#include "verbs-protection-domain.h"
#include "verbs-queue-pair.h"
#include "verbs-shared-receive-queue.h"

#include "ns3/callback.h"
#include "ns3/fabric-class-list.h"
#include "ns3/fabric-station.h"
#include "ns3/packet.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FrameProfile;
class RdmaDmaPath;
class RdmaNicEngine;

/**
 * @ingroup ai-fabric
 * @brief An RDMA adapter with one port: makes verbs objects and moves their packets.
 *
 * A host with several adapters has several of these. Endpoint numbers are its address.
 * The PCIe side is three latencies and a message rate, all off by default.
 */
class RdmaNic : public FabricStation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /** @brief Set the address; before any queue pair. @param endpoint endpoint number */
    void SetEndpoint(uint32_t endpoint);

    /** @return endpoint number */
    uint32_t GetEndpoint() const
    {
        return m_endpoint;
    }

    /** @return a new protection domain */
    Ptr<VerbsProtectionDomain> CreateProtectionDomain();

    /**
     * @brief A domain and a region that cover all memory with all rights, for programs that do
     * not care.
     * @return the domain
     */
    Ptr<VerbsProtectionDomain> GetDefaultDomain();

    /** @return the region of GetDefaultDomain(): address 0, length 2^64 - 1 */
    Ptr<VerbsMemoryRegion> GetDefaultRegion();

    /**
     * @brief Register memory.
     * @param pd protection domain
     * @param addr first byte
     * @param length bytes
     * @param access VerbsAccess bits
     * @param memory which memory it is in, as the DmaPath counts them; 0: host memory
     * @return the region with its keys
     */
    Ptr<VerbsMemoryRegion> RegisterMemory(Ptr<VerbsProtectionDomain> pd,
                                          uint64_t addr,
                                          uint64_t length,
                                          uint8_t access,
                                          uint32_t memory = 0);

    /** @brief Take a region's keys out of use. @param mr the region */
    void DeregisterMemory(Ptr<VerbsMemoryRegion> mr);

    /** @return a new completion queue @param depth most completions waiting, > 0 */
    Ptr<VerbsCompletionQueue> CreateCompletionQueue(uint32_t depth);

    /** @return a new shared receive queue @param pd its domain @param depth most requests */
    Ptr<VerbsSharedReceiveQueue> CreateSharedReceiveQueue(Ptr<VerbsProtectionDomain> pd,
                                                          uint32_t depth);

    /**
     * @brief Make a queue pair, in state RESET.
     * @param init what it is made with; pd must be set
     * @return the queue pair
     * @throws FabricError when init makes no sense
     */
    Ptr<VerbsQueuePair> CreateQueuePair(const VerbsQpInit& init);

    /**
     * @brief Destroy a queue pair; outstanding requests vanish without completions.
     * @param qp the queue pair; only its counters may be read afterwards
     */
    void DestroyQueuePair(Ptr<VerbsQueuePair> qp);

    /**
     * @brief Connect two RC or UC queue pairs in RESET both ways, up to RTS, out of band.
     * @param a one
     * @param b the other
     * @param toA attributes of a; destination and first PSNs are filled in
     * @param toB attributes of b; the same
     * @throws FabricError when a step is refused
     */
    static void Connect(Ptr<VerbsQueuePair> a,
                        Ptr<VerbsQueuePair> b,
                        VerbsQpAttributes toA = VerbsQpAttributes(),
                        VerbsQpAttributes toB = VerbsQpAttributes());

    /** @return a queue pair, null if there is none @param qpn its number */
    Ptr<VerbsQueuePair> FindQueuePair(uint32_t qpn) const;

    /** @return queue pairs that exist */
    uint32_t GetNQueuePairs() const;

    /** @return a queue pair @param index 0 .. GetNQueuePairs() - 1, in no particular order */
    Ptr<VerbsQueuePair> GetQueuePair(uint32_t index) const;

    /** @return sums over all queue pairs, destroyed ones included; exact after CatchUp() */
    RdmaQpCounters GetCounters() const;

    /** @return packets for queue pairs that do not exist */
    uint64_t GetUnknownQp() const
    {
        return m_unknownQp;
    }

    /** @brief Handle every packet that has arrived by now; verbs calls do so by themselves. */
    void CatchUp();

    /**
     * @brief Send somebody else's frame.
     * @param frame the frame, headers included, without FCS
     * @param dst endpoint, or FABRIC_BROADCAST
     * @param vl class
     * @param flowHash ECMP entropy; 0: by endpoints only
     * @return false when the frame queue is full (FrameQueueLimit) or the link is not there
     */
    bool SendFrame(Ptr<Packet> frame, uint32_t dst, uint8_t vl, uint32_t flowHash = 0);

    /** @brief Somebody else's frames: frame, source endpoint, arrival in ps. */
    typedef Callback<void, Ptr<Packet>, uint32_t, FabricPs> FrameCallback;

    /**
     * @brief Who gets somebody else's frames; without one they are counted and freed.
     * @param callback called at the arrival
     */
    void SetFrameCallback(FrameCallback callback);

    /** @return frames refused by SendFrame() */
    uint64_t GetFramesRefused() const
    {
        return m_framesRefused;
    }

    /**
     * @brief Read and write payload by a path; before any queue pair.
     * @param path the path, for this NIC alone; null: payload is at hand
     * @throws FabricError when there are queue pairs, or it serves another NIC
     */
    void SetDmaPath(Ptr<RdmaDmaPath> path);

    /** @return the path, null if there is none */
    Ptr<RdmaDmaPath> GetDmaPath() const;

    /**
     * @brief SetDmaPath() with a new RdmaPcieProfile.
     * @param link its Link; empty: no path
     */
    void SetPcie(std::string link);

    /** @return Link of the RdmaPcieProfile, empty without one */
    std::string GetPcie() const;

    /** @return most payload that ever waited in the receive buffer, bytes; 0 without RxBuffer */
    uint64_t GetMostRxBuffer() const;

    /** @param name profile name, see FrameProfile */
    void SetFrameProfile(std::string name);

    /** @return profile name */
    std::string GetFrameProfile() const;

    /**
     * @param numbers DSCP of classes 0..7, "n0 n1 .. n7"
     * @throws FabricError for anything else
     */
    void SetDscpOfClass(std::string numbers);

    /** @return DSCP of classes 0..7 */
    std::string GetDscpOfClass() const;

    /** @brief Call back for new completions (an event of the engine's own). */
    void AnnounceNow();

    /** @brief AckClass, CnpClass: that of the queue pair's data. */
    static constexpr uint8_t CLASS_OF_DATA = 8;

  protected:
    void DoDispose() override;
    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoUnpost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
    void DoLinkChanged(FabricPort& port, bool up) override;

    /**
     * @brief The port is free: what DoSelect() sends, before its DSCP is set.
     * @param now ps
     * @return a packet, null if none
     */
    FabricPacket* TakePacket(FabricPs now);

    /** @return true when something to send is held up by flow control */
    bool IsHeldUp() const;

    /** @return attributes of a queue pair, null if there is none @param qpn its number */
    const VerbsQpAttributes* FindAttributes(uint32_t qpn) const;

  private:
    friend class RdmaDmaSide;
    friend class RdmaNicEngine;
    friend class VerbsQueuePair;

    /**
     * @brief A queue pair goes to RTR: by default with any attributes.
     * @param attributes what it is to be
     * @param mtu its largest payload, bytes
     * @param vl class of its data; may be changed
     * @return false to refuse
     */
    virtual bool DoAccept(const VerbsQpAttributes& attributes, uint32_t mtu, uint8_t& vl);

    static TypeId AddTransportAttributes(TypeId tid);
    static TypeId AddHostAttributes(TypeId tid);
    static TypeId AddDmaAttributes(TypeId tid);
    VerbsMemoryRegion* FindMemory(uint32_t key) const;
    void WatchTimersWhileDown();
    void RunTimersWhileDown();

    uint32_t m_endpoint{0};              //!< address
    const FrameProfile* m_profile;       //!< frame sizes
    uint32_t m_mtu;                      //!< Mtu
    uint8_t m_dataClass;                 //!< DataClass
    uint8_t m_ackClass;                  //!< AckClass
    uint8_t m_cnpClass;                  //!< CnpClass
    FabricClassList::Numbers m_dscp;     //!< DscpOfClass
    uint32_t m_ackInterval;              //!< AckInterval
    uint64_t m_window;                   //!< Window
    Time m_cnpInterval;                  //!< CnpInterval
    Time m_cnpDelay;                     //!< CnpDelay
    Time m_doorbell;                     //!< DoorbellLatency
    Time m_dmaRead;                      //!< DmaReadLatency
    uint32_t m_inline;                   //!< InlineThreshold
    double m_messageRate;                //!< MessageRate
    Time m_retryTimeout;                 //!< RetryTimeout
    uint64_t m_frameQueueLimit;          //!< FrameQueueLimit
    uint64_t m_prefetch;                 //!< PrefetchBytes
    uint64_t m_rxBuffer;                 //!< RxBuffer
    Ptr<RdmaDmaPath> m_dmaPath;          //!< DmaPath
    Ptr<RdmaCongestionOps> m_congestion; //!< CongestionOps: the prototype
    TypeId m_recovery;                   //!< LossRecovery

    std::unique_ptr<RdmaNicEngine> m_engine;          //!< the moving part
    std::vector<Ptr<VerbsQueuePair>> m_qps;           //!< all queue pairs
    std::vector<Ptr<VerbsCompletionQueue>> m_cqs;     //!< all completion queues
    std::vector<Ptr<VerbsSharedReceiveQueue>> m_srqs; //!< all shared receive queues
    std::vector<Ptr<VerbsMemoryRegion>> m_regions;    //!< by key >> 8
    std::vector<uint32_t> m_freeRegions;              //!< indices free again
    Ptr<VerbsProtectionDomain> m_defaultDomain;       //!< made on first use
    Ptr<VerbsMemoryRegion> m_defaultRegion;           //!< made with it
    uint8_t m_keyTag{0};                              //!< low 8 bits of the last key
    uint32_t m_nextPd{0};                             //!< protection domains made
    RdmaQpCounters m_retired;                         //!< of destroyed queue pairs
    uint64_t m_unknownQp{0};                          //!< packets for nobody
    uint64_t m_framesRefused{0};                      //!< by SendFrame()
    FrameCallback m_frameCallback;                    //!< who gets frames
    EventId m_downTimer;                              //!< retry timers while the link is down
};

} // namespace ns3

#endif /* RDMA_NIC_H */
