/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_BANDWIDTH_H
#define MEMORY_BANDWIDTH_H

#include "ns3/fabric-time.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bandwidth of a memory or of a copy engine, shared in order of asking.
 *
 * A serial server with an exact clock: what it has granted never drifts from the rate, however
 * odd that is.
 */
class MemoryBandwidth
{
  public:
    /** @brief When a grant begins and ends. */
    struct Grant
    {
        FabricPs start; //!< first byte, ps
        FabricPs end;   //!< last byte, ps
    };

    /**
     * @param bps bits per second; 0 for no limit
     */
    void SetRate(uint64_t bps)
    {
        m_limited = bps > 0;
        m_rate = FabricRate(m_limited ? bps : 1);
    }

    /**
     * @brief Grant the next bytes.
     * @param from not before, ps
     * @param bytes at most 2^20
     * @return when
     */
    Grant Take(FabricPs from, uint32_t bytes)
    {
        if (!m_limited)
        {
            return {from, from};
        }
        if (from > m_free)
        {
            m_free = from;
            m_debt = 0;
        }
        const FabricPs start = m_free;
        m_free += m_rate.Serialise(bytes, m_debt);
        return {start, m_free};
    }

    /** @return when all granted so far is served, ps */
    FabricPs GetFree() const
    {
        return m_free;
    }

  private:
    FabricRate m_rate;     //!< how fast
    bool m_limited{false}; //!< false: every grant takes no time
    FabricPs m_free{0};    //!< end of the latest grant, rounded up
    uint64_t m_debt{0};    //!< by how much, 1/bps ps
};

} // namespace ns3

#endif /* MEMORY_BANDWIDTH_H */
