/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "load-balancer.h"

#include "ns3/fabric-random.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LoadBalancer);
NS_OBJECT_ENSURE_REGISTERED(EcmpLoadBalancer);

TypeId
LoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LoadBalancer").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

TypeId
EcmpLoadBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcmpLoadBalancer")
                            .SetParent<LoadBalancer>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<EcmpLoadBalancer>();
    return tid;
}

uint16_t
EcmpLoadBalancer::DoSelect(const FabricPacket& p, const ForwardingTable::Group& group)
{
    const uint64_t hash = FabricRandom::Mix(m_seed ^ p.flowHash);
    return group.ports[((hash >> 32) * group.size) >> 32];
}

} // namespace ns3
