/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef JSON_READER_H
#define JSON_READER_H

#include "json-value.h"

#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A strict JSON reader (RFC 8259) that names line and token of a fault.
 *
 * Size, depth and number of values are limited before they cost memory or stack. A key that is
 * repeated in an object is a fault: the standard leaves open which one counts.
 */
class JsonReader
{
  public:
    static constexpr size_t MAX_BYTES = 4 << 20;    //!< longest text
    static constexpr uint32_t MAX_DEPTH = 32;       //!< arrays and objects inside each other
    static constexpr size_t MAX_MEMBERS = 2000;     //!< keys in one object
    static constexpr uint32_t MAX_VALUES = 200'000; //!< values in a text

    /**
     * @brief Read a file; throws FabricError at the first fault.
     * @param path the file
     * @return its value
     */
    static JsonValue Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return its value
     */
    static JsonValue Read(std::istream& in, const std::string& name);

  private:
    /**
     * @param text whole text
     * @param name path for messages
     */
    JsonReader(const std::string& text, const std::string& name);

    /**
     * @param depth arrays and objects around it
     * @return the value at the present place
     */
    JsonValue ReadValue(uint32_t depth);

    /**
     * @param value gets the members
     * @param depth arrays and objects around it
     */
    void ReadObject(JsonValue& value, uint32_t depth);

    /**
     * @param value gets the items
     * @param depth arrays and objects around it
     */
    void ReadArray(JsonValue& value, uint32_t depth);

    /** @return the decoded string at the present place */
    std::string ReadString();

    /**
     * @brief Decode what follows a backslash.
     * @param out is extended
     */
    void ReadEscape(std::string& out);

    /** @return the four hexadecimal digits at the present place */
    uint32_t ReadHex();

    /**
     * @param value gets a number, true, false or null
     */
    void ReadWord(JsonValue& value);

    /** @brief Skip white space and count lines. */
    void Skip();

    /** @return the present character, 0 at the end */
    char Peek() const;

    /**
     * @brief Throw FabricError at the present place.
     * @param allowed what would have been right
     */
    [[noreturn]] void Fail(const std::string& allowed) const;

    const std::string& m_text; //!< whole text
    std::string m_name;        //!< path for messages
    size_t m_at{0};            //!< present place
    uint32_t m_line{1};        //!< its line
    uint32_t m_values{0};      //!< values so far
};

} // namespace ns3

#endif /* JSON_READER_H */
