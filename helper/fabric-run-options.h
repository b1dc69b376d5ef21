/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUN_OPTIONS_H
#define FABRIC_RUN_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/** @brief A monitor that the user switched on. */
struct FabricMonitorSpec
{
    std::string kind;              //!< "queue", "rate", "pause", "mark" or "cnp"
    int64_t intervalPs{10'000'000}; //!< time between samples, ps
    std::vector<std::string> nodes; //!< names of the nodes watched; empty: all

    /** @return all kinds */
    static std::vector<std::string> Kinds();

    /**
     * @brief Read "kind", "kind:interval" or "kind:interval:node,node".
     * @param text the text
     * @return what it says
     * @throws FabricError saying what is allowed
     */
    static FabricMonitorSpec Parse(const std::string& text);
};

/**
 * @ingroup ai-fabric
 * @brief Everything that can be asked of one run, with the main job's values as defaults.
 */
struct FabricRunOptions
{
    /** @brief What to do. */
    enum class Mode : uint8_t
    {
        FAT_TREE, //!< the main job: a fat-tree under a generated load
        FLOWS,    //!< topology and flows from files
        SCENARIO, //!< everything from a JSON file
        BENCH,    //!< the speed table
        HELP,     //!< print help
        VERSION   //!< print the version
    };

    Mode mode{Mode::FAT_TREE};          //!< what to do
    uint32_t k{8};                      //!< ports of a fat-tree switch
    uint64_t rateBps{100'000'000'000};  //!< link rate of the fat-tree, bits per second
    int64_t delayPs{1'000'000};         //!< link delay of the fat-tree, ps
    double load{0.5};                   //!< offered payload over the hosts' link capacity
    int64_t durationPs{5'000'000'000};  //!< how long flows arrive, ps
    std::string cdf{"websearch"};       //!< flow sizes: a built-in name or a file
    uint64_t maxFlows{0};               //!< keep only the first flows; 0 = all
    uint32_t seed{1};                   //!< seed of every random stream
    uint32_t run{1};                    //!< run number: other streams with the same seed
    std::string congestion{"dcqcn"};    //!< congestion control, or "none"
    std::string profile;                //!< its named profile; empty: its default
    std::string frameProfile{"rocev2"}; //!< how bytes are counted
    uint32_t payload{1000};             //!< payload bytes of a full packet
    bool pfc{true};                     //!< priority flow control
    bool ecn{true};                     //!< marking
    std::string topology;               //!< FLOWS: topology file
    std::string flows;                  //!< FLOWS: flow file
    std::string config;                 //!< FLOWS: configuration file
    std::string scenario;               //!< SCENARIO: JSON file
    bool check{false};                  //!< validate only
    std::string out;                    //!< results directory; empty: results/ and a name
    std::vector<std::string> attributes; //!< "ns3::Type::Attr=value"
    std::vector<FabricMonitorSpec> monitors; //!< monitors switched on
    int64_t stopPs{0};                  //!< stop here in any case, ps; 0 = when all flows are done
    int64_t stallPs{20'000'000'000};    //!< watchdog: no byte delivered for so long, ps
    bool progress{true};                //!< progress line on the error stream
    std::string row;                    //!< BENCH: only this row
    double scale{1};                    //!< BENCH: flow sizes times this
    std::string commandLine;            //!< as typed, for the manifest
    std::vector<std::string> given;     //!< names of the options typed

    /**
     * @param name option name
     * @return true if it was typed: it then outranks what an input file says
     */
    bool IsGiven(const std::string& name) const;

    /**
     * @brief Read a command line.
     * @param args arguments without the program's name
     * @return the options
     * @throws FabricError for an unknown option (with close matches) or a bad value
     */
    static FabricRunOptions Parse(const std::vector<std::string>& args);

    /** @return the text of --help */
    static std::string Help();
};

} // namespace ns3

#endif /* FABRIC_RUN_OPTIONS_H */
