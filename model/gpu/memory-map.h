/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#include "memory-completion.h"

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/** @brief Bits of what a peer may do in a range. */
enum MemoryRight : uint8_t
{
    MEMORY_NO_RIGHTS = 0, //!< peer access is not enabled
    MEMORY_READ = 1,      //!< loads and reads
    MEMORY_WRITE = 2,     //!< stores, writes, reductions
    MEMORY_ATOMIC = 4,    //!< atomics
    MEMORY_ALL_RIGHTS = 7 //!< everything
};

/**
 * @ingroup ai-fabric
 * @brief One 64-bit address space of a domain: which endpoint owns an address, and who may use it.
 *
 * Shared by all devices of the domain. A range belongs to one owner, or is interleaved over
 * several in pieces of equal size (MemoryPool makes those). An owner may always do everything.
 */
class MemoryMap : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @brief Where an address is. */
    struct Place
    {
        uint32_t owner;  //!< endpoint
        uint64_t bytes;  //!< up to the end of the piece
        uint32_t range;  //!< number of the range
    };

    /**
     * @brief Add a range of one owner.
     * @param base first address
     * @param bytes length
     * @param owner endpoint
     * @param rights MemoryRight bits of all peers, until SetRights() says otherwise
     * @return number of the range
     * @throws FabricError for an empty range, one that wraps round, or one that overlaps another
     */
    uint32_t Add(uint64_t base, uint64_t bytes, uint32_t owner, uint8_t rights);

    /**
     * @brief Add a range dealt out over owners in turn.
     * @param base first address
     * @param bytes length, a multiple of the granularity
     * @param owners endpoints, at least one, none twice
     * @param granularity bytes of a piece
     * @param rights MemoryRight bits of all peers
     * @return number of the range
     * @throws FabricError saying what is wrong
     */
    uint32_t AddInterleaved(uint64_t base,
                            uint64_t bytes,
                            const std::vector<uint32_t>& owners,
                            uint64_t granularity,
                            uint8_t rights);

    /**
     * @brief Add a range that several owners have each for themselves: a multicast object.
     * @param base first address
     * @param bytes length
     * @param owners endpoints, at least one, none twice; a unicast access goes to the first
     * @param rights MemoryRight bits of all peers
     * @return number of the range
     * @throws FabricError saying what is wrong
     */
    uint32_t AddReplicated(uint64_t base,
                           uint64_t bytes,
                           const std::vector<uint32_t>& owners,
                           uint8_t rights);

    /**
     * @brief Rights of one peer, from now on.
     * @param range number of the range
     * @param peer endpoint
     * @param rights MemoryRight bits
     * @throws FabricError for an unknown range or unknown bits
     */
    void SetRights(uint32_t range, uint32_t peer, uint8_t rights);

    /**
     * @brief Find an address.
     * @param address the address
     * @param place where it is
     * @return false when it is not mapped
     */
    bool Lookup(uint64_t address, Place& place) const;

    /**
     * @brief What an owner says to a request.
     * @param owner endpoint that was asked
     * @param peer endpoint that asks
     * @param address first byte
     * @param bytes length
     * @param need MemoryRight bits it takes
     * @return OK, OUT_OF_BOUNDS or NO_ACCESS
     */
    MemoryStatus Check(uint32_t owner,
                       uint32_t peer,
                       uint64_t address,
                       uint64_t bytes,
                       uint8_t need) const;

    /**
     * @param owner endpoint
     * @return bytes of the ranges that it has alone: its memory, if that is mapped
     */
    uint64_t GetBytesOf(uint32_t owner) const;

    /** @return number of ranges */
    uint32_t GetN() const
    {
        return static_cast<uint32_t>(m_ranges.size());
    }

  private:
    /** @brief One range. */
    struct Range
    {
        uint64_t base;                //!< first address
        uint64_t last;                //!< last address
        uint64_t granularity;         //!< bytes of a piece; 0 when every owner has all of it
        std::vector<uint32_t> owners; //!< in turn, or each for itself
        uint8_t rights;               //!< of peers not in `peers`
        std::map<uint32_t, uint8_t> peers; //!< exceptions
    };

    std::vector<Range> m_ranges;              //!< in order of adding
    std::map<uint64_t, uint32_t> m_byBase;    //!< range numbers by first address
};

} // namespace ns3

#endif /* MEMORY_MAP_H */
