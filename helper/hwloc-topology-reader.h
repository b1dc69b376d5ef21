/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HWLOC_TOPOLOGY_READER_H
#define HWLOC_TOPOLOGY_READER_H

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
 * @brief Makes a server of hwloc XML (versions 2 and 3) with its NVLinkBandwidth matrix.
 *
 * Packages become CPUs, PCI bridges PCIe switches: an upstream port with its downstream ports is
 * one chip, root ports are the CPU's. The PCIe ports of NVSwitches serve management and are left
 * out. The matrix does not cover links between NVSwitches: where it leaves two groups of them
 * apart these are asked for, see ServerAnswers.
 */
class HwlocTopologyReader
{
  public:
    /** @brief What the file has. */
    struct Report
    {
        std::string version;                        //!< of the form
        std::map<std::string, uint32_t> pciClasses; //!< PCI devices by class
        std::map<std::string, uint32_t> columns;    //!< of the matrix, by type of object
        uint32_t values{0};                         //!< in the matrix
        uint32_t nonZero{0};                        //!< of them
        std::set<uint64_t> distinct;                //!< values in MB/s
        std::set<uint64_t> gpuRowSums;              //!< sums of rows of GPUs
        std::set<uint64_t> gpuGpuValues;            //!< values between GPUs
    };

    /** @brief What Read() returns. */
    struct Result
    {
        ServerTopology topology; //!< the server, perhaps with open questions
        Report report;           //!< counts
    };

    static constexpr uint32_t MAX_COLUMNS = 1024; //!< most columns of the matrix

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
    /** @return the server of the elements */
    static Result Build(const XmlElement& root,
                        const std::string& name,
                        const ServerAnswers& answers);
};

} // namespace ns3

#endif /* HWLOC_TOPOLOGY_READER_H */
