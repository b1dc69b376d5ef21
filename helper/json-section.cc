/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json-section.h"

#include "fabric-units.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param words some words
 * @return them with commas
 */
std::string
Join(const std::vector<std::string>& words)
{
    std::string all;
    for (const auto& word : words)
    {
        all += (all.empty() ? "" : ", ") + word;
    }
    return all;
}

} // namespace

JsonSection::JsonSection(const JsonValue& value,
                         const std::string& path,
                         const std::string& file,
                         FaultList& faults)
    : m_value(value),
      m_path(path.empty() ? "" : path + "."),
      m_file(file),
      m_faults(faults)
{
    if (value.kind != JsonValue::Kind::OBJECT)
    {
        m_faults.Add(m_file,
                     value.line,
                     path,
                     std::string("an object { } is wanted, this is ") + value.GetKindName());
    }
}

const JsonValue*
JsonSection::Take(const std::string& key, bool required)
{
    m_asked.push_back(key);
    const JsonValue* value = m_value.Find(key);
    if (value == nullptr && required && m_value.kind == JsonValue::Kind::OBJECT)
    {
        m_faults.Add(m_file, m_value.line, m_path + key, "this key is missing");
    }
    return value;
}

const JsonValue*
JsonSection::TakeKind(const std::string& key, JsonValue::Kind kind, bool required)
{
    const JsonValue* value = Take(key, required);
    if (value != nullptr && value->kind != kind)
    {
        JsonValue wanted;
        wanted.kind = kind;
        Fault(key,
              std::string("allowed is ") + wanted.GetKindName() + ", this is " +
                  value->GetKindName());
        return nullptr;
    }
    return value;
}

void
JsonSection::Fault(const std::string& key, const std::string& allowed)
{
    const JsonValue* value = m_value.Find(key);
    const bool scalar = value != nullptr && value->kind != JsonValue::Kind::OBJECT &&
                        value->kind != JsonValue::Kind::ARRAY;
    m_faults.Add(m_file,
                 value != nullptr ? value->line : m_value.line,
                 scalar ? value->text : "",
                 FaultList::Printable(m_path + key) + ": " + allowed);
}

void
JsonSection::TakeString(const std::string& key, std::string& target, bool required)
{
    if (const auto* value = TakeKind(key, JsonValue::Kind::STRING, required))
    {
        target = value->text;
    }
}

void
JsonSection::TakeChoice(const std::string& key,
                        std::string& target,
                        const std::vector<std::string>& allowed,
                        bool required)
{
    const auto* value = TakeKind(key, JsonValue::Kind::STRING, required);
    if (value == nullptr)
    {
        return;
    }
    if (std::find(allowed.begin(), allowed.end(), value->text) == allowed.end())
    {
        Fault(key, "allowed are " + Join(allowed));
        return;
    }
    target = value->text;
}

void
JsonSection::TakeBool(const std::string& key, bool& target)
{
    if (const auto* value = TakeKind(key, JsonValue::Kind::BOOLEAN, false))
    {
        target = value->text == "true";
    }
}

void
JsonSection::ReadWhole(const std::string& key,
                       uint64_t& target,
                       uint64_t min,
                       uint64_t max,
                       bool required)
{
    const auto* value = TakeKind(key, JsonValue::Kind::NUMBER, required);
    if (value == nullptr)
    {
        return;
    }
    const auto number = FabricUnits::Whole(value->text);
    if (!number || *number < min || *number > max)
    {
        const bool open = max == std::numeric_limits<uint64_t>::max();
        Fault(key,
              "allowed is a whole number from " + std::to_string(min) + " to " +
                  (open ? "2^64-1" : std::to_string(max)));
        return;
    }
    target = *number;
}

void
JsonSection::TakeReal(const std::string& key, double& target, double min, double max)
{
    const auto* value = TakeKind(key, JsonValue::Kind::NUMBER, false);
    if (value == nullptr)
    {
        return;
    }
    const auto number = FabricUnits::Real(value->text);
    if (!number || *number < min || *number > max)
    {
        std::ostringstream text;
        text << "allowed is a number from " << min << " to " << max;
        Fault(key, text.str());
        return;
    }
    target = *number;
}

void
JsonSection::TakeRate(const std::string& key, uint64_t& bps)
{
    if (const auto* value = Take(key))
    {
        const auto rate = FabricUnits::Rate(value->text);
        if (value->kind != JsonValue::Kind::STRING || !rate)
        {
            Fault(key, std::string("allowed is \"") + FabricUnits::RATE_FORMS + "\"");
            return;
        }
        bps = *rate;
    }
}

void
JsonSection::TakeTime(const std::string& key, int64_t& ps)
{
    if (const auto* value = Take(key))
    {
        const auto time = FabricUnits::TimePs(value->text);
        if (value->kind != JsonValue::Kind::STRING || !time)
        {
            Fault(key, std::string("allowed is \"") + FabricUnits::TIME_FORMS + "\"");
            return;
        }
        ps = *time;
    }
}

void
JsonSection::TakeSize(const std::string& key, uint64_t& bytes, bool required)
{
    if (const auto* value = Take(key, required))
    {
        const auto size = FabricUnits::Size(value->text);
        if (value->kind != JsonValue::Kind::STRING || !size)
        {
            Fault(key, std::string("allowed is \"") + FabricUnits::SIZE_FORMS + "\"");
            return;
        }
        bytes = *size;
    }
}

void
JsonSection::Finish()
{
    for (const auto& [key, value] : m_value.members)
    {
        if (std::find(m_asked.begin(), m_asked.end(), key) == m_asked.end())
        {
            m_faults.Add(m_file,
                         value.line,
                         m_path + key,
                         "unknown key, allowed here are " + Join(m_asked));
        }
    }
}

uint32_t
JsonSection::GetLine() const
{
    return m_value.line;
}

} // namespace ns3
