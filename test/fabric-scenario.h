/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SCENARIO_H
#define FABRIC_SCENARIO_H

#include "ns3/fabric-helper.h"
#include "ns3/rdma-flow-application.h"
#include "ns3/rdma-helper.h"

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

/**
 * @ingroup ai-fabric-tests
 * @brief Print a measured number when the environment variable AI_FABRIC_VERBOSE is set.
 * @param text what to stream
 */
#define AI_FABRIC_NOTE(text)                                                                       \
    do                                                                                             \
    {                                                                                              \
        if (ns3::FabricScenario::IsVerbose())                                                      \
        {                                                                                          \
            std::clog << text << std::endl;                                                        \
        }                                                                                          \
    } while (false)

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief One run on a real fabric (NICs, queue pairs, switches): build, add flows, run, ask.
 *
 * Configure `fabric` before Build(), congestion control by `rdma` after it. The destructor ends the
 * simulation.
 */
class FabricScenario
{
  public:
    FabricScenario();
    ~FabricScenario();

    FabricScenario(const FabricScenario&) = delete;
    FabricScenario& operator=(const FabricScenario&) = delete;

    FabricHelper fabric;              //!< configure before Build()
    std::unique_ptr<RdmaHelper> rdma; //!< after Build()
    Ptr<RdmaFlowApplication> app;     //!< runs all flows, after Build()

    /**
     * @brief Take over the settings of the HPCC line of switches (papers B5): frames 36 B above the
     * payload, headroom three times rate x delay.
     * @param bufferBytes of each switch
     */
    void UseHpccSwitches(uint64_t bufferBytes);

    /**
     * @brief Set RED, unscaled by the link rate.
     * @param kmin bytes
     * @param kmax bytes
     * @param pmax marking probability at kmax
     * @param onEnqueue judge on entering the queue
     */
    void SetRed(uint64_t kmin, uint64_t kmax, double pmax, bool onEnqueue);

    /**
     * @brief Make everything; the Mtu of flows is 1000 B.
     * @param topology the graph
     */
    void Build(const FabricTopology& topology);

    /**
     * @brief Use DCQCN on all NICs, with one of its profiles.
     * @param profile name
     */
    void UseDcqcn(const std::string& profile);

    /** @brief AddFlow(): never ends. */
    static constexpr uint64_t ENDLESS = UINT64_MAX;

    /**
     * @brief Add a flow.
     * @param src sending host
     * @param dst receiving host
     * @param bytes payload, or ENDLESS
     * @param start ps
     * @return its number, counting from 0
     */
    uint32_t AddFlow(uint32_t src, uint32_t dst, uint64_t bytes, FabricPs start = 0);

    /**
     * @brief Call back at regular times while running.
     * @param from first time, ps
     * @param period ps
     * @param sample called with the switches' counters up to date
     */
    void Every(FabricPs from, FabricPs period, std::function<void()> sample);

    /**
     * @brief Run on, to the end or to a time.
     * @param until ps
     */
    void Run(FabricPs until = FABRIC_NEVER);

    /**
     * @param flow its number
     * @return what became of it
     */
    RdmaFlowResult Get(uint32_t flow) const
    {
        return app->GetResult(flow);
    }

    /** @return payload bytes that each flow has delivered by now */
    std::vector<uint64_t> Delivered() const;

    /**
     * @brief The switch port that leads to a host.
     * @param host node id
     * @return the port at the switch
     */
    FabricPort& PortTo(uint32_t host) const;

    /** @return packets dropped at all switches and NICs */
    uint64_t Drops() const;

    /** @return pauses (XOFF frames) sent by all switches */
    uint64_t Pauses() const;

    /** @return flows that have finished */
    uint32_t Finished() const;

    /**
     * @brief Digest of everything a user sees: the fields of every result.
     * @return hash
     */
    uint64_t ResultDigest() const;

    /**
     * @brief Jain's fairness index.
     * @param shares one number a flow
     * @return (sum x)^2 / (n sum x^2)
     */
    static double Jain(const std::vector<double>& shares);

    /**
     * @brief Share of the full duration to run: environment variable AI_FABRIC_TEST_SCALE.
     * @return above 0, at most 1; below 1, checks that need the full duration are left out
     */
    static double Scale();

    /** @brief Give the process picosecond time, once; before any simulation runs in it. */
    static void UsePicoseconds();

    /** @return true when measured numbers are to be printed: AI_FABRIC_VERBOSE */
    static bool IsVerbose();

    /** @return true when every cell of a matrix is asked for: AI_FABRIC_LONG=1 */
    static bool IsLong();

    /**
     * @param hosts how many
     * @param rateBps of every link
     * @param delayPs of every link
     * @return hosts round one switch; hosts are nodes 0, 1, ...
     */
    static FabricTopology Star(uint32_t hosts, uint64_t rateBps, int64_t delayPs);

  private:
    void Tick(FabricPs period, std::function<void()> sample);
};

} // namespace ns3

#endif /* FABRIC_SCENARIO_H */
