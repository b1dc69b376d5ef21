/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HTSIM_SCENARIO_READER_H
#define HTSIM_SCENARIO_READER_H

#include "fabric-topology.h"
#include "flow-list.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads the topologies (.topo) and connection matrices (.cm, .tm) of csg-htsim and
 * uet-htsim.
 *
 * Headers of connection matrices are not always right: the lines count, a wrong header is noted.
 * Triggers become dependencies between flows. What is not honoured is named in the notes. Every
 * method throws FabricError with all faults of the file.
 */
class HtsimScenarioReader
{
  public:
    /** @brief The declared numbers of a connection matrix. */
    struct MatrixHeader
    {
        uint32_t nodes{0};       //!< hosts, ids 0 to nodes-1
        uint32_t connections{0}; //!< connection lines
        uint32_t triggers{0};    //!< trigger lines
        uint32_t failures{0};    //!< failure lines
    };

    /**
     * @brief Topology: fat-tree or leaf-spine by the radix of each tier.
     * @param path the file
     * @return hosts 0 to Nodes-1, then ToR, aggregation and core switches
     */
    static FabricTopology ReadTopology(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return hosts 0 to Nodes-1, then ToR, aggregation and core switches
     */
    static FabricTopology ReadTopology(std::istream& in, const std::string& name);

    /**
     * @brief Connection matrix.
     *
     * A start with a decimal point is in microseconds, without it in picoseconds. Size 0 is an
     * endless flow. Lines with the same id and `msg` are messages of one connection.
     * @param path the file
     * @param header gets the declared numbers; may be null
     * @return the flows in file order
     */
    static FlowList ReadFlows(const std::string& path, MatrixHeader* header = nullptr);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param header gets the declared numbers; may be null
     * @return the flows in file order
     */
    static FlowList ReadFlows(std::istream& in,
                              const std::string& name,
                              MatrixHeader* header = nullptr);
};

} // namespace ns3

#endif /* HTSIM_SCENARIO_READER_H */
