/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "attribute-defaults.h"

#include "fabric-units.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-error.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace ns3
{

namespace
{
/** Number of single-letter edits between two words, letter case apart. */
size_t
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i)
    {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j)
        {
            const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                              std::tolower(static_cast<unsigned char>(b[j - 1]));
            const size_t best =
                std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.size()];
}

/** Names of all our types. */
std::vector<std::string>
OurTypes()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() == "AiFabric")
        {
            names.push_back(tid.GetName());
        }
    }
    return names;
}

std::string
Suggest(const std::string& word, const std::vector<std::string>& known)
{
    const std::string close = AttributeDefaults::CloseMatches(word, known);
    return close.empty() ? "" : "; did you mean " + close + "?";
}

/** @brief An attribute that the helpers set on every object; no name: all of the type. */
struct Taken
{
    const char* type;      //!< type name
    const char* attribute; //!< attribute name
    const char* instead;   //!< who says it
};

const Taken TAKEN[] = {
    {"ns3::FabricChannel", "", "every link has its rate, delay and error rate from the topology"},
    {"ns3::CreditFlowControl", "Buffer", "every port has the buffer of its link profile"},
    {"ns3::NvSwitch", "PipelineLatency", "it is ns3::NvSwitch::CrossbarLatency"},
    {"ns3::MemoryDevice", "MemoryBytes", "the server says how much memory each part has"},
    {"ns3::MemoryDevice", "Relay", "GpuServerHelper::SetRelay(), or --relay, says who forwards"},
};

/** Units that help texts name. */
const char* const UNITS[] = {"bytes", "B", "fraction", "probability", "512-bit times", "packets",
                             "bit mask", "requests per second"};

/** Some checkers of ns-3 name their value with its namespace, some without. */
bool
IsTypeName(const std::string& checker, const char* name)
{
    return checker == name || checker == std::string("ns3::") + name;
}

/** A value as people write it: "50us" and "40Mb/s" rather than "+5e+07ps" and "40000000bps". */
std::string
ValueText(const ObjectBase& object, const TypeId::AttributeInformation& info)
{
    const std::string kind = info.checker->GetValueTypeName();
    if (IsTypeName(kind, "TimeValue"))
    {
        TimeValue time;
        object.GetAttribute(info.name, time);
        const int64_t ps = time.Get().GetPicoSeconds();
        return (ps < 0 ? "-" : "") + FabricUnits::TimeText(ps < 0 ? -ps : ps);
    }
    if (IsTypeName(kind, "DataRateValue"))
    {
        DataRateValue rate;
        object.GetAttribute(info.name, rate);
        return FabricUnits::RateText(rate.Get().GetBitRate());
    }
    StringValue text;
    object.GetAttribute(info.name, text);
    const std::string value = text.Get();
    return IsTypeName(kind, "TypeIdValue") ? value.substr(0, value.find(' ')) : value;
}

/** An attribute that holds other objects or functions: ns-3 cannot read one from a text. */
bool
HasNoText(const std::string& kind)
{
    return IsTypeName(kind, "PointerValue") || IsTypeName(kind, "ObjectPtrContainerValue") ||
           IsTypeName(kind, "CallbackValue");
}

/**
 * A text as ns-3 parses it without aborting. Empty `allowed` means that it is fit.
 */
std::string
PlainText(const std::string& kind, const std::string& text, std::string& allowed)
{
    const bool negative = !text.empty() && text[0] == '-';
    const std::string digits = negative ? text.substr(1) : text;
    const std::string sign = negative ? "-" : "";
    if (IsTypeName(kind, "TimeValue"))
    {
        const auto ps = FabricUnits::TimePs(digits);
        allowed = ps ? "" : FabricUnits::TIME_FORMS;
        return ps ? sign + std::to_string(*ps) + "ps" : "";
    }
    if (IsTypeName(kind, "DataRateValue"))
    {
        const auto bps = FabricUnits::Rate(text);
        allowed = bps ? "" : FabricUnits::RATE_FORMS;
        return bps ? std::to_string(*bps) + "bps" : "";
    }
    if (IsTypeName(kind, "UintegerValue"))
    {
        const auto whole = FabricUnits::Size(text, 0, true);
        allowed = whole ? "" : "a whole number, or a size such as 16MiB";
        return whole ? std::to_string(*whole) : "";
    }
    if (IsTypeName(kind, "IntegerValue"))
    {
        allowed = FabricUnits::Whole(digits) ? "" : "a whole number";
    }
    else if (IsTypeName(kind, "DoubleValue"))
    {
        allowed = FabricUnits::Real(text) ? "" : "a number";
    }
    else if (IsTypeName(kind, "BooleanValue"))
    {
        const bool good = text == "true" || text == "false" || text == "1" || text == "0";
        allowed = good ? "" : "true or false";
    }
    else if (IsTypeName(kind, "TypeIdValue"))
    {
        TypeId tid;
        const bool good = TypeId::LookupByNameFailSafe(text, &tid);
        allowed = good ? "" : "the name of a type" + Suggest(text, OurTypes());
    }
    return text;
}
} // namespace

AttributeDefaults::~AttributeDefaults()
{
    for (auto it = m_saved.rbegin(); it != m_saved.rend(); ++it)
    {
        it->tid.SetAttributeInitialValue(it->index, it->value);
    }
}

std::string
AttributeDefaults::CloseMatches(const std::string& word, const std::vector<std::string>& known)
{
    std::vector<std::pair<size_t, std::string>> near;
    for (const auto& name : known)
    {
        const size_t distance = EditDistance(word, name);
        const bool part = word.size() >= 3 && name.find(word) != std::string::npos;
        if (distance <= std::max<size_t>(2, name.size() / 4) || part)
        {
            near.emplace_back(distance, name);
        }
    }
    std::sort(near.begin(), near.end());
    std::string text;
    for (size_t i = 0; i < near.size() && i < 3; ++i)
    {
        text += (i == 0 ? "'" : ", '") + near[i].second + "'";
    }
    return text;
}

Ptr<AttributeValue>
AttributeDefaults::Parse(const TypeId::AttributeInformation& info,
                         const std::string& path,
                         const std::string& text)
{
    if (HasNoText(info.checker->GetValueTypeName()))
    {
        throw FabricError(path + ": '" + text + "': this attribute holds an object, which a text "
                          "cannot give; allowed are numbers, times, rates, true or false, and "
                          "names of types");
    }
    std::string allowed;
    const std::string plain = PlainText(info.checker->GetValueTypeName(), text, allowed);
    if (!allowed.empty())
    {
        throw FabricError(path + ": '" + text + "' is not " + allowed);
    }
    Ptr<AttributeValue> value;
    try
    {
        value = info.checker->CreateValidValue(StringValue(plain));
    }
    catch (const FabricError& error)
    {
        throw FabricError(path + ": " + error.what());
    }
    if (!value)
    {
        const std::string range = info.checker->GetUnderlyingTypeInformation();
        throw FabricError(path + ": '" + text + "' is out of range; allowed: " + range + " (" +
                          info.help + ")");
    }
    return value;
}

AttributeDefaults::Assignment
AttributeDefaults::Split(const std::string& assignment)
{
    const size_t equals = assignment.find('=');
    const size_t colons = assignment.rfind("::", equals);
    if (equals == std::string::npos || colons == std::string::npos || colons == 0)
    {
        throw FabricError("attribute '" + assignment + "': written as ns3::Type::Attribute=value");
    }
    return {assignment.substr(0, colons),
            assignment.substr(colons + 2, equals - colons - 2),
            assignment.substr(equals + 1)};
}

void
AttributeDefaults::Set(const std::string& assignment)
{
    const Assignment parts = Split(assignment);
    Set(parts.type, parts.attribute, parts.value);
}

AttributeDefaults::Place
AttributeDefaults::PlaceOf(const std::string& type, const std::string& attribute)
{
    for (const auto& [takenType, takenAttribute, instead] : TAKEN)
    {
        if (type == takenType && (attribute == takenAttribute || *takenAttribute == '\0'))
        {
            throw FabricError("attribute '" + type + "::" + attribute +
                              "': a default for it would have no effect, as " + instead);
        }
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(type, &tid))
    {
        throw FabricError("attribute '" + type + "::" + attribute + "': no type '" + type + "'" +
                          Suggest(type, OurTypes()));
    }
    std::vector<std::string> known;
    for (TypeId t = tid; true; t = t.GetParent())
    {
        for (std::size_t i = 0; i < t.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation info = t.GetAttribute(i);
            known.push_back(info.name);
            if (info.name == attribute)
            {
                return {t, i};
            }
        }
        if (!t.HasParent() || t.GetParent() == t)
        {
            break;
        }
    }
    const std::string meant = Suggest(attribute, known);
    std::string all;
    for (const auto& name : known)
    {
        all += (all.empty() ? "" : ", ") + name;
    }
    throw FabricError("attribute '" + type + "::" + attribute + "': " + type + " has no '" +
                      attribute + "'" + meant + (meant.empty() ? "; it has: " : " It has: ") + all);
}

TypeId::AttributeInformation
AttributeDefaults::Find(const std::string& type, const std::string& attribute)
{
    const Place place = PlaceOf(type, attribute);
    return place.tid.GetAttribute(place.index);
}

bool
AttributeDefaults::IsChanged(const std::string& type, const std::string& attribute)
{
    const TypeId::AttributeInformation info = Find(type, attribute);
    return info.initialValue->SerializeToString(info.checker) !=
           info.originalInitialValue->SerializeToString(info.checker);
}

void
AttributeDefaults::Set(const std::string& type,
                       const std::string& attribute,
                       const std::string& value)
{
    Place place = PlaceOf(type, attribute);
    const TypeId::AttributeInformation info = place.tid.GetAttribute(place.index);
    Ptr<AttributeValue> parsed = Parse(info, type + "::" + attribute, value);
    m_saved.push_back({place.tid, place.index, info.initialValue});
    place.tid.SetAttributeInitialValue(place.index, parsed);
}

std::string
AttributeDefaults::UnitOf(const TypeId::AttributeInformation& info)
{
    const std::string kind = info.checker->GetValueTypeName();
    if (IsTypeName(kind, "TimeValue"))
    {
        return "time";
    }
    if (IsTypeName(kind, "DataRateValue"))
    {
        return "rate";
    }
    if (IsTypeName(kind, "BooleanValue") || IsTypeName(kind, "StringValue"))
    {
        return "";
    }
    // the help text names the unit in a bracket, or behind a comma, before the word "Default"
    const std::string help = info.help.substr(0, info.help.find("Default"));
    size_t found = std::string::npos;
    std::string first;
    for (const char* unit : UNITS)
    {
        for (const std::string& form : {std::string("(") + unit, std::string(", ") + unit})
        {
            const size_t at = help.find(form);
            const char after = at == std::string::npos ? 'x' : (help + " ")[at + form.size()];
            if (at < found && !std::isalnum(static_cast<unsigned char>(after)))
            {
                found = at;
                first = unit;
            }
        }
    }
    return first == "B" ? "bytes" : first;
}

std::vector<AttributeDefaults::Entry>
AttributeDefaults::Effective(const ObjectBase& object)
{
    std::vector<Entry> entries;
    for (TypeId t = object.GetInstanceTypeId(); true; t = t.GetParent())
    {
        for (std::size_t i = 0; i < t.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation info = t.GetAttribute(i);
            const std::string kind = info.checker->GetValueTypeName();
            const bool readable = (info.flags & TypeId::ATTR_GET) && info.accessor->HasGetter();
            if (!readable || HasNoText(kind))
            {
                continue;
            }
            entries.push_back({info.name, ValueText(object, info), UnitOf(info)});
        }
        if (!t.HasParent() || t.GetParent() == t)
        {
            break;
        }
    }
    return entries;
}

} // namespace ns3
