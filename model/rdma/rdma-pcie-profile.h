/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_PCIE_PROFILE_H
#define RDMA_PCIE_PROFILE_H

#include "rdma-dma-path.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief PCIe as four numbers: a latency and an effective rate for each direction.
 *
 * Fetches share the inward direction and stores the outward one, each first come, first served.
 * The last byte of a fetch is at the NIC at max(asked + ReadLatency, end of the one before) +
 * bytes / ReadRate; a store leaves the NIC at max(came, end of the one before) + bytes / WriteRate
 * and is in memory WriteLatency later. A memory may have latencies of its own, and rates of its
 * own that hold beside those of the link (peer-to-peer reads of a GPU's memory, a far socket).
 * Stores leave in order, so a slow memory also holds up those to others behind it.
 */
class RdmaPcieProfile : public RdmaDmaPath
{
  public:
    /** @brief What the way to one memory is like. */
    struct Way
    {
        Time readLatency;   //!< from a request to its first byte
        Time writeLatency;  //!< from leaving the NIC to memory
        DataRate readRate;  //!< of reads of this memory; 0: that of the link
        DataRate writeRate; //!< of writes to this memory; 0: that of the link
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPcieProfile();
    ~RdmaPcieProfile() override;

    /**
     * @brief Take rates from the table of links.
     * @param name a PCIe row of LinkProfile: "pcie5-x16"
     * @throws FabricError for anything else
     */
    void SetLink(std::string name);

    /** @return the row that rates were last taken from */
    std::string GetLink() const;

    /**
     * @brief Give a memory its own way; before the first packet.
     * @param memory which; 0 is host memory
     * @param way its numbers
     */
    void SetWay(uint32_t memory, const Way& way);

  private:
    /** @brief Bytes one behind the other at a rate, by an exact clock. */
    struct Pipe
    {
        /**
         * @param from not before, ps
         * @param bytes how many
         * @return when the last one is through, ps
         */
        FabricPs Pass(FabricPs from, uint32_t bytes);

        /**
         * @param until nothing enters before, ps
         */
        void Hold(FabricPs until);

        FabricRate rate;  //!< of the pipe
        FabricPs free{0}; //!< end of what it has
        uint64_t debt{0}; //!< by how much that is rounded up
    };

    /** @brief A memory with numbers of its own. */
    struct Memory
    {
        FabricPs readLatency;  //!< ps
        FabricPs writeLatency; //!< ps
        bool limitsReads;      //!< it has a read rate
        bool limitsWrites;     //!< it has a write rate
        Pipe reads;            //!< of its own
        Pipe writes;           //!< of its own
    };

    bool DoIsTimed() const override;
    FabricPs DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag) override;
    Landing DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag) override;
    void SetReadRate(DataRate rate);
    DataRate GetReadRate() const;
    void SetWriteRate(DataRate rate);
    DataRate GetWriteRate() const;

    std::string m_link;                  //!< Link
    Time m_readLatency;                  //!< ReadLatency
    Time m_writeLatency;                 //!< WriteLatency
    Pipe m_reads;                        //!< inward direction
    Pipe m_writes;                       //!< outward direction
    std::map<uint32_t, Memory> m_memory; //!< those with a way of their own
};

} // namespace ns3

#endif /* RDMA_PCIE_PROFILE_H */
