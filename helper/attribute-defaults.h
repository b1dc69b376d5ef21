/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ATTRIBUTE_DEFAULTS_H
#define ATTRIBUTE_DEFAULTS_H

#include "ns3/attribute.h"
#include "ns3/object-base.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Attribute defaults that a user sets by text, checked before ns-3 parses them, and undone
 * when the object goes: a second run in the same process starts afresh.
 */
class AttributeDefaults
{
  public:
    /** @brief An attribute and its value in effect. */
    struct Entry
    {
        std::string name;  //!< attribute name
        std::string value; //!< as ns-3 prints it
        std::string unit;  //!< "time", "rate", "bytes", ...; may be empty
    };

    /** @brief "ns3::Type::Attribute=value" in its parts. */
    struct Assignment
    {
        std::string type;      //!< type name
        std::string attribute; //!< attribute name
        std::string value;     //!< value as text
    };

    AttributeDefaults() = default;
    ~AttributeDefaults();

    AttributeDefaults(const AttributeDefaults&) = delete;
    AttributeDefaults& operator=(const AttributeDefaults&) = delete;

    /**
     * @param assignment "ns3::Type::Attribute=value"
     * @return its parts
     * @throws FabricError for another form
     */
    static Assignment Split(const std::string& assignment);

    /**
     * @brief Set a default.
     * @param assignment "ns3::Type::Attribute=value"; bytes may be written "16MiB"
     * @throws FabricError for an unknown type or attribute (with close matches), for one that the
     *         helpers set themselves (with what to use instead) or a bad value
     */
    void Set(const std::string& assignment);

    /**
     * @brief Set a default.
     * @param type type name, "ns3::SwitchBuffer"
     * @param attribute attribute name
     * @param value value as text
     */
    void Set(const std::string& type, const std::string& attribute, const std::string& value);

    /**
     * @param type type name
     * @param attribute name of an attribute of it or of a parent
     * @return the attribute
     * @throws FabricError as Set(), for what does not exist and what the helpers set themselves
     */
    static TypeId::AttributeInformation Find(const std::string& type, const std::string& attribute);

    /**
     * @param type type name
     * @param attribute name of an attribute of it or of a parent
     * @return whether its default is not what the model declares: somebody asked for this value
     */
    static bool IsChanged(const std::string& type, const std::string& attribute);

    /**
     * @brief Turn a text into a value of an attribute, or refuse it.
     * @param info the attribute
     * @param path for the message
     * @param text the text
     * @return the checked value
     * @throws FabricError saying what is allowed
     */
    static Ptr<AttributeValue> Parse(const TypeId::AttributeInformation& info,
                                     const std::string& path,
                                     const std::string& text);

    /**
     * @brief Every plain attribute of an object, those of its parents included.
     * @param object the object
     * @return names, values and units
     */
    static std::vector<Entry> Effective(const ObjectBase& object);

    /**
     * @brief The unit of an attribute, from its type or the bracket in its help text.
     * @param info the attribute
     * @return "time", "rate", "bytes"...; empty for names and switches
     */
    static std::string UnitOf(const TypeId::AttributeInformation& info);

    /**
     * @brief Names that a mistyped one may have meant.
     * @param word what was typed
     * @param known what exists
     * @return at most three, the nearest first, as "'a', 'b'"; empty if none is near
     */
    static std::string CloseMatches(const std::string& word, const std::vector<std::string>& known);

  private:
    /** @brief Where an attribute is declared. */
    struct Place
    {
        TypeId tid;        //!< the type, or a parent of it
        std::size_t index; //!< there
    };

    static Place PlaceOf(const std::string& type, const std::string& attribute);

    /** @brief A default that was replaced. */
    struct Saved
    {
        TypeId tid;                     //!< type that declares it
        std::size_t index;              //!< its place there
        Ptr<const AttributeValue> value; //!< earlier default
    };

    std::vector<Saved> m_saved; //!< in order of replacement
};

} // namespace ns3

#endif /* ATTRIBUTE_DEFAULTS_H */
