/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-flow-set.h"

#include "fabric-units.h"

#include "ns3/fabric-port.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{
void
AddTo(RdmaCongestionCounters& sum, const Ptr<RdmaCongestionOps>& ops)
{
    if (ops)
    {
        const RdmaCongestionCounters& c = ops->GetCounters();
        sum.cnps += c.cnps;
        sum.echoes += c.echoes;
        sum.losses += c.losses;
        sum.rateCuts += c.rateCuts;
        sum.increases += c.increases;
        sum.alphaTicks += c.alphaTicks;
    }
}
} // namespace

RdmaFlowSet::RdmaFlowSet(RdmaHelper& helper, const FlowList& list)
    : m_helper(helper),
      m_flows(list.flows),
      m_state(list.flows.size()),
      m_outcomes(list.flows.size()),
      m_dependents(list.flows.size()),
      m_application(CreateObject<RdmaFlowApplication>())
{
    FindDependents();
    for (uint32_t i = 0; i < m_flows.size(); ++i)
    {
        AddFlow(i);
    }
}

RdmaFlowSet::~RdmaFlowSet()
{
    m_application->TraceDisconnectWithoutContext("Done", MakeCallback(&RdmaFlowSet::OnDone, this));
    m_application->TraceDisconnectWithoutContext("Received",
                                                 MakeCallback(&RdmaFlowSet::OnReceived, this));
}

void
RdmaFlowSet::FindDependents()
{
    for (uint32_t i = 0; i < m_flows.size(); ++i)
    {
        const FlowRecord& flow = m_flows[i];
        if (flow.dependsOn.empty())
        {
            continue;
        }
        ++m_held;
        m_state[i].waitsFor =
            flow.needed > 0 ? flow.needed : static_cast<uint32_t>(flow.dependsOn.size());
        for (const auto& dependency : flow.dependsOn)
        {
            m_dependents[dependency.flow].emplace_back(i, dependency.onReceive);
        }
    }
}

void
RdmaFlowSet::AddFlow(uint32_t index)
{
    const FlowRecord& record = m_flows[index];
    State& state = m_state[index];
    FlowOutcome& outcome = m_outcomes[index];
    outcome.index = index;
    outcome.id = record.id;
    outcome.src = record.src;
    outcome.dst = record.dst;
    outcome.priority = record.priority;
    outcome.bytes = record.bytes;
    outcome.startPs = record.startPs;
    m_bytesAsked += std::min(record.bytes, std::numeric_limits<uint64_t>::max() - m_bytesAsked);
    std::tie(state.from, state.to) =
        m_helper.ChooseNics(record.src, record.dst, m_turns[{record.src, record.dst}]++);
    const IdealFct::Times ideal = m_helper.GetIdeal(state.from, state.to, record.bytes);
    outcome.idealRxPs = ideal.rx;
    outcome.idealAckPs = ideal.ack;

    RdmaFlow flow;
    flow.src = m_helper.GetFabric().GetNic(state.from);
    flow.dst = m_helper.GetFabric().GetNic(state.to);
    flow.id = record.id;
    flow.bytes = record.bytes;
    flow.start = state.waitsFor > 0 ? FABRIC_NEVER : record.startPs;
    flow.stop = record.endPs >= 0 ? record.endPs : FABRIC_NEVER;
    flow.endless = record.endless;
    flow.connection = record.connection;
    flow.priority = record.priority;
    flow.srcPort = record.srcPort;
    flow.baseRtt = m_helper.GetBaseRtt(state.from, state.to);
    m_application->AddFlow(flow);
}

void
RdmaFlowSet::Start(std::function<void(const FlowOutcome&)> onEnded)
{
    m_onEnded = std::move(onEnded);
    m_application->TraceConnectWithoutContext("Done", MakeCallback(&RdmaFlowSet::OnDone, this));
    m_application->TraceConnectWithoutContext("Received",
                                              MakeCallback(&RdmaFlowSet::OnReceived, this));
    m_application->SetStartTime(Seconds(0));
    m_helper.GetFabric().GetNodes().Get(0)->AddApplication(m_application);
}

void
RdmaFlowSet::OnReceived(uint32_t index, FabricPs at)
{
    if (const auto qp = m_application->GetQueuePair(index))
    {
        m_state[index].congestion = qp->GetCongestion();
    }
    Release(index, true, at);
}

void
RdmaFlowSet::Take(uint32_t index, const RdmaFlowResult& result)
{
    FlowOutcome& outcome = m_outcomes[index];
    outcome.delivered = result.delivered;
    outcome.retransmits = result.retransmits;
    outcome.timeouts = result.timeouts;
    if (result.status == RdmaFlowResult::Status::UNSTARTED)
    {
        return;
    }
    outcome.startPs = result.start;
    outcome.rxPs = result.rxAt < 0 ? -1 : result.rxAt - result.start;
    outcome.ackPs = result.ackAt < 0 ? -1 : result.ackAt - result.start;
}

void
RdmaFlowSet::OnDone(uint32_t index, const RdmaFlowResult& result)
{
    using Status = FlowOutcome::Status;
    FlowOutcome& outcome = m_outcomes[index];
    Take(index, result);
    if (result.status == RdmaFlowResult::Status::FAILED)
    {
        outcome.status = Status::FAILED;
        outcome.reason = VerbsStatusName(result.error);
    }
    else if (result.status == RdmaFlowResult::Status::STOPPED)
    {
        outcome.status = Status::STOPPED;
        outcome.reason = "stopped at its own end time";
    }
    else
    {
        outcome.status = Status::FINISHED;
    }
    ++(outcome.status == Status::FAILED ? m_failed : m_finished);
    AddTo(m_congestion, m_state[index].congestion);
    m_state[index].congestion = nullptr;
    if (outcome.status != Status::FAILED)
    {
        Release(index, false, FabricTime::Now());
    }
    if (m_onEnded)
    {
        m_onEnded(outcome);
    }
}

void
RdmaFlowSet::Release(uint32_t index, bool onReceive, FabricPs at)
{
    for (const auto& [dependent, waitsForReceive] : m_dependents[index])
    {
        State& state = m_state[dependent];
        if (waitsForReceive == onReceive && state.waitsFor > 0 && --state.waitsFor == 0)
        {
            --m_held;
            m_application->Release(dependent, std::max(at, m_flows[dependent].startPs));
        }
    }
}

bool
RdmaFlowSet::IsAnyRunning() const
{
    for (uint32_t i = 0; i < m_flows.size(); ++i)
    {
        if (m_application->GetQueuePair(i))
        {
            return true;
        }
    }
    return false;
}

uint64_t
RdmaFlowSet::GetDelivered() const
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m_helper.GetFabric().GetNEndpoints(); ++i)
    {
        sum += m_helper.GetFabric().GetNic(i)->GetCounters().delivered;
    }
    return sum;
}

std::string
RdmaFlowSet::WaitOf(uint32_t index) const
{
    FabricPort& port = m_helper.GetFabric().GetNic(m_state[index].from)->GetPort(0);
    const FlowOutcome& outcome = m_outcomes[index];
    std::string text = FabricUnits::SizeText(outcome.delivered) + " delivered";
    if (!port.up)
    {
        return text + "; its NIC's link is down";
    }
    if ((port.flow->GetBlocked() >> outcome.priority) & 1)
    {
        return text + "; its NIC is paused by " + port.peer->station->GetName() + " port " +
               std::to_string(port.peer->id);
    }
    return text + "; " + std::to_string(outcome.timeouts) + " timeouts, " +
           std::to_string(outcome.retransmits) + " packets sent again";
}

const std::vector<FlowOutcome>&
RdmaFlowSet::Account()
{
    using Status = FlowOutcome::Status;
    m_helper.GetFabric().SyncAll();
    for (uint32_t i = 0; i < m_flows.size(); ++i)
    {
        FlowOutcome& outcome = m_outcomes[i];
        const RdmaFlowResult result = m_application->GetResult(i);
        if (result.status == RdmaFlowResult::Status::RUNNING)
        {
            Take(i, result);
            outcome.status = m_flows[i].endless ? Status::ENDLESS : Status::UNFINISHED;
            outcome.reason = m_flows[i].endless ? "" : WaitOf(i);
        }
        else if (result.status == RdmaFlowResult::Status::UNSTARTED)
        {
            const uint32_t others = m_state[i].waitsFor;
            outcome.reason = others > 0 ? "waits for " + std::to_string(others) + " other flows"
                                        : "its start lies after the end of the run";
        }
    }
    return m_outcomes;
}

RdmaCongestionCounters
RdmaFlowSet::GetCongestionCounters() const
{
    RdmaCongestionCounters sum = m_congestion;
    for (uint32_t i = 0; i < m_flows.size(); ++i)
    {
        const auto qp = m_application->GetQueuePair(i);
        AddTo(sum, qp ? qp->GetCongestion() : nullptr);
    }
    return sum;
}

} // namespace ns3
