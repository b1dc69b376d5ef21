/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-flow-application.h"

#include "ns3/fabric-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowApplication);

TypeId
RdmaFlowApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaFlowApplication")
            .SetParent<Application>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaFlowApplication>()
            .AddAttribute("ChunkBytes",
                          "Bytes of one work request; longer flows are split. Default: 2 GiB, the "
                          "most a work request can carry.",
                          UintegerValue(VERBS_MAX_MESSAGE),
                          MakeUintegerAccessor(&RdmaFlowApplication::m_chunk),
                          MakeUintegerChecker<uint64_t>(1, VERBS_MAX_MESSAGE))
            .AddAttribute("Mtu",
                          "Payload of a full packet, bytes. Default: 1000, as the published "
                          "simulations have it.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaFlowApplication::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 65000))
            .AddTraceSource("Done",
                            "A flow has finished, stopped or failed.",
                            MakeTraceSourceAccessor(&RdmaFlowApplication::m_doneTrace),
                            "ns3::RdmaFlowApplication::DoneTracedCallback")
            .AddTraceSource("Received",
                            "The last byte of a flow has arrived.",
                            MakeTraceSourceAccessor(&RdmaFlowApplication::m_receivedTrace),
                            "ns3::RdmaFlowApplication::ReceivedTracedCallback");
    return tid;
}

RdmaFlowApplication::RdmaFlowApplication() = default;

RdmaFlowApplication::~RdmaFlowApplication()
{
    for (Connection* connection : m_open)
    {
        delete connection;
    }
}

void
RdmaFlowApplication::DoDispose()
{
    m_next.Cancel();
    for (auto& run : m_flows)
    {
        run.stop.Cancel();
        run.on = nullptr;
        run.flow.src = nullptr;
        run.flow.dst = nullptr;
    }
    for (auto& [station, cq] : m_cqs)
    {
        cq->SetCallback(Callback<void, VerbsCompletionQueue&>());
    }
    m_cqs.clear();
    for (Connection* connection : m_open)
    {
        connection->rx->SetDeliveryCallback(VerbsQueuePair::DeliveryCallback());
        delete connection;
    }
    m_open.clear();
    m_shared.clear();
    Application::DoDispose();
}

uint32_t
RdmaFlowApplication::AddFlow(const RdmaFlow& flow)
{
    if (!flow.src || !flow.dst || flow.src == flow.dst ||
        (flow.priority > 7 && flow.priority != 255))
    {
        throw FabricError("RdmaFlowApplication: flow " + std::to_string(flow.id) +
                          " needs two different NICs and a priority 0..7");
    }
    const auto index = static_cast<uint32_t>(m_flows.size());
    m_flows.emplace_back();
    m_flows.back().flow = flow;
    m_flows.back().result.id = flow.id;
    m_flows.back().result.bytes = flow.bytes;
    if (flow.start != FABRIC_NEVER)
    {
        m_waiting.insert({flow.start, index});
        Plan();
    }
    return index;
}

void
RdmaFlowApplication::Release(uint32_t index, FabricPs at)
{
    Running& run = m_flows.at(index);
    if (run.flow.start == FABRIC_NEVER)
    {
        run.flow.start = at;
        m_waiting.insert({at, index});
        Plan();
    }
}

void
RdmaFlowApplication::StartApplication()
{
    m_started = true;
    Plan();
}

void
RdmaFlowApplication::StopApplication()
{
    m_started = false;
    m_next.Cancel();
}

void
RdmaFlowApplication::Plan()
{
    if (!m_started || m_waiting.empty())
    {
        return;
    }
    const FabricPs at = std::max(m_waiting.begin()->first, FabricTime::Now());
    if (!m_next.IsExpired() && FabricTime::From(TimeStep(m_next.GetTs())) <= at)
    {
        return;
    }
    m_next.Cancel();
    m_next = Simulator::Schedule(FabricTime::To(at - FabricTime::Now()),
                                 &RdmaFlowApplication::StartDue,
                                 this);
}

void
RdmaFlowApplication::StartDue()
{
    const FabricPs now = FabricTime::Now();
    while (!m_waiting.empty() && m_waiting.begin()->first <= now)
    {
        const uint32_t index = m_waiting.begin()->second;
        m_waiting.erase(m_waiting.begin());
        Begin(index);
    }
    Plan();
}

Ptr<VerbsCompletionQueue>
RdmaFlowApplication::GetCq(Ptr<RdmaNic> nic)
{
    Ptr<VerbsCompletionQueue>& cq = m_cqs[nic->GetStationId()];
    if (!cq)
    {
        cq = nic->CreateCompletionQueue(1U << 24);
        cq->SetCallback(MakeCallback(&RdmaFlowApplication::OnCompletions, this));
    }
    return cq;
}

RdmaFlowApplication::Connection*
RdmaFlowApplication::Open(const RdmaFlow& flow)
{
    const std::pair<uint64_t, uint64_t> key{
        flow.connection,
        (static_cast<uint64_t>(flow.src->GetStationId()) << 32) | flow.dst->GetStationId()};
    if (flow.connection != 0 && m_shared.count(key) > 0)
    {
        return m_shared[key];
    }
    auto* connection = new Connection;
    m_open.insert(connection);
    VerbsQpInit init;
    init.mtu = m_mtu;
    init.maxSend = 1U << 20;
    init.pd = flow.src->GetDefaultDomain();
    init.sendCq = GetCq(flow.src);
    connection->tx = flow.src->CreateQueuePair(init);
    init.pd = flow.dst->GetDefaultDomain();
    init.sendCq = nullptr;
    connection->rx = flow.dst->CreateQueuePair(init);
    VerbsQpAttributes attributes;
    attributes.trafficClass = flow.priority;
    attributes.udpSourcePort = flow.srcPort;
    attributes.baseRtt = flow.baseRtt;
    RdmaNic::Connect(connection->tx, connection->rx, attributes, attributes);
    connection->rx->SetDeliveryCallback(VerbsQueuePair::DeliveryCallback(
        [this, connection](uint64_t, FabricPs at) { OnDelivery(connection, at); }));
    if (flow.connection != 0)
    {
        m_shared[key] = connection;
    }
    return connection;
}

void
RdmaFlowApplication::Close(Connection* connection)
{
    m_open.erase(connection);
    connection->rx->SetDeliveryCallback(VerbsQueuePair::DeliveryCallback());
    connection->tx->GetNic()->DestroyQueuePair(connection->tx);
    connection->rx->GetNic()->DestroyQueuePair(connection->rx);
    delete connection;
}

void
RdmaFlowApplication::Begin(uint32_t index)
{
    Running& run = m_flows[index];
    run.on = Open(run.flow);
    ++run.on->users;
    run.flow.dst->CatchUp();
    run.deliveredBefore = run.on->rx->GetCounters().delivered;
    run.retransmitsBefore = run.on->tx->GetCounters().retransmits;
    run.timeoutsBefore = run.on->tx->GetCounters().timeouts;
    run.result.status = RdmaFlowResult::Status::RUNNING;
    run.result.start = FabricTime::Now();
    if (run.flow.stop != FABRIC_NEVER)
    {
        const FabricPs left = std::max<FabricPs>(0, run.flow.stop - FabricTime::Now());
        run.stop =
            Simulator::Schedule(FabricTime::To(left), &RdmaFlowApplication::StopFlow, this, index);
    }
    PostMore(index);
}

void
RdmaFlowApplication::PostMore(uint32_t index)
{
    constexpr uint64_t AHEAD_BYTES = 1ULL << 22; // more than any path holds
    constexpr uint64_t ENDLESS_CHUNK = 1ULL << 26;
    Running& run = m_flows[index];
    const uint64_t ahead =
        std::min<uint64_t>(1U << 16, std::max<uint64_t>(4, AHEAD_BYTES / m_chunk));
    while (!run.allPosted && run.inFlight < ahead)
    {
        WorkRequest wr;
        wr.wrId = index;
        wr.opcode = VerbsOpcode::RDMA_WRITE;
        wr.rkey = run.flow.dst->GetDefaultRegion()->GetRkey();
        wr.length = run.flow.endless ? std::min(m_chunk, ENDLESS_CHUNK)
                                     : std::min(m_chunk, run.flow.bytes - run.posted);
        run.posted += wr.length;
        run.allPosted = !run.flow.endless && run.posted == run.flow.bytes;
        ++run.inFlight;
        ++run.unreceived;
        run.on->messages.push_back(index);
        const VerbsResult result = run.on->tx->PostSend(wr);
        if (result != VerbsResult::OK)
        {
            run.result.error = VerbsWcStatus::GENERAL_ERR;
            Finish(index, RdmaFlowResult::Status::FAILED, FabricTime::Now());
            return;
        }
    }
}

void
RdmaFlowApplication::OnDelivery(Connection* connection, FabricPs at)
{
    const uint32_t index = connection->messages.front();
    connection->messages.pop_front();
    Running& run = m_flows[index];
    if (--run.unreceived == 0 && run.allPosted)
    {
        run.result.rxAt = at;
        m_receivedTrace(index, at);
    }
}

void
RdmaFlowApplication::OnCompletions(VerbsCompletionQueue& cq)
{
    WorkCompletion wc;
    while (cq.Poll(&wc, 1) > 0)
    {
        const auto index = static_cast<uint32_t>(wc.wrId);
        Running& run = m_flows[index];
        if (run.result.status != RdmaFlowResult::Status::RUNNING)
        {
            continue; // flushed after its end
        }
        --run.inFlight;
        if (wc.status != VerbsWcStatus::SUCCESS)
        {
            run.result.error = wc.status;
            Finish(index, RdmaFlowResult::Status::FAILED, wc.at);
        }
        else if (run.allPosted && run.inFlight == 0)
        {
            run.result.ackAt = wc.at;
            Finish(index, RdmaFlowResult::Status::FINISHED, wc.at);
        }
        else
        {
            PostMore(index);
        }
    }
}

void
RdmaFlowApplication::StopFlow(uint32_t index)
{
    if (m_flows[index].result.status == RdmaFlowResult::Status::RUNNING)
    {
        Finish(index, RdmaFlowResult::Status::STOPPED, FabricTime::Now());
    }
}

void
RdmaFlowApplication::ReadCounters(Running& run)
{
    run.flow.dst->CatchUp();
    run.flow.src->CatchUp();
    const RdmaQpCounters& tx = run.on->tx->GetCounters();
    run.result.retransmits = tx.retransmits - run.retransmitsBefore;
    run.result.timeouts = tx.timeouts - run.timeoutsBefore;
    run.result.delivered = run.on->rx->GetCounters().delivered - run.deliveredBefore;
    if (!run.flow.endless)
    {
        run.result.delivered = std::min(run.result.delivered, run.flow.bytes);
    }
}

void
RdmaFlowApplication::Finish(uint32_t index, RdmaFlowResult::Status status, FabricPs)
{
    Running& run = m_flows[index];
    ReadCounters(run);
    run.stop.Cancel();
    run.result.status = status;
    if (status == RdmaFlowResult::Status::FINISHED)
    {
        run.result.delivered = run.flow.bytes;
    }
    ++m_done;
    Connection* connection = run.on;
    run.on = nullptr;
    --connection->users;
    if (run.flow.connection == 0)
    {
        Close(connection);
    }
    const RdmaFlowResult result = run.result;
    m_doneTrace(index, result);
}

RdmaFlowResult
RdmaFlowApplication::GetResult(uint32_t index)
{
    Running& run = m_flows.at(index);
    if (run.on != nullptr)
    {
        ReadCounters(run);
    }
    return run.result;
}

Ptr<VerbsQueuePair>
RdmaFlowApplication::GetQueuePair(uint32_t index) const
{
    const Running& run = m_flows.at(index);
    return run.on == nullptr ? nullptr : run.on->tx;
}

} // namespace ns3
