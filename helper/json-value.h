/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A value of a JSON text that knows its line; members keep their order.
 */
struct JsonValue
{
    /** @brief JSON's types. */
    enum class Kind : uint8_t
    {
        NUL,
        BOOLEAN,
        NUMBER,
        STRING,
        ARRAY,
        OBJECT
    };

    Kind kind{Kind::NUL};         //!< type
    uint32_t line{0};             //!< line on which it starts
    std::string text;             //!< string decoded; number, true, false and null as written
    std::vector<JsonValue> items; //!< of an array
    std::vector<std::pair<std::string, JsonValue>> members; //!< of an object

    /** @return "a string", "an object", ... for messages */
    const char* GetKindName() const;

    /**
     * @param key name of a member
     * @return the member, or null
     */
    const JsonValue* Find(const std::string& key) const;
};

} // namespace ns3

#endif /* JSON_VALUE_H */
