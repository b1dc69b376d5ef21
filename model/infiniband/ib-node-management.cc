/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-node-management.h"

#include "subnet-manager.h"

#include "ns3/fabric-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbNodeManagement);

TypeId
IbNodeManagement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbNodeManagement")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbNodeManagement>()
            .AddAttribute("AgentLatency",
                          "Firmware's time for a management packet, whether it is answered or "
                          "passed on (time). Default: 10 us, assumed.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&IbNodeManagement::m_latency),
                          MakeTimeChecker(Time(0)));
    return tid;
}

IbNodeManagement::IbNodeManagement() = default;
IbNodeManagement::~IbNodeManagement() = default;

void
IbNodeManagement::DoDispose()
{
    if (m_manager)
    {
        m_manager->Dispose();
        m_manager = nullptr;
    }
    Object::DoDispose();
}

bool
IbNodeManagement::IsSwitch() const
{
    return m_agent->GetNode().type == 2;
}

void
IbNodeManagement::SetNode(const IbNodeInfo& info,
                          const std::vector<uint64_t>& portGuids,
                          const std::string& description)
{
    m_agent = std::make_unique<IbSubnetAgent>(info, portGuids);
    m_agent->description = description;
    m_agent->onSet = [this](IbAttribute attribute, uint32_t modifier) {
        OnSet(attribute, modifier);
    };
    m_ports.assign(portGuids.size(), nullptr);
}

void
IbNodeManagement::AddPort(uint8_t port,
                          IbManagedStation& station,
                          uint8_t lanes,
                          const std::string& speed,
                          uint8_t vlCode)
{
    IbPortInfo& info = m_agent->GetPort(port).info;
    info.lanes = lanes;
    info.speed = speed;
    info.vlCap = info.operationalVls = vlCode;
    m_ports[port] = &station;
    station.onMad = [this](uint8_t at, const IbManagedStation::Mad& mad) { OnMad(at, mad); };
    station.onLink = [this](uint8_t at, bool up) {
        m_agent->SetLink(at, up);
        m_ports[at]->SetActive(at, false);
    };
    m_agent->SetLink(port, true);
    station.SetActive(port, false);
}

void
IbNodeManagement::SetManager(Ptr<SubnetManager> manager)
{
    uint8_t port = IsSwitch() ? 0 : 1;
    while (!IsSwitch() && port < m_ports.size() && m_ports[port] == nullptr)
    {
        ++port;
    }
    if (m_manager || port >= m_ports.size())
    {
        throw FabricError("node '" + m_agent->description + "': " +
                          (m_manager ? "a subnet manager runs there already"
                                     : "no port with a cable for a subnet manager"));
    }
    m_manager = manager;
    manager->Attach(*m_agent, port, [this](const IbSmp& smp, uint8_t out) { Send(smp, out); });
}

void
IbNodeManagement::Send(const IbSmp& smp, uint8_t port)
{
    if (m_ports[port] != nullptr)
    {
        m_ports[port]->SendMad(port, smp.Pack());
    }
}

void
IbNodeManagement::OnMad(uint8_t port, const IbManagedStation::Mad& mad)
{
    IbSmp smp;
    if (!IbSmp::Unpack(mad, smp))
    {
        ++m_discarded;
        return;
    }
    Simulator::Schedule(m_latency, &IbNodeManagement::Take, this, port, smp);
}

void
IbNodeManagement::Take(uint8_t port, IbSmp smp)
{
    using Verdict = IbSubnetAgent::Verdict;
    uint8_t out = 0;
    Verdict verdict = m_agent->Route(smp, port, out);
    if (verdict == Verdict::REQUEST && m_agent->Answer(smp, port))
    {
        verdict = m_agent->Route(smp, IbSubnetAgent::FROM_HERE, out);
    }
    if (verdict == Verdict::FORWARD)
    {
        Send(smp, out);
    }
    else if (verdict == Verdict::ANSWER && m_manager)
    {
        m_manager->Receive(smp);
    }
    else
    {
        ++m_discarded;
    }
}

// ---- what a manager wrote -----------------------------------------------------------------------

void
IbNodeManagement::OnSet(IbAttribute attribute, uint32_t modifier)
{
    const bool all = !IsSwitch(); // an adapter's port 0 in a modifier is the port that was asked
    const auto forPorts = [this, all](uint32_t port, auto apply) {
        for (uint32_t i = all ? 1 : port; i < m_ports.size() && (all || i == port); ++i)
        {
            apply(static_cast<uint8_t>(i));
        }
    };
    switch (attribute)
    {
    case IbAttribute::PORT_INFO:
        forPorts(modifier, [this](uint8_t port) { ApplyPort(port); });
        break;
    case IbAttribute::LINEAR_FORWARDING:
    case IbAttribute::SWITCH_INFO:
        ApplyForwarding();
        break;
    case IbAttribute::PKEY_TABLE:
        forPorts(modifier >> 16, [this](uint8_t port) { ApplyPKeys(port); });
        break;
    case IbAttribute::SL_TO_VL:
        forPorts(modifier & 0xff, [this, modifier](uint8_t port) {
            ApplySlToVl(static_cast<uint8_t>(modifier >> 8), port);
        });
        break;
    default:
        break;
    }
}

void
IbNodeManagement::ApplyPort(uint8_t port)
{
    const IbPortInfo& info = m_agent->GetPort(port).info;
    IbManagedStation* station = port == 0 ? nullptr : m_ports[port];
    if (station != nullptr)
    {
        station->SetActive(port, info.state == IbPortState::ACTIVE);
    }
    for (size_t i = 1; IsSwitch() && port == 0 && station == nullptr && i < m_ports.size(); ++i)
    {
        station = m_ports[i];
    }
    if (station != nullptr && info.lid != 0 && (port == 0 || !IsSwitch()))
    {
        station->SetLid(info.lid, info.lmc);
    }
}

void
IbNodeManagement::ApplyForwarding()
{
    const auto first = std::find_if(m_ports.begin(), m_ports.end(), [](auto* station) {
        return station != nullptr;
    });
    if (first != m_ports.end())
    {
        (*first)->SetForwarding(m_agent->GetLinearTop(), m_agent->GetForwarding());
    }
}

void
IbNodeManagement::ApplyPKeys(uint8_t port)
{
    if (m_ports[port] != nullptr)
    {
        m_ports[port]->SetPKeys(port, m_agent->GetPort(port).pKeys);
    }
}

void
IbNodeManagement::ApplySlToVl(uint8_t in, uint8_t out)
{
    if (m_ports[out] == nullptr)
    {
        return;
    }
    const IbData& row = m_agent->GetPort(out).slToVl.at(IsSwitch() ? in : 0);
    std::array<uint8_t, 16> vls{};
    for (uint8_t sl = 0; sl < vls.size(); ++sl)
    {
        vls[sl] = IbBlock::GetVl(row, sl);
    }
    m_ports[out]->SetSlToVl(in, out, vls);
}

} // namespace ns3
