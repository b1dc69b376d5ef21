/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_FLOW_SET_H
#define RDMA_FLOW_SET_H

#include "flow-list.h"
#include "flow-outcome.h"
#include "rdma-helper.h"

#include "ns3/rdma-flow-application.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Runs a list of flows through one RdmaFlowApplication and keeps account of each.
 *
 * Adds to the application what takes a view of the whole fabric: which NICs a flow uses, which
 * flows wait for others, what each would have taken alone, and who waits for what in the end.
 */
class RdmaFlowSet
{
  public:
    /**
     * @param helper connects the queue pairs; outlives the set
     * @param list the flows, checked against the topology
     */
    RdmaFlowSet(RdmaHelper& helper, const FlowList& list);
    ~RdmaFlowSet();

    RdmaFlowSet(const RdmaFlowSet&) = delete;
    RdmaFlowSet& operator=(const RdmaFlowSet&) = delete;

    /**
     * @brief Schedule all flows.
     * @param onEnded is told of each flow that finished or failed; may be null
     */
    void Start(std::function<void(const FlowOutcome&)> onEnded = nullptr);

    /** @return flows asked for */
    uint64_t GetNAsked() const
    {
        return m_flows.size();
    }

    /** @return flows that finished */
    uint64_t GetNFinished() const
    {
        return m_finished;
    }

    /** @return flows that failed */
    uint64_t GetNFailed() const
    {
        return m_failed;
    }

    /** @return flows that have not ended, those that wait for others apart */
    uint64_t GetNOpen() const
    {
        return m_flows.size() - m_held - m_finished - m_failed;
    }

    /** @return true when a flow has begun and not ended */
    bool IsAnyRunning() const;

    /** @return true when every flow has ended, or waits for one that never will */
    bool IsDone() const
    {
        return GetNOpen() == 0;
    }

    /** @return payload delivered in order so far, all flows */
    uint64_t GetDelivered() const;

    /** @return payload asked for, endless flows apart; saturates */
    uint64_t GetBytesAsked() const
    {
        return m_bytesAsked;
    }

    /**
     * @brief Account for flows that have not ended, with what they wait for.
     * @return every flow in list order
     */
    const std::vector<FlowOutcome>& Account();

    /** @return what congestion control did, all queue pairs */
    RdmaCongestionCounters GetCongestionCounters() const;

  private:
    /** @brief What the application does not know of a flow. */
    struct State
    {
        uint32_t from{0};         //!< source endpoint
        uint32_t to{0};           //!< destination endpoint
        uint32_t waitsFor{0};     //!< dependencies not met
        Ptr<RdmaCongestionOps> congestion; //!< its own, for the counters
    };

    void AddFlow(uint32_t index);
    void FindDependents();
    void OnDone(uint32_t index, const RdmaFlowResult& result);
    void OnReceived(uint32_t index, FabricPs at);
    void Release(uint32_t index, bool onReceive, FabricPs at);
    void Take(uint32_t index, const RdmaFlowResult& result);
    std::string WaitOf(uint32_t index) const;

    RdmaHelper& m_helper;                 //!< knows NICs and ideals
    std::vector<FlowRecord> m_flows;      //!< as asked for
    std::vector<State> m_state;           //!< by flow
    std::vector<FlowOutcome> m_outcomes;  //!< by flow
    std::vector<std::vector<std::pair<uint32_t, bool>>> m_dependents; //!< by flow: who, on receive
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_turns; //!< flows so far, by host pair
    Ptr<RdmaFlowApplication> m_application; //!< runs them
    std::function<void(const FlowOutcome&)> m_onEnded; //!< to be told
    RdmaCongestionCounters m_congestion;  //!< of flows that have ended
    uint64_t m_held{0};                   //!< flows that wait for others
    uint64_t m_finished{0};               //!< flows
    uint64_t m_failed{0};                 //!< flows
    uint64_t m_bytesAsked{0};             //!< payload
};

} // namespace ns3

#endif /* RDMA_FLOW_SET_H */
