/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json-value.h"

namespace ns3
{

const char*
JsonValue::GetKindName() const
{
    switch (kind)
    {
    case Kind::NUL:
        return "null";
    case Kind::BOOLEAN:
        return "true or false";
    case Kind::NUMBER:
        return "a number";
    case Kind::STRING:
        return "a string";
    case Kind::ARRAY:
        return "an array";
    case Kind::OBJECT:
        return "an object";
    }
    return "";
}

const JsonValue*
JsonValue::Find(const std::string& key) const
{
    for (const auto& [name, value] : members)
    {
        if (name == key)
        {
            return &value;
        }
    }
    return nullptr;
}

} // namespace ns3
