/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-map.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MemoryMap);

namespace
{

std::string
Hex(uint64_t value)
{
    std::ostringstream text;
    text << "0x" << std::hex << value;
    return text.str();
}

} // namespace

const char*
MemoryStatusName(MemoryStatus status)
{
    static const char* const names[MEMORY_STATUSES] = {"ok",
                                                       "no access",
                                                       "out of bounds",
                                                       "not mapped",
                                                       "unreachable",
                                                       "link down",
                                                       "timeout"};
    return names[static_cast<uint8_t>(status)];
}

TypeId
MemoryMap::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MemoryMap")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MemoryMap>();
    return tid;
}

uint32_t
MemoryMap::Add(uint64_t base, uint64_t bytes, uint32_t owner, uint8_t rights)
{
    return AddInterleaved(base, bytes, {owner}, bytes, rights);
}

uint32_t
MemoryMap::AddInterleaved(uint64_t base,
                          uint64_t bytes,
                          const std::vector<uint32_t>& owners,
                          uint64_t granularity,
                          uint8_t rights)
{
    const std::string what = "memory range at " + Hex(base) + " of " + std::to_string(bytes) +
                             " bytes: ";
    if (bytes == 0)
    {
        throw FabricError(what + "its length must be at least 1");
    }
    const uint64_t last = base + (bytes - 1);
    if (last < base)
    {
        throw FabricError(what + "it ends beyond 2^64");
    }
    if (owners.empty() || granularity == 0 || bytes % granularity != 0)
    {
        throw FabricError(what +
                          "it needs an owner, and a length that is a multiple of its pieces");
    }
    std::vector<uint32_t> sorted = owners;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    {
        throw FabricError(what + "an owner is named twice");
    }
    if ((rights & ~MEMORY_ALL_RIGHTS) != 0)
    {
        throw FabricError(what + "rights are 0 to 7");
    }
    const auto after = m_byBase.upper_bound(base);
    const bool hitsNext = after != m_byBase.end() && after->first <= last;
    const bool hitsPrevious =
        after != m_byBase.begin() && m_ranges[std::prev(after)->second].last >= base;
    if (hitsNext || hitsPrevious)
    {
        const Range& other = m_ranges[hitsNext ? after->second : std::prev(after)->second];
        throw FabricError(what + "it overlaps " + Hex(other.base) + " to " + Hex(other.last));
    }
    const auto number = static_cast<uint32_t>(m_ranges.size());
    m_ranges.push_back({base, last, owners.size() == 1 ? 0 : granularity, owners, rights, {}});
    m_byBase[base] = number;
    return number;
}

uint32_t
MemoryMap::AddReplicated(uint64_t base,
                         uint64_t bytes,
                         const std::vector<uint32_t>& owners,
                         uint8_t rights)
{
    const uint32_t number = AddInterleaved(base, bytes, owners, bytes, rights);
    m_ranges[number].granularity = 0;
    return number;
}

uint64_t
MemoryMap::GetBytesOf(uint32_t owner) const
{
    uint64_t bytes = 0;
    for (const Range& range : m_ranges)
    {
        const bool alone = range.owners.size() == 1 && range.owners[0] == owner;
        bytes += alone ? range.last - range.base + 1 : 0;
    }
    return bytes;
}

void
MemoryMap::SetRights(uint32_t range, uint32_t peer, uint8_t rights)
{
    if (range >= m_ranges.size() || (rights & ~MEMORY_ALL_RIGHTS) != 0)
    {
        throw FabricError("memory range " + std::to_string(range) + ", rights " +
                          std::to_string(rights) + ": there are " +
                          std::to_string(m_ranges.size()) + " ranges, and rights are 0 to 7");
    }
    m_ranges[range].peers[peer] = rights;
}

bool
MemoryMap::Lookup(uint64_t address, Place& place) const
{
    const auto after = m_byBase.upper_bound(address);
    if (after == m_byBase.begin())
    {
        return false;
    }
    place.range = std::prev(after)->second;
    const Range& range = m_ranges[place.range];
    if (address > range.last)
    {
        return false;
    }
    const uint64_t offset = address - range.base;
    if (range.granularity == 0)
    {
        place.owner = range.owners[0];
        place.bytes = range.last - address + 1;
        return true;
    }
    place.owner = range.owners[offset / range.granularity % range.owners.size()];
    place.bytes = range.granularity - offset % range.granularity;
    return true;
}

MemoryStatus
MemoryMap::Check(uint32_t owner,
                 uint32_t peer,
                 uint64_t address,
                 uint64_t bytes,
                 uint8_t need) const
{
    Place place{};
    if (!Lookup(address, place) || place.bytes < bytes)
    {
        return MemoryStatus::OUT_OF_BOUNDS;
    }
    const Range& range = m_ranges[place.range];
    const bool has = range.granularity != 0
                         ? place.owner == owner
                         : std::find(range.owners.begin(), range.owners.end(), owner) !=
                               range.owners.end();
    if (!has)
    {
        return MemoryStatus::OUT_OF_BOUNDS;
    }
    const auto exception = range.peers.find(peer);
    const uint8_t rights = exception == range.peers.end() ? range.rights : exception->second;
    return peer == owner || (rights & need) == need ? MemoryStatus::OK : MemoryStatus::NO_ACCESS;
}

} // namespace ns3
