/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef XML_FIELDS_H
#define XML_FIELDS_H

#include "xml-element.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Takes values out of XML elements; throws FabricError with file, line and token.
 */
class XmlFields
{
  public:
    /**
     * @param name path for messages
     */
    explicit XmlFields(const std::string& name);

    /**
     * @brief Throw a fault.
     * @param line of the element
     * @param token the offending text
     * @param why what would have been right
     */
    [[noreturn]] void Fail(uint32_t line, const std::string& token, const std::string& why) const;

    /**
     * @brief Throw a fault about an element that may not be here.
     * @param at the element
     * @param allowed what may be here
     */
    [[noreturn]] void Unexpected(const XmlElement& at, const std::string& allowed) const;

    /**
     * @param at an element
     * @param key an attribute that must be there
     * @param min least allowed
     * @param max greatest allowed
     * @return its value
     */
    int64_t Number(const XmlElement& at, const std::string& key, int64_t min, int64_t max) const;

    /**
     * @param at an element
     * @param key an attribute
     * @param min least allowed
     * @param max greatest allowed
     * @return its value, or nothing where there is no such attribute
     */
    std::optional<int64_t> MaybeNumber(const XmlElement& at,
                                       const std::string& key,
                                       int64_t min,
                                       int64_t max) const;

    /**
     * @param at an element
     * @param key an attribute: "0x10de"
     * @param digits most digits, at most 8
     * @return its value; 0 where there is no such attribute
     */
    uint32_t Hex(const XmlElement& at, const std::string& key, size_t digits) const;

    /**
     * @param at an element
     * @param key an attribute that must be there
     * @return its value: 1 to 60 printable characters
     */
    std::string Text(const XmlElement& at, const std::string& key) const;

    /**
     * @param element an element
     * @param name of a child
     * @return the first child of this name, or nothing
     */
    static const XmlElement* Child(const XmlElement& element, const std::string& name);

  private:
    std::string m_name; //!< path for messages
};

} // namespace ns3

#endif /* XML_FIELDS_H */
