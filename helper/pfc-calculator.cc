/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "pfc-calculator.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ns3
{

PfcCalculator::PfcCalculator(const Input& input)
    : m_in(input)
{
    if (input.ports == 0 || input.classes == 0 || input.mtuBytes == 0 || input.classes > 8)
    {
        throw FabricError("PfcCalculator: ports and MTU must be at least 1, classes 1 to 8");
    }
    if (!(input.beta > 0) || !std::isfinite(input.beta))
    {
        throw FabricError("PfcCalculator: beta must be above 0");
    }
    const uint64_t queues = uint64_t{input.ports} * input.classes;
    if (input.headroomBytes > std::numeric_limits<uint64_t>::max() / queues ||
        queues * input.headroomBytes > input.bufferBytes)
    {
        throw FabricError(
            "PfcCalculator: " + std::to_string(input.ports) + " ports x " +
            std::to_string(input.classes) + " classes x " + std::to_string(input.headroomBytes) +
            " B headroom exceed the buffer of " + std::to_string(input.bufferBytes) + " B");
    }
}

uint64_t
PfcCalculator::UsableBytes() const
{
    return m_in.bufferBytes - uint64_t{m_in.ports} * m_in.classes * m_in.headroomBytes;
}

double
PfcCalculator::StaticPfcBound() const
{
    return static_cast<double>(UsableBytes()) / m_in.classes / m_in.ports;
}

double
PfcCalculator::StaticEcnBound() const
{
    return StaticPfcBound() / m_in.ports;
}

double
PfcCalculator::DynamicPfcThreshold(uint64_t usedBytes) const
{
    const double left = static_cast<double>(UsableBytes()) - static_cast<double>(usedBytes);
    return std::max(0.0, m_in.beta * left / m_in.classes);
}

double
PfcCalculator::DynamicEcnBound() const
{
    return m_in.beta / (m_in.beta + 1) * StaticPfcBound();
}

double
PfcCalculator::ResumeThreshold(double pfcThreshold) const
{
    return std::max(0.0, pfcThreshold - 2.0 * m_in.mtuBytes);
}

std::string
PfcCalculator::Report() const
{
    const auto verdict = [this](double bound) {
        return IsFeasible(bound) ? "" : " (infeasible: below one MTU)";
    };
    char text[512];
    std::snprintf(text,
                  sizeof(text),
                  "usable beside headroom: %llu B\n"
                  "static PFC threshold at most %.0f B per port and class\n"
                  "static ECN threshold below %.0f B%s\n"
                  "dynamic ECN threshold below %.0f B%s (beta %g)\n",
                  static_cast<unsigned long long>(UsableBytes()),
                  std::floor(StaticPfcBound()),
                  StaticEcnBound(),
                  verdict(StaticEcnBound()),
                  DynamicEcnBound(),
                  verdict(DynamicEcnBound()),
                  m_in.beta);
    return text;
}

double
PfcCalculator::DynamicSettle(double alpha, uint64_t sharedBytes, uint32_t ports)
{
    return alpha * static_cast<double>(sharedBytes) / (1 + alpha * ports);
}

double
PfcCalculator::HpccPauseThreshold(uint64_t bufferBytes,
                                  uint64_t headroomSum,
                                  uint64_t reserveSum,
                                  uint64_t usedBytes)
{
    const double left = static_cast<double>(bufferBytes) - static_cast<double>(headroomSum) -
                        static_cast<double>(reserveSum) - static_cast<double>(usedBytes);
    return std::max(0.0, HPCC_ALPHA * left);
}

} // namespace ns3
