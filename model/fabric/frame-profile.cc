/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "frame-profile.h"

#include "fabric-error.h"

#include <algorithm>

namespace ns3
{

FrameProfile::FrameProfile(const char* name, uint16_t data, uint16_t ack, uint32_t wireGap)
    : m_name(name),
      m_wireGap(wireGap),
      m_overhead{}
{
    for (uint32_t opcode = 0; opcode < m_overhead.size(); ++opcode)
    {
        const auto op = static_cast<uint8_t>(opcode);
        if (ack == 0)
        {
            m_overhead[op] = static_cast<uint16_t>(data + BthTraits::ExtensionBytes(op));
        }
        else
        {
            m_overhead[op] = BthTraits::IsAck(op) || op == BTH_CNP ? ack : data;
        }
    }
}

const std::vector<FrameProfile>&
FrameProfile::All()
{
    // rocev2: Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4; gap: preamble 8 + gap 12
    // rocev1: Ethernet 14 + GRH 40 + BTH 12 + ICRC 4 + FCS 4
    // ib: LRH 8 + BTH 12 + ICRC 4 + VCRC 2; ib-grh: and a GRH of 40
    static const std::vector<FrameProfile> all{
        FrameProfile("rocev2", 62, 0, 20),
        FrameProfile("rocev1", 74, 0, 20),
        FrameProfile("hpcc", 36, 60, 0),
        FrameProfile("hpcc-int", 78, 60, 0),
        FrameProfile("plain48", 48, 60, 0),
        FrameProfile("ib", 26, 0, 0),
        FrameProfile("ib-grh", 66, 0, 0),
    };
    return all;
}

const FrameProfile&
FrameProfile::Get(const std::string& name)
{
    std::string known;
    for (const auto& profile : All())
    {
        if (profile.m_name == name)
        {
            return profile;
        }
        known += (known.empty() ? "" : ", ") + profile.m_name;
    }
    throw FabricError("FrameProfile '" + name + "' is not known; allowed: " + known);
}

std::vector<std::string>
FrameProfile::Names()
{
    std::vector<std::string> names;
    for (const auto& profile : All())
    {
        names.push_back(profile.m_name);
    }
    return names;
}

uint64_t
FrameProfile::WriteWireBytes(uint64_t message, uint32_t mtu) const
{
    if (mtu == 0)
    {
        throw FabricError("FrameProfile: the MTU must be at least 1 byte");
    }
    const uint64_t packets = message == 0 ? 1 : (message - 1) / mtu + 1;
    const uint8_t start = packets == 1 ? BTH_RC_WRITE_ONLY : BTH_RC_WRITE_FIRST;
    return message + WireBytes(start, 0) +
           (packets - 1) * uint64_t{WireBytes(BTH_RC_WRITE_MIDDLE, 0)};
}

double
FrameProfile::WriteGoodputBps(double lineBps,
                              uint64_t message,
                              uint32_t mtu,
                              double messageRate) const
{
    const double byLine =
        lineBps * static_cast<double>(message) / static_cast<double>(WriteWireBytes(message, mtu));
    const double byCount = 8.0 * static_cast<double>(message) * messageRate;
    return messageRate > 0 ? std::min(byLine, byCount) : byLine;
}

} // namespace ns3
