/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "htsim-scenario-reader.h"

#include "htsim-matrix.h"
#include "htsim-tiers.h"
#include "text-cursor.h"

#include <fstream>

namespace ns3
{

FabricTopology
HtsimScenarioReader::ReadTopology(const std::string& path)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadTopology(in, path);
}

FabricTopology
HtsimScenarioReader::ReadTopology(std::istream& in, const std::string& name)
{
    TextCursor cursor(in, name);
    return HtsimTiers(cursor).Build();
}

FlowList
HtsimScenarioReader::ReadFlows(const std::string& path, MatrixHeader* header)
{
    std::ifstream in;
    TextCursor::Open(path, in);
    return ReadFlows(in, path, header);
}

FlowList
HtsimScenarioReader::ReadFlows(std::istream& in, const std::string& name, MatrixHeader* header)
{
    TextCursor cursor(in, name);
    MatrixHeader local;
    FlowList list = HtsimMatrix(cursor).Read(local);
    if (header != nullptr)
    {
        *header = local;
    }
    return list;
}

} // namespace ns3
