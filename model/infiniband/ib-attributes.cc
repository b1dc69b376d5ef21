/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-attributes.h"

#include "ib-bits.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/** @brief A speed's codes: LinkSpeed and LinkSpeedExt; the latter counts if it is not 0. */
struct SpeedCode
{
    const char* name;
    uint8_t plain;
    uint8_t extended;
};

// Volume 1, tables of PortInfo: LinkSpeedActive, LinkSpeedExtActive. FDR10 and XDR have none of
// their own there; 15 and 9 to 14 are reserved, and these two are ours.
constexpr SpeedCode SPEEDS[] = {{"SDR", 1, 0},
                                {"DDR", 2, 0},
                                {"QDR", 4, 0},
                                {"FDR10", 4, 9},
                                {"FDR", 4, 1},
                                {"EDR", 4, 2},
                                {"HDR", 4, 4},
                                {"NDR", 4, 8},
                                {"XDR", 4, 10}};

/** Codes of LinkWidthActive. */
constexpr std::array<std::pair<uint8_t, uint8_t>, 5> WIDTHS{
    {{1, 1}, {4, 2}, {8, 4}, {12, 8}, {2, 16}}};

} // namespace

IbData
IbNodeInfo::Pack() const
{
    IbData d{};
    d[0] = d[1] = 1; // BaseVersion, ClassVersion
    d[2] = type;
    d[3] = ports;
    IbBits::Set(d.data(), 32, 64, systemGuid);
    IbBits::Set(d.data(), 96, 64, nodeGuid);
    IbBits::Set(d.data(), 160, 64, portGuid);
    IbBits::Set(d.data(), 224, 16, partitionCap);
    IbBits::Set(d.data(), 240, 16, device);
    d[36] = localPort;
    IbBits::Set(d.data(), 296, 24, vendor);
    return d;
}

IbNodeInfo
IbNodeInfo::Unpack(const IbData& d)
{
    IbNodeInfo info;
    info.type = d[2];
    info.ports = d[3];
    info.systemGuid = IbBits::Get(d.data(), 32, 64);
    info.nodeGuid = IbBits::Get(d.data(), 96, 64);
    info.portGuid = IbBits::Get(d.data(), 160, 64);
    info.partitionCap = static_cast<uint16_t>(IbBits::Get(d.data(), 224, 16));
    info.device = static_cast<uint16_t>(IbBits::Get(d.data(), 240, 16));
    info.localPort = d[36];
    info.vendor = static_cast<uint32_t>(IbBits::Get(d.data(), 296, 24));
    return info;
}

IbData
IbSwitchInfo::Pack() const
{
    IbData d{};
    IbBits::Set(d.data(), 0, 16, linearCap);
    IbBits::Set(d.data(), 32, 16, multicastCap);
    IbBits::Set(d.data(), 48, 16, linearTop);
    IbBits::Set(d.data(), 93, 1, portStateChange ? 1 : 0);
    return d;
}

IbSwitchInfo
IbSwitchInfo::Unpack(const IbData& d)
{
    IbSwitchInfo info;
    info.linearCap = static_cast<uint16_t>(IbBits::Get(d.data(), 0, 16));
    info.multicastCap = static_cast<uint16_t>(IbBits::Get(d.data(), 32, 16));
    info.linearTop = static_cast<uint16_t>(IbBits::Get(d.data(), 48, 16));
    info.portStateChange = IbBits::Get(d.data(), 93, 1) != 0;
    return info;
}

IbData
IbPortInfo::Pack() const
{
    IbData d{};
    IbBits::Set(d.data(), 0, 64, mKey);
    IbBits::Set(d.data(), 64, 64, gidPrefix);
    IbBits::Set(d.data(), 128, 16, lid);
    IbBits::Set(d.data(), 144, 16, masterLid);
    IbBits::Set(d.data(), 190, 1, isSm ? 1 : 0);
    d[28] = localPort;
    for (const auto& [number, code] : WIDTHS)
    {
        d[31] = number == lanes ? code : d[31];
    }
    IbBits::Set(d.data(), 260, 4, static_cast<uint8_t>(state));
    IbBits::Set(d.data(), 272, 2, mKeyProtect);
    IbBits::Set(d.data(), 277, 3, lmc);
    for (const SpeedCode& code : SPEEDS)
    {
        if (speed == code.name)
        {
            IbBits::Set(d.data(), 280, 4, code.plain);
            IbBits::Set(d.data(), 496, 4, code.extended);
        }
    }
    IbBits::Set(d.data(), 288, 4, neighborMtu);
    IbBits::Set(d.data(), 292, 4, masterSl);
    IbBits::Set(d.data(), 296, 4, vlCap);
    d[38] = vlHighLimit;
    IbBits::Set(d.data(), 344, 4, operationalVls);
    IbBits::Set(d.data(), 352, 16, mKeyViolations);
    IbBits::Set(d.data(), 368, 16, pKeyViolations);
    IbBits::Set(d.data(), 384, 16, qKeyViolations);
    return d;
}

IbPortInfo
IbPortInfo::Unpack(const IbData& d)
{
    const auto get = [&d](size_t first, size_t n) { return IbBits::Get(d.data(), first, n); };
    IbPortInfo info;
    info.mKey = get(0, 64);
    info.gidPrefix = get(64, 64);
    info.lid = static_cast<uint16_t>(get(128, 16));
    info.masterLid = static_cast<uint16_t>(get(144, 16));
    info.isSm = get(190, 1) != 0;
    info.localPort = d[28];
    for (const auto& [number, code] : WIDTHS)
    {
        info.lanes = d[31] == code ? number : info.lanes;
    }
    info.state = static_cast<IbPortState>(get(260, 4));
    info.mKeyProtect = static_cast<uint8_t>(get(272, 2));
    info.lmc = static_cast<uint8_t>(get(277, 3));
    for (const SpeedCode& code : SPEEDS)
    {
        if (get(496, 4) == code.extended && (code.extended != 0 || get(280, 4) == code.plain))
        {
            info.speed = code.name;
        }
    }
    info.neighborMtu = static_cast<uint8_t>(get(288, 4));
    info.masterSl = static_cast<uint8_t>(get(292, 4));
    info.vlCap = static_cast<uint8_t>(get(296, 4));
    info.vlHighLimit = d[38];
    info.operationalVls = static_cast<uint8_t>(get(344, 4));
    info.mKeyViolations = static_cast<uint16_t>(get(352, 16));
    info.pKeyViolations = static_cast<uint16_t>(get(368, 16));
    info.qKeyViolations = static_cast<uint16_t>(get(384, 16));
    return info;
}

IbData
IbSmInfo::Pack() const
{
    IbData d{};
    IbBits::Set(d.data(), 0, 64, guid);
    IbBits::Set(d.data(), 64, 64, key);
    IbBits::Set(d.data(), 128, 32, activity);
    IbBits::Set(d.data(), 160, 4, priority);
    IbBits::Set(d.data(), 164, 4, static_cast<uint8_t>(state));
    return d;
}

IbSmInfo
IbSmInfo::Unpack(const IbData& d)
{
    IbSmInfo info;
    info.guid = IbBits::Get(d.data(), 0, 64);
    info.key = IbBits::Get(d.data(), 64, 64);
    info.activity = static_cast<uint32_t>(IbBits::Get(d.data(), 128, 32));
    info.priority = static_cast<uint8_t>(IbBits::Get(d.data(), 160, 4));
    info.state = static_cast<State>(IbBits::Get(d.data(), 164, 4));
    return info;
}

uint16_t
IbBlock::GetWord(const IbData& data, uint32_t i)
{
    return static_cast<uint16_t>(IbBits::Get(data.data(), 16 * size_t{i}, 16));
}

void
IbBlock::SetWord(IbData& data, uint32_t i, uint16_t value)
{
    IbBits::Set(data.data(), 16 * size_t{i}, 16, value);
}

uint8_t
IbBlock::GetVl(const IbData& data, uint8_t sl)
{
    return static_cast<uint8_t>(IbBits::Get(data.data(), 4 * size_t{sl}, 4));
}

void
IbBlock::SetVl(IbData& data, uint8_t sl, uint8_t vl)
{
    IbBits::Set(data.data(), 4 * size_t{sl}, 4, vl);
}

} // namespace ns3
