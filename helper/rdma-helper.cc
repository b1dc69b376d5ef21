/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-helper.h"

#include "attribute-defaults.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/frame-profile.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-nic.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{
/** "ns3::RdmaDcqcn" to "dcqcn", "ns3::RdmaPowerTcp" to "powertcp". */
std::string
ShortName(const std::string& typeId)
{
    std::string name = typeId.substr(typeId.rfind(':') + 1);
    if (name.compare(0, 4, "Rdma") == 0)
    {
        name = name.substr(4);
    }
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return name;
}

/** All congestion controls that can be made. */
std::vector<TypeId>
CongestionTypes()
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(RdmaCongestionOps::GetTypeId()) && tid.HasConstructor())
        {
            types.push_back(tid);
        }
    }
    return types;
}
} // namespace

RdmaHelper::RdmaHelper(const FabricHelper& fabric)
    : m_fabric(fabric),
      m_pds(fabric.GetNEndpoints())
{
}

std::vector<std::string>
RdmaHelper::CongestionNames()
{
    std::vector<std::string> names{"none"};
    for (const TypeId& tid : CongestionTypes())
    {
        names.push_back(ShortName(tid.GetName()));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
RdmaHelper::CongestionTypeName(const std::string& name)
{
    std::string all;
    for (const TypeId& tid : CongestionTypes())
    {
        if (name == tid.GetName() || name == ShortName(tid.GetName()))
        {
            return tid.GetName();
        }
        all += ", " + ShortName(tid.GetName());
    }
    if (name != "none")
    {
        throw FabricError("congestion control '" + name + "' is not known; allowed: none" + all);
    }
    return "";
}

void
RdmaHelper::CheckProfile(const std::string& name, const std::string& profile)
{
    const std::string type = CongestionTypeName(name);
    if (type.empty())
    {
        throw FabricError("profile '" + profile + "': there is no congestion control");
    }
    const auto value = AttributeDefaults::Parse(AttributeDefaults::Find(type, "Profile"),
                                                "profile",
                                                profile);
    // on an object that lives: one that refuses while it is made is never freed
    ObjectFactory(type).Create<RdmaCongestionOps>()->SetAttribute("Profile", *value);
}

void
RdmaHelper::SetCongestion(const std::string& name)
{
    const std::string type = CongestionTypeName(name);
    m_congestion = type.empty() ? nullptr : ObjectFactory(type).Create<RdmaCongestionOps>();
    Apply();
}

void
RdmaHelper::SetCongestionAttribute(const std::string& name, const AttributeValue& value)
{
    if (!m_congestion || !m_congestion->SetAttributeFailSafe(name, value))
    {
        throw FabricError("the congestion control has no attribute '" + name +
                          "', or not with this value");
    }
    Apply();
}

void
RdmaHelper::Apply()
{
    TypeId::AttributeInformation interval;
    RdmaNic::GetTypeId().LookupAttributeByName("CnpInterval", &interval);
    if (!m_congestion)
    {
        if (m_given)
        {
            throw FabricError("a congestion control cannot be taken back from the NICs");
        }
        return;
    }
    m_given = true;
    const auto* usual = dynamic_cast<const TimeValue*>(PeekPointer(interval.originalInitialValue));
    for (uint32_t i = 0; i < m_fabric.GetNEndpoints(); ++i)
    {
        const Ptr<RdmaNic> nic = m_fabric.GetNic(i);
        nic->SetAttribute("CongestionOps", PointerValue(m_congestion));
        TimeValue present;
        nic->GetAttribute("CnpInterval", present);
        if (present.Get() == usual->Get() || m_intervalIsOurs)
        {
            const FabricPs recommended = m_congestion->RecommendedCnpInterval();
            nic->SetAttribute("CnpInterval", TimeValue(FabricTime::To(recommended)));
            m_intervalIsOurs = true;
        }
    }
}

std::pair<uint32_t, uint32_t>
RdmaHelper::ChooseNics(uint32_t src, uint32_t dst, uint64_t turn)
{
    const FabricTopology& topology = m_fabric.GetTopology();
    const size_t fromNics = topology.GetLinks(src).size();
    const size_t toNics = topology.GetLinks(dst).size();
    if (fromNics == 1 && toNics == 1)
    {
        return {m_fabric.GetEndpoint(src), m_fabric.GetEndpoint(dst)};
    }
    auto& pairs = m_pairs[{src, dst}];
    if (pairs.empty())
    {
        size_t shortest = SIZE_MAX;
        for (uint32_t i = 0; i < fromNics; ++i)
        {
            for (uint32_t j = 0; j < toNics; ++j)
            {
                const uint32_t from = m_fabric.GetEndpoint(src, i);
                const uint32_t to = m_fabric.GetEndpoint(dst, j);
                const size_t length = m_fabric.GetPath(from, to, 0).size();
                if (length == 0 || length > shortest)
                {
                    continue;
                }
                if (length < shortest)
                {
                    shortest = length;
                    pairs.clear();
                }
                pairs.emplace_back(from, to);
            }
        }
    }
    if (pairs.empty())
    {
        throw FabricError("no NIC of " + topology.GetNodes()[src].name + " reaches a NIC of " +
                          topology.GetNodes()[dst].name + " (hosts do not forward)");
    }
    return pairs[turn % pairs.size()];
}

RdmaHelper::Connection
RdmaHelper::Connect(uint32_t from,
                    uint32_t to,
                    VerbsQpInit fromInit,
                    VerbsQpInit toInit,
                    VerbsQpAttributes attributes)
{
    for (auto [endpoint, init] : {std::pair(from, &fromInit), std::pair(to, &toInit)})
    {
        Ptr<VerbsProtectionDomain>& pd = m_pds.at(endpoint);
        if (!init->pd)
        {
            pd = pd ? pd : m_fabric.GetNic(endpoint)->CreateProtectionDomain();
            init->pd = pd;
        }
    }
    Connection connection;
    connection.a = m_fabric.GetNic(from)->CreateQueuePair(fromInit);
    connection.b = m_fabric.GetNic(to)->CreateQueuePair(toInit);
    RdmaNic::Connect(connection.a, connection.b, attributes, attributes);
    return connection;
}

std::vector<IdealFct::Hop>
RdmaHelper::GetHops(uint32_t from, uint32_t to, uint32_t flowHash) const
{
    std::vector<IdealFct::Hop> hops;
    const FabricStation* here = PeekPointer(m_fabric.GetNic(from));
    for (uint32_t link : m_fabric.GetPath(from, to, flowHash))
    {
        auto [station, index] = m_fabric.GetPortOfLink(link, 0);
        if (PeekPointer(station) != here)
        {
            std::tie(station, index) = m_fabric.GetPortOfLink(link, 1);
        }
        const FabricPort& port = station->GetPort(index);
        hops.push_back({port.rate, port.latency, port.peer->latency});
        here = port.peer->station;
    }
    return hops;
}

IdealFct::Times
RdmaHelper::GetIdeal(uint32_t from, uint32_t to, uint64_t bytes) const
{
    const IdealFct ideal(FrameProfile::Get(m_fabric.GetNic(from)->GetFrameProfile()), GetMtu());
    return ideal.Compute(bytes, GetHops(from, to));
}

FabricPs
RdmaHelper::GetBaseRtt(uint32_t from, uint32_t to) const
{
    return GetIdeal(from, to, GetMtu()).ack;
}

uint32_t
RdmaHelper::GetMtu()
{
    TypeId::AttributeInformation info;
    TypeId::LookupByName("ns3::RdmaFlowApplication").LookupAttributeByName("Mtu", &info);
    const auto* mtu = dynamic_cast<const UintegerValue*>(PeekPointer(info.initialValue));
    return static_cast<uint32_t>(mtu->Get());
}

} // namespace ns3
