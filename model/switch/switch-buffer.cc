/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "switch-buffer.h"

#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwitchBuffer);

TypeId
SwitchBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SwitchBuffer")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<SwitchBuffer>()
            .AddAttribute("Size",
                          "Packet memory of the switch (bytes). Default: 32 MiB, as the HPCC "
                          "simulations have it.",
                          UintegerValue(32ULL << 20),
                          MakeUintegerAccessor(&SwitchBuffer::m_size),
                          MakeUintegerChecker<uint64_t>(1, 1ULL << 40))
            .AddAttribute("Alpha",
                          "Dynamic threshold factor: an ingress class may hold alpha times the "
                          "free shared memory (fraction). Default: 1/8, as the HPCC simulations.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&SwitchBuffer::SetAlpha, &SwitchBuffer::GetAlpha),
                          MakeDoubleChecker<double>(1.0 / 1024, 64))
            .AddAttribute("StaticThreshold",
                          "Fixed stop threshold of an ingress class (bytes); 0 = dynamic, by "
                          "Alpha. Default: 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SwitchBuffer::m_staticThreshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ReservedPerClass",
                          "Guaranteed memory of each ingress port and lossless class (bytes). "
                          "Default: 4096, HPCC simulations (papers B5).",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&SwitchBuffer::m_reserve),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ResumeOffset",
                          "A stopped class resumes this far below its threshold (bytes). Default: "
                          "3000, two MTUs (DCQCN paper sec. 4; the HPCC simulations use 3 KB).",
                          UintegerValue(3000),
                          MakeUintegerAccessor(&SwitchBuffer::m_resumeOffset),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomRule",
                          "How headroom is sized: \"computed\" from rate, cable, frame and "
                          "reaction time, or \"hpcc\", three times rate x delay.",
                          StringValue("computed"),
                          MakeStringAccessor(&SwitchBuffer::SetHeadroomRule,
                                             &SwitchBuffer::GetHeadroomRule),
                          MakeStringChecker())
            .AddAttribute("HeadroomPerClass",
                          "Headroom of each ingress port and lossless class (bytes); 0 = by "
                          "HeadroomRule. Default: 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SwitchBuffer::m_fixedHeadroom),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxFrameBytes",
                          "Longest frame, for computed headroom (bytes). Default: 1100, above a "
                          "1024-byte payload with RoCEv2 headers.",
                          UintegerValue(1100),
                          MakeUintegerAccessor(&SwitchBuffer::m_maxFrame),
                          MakeUintegerChecker<uint32_t>(64, 1U << 20));
    return tid;
}

void
SwitchBuffer::SetAlpha(double alpha)
{
    m_alphaFixed = static_cast<uint64_t>(std::llround(std::ldexp(alpha, ALPHA_SHIFT)));
}

double
SwitchBuffer::GetAlpha() const
{
    return std::ldexp(static_cast<double>(m_alphaFixed), -static_cast<int>(ALPHA_SHIFT));
}

void
SwitchBuffer::SetHeadroomRule(const std::string& rule)
{
    if (rule != "computed" && rule != "hpcc")
    {
        throw FabricError("ns3::SwitchBuffer::HeadroomRule '" + rule +
                          "': allowed are computed, hpcc");
    }
    m_hpccRule = rule == "hpcc";
}

std::string
SwitchBuffer::GetHeadroomRule() const
{
    return m_hpccRule ? "hpcc" : "computed";
}

PfcHeadroom
SwitchBuffer::Needs(const SwitchBufferPort& port) const
{
    const auto classes = static_cast<uint32_t>(__builtin_popcount(port.losslessClasses));
    return PfcHeadroom::Compute(port.rate, port.delay, m_maxFrame, port.peerReaction, classes);
}

uint64_t
SwitchBuffer::GetNeededHeadroom(const SwitchBufferPort& port) const
{
    return Needs(port).Total();
}

void
SwitchBuffer::Configure(const std::string& name, const std::vector<SwitchBufferPort>& ports)
{
    m_ledgers.assign(ports.size() * FABRIC_CLASSES, Ledger{});
    m_budget = SwitchBufferBudget{};
    m_budget.size = m_size;
    m_budget.minHeadroom = ports.empty() ? 0 : UINT64_MAX;
    uint64_t statics = 0;
    for (size_t i = 0; i < ports.size(); ++i)
    {
        for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
        {
            if (!((ports[i].losslessClasses >> vl) & 1))
            {
                continue;
            }
            Ledger& l = m_ledgers[i * FABRIC_CLASSES + vl];
            l.reserve = m_reserve;
            l.headroom = m_fixedHeadroom > 0 ? m_fixedHeadroom
                         : m_hpccRule ? PfcHeadroom::HpccRule(ports[i].rate, ports[i].delay)
                                      : GetNeededHeadroom(ports[i]);
            const std::string warning =
                Needs(ports[i]).Warning(name + " port " + std::to_string(i), l.headroom);
            m_budget.shortOf += warning.empty() ? 0 : 1;
            m_budget.warning = m_budget.warning.empty() ? warning : m_budget.warning;
            m_budget.reserved += l.reserve;
            m_budget.headroom += l.headroom;
            m_budget.minHeadroom = std::min(m_budget.minHeadroom, l.headroom);
            m_budget.maxHeadroom = std::max(m_budget.maxHeadroom, l.headroom);
            m_budget.lastFrames += m_maxFrame;
            statics += m_staticThreshold;
        }
    }
    if (m_budget.headroom == 0)
    {
        m_budget.minHeadroom = 0;
    }
    const uint64_t fixed = m_budget.reserved + m_budget.headroom + statics + m_budget.lastFrames;
    if (fixed >= m_size)
    {
        throw FabricError(
            name + ": buffer of " + std::to_string(m_size) + " B cannot add up: reserved " +
            std::to_string(m_budget.reserved) + " B + headroom " +
            std::to_string(m_budget.headroom) + " B" +
            (statics > 0 ? " + static thresholds " + std::to_string(statics) + " B" : "") +
            " + one frame per port and class " + std::to_string(m_budget.lastFrames) + " B = " +
            std::to_string(fixed) + " B over " + std::to_string(ports.size()) +
            " ports; give ns3::SwitchBuffer::Size at least " +
            std::to_string(fixed + (1U << 20)) + ", or fewer lossless classes");
    }
    m_budget.shared = m_size - m_budget.reserved - m_budget.headroom;
    m_lossyLimit = m_budget.shared - m_budget.lastFrames - statics;
    // a lone ingress stops at x = alpha (shared - x)
    m_budget.firstXoff =
        m_staticThreshold > 0
            ? m_staticThreshold
            : std::min(m_budget.shared - m_budget.lastFrames,
                       static_cast<uint64_t>(static_cast<double>(m_budget.shared) * GetAlpha() /
                                             (1 + GetAlpha())));
}

bool
SwitchBuffer::Squeeze(Ledger& l,
                      uint64_t before,
                      bool lossless,
                      bool stopped,
                      uint64_t egressBytes,
                      uint32_t bytes)
{
    const uint64_t grow = Shared(l) - before;
    bool fits = m_used + grow <= m_budget.shared;
    if (!lossless)
    {
        fits = m_used + grow <= m_lossyLimit && egressBytes + bytes <= Threshold(m_used);
    }
    else if (stopped)
    {
        // the frame that trips the threshold is shared memory's; what follows it is headroom's
        fits = fits && before + grow <= Threshold(m_used);
    }
    if (fits)
    {
        m_used += grow;
        return true;
    }
    l.bytes -= bytes;
    if (l.inHeadroom + bytes > l.headroom)
    {
        return false;
    }
    l.inHeadroom += bytes;
    m_maxHeadroomUsed = std::max(m_maxHeadroomUsed, l.inHeadroom);
    return true;
}

} // namespace ns3
