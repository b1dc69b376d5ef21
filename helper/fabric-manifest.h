/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_MANIFEST_H
#define FABRIC_MANIFEST_H

#include "attribute-defaults.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Everything needed to repeat a run, as JSON: program, command, seeds, inputs with their
 * SHA-256, every attribute in effect with its unit, and the digests of the result.
 */
class FabricManifest
{
  public:
    /** @brief An object whose attributes count, and what it is one of. */
    struct Part
    {
        std::string what;       //!< "NIC", "switch buffer"
        Ptr<const Object> object; //!< one for all of its kind
    };

    /**
     * @brief Add a text at the top level.
     * @param key key
     * @param value value
     */
    void Set(const std::string& key, const std::string& value);

    /**
     * @brief Add a number at the top level.
     * @param key key
     * @param value value
     */
    void SetNumber(const std::string& key, uint64_t value);

    /**
     * @brief Add an input file, with its digest.
     * @param path the file
     */
    void AddInput(const std::string& path);

    /**
     * @brief Add all attributes of an object.
     * @param part the object
     */
    void AddPart(const Part& part);

    /** @return the JSON text */
    std::string ToJson() const;

    /**
     * @param text any text
     * @return it as a JSON string, quotes included
     */
    static std::string Quote(const std::string& text);

    /** @return version of this module */
    static std::string Version();

    /** @return version of ns-3, "unknown" where the build did not tell */
    static std::string Ns3Version();

    /** @return "Release", "Debug"... */
    static std::string BuildType();

  private:
    std::vector<std::pair<std::string, std::string>> m_top;  //!< key and JSON value
    std::vector<std::pair<std::string, std::string>> m_inputs; //!< path and digest
    /** type, what it is, attributes */
    std::vector<std::pair<std::string, std::vector<AttributeDefaults::Entry>>> m_parts;
};

} // namespace ns3

#endif /* FABRIC_MANIFEST_H */
