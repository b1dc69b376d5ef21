/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_RESPONDER_H
#define MEMORY_RESPONDER_H

#include "memory-completion.h"
#include "memory-path-counts.h"

#include "ns3/fabric-packet.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

class FabricPort;
class MemoryDevice;
class MemoryWriteWatcher;

/** @brief What a device did for one peer. */
struct MemoryPeerStats
{
    uint64_t bytesWritten{0}; //!< by the peer, here
    uint64_t bytesRead{0};    //!< by the peer, from here
    uint64_t atomics{0};      //!< executed for the peer
    uint64_t refused{0};      //!< requests of the peer refused
};

/**
 * @ingroup ai-fabric
 * @brief The owner's half of a MemoryDevice: checks requests, serves them, queues the answers.
 *
 * Answers leave by the port where the request came in, in the order in which they are ready, and
 * never wait for anything but room at the far end of that link for completions. A FLUSH says how
 * many bytes its path has carried; fewer that arrived were lost, and the answer says so.
 */
class MemoryResponder
{
  public:
    /** @param device whose memory it is; outlives this */
    explicit MemoryResponder(MemoryDevice& device);
    ~MemoryResponder();

    /** @param ports number of ports */
    void Start(uint16_t ports);

    /**
     * @brief A request has arrived.
     * @param in ingress port
     * @param p the request; ours
     */
    void OnRequest(FabricPort& in, FabricPacket* p);

    /**
     * @brief Answer a request with a refusal.
     * @param in ingress port
     * @param p the request; ours
     * @param status why
     */
    void Refuse(FabricPort& in, FabricPacket* p, MemoryStatus status);

    /**
     * @brief When the next answer of a port is ready.
     * @param port port number
     * @return ps, FABRIC_NEVER if there is none
     */
    FabricPs GetReady(uint16_t port) const;

    /**
     * @brief Take the next answer of a port.
     * @param port port number; has one
     * @return the packet; the caller owns it
     */
    FabricPacket* Take(uint16_t port);

    /**
     * @brief A port's link has failed: its answers are lost.
     * @param port the port
     * @param now ps
     */
    void OnLinkDown(FabricPort& port, FabricPs now);

    /**
     * @brief Have somebody told when posted writes of a peer are in memory.
     * @param peer endpoint
     * @param watcher who; null for nobody
     */
    void Watch(uint32_t peer, MemoryWriteWatcher* watcher);

    /** @param now ps; posted writes may be in memory */
    void OnTimer(FabricPs now);

    /**
     * @brief Do an atomic operation on a word.
     * @param address of the word
     * @param atomic which
     * @param operand to add or to store
     * @param compare to compare with
     * @return what was there before
     */
    uint64_t Execute(uint64_t address, MemoryAtomic atomic, uint64_t operand, uint64_t compare);

    /**
     * @param address of a word
     * @return its value; 0 for one that no atomic has touched
     */
    uint64_t GetWord(uint64_t address) const;

    /**
     * @param peer endpoint
     * @return what was done for it
     */
    MemoryPeerStats GetPeer(uint32_t peer) const;

  private:
    /** @brief Answers of one port, each list in order of readiness. */
    struct Lane
    {
        FabricPacketFifo data;  //!< READ_RESPONSE, ATOMIC_RESPONSE
        FabricPacketFifo acks;  //!< ACK
        MemoryPathCounts came;  //!< posted bytes that came in here, until their flush
        FabricPs written{0};    //!< all writes that came in here are in memory, ps
    };

    MemoryWriteWatcher* FindWatcher(uint32_t peer) const;
    MemoryStatus Check(const FabricPacket& p) const;
    void OnFlush(FabricPort& in, FabricPacket* p);
    void OnWrite(FabricPort& in, FabricPacket* p);
    void OnRead(FabricPort& in, FabricPacket* p);
    void OnAtomic(FabricPort& in, FabricPacket* p);
    void Acknowledge(FabricPort& in, FabricPacket* p, MemoryStatus status, FabricPs ready);
    void Answer(FabricPort& in, FabricPacketFifo& list, FabricPacket* p);

    MemoryDevice& m_device;                         //!< whose memory it is
    std::vector<Lane> m_lanes;                      //!< by port
    std::unordered_map<uint32_t, MemoryPeerStats> m_peers; //!< by endpoint or group
    std::unordered_map<uint64_t, uint64_t> m_words; //!< touched by atomics
    std::vector<std::pair<uint32_t, MemoryWriteWatcher*>> m_watchers; //!< few, by peer
    uint32_t m_untold{0};                           //!< answers whose watcher is yet to be told
};

} // namespace ns3

#endif /* MEMORY_RESPONDER_H */
