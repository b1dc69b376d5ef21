/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef COPY_ENGINES_H
#define COPY_ENGINES_H

#include "memory-bandwidth.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The copy engines of a device: how many copies run at once, and how fast each one may be.
 */
class CopyEngines
{
  public:
    /**
     * @param count engines
     * @param bps ceiling of each, bit/s; 0 for none
     */
    void SetUp(uint16_t count, uint64_t bps)
    {
        m_engines.assign(count, Engine{});
        for (Engine& engine : m_engines)
        {
            engine.pace.SetRate(bps);
        }
    }

    /** @return an engine that was idle, counting from 1; 0 when all are busy */
    uint16_t Acquire()
    {
        for (size_t i = 0; i < m_engines.size(); ++i)
        {
            if (!m_engines[i].busy)
            {
                m_engines[i].busy = true;
                return static_cast<uint16_t>(i + 1);
            }
        }
        return 0;
    }

    /** @param engine one that Acquire() gave */
    void Release(uint16_t engine)
    {
        m_engines[engine - 1].busy = false;
    }

    /**
     * @brief An engine handles a frame.
     * @param engine which
     * @param now ps
     * @param bytes its data
     * @return when it may handle the next, ps
     */
    FabricPs Pace(uint16_t engine, FabricPs now, uint32_t bytes)
    {
        return m_engines[engine - 1].pace.Take(now, bytes).end;
    }

  private:
    /** @brief One engine. */
    struct Engine
    {
        MemoryBandwidth pace; //!< its ceiling
        bool busy{false};     //!< has a copy
    };

    std::vector<Engine> m_engines; //!< all
};

} // namespace ns3

#endif /* COPY_ENGINES_H */
