/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_PCIE_PROFILE_H
#define RDMA_PCIE_PROFILE_H

#include "rdma-dma-path.h"
#include "rdma-pcie-links.h"

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
 *
 * A memory may instead be given by the links that lead to it. Then a transfer alone takes exactly
 * what it takes on those links as real ports, whatever its size, and of what is shared only the
 * NIC's own link (and the slowest one of the way) is a limit.
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

    /**
     * @brief Give a memory the numbers of real links; before the first packet.
     * @param memory which; 0 is host memory
     * @param links from the NIC to it; at least one
     */
    void SetWay(uint32_t memory, const RdmaPcieLinks& links);

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

    /** @brief A memory given by links, and the times of the size used last. */
    struct LinkedMemory
    {
        RdmaPcieLinks links;   //!< from the NIC outward
        bool narrow;           //!< one of them is slower than the NIC's
        Pipe reads;            //!< the slowest, inward
        Pipe writes;           //!< the slowest, outward
        Pipe memory;           //!< what the memory can take in
        uint32_t readSize{0};  //!< bytes
        FabricPs readTime{0};  //!< of so many
        uint32_t writeSize{0}; //!< bytes
        FabricPs leave{0};     //!< when so many have left, ps
        FabricPs arrive{0};    //!< when they are at the memory, ps
        FabricPs header{0};    //!< when what follows them is, ps
        FabricPs done{0};      //!< the latest store is in memory, ps
    };

    bool DoIsTimed() const override;
    FabricPs DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag) override;
    Landing DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag) override;
    FabricPs FetchOver(LinkedMemory& memory, uint32_t bytes, FabricPs now);
    Landing StoreOver(LinkedMemory& memory, uint32_t bytes, FabricPs at);
    void SetReadRate(DataRate rate);
    DataRate GetReadRate() const;
    void SetWriteRate(DataRate rate);
    DataRate GetWriteRate() const;

    std::string m_link;                        //!< Link
    Time m_readLatency;                        //!< ReadLatency
    Time m_writeLatency;                       //!< WriteLatency
    Pipe m_reads;                              //!< inward direction
    Pipe m_writes;                             //!< outward direction
    std::map<uint32_t, Memory> m_memory;       //!< those with a way of their own
    std::map<uint32_t, LinkedMemory> m_linked; //!< those given by links
    Pipe m_in;                                 //!< the NIC's link inward, whole TLPs
    Pipe m_out;                                //!< the NIC's link outward, whole TLPs
};

} // namespace ns3

#endif /* RDMA_PCIE_PROFILE_H */
