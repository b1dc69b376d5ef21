/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_PRINTER_H
#define SERVER_PRINTER_H

#include "server-topology.h"

#include <iosfwd>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Prints servers for people and for Graphviz.
 */
class ServerPrinter
{
  public:
    /**
     * @brief Write the matrix that `nvidia-smi topo -m` prints, with its legend.
     *
     * Rows and columns are GPUs, then NICs, tab-separated; then CPU and NUMA affinity.
     * @param topology the server
     * @param os where to
     * @param server only parts of this chassis; NO_LIMIT: all parts
     */
    static void WriteMatrix(const ServerTopology& topology,
                            std::ostream& os,
                            uint32_t server = ServerTopology::NO_LIMIT);

    /**
     * @brief Write the graph for Graphviz; a box for each chassis.
     * @param topology the server
     * @param os where to
     */
    static void WriteDot(const ServerTopology& topology, std::ostream& os);

    /**
     * @brief Write how many parts of each kind and links of each profile there are.
     * @param topology the server
     * @param os where to
     */
    static void WriteCounts(const ServerTopology& topology, std::ostream& os);
};

} // namespace ns3

#endif /* SERVER_PRINTER_H */
