/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SMI_TOPOLOGY_READER_H
#define SMI_TOPOLOGY_READER_H

#include "server-answers.h"
#include "server-topology.h"
#include "smi-matrix.h"

#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Makes a server of the matrix that `nvidia-smi topo -m` or `rocm-smi --showtopo` prints.
 *
 * Every word becomes a part of a tree: PIX a PCIe switch, PXB a switch that counts as two bridges,
 * PHB a host bridge, NODE a CPU. A matrix that no tree has is refused. GPUs of which all have the
 * same NV# are behind NVSwitches where no GPU has ports enough for direct links. Where NV# hides
 * how two GPUs are placed on PCIe they get host bridges of their own. Models, rates and the number
 * of NVSwitches are questions, see ServerAnswers.
 */
class SmiTopologyReader
{
  public:
    /** @brief What Read() returns. */
    struct Result
    {
        ServerTopology topology; //!< the server, with open questions
        SmiMatrix matrix;        //!< the text
    };

    /**
     * @brief Read a file; throws FabricError for a bad one.
     * @param path the file
     * @param answers to what the file leaves open
     * @return the server
     */
    static Result Read(const std::string& path, const ServerAnswers& answers = {});

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param answers to what the file leaves open
     * @return the server
     */
    static Result Read(std::istream& in,
                       const std::string& name,
                       const ServerAnswers& answers = {});

  private:
    /** @return the server of a matrix */
    static Result Build(const SmiMatrix& matrix,
                        const std::string& name,
                        const ServerAnswers& answers);
};

} // namespace ns3

#endif /* SMI_TOPOLOGY_READER_H */
