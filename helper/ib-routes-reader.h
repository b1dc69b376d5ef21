/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_ROUTES_READER_H
#define IB_ROUTES_READER_H

#include "ns3/ib-forwarding.h"
#include "ns3/ib-subnet.h"

#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads what a real subnet manager, opensm, leaves behind: `guid2lid` and `opensm.fdbs`.
 */
class IbRoutesReader
{
  public:
    /**
     * @brief LIDs by port GUID; ports that the file does not have lose theirs.
     * @param path guid2lid
     * @param subnet its ports get their LIDs
     * @return number of ports that got one
     * @throws FabricError with file, line and what is allowed
     */
    static uint32_t ReadLids(const std::string& path, IbSubnet& subnet);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param subnet its ports get their LIDs
     * @return number of ports that got one
     */
    static uint32_t ReadLids(std::istream& in, const std::string& name, IbSubnet& subnet);

    /**
     * @brief Forwarding tables by switch GUID.
     * @param path opensm.fdbs
     * @param subnet the subnet, for its GUIDs
     * @return the tables
     * @throws FabricError with file, line and what is allowed
     */
    static IbForwarding ReadTables(const std::string& path, const IbSubnet& subnet);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param subnet the subnet, for its GUIDs
     * @return the tables
     */
    static IbForwarding ReadTables(std::istream& in,
                                   const std::string& name,
                                   const IbSubnet& subnet);
};

} // namespace ns3

#endif /* IB_ROUTES_READER_H */
