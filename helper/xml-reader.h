/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef XML_READER_H
#define XML_READER_H

#include "xml-element.h"

#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A strict reader of the XML that topology dumps use; names line and token of a fault.
 *
 * Elements, attributes, text, comments, processing instructions and a DOCTYPE that only names a
 * file (which is not opened). Definitions of entities are refused: they can multiply. Size, depth
 * and number of elements are limited before they cost memory or stack.
 */
class XmlReader
{
  public:
    static constexpr size_t MAX_BYTES = 64 << 20;       //!< longest text
    static constexpr uint32_t MAX_DEPTH = 64;           //!< elements inside each other
    static constexpr uint32_t MAX_ELEMENTS = 1'000'000; //!< elements in a text
    static constexpr size_t MAX_ATTRIBUTES = 64;        //!< of one element

    /**
     * @brief Read a file; throws FabricError at the first fault.
     * @param path the file
     * @return its root element
     */
    static XmlElement Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return its root element
     */
    static XmlElement Read(std::istream& in, const std::string& name);

  private:
    /**
     * @param text whole text
     * @param name path for messages
     */
    XmlReader(const std::string& text, const std::string& name);

    /** @brief Skip white space, comments, instructions and the DOCTYPE. */
    void SkipMisc();
    /** @brief Skip white space and count lines. */
    void SkipBlanks();
    /** @brief Skip up to and including a text that ends something. */
    void SkipPast(const std::string& end, const std::string& what);
    /** @brief Skip a DOCTYPE; one with definitions is refused. */
    void SkipDoctype();
    /** @return the element that starts here */
    XmlElement ReadElement(uint32_t depth);
    /** @brief Read the attributes of a start tag. */
    void ReadAttributes(XmlElement& element);
    /** @brief Read text and children up to the end tag. */
    void ReadContent(XmlElement& element, uint32_t depth);
    /** @return the name that starts here */
    std::string ReadName();
    /** @return the text up to one of two characters, entities decoded */
    std::string ReadText(char end, bool inTag);
    /** @return the character of the entity that starts here */
    char ReadEntity();
    /** @return true if the text goes on like this */
    bool StartsWith(const std::string& text) const;
    /** @return the present character, 0 at the end */
    char Peek() const;
    /** @brief Throw FabricError at the present place. */
    [[noreturn]] void Fail(const std::string& allowed) const;

    const std::string& m_text; //!< whole text
    std::string m_name;        //!< path for messages
    size_t m_at{0};            //!< present place
    uint32_t m_line{1};        //!< its line
    uint32_t m_elements{0};    //!< elements so far
};

} // namespace ns3

#endif /* XML_READER_H */
