/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_FILE_READER_H
#define SERVER_FILE_READER_H

#include "server-answers.h"
#include "server-topology.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads a server from whichever form a file has: `nvidia-smi topo -m`, `rocm-smi
 * --showtopo`, NCCL's topology XML or hwloc's XML.
 *
 * The beginning of the file tells the form; its reader then says what is wrong, if anything is.
 */
class ServerFileReader
{
  public:
    /**
     * @param path file
     * @param given answers to what the file leaves open
     * @return the server; its questions are those still open
     * @throws FabricError with file, line and what is allowed
     */
    static ServerTopology Read(const std::string& path, const ServerAnswers& given);
};

} // namespace ns3

#endif /* SERVER_FILE_READER_H */
