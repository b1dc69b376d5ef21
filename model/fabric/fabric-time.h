/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_TIME_H
#define FABRIC_TIME_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <limits>

namespace ns3
{

/** @brief Integer picoseconds: every time inside the fabric engine, and every difference of two. */
using FabricPs = int64_t;

/** @brief Later than anything: "no wake needed". */
constexpr FabricPs FABRIC_NEVER = std::numeric_limits<FabricPs>::max();

/**
 * @ingroup ai-fabric
 * @brief The only place where ns3::Time becomes picoseconds and back.
 */
class FabricTime
{
  public:
    /**
     * @brief Convert a Time.
     * @param t any Time
     * @return picoseconds
     */
    static FabricPs From(const Time& t)
    {
        return t.GetPicoSeconds();
    }

    /**
     * @brief Convert picoseconds.
     * @param ps picoseconds
     * @return the Time
     */
    static Time To(FabricPs ps)
    {
        return PicoSeconds(ps);
    }

    /**
     * @brief The simulation clock.
     *
     * Exact because FabricHelper insists on Time::SetResolution(Time::PS).
     * @return now in picoseconds
     */
    static FabricPs Now()
    {
        return Simulator::Now().GetTimeStep();
    }
};

/**
 * @ingroup ai-fabric
 * @brief A link rate with exact serialisation times.
 *
 * A rate such as 123 Gb/s has no whole number of picoseconds per byte. The transmitter therefore
 * keeps its busy end as a whole picosecond, rounded up, plus the exact amount by which that is too
 * late (`debt`, in units of 1/bps picoseconds), so back-to-back frames never drift.
 */
class FabricRate
{
  public:
    FabricRate() = default;

    /**
     * @param bps bits per second, > 0
     */
    explicit FabricRate(uint64_t bps)
        : m_bps(bps),
          m_psPerByte(PS_BITS % bps == 0 ? PS_BITS / bps : 0)
    {
    }

    /**
     * @param rate an ns-3 rate
     * @return the same rate
     */
    static FabricRate From(const DataRate& rate)
    {
        return FabricRate(rate.GetBitRate());
    }

    /**
     * @return bits per second
     */
    uint64_t GetBps() const
    {
        return m_bps;
    }

    /**
     * @brief Serialisation time that continues an exact clock.
     * @param bytes bytes on the wire, at most 2^20
     * @param debt in: how much too late the start is; out: how much too late the end is, both in
     *        1/bps picoseconds; 0 for a start on an idle line
     * @return picoseconds from the (rounded) start to the (rounded up) end
     */
    FabricPs Serialise(uint32_t bytes, uint64_t& debt) const
    {
        if (m_psPerByte != 0)
        {
            return static_cast<FabricPs>(bytes) * m_psPerByte;
        }
        const uint64_t num = bytes * PS_BITS - debt;
        const uint64_t ps = (num + m_bps - 1) / m_bps;
        debt = ps * m_bps - num;
        return static_cast<FabricPs>(ps);
    }

    /**
     * @brief Time of a byte count of any size, rounded up.
     * @param bytes bytes, any 64-bit value
     * @return picoseconds, rounded up
     */
    FabricPs TxTime(uint64_t bytes) const
    {
        const auto num = static_cast<unsigned __int128>(bytes) * PS_BITS;
        return static_cast<FabricPs>((num + m_bps - 1) / m_bps);
    }

    /**
     * @brief Bytes that pass in a time, rounded up.
     * @param ps picoseconds, >= 0
     * @return bytes
     */
    uint64_t BytesIn(FabricPs ps) const
    {
        const auto num = static_cast<unsigned __int128>(ps) * m_bps;
        return static_cast<uint64_t>((num + PS_BITS - 1) / PS_BITS);
    }

  private:
    static constexpr uint64_t PS_BITS = 8'000'000'000'000ULL; //!< bits per byte x ps per second

    uint64_t m_bps{1};       //!< bits per second
    uint64_t m_psPerByte{0}; //!< picoseconds per byte where that is whole, else 0
};

} // namespace ns3

#endif /* FABRIC_TIME_H */
