/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SCENARIO_CONFIG_H
#define SCENARIO_CONFIG_H

#include "chain-builder.h"
#include "dumbbell-builder.h"
#include "fat-tree-builder.h"
#include "flow-list.h"
#include "leaf-spine-builder.h"
#include "star-builder.h"

#include <cstdint>
#include <istream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/** @brief Which fabric a scenario runs on. */
struct ScenarioTopology
{
    std::string file;                   //!< path of a topology file; empty: the builder is used
    std::string format{"hpcc"};         //!< of the file: "hpcc" or "htsim" (.topo)
    std::string builder;                //!< "fat-tree", "leaf-spine", "dumbbell", "chain" or "star"
    FatTreeBuilder::Parameters fatTree; //!< used by "fat-tree"
    LeafSpineBuilder::Parameters leafSpine; //!< used by "leaf-spine"
    DumbbellBuilder::Parameters dumbbell;   //!< used by "dumbbell"
    ChainBuilder::Parameters chain;         //!< used by "chain"
    StarBuilder::Parameters star;           //!< used by "star"
};

/** @brief One source of flows. */
struct ScenarioTraffic
{
    uint32_t line{0};                  //!< line of its object in the file
    std::string file;                  //!< path of a flow file; empty: the generator is used
    std::string format{"hpcc"};        //!< of the file: "hpcc" or "htsim" (.cm, .tm)
    uint64_t payloadBytes{1000};       //!< of a packet, for files that count packets
    std::string generator;             //!< poisson, python-mt19937, permutation or incast
    std::string cdf{"WebSearch"};      //!< flow sizes: name or path
    double load{0.5};                  //!< payload offered per host / its rate
    uint64_t hostRateBps{0};           //!< of a host; 0: sum of the link rates of a host
    int64_t startPs{0};                //!< first start, ps
    int64_t durationPs{5'000'000'000}; //!< arrivals last so long, ps
    uint64_t bytes{0};                 //!< of each flow: permutation, incast
    uint32_t senders{0};               //!< incast
    uint32_t receiver{0};              //!< incast: node id
    uint64_t seed{0};                  //!< of the draws; 0: that of the scenario
    uint8_t priority{3};               //!< traffic class
    std::vector<uint32_t> hosts;       //!< that take part; empty: all
};

/**
 * @ingroup ai-fabric
 * @brief A whole run from one JSON file: topology, traffic, parameters, outputs, seed.
 *
 * Unknown and repeated keys, wrong types and missing units are refused with file and line. Paths
 * of input files are relative to the folder of the scenario, that of the results to the folder in
 * which the program runs.
 */
struct ScenarioConfig
{
    /** @brief An attribute and its value. */
    using Attribute = std::pair<std::string, std::string>;

    std::string file;                     //!< path as given
    std::string name;                     //!< for people; file name if absent
    ScenarioTopology topology;            //!< the fabric
    std::vector<ScenarioTraffic> traffic; //!< sources of flows, merged
    std::string congestion{"dcqcn"};      //!< congestion control, or "none"
    std::string profile;                  //!< its named profile; empty: its default
    std::string frameProfile{"rocev2"};   //!< how bytes are counted
    uint32_t payloadBytes{1000};          //!< payload of a full packet
    bool pfc{true};                       //!< priority flow control
    bool ecn{true};                       //!< marking
    int64_t stopPs{0};                    //!< stop here in any case, ps; 0: when all is done
    std::vector<std::string> given;       //!< command-line options that the file stands for
    std::string hpccConfig;               //!< path of an HPCC configuration; may be empty
    std::vector<Attribute> attributes;    //!< "ns3::Type::Attribute" and value with unit
    std::string outputDirectory;          //!< results; empty: the program's choice
    std::vector<std::string> monitors;    //!< "kind", "kind:interval", "kind:interval:nodes"
    uint64_t seed{1};                     //!< of every random stream
    uint64_t run{1};                      //!< other streams with the same seed

    /**
     * @brief Read a file; throws FabricError with all its faults.
     * @param path the file
     * @return the scenario
     */
    static ScenarioConfig Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages; its folder is that of relative paths
     * @return the scenario
     */
    static ScenarioConfig Read(std::istream& in, const std::string& name);

    /** @return paths of all files that the run reads, the scenario first */
    std::vector<std::string> GetInputs() const;

    /**
     * @brief Build or read the topology.
     * @param notes gets what the user should know; may be null
     * @return the fabric
     */
    FabricTopology MakeTopology(std::vector<std::string>* notes = nullptr) const;

    /**
     * @brief Generate or read all flows and check them against the topology.
     * @param fabric from MakeTopology()
     * @return the flows of all sources; source after source, each in its own order
     */
    FlowList MakeTraffic(const FabricTopology& fabric) const;

  private:
    /**
     * @param one a source of flows
     * @param fabric the topology
     * @return its flows
     */
    FlowList MakeOne(const ScenarioTraffic& one, const FabricTopology& fabric) const;
};

} // namespace ns3

#endif /* SCENARIO_CONFIG_H */
