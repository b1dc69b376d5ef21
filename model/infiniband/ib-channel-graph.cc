/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-channel-graph.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
IbChannelGraph::Add(uint32_t from, uint32_t on)
{
    for (Wait& wait : m_waits[from])
    {
        if (wait.on == on)
        {
            ++wait.ways;
            return;
        }
    }
    m_waits[from].push_back({on, 1});
}

void
IbChannelGraph::Remove(uint32_t from, uint32_t on)
{
    for (Wait& wait : m_waits[from])
    {
        wait.ways -= wait.on == on && wait.ways > 0 ? 1 : 0;
    }
}

uint32_t
IbChannelGraph::GetWays(uint32_t from, uint32_t on) const
{
    for (const Wait& wait : m_waits[from])
    {
        if (wait.on == on)
        {
            return wait.ways;
        }
    }
    return 0;
}

std::vector<uint32_t>
IbChannelGraph::FindCircle() const
{
    // depth first; what is on the way from the start is grey
    enum Colour : uint8_t
    {
        WHITE,
        GREY,
        BLACK
    };

    std::vector<Colour> colour(m_waits.size(), WHITE);
    std::vector<std::pair<uint32_t, size_t>> way; // channel, and which of its waits is next
    for (uint32_t start = 0; start < m_waits.size(); ++start)
    {
        if (colour[start] != WHITE || m_waits[start].empty())
        {
            continue;
        }
        colour[start] = GREY;
        way.assign(1, {start, 0});
        while (!way.empty())
        {
            const uint32_t channel = way.back().first;
            const size_t next = way.back().second++;
            if (next == m_waits[channel].size())
            {
                colour[channel] = BLACK;
                way.pop_back();
                continue;
            }
            const Wait& wait = m_waits[channel][next];
            if (wait.ways > 0 && colour[wait.on] == WHITE)
            {
                colour[wait.on] = GREY;
                way.emplace_back(wait.on, 0);
            }
            else if (wait.ways > 0 && colour[wait.on] == GREY)
            {
                auto entry = std::find_if(way.begin(), way.end(), [&wait](const auto& e) {
                    return e.first == wait.on;
                });
                std::vector<uint32_t> circle;
                for (; entry != way.end(); ++entry)
                {
                    circle.push_back(entry->first);
                }
                return circle;
            }
        }
    }
    return {};
}

} // namespace ns3
