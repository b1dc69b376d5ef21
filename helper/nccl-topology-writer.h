/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NCCL_TOPOLOGY_WRITER_H
#define NCCL_TOPOLOGY_WRITER_H

#include "server-topology.h"

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Writes a server as the XML of NCCL_TOPO_FILE.
 *
 * The form knows one chassis: CPUs, PCIe below them, GPUs with their links, NICs. GPUs on C2C
 * become PCIe devices of their CPU. Parts without bus number get a made-up one. Links between
 * CPUs and between NVSwitches have no place in the form; NCCL assumes them.
 */
class NcclTopologyWriter
{
  public:
    /**
     * @param topology servers
     * @return chassis that the form can hold: those with a CPU, in order
     */
    static std::vector<uint32_t> GetServers(const ServerTopology& topology);

    /**
     * @param topology the server; a chiplet package is refused
     * @param os where to
     * @param server chassis to write; NVSwitches of others are written as link targets
     * @throws FabricError for a chassis without CPU, or what the form cannot hold
     */
    static void Write(const ServerTopology& topology, std::ostream& os, uint32_t server = 0);
};

} // namespace ns3

#endif /* NCCL_TOPOLOGY_WRITER_H */
