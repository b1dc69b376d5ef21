/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_REQUESTER_H
#define MEMORY_REQUESTER_H

#include "copy-engines.h"
#include "memory-transfer.h"

#include "ns3/fabric-packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class MemoryDevice;

/** @brief Books of what a device asked for: bytesPosted = delivered + failed + under way. */
struct MemoryRequesterStats
{
    uint64_t posted{0};         //!< operations
    uint64_t completed{0};      //!< of those, over
    uint64_t bytesPosted{0};    //!< bytes of all operations
    uint64_t bytesDelivered{0}; //!< confirmed
    uint64_t bytesFailed{0};    //!< reported failed
    uint64_t stale{0};          //!< answers to operations that were over
};

/**
 * @ingroup ai-fabric
 * @brief The asking half of a MemoryDevice: operations under way, pulled apart into frames.
 *
 * A port that could send pulls the next frame, in turn from all operations whose destination is
 * reached by it. Striping over ports of different rates thus needs no plan: each takes what it can.
 * A port asks for data no faster than its link can bring them, so reads are striped like writes.
 */
class MemoryRequester
{
  public:
    /** @param device who asks; outlives this */
    explicit MemoryRequester(MemoryDevice& device);
    ~MemoryRequester();

    /**
     * @param ports number of ports, at most 64
     * @param engines copy engines
     * @param engineBps ceiling of each, 0 for none
     */
    void Start(uint16_t ports, uint16_t engines, uint64_t engineBps);

    /**
     * @brief Begin an operation.
     * @param request what
     * @param done told when it is over
     * @param now ps
     * @return tag of its packets
     */
    uint32_t Post(const MemoryRequest& request, MemoryCallback done, FabricPs now);

    /**
     * @brief Have the next frame of a class and port made.
     * @param port port number
     * @param vl MEMORY_POSTED or MEMORY_NON_POSTED
     * @param now ps
     * @return when it may leave, ps; FABRIC_NEVER if there is none
     */
    FabricPs Stage(uint16_t port, uint8_t vl, FabricPs now);

    /**
     * @brief Take the frame made by Stage().
     * @param port port number
     * @param vl class
     * @return the frame; the caller owns it
     */
    FabricPacket* Take(uint16_t port, uint8_t vl)
    {
        return m_lanes[port].staged[vl].Pop();
    }

    /**
     * @param port port number
     * @param vl MEMORY_POSTED or MEMORY_NON_POSTED
     * @return when Stage() has or may have a frame that may leave, FABRIC_NEVER if it must be told
     */
    FabricPs GetReady(uint16_t port, uint8_t vl) const
    {
        const Lane& lane = m_lanes[port];
        if (!lane.staged[vl].IsEmpty())
        {
            return lane.staged[vl].Front()->arrival;
        }
        return vl == MEMORY_NON_POSTED && lane.paced ? lane.asking.GetFree() : FABRIC_NEVER;
    }

    /**
     * @brief An answer has arrived.
     * @param p the answer
     * @return when its room is free, ps
     */
    FabricPs OnAnswer(const FabricPacket& p);

    /** @param now ps; something may be due */
    void OnTimer(FabricPs now);

    /**
     * @brief A port's link has failed: so have all operations that used it.
     * @param port port number
     * @param now ps
     */
    void OnLinkDown(uint16_t port, FabricPs now);

    /** @return the books */
    const MemoryRequesterStats& GetStats() const
    {
        return m_stats;
    }

    /** @return operations under way */
    uint32_t GetInUse() const
    {
        return m_table.GetInUse();
    }

  private:
    using State = MemoryTransfer::State;
    using List = MemoryTransferTable::List;

    /** @brief Operations whose destinations are reached by the same ports. */
    struct SendQueue
    {
        uint64_t ports;  //!< mask
        List active[2];  //!< by class, in turn
    };

    /** @brief What one port needs. */
    struct Lane
    {
        FabricPacketFifo staged[2]; //!< frames made, by class
        uint32_t turn[2]{};         //!< send queue to look at first
        MemoryBandwidth asking;     //!< time that the answers asked for will take on the link
        bool paced{false};          //!< there is more to ask for, once they have had it
    };

    void Activate(uint32_t slot, FabricPs now);
    void Continue(uint32_t slot, FabricPs now);
    bool NextPiece(MemoryTransfer& t) const;
    void MakeFrame(uint32_t slot, uint16_t port, FabricPs now);
    void Flush(uint32_t slot, FabricPs now);
    void Local(uint32_t slot, FabricPs now);
    void Delay(uint32_t slot, FabricPs due);
    void Detach(uint32_t slot);
    void StopSending(uint32_t slot, MemoryStatus status, FabricPs now);
    void Fail(uint32_t slot, MemoryStatus status, FabricPs now);
    void Finish(uint32_t slot, FabricPs at);
    void Complete(uint32_t slot, FabricPs now);
    void OnAck(uint32_t slot, const FabricPacket& p);
    void EndReads(uint32_t count, FabricPs now);
    void CheckDeadlines(FabricPs now);
    void AskForCheck(FabricPs now);
    uint16_t QueueOf(uint64_t ports);
    uint64_t& PathBytes(uint32_t slot, uint16_t port);

    MemoryDevice& m_device;              //!< who asks
    MemoryTransferTable m_table;         //!< operations
    std::vector<SendQueue> m_queues;     //!< one per set of ports
    std::vector<Lane> m_lanes;           //!< by port
    std::vector<uint64_t> m_pathBytes;   //!< data since the last FLUSH, by slot and port
    CopyEngines m_engines;               //!< copy engines
    List m_queued;                       //!< wait for a copy engine
    List m_timed;                        //!< TIMED and FINISHED, by due
    uint32_t m_reads{0};                 //!< requests that wait for an answer
    FabricPs m_watchAt{-1};              //!< latest check of deadlines asked for
    MemoryRequesterStats m_stats;        //!< books
};

} // namespace ns3

#endif /* MEMORY_REQUESTER_H */
