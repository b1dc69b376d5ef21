/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "port-scheduler.h"

#include "fabric-error.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

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

StrictDwrrScheduler::StrictDwrrScheduler()
{
    for (auto& w : m_weight)
    {
        w = 1;
    }
}

void
StrictDwrrScheduler::SetWeights(const std::string& weights)
{
    std::istringstream in(weights);
    uint32_t parsed[FABRIC_CLASSES];
    std::string token;
    uint8_t n = 0;
    while (in >> token)
    {
        const bool digits = token.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long w = digits && token.size() <= 4 ? std::stoul(token) : 0;
        if (n == FABRIC_CLASSES || w < 1 || w > 1000)
        {
            throw FabricError("ns3::StrictDwrrScheduler::Weights '" + weights +
                              "': eight whole numbers 1..1000 are allowed");
        }
        parsed[n++] = static_cast<uint32_t>(w);
    }
    if (n != FABRIC_CLASSES)
    {
        throw FabricError("ns3::StrictDwrrScheduler::Weights '" + weights +
                          "': eight whole numbers 1..1000 are allowed");
    }
    std::copy(parsed, parsed + FABRIC_CLASSES, m_weight);
}

std::string
StrictDwrrScheduler::GetWeights() const
{
    std::ostringstream out;
    for (uint8_t i = 0; i < FABRIC_CLASSES; ++i)
    {
        out << (i ? " " : "") << m_weight[i];
    }
    return out.str();
}

uint8_t
StrictDwrrScheduler::DoSelect(uint8_t ready)
{
    const uint8_t strict = ready & m_strict;
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
