/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUN_SCENARIO_H
#define FABRIC_RUN_SCENARIO_H

#include "fabric-run-options.h"
#include "fabric-topology.h"
#include "flow-list.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class HpccConfig;

/**
 * @ingroup ai-fabric
 * @brief What a run simulates, wherever it came from: generated, text files or JSON.
 */
struct FabricRunScenario
{
    /** @brief A link that fails or comes back. */
    struct LinkEvent
    {
        int64_t atPs{0};  //!< when, ps
        uint32_t link{0}; //!< link id
        bool up{false};   //!< new state
    };

    std::string name;                  //!< for the results directory
    std::vector<std::string> title;    //!< what it is, lines for people
    FabricTopology topology;           //!< the fabric
    FlowList flows;                    //!< the traffic
    std::vector<std::string> notes;    //!< what the user should know
    std::vector<std::string> inputs;   //!< files read, for the manifest
    std::vector<std::pair<std::string, std::string>> attributes; //!< "ns3::Type::Attr" and value
    std::vector<std::pair<uint64_t, std::vector<std::pair<std::string, std::string>>>>
        markerByRate;                  //!< marker attributes of ports of one rate (bit/s)
    std::vector<LinkEvent> linkEvents; //!< failures
    std::vector<FabricMonitorSpec> monitors; //!< monitors that the input asks for

    /**
     * @brief Read or generate, and check.
     * @param options in: what is asked for; out: what the input files set
     * @return the scenario
     * @throws FabricError for bad input
     */
    static FabricRunScenario Load(FabricRunOptions& options);

  private:
    void LoadFatTree(const FabricRunOptions& options);
    void LoadFiles(FabricRunOptions& options);
    void ApplyConfig(FabricRunOptions& options, const std::string& path);
    void ApplyConfigToTopology(const std::string& path);
    void ApplyEcnTable(const HpccConfig& config);
    void LoadJson(FabricRunOptions& options);
};

} // namespace ns3

#endif /* FABRIC_RUN_SCENARIO_H */
