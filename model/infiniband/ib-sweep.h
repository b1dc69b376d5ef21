/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SWEEP_H
#define IB_SWEEP_H

#include "ib-attributes.h"
#include "ib-smp-client.h"
#include "ib-subnet.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Discovery of a subnet by directed routes: starts at the own node, asks every node that
 * answers for its ports, and goes on through those that are up.
 */
class IbSweep
{
  public:
    /** @brief A directed route: egress ports from the own node on. */
    using Path = std::vector<uint8_t>;

    /** @param client whom to ask through; outlives the sweep */
    explicit IbSweep(IbSmpClient& client);

    /**
     * @brief Look at everything anew.
     * @param key management key
     * @param done called when every question is answered or given up
     */
    void Start(uint64_t key, std::function<void()> done);

    /** @return what was found; names are "S-" or "H-" and the GUID */
    const IbSubnet& GetSubnet() const
    {
        return m_subnet;
    }

    /**
     * @param node index of a node that was found
     * @return a shortest route to it
     */
    const Path& GetPath(uint32_t node) const
    {
        return m_paths.at(node);
    }

    /**
     * @param node index of a node
     * @param port port of it that was asked
     * @return its PortInfo as it was then; of a port that was not asked: a default one, DOWN
     */
    IbPortInfo GetPortInfo(uint32_t node, uint8_t port) const;

    /**
     * @brief A question to a node by a route.
     * @param path the route
     * @param method method
     * @param attribute attribute
     * @param modifier its modifier
     * @return the packet; empty data
     * @throws FabricError when the route is too long
     */
    static IbSmp Make(const Path& path,
                      IbMethod method,
                      IbAttribute attribute,
                      uint32_t modifier = 0);

  private:
    void Ask(const Path& path,
             IbAttribute attribute,
             uint32_t modifier,
             std::function<void(const IbSmp&)> use);
    void Explore(const Path& path, uint32_t from, uint8_t fromPort);
    void OnNode(const Path& path, uint32_t from, uint8_t fromPort, const IbNodeInfo& info);
    uint32_t AddNode(const Path& path, const IbNodeInfo& info);
    void AskPort(uint32_t node, uint8_t port);
    void OnPort(uint32_t node, uint8_t port, const IbPortInfo& info);

    IbSmpClient& m_client;                                         //!< whom to ask
    uint64_t m_key{0};                                             //!< management key
    std::function<void()> m_done;                                  //!< whom to tell
    uint32_t m_open{0};                                            //!< questions not answered
    IbSubnet m_subnet;                                             //!< found so far
    std::map<uint64_t, uint32_t> m_byGuid;                         //!< node by GUID
    std::vector<Path> m_paths;                                     //!< by node
    std::map<std::pair<uint32_t, uint8_t>, IbPortInfo> m_portInfo; //!< by node and port
};

} // namespace ns3

#endif /* IB_SWEEP_H */
