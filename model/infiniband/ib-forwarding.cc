/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-forwarding.h"

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
        return port.lid != 0 && lid >= port.lid && lid < port.lid + (1U << port.lmc);
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

std::vector<IbForwarding::Step>
IbForwarding::FindCreditLoop(const IbSubnet& subnet) const
{
    const auto nodes = static_cast<uint32_t>(subnet.GetNodes().size());
    // a link is numbered by where it begins; what waits for what, as lists by link
    constexpr uint32_t stride = 256;
    std::vector<std::vector<uint32_t>> waits(size_t{nodes} * stride);
    std::vector<uint32_t> first;
    std::vector<uint16_t> lids;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (const auto& port : subnet.At(node).ports)
        {
            for (uint32_t i = 0; port.lid != 0 && i < 1U << port.lmc; ++i)
            {
                lids.push_back(static_cast<uint16_t>(port.lid + i));
            }
            const bool adapter = subnet.At(node).type != Type::SWITCH;
            if (adapter && port.peer != IbSubnet::NONE)
            {
                first.push_back(port.peer); // packets enter there
            }
        }
    }
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    std::vector<uint16_t> seen(nodes, 0);
    for (const uint16_t lid : lids)
    {
        for (uint32_t node : first)
        {
            uint32_t before = IbSubnet::NONE;
            for (size_t steps = 0; steps < MAX_STEPS; ++steps)
            {
                const bool isSwitch = subnet.At(node).type == Type::SWITCH;
                const uint8_t port = isSwitch ? Get(node, lid) : NO_PORT;
                const auto& ports = subnet.At(node).ports;
                if (port == 0 || port >= ports.size() || ports[port].peer == IbSubnet::NONE)
                {
                    break;
                }
                const uint32_t link = node * stride + port;
                if (before != IbSubnet::NONE)
                {
                    auto& list = waits[before];
                    if (std::find(list.begin(), list.end(), link) == list.end())
                    {
                        list.push_back(link);
                    }
                }
                if (seen[node] == lid)
                {
                    break; // the rest of the way is known
                }
                seen[node] = lid;
                before = link;
                node = ports[port].peer;
            }
        }
    }

    // depth first; what is on the way from the start is grey
    enum Colour : uint8_t
    {
        WHITE,
        GREY,
        BLACK
    };

    std::vector<Colour> colour(waits.size(), WHITE);
    for (uint32_t start = 0; start < waits.size(); ++start)
    {
        std::vector<std::pair<uint32_t, size_t>> way;
        if (colour[start] == WHITE && !waits[start].empty())
        {
            way.emplace_back(start, 0);
            colour[start] = GREY;
        }
        while (!way.empty())
        {
            auto& [link, next] = way.back();
            if (next == waits[link].size())
            {
                colour[link] = BLACK;
                way.pop_back();
                continue;
            }
            const uint32_t to = waits[link][next++];
            if (colour[to] == GREY)
            {
                const auto begin = std::find_if(way.begin(), way.end(), [to](const auto& entry) {
                    return entry.first == to;
                });
                std::vector<Step> loop;
                for (auto it = begin; it != way.end(); ++it)
                {
                    loop.push_back({it->first / stride, static_cast<uint8_t>(it->first % stride)});
                }
                return loop;
            }
            if (colour[to] == WHITE)
            {
                colour[to] = GREY;
                way.emplace_back(to, 0);
            }
        }
    }
    return {};
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
