/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_PCIE_LINKS_H
#define RDMA_PCIE_LINKS_H

#include "ns3/fabric-time.h"
#include "ns3/memory-op.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricPort;
class LinkProfile;

/**
 * @ingroup ai-fabric
 * @brief The links between a NIC and a memory, and what one transfer alone takes on them.
 *
 * Times are those that real ports would give, to the picosecond: a frame of TLPs is passed on by a
 * switch after its first TLP, and by a root complex after its last. A read asks first; a write is
 * followed by one header, which stands for the completion entry that a NIC writes behind its data.
 */
class RdmaPcieLinks
{
  public:
    /**
     * @brief Append a link, from the NIC outward.
     * @param port its end nearer to the NIC; wired, with a link profile
     */
    void Add(const FabricPort& port);

    /**
     * @brief Say what is at the near and the far end.
     * @param issue from asking to the first TLP, ps
     * @param latency of the memory, ps
     * @param rateBps of the memory, bit/s; 0: no limit
     */
    void SetEnds(FabricPs issue, FabricPs latency, uint64_t rateBps);

    /** @return true without links */
    bool IsEmpty() const
    {
        return m_hops.empty();
    }

    /**
     * @param bytes how many, > 0, at most a frame
     * @return from asking for them to having the last one at the NIC, ps
     */
    FabricPs GetReadTime(uint32_t bytes) const;

    /**
     * @param bytes how many, > 0, at most a frame
     * @return from asking to the last one's leaving the NIC, ps
     */
    FabricPs GetLeaveTime(uint32_t bytes) const;

    /**
     * @param bytes how many, > 0, at most a frame
     * @return from asking to the last one's arrival at the memory, ps
     */
    FabricPs GetArriveTime(uint32_t bytes) const;

    /**
     * @param bytes how many, > 0, at most a frame
     * @return from asking to the arrival of the header behind them, ps
     */
    FabricPs GetHeaderTime(uint32_t bytes) const;

    /**
     * @param bytes how many, > 0, at most a frame
     * @return from asking to having all of them in memory, ps
     */
    FabricPs GetWriteTime(uint32_t bytes) const;

    /** @return latency of the memory, ps */
    FabricPs GetMemoryLatency() const
    {
        return m_latency;
    }

    /** @return true when the memory has a rate */
    bool IsMemoryLimited() const
    {
        return m_limited;
    }

    /** @return rate of the memory; of no meaning where it has none */
    const FabricRate& GetMemoryRate() const
    {
        return m_memory;
    }

    /**
     * @param op READ_RESPONSE, WRITE or FLUSH
     * @param bytes data
     * @return bytes on the NIC's own link
     */
    uint32_t GetWireBytes(MemoryOp op, uint32_t bytes) const;

    /** @return rate of the NIC's own link, one direction */
    const FabricRate& GetRate() const
    {
        return m_hops.front().rate;
    }

    /** @return rate of the slowest link, one direction */
    const FabricRate& GetSlowestRate() const;

  private:
    /** @brief One link. */
    struct Hop
    {
        const LinkProfile* link; //!< what TLPs cost
        FabricRate rate;         //!< of one direction
        FabricPs outLatency;     //!< away from the NIC, ps
        FabricPs inLatency;      //!< towards the NIC, ps
        bool outCuts;            //!< its far end passes frames on after their first TLP
        bool inCuts;             //!< its near end does
    };

    /** @brief First and last arrival of a frame. */
    struct Frame
    {
        FabricPs head; //!< ps
        FabricPs tail; //!< ps
    };

    Frame Cross(const Hop& hop, bool outward, MemoryOp op, uint32_t bytes, Frame at) const;
    Frame GoOut(MemoryOp op, uint32_t bytes, FabricPs start) const;

    std::vector<Hop> m_hops; //!< from the NIC outward
    FabricPs m_issue{0};     //!< ps
    FabricPs m_latency{0};   //!< of the memory, ps
    FabricRate m_memory;     //!< of the memory
    bool m_limited{false};   //!< the memory has a rate
};

} // namespace ns3

#endif /* RDMA_PCIE_LINKS_H */
