/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_FABRIC_H
#define MEMORY_FABRIC_H

#include "ns3/link-profile.h"
#include "ns3/memory-device.h"
#include "ns3/object-factory.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief Memory devices and crossbars wired by hand.
 *
 * Stations are numbered: devices first (endpoint = number), then switches.
 */
class MemoryFabric
{
  public:
    ObjectFactory device{"ns3::MemoryDevice"};       //!< every device
    ObjectFactory credits{"ns3::CreditFlowControl"}; //!< every port
    ObjectFactory scheduler{"ns3::StrictDwrrScheduler"}; //!< every port
    uint32_t buffer{0};     //!< receive buffer of every port; 0: that of its links
    uint32_t maxPayload{4096}; //!< of every crossbar
    uint32_t groups{0};     //!< multicast groups; numbered behind the devices, by all their ports
    bool eager{false};      //!< EagerArrivals everywhere
    bool cutThrough{true};  //!< everywhere
    double errorRate{0};    //!< of a link packet

    /** @brief Latencies of 0, unlimited memory: what is left is the links. */
    MemoryFabric();
    ~MemoryFabric();

    /**
     * @param devices how many
     * @param switches how many
     */
    void Make(uint32_t devices, uint32_t switches = 0);

    /**
     * @brief Wire a bundle of links as one port at each end.
     * @param a station number
     * @param b station number
     * @param profile name of the links
     * @param links how many
     * @return link number, counting from 0
     */
    uint32_t Link(uint32_t a, uint32_t b, const std::string& profile, uint32_t links = 1);

    /**
     * @brief All of it: devices round crossbars, every device with one link to each.
     * @param devices how many
     * @param switches how many
     * @param profile name of the links
     */
    void Star(uint32_t devices, uint32_t switches, const std::string& profile);

    /** @brief Everything is wired: shortest routes, all equal ones, and credits. */
    void Start();

    /**
     * @brief Run until all is done.
     * @return bit/s of all data delivered, from the first post to the last end
     */
    double Run();

    /** @return empty when the credits of all ports add up, else what does not */
    std::string ExplainImbalance() const;

    /**
     * @brief After a run: every byte posted is delivered or reported failed, nothing is under way.
     * @return empty when that holds and the credits add up, else what does not
     */
    std::string ExplainBooks() const;

    /** @brief Devices, by endpoint. */
    std::vector<Ptr<MemoryDevice>> devices;

    /** @brief Devices, then switches. */
    std::vector<Ptr<CreditSwitch>> stations;

    /** @brief One wired bundle. */
    struct Bundle
    {
        uint32_t a;     //!< station
        uint32_t b;     //!< station
        uint16_t portA; //!< its port
        uint16_t portB; //!< its port
    };

    std::vector<Bundle> links; //!< in order of wiring
    std::vector<MemoryCompletion> completions; //!< in order

    /** @return a callback that files into `completions` */
    MemoryCallback File();

    /**
     * @brief A request that names its owner.
     * @param op operation
     * @param owner endpoint
     * @param bytes length
     * @param address at the owner
     * @return the request
     */
    static MemoryRequest Ask(MemoryOp op, uint32_t owner, uint64_t bytes, uint64_t address = 0);

    /** @brief Give the process picosecond time, once; before any simulation runs in it. */
    static void UsePicoseconds();

  private:
    void Route(uint32_t destination);
};

} // namespace ns3

#endif /* MEMORY_FABRIC_H */
