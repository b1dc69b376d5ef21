/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ideal-fct.h"

#include "ns3/bth-opcode.h"
#include "ns3/fabric-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{
/** Packets sent one by one; in longer flows those between follow the slowest link's clock. */
constexpr uint64_t STEPPED = 512;

/** Longest rhythm looked for. */
constexpr uint64_t MAX_RHYTHM = 1 << 16;

/**
 * Frames of one length after which a link's clock is at a whole picosecond again: 123 at 123 Gb/s.
 * Whole rhythms can be left out without touching how later ends are rounded.
 */
uint64_t
Rhythm(const FabricRate& rate, uint32_t wireBytes)
{
    const uint64_t psBits = 8'000'000'000'000 % rate.GetBps(); // bits per byte x ps per second
    const auto frame = static_cast<unsigned __int128>(psBits) * wireBytes % rate.GetBps();
    const uint64_t rhythm = rate.GetBps() / std::gcd(rate.GetBps(), static_cast<uint64_t>(frame));
    return rhythm <= MAX_RHYTHM ? rhythm : 1;
}
} // namespace

IdealFct::IdealFct(const FrameProfile& profile, uint32_t mtu)
    : m_profile(profile),
      m_mtu(mtu)
{
    if (mtu == 0)
    {
        throw FabricError("the payload of a packet must be at least 1 byte");
    }
}

FabricPs
IdealFct::Cross(Line& line, const FabricRate& rate, uint32_t wireBytes, FabricPs at)
{
    if (at > line.busyUntil || line.busyUntil == 0)
    {
        line.debt = 0;
        line.busyUntil = at;
    }
    line.busyUntil += rate.Serialise(wireBytes, line.debt);
    return line.busyUntil;
}

IdealFct::Times
IdealFct::Compute(uint64_t bytes, const std::vector<Hop>& path) const
{
    const uint64_t n = bytes == 0 ? 1 : (bytes - 1) / m_mtu + 1;
    const auto tail = static_cast<uint32_t>(bytes == 0 ? 0 : bytes - (n - 1) * m_mtu);
    const uint64_t requests = bytes == 0 ? 1 : (bytes - 1) / WORK_REQUEST_BYTES + 1;
    const uint32_t full = m_profile.WireBytes(BTH_RC_WRITE_MIDDLE, m_mtu);
    const uint32_t ackBytes = m_profile.WireBytes(BTH_RC_ACK, 0);
    uint64_t slowest = path.empty() ? 1 : path.front().rate.GetBps();
    for (const auto& hop : path)
    {
        slowest = std::min(slowest, hop.rate.GetBps());
    }

    std::vector<Line> out(path.size());
    std::vector<Line> back(path.size());
    Times times;
    const uint64_t rhythm = Rhythm(FabricRate(slowest), full);
    const uint64_t steps = n <= STEPPED ? n : STEPPED + (n - STEPPED) % rhythm;
    for (uint64_t i = 0; i < steps; ++i)
    {
        const bool last = i + 1 == steps;
        const uint8_t opcode = n == 1   ? BTH_RC_WRITE_ONLY
                               : i == 0 ? BTH_RC_WRITE_FIRST
                               : last   ? BTH_RC_WRITE_LAST
                                        : BTH_RC_WRITE_MIDDLE;
        const uint32_t wire = m_profile.WireBytes(opcode, last ? tail : m_mtu);
        // the first link is the sender's own: it never waits for anything else
        FabricPs at = out.empty() ? 0 : out.front().busyUntil;
        for (size_t j = 0; j < path.size(); ++j)
        {
            at = Cross(out[j], path[j].rate, wire, at) + path[j].latency;
        }
        times.rx = at;
        for (size_t j = path.size(); j-- > 0;)
        {
            at = Cross(back[j], path[j].rate, ackBytes, at) + path[j].backLatency;
        }
        times.ack = at;
    }
    if (n > steps || requests > 1)
    {
        const FabricRate rate(slowest);
        const uint32_t extra = m_profile.WireBytes(BTH_RC_WRITE_FIRST, 0) -
                               m_profile.WireBytes(BTH_RC_WRITE_MIDDLE, 0);
        const FabricPs rest = rate.TxTime((n - steps) * full + (requests - 1) * extra);
        times.rx += rest;
        times.ack += rest;
    }
    return times;
}

} // namespace ns3
