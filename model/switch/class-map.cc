/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "class-map.h"

#include "ns3/fabric-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ClassMap);

namespace
{

/**
 * @brief A whole number of at most two digits.
 * @param token text
 * @param limit first number that is too large
 * @return the number, or -1 when it is none or too large
 */
int
SmallNumber(const std::string& token, int limit)
{
    if (token.empty() || token.size() > 2 ||
        token.find_first_not_of("0123456789") != std::string::npos)
    {
        return -1;
    }
    const int number = std::stoi(token);
    return number < limit ? number : -1;
}

} // namespace

TypeId
ClassMap::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ClassMap")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<ClassMap>()
            .AddAttribute("Trust",
                          "What tells a frame's class: \"class\" (as its sender used it), \"dscp\" "
                          "or \"pcp\". Default: class, so that all boxes agree.",
                          StringValue("class"),
                          MakeStringAccessor(&ClassMap::SetTrust, &ClassMap::GetTrust),
                          MakeStringChecker())
            .AddAttribute("DscpMap",
                          "Pairs \"dscp:class ...\" (DSCP 0..63, class 0..7); others go to dscp / "
                          "8. Default: none named: 26 to class 3, 48 to class 6, as common for "
                          "RoCEv2 data and CNPs.",
                          StringValue(""),
                          MakeStringAccessor(&ClassMap::SetDscpMap, &ClassMap::GetDscpMap),
                          MakeStringChecker())
            .AddAttribute("PcpMap",
                          "Classes of 802.1p priorities 0..7, eight numbers. Default: the same "
                          "number.",
                          StringValue("0 1 2 3 4 5 6 7"),
                          MakeStringAccessor(&ClassMap::SetPcpMap, &ClassMap::GetPcpMap),
                          MakeStringChecker());
    return tid;
}

ClassMap::ClassMap()
{
    for (uint8_t dscp = 0; dscp < 64; ++dscp)
    {
        m_ofDscp[dscp] = dscp / 8;
    }
}

void
ClassMap::SetTrust(const std::string& trust)
{
    if (trust != "class" && trust != "dscp" && trust != "pcp")
    {
        throw FabricError("ns3::ClassMap::Trust '" + trust + "': allowed are class, dscp, pcp");
    }
    m_trust = trust == "dscp" ? TRUST_DSCP : trust == "pcp" ? TRUST_PCP : TRUST_CLASS;
}

std::string
ClassMap::GetTrust() const
{
    return m_trust == TRUST_DSCP ? "dscp" : m_trust == TRUST_PCP ? "pcp" : "class";
}

void
ClassMap::SetDscpMap(const std::string& map)
{
    uint8_t parsed[64];
    for (uint8_t dscp = 0; dscp < 64; ++dscp)
    {
        parsed[dscp] = dscp / 8;
    }
    std::istringstream in(map);
    std::string token;
    while (in >> token)
    {
        const size_t colon = token.find(':');
        const int dscp = SmallNumber(token.substr(0, colon), 64);
        const int vl =
            colon == std::string::npos ? -1 : SmallNumber(token.substr(colon + 1), FABRIC_CLASSES);
        if (dscp < 0 || vl < 0)
        {
            throw FabricError("ns3::ClassMap::DscpMap '" + token +
                              "': allowed are pairs dscp:class, DSCP 0..63, class 0..7");
        }
        parsed[dscp] = static_cast<uint8_t>(vl);
    }
    std::copy(parsed, parsed + 64, m_ofDscp);
}

std::string
ClassMap::GetDscpMap() const
{
    std::ostringstream out;
    for (uint32_t dscp = 0; dscp < 64; ++dscp)
    {
        if (m_ofDscp[dscp] != dscp / 8)
        {
            out << (out.tellp() > 0 ? " " : "") << dscp << ":" << +m_ofDscp[dscp];
        }
    }
    return out.str();
}

void
ClassMap::SetPcpMap(const std::string& map)
{
    m_ofPcp = FabricClassList::Parse("ns3::ClassMap::PcpMap", map, 0, FABRIC_CLASSES - 1);
}

std::string
ClassMap::GetPcpMap() const
{
    return FabricClassList::Format(m_ofPcp);
}

} // namespace ns3
