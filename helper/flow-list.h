/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_LIST_H
#define FLOW_LIST_H

#include "flow-record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class FabricTopology;
class FaultList;

/**
 * @ingroup ai-fabric
 * @brief The flows of a run, where they came from, and what the reader has to say about them.
 */
class FlowList
{
  public:
    static constexpr uint32_t MAX_FLOWS = 2'000'000; //!< most flows in one list

    /** @brief What a list amounts to. */
    struct Summary
    {
        uint32_t flows{0};        //!< all flows
        uint32_t endless{0};      //!< those without end
        uint64_t totalBytes{0};   //!< sum of sizes; saturates
        uint64_t minBytes{0};     //!< smallest flow, endless ones apart
        uint64_t maxBytes{0};     //!< largest flow
        uint32_t sources{0};      //!< distinct sending hosts
        uint32_t destinations{0}; //!< distinct receiving hosts
        uint32_t dependent{0};    //!< flows that wait for others
        int64_t firstStartPs{0};  //!< earliest start
        int64_t lastStartPs{0};   //!< latest start
        uint16_t minDstPort{0};   //!< least destination port
        uint16_t maxDstPort{0};   //!< greatest destination port
    };

    std::string source;             //!< path, or the generator's description
    std::vector<FlowRecord> flows;  //!< in file order, or by start
    std::vector<std::string> notes; //!< what the user should know, one sentence each

    /** @return counts and sums */
    Summary Summarize() const;

    /**
     * @brief Compare with a topology; throws FabricError with all faults found.
     *
     * Every source and destination is a host, they differ and have a path; every dependency is in
     * the list and every flow can start.
     * @param topology the fabric
     */
    void Check(const FabricTopology& topology) const;

  private:
    /**
     * @param topology the fabric
     * @param faults gets flows with impossible ends
     */
    void CheckEnds(const FabricTopology& topology, FaultList& faults) const;

    /**
     * @param faults gets flows that can never start
     */
    void CheckDependencies(FaultList& faults) const;
};

} // namespace ns3

#endif /* FLOW_LIST_H */
