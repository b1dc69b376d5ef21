/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GPU_SERVER_HELPER_H
#define GPU_SERVER_HELPER_H

#include "server-routing.h"
#include "server-topology.h"

#include "ns3/attribute.h"
#include "ns3/credit-switch.h"
#include "ns3/fabric-net-device.h"
#include "ns3/memory-device.h"
#include "ns3/memory-map.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/nv-switch.h"
#include "ns3/object-factory.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Turns a ServerTopology into nodes, devices, channels and stations, with routes.
 *
 * One ns-3 node per chassis; one station per part (GPU, CPU, NIC, die: MemoryDevice; NVSwitch:
 * NvSwitch; PCIe switch: CreditSwitch); one FabricNetDevice per port, on the chassis' node. All
 * memories form one address map; peers may read, write and do atomics until the map is told
 * otherwise.
 *
 * @code
 * Time::SetResolution(Time::PS);
 * GpuServerHelper server;
 * server.Build(ServerCatalog::Make("dgx-h100"));
 * server.GetGpu(0)->...
 * @endcode
 */
class GpuServerHelper
{
  public:
    GpuServerHelper();

    /**
     * @brief Set an attribute of the MemoryDevice of every part of a kind.
     * @param kind GPU, CPU, NIC, DIE or MEMORY
     * @param name attribute
     * @param value value; outranks what the topology and the GPU model say, as a changed default
     *        (Config::SetDefault) does
     * @throws FabricError for a switch, an unknown attribute or a value that does not fit
     */
    void SetDeviceAttribute(ServerTopology::Kind kind,
                            const std::string& name,
                            const AttributeValue& value);

    /**
     * @brief Set an attribute of every NvSwitch.
     * @param name attribute
     * @param value value
     * @throws FabricError as SetDeviceAttribute()
     */
    void SetNvSwitchAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of every PCIe switch.
     * @param name attribute
     * @param value value
     * @throws FabricError as SetDeviceAttribute()
     */
    void SetPcieSwitchAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Let GPUs forward packets between their GPU links. Default: off.
     * @param relay on or off
     */
    void SetRelay(bool relay);

    /**
     * @brief Another rate for a bundle of links; before Build().
     * @param link link id; one that does not exist is refused by Build()
     * @param rateBps bit/s of each direction, all its links together, > 0
     * @throws FabricError for a rate out of range, or after Build()
     */
    void SetLinkRate(uint32_t link, uint64_t rateBps);

    /**
     * @brief Refuse a server in which some GPU cannot reach another. Default: on.
     * @param require on or off
     */
    void SetRequireAllPairs(bool require);

    /**
     * @brief Ask for a multicast and reduction group of GPUs; before Build().
     * @param ranks its members, by index among the GPUs; Build() refuses one that does not exist
     * @return index of the group, see GetGroup()
     * @throws FabricError after Build()
     */
    uint32_t AddGroup(const std::vector<uint32_t>& ranks);

    /**
     * @brief Create everything, with nodes of its own.
     * @param topology the servers; copied
     * @throws FabricError with the pairs of GPUs that have no way to each other, with what the
     *         topology leaves open, or when Time is not in picoseconds
     */
    void Build(const ServerTopology& topology);

    /**
     * @brief The same on given nodes: the hosts of a network, say.
     * @param topology the servers; copied
     * @param nodes one per chassis
     */
    void Install(const ServerTopology& topology, const NodeContainer& nodes);

    /** @return what was built */
    const ServerTopology& GetTopology() const;

    /** @return nodes by chassis */
    NodeContainer GetNodes() const;

    /** @return the ways between the parts, as they are now */
    const ServerRouting& GetRouting() const;

    /**
     * @param part part id
     * @return its station
     * @throws FabricError when there is none
     */
    Ptr<CreditSwitch> GetStation(uint32_t part) const;

    /**
     * @param part part id
     * @return its memory device
     * @throws FabricError for a switch
     */
    Ptr<MemoryDevice> GetDevice(uint32_t part) const;

    /**
     * @param rank index among the GPUs
     * @return its memory device
     * @throws FabricError when out of range
     */
    Ptr<MemoryDevice> GetGpu(uint32_t rank) const;

    /** @return number of GPUs */
    uint32_t GetNGpus() const;

    /**
     * @param group as AddGroup() numbered it
     * @return endpoint number that MemoryDevice::WriteMulticast() and ReduceRead() take
     */
    uint32_t GetGroup(uint32_t group) const;

    /** @return the address map of all memories */
    Ptr<MemoryMap> GetMap() const;

    /**
     * @param part part id
     * @return first address of its memory
     * @throws FabricError for a part without memory
     */
    uint64_t GetBase(uint32_t part) const;

    /**
     * @param group as AddGroup() numbered it
     * @return first of the addresses that every member has for the group
     */
    uint64_t GetGroupBase(uint32_t group) const;

    /**
     * @param link link id
     * @param end 0 = the link's `a`, 1 = its `b`
     * @return the port there
     */
    FabricPort& GetPortOfLink(uint32_t link, uint32_t end) const;

    /**
     * @brief Fail or restore a bundle now; routes follow at once.
     * @param link link id
     * @param up new state
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * @brief Schedule SetLinkUp().
     * @param at simulated time
     * @param link link id
     * @param up new state
     */
    void ScheduleLink(const Time& at, uint32_t link, bool up);

    /** @return empty when all credits add up, else what does not */
    std::string ExplainImbalance() const;

    /** @brief Bring all counters up to date with the clock. */
    void SyncAll() const;

    /** @brief Distance between the first addresses of two memories. */
    static constexpr uint64_t MEMORY_STRIDE = 1ULL << 48;

    /** @brief First address of the first group. */
    static constexpr uint64_t GROUP_BASE = 1ULL << 63;

  private:
    Ptr<CreditSwitch> CreateStation(const ServerTopology::Part& part);
    void SetMemory(const ServerTopology::Part& part, MemoryDevice& device);
    void CreateStations();
    void WireLink(const ServerTopology::Link& link);
    void SetRoutes();
    void SetGroups();
    void RequireUnbuilt(const std::string& call) const;
    void RequireSettings() const;
    void RequireWays() const;
    std::vector<uint32_t> GetSharedSwitches(const std::vector<uint32_t>& ranks) const;
    std::vector<uint16_t> PortsTo(uint32_t part, const std::vector<uint32_t>& peers) const;

    typedef std::pair<std::string, Ptr<AttributeValue>> Setting; //!< attribute and value

    ServerTopology m_topology;                                       //!< what was built
    std::map<ServerTopology::Kind, std::vector<Setting>> m_settings; //!< by kind
    ObjectFactory m_nvSwitch;                                        //!< NvSwitch
    ObjectFactory m_pcieSwitch;                                      //!< CreditSwitch
    bool m_relay{false};                                             //!< GPUs relay
    bool m_requireAllPairs{true};                                    //!< see SetRequireAllPairs()
    std::map<uint32_t, uint64_t> m_rateOf;                           //!< see SetLinkRate()
    std::vector<std::vector<uint32_t>> m_groups;                     //!< ranks, see AddGroup()
    NodeContainer m_nodes;                                           //!< by chassis
    std::vector<Ptr<CreditSwitch>> m_stations;                       //!< by part
    std::vector<uint16_t> m_portOf;                                  //!< by 2 x link + end
    std::vector<Ptr<FabricNetDevice>> m_devices;                     //!< the same
    std::vector<bool> m_linkUp;                                      //!< by link
    std::unique_ptr<ServerRouting> m_routing;                        //!< ways
    Ptr<MemoryMap> m_map;                                            //!< addresses
};

} // namespace ns3

#endif /* GPU_SERVER_HELPER_H */
