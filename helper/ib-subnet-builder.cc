/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-subnet-builder.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

using Type = IbSubnet::Type;

namespace
{

uint32_t
DivideUp(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

void
CheckRadix(uint32_t radix)
{
    if (radix < 4 || radix > 254 || radix % 2 != 0)
    {
        throw FabricError("a switch of " + std::to_string(radix) +
                          " ports; allowed: even numbers from 4 to 254");
    }
}

/** @return lowest port without a cable */
uint8_t
FreePort(const IbSubnet& subnet, uint32_t node)
{
    const IbSubnet::Node& n = subnet.At(node);
    for (size_t port = 1; port < n.ports.size(); ++port)
    {
        if (n.ports[port].peer == IbSubnet::NONE)
        {
            return static_cast<uint8_t>(port);
        }
    }
    throw FabricError("all " + std::to_string(n.GetNPorts()) + " ports of '" + n.name +
                      "' are taken");
}

} // namespace

IbSubnetBuilder::IbSubnetBuilder(const std::string& speed)
    : m_speed(IbRate::Get(speed).name)
{
}

void
IbSubnetBuilder::AddSwitches(IbSubnet& subnet,
                             const std::string& name,
                             uint32_t count,
                             uint32_t ports)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        subnet.AddNode(Type::SWITCH, name + std::to_string(i), ports);
    }
}

uint32_t
IbSubnetBuilder::AddHost(IbSubnet& subnet, uint32_t sw) const
{
    const size_t number = subnet.GetNodesOf(Type::CA).size();
    const uint32_t host = subnet.AddNode(Type::CA, "h" + std::to_string(number), 1);
    Join(subnet, sw, host);
    return host;
}

void
IbSubnetBuilder::Join(IbSubnet& subnet, uint32_t a, uint32_t b) const
{
    subnet.Connect(a, FreePort(subnet, a), b, FreePort(subnet, b), 4, m_speed);
}

/** Spines over the first switches of a subnet, each of which has radix / 2 uplinks left. */
void
IbSubnetBuilder::AddSpines(IbSubnet& subnet, uint32_t leaves, uint32_t radix) const
{
    const uint32_t spines = DivideUp(leaves, 2);
    const auto first = static_cast<uint32_t>(subnet.GetNodes().size());
    AddSwitches(subnet, "spine", spines, radix);
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t up = 0; up < radix / 2; ++up)
        {
            // a leaf begins where the one before ended, so that spines fill evenly
            Join(subnet, leaf, first + (leaf * (radix / 2) + up) % spines);
        }
    }
}

IbSubnet
IbSubnetBuilder::FatTree(uint32_t radix, uint32_t hosts, uint32_t tiers) const
{
    CheckRadix(radix);
    const uint32_t half = radix / 2;
    const uint64_t most = tiers == 2 ? uint64_t{radix} * half : uint64_t{radix} * half * half;
    if (tiers < 2 || tiers > 3 || hosts > most)
    {
        throw FabricError("a fat-tree of " + std::to_string(tiers) + " tiers of " +
                          std::to_string(radix) + "-port switches for " + std::to_string(hosts) +
                          " hosts; allowed: 2 tiers up to " +
                          std::to_string(uint64_t{radix} * half) + ", 3 tiers up to " +
                          std::to_string(uint64_t{radix} * half * half));
    }
    hosts = hosts == 0 ? static_cast<uint32_t>(most) : hosts;
    IbSubnet subnet;
    uint32_t leaves = DivideUp(hosts, half);
    if (tiers == 2)
    {
        AddSwitches(subnet, "leaf", leaves, radix);
        if (leaves > 1)
        {
            AddSpines(subnet, leaves, radix);
        }
    }
    else
    {
        const uint32_t pods = DivideUp(leaves, half);
        leaves = pods * half; // whole pods
        AddSwitches(subnet, "leaf", leaves, radix);
        AddSwitches(subnet, "spine", leaves, radix);
        // the k-th spines of all pods share a plane of cores
        const uint32_t cores = DivideUp(pods, 2);
        AddSwitches(subnet, "core", half * cores, radix);
        for (uint32_t i = 0; i < leaves; ++i)
        {
            const uint32_t pod = i / half;
            for (uint32_t up = 0; up < half; ++up)
            {
                Join(subnet, i, leaves + pod * half + up);
            }
        }
        for (uint32_t i = 0; i < leaves; ++i)
        {
            const uint32_t plane = i % half;
            for (uint32_t up = 0; up < half; ++up)
            {
                Join(subnet,
                     leaves + i,
                     2 * leaves + plane * cores + ((i / half) * half + up) % cores);
            }
        }
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        AddHost(subnet, host / half);
    }
    return subnet;
}

IbSubnet
IbSubnetBuilder::RailOptimised(uint32_t servers, uint32_t rails, uint32_t radix) const
{
    CheckRadix(radix);
    const uint32_t half = radix / 2;
    const uint32_t leaves = DivideUp(servers, half) * rails;
    if (servers == 0 || rails == 0 || leaves > radix)
    {
        throw FabricError(std::to_string(servers) + " servers with " + std::to_string(rails) +
                          " rails on " + std::to_string(radix) + "-port switches; allowed: up to " +
                          std::to_string(rails == 0 ? 0 : radix / rails * half) + " servers");
    }
    IbSubnet subnet;
    AddSwitches(subnet, "leaf", leaves, radix);
    if (leaves > 1)
    {
        AddSpines(subnet, leaves, radix);
    }
    for (uint32_t server = 0; server < servers; ++server)
    {
        for (uint32_t rail = 0; rail < rails; ++rail)
        {
            const uint32_t host = AddHost(subnet, server / half * rails + rail);
            subnet.At(host).description =
                "s" + std::to_string(server) + "/nic" + std::to_string(rail);
        }
    }
    return subnet;
}

IbSubnet
IbSubnetBuilder::DragonflyPlus(uint32_t groups,
                               uint32_t leaves,
                               uint32_t hostsPerLeaf,
                               uint32_t globalPorts) const
{
    const uint32_t others = groups - 1;
    if (groups < 2 || leaves == 0 || leaves * globalPorts < others ||
        leaves * globalPorts % others != 0)
    {
        throw FabricError(std::to_string(leaves * globalPorts) + " global ports of a group for " +
                          std::to_string(groups) +
                          " groups; allowed: a multiple of the number of other groups");
    }
    const uint32_t each = leaves * globalPorts / others; // cables between two groups
    IbSubnet subnet;
    for (uint32_t group = 0; group < groups; ++group)
    {
        const std::string name = "g" + std::to_string(group) + "-";
        AddSwitches(subnet, name + "leaf", leaves, leaves + hostsPerLeaf);
        AddSwitches(subnet, name + "spine", leaves, leaves + globalPorts);
        const uint32_t first = 2 * leaves * group;
        for (uint32_t i = 0; i < leaves * leaves; ++i)
        {
            Join(subnet, first + i / leaves, first + leaves + i % leaves);
        }
    }
    std::vector<uint32_t> next(groups, 0); // whose turn it is among a group's spines
    for (uint32_t cable = 0; cable < each; ++cable)
    {
        for (uint32_t a = 0; a < groups; ++a)
        {
            for (uint32_t b = a + 1; b < groups; ++b)
            {
                const auto spine = [&next, leaves](uint32_t group) {
                    return 2 * leaves * group + leaves + next[group]++ % leaves;
                };
                const uint32_t from = spine(a);
                Join(subnet, from, spine(b));
            }
        }
    }
    for (uint32_t group = 0; group < groups; ++group)
    {
        for (uint32_t i = 0; i < leaves * hostsPerLeaf; ++i)
        {
            AddHost(subnet, 2 * leaves * group + i / hostsPerLeaf);
        }
    }
    return subnet;
}

IbSubnet
IbSubnetBuilder::Ring(uint32_t switches, uint32_t hostsPerSwitch) const
{
    if (switches < 3)
    {
        throw FabricError("a ring of " + std::to_string(switches) +
                          " switches; allowed: 3 or more");
    }
    IbSubnet subnet;
    AddSwitches(subnet, "ring", switches, 2 + hostsPerSwitch);
    for (uint32_t i = 0; i < switches; ++i)
    {
        subnet.Connect(i, 1, (i + 1) % switches, 2, 4, m_speed);
    }
    for (uint32_t i = 0; i < switches * hostsPerSwitch; ++i)
    {
        AddHost(subnet, i / hostsPerSwitch);
    }
    return subnet;
}

} // namespace ns3
