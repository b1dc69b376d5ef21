/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-layers.h"

#include "ib-channel-graph.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** @brief Ways of one lane, and the waits that they make. */
class Layer
{
  public:
    explicit Layer(const IbChannels& channels)
        : m_graph(channels.GetN())
    {
    }

    void Add(const IbForwarding::Entry& way)
    {
        m_ways.push_back(way);
        ForEachWait(way, [this](uint32_t from, uint32_t on) { m_graph.Add(from, on); });
    }

    /** @brief Move ways out until there is no circle. */
    std::vector<IbForwarding::Entry> Break()
    {
        std::vector<IbForwarding::Entry> out;
        for (auto circle = m_graph.FindCircle(); !circle.empty(); circle = m_graph.FindCircle())
        {
            size_t weakest = 0;
            uint32_t least = UINT32_MAX;
            for (size_t i = 0; i < circle.size(); ++i)
            {
                const uint32_t ways = m_graph.GetWays(circle[i], circle[(i + 1) % circle.size()]);
                weakest = ways < least ? i : weakest;
                least = std::min(least, ways);
            }
            Move(circle[weakest], circle[(weakest + 1) % circle.size()], out);
        }
        return out;
    }

  private:
    template <typename F>
    static void ForEachWait(const IbForwarding::Entry& way, F&& use)
    {
        for (size_t i = 1; i < way.channels.size(); ++i)
        {
            use(way.channels[i - 1], way.channels[i]);
        }
    }

    void Move(uint32_t from, uint32_t on, std::vector<IbForwarding::Entry>& out)
    {
        const auto stays = [&](const IbForwarding::Entry& way) {
            bool makes = false;
            ForEachWait(way,
                        [&](uint32_t f, uint32_t o) { makes = makes || (f == from && o == on); });
            return !makes;
        };
        const auto moved = std::stable_partition(m_ways.begin(), m_ways.end(), stays);
        for (auto way = moved; way != m_ways.end(); ++way)
        {
            ForEachWait(*way, [this](uint32_t f, uint32_t o) { m_graph.Remove(f, o); });
            out.push_back(std::move(*way));
        }
        m_ways.erase(moved, m_ways.end());
    }

    std::vector<IbForwarding::Entry> m_ways; //!< in this lane
    IbChannelGraph m_graph;                  //!< their waits
};

} // namespace

void
IbLayers::Assign(const IbSubnet& subnet, IbForwarding& routes, uint32_t lanes)
{
    routes.lanes.clear();
    routes.nLanes = 1;
    const IbChannels channels(subnet);
    std::vector<IbForwarding::Entry> ways = routes.GetEntries(subnet, channels);
    std::vector<std::vector<uint8_t>> chosen(subnet.GetNodes().size());
    uint32_t lane = 0;
    for (; !ways.empty(); ++lane)
    {
        Layer layer(channels);
        for (const auto& way : ways)
        {
            layer.Add(way);
            auto& row = chosen[way.node];
            row.resize(std::max<size_t>(row.size(), way.lid + size_t{1}), 0);
            row[way.lid] = static_cast<uint8_t>(std::min<uint32_t>(lane, UINT8_MAX));
        }
        ways = layer.Break();
    }
    if (lane > lanes)
    {
        throw FabricError("these ways need " + std::to_string(lane) +
                          " virtual lanes to be free of credit loops; there are " +
                          std::to_string(lanes));
    }
    routes.lanes = std::move(chosen);
    routes.nLanes = static_cast<uint8_t>(std::max(1U, lane));
}

} // namespace ns3
