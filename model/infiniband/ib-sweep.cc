/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-sweep.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>

namespace ns3
{

using Type = IbSubnet::Type;

IbSweep::IbSweep(IbSmpClient& client)
    : m_client(client)
{
}

IbSmp
IbSweep::Make(const Path& path, IbMethod method, IbAttribute attribute, uint32_t modifier)
{
    if (path.size() > IbSmp::MAX_HOPS)
    {
        throw FabricError("a directed route has at most " + std::to_string(IbSmp::MAX_HOPS) +
                          " hops, not " + std::to_string(path.size()));
    }
    IbSmp smp;
    smp.method = method;
    smp.attribute = attribute;
    smp.modifier = modifier;
    smp.hopCount = static_cast<uint8_t>(path.size());
    std::copy(path.begin(), path.end(), smp.initialPath.begin() + 1);
    return smp;
}

IbPortInfo
IbSweep::GetPortInfo(uint32_t node, uint8_t port) const
{
    const auto info = m_portInfo.find({node, port});
    return info == m_portInfo.end() ? IbPortInfo{} : info->second;
}

void
IbSweep::Start(uint64_t key, std::function<void()> done)
{
    m_key = key;
    m_done = std::move(done);
    m_open = 0;
    m_subnet = IbSubnet();
    m_byGuid.clear();
    m_paths.clear();
    m_portInfo.clear();
    Explore({}, IbSubnet::NONE, 0);
}

void
IbSweep::Ask(const Path& path,
             IbAttribute attribute,
             uint32_t modifier,
             std::function<void(const IbSmp&)> use)
{
    ++m_open;
    IbSmp smp = Make(path, IbMethod::GET, attribute, modifier);
    smp.mKey = m_key;
    m_client.Ask(smp, [this, use = std::move(use)](const IbSmp* answer) {
        if (answer != nullptr && answer->status == IbSmpStatus::OK)
        {
            use(*answer);
        }
        if (--m_open == 0)
        {
            m_done();
        }
    });
}

void
IbSweep::Explore(const Path& path, uint32_t from, uint8_t fromPort)
{
    if (path.size() > IbSmp::MAX_HOPS)
    {
        return; // nobody can be asked there
    }
    Ask(path, IbAttribute::NODE_INFO, 0, [this, path, from, fromPort](const IbSmp& answer) {
        OnNode(path, from, fromPort, IbNodeInfo::Unpack(answer.data));
    });
}

uint32_t
IbSweep::AddNode(const Path& path, const IbNodeInfo& info)
{
    const auto type = static_cast<Type>(info.type);
    char name[32];
    std::snprintf(name,
                  sizeof(name),
                  "%c-%016llx",
                  type == Type::SWITCH ? 'S' : (type == Type::ROUTER ? 'R' : 'H'),
                  static_cast<unsigned long long>(info.nodeGuid));
    const uint32_t node = m_subnet.AddNode(type, name, info.ports, info.nodeGuid);
    m_subnet.At(node).systemGuid = info.systemGuid;
    m_byGuid[info.nodeGuid] = node;
    m_paths.push_back(path);
    Ask(path, IbAttribute::NODE_DESCRIPTION, 0, [this, node](const IbSmp& answer) {
        const auto end = std::find(answer.data.begin(), answer.data.end(), 0);
        m_subnet.At(node).description = std::string(answer.data.begin(), end);
    });
    return node;
}

void
IbSweep::OnNode(const Path& path, uint32_t from, uint8_t fromPort, const IbNodeInfo& info)
{
    const auto known = m_byGuid.find(info.nodeGuid);
    const bool isNew = known == m_byGuid.end();
    if (isNew && (info.ports == 0 || info.ports > 254 || info.type < 1 || info.type > 3))
    {
        return; // no node has such an answer
    }
    const uint32_t node = isNew ? AddNode(path, info) : known->second;
    if (info.localPort > m_subnet.At(node).GetNPorts())
    {
        return;
    }
    IbSubnet::Port& port = m_subnet.At(node).ports[info.localPort];
    if (from != IbSubnet::NONE && info.localPort > 0 && port.peer == IbSubnet::NONE &&
        m_subnet.At(from).ports[fromPort].peer == IbSubnet::NONE &&
        std::tie(node, info.localPort) != std::tie(from, fromPort))
    {
        const IbPortInfo link = GetPortInfo(from, fromPort);
        m_subnet.Connect(from, fromPort, node, info.localPort, link.lanes, link.speed);
    }
    if (m_subnet.At(node).type == Type::SWITCH)
    {
        m_subnet.At(node).ports[0].guid = info.portGuid;
        for (uint32_t i = 0; isNew && i <= info.ports; ++i)
        {
            AskPort(node, static_cast<uint8_t>(i));
        }
        return;
    }
    port.guid = info.portGuid;
    if (m_portInfo.count({node, info.localPort}) == 0)
    {
        m_portInfo[{node, info.localPort}] = {}; // asked once
        AskPort(node, info.localPort);
    }
}

void
IbSweep::AskPort(uint32_t node, uint8_t port)
{
    Ask(m_paths[node], IbAttribute::PORT_INFO, port, [this, node, port](const IbSmp& answer) {
        OnPort(node, port, IbPortInfo::Unpack(answer.data));
    });
}

void
IbSweep::OnPort(uint32_t node, uint8_t port, const IbPortInfo& info)
{
    m_portInfo[{node, port}] = info;
    IbSubnet::Port& found = m_subnet.At(node).ports[port];
    found.lid = info.lid;
    found.lmc = info.lmc;
    // a switch is left by every port that is up, an adapter only by the own one
    const bool leads = m_subnet.At(node).type == Type::SWITCH ? port > 0 : m_paths[node].empty();
    if (leads && info.state != IbPortState::DOWN && found.peer == IbSubnet::NONE)
    {
        Path path = m_paths[node];
        path.push_back(port);
        Explore(path, node, port);
    }
}

} // namespace ns3
