/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef JSON_SECTION_H
#define JSON_SECTION_H

#include "fault-list.h"
#include "json-value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Takes an object of a JSON file apart; what is not taken in the end is an unknown key.
 *
 * Every Take method notes a fault with file, line, path of the key and what is allowed, and leaves
 * the target as it was if the key is absent or wrong.
 */
class JsonSection
{
  public:
    /**
     * @param value should be an object
     * @param path of the object for messages; "" for the whole file
     * @param file path for messages
     * @param faults gets faults
     */
    JsonSection(const JsonValue& value,
                const std::string& path,
                const std::string& file,
                FaultList& faults);

    /**
     * @param key its name
     * @param required note a fault if it is absent
     * @return the value, or null
     */
    const JsonValue* Take(const std::string& key, bool required = false);

    /**
     * @param key its name
     * @param target gets the string
     * @param required note a fault if it is absent
     */
    void TakeString(const std::string& key, std::string& target, bool required = false);

    /**
     * @param key its name
     * @param target gets the string
     * @param allowed values
     * @param required note a fault if it is absent
     */
    void TakeChoice(const std::string& key,
                    std::string& target,
                    const std::vector<std::string>& allowed,
                    bool required = false);

    /**
     * @param key its name
     * @param target gets the value
     */
    void TakeBool(const std::string& key, bool& target);

    /**
     * @brief A whole number in range.
     * @tparam T any unsigned integer
     * @param key its name
     * @param target gets the number
     * @param min least allowed
     * @param max greatest allowed
     * @param required note a fault if it is absent
     */
    template <typename T>
    void TakeWhole(const std::string& key,
                   T& target,
                   uint64_t min,
                   uint64_t max,
                   bool required = false)
    {
        uint64_t value = target;
        ReadWhole(key, value, min, max, required);
        target = static_cast<T>(value);
    }

    /**
     * @param key its name
     * @param target gets the number
     * @param min least allowed
     * @param max greatest allowed
     */
    void TakeReal(const std::string& key, double& target, double min, double max);

    /**
     * @param key its name
     * @param bps gets a rate with unit, bits per second
     */
    void TakeRate(const std::string& key, uint64_t& bps);

    /**
     * @param key its name
     * @param ps gets a time with unit, ps
     */
    void TakeTime(const std::string& key, int64_t& ps);

    /**
     * @param key its name
     * @param bytes gets a size with unit, bytes
     * @param required note a fault if it is absent
     */
    void TakeSize(const std::string& key, uint64_t& bytes, bool required = false);

    /**
     * @brief Note a fault at a key.
     * @param key its name
     * @param allowed what would have been right
     */
    void Fault(const std::string& key, const std::string& allowed);

    /** @brief Note a fault for every key that nobody took. */
    void Finish();

    /** @return line on which the object starts */
    uint32_t GetLine() const;

  private:
    /**
     * @param key its name
     * @param target gets the number
     * @param min least allowed
     * @param max greatest allowed
     * @param required note a fault if it is absent
     */
    void ReadWhole(const std::string& key,
                   uint64_t& target,
                   uint64_t min,
                   uint64_t max,
                   bool required);

    /**
     * @param key its name
     * @param kind wanted
     * @param required note a fault if it is absent
     * @return the value if it is there and of that kind, else null
     */
    const JsonValue* TakeKind(const std::string& key, JsonValue::Kind kind, bool required);

    const JsonValue& m_value;         //!< the object
    std::string m_path;               //!< for messages, with a dot at its end
    std::string m_file;               //!< for messages
    FaultList& m_faults;              //!< gets faults
    std::vector<std::string> m_asked; //!< keys that are known
};

} // namespace ns3

#endif /* JSON_SECTION_H */
