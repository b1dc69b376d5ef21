/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_MEMORY_REGION_H
#define VERBS_MEMORY_REGION_H

#include "verbs-work.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Registered memory: bounds, access rights and keys.
 *
 * Contents are not simulated, save the 8-byte words that atomics touch: those are kept sparsely and
 * start as 0. Made by RdmaNic::RegisterMemory().
 */
class VerbsMemoryRegion : public SimpleRefCount<VerbsMemoryRegion>
{
  public:
    /**
     * @param pdId protection domain
     * @param addr first byte
     * @param length bytes
     * @param access VerbsAccess bits
     * @param key local and remote key
     * @param memory which memory it is in, as the NIC's DmaPath counts them; 0: host memory
     */
    VerbsMemoryRegion(uint32_t pdId,
                      uint64_t addr,
                      uint64_t length,
                      uint8_t access,
                      uint32_t key,
                      uint32_t memory = 0);

    /**
     * @brief May somebody do this here?
     * @param pdId protection domain of the queue pair
     * @param addr first byte
     * @param length bytes
     * @param access VerbsAccess bits needed
     * @return true when domain, bounds and rights all agree
     */
    bool Allows(uint32_t pdId, uint64_t addr, uint64_t length, uint8_t access) const;

    /**
     * @brief Read an 8-byte word.
     * @param addr its address
     * @return its value
     */
    uint64_t ReadWord(uint64_t addr) const;

    /**
     * @brief Write an 8-byte word.
     * @param addr its address
     * @param value new value
     */
    void WriteWord(uint64_t addr, uint64_t value);

    /** @return first byte */
    uint64_t GetAddress() const
    {
        return m_addr;
    }

    /** @return bytes */
    uint64_t GetLength() const
    {
        return m_length;
    }

    /** @return key for local use */
    uint32_t GetLkey() const
    {
        return m_key;
    }

    /** @return key for remote use */
    uint32_t GetRkey() const
    {
        return m_key;
    }

    /** @return which memory it is in; 0: host memory */
    uint32_t GetMemory() const
    {
        return m_memory;
    }

  private:
    uint32_t m_pdId;                      //!< protection domain
    uint64_t m_addr;                      //!< first byte
    uint64_t m_length;                    //!< bytes
    uint8_t m_access;                     //!< VerbsAccess bits
    uint32_t m_key;                       //!< local and remote key
    uint32_t m_memory;                    //!< which memory it is in
    std::map<uint64_t, uint64_t> m_words; //!< words that are not 0
};

} // namespace ns3

#endif /* VERBS_MEMORY_REGION_H */
