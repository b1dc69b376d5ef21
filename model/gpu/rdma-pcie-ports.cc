/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-pcie-ports.h"

#include "memory-device.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPciePorts);

namespace
{
/** Slot of an operation, by its tag. */
constexpr uint32_t SLOT_MASK = MemoryTransferTable::MAX_SLOTS - 1;

/** Stores that the device has at once: more than any link needs, far less than it can have. */
constexpr uint32_t MOST_POSTED = 1024;
} // namespace

TypeId
RdmaPciePorts::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaPciePorts")
                            .SetParent<RdmaDmaPath>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RdmaPciePorts>();
    return tid;
}

RdmaPciePorts::RdmaPciePorts() = default;
RdmaPciePorts::~RdmaPciePorts() = default;

void
RdmaPciePorts::DoDispose()
{
    if (m_device)
    {
        m_device->WatchLeaving(nullptr);
        for (auto& [number, memory] : m_memory)
        {
            memory.owner->WatchLanding(m_device->GetEndpoint(), nullptr);
        }
    }
    m_memory.clear();
    m_device = nullptr;
    RdmaDmaPath::DoDispose();
}

void
RdmaPciePorts::SetDevice(Ptr<MemoryDevice> device)
{
    if (m_device || !device)
    {
        throw FabricError("RdmaPciePorts::SetDevice: one device is needed, once");
    }
    m_device = device;
    m_device->WatchLeaving(this);
}

Ptr<MemoryDevice>
RdmaPciePorts::GetDevice() const
{
    return m_device;
}

void
RdmaPciePorts::SetMemory(uint32_t memory, Ptr<MemoryDevice> owner, uint64_t address)
{
    if (!m_device || !owner || owner == m_device)
    {
        throw FabricError("RdmaPciePorts::SetMemory: memory " + std::to_string(memory) +
                          " needs the NIC's device, by SetDevice(), and an owner other than it");
    }
    m_memory[memory] = {owner, address};
    owner->WatchLanding(m_device->GetEndpoint(), this);
}

const RdmaPciePorts::Memory&
RdmaPciePorts::Find(uint32_t memory) const
{
    const auto it = m_memory.find(memory);
    if (it == m_memory.end())
    {
        std::string known;
        for (const auto& [number, unused] : m_memory)
        {
            known += (known.empty() ? "" : ", ") + std::to_string(number);
        }
        throw FabricError((m_device ? m_device->GetName() : std::string("RdmaPciePorts")) +
                          ": a region is in memory " + std::to_string(memory) +
                          ", but the NIC knows only " + (known.empty() ? "none" : known));
    }
    return it->second;
}

bool
RdmaPciePorts::DoIsTimed() const
{
    return false;
}

FabricPs
RdmaPciePorts::DoFetch(uint32_t memory, uint32_t bytes, FabricPs, uint64_t tag)
{
    const Memory& from = Find(memory);
    MemoryRequest request;
    request.op = MemoryOp::READ_REQUEST;
    request.owner = from.owner->GetEndpoint();
    request.address = from.address;
    request.bytes = bytes;
    request.inMemory = false;
    // what is captured fits into the callback itself: no heap
    m_device->Post(request, [this, tag](const MemoryCompletion& completion) {
        Finish(completion);
        if (completion.status == MemoryStatus::OK && m_client != nullptr)
        {
            m_client->FetchDone(tag);
        }
    });
    return FABRIC_NEVER;
}

RdmaDmaPath::Landing
RdmaPciePorts::DoStore(uint32_t memory, uint32_t bytes, FabricPs, uint64_t tag)
{
    Find(memory); // refuse an unknown one now, not later
    const Waiting store{memory, bytes, tag};
    if (m_posted < MOST_POSTED)
    {
        Post(store);
        return {FABRIC_NEVER, FABRIC_NEVER};
    }
    if (m_tail - m_head == m_ring.size())
    {
        std::vector<Waiting> larger(std::max<size_t>(64, 2 * m_ring.size()));
        for (uint64_t i = m_head; i < m_tail; ++i)
        {
            larger[i & (larger.size() - 1)] = m_ring[i & (m_ring.size() - 1)];
        }
        m_ring.swap(larger);
    }
    m_ring[m_tail++ & (m_ring.size() - 1)] = store;
    return {FABRIC_NEVER, FABRIC_NEVER};
}

void
RdmaPciePorts::Post(const Waiting& store)
{
    const Memory& to = Find(store.memory);
    MemoryRequest request;
    request.owner = to.owner->GetEndpoint();
    request.address = to.address;
    request.bytes = store.bytes;
    request.inMemory = false;
    ++m_posted;
    const uint32_t operation = m_device->Post(request, [this](const MemoryCompletion& completion) {
        FinishStore(completion);
    });
    const uint32_t slot = operation & SLOT_MASK;
    if (slot >= m_stores.size())
    {
        m_stores.resize(slot + 1);
    }
    m_stores[slot] = {operation, store.bytes, store.tag};
}

void
RdmaPciePorts::FinishStore(const MemoryCompletion& completion)
{
    --m_posted;
    Finish(completion);
    while (m_posted < MOST_POSTED && m_head < m_tail)
    {
        Post(m_ring[m_head++ & (m_ring.size() - 1)]);
    }
}

void
RdmaPciePorts::WriteLeft(uint32_t tag, uint64_t bytes)
{
    const uint32_t slot = tag & SLOT_MASK;
    if (slot < m_stores.size() && m_stores[slot].operation == tag && m_client != nullptr)
    {
        m_client->StoreLeft(static_cast<uint32_t>(bytes));
    }
}

void
RdmaPciePorts::WriteLanded(uint32_t tag, uint64_t bytes)
{
    const uint32_t slot = tag & SLOT_MASK;
    if (slot >= m_stores.size() || m_stores[slot].operation != tag || bytes == 0)
    {
        return; // somebody else's write by this device
    }
    Posted& store = m_stores[slot];
    store.landing -= static_cast<uint32_t>(bytes);
    if (store.landing == 0 && m_client != nullptr)
    {
        m_client->StoreDone(store.tag);
    }
}

void
RdmaPciePorts::Finish(const MemoryCompletion& completion)
{
    m_failed += completion.failed;
    const MemoryStatus status = completion.status;
    if (status == MemoryStatus::NO_ACCESS || status == MemoryStatus::OUT_OF_BOUNDS ||
        status == MemoryStatus::NOT_MAPPED)
    {
        throw FabricError(m_device->GetName() +
                          ": the NIC's access to memory failed: " + MemoryStatusName(status));
    }
}

} // namespace ns3
