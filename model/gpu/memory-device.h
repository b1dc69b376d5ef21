/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_DEVICE_H
#define MEMORY_DEVICE_H

#include "memory-bandwidth.h"
#include "memory-map.h"
#include "memory-requester.h"
#include "memory-responder.h"
#include "memory-write-watcher.h"

#include "ns3/credit-switch.h"
#include "ns3/data-rate.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A station with memory: a GPU with its HBM, a CPU's host memory, a die, a NIC's DMA side.
 *
 * Operations do not block: each is posted with a callback and reports a status, its bytes and its
 * times when it is over. The three classes of memory packets never wait for one another, and
 * requests are taken in as they arrive, so no traffic pattern can lock up.
 *
 * Writes are posted; an operation's last frame on every port is followed by a FLUSH, which the
 * owner answers once all data before it are in memory. Reads ask frame by frame, the answer comes
 * back by the port where the request went in. Atomics are done at the owner, in order of arrival.
 *
 * Set-up order: that of CreditSwitch, with SetEndpoint() before Start().
 */
class MemoryDevice : public CreditSwitch
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    MemoryDevice();
    ~MemoryDevice() override;

    /** @param endpoint number of this memory, dense over the domain */
    void SetEndpoint(uint32_t endpoint);

    /** @return number of this memory */
    uint32_t GetEndpoint() const
    {
        return m_endpoint;
    }

    /** @param map addresses and rights of the domain; without one nothing but bounds is checked */
    void SetMap(Ptr<MemoryMap> map);

    void Start() override;

    uint32_t GetMaxPayload() const override;

    /**
     * @brief Begin an operation.
     * @param request what
     * @param done told when it is over
     * @return tag by which a MemoryWriteWatcher hears of it
     * @throws FabricError for one that makes no sense
     */
    uint32_t Post(const MemoryRequest& request, MemoryCallback done);

    /**
     * @brief Have somebody told when posted writes leave this device.
     * @param watcher who, null for nobody; outlives this use
     */
    void WatchLeaving(MemoryWriteWatcher* watcher)
    {
        m_watcher = watcher;
    }

    /**
     * @brief Have somebody told when posted writes of a peer are in this memory.
     * @param peer endpoint
     * @param watcher who, null for nobody; outlives this use
     */
    void WatchLanding(uint32_t peer, MemoryWriteWatcher* watcher)
    {
        m_responder.Watch(peer, watcher);
    }

    /**
     * @brief Write from this memory to the owner of an address of the map.
     * @param address where to
     * @param bytes how many
     * @param done told when they are in memory there
     */
    void Write(uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Read from the owner of an address of the map into this memory.
     * @param address where from
     * @param bytes how many
     * @param done told when they are in memory here
     */
    void Read(uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Store from registers: as Write(), but nothing is read from this memory.
     * @param address where to
     * @param bytes how many
     * @param done told when they are in memory there
     */
    void Store(uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Load into registers: as Read(), but nothing is written to this memory.
     * @param address where from
     * @param bytes how many
     * @param done told when they are here
     */
    void Load(uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Add to a word, at its owner.
     * @param address of the word
     * @param addend what to add
     * @param done told the word before
     */
    void FetchAdd(uint64_t address, uint64_t addend, MemoryCallback done);

    /**
     * @brief Replace a word if it has a value, at its owner.
     * @param address of the word
     * @param compare value that it must have
     * @param value new value
     * @param done told the word before
     */
    void CompareSwap(uint64_t address, uint64_t compare, uint64_t value, MemoryCallback done);

    /**
     * @brief Copy by a copy engine, from this memory (push) or into it (pull).
     * @param push direction
     * @param owner endpoint at the far end, or MemoryRequest::BY_MAP
     * @param address at the far end
     * @param bytes how many
     * @param done told when all are in memory
     */
    void Copy(bool push, uint32_t owner, uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Write to all members of a multicast group of the switches.
     * @param group endpoint number of the group
     * @param address where to
     * @param bytes how many
     * @param done told when the switch says that all have them
     */
    void WriteMulticast(uint32_t group, uint64_t address, uint64_t bytes, MemoryCallback done);

    /**
     * @brief Read the sum over a multicast group, formed by the switches.
     * @param group endpoint number of the group
     * @param address where from
     * @param bytes how many
     * @param done told when it is here
     */
    void ReduceRead(uint32_t group, uint64_t address, uint64_t bytes, MemoryCallback done);

    /** @return books of what this device asked for */
    const MemoryRequesterStats& GetStats() const
    {
        return m_requester.GetStats();
    }

    /**
     * @param peer endpoint
     * @return what this device did for it
     */
    MemoryPeerStats GetPeerStats(uint32_t peer) const
    {
        return m_responder.GetPeer(peer);
    }

    /**
     * @param address of a word that is here
     * @return its value as the atomics left it
     */
    uint64_t GetWord(uint64_t address) const
    {
        return m_responder.GetWord(address);
    }

    /** @return operations under way */
    uint32_t GetInUse() const
    {
        return m_requester.GetInUse();
    }

    /** @return IssueLatency, ps */
    FabricPs GetIssueLatency() const
    {
        return FabricTime::From(m_issueLatency);
    }

    /** @return MemoryLatency, ps */
    FabricPs GetMemoryLatency() const
    {
        return FabricTime::From(m_memoryLatency);
    }

  protected:
    void DoDispose() override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
    void DoDrained(FabricPs now) override;
    void DoLinkChanged(FabricPort& port, bool up) override;

  private:
    friend class MemoryRequester;
    friend class MemoryResponder;

    bool DoIsMine(const FabricPacket& p) const override;
    void DoConsume(FabricPort& in, FabricPacket* p) override;
    void DoUnroutable(FabricPort& in, FabricPacket* p) override;
    void DoRefill(FabricPort& port, FabricPs now) override;

    /** @return CopyEngineLatency, ps */
    FabricPs GetCopyEngineLatency() const
    {
        return FabricTime::From(m_copyLatency);
    }

    /** @return CompletionTimeout, ps; 0 for none */
    FabricPs GetTimeout() const
    {
        return FabricTime::From(m_timeout);
    }

    /** @return FrameBytes */
    uint32_t GetFrameBytes() const
    {
        return m_frameBytes;
    }

    /** @return MaxReads */
    uint32_t GetMaxReads() const
    {
        return m_maxReads;
    }

    /**
     * @brief When a frame made here may leave.
     * @param p the frame
     * @param first when its first data are there, ps
     * @param last when its last data are, ps
     */
    static void SetReady(FabricPacket& p, FabricPs first, FabricPs last);

    uint64_t PortsTo(uint32_t endpoint) const;
    bool IsAnyUp(uint64_t ports) const;
    void Kick(uint64_t ports, uint8_t vl, FabricPs at);
    MemoryStatus CheckAccess(uint32_t peer, uint64_t address, uint64_t bytes, uint8_t need) const;
    uint32_t AnswerBytes(uint16_t port, const FabricPacket& request) const;
    FabricPacket* NewPacket(MemoryOp op, uint32_t dst, uint32_t tag) const;

    uint64_t m_bytes;           //!< MemoryBytes
    DataRate m_rate;            //!< MemoryRate
    Time m_memoryLatency;       //!< MemoryLatency
    Time m_issueLatency;        //!< IssueLatency
    Time m_timeout;             //!< CompletionTimeout
    Time m_copyLatency;         //!< CopyEngineLatency
    DataRate m_copyRate;        //!< CopyEngineRate
    uint32_t m_frameBytes;      //!< FrameBytes
    uint32_t m_maxReads;        //!< MaxReads
    uint16_t m_copyEngines;     //!< CopyEngines
    bool m_relay;               //!< Relay
    bool m_started{false};      //!< Start() was called
    uint32_t m_endpoint{MemoryRequest::BY_MAP}; //!< number of this memory
    Ptr<MemoryMap> m_map;       //!< of the domain, or null
    MemoryWriteWatcher* m_watcher{nullptr}; //!< told of writes that leave, or null
    MemoryBandwidth m_memory;   //!< shared by all reads and writes
    MemoryRequester m_requester; //!< asks
    MemoryResponder m_responder; //!< answers
    std::vector<uint8_t> m_own; //!< by port: classes with a frame of ours queued
};

} // namespace ns3

#endif /* MEMORY_DEVICE_H */
