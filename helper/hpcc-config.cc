/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hpcc-config.h"

#include "fabric-units.h"
#include "hpcc-config-rule.h"
#include "text-cursor.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

using Kind = HpccConfigRule::Kind;

constexpr uint64_t ECN_REFERENCE = 100'000'000'000; //!< bit/s at which thresholds are given
constexpr size_t MAX_KEYS = 1000;                   //!< keys in one file
constexpr uint64_t MAX_PAIRS = 1000;                //!< pairs in one map
constexpr int64_t LINK_DOWN_BASE = 2'000'000'000;   //!< ns: that line of simulators starts at 2 s

/**
 * @brief A number without unit becomes a time with unit.
 * @param cursor gets the fault
 * @param column of the number
 * @param unitPs ps of the unit
 * @param what unit, for the message
 * @return a time with unit
 */
std::string
ReadTime(TextCursor& cursor, size_t column, uint64_t unitPs, const std::string& what)
{
    const auto ps = FabricUnits::ScaleDecimal(cursor.Get(column), unitPs);
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    if (!ps)
    {
        // ASTRA-sim writes a stop time beyond 2^63 ps for "never".
        const auto value = FabricUnits::Real(cursor.Get(column));
        if (!value || *value < 0)
        {
            cursor.Fault(column, "allowed is a number of " + what + ", not negative, without unit");
            return "";
        }
    }
    return FabricUnits::TimeText(static_cast<int64_t>(std::min(ps.value_or(most), most)));
}

/**
 * @brief A number without unit becomes bytes.
 * @param cursor gets the fault
 * @param column of the number
 * @param unit bytes of the unit
 * @return bytes
 */
std::string
ReadBytes(TextCursor& cursor, size_t column, uint64_t unit)
{
    const auto bytes = FabricUnits::ScaleDecimal(cursor.Get(column), unit);
    if (!bytes)
    {
        cursor.Fault(column,
                     "allowed is a number of " + FabricUnits::SizeText(unit) +
                         " units, not negative, without unit");
    }
    return std::to_string(bytes.value_or(0));
}

/**
 * @brief A time and two nodes.
 * @param cursor gets faults
 * @return "2.00001s 3 4" in that form, or "" for the "0 0 0" that means never
 */
std::string
ReadLinkDown(TextCursor& cursor)
{
    const uint64_t micros = cursor.ReadWhole(1, 0, 1'000'000'000'000, "time in us");
    const uint64_t a = cursor.ReadWhole(2, 0, 1'000'000'000, "node id");
    const uint64_t b = cursor.ReadWhole(3, 0, 1'000'000'000, "node id");
    if (micros == 0 && a == 0 && b == 0)
    {
        return "";
    }
    const auto ps = static_cast<int64_t>(micros * 1'000'000 + LINK_DOWN_BASE * 1000);
    return FabricUnits::TimeText(ps) + " " + std::to_string(a) + " " + std::to_string(b);
}

/**
 * @brief Check the pairs of a map.
 * @param cursor gets faults
 */
void
CheckMap(TextCursor& cursor)
{
    const uint64_t pairs = cursor.ReadWhole(1, 1, MAX_PAIRS, "number of pairs");
    if (cursor.GetCount() != 2 + 2 * pairs)
    {
        cursor.Fault(std::min<size_t>(cursor.GetCount(), 2 + 2 * pairs),
                     std::to_string(pairs) + " pairs declared, " +
                         std::to_string((cursor.GetCount() - 2) / 2) +
                         " found: allowed are that many times: bit/s value");
        return;
    }
    for (size_t i = 2; i < cursor.GetCount(); i += 2)
    {
        const auto rate = FabricUnits::Rate(cursor.Get(i), true);
        if (!rate || *rate == 0)
        {
            cursor.Fault(i, std::string("link rate: allowed is ") + FabricUnits::BARE_RATE_FORMS);
        }
        cursor.ReadReal(i + 1, 0, 1e9, "KB or probability");
    }
}

/**
 * @param kind form of a value
 * @param count values of a map
 * @return values that a line has
 */
size_t
ValuesOf(Kind kind, size_t count)
{
    return kind == Kind::MAP ? std::max<size_t>(count, 1) : kind == Kind::LINK_DOWN ? 3 : 1;
}

/**
 * @brief Check and convert the values of a line.
 * @param cursor at the line; gets faults
 * @param kind form of the value
 * @return the value in our units
 */
std::string
Convert(TextCursor& cursor, Kind kind)
{
    const std::string text = cursor.Get(1);
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    switch (kind)
    {
    case Kind::TEXT:
        return text;
    case Kind::COUNT:
        return std::to_string(cursor.ReadWhole(1, 0, most, "value"));
    case Kind::FLAG:
        return std::to_string(cursor.ReadWhole(1, 0, 1, "switch"));
    case Kind::FRACTION:
        cursor.ReadReal(1, 0, 1, "value");
        return text;
    case Kind::REAL:
        cursor.ReadReal(1, -1e300, 1e300, "value");
        return text;
    case Kind::RATE:
        if (!FabricUnits::Rate(text))
        {
            cursor.Fault(1, std::string("allowed is ") + FabricUnits::RATE_FORMS);
        }
        return FabricUnits::RateText(FabricUnits::Rate(text).value_or(0));
    case Kind::SECONDS:
        return ReadTime(cursor, 1, 1'000'000'000'000, "seconds");
    case Kind::MICROS:
        return ReadTime(cursor, 1, 1'000'000, "microseconds");
    case Kind::NANOS:
        return ReadTime(cursor, 1, 1000, "nanoseconds");
    case Kind::KILOBYTES:
        return ReadBytes(cursor, 1, 1000);
    case Kind::MEBIBYTES:
        return ReadBytes(cursor, 1, 1 << 20);
    case Kind::MAP:
        CheckMap(cursor);
        return "";
    case Kind::LINK_DOWN:
        return ReadLinkDown(cursor);
    }
    return text;
}

/**
 * @param mode value of CC_MODE
 * @return the algorithm's name
 */
std::string
NameOfMode(const std::string& mode)
{
    return mode == "1"    ? "DCQCN"
           : mode == "3"  ? "HPCC"
           : mode == "7"  ? "TIMELY"
           : mode == "8"  ? "DCTCP"
           : mode == "10" ? "PINT"
                          : "unknown";
}

} // namespace

HpccConfig
HpccConfig::Read(TextCursor& cursor)
{
    HpccConfig config;
    config.m_name = cursor.GetName();
    while (cursor.Next())
    {
        const std::string& key = cursor.Get(0);
        const auto* rule = HpccConfigRule::Find(key);
        if (rule == nullptr)
        {
            cursor.Fault(0, "unknown key, allowed are the keys of HPCC configuration files");
            continue;
        }
        if (const auto* first = config.Find(key))
        {
            cursor.Fault(0, "key repeated, first in line " + std::to_string(first->line));
            continue;
        }
        if (config.m_settings.size() == MAX_KEYS)
        {
            cursor.Fail("more than " + std::to_string(MAX_KEYS) + " keys");
        }
        config.m_settings.push_back(ReadSetting(cursor, *rule));
    }
    if (config.m_settings.empty() && cursor.GetFaults().IsEmpty())
    {
        cursor.Fail("empty file, a configuration has lines such as: CC_MODE 1");
    }
    cursor.GetFaults().ThrowIfAny();
    config.ReadEcnTable(cursor);
    cursor.GetFaults().ThrowIfAny();
    config.Finish();
    return config;
}

HpccConfig::Setting
HpccConfig::ReadSetting(TextCursor& cursor, const HpccConfigRule& rule)
{
    Setting s;
    s.key = rule.key;
    s.line = cursor.GetLine();
    for (size_t i = 1; i < cursor.GetCount(); ++i)
    {
        s.values.push_back(cursor.Get(i));
    }
    if (s.values.size() != ValuesOf(rule.kind, s.values.size()))
    {
        cursor.Expect(1 + ValuesOf(rule.kind, s.values.size()),
                      rule.kind == Kind::LINK_DOWN ? "LINK_DOWN time a b" : s.key + " value");
        return s;
    }
    s.value = Convert(cursor, rule.kind);
    s.target = rule.target;
    s.reason = rule.reason;
    if (!s.target.empty())
    {
        s.status = Status::HONOURED;
    }
    else
    {
        s.status =
            *rule.builtIn != 0 && s.value == rule.builtIn ? Status::BUILT_IN : Status::NOT_HONOURED;
    }
    return s;
}

void
HpccConfig::ReadEcnTable(TextCursor& cursor)
{
    const char* const keys[] = {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"};
    for (size_t k = 0; k < 3; ++k)
    {
        const auto* map = Find(keys[k]);
        if (map == nullptr)
        {
            if (k > 0 && !m_ecn.empty())
            {
                cursor.GetFaults().Add(m_name, 0, keys[k], "missing: the ECN maps come together");
            }
            continue;
        }
        for (size_t i = 1; i + 1 < map->values.size(); i += 2)
        {
            const uint64_t rate = *FabricUnits::Rate(map->values[i], true);
            auto it = std::find_if(m_ecn.begin(), m_ecn.end(), [&](const EcnRow& row) {
                return row.rateBps == rate;
            });
            if (k > 0 && it == m_ecn.end())
            {
                cursor.GetFaults().Add(m_name,
                                       map->line,
                                       map->values[i],
                                       std::string(keys[k]) + ": this rate is not in KMIN_MAP");
                continue;
            }
            it = it == m_ecn.end() ? m_ecn.insert(it, {rate, 0, 0, 0}) : it;
            const std::string& text = map->values[i + 1];
            const uint64_t bytes = FabricUnits::ScaleDecimal(text, 1000).value_or(0);
            it->minBytes = k == 0 ? bytes : it->minBytes;
            it->maxBytes = k == 1 ? bytes : it->maxBytes;
            it->maxProbability = k == 2 ? *FabricUnits::Real(text) : it->maxProbability;
        }
    }
    std::sort(m_ecn.begin(), m_ecn.end(), [](const EcnRow& a, const EcnRow& b) {
        return a.rateBps < b.rateBps;
    });
    for (const auto& row : m_ecn)
    {
        if (row.maxBytes < row.minBytes || row.maxProbability > 1)
        {
            cursor.GetFaults().Add(m_name,
                                   0,
                                   FabricUnits::RateText(row.rateBps),
                                   "ECN maps: allowed are Kmin <= Kmax and Pmax <= 1");
        }
    }
}

void
HpccConfig::Finish()
{
    const EcnRow row = GetEcn(ECN_REFERENCE);
    for (auto& s : m_settings)
    {
        if (s.key == "CC_MODE")
        {
            const bool dcqcn = s.value == "1";
            s.reason = dcqcn ? "" : NameOfMode(s.value) + " (mode " + s.value + ") is not built in";
            s.status = dcqcn ? Status::HONOURED : Status::NOT_HONOURED;
            s.value = dcqcn ? "ns3::RdmaDcqcn" : s.value;
        }
        else if (s.key == "LINK_DOWN" && s.value.empty())
        {
            s.status = Status::BUILT_IN;
        }
        else if (s.key == "KMIN_MAP" || s.key == "KMAX_MAP" || s.key == "PMAX_MAP")
        {
            s.value = s.key == "KMIN_MAP"   ? std::to_string(row.minBytes)
                      : s.key == "KMAX_MAP" ? std::to_string(row.maxBytes)
                                            : s.values.back();
            if (!IsEcnTableLinear())
            {
                s.target = "run:ecn-table";
                s.value = std::to_string(m_ecn.size()) + " rates";
            }
        }
    }
}

const std::string&
HpccConfig::GetName() const
{
    return m_name;
}

const std::vector<HpccConfig::Setting>&
HpccConfig::GetSettings() const
{
    return m_settings;
}

const HpccConfig::Setting*
HpccConfig::Find(const std::string& key) const
{
    for (const auto& s : m_settings)
    {
        if (s.key == key)
        {
            return &s;
        }
    }
    return nullptr;
}

std::string
HpccConfig::GetTarget(const std::string& target, const std::string& otherwise) const
{
    for (const auto& s : m_settings)
    {
        if (s.target == target && s.status == Status::HONOURED)
        {
            return s.value;
        }
    }
    return otherwise;
}

std::vector<std::pair<std::string, std::string>>
HpccConfig::GetAttributes() const
{
    std::vector<std::pair<std::string, std::string>> attributes;
    for (const auto& s : m_settings)
    {
        if (s.status == Status::HONOURED && s.target.compare(0, 5, "ns3::") == 0)
        {
            attributes.emplace_back(s.target, s.value);
        }
    }
    const char* const reference = "ns3::RedEcnMarker::ReferenceRate";
    if (!m_ecn.empty() && IsEcnTableLinear())
    {
        attributes.emplace_back(reference, FabricUnits::RateText(ECN_REFERENCE));
    }
    else if (Find("KMIN") != nullptr || Find("KMAX") != nullptr)
    {
        attributes.emplace_back(reference, "0b/s"); // the same at every rate
    }
    return attributes;
}

const std::vector<HpccConfig::EcnRow>&
HpccConfig::GetEcnTable() const
{
    return m_ecn;
}

bool
HpccConfig::IsEcnTableLinear() const
{
    return std::all_of(m_ecn.begin(), m_ecn.end(), [&](const EcnRow& row) {
        using Wide = unsigned __int128;
        const EcnRow& base = m_ecn.front();
        return Wide{row.minBytes} * base.rateBps == Wide{base.minBytes} * row.rateBps &&
               Wide{row.maxBytes} * base.rateBps == Wide{base.maxBytes} * row.rateBps &&
               row.maxProbability == base.maxProbability;
    });
}

HpccConfig::EcnRow
HpccConfig::GetEcn(uint64_t rateBps) const
{
    const auto distance = [rateBps](const EcnRow& row) {
        return row.rateBps > rateBps ? row.rateBps - rateBps : rateBps - row.rateBps;
    };
    const auto nearest =
        std::min_element(m_ecn.begin(), m_ecn.end(), [&](const EcnRow& a, const EcnRow& b) {
            return distance(a) < distance(b);
        });
    if (nearest == m_ecn.end())
    {
        return {rateBps, 0, 0, 0};
    }
    const auto scale = [&](uint64_t bytes) {
        const auto wide = static_cast<unsigned __int128>(bytes) * rateBps / nearest->rateBps;
        constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
        return static_cast<uint64_t>(std::min<unsigned __int128>(wide, most));
    };
    return {rateBps, scale(nearest->minBytes), scale(nearest->maxBytes), nearest->maxProbability};
}

std::vector<std::string>
HpccConfig::ExplainNotHonoured() const
{
    std::vector<std::string> lines;
    for (const auto& s : m_settings)
    {
        if (s.status == Status::NOT_HONOURED)
        {
            std::string line = m_name + ":" + std::to_string(s.line) + ": " + s.key;
            for (const auto& value : s.values)
            {
                line += " " + FaultList::Printable(value);
            }
            lines.push_back(line + ": " + s.reason);
        }
    }
    return lines;
}

} // namespace ns3
