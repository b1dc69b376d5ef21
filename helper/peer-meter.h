/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PEER_METER_H
#define PEER_METER_H

#include "gpu-server-helper.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Measures transfers between the memories of a built server, one measurement at a time.
 *
 * Every figure is the time that a transfer through the simulated ports took. Each call runs the
 * simulation until its transfer is over.
 */
class PeerMeter
{
  public:
    /** @brief One measurement. */
    struct Result
    {
        uint64_t bytes{0};       //!< data bytes moved, both directions together
        FabricPs time{0};        //!< from the post to the last completion, ps
        uint64_t sourceBytes{0}; //!< data bytes that left the sender's ports meanwhile
        uint64_t targetBytes{0}; //!< data bytes that left the receiver's ports meanwhile

        /** @return 10^9 bytes per second */
        double GetGBps() const
        {
            return time > 0 ? static_cast<double>(bytes) * 1000 / static_cast<double>(time) : 0;
        }

        /** @return microseconds */
        double GetMicroseconds() const
        {
            return static_cast<double>(time) / 1e6;
        }
    };

    /**
     * @param server a built server; must outlive this object
     */
    explicit PeerMeter(GpuServerHelper& server);

    /**
     * @brief Copy from one memory into another by a copy engine of the first.
     * @param from part id
     * @param to part id
     * @param bytes length
     * @return what it took
     * @throws FabricError when the copy fails, with its status
     */
    Result Copy(uint32_t from, uint32_t to, uint64_t bytes);

    /**
     * @brief Copy both ways at the same time.
     * @param a part id
     * @param b part id
     * @param bytes length of each copy
     * @return what it took, bytes of both
     */
    Result CopyBoth(uint32_t a, uint32_t b, uint64_t bytes);

    /**
     * @brief A store by a kernel, without a copy engine, until it is known to be in memory.
     * @param from part id
     * @param to part id
     * @param bytes length
     * @return what it took
     */
    Result Store(uint32_t from, uint32_t to, uint64_t bytes);

    /**
     * @brief A load by a kernel, until the data are there.
     * @param by part id of the reader
     * @param owner part id
     * @param bytes length
     * @return what it took
     */
    Result Load(uint32_t by, uint32_t owner, uint64_t bytes);

  private:
    Result Run(uint32_t from, uint32_t to, const MemoryRequest& forth, bool both);
    uint64_t SentBy(uint32_t part) const;

    GpuServerHelper& m_server; //!< the server
};

} // namespace ns3

#endif /* PEER_METER_H */
