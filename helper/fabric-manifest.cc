/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-manifest.h"

#include "file-digest.h"

#include <cstdio>

#ifndef AI_FABRIC_NS3_VERSION
#define AI_FABRIC_NS3_VERSION ""
#endif

namespace ns3
{

std::string
FabricManifest::Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (unsigned char c : text)
    {
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += static_cast<char>(c);
        }
        else if (c < 0x20)
        {
            char code[8];
            std::snprintf(code, sizeof(code), "\\u%04x", c);
            quoted += code;
        }
        else
        {
            quoted += static_cast<char>(c);
        }
    }
    return quoted + "\"";
}

std::string
FabricManifest::Version()
{
    return AI_FABRIC_VERSION;
}

std::string
FabricManifest::Ns3Version()
{
    const std::string version = AI_FABRIC_NS3_VERSION;
    return version.empty() ? "unknown" : version;
}

std::string
FabricManifest::BuildType()
{
    const std::string type = AI_FABRIC_BUILD_TYPE;
    return type.empty() ? "unknown" : type;
}

void
FabricManifest::Set(const std::string& key, const std::string& value)
{
    m_top.emplace_back(key, Quote(value));
}

void
FabricManifest::SetNumber(const std::string& key, uint64_t value)
{
    m_top.emplace_back(key, std::to_string(value));
}

void
FabricManifest::AddInput(const std::string& path)
{
    m_inputs.emplace_back(path, FileDigest::OfFile(path));
}

void
FabricManifest::AddPart(const Part& part)
{
    m_parts.emplace_back(part.object->GetInstanceTypeId().GetName(),
                         AttributeDefaults::Effective(*part.object));
}

std::string
FabricManifest::ToJson() const
{
    std::string json = "{\n";
    for (const auto& [key, value] : m_top)
    {
        json += "  " + Quote(key) + ": " + value + ",\n";
    }
    json += "  \"inputs\": [";
    for (size_t i = 0; i < m_inputs.size(); ++i)
    {
        json += std::string(i == 0 ? "" : ",") + "\n    {\"path\": " + Quote(m_inputs[i].first) +
                ", \"sha256\": " + Quote(m_inputs[i].second) + "}";
    }
    json += std::string(m_inputs.empty() ? "" : "\n  ") + "],\n  \"attributes\": {";
    for (size_t i = 0; i < m_parts.size(); ++i)
    {
        json += std::string(i == 0 ? "" : ",") + "\n    " + Quote(m_parts[i].first) + ": {";
        const auto& entries = m_parts[i].second;
        for (size_t j = 0; j < entries.size(); ++j)
        {
            json += std::string(j == 0 ? "" : ",") + "\n      " + Quote(entries[j].name) +
                    ": {\"value\": " + Quote(entries[j].value) +
                    ", \"unit\": " + Quote(entries[j].unit) + "}";
        }
        json += entries.empty() ? "}" : "\n    }";
    }
    return json + "\n  }\n}\n";
}

} // namespace ns3
