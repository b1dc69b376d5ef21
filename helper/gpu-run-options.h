/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GPU_RUN_OPTIONS_H
#define GPU_RUN_OPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Everything that can be asked of the command `dgx`, which measures a GPU server.
 */
struct GpuRunOptions
{
    /** @brief A change to one bundle of links. */
    struct LinkChange
    {
        std::string a;       //!< part at one end
        std::string b;       //!< part at the other end
        uint64_t rateBps{0}; //!< new rate of each direction, bit/s; 0: the link is down
    };

    std::string model{"dgx-h100"};   //!< name of an assembly
    std::string file;                //!< NCCL XML, topo -m text or hwloc XML instead of a model
    std::vector<std::string> answers; //!< "question=answer" for what a file leaves open
    uint64_t bytes{64 << 20};        //!< size of a bandwidth transfer
    bool relay{false};               //!< GPUs forward between their GPU links
    std::vector<LinkChange> changes; //!< links slowed down or failed
    std::vector<std::string> attributes; //!< "ns3::Type::Attr=value"
    std::string pair;                //!< "A,B": sweep sizes between two parts instead
    uint64_t sweepFrom{4};           //!< smallest size of a sweep
    uint64_t sweepTo{256 << 20};     //!< largest size of a sweep
    bool check{false};               //!< print the server, measure nothing
    bool list{false};                //!< print the names of the assemblies
    bool help{false};                //!< print help
    std::string dot;                 //!< file for Graphviz
    std::string xml;                 //!< file for NCCL's XML
    std::string out;                 //!< directory for CSV files; empty: results/dgx-MODEL
    std::string commandLine;         //!< as typed

    /**
     * @brief Read a command line.
     * @param args arguments after "dgx"
     * @return the options
     * @throws FabricError for an unknown option or a bad value
     */
    static GpuRunOptions Parse(const std::vector<std::string>& args);

    /** @return the text of --help */
    static std::string Help();
};

} // namespace ns3

#endif /* GPU_RUN_OPTIONS_H */
