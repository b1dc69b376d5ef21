/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-file-reader.h"

#include "hwloc-topology-reader.h"
#include "nccl-topology-reader.h"
#include "smi-topology-reader.h"

#include <fstream>

namespace ns3
{

ServerTopology
ServerFileReader::Read(const std::string& path, const ServerAnswers& given)
{
    constexpr std::streamsize enough = 4096;
    std::ifstream file(path);
    std::string text(enough, ' ');
    file.read(text.data(), enough);
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || text[first] != '<')
    {
        return SmiTopologyReader::Read(path, given).topology;
    }
    return text.find("<topology") == std::string::npos
               ? NcclTopologyReader::Read(path, given).topology
               : HwlocTopologyReader::Read(path, given).topology;
}

} // namespace ns3
