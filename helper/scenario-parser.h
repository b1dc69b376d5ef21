/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SCENARIO_PARSER_H
#define SCENARIO_PARSER_H

#include "fault-list.h"
#include "json-section.h"
#include "json-value.h"
#include "scenario-config.h"

#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Turns the JSON value of a scenario file into a ScenarioConfig.
 */
class ScenarioParser
{
  public:
    /**
     * @param root value of the whole file
     * @param file path for messages and relative paths
     */
    ScenarioParser(const JsonValue& root, const std::string& file);

    /**
     * @brief Do it; throws FabricError with all faults.
     * @return the scenario
     */
    ScenarioConfig Parse();

  private:
    /**
     * @param value of "topology"
     */
    void ParseTopology(const JsonValue& value);

    /**
     * @brief The parameters of the chosen builder.
     * @param section of "topology"
     */
    void ParseBuilder(JsonSection& section);

    /**
     * @param section of "topology"
     * @param key of a tier's links
     * @param link gets the values
     */
    void ParseLink(JsonSection& section,
                   const std::string& key,
                   FabricTopologyBuilder::TierLink& link);

    /**
     * @param value of "traffic", or of one of its items
     * @param path for messages
     */
    void ParseTraffic(const JsonValue& value, const std::string& path);

    /**
     * @param section of a source of flows
     * @param one gets the values
     */
    void ParseGenerator(JsonSection& section, ScenarioTraffic& one);

    /**
     * @param section of a source of flows
     * @param one gets the hosts
     */
    void ParseHosts(JsonSection& section, ScenarioTraffic& one);

    /**
     * @param value of "parameters"
     */
    void ParseParameters(const JsonValue& value);

    /**
     * @param value of "attributes"
     */
    void ParseAttributes(const JsonValue& value);

    /**
     * @param value of "outputs"
     */
    void ParseOutputs(const JsonValue& value);

    /**
     * @brief Turn what a check throws into a fault at the key.
     * @param section with the key
     * @param key its name
     * @param check throws FabricError for a bad value
     */
    static void Examine(JsonSection& section,
                        const std::string& key,
                        const std::function<void()>& check);

    /**
     * @param item one of "monitors"
     */
    void ExamineMonitor(const JsonValue& item);

    /**
     * @param path of a file named in the scenario
     * @return the same seen from the folder of the program
     */
    std::string Resolve(const std::string& path) const;

    const JsonValue m_root;  //!< value of the whole file
    std::string m_file;      //!< path
    FaultList m_faults;      //!< faults so far
    ScenarioConfig m_config; //!< result
};

} // namespace ns3

#endif /* SCENARIO_PARSER_H */
