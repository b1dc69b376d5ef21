/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-subnet-agent.h"

#include "ns3/fabric-error.h"

#include <algorithm>

namespace ns3
{

namespace
{
constexpr uint8_t TYPE_SWITCH = 2;

} // namespace

IbSubnetAgent::IbSubnetAgent(const IbNodeInfo& node, const std::vector<uint64_t>& portGuids)
    : m_node(node)
{
    if (portGuids.size() != node.ports + size_t{1})
    {
        throw FabricError("a node of " + std::to_string(node.ports) + " ports has " +
                          std::to_string(node.ports + 1) + " port GUIDs, port 0 included, not " +
                          std::to_string(portGuids.size()));
    }
    m_node.partitionCap = PKEYS;
    m_ports.resize(portGuids.size());
    for (size_t i = 0; i < m_ports.size(); ++i)
    {
        m_ports[i].guid = portGuids[i];
        m_ports[i].info.localPort = static_cast<uint8_t>(i);
        m_ports[i].slToVl.assign(IsSwitch() ? m_ports.size() : 1, IbData{});
    }
    if (IsSwitch())
    {
        m_switch.linearCap = IbLidTable::UNICAST_END - 1;
        m_forwarding.assign(IbLidTable::UNICAST_END, IbForwarding::NO_PORT);
        m_ports[0].info.state = IbPortState::ACTIVE; // no link that could be down
    }
}

bool
IbSubnetAgent::IsSwitch() const
{
    return m_node.type == TYPE_SWITCH;
}

IbSubnetAgent::Port&
IbSubnetAgent::GetPort(uint8_t port)
{
    if (port >= m_ports.size())
    {
        throw FabricError("node '" + description + "' has ports up to " +
                          std::to_string(m_node.ports) + ", not " + std::to_string(port));
    }
    return m_ports[port];
}

void
IbSubnetAgent::SetLink(uint8_t port, bool up)
{
    GetPort(port).info.state = up ? IbPortState::INIT : IbPortState::DOWN;
    m_switch.portStateChange = true;
}

IbSubnetAgent::Verdict
IbSubnetAgent::Route(IbSmp& smp, uint8_t ingress, uint8_t& egress) const
{
    if (smp.hopCount > IbSmp::MAX_HOPS)
    {
        return Verdict::DISCARD;
    }
    const uint8_t n = smp.hopCount;
    const uint8_t at = smp.hopPointer;
    if (!smp.returning)
    {
        if (ingress == FROM_HERE ? at != 0 : at == 0 || at > n)
        {
            return Verdict::DISCARD;
        }
        if (ingress != FROM_HERE)
        {
            smp.returnPath[at] = ingress;
            if (at < n && !IsSwitch())
            {
                return Verdict::DISCARD; // channel adapters pass nothing on
            }
        }
        ++smp.hopPointer;
        if (at == n)
        {
            return Verdict::REQUEST;
        }
        egress = smp.initialPath[smp.hopPointer];
    }
    else
    {
        if (ingress == FROM_HERE ? at != n + 1 : at == 0 || at > n)
        {
            return Verdict::DISCARD;
        }
        if (ingress != FROM_HERE && at > 1 && !IsSwitch())
        {
            return Verdict::DISCARD;
        }
        --smp.hopPointer;
        if (smp.hopPointer == 0)
        {
            return Verdict::ANSWER;
        }
        egress = smp.returnPath[smp.hopPointer];
    }
    const bool there = egress > 0 && egress < m_ports.size();
    return there && m_ports[egress].info.state != IbPortState::DOWN ? Verdict::FORWARD
                                                                    : Verdict::DISCARD;
}

bool
IbSubnetAgent::Keys(const IbSmp& smp)
{
    // a node has one key, that of its management port or of any port alike
    IbPortInfo& info = m_ports[IsSwitch() ? 0 : 1].info;
    const bool reads = smp.method == IbMethod::GET;
    if (info.mKey == 0 || smp.mKey == info.mKey || (reads && info.mKeyProtect < 2))
    {
        return true;
    }
    info.mKeyViolations += info.mKeyViolations < 0xffff ? 1 : 0;
    return false;
}

bool
IbSubnetAgent::Answer(IbSmp& smp, uint8_t ingress)
{
    const bool get = smp.method == IbMethod::GET;
    const bool set = smp.method == IbMethod::SET;
    if ((!get && !set) || !Keys(smp))
    {
        return false;
    }
    smp.status = set ? Set(smp, ingress) : IbSmpStatus::OK;
    if (smp.status == IbSmpStatus::OK)
    {
        smp.status = Get(smp, ingress);
    }
    if (set && smp.status == IbSmpStatus::OK && onSet)
    {
        onSet(smp.attribute, smp.modifier);
    }
    smp.method = IbMethod::GET_RESPONSE;
    smp.returning = true;
    return true;
}

IbSubnetAgent::Port*
IbSubnetAgent::PortOf(uint32_t number, uint8_t ingress)
{
    if (number == 0 && !IsSwitch())
    {
        number = ingress == FROM_HERE ? 1 : ingress; // 0: the port that was asked
    }
    return number < m_ports.size() ? &m_ports[number] : nullptr;
}

IbData*
IbSubnetAgent::SlToVlOf(uint32_t modifier)
{
    const uint32_t in = IsSwitch() ? (modifier >> 8) & 0xff : 0;
    Port* port = PortOf(modifier & 0xff, FROM_HERE);
    return port != nullptr && in < port->slToVl.size() ? &port->slToVl[in] : nullptr;
}

IbSmpStatus
IbSubnetAgent::Get(IbSmp& smp, uint8_t ingress)
{
    constexpr IbSmpStatus bad = IbSmpStatus::BAD_FIELD;
    switch (smp.attribute)
    {
    case IbAttribute::NODE_DESCRIPTION:
        smp.data.fill(0);
        std::copy_n(description.begin(),
                    std::min(description.size(), smp.data.size()),
                    smp.data.begin());
        return IbSmpStatus::OK;
    case IbAttribute::NODE_INFO: {
        IbNodeInfo info = m_node;
        info.localPort = ingress == FROM_HERE ? (IsSwitch() ? 0 : 1) : ingress;
        info.portGuid = m_ports[IsSwitch() ? 0 : info.localPort].guid;
        smp.data = info.Pack();
        return IbSmpStatus::OK;
    }
    case IbAttribute::SWITCH_INFO:
        smp.data = m_switch.Pack();
        return IsSwitch() ? IbSmpStatus::OK : IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
    case IbAttribute::PORT_INFO: {
        const Port* port = PortOf(smp.modifier, ingress);
        if (port == nullptr)
        {
            return bad;
        }
        IbPortInfo info = port->info;
        info.isSm = static_cast<bool>(onSmInfo);
        smp.data = info.Pack();
        return IbSmpStatus::OK;
    }
    case IbAttribute::PKEY_TABLE: {
        const Port* port = PortOf(smp.modifier >> 16, ingress);
        smp.data.fill(0);
        for (uint32_t i = 0; port != nullptr && i < port->pKeys.size(); ++i)
        {
            IbBlock::SetWord(smp.data, i, port->pKeys[i]);
        }
        return port == nullptr || (smp.modifier & 0xffff) != 0 ? bad : IbSmpStatus::OK;
    }
    case IbAttribute::SL_TO_VL: {
        const IbData* table = SlToVlOf(smp.modifier);
        smp.data = table == nullptr ? IbData{} : *table;
        return table == nullptr ? bad : IbSmpStatus::OK;
    }
    case IbAttribute::LINEAR_FORWARDING: {
        const size_t first = size_t{smp.modifier} * IbBlock::FORWARDING;
        const bool there = first + IbBlock::FORWARDING <= m_forwarding.size();
        smp.data.fill(IbForwarding::NO_PORT);
        if (there)
        {
            std::copy_n(m_forwarding.begin() + static_cast<std::ptrdiff_t>(first),
                        smp.data.size(),
                        smp.data.begin());
        }
        return there ? IbSmpStatus::OK : bad;
    }
    case IbAttribute::SM_INFO:
        smp.data = onSmInfo ? onSmInfo().Pack() : IbData{};
        return onSmInfo ? IbSmpStatus::OK : IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
    default:
        return IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
    }
}

IbSmpStatus
IbSubnetAgent::SetPort(Port& port, const IbPortInfo& wanted)
{
    IbPortInfo& info = port.info;
    const bool down = info.state == IbPortState::DOWN;
    const auto state = static_cast<uint8_t>(wanted.state);
    // 0: no change; else a step up of a link that is there, or the state that it has
    const bool fits = state == 0 || (state <= 4 && !down && wanted.state >= info.state);
    if (!fits || wanted.lid >= IbLidTable::UNICAST_END || wanted.operationalVls > info.vlCap)
    {
        return IbSmpStatus::BAD_FIELD;
    }
    info.mKey = wanted.mKey;
    info.mKeyProtect = wanted.mKeyProtect;
    info.gidPrefix = wanted.gidPrefix;
    info.lid = wanted.lid;
    info.lmc = wanted.lmc;
    info.masterLid = wanted.masterLid;
    info.masterSl = wanted.masterSl;
    info.neighborMtu = wanted.neighborMtu == 0 ? info.neighborMtu : wanted.neighborMtu;
    info.vlHighLimit = wanted.vlHighLimit;
    info.operationalVls = wanted.operationalVls == 0 ? info.operationalVls : wanted.operationalVls;
    info.state = state == 0 ? info.state : wanted.state;
    return IbSmpStatus::OK;
}

IbSmpStatus
IbSubnetAgent::Set(const IbSmp& smp, uint8_t ingress)
{
    constexpr IbSmpStatus bad = IbSmpStatus::BAD_FIELD;
    switch (smp.attribute)
    {
    case IbAttribute::SWITCH_INFO: {
        if (!IsSwitch())
        {
            return IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
        }
        const IbSwitchInfo wanted = IbSwitchInfo::Unpack(smp.data);
        m_switch.linearTop = wanted.linearTop;
        m_switch.portStateChange = m_switch.portStateChange && !wanted.portStateChange;
        return IbSmpStatus::OK;
    }
    case IbAttribute::PORT_INFO: {
        Port* port = PortOf(smp.modifier, ingress);
        return port == nullptr ? bad : SetPort(*port, IbPortInfo::Unpack(smp.data));
    }
    case IbAttribute::PKEY_TABLE: {
        Port* port = PortOf(smp.modifier >> 16, ingress);
        if (port == nullptr || (smp.modifier & 0xffff) != 0)
        {
            return bad;
        }
        port->pKeys.clear();
        for (uint32_t i = 0; i < PKEYS; ++i)
        {
            const uint16_t key = IbBlock::GetWord(smp.data, i);
            if (key != 0)
            {
                port->pKeys.push_back(key);
            }
        }
        return IbSmpStatus::OK;
    }
    case IbAttribute::SL_TO_VL: {
        IbData* table = SlToVlOf(smp.modifier);
        if (table != nullptr)
        {
            *table = smp.data;
        }
        return table == nullptr ? bad : IbSmpStatus::OK;
    }
    case IbAttribute::LINEAR_FORWARDING: {
        const size_t first = size_t{smp.modifier} * IbBlock::FORWARDING;
        const bool there = first + IbBlock::FORWARDING <= m_forwarding.size();
        if (there)
        {
            std::copy(smp.data.begin(),
                      smp.data.end(),
                      m_forwarding.begin() + static_cast<std::ptrdiff_t>(first));
        }
        return there ? IbSmpStatus::OK : bad;
    }
    case IbAttribute::SM_INFO:
        if (!onSmControl)
        {
            return IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
        }
        onSmControl(smp.modifier);
        return IbSmpStatus::OK;
    default:
        return IbSmpStatus::BAD_METHOD_OR_ATTRIBUTE;
    }
}

} // namespace ns3
