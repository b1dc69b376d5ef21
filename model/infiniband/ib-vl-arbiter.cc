/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-vl-arbiter.h"

#include "ns3/fabric-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbVlArbiter);

namespace
{
constexpr uint8_t MANAGEMENT = 15;       //!< the VL before all others
constexpr uint32_t WEIGHT_UNIT = 64;     //!< bytes
constexpr uint32_t LIMIT_UNIT = 4096;    //!< bytes
constexpr uint8_t NO_LIMIT = 255;        //!< HighLimit: none
} // namespace

TypeId
IbVlArbiter::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbVlArbiter")
            .SetParent<PortScheduler>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbVlArbiter>()
            .AddAttribute("High",
                          "High-priority table, \"vl:weight,vl:weight...\", up to 64 entries, "
                          "weights 0 to 255 in units of 64 bytes. Default: empty.",
                          StringValue(""),
                          MakeStringAccessor(&IbVlArbiter::SetHigh, &IbVlArbiter::GetHigh),
                          MakeStringChecker())
            .AddAttribute("Low",
                          "Low-priority table, as High. Default: all data VLs with the same "
                          "weight, one frame of 4096 bytes.",
                          StringValue("0:64,1:64,2:64,3:64,4:64,5:64,6:64,7:64,8:64,9:64,10:64,"
                                      "11:64,12:64,13:64,14:64"),
                          MakeStringAccessor(&IbVlArbiter::SetLow, &IbVlArbiter::GetLow),
                          MakeStringChecker())
            .AddAttribute("HighLimit",
                          "What high-priority VLs may send before a low-priority frame that waits "
                          "(units of 4096 bytes); 0: one frame, 255: no limit. Default: 0, as "
                          "ports have it until a subnet manager sets another.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbVlArbiter::m_limit),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

void
IbVlArbiter::SetHigh(const std::string& text)
{
    m_high.Set("ns3::IbVlArbiter::High", text);
}

void
IbVlArbiter::SetLow(const std::string& text)
{
    m_low.Set("ns3::IbVlArbiter::Low", text);
}

std::string
IbVlArbiter::GetHigh() const
{
    return m_high.Format();
}

std::string
IbVlArbiter::GetLow() const
{
    return m_low.Format();
}

void
IbVlArbiter::Table::Set(const std::string& attribute, const std::string& text)
{
    std::vector<Entry> read;
    FabricMask mask = 0;
    for (size_t at = 0; at < text.size();)
    {
        const size_t end = std::min(text.find(',', at), text.size());
        const std::string token = text.substr(at, end - at);
        uint32_t numbers[2] = {0, 0};
        size_t digits[2] = {0, 0};
        int part = 0;
        bool good = end + 1 != text.size();
        for (char c : token)
        {
            if (c == ':' && part == 0)
            {
                part = 1;
                continue;
            }
            good = good && c >= '0' && c <= '9' && ++digits[part] <= 3;
            numbers[part] = numbers[part] * 10 + static_cast<uint32_t>(c - '0');
        }
        if (!good || digits[0] == 0 || digits[1] == 0 || numbers[0] >= MANAGEMENT ||
            numbers[1] > 255)
        {
            throw FabricError(attribute + ": '" + token +
                              "' is no entry; allowed: vl:weight with VL 0 to 14 and weight 0 to "
                              "255, separated by commas");
        }
        Entry entry;
        entry.vl = static_cast<uint8_t>(numbers[0]);
        entry.weight = static_cast<uint8_t>(numbers[1]);
        read.push_back(entry);
        mask |= entry.weight > 0 ? 1U << entry.vl : 0;
        at = end + 1;
    }
    if (read.size() > MAX_ENTRIES)
    {
        throw FabricError(attribute + ": " + std::to_string(read.size()) +
                          " entries; allowed: up to 64");
    }
    entries = read;
    vls = mask;
    current = 0;
    if (!entries.empty())
    {
        entries[0].left = entries[0].weight;
    }
}

std::string
IbVlArbiter::Table::Format() const
{
    std::string text;
    for (const Entry& entry : entries)
    {
        text += (text.empty() ? "" : ",") + std::to_string(entry.vl) + ":" +
                std::to_string(entry.weight);
    }
    return text;
}

uint8_t
IbVlArbiter::Table::Pick(FabricMask ready)
{
    while (!((ready >> entries[current].vl) & 1) || entries[current].left <= 0)
    {
        current = (current + 1) % entries.size();
        // what was left of the last turn is gone, what was taken too much is not
        entries[current].left = std::min(entries[current].left, 0) + entries[current].weight;
    }
    return entries[current].vl;
}

uint8_t
IbVlArbiter::DoSelect(FabricMask ready)
{
    m_chosen = nullptr;
    if ((ready >> MANAGEMENT) & 1)
    {
        return MANAGEMENT;
    }
    const bool high = (ready & m_high.vls) != 0;
    const bool low = (ready & m_low.vls) != 0;
    const bool limited = m_limit != NO_LIMIT && m_highBytes > 0 &&
                         m_highBytes >= uint32_t{m_limit} * LIMIT_UNIT;
    if (high && !(low && limited))
    {
        m_chosen = &m_high;
        return m_high.Pick(ready);
    }
    if (low)
    {
        m_chosen = &m_low;
        return m_low.Pick(ready);
    }
    return static_cast<uint8_t>(__builtin_ctz(ready));
}

void
IbVlArbiter::DoOnSent(uint8_t, uint32_t bytes)
{
    if (m_chosen == nullptr)
    {
        return;
    }
    Table& table = *m_chosen;
    table.entries[table.current].left -=
        static_cast<int32_t>((bytes + WEIGHT_UNIT - 1) / WEIGHT_UNIT);
    m_highBytes = m_chosen == &m_high ? m_highBytes + bytes : 0;
}

} // namespace ns3
