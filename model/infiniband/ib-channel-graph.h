/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_CHANNEL_GRAPH_H
#define IB_CHANNEL_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which channel, a link or a virtual lane of it, waits for room behind which other one.
 *
 * A circle of such waits can lock up for good where room is given by credits.
 */
class IbChannelGraph
{
  public:
    /** @brief A wait. */
    struct Wait
    {
        uint32_t on;   //!< channel that is waited for
        uint32_t ways; //!< ways through the network that make this wait
    };

    /** @param channels how many there are */
    explicit IbChannelGraph(size_t channels)
        : m_waits(channels)
    {
    }

    /**
     * @brief A way passes from one channel to another.
     * @param from channel that waits
     * @param on channel that is waited for
     */
    void Add(uint32_t from, uint32_t on);

    /**
     * @brief A way does not any more.
     * @param from channel that waited
     * @param on channel that was waited for
     */
    void Remove(uint32_t from, uint32_t on);

    /**
     * @param from channel that waits
     * @param on channel that is waited for
     * @return ways that make this wait
     */
    uint32_t GetWays(uint32_t from, uint32_t on) const;

    /** @return channels of a circle, each waiting for the next, the last for the first; or none */
    std::vector<uint32_t> FindCircle() const;

  private:
    std::vector<std::vector<Wait>> m_waits; //!< by channel that waits
};

} // namespace ns3

#endif /* IB_CHANNEL_GRAPH_H */
