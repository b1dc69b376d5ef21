/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef XML_ELEMENT_H
#define XML_ELEMENT_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief An element of an XML text, and the line that it starts in.
 */
struct XmlElement
{
    std::string name;                                            //!< of the element
    uint32_t line{0};                                            //!< 1-based
    std::vector<std::pair<std::string, std::string>> attributes; //!< in order of the text
    std::vector<XmlElement> children;                            //!< in order of the text
    std::string text;                                            //!< its own characters

    /**
     * @param key name of an attribute
     * @return its value, or nothing
     */
    const std::string* Find(const std::string& key) const
    {
        for (const auto& attribute : attributes)
        {
            if (attribute.first == key)
            {
                return &attribute.second;
            }
        }
        return nullptr;
    }

    /**
     * @param key name of an attribute
     * @return its value; empty if there is none
     */
    std::string Get(const std::string& key) const
    {
        const std::string* value = Find(key);
        return value == nullptr ? std::string() : *value;
    }
};

} // namespace ns3

#endif /* XML_ELEMENT_H */
