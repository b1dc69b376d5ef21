/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_POOL_H
#define MEMORY_POOL_H

#include "memory-map.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Memory that the devices of an NVLink domain put together: one range, dealt out in pages.
 *
 * Page i belongs to owner i modulo their number, so every owner serves its share of a long access.
 * Rights are checked by the owner of each page, as for any other range of the map.
 */
class MemoryPool : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @brief Devices of the largest NVLink domain. */
    static constexpr uint32_t MAX_OWNERS = 576;

    /**
     * @brief Make the pool.
     * @param map map of the domain, which gets the range
     * @param base first address
     * @param bytesPerOwner share of each owner, whole pages, within its memory if the map has it
     * @param owners endpoints, 1 to MAX_OWNERS
     * @param rights MemoryRight bits of all peers
     * @throws FabricError saying what is wrong
     */
    void Create(Ptr<MemoryMap> map,
                uint64_t base,
                uint64_t bytesPerOwner,
                const std::vector<uint32_t>& owners,
                uint8_t rights);

    /**
     * @brief Rights of one peer in the whole pool, from now on.
     * @param peer endpoint
     * @param rights MemoryRight bits
     */
    void SetRights(uint32_t peer, uint8_t rights);

    /** @return first address */
    uint64_t GetBase() const
    {
        return m_base;
    }

    /** @return bytes of all owners together; 0 before Create() */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /**
     * @param offset in the pool
     * @return endpoint that has it
     * @throws FabricError beyond the end
     */
    uint32_t GetOwner(uint64_t offset) const;

  protected:
    void DoDispose() override;

  private:
    uint64_t m_granularity; //!< Granularity, bytes
    Ptr<MemoryMap> m_map;   //!< map that has the range
    uint64_t m_base{0};     //!< first address
    uint64_t m_bytes{0};    //!< length
    uint32_t m_range{0};    //!< number in the map
};

} // namespace ns3

#endif /* MEMORY_POOL_H */
