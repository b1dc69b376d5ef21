/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_CATALOG_H
#define SERVER_CATALOG_H

#include "server-topology.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Known servers by name.
 */
class ServerCatalog
{
  public:
    /**
     * @brief Build a server.
     * @param name "dgx-h100" and so on
     * @return the server
     * @throws FabricError for an unknown name, with all known ones
     */
    static ServerTopology Make(const std::string& name);

    /** @return all names */
    static std::vector<std::string> GetNames();

    /**
     * @param name a known name
     * @return one line for people
     */
    static std::string GetText(const std::string& name);
};

} // namespace ns3

#endif /* SERVER_CATALOG_H */
