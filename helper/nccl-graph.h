/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NCCL_GRAPH_H
#define NCCL_GRAPH_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A communication graph of NCCL (NCCL_GRAPH_FILE, NCCL_GRAPH_DUMP_FILE): in which order the
 * channels of an algorithm visit GPUs and NICs.
 */
class NcclGraph
{
  public:
    /** @brief A place that a channel visits. */
    struct Stop
    {
        bool isNet{false}; //!< a NIC, else a GPU
        uint32_t dev{0};   //!< its number in the topology
    };

    /** @brief A channel: its stops in order. */
    using Channel = std::vector<Stop>;

    static constexpr uint32_t MAX_CHANNELS = 4096; //!< most channels of a graph

    uint32_t id{0};                //!< 0 ring, 1 tree, 2 CollNet, 3 NVLS in NCCL's order
    uint32_t pattern{0};           //!< 1 to 3 trees, 4 ring, 5 and 6 NVLS and CollNet
    double speedIntra{0};          //!< GB/s of a channel inside the server
    double speedInter{0};          //!< GB/s of a channel between servers
    std::string typeIntra;         //!< worst connection inside: "SYS", "NVL"
    std::string typeInter;         //!< worst connection to the NIC
    std::vector<Channel> channels; //!< in order

    /**
     * @param channel a channel
     * @return the GPUs that it visits, in order
     */
    static std::vector<uint32_t> GetGpus(const Channel& channel);

    /**
     * @brief Read a file; throws FabricError for a bad one.
     * @param path the file
     * @return its graphs
     */
    static std::vector<NcclGraph> Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return its graphs
     */
    static std::vector<NcclGraph> Read(std::istream& in, const std::string& name);
};

} // namespace ns3

#endif /* NCCL_GRAPH_H */
