/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUN_SUMMARY_H
#define FABRIC_RUN_SUMMARY_H

#include "fabric-helper.h"
#include "fabric-manifest.h"
#include "flow-outcome.h"

#include "ns3/rdma-congestion-ops.h"
#include "ns3/verbs-queue-pair.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a run says for people before and after: plan, parameters, tables, counters.
 */
class FabricRunSummary
{
  public:
    /** @brief What every port has counted, added up. */
    struct Totals
    {
        FabricClassStats sum;                            //!< all classes of all ports
        uint64_t drops[FABRIC_DROP_REASONS]{};           //!< by reason
        uint64_t dropsByClass[FABRIC_CLASSES]{};         //!< by class
        uint64_t maxIngress{0};                          //!< highest ingress counter of a switch
        std::string maxIngressAt;                        //!< where
        uint64_t maxIngressXoff{0};                      //!< its switch's first XOFF
        uint64_t maxQueue{0};                            //!< longest egress queue of a switch
        std::string maxQueueAt;                          //!< where
        RdmaQpCounters qps;                              //!< all NICs
    };

    /**
     * @param fabric a built fabric
     * @return its counters, up to now
     */
    static Totals Count(const FabricHelper& fabric);

    /**
     * @param port of a device
     * @param vl class
     * @return how long it was paused, the pause in progress included, ps
     */
    static FabricPs PausedOf(const FabricPort& port, uint8_t vl);

    /**
     * @param ps a time
     * @return it for people, to six digits: "633.994 us"
     */
    static std::string TimeText(FabricPs ps);

    /**
     * @brief Counts of the graph, and what looks wrong.
     * @param os where to
     * @param topology the graph
     * @return true when nothing looks wrong
     */
    static bool PrintTopology(std::ostream& os, const FabricTopology& topology);

    /**
     * @brief How each kind of switch divides its buffer, and its ECN thresholds.
     * @param os where to
     * @param fabric a built fabric
     */
    static void PrintBudgets(std::ostream& os, const FabricHelper& fabric);

    /**
     * @brief Attributes in effect, with units.
     * @param os where to
     * @param parts one object of each kind
     */
    static void PrintParameters(std::ostream& os, const std::vector<FabricManifest::Part>& parts);

    /**
     * @brief One object of each kind that has attributes.
     * @param fabric a built fabric
     * @param congestion congestion control, may be null
     * @return the objects
     */
    static std::vector<FabricManifest::Part> PartsOf(const FabricHelper& fabric,
                                                     Ptr<RdmaCongestionOps> congestion);

    /**
     * @brief PFC, ECN, CNP, drops, retransmits.
     * @param os where to
     * @param totals what was counted
     * @param congestion what congestion control did
     * @param hasCongestion there was one
     */
    static void PrintCounters(std::ostream& os,
                              const Totals& totals,
                              const RdmaCongestionCounters& congestion,
                              bool hasCongestion);

    /**
     * @brief Highest use of every buffer pool.
     * @param os where to
     * @param fabric the fabric
     */
    static void PrintPools(std::ostream& os, const FabricHelper& fabric);

    /**
     * @brief Flows that did not finish, the first ten, with reasons.
     * @param os where to
     * @param flows all flows
     * @return how many did not finish
     */
    static uint64_t PrintUnfinished(std::ostream& os, const std::vector<FlowOutcome>& flows);
};

} // namespace ns3

#endif /* FABRIC_RUN_SUMMARY_H */
