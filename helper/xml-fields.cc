/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "xml-fields.h"

#include "fabric-units.h"
#include "fault-list.h"

#include "ns3/fabric-error.h"

#include <limits>

namespace ns3
{

XmlFields::XmlFields(const std::string& name)
    : m_name(name)
{
}

void
XmlFields::Fail(uint32_t line, const std::string& token, const std::string& why) const
{
    throw FabricError::At(m_name, line, FaultList::Printable(token), why);
}

void
XmlFields::Unexpected(const XmlElement& at, const std::string& allowed) const
{
    Fail(at.line, "<" + at.name + ">", allowed);
}

std::optional<int64_t>
XmlFields::MaybeNumber(const XmlElement& at, const std::string& key, int64_t min, int64_t max) const
{
    const std::string* text = at.Find(key);
    if (text == nullptr)
    {
        return std::nullopt;
    }
    const bool negative = !text->empty() && (*text)[0] == '-';
    const auto value = FabricUnits::Whole(negative ? text->substr(1) : *text);
    const bool fits = value && *value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const int64_t number = fits ? static_cast<int64_t>(*value) * (negative ? -1 : 1) : 0;
    if (!fits || number < min || number > max)
    {
        Fail(at.line,
             *text,
             key + " of <" + at.name + ">: allowed is a whole number from " + std::to_string(min) +
                 " to " + std::to_string(max));
    }
    return number;
}

int64_t
XmlFields::Number(const XmlElement& at, const std::string& key, int64_t min, int64_t max) const
{
    const auto number = MaybeNumber(at, key, min, max);
    if (!number)
    {
        Unexpected(at, "the attribute " + key + " is missing");
    }
    return *number;
}

uint32_t
XmlFields::Hex(const XmlElement& at, const std::string& key, size_t digits) const
{
    const std::string* text = at.Find(key);
    if (text == nullptr)
    {
        return 0;
    }
    const bool good = text->size() > 2 && text->size() <= 2 + digits &&
                      text->compare(0, 2, "0x") == 0 &&
                      text->find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
    if (!good)
    {
        Fail(at.line,
             *text,
             key + " of <" + at.name + ">: allowed is 0x and 1 to " + std::to_string(digits) +
                 " hexadecimal digits");
    }
    return static_cast<uint32_t>(std::stoul(*text, nullptr, 16));
}

std::string
XmlFields::Text(const XmlElement& at, const std::string& key) const
{
    const std::string* text = at.Find(key);
    if (text == nullptr)
    {
        Unexpected(at, "the attribute " + key + " is missing");
    }
    if (text->empty() || text->size() > 60 || FaultList::Printable(*text) != *text)
    {
        Fail(at.line,
             *text,
             key + " of <" + at.name + ">: allowed are 1 to 60 printable characters");
    }
    return *text;
}

const XmlElement*
XmlFields::Child(const XmlElement& element, const std::string& name)
{
    for (const auto& child : element.children)
    {
        if (child.name == name)
        {
            return &child;
        }
    }
    return nullptr;
}

} // namespace ns3
