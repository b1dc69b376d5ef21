/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef BARE_FABRIC_H
#define BARE_FABRIC_H

#include "fabric-topology.h"

#include "ns3/fabric-switch.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Switches between hosts that only send and count frames: what the engine alone costs.
 */
class BareFabric
{
  public:
    /**
     * @brief Make every station and its routes.
     * @param topology one link per host
     */
    explicit BareFabric(const FabricTopology& topology);
    ~BareFabric();

    BareFabric(const BareFabric&) = delete;
    BareFabric& operator=(const BareFabric&) = delete;

    /**
     * @brief Let a host send at line rate from now on.
     * @param src index of the sending host
     * @param dst index of the receiving host
     * @param frames how many
     * @param bytes length of each as buffers count it
     */
    void Send(uint32_t src, uint32_t dst, uint64_t frames, uint32_t bytes);

    /** @return frames that reached their host; exact when the simulation has come to rest */
    uint64_t GetReceived() const;

  private:
    class Host;

    /** @brief A port of a station. */
    using End = std::pair<Ptr<FabricStation>, uint16_t>;

    void Wire(const FabricTopology& topology, const std::vector<End>& ends);

    std::vector<Ptr<Host>> m_hosts;            //!< in order of node id
    std::vector<Ptr<FabricSwitch>> m_switches; //!< in order of node id
};

} // namespace ns3

#endif /* BARE_FABRIC_H */
