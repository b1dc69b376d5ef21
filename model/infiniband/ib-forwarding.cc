/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-forwarding.h"

#include "ib-channel-graph.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

using Type = IbSubnet::Type;

namespace
{
/** A way longer than the field of a directed route would be found nowhere else either. */
constexpr size_t MAX_STEPS = 64;

bool
HasLid(const IbSubnet::Node& node, uint16_t lid)
{
    return std::any_of(node.ports.begin(), node.ports.end(), [lid](const IbSubnet::Port& port) {
        return port.HasLid(lid);
    });
}
} // namespace

uint8_t
IbForwarding::Get(uint32_t node, uint16_t lid) const
{
    return node < tables.size() && lid < tables[node].size() ? tables[node][lid] : NO_PORT;
}

void
IbForwarding::Set(uint32_t node, uint16_t lid, uint8_t port)
{
    tables.resize(std::max<size_t>(tables.size(), node + size_t{1}));
    tables[node].resize(std::max<size_t>(tables[node].size(), lid + size_t{1}), NO_PORT);
    tables[node][lid] = port;
}

IbForwarding::Way
IbForwarding::Trace(const IbSubnet& subnet, uint16_t from, uint16_t to) const
{
    uint32_t node = 0;
    uint8_t port = 0;
    for (const uint16_t lid : {to, from})
    {
        if (!subnet.FindLid(lid, node, port))
        {
            throw FabricError("no port has LID " + std::to_string(lid));
        }
    }
    return Follow(subnet, node, port, to);
}

IbForwarding::Way
IbForwarding::Follow(const IbSubnet& subnet, uint32_t node, uint8_t port, uint16_t to) const
{
    Way way;
    while (!HasLid(subnet.At(node), to) && way.steps.size() < MAX_STEPS)
    {
        // an adapter has one way out, a switch its table
        if (subnet.At(node).type == Type::SWITCH)
        {
            port = Get(node, to);
        }
        else if (!way.steps.empty())
        {
            return way; // an adapter on the way passes nothing on
        }
        const auto& ports = subnet.At(node).ports;
        if (port == 0 || port >= ports.size() || ports[port].peer == IbSubnet::NONE)
        {
            return way;
        }
        way.steps.push_back({node, port});
        node = ports[port].peer;
    }
    way.arrives = HasLid(subnet.At(node), to);
    return way;
}

IbChannels::IbChannels(const IbSubnet& subnet)
{
    for (const auto& node : subnet.GetNodes())
    {
        m_first.push_back(m_n);
        m_n += static_cast<uint32_t>(node.ports.size());
    }
}

IbForwarding::Step
IbChannels::At(uint32_t channel) const
{
    const auto after = std::upper_bound(m_first.begin(), m_first.end(), channel);
    const auto node = static_cast<uint32_t>(after - m_first.begin() - 1);
    return {node, static_cast<uint8_t>(channel - m_first[node])};
}

std::vector<IbForwarding::Entry>
IbForwarding::GetEntries(const IbSubnet& subnet, const IbChannels& channels) const
{
    std::vector<uint32_t> entries; // switches where packets enter
    std::vector<uint16_t> lids;
    for (const auto& node : subnet.GetNodes())
    {
        for (const auto& port : node.ports)
        {
            for (uint32_t i = 0; port.lid != 0 && i < 1U << port.lmc; ++i)
            {
                lids.push_back(static_cast<uint16_t>(port.lid + i));
            }
            if (node.type != Type::SWITCH && port.peer != IbSubnet::NONE)
            {
                entries.push_back(port.peer);
            }
        }
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    std::vector<Entry> ways;
    for (const uint16_t lid : lids)
    {
        for (const uint32_t entry : entries)
        {
            if (subnet.At(entry).type != Type::SWITCH)
            {
                continue; // two adapters on one cable
            }
            const Way way = Follow(subnet, entry, NO_PORT, lid);
            ways.push_back({entry, lid, {}});
            for (const Step& step : way.steps)
            {
                ways.back().channels.push_back(channels.Of(step));
            }
        }
    }
    return ways;
}

std::vector<IbForwarding::Step>
IbForwarding::FindCreditLoop(const IbSubnet& subnet) const
{
    const IbChannels channels(subnet);
    const std::vector<Entry> ways = GetEntries(subnet, channels);
    for (uint32_t lane = 0; lane < nLanes; ++lane)
    {
        IbChannelGraph graph(channels.GetN());
        for (const Entry& way : ways)
        {
            for (size_t i = 1; GetLane(way.node, way.lid) == lane && i < way.channels.size(); ++i)
            {
                graph.Add(way.channels[i - 1], way.channels[i]);
            }
        }
        std::vector<Step> loop;
        for (const uint32_t channel : graph.FindCircle())
        {
            loop.push_back(channels.At(channel));
        }
        if (!loop.empty())
        {
            return loop;
        }
    }
    return {};
}

uint8_t
IbForwarding::GetLane(uint32_t node, uint16_t lid) const
{
    return node < lanes.size() && lid < lanes[node].size() ? lanes[node][lid] : 0;
}

std::string
IbForwarding::Describe(const IbSubnet& subnet, const std::vector<Step>& steps)
{
    std::string text;
    for (const Step& step : steps)
    {
        const IbSubnet::Node& node = subnet.At(step.node);
        const IbSubnet::Port& port = node.ports.at(step.port);
        text += (text.empty() ? "" : ", ") + node.name + "[" + std::to_string(step.port) + "] -> ";
        text += port.peer == IbSubnet::NONE
                    ? "nothing"
                    : subnet.At(port.peer).name + "[" + std::to_string(port.peerPort) + "]";
    }
    return text;
}

} // namespace ns3
