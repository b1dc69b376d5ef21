/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_BUILDER_H
#define SERVER_BUILDER_H

#include "server-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Puts servers together from parts: the way to a server of one's own.
 *
 * Every device added below a CPU or PCIe switch gets that parent's chassis and NUMA node. Parts
 * below a CPU share host bridge 0 unless NextHostBridge() was called before.
 */
class ServerBuilder
{
  public:
    /** @return the server so far */
    ServerTopology& GetTopology();

    /**
     * @brief Parts added from now on are in this chassis.
     * @param server its number
     */
    void SetServer(uint32_t server);

    /** @brief The next link to a CPU uses a host bridge of its own. */
    void NextHostBridge();

    /**
     * @brief Add a CPU socket.
     * @param numa NUMA node
     * @param memoryBytes host memory in bytes
     * @param memoryGBps its rate in 10^9 byte/s
     * @param affinity cores as nvidia-smi prints them; may be empty
     * @return part id
     */
    uint32_t AddCpu(int32_t numa,
                    uint64_t memoryBytes,
                    double memoryGBps,
                    const std::string& affinity = "");

    /**
     * @brief Add a PCIe switch below a CPU or PCIe switch.
     * @param parent part id
     * @param profile link to the parent
     * @param lanes of the chip
     * @param bridges PCI bridges that nvidia-smi counts on a path through it
     * @return part id
     */
    uint32_t AddPcieSwitch(uint32_t parent,
                           const std::string& profile,
                           uint32_t lanes,
                           uint32_t bridges = 1);

    /**
     * @brief Add a GPU.
     * @param model name of a GpuModel
     * @param parent CPU or PCIe switch; NO_LIMIT: none
     * @param numa NUMA node; -1: the parent's
     * @return part id
     */
    uint32_t AddGpu(const std::string& model,
                    uint32_t parent = ServerTopology::NO_LIMIT,
                    int32_t numa = -1);

    /**
     * @brief Add a NIC.
     * @param name its name; empty: "mlx5_" and its index
     * @param parent CPU or PCIe switch
     * @param profile its slot
     * @param netRateBps bit/s to the network
     * @param numa NUMA node; -1: the parent's
     * @return part id
     */
    uint32_t AddNic(const std::string& name,
                    uint32_t parent,
                    const std::string& profile,
                    uint64_t netRateBps,
                    int32_t numa = -1);

    /**
     * @brief Add an NVSwitch.
     * @param generation 1 to 4: 18, 36, 64, 72 ports
     * @return part id
     */
    uint32_t AddNvSwitch(uint32_t generation);

    /**
     * @brief Join GPUs directly.
     * @param counts square and symmetric: links between GPU i and GPU j
     * @param profile of the links
     */
    void AddMesh(const std::vector<std::vector<uint32_t>>& counts, const std::string& profile);

    /**
     * @brief Join every GPU with every other.
     * @param links between two GPUs
     * @param profile of the links
     */
    void AddFullMesh(uint32_t links, const std::string& profile);

    /**
     * @brief Join the GPUs in a ring.
     * @param links between neighbours
     * @param profile of the links
     */
    void AddRing(uint32_t links, const std::string& profile);

    /**
     * @brief Link every GPU to every NVSwitch.
     * @param links of each GPU to switch i
     * @param generation of the switches
     * @param profile of the links
     */
    void AddNvSwitches(const std::vector<uint32_t>& links,
                       uint32_t generation,
                       const std::string& profile);

  private:
    /**
     * @brief Link a new part to its parent.
     * @param part part id
     * @param parent part id
     * @param profile of the link
     */
    void Attach(uint32_t part, uint32_t parent, const std::string& profile);

    ServerTopology m_topology; //!< so far
    uint32_t m_server{0};      //!< chassis of parts to come
    uint32_t m_hostBridge{0};  //!< of links to come
};

} // namespace ns3

#endif /* SERVER_BUILDER_H */
