/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "port-scheduler.h"

#include "fabric-class-list.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PortScheduler);
NS_OBJECT_ENSURE_REGISTERED(StrictDwrrScheduler);

TypeId
PortScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PortScheduler").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

TypeId
StrictDwrrScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::StrictDwrrScheduler")
            .SetParent<PortScheduler>()
            .SetGroupName("AiFabric")
            .AddConstructor<StrictDwrrScheduler>()
            .AddAttribute("StrictClasses",
                          "Bit mask of classes served in strict priority, highest first. Default: "
                          "classes 6 and 7, where switches put CNPs and network control (mlx5).",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&StrictDwrrScheduler::m_strict),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Quantum",
                          "Bytes that weight 1 earns per round. Default: one 1500-byte MTU.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&StrictDwrrScheduler::m_quantum),
                          MakeUintegerChecker<uint32_t>(64, 1000000))
            .AddAttribute("Weights",
                          "Weights of the eight classes, \"w0 w1 .. w7\", each 1..1000; strict "
                          "classes ignore theirs. Default: equal shares.",
                          StringValue("1 1 1 1 1 1 1 1"),
                          MakeStringAccessor(&StrictDwrrScheduler::SetWeights,
                                             &StrictDwrrScheduler::GetWeights),
                          MakeStringChecker());
    return tid;
}

void
StrictDwrrScheduler::SetWeights(const std::string& weights)
{
    m_weight = FabricClassList::Parse("ns3::StrictDwrrScheduler::Weights", weights, 1, 1000);
}

std::string
StrictDwrrScheduler::GetWeights() const
{
    return FabricClassList::Format(m_weight);
}

uint8_t
StrictDwrrScheduler::DoSelect(FabricMask ready)
{
    NS_ASSERT_MSG(ready >> FABRIC_CLASSES == 0, "this scheduler has eight classes");
    const FabricMask strict = ready & m_strict;
    if (strict != 0)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(strict));
    }
    // a class that has nothing to send must not hoard credit
    for (uint8_t i = 0; i < FABRIC_CLASSES; ++i)
    {
        if (!((ready >> i) & 1) && m_deficit[i] > 0)
        {
            m_deficit[i] = 0;
        }
    }
    while (!((ready >> m_current) & 1) || m_deficit[m_current] <= 0)
    {
        m_current = (m_current + 1) % FABRIC_CLASSES;
        if ((ready >> m_current) & 1)
        {
            m_deficit[m_current] += static_cast<int64_t>(m_weight[m_current]) * m_quantum;
        }
    }
    return m_current;
}

void
StrictDwrrScheduler::DoOnSent(uint8_t vl, uint32_t bytes)
{
    m_deficit[vl] -= bytes;
}

} // namespace ns3
