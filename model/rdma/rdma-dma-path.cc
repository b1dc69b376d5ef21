/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-dma-path.h"

#include "ns3/fabric-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDmaPath);

TypeId
RdmaDmaPath::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaDmaPath").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
RdmaDmaPath::DoDispose()
{
    m_client = nullptr;
    Object::DoDispose();
}

void
RdmaDmaPath::Attach(Client* client)
{
    if (m_client != nullptr && m_client != client)
    {
        throw FabricError("ns3::RdmaNic::DmaPath: this path already serves another NIC; make one "
                          "path for each NIC");
    }
    m_client = client;
}

void
RdmaDmaPath::Detach()
{
    m_client = nullptr;
}

bool
RdmaDmaPath::IsTimed() const
{
    return DoIsTimed();
}

FabricPs
RdmaDmaPath::Fetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag)
{
    m_fetched += bytes;
    return DoFetch(memory, bytes, now, tag);
}

RdmaDmaPath::Landing
RdmaDmaPath::Store(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag)
{
    m_stored += bytes;
    return DoStore(memory, bytes, at, tag);
}

} // namespace ns3
