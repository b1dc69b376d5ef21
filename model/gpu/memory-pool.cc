/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-pool.h"

#include "ns3/fabric-error.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MemoryPool);

TypeId
MemoryPool::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MemoryPool")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<MemoryPool>()
            .AddAttribute("Granularity",
                          "Bytes of a page, the piece that one owner has in a row (bytes). "
                          "Default: 2 MiB, a large page of GPU memory.",
                          UintegerValue(2 << 20),
                          MakeUintegerAccessor(&MemoryPool::m_granularity),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

void
MemoryPool::DoDispose()
{
    m_map = nullptr;
    Object::DoDispose();
}

void
MemoryPool::Create(Ptr<MemoryMap> map,
                   uint64_t base,
                   uint64_t bytesPerOwner,
                   const std::vector<uint32_t>& owners,
                   uint8_t rights)
{
    if (m_map)
    {
        throw FabricError("memory pool: it has been created already");
    }
    if (!map || owners.empty() || owners.size() > MAX_OWNERS)
    {
        throw FabricError("memory pool of " + std::to_string(owners.size()) +
                          " owners: it needs a map and 1 to " + std::to_string(MAX_OWNERS) +
                          " owners");
    }
    if (bytesPerOwner == 0 || bytesPerOwner % m_granularity != 0 ||
        bytesPerOwner > UINT64_MAX / owners.size())
    {
        throw FabricError("memory pool: a share of " + std::to_string(bytesPerOwner) +
                          " bytes is not some whole pages of " + std::to_string(m_granularity) +
                          ", or all together are over 2^64");
    }
    for (uint32_t owner : owners)
    {
        const uint64_t has = map->GetBytesOf(owner);
        if (has > 0 && bytesPerOwner > has)
        {
            throw FabricError("memory pool: a share of " + std::to_string(bytesPerOwner) +
                              " bytes is more than the " + std::to_string(has) +
                              " bytes of endpoint " + std::to_string(owner));
        }
    }
    m_range = map->AddInterleaved(base,
                                  bytesPerOwner * owners.size(),
                                  owners,
                                  m_granularity,
                                  rights);
    m_map = map;
    m_base = base;
    m_bytes = bytesPerOwner * owners.size();
}

void
MemoryPool::SetRights(uint32_t peer, uint8_t rights)
{
    if (!m_map)
    {
        throw FabricError("memory pool: SetRights() before Create()");
    }
    m_map->SetRights(m_range, peer, rights);
}

uint32_t
MemoryPool::GetOwner(uint64_t offset) const
{
    MemoryMap::Place place{};
    if (offset >= m_bytes || !m_map->Lookup(m_base + offset, place))
    {
        throw FabricError("memory pool of " + std::to_string(m_bytes) + " bytes: no offset " +
                          std::to_string(offset));
    }
    return place.owner;
}

} // namespace ns3
