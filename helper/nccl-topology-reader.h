/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NCCL_TOPOLOGY_READER_H
#define NCCL_TOPOLOGY_READER_H

#include "server-answers.h"
#include "server-topology.h"

#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <string>

namespace ns3
{

struct XmlElement;

/**
 * @ingroup ai-fabric
 * @brief Reads the topology XML of NCCL and RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE).
 *
 * PCI bridges become PCIe switches, NVLink targets of class 0x068000 NVSwitches. The form does not
 * say which links join the sockets, how fast host memory is (not limited then), and in reduced
 * files which GPUs there are: what matters is left as a question, see ServerAnswers.
 */
class NcclTopologyReader
{
  public:
    /** @brief What the file has, element by element. */
    struct Report
    {
        uint32_t version{0};                       //!< of the form
        uint32_t cpus{0};                          //!< cpu elements
        uint32_t pcis{0};                          //!< pci elements
        uint32_t gpus{0};                          //!< gpu elements
        uint32_t nics{0};                          //!< nic elements
        uint32_t nets{0};                          //!< net elements
        uint32_t nvlinks{0};                       //!< nvlink elements
        uint32_t xgmis{0};                         //!< xgmi elements
        uint32_t linkSum{0};                       //!< sum of their counts
        std::set<std::string> targets;             //!< their targets
        std::map<std::string, uint32_t> classes;   //!< pci elements by first 6 digits of class
        std::map<std::string, uint32_t> tclasses;  //!< link elements by class of the target
        std::map<uint32_t, uint32_t> linksPerGpu;  //!< GPUs by number of links, if any
        std::map<std::string, uint32_t> netSpeeds; //!< nets by speed in Mb/s as written
        std::map<int32_t, uint32_t> gpusByNuma;    //!< GPUs below each cpu element
    };

    /** @brief What Read() returns. */
    struct Result
    {
        ServerTopology topology; //!< the server, perhaps with open questions
        Report report;           //!< counts
    };

    static constexpr int64_t MAX_NUMA = 65535; //!< greatest numaid

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
    /** @brief Make a server of the elements. */
    static Result Build(const XmlElement& root,
                        const std::string& name,
                        const ServerAnswers& answers);
};

} // namespace ns3

#endif /* NCCL_TOPOLOGY_READER_H */
