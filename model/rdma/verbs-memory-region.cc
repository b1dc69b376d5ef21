/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "verbs-memory-region.h"

namespace ns3
{

VerbsMemoryRegion::VerbsMemoryRegion(uint32_t pdId,
                                     uint64_t addr,
                                     uint64_t length,
                                     uint8_t access,
                                     uint32_t key,
                                     uint32_t memory)
    : m_pdId(pdId),
      m_addr(addr),
      m_length(length),
      m_access(access),
      m_key(key),
      m_memory(memory)
{
}

bool
VerbsMemoryRegion::Allows(uint32_t pdId, uint64_t addr, uint64_t length, uint8_t access) const
{
    if (pdId != m_pdId || (m_access & access) != access || addr < m_addr)
    {
        return false;
    }
    const uint64_t offset = addr - m_addr;
    return offset <= m_length && length <= m_length - offset;
}

uint64_t
VerbsMemoryRegion::ReadWord(uint64_t addr) const
{
    const auto it = m_words.find(addr);
    return it == m_words.end() ? 0 : it->second;
}

void
VerbsMemoryRegion::WriteWord(uint64_t addr, uint64_t value)
{
    m_words[addr] = value;
}

} // namespace ns3
