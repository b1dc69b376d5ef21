/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "verbs-queue-pair.h"

#include "loss-recovery.h"
#include "qp-core.h"
#include "rdma-dma-side.h"
#include "rdma-nic-engine.h"
#include "rdma-nic.h"

#include "ns3/fabric-error.h"
#include "ns3/object-factory.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(VerbsQueuePair);

TypeId
VerbsQueuePair::GetTypeId()
{
    static TypeId tid = TypeId("ns3::VerbsQueuePair").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
RdmaQpCounters::Add(const RdmaQpCounters& other)
{
    txPackets += other.txPackets;
    txBytes += other.txBytes;
    retransmits += other.retransmits;
    rxPackets += other.rxPackets;
    delivered += other.delivered;
    messagesIn += other.messagesIn;
    acksTx += other.acksTx;
    acksRx += other.acksRx;
    naksTx += other.naksTx;
    naksRx += other.naksRx;
    rnrTx += other.rnrTx;
    rnrRx += other.rnrRx;
    timeouts += other.timeouts;
    cnpsTx += other.cnpsTx;
    cnpsRx += other.cnpsRx;
    markedRx += other.markedRx;
    duplicates += other.duplicates;
    discarded += other.discarded;
}

VerbsQueuePair::VerbsQueuePair() = default;
VerbsQueuePair::~VerbsQueuePair() = default;

void
VerbsQueuePair::DoDispose()
{
    m_nic = nullptr;
    m_init = VerbsQpInit();
    if (m_core)
    {
        m_core->state = VerbsQpState::RESET;
        m_core->sendCq = nullptr;
        m_core->recvCq = nullptr;
        m_core->congestion = nullptr;
        m_core->recovery = nullptr;
        m_core->responder.delivery = DeliveryCallback();
    }
    Object::DoDispose();
}

VerbsResult
VerbsQueuePair::Modify(VerbsQpState to, const VerbsQpAttributes& attributes)
{
    if (m_nic == nullptr)
    {
        return VerbsResult::INVALID_STATE;
    }
    m_nic->CatchUp();
    const VerbsQpState from = m_core->state;
    if (!VerbsTransitionAllowed(m_init.type, from, to))
    {
        return VerbsResult::INVALID_STATE;
    }
    VerbsResult result = VerbsResult::OK;
    const FabricPs now = FabricTime::Now();
    switch (to)
    {
    case VerbsQpState::RESET:
        ToReset();
        break;
    case VerbsQpState::INIT:
        m_core->attr.qkey = attributes.qkey;
        break;
    case VerbsQpState::RTR:
        result = ToRtr(attributes);
        break;
    case VerbsQpState::RTS:
        result = from == VerbsQpState::RTR ? ToRts(attributes) : result;
        break;
    case VerbsQpState::ERR:
        m_core->EnterError(now);
        m_core->engine.AnnounceLater();
        return result;
    default:
        break;
    }
    if (result == VerbsResult::OK)
    {
        m_core->state = to;
        if (to == VerbsQpState::RTS)
        {
            m_core->engine.Kick(*m_core, now);
        }
    }
    return result;
}

VerbsResult
VerbsQueuePair::ToRtr(const VerbsQpAttributes& attributes)
{
    QpCore& core = *m_core;
    const FabricPort& port = m_nic->GetPort(0);
    if (port.peer == nullptr)
    {
        throw FabricError(m_nic->GetName() + ": wire the NIC before a queue pair goes to RTR");
    }
    uint8_t vl = attributes.trafficClass == 255 ? m_nic->m_dataClass : attributes.trafficClass;
    if (attributes.minRnrTimer > 31 || attributes.rqPsn > RdmaPsn::MASK ||
        attributes.destQpn > RdmaPsn::MASK || vl > 7 ||
        !m_nic->DoAccept(attributes, core.mtu, vl))
    {
        return VerbsResult::INVALID_ARGUMENT;
    }
    const uint32_t qkey = core.attr.qkey;
    core.attr = attributes;
    core.attr.qkey = qkey;
    core.vl = vl;
    core.entry.vl = core.vl;
    core.flowHash = core.engine.FlowHash(core, attributes.destEndpoint, attributes.destQpn);
    core.responder.Start(attributes.rqPsn);
    core.postNext[0] = attributes.rqPsn;
    core.rate = RdmaRateState();
    core.rate.lineRateBps = core.rate.rateBps = static_cast<double>(port.rate.GetBps());
    core.rate.baseRtt = attributes.baseRtt;
    core.rate.mtuBytes = core.mtu;
    core.paceStart = core.cnpFrom = 0;
    core.paceBits = 0;
    Ptr<RdmaCongestionOps> prototype = m_init.congestion ? m_init.congestion : m_nic->m_congestion;
    if (prototype && m_init.type != VerbsQpType::UD)
    {
        core.congestion = prototype->Fork();
        core.congestion->Init(core.rate, FabricTime::Now());
        core.needs = static_cast<uint8_t>(core.congestion->Needs());
    }
    if (m_init.type == VerbsQpType::RC)
    {
        const TypeId recovery = m_nic->m_recovery;
        if (!recovery.IsChildOf(LossRecovery::GetTypeId()) || !recovery.HasConstructor())
        {
            throw FabricError("ns3::RdmaNic::LossRecovery '" + recovery.GetName() +
                              "': a subclass of ns3::LossRecovery is needed");
        }
        ObjectFactory factory;
        factory.SetTypeId(recovery);
        core.recovery = factory.Create<LossRecovery>();
    }
    return VerbsResult::OK;
}

VerbsResult
VerbsQueuePair::ToRts(const VerbsQpAttributes& attributes)
{
    if (attributes.sqPsn > RdmaPsn::MASK || attributes.rnrRetry > 7 ||
        (attributes.timeout > 31 && attributes.timeout != 255))
    {
        return VerbsResult::INVALID_ARGUMENT;
    }
    VerbsQpAttributes& attr = m_core->attr;
    attr.sqPsn = attributes.sqPsn;
    attr.timeout = attributes.timeout;
    attr.retryCount = attributes.retryCount;
    attr.rnrRetry = attributes.rnrRetry;
    attr.maxRdAtomic = attributes.maxRdAtomic;
    FabricPs timeout = static_cast<FabricPs>(4'096'000) << (attr.timeout & 31);
    if (attr.timeout == 255)
    {
        timeout = FabricTime::From(m_nic->m_retryTimeout);
    }
    if (attr.timeout == 0 || timeout == 0)
    {
        timeout = FABRIC_NEVER;
    }
    m_core->requester.Start(attr.sqPsn, timeout);
    return VerbsResult::OK;
}

void
VerbsQueuePair::ToReset()
{
    QpCore& core = *m_core;
    core.engine.Quiesce(core);
    core.requester.Clear();
    core.responder.Clear();
    if (RdmaDmaSide* dma = core.engine.Dma())
    {
        dma->Forget(core);
    }
    ReceiveRequest dropped;
    while (!core.responder.shared && core.responder.receives->Take(dropped))
    {
    }
    core.congestion = nullptr;
    core.recovery = nullptr;
    core.needs = 0;
}

VerbsResult
VerbsQueuePair::CheckSend(const WorkRequest& wr) const
{
    const bool remote = wr.opcode != VerbsOpcode::SEND && wr.opcode != VerbsOpcode::SEND_WITH_IMM;
    if (wr.opcode > VerbsOpcode::ATOMIC_FETCH_AND_ADD ||
        (m_init.type == VerbsQpType::UC && wr.opcode >= VerbsOpcode::RDMA_READ) ||
        (m_init.type == VerbsQpType::UD && remote))
    {
        return VerbsResult::INVALID_OPCODE;
    }
    if (wr.opcode <= VerbsOpcode::RDMA_READ)
    {
        const bool datagram = m_init.type == VerbsQpType::UD;
        if (wr.length > VERBS_MAX_MESSAGE || (datagram && wr.length > m_core->mtu) ||
            wr.length > RdmaPsn::MAX_OUTSTANDING * m_core->mtu)
        {
            return VerbsResult::TOO_LONG;
        }
    }
    if (m_core->requester.GetOutstanding() >= m_init.maxSend)
    {
        return VerbsResult::QUEUE_FULL;
    }
    return VerbsResult::OK;
}

VerbsResult
VerbsQueuePair::PostSend(const WorkRequest& wr)
{
    if (m_nic == nullptr || m_core->state < VerbsQpState::RTS)
    {
        return VerbsResult::INVALID_STATE;
    }
    m_nic->CatchUp();
    const VerbsResult result = CheckSend(wr);
    if (result != VerbsResult::OK)
    {
        return result;
    }
    QpCore& core = *m_core;
    const FabricPs now = FabricTime::Now();
    FabricPs readyAt = now + FabricTime::From(m_nic->m_doorbell);
    const bool inlined = wr.length <= m_nic->m_inline || (wr.flags & VERBS_SEND_INLINE);
    if (wr.opcode < VerbsOpcode::RDMA_READ && wr.length > 0 && !inlined)
    {
        readyAt += FabricTime::From(m_nic->m_dmaRead);
    }
    WorkRequest copy = wr;
    copy.flags |= inlined ? VERBS_SEND_INLINE : 0;
    copy.flags |= m_init.signalAll ? VERBS_SEND_SIGNALED : 0;
    copy.length = wr.opcode > VerbsOpcode::RDMA_READ ? 8 : wr.length;
    core.requester.Post(copy, readyAt);
    if (core.state == VerbsQpState::ERR || core.state == VerbsQpState::SQE)
    {
        core.requester.Flush(now);
        core.engine.AnnounceLater();
    }
    else
    {
        core.engine.Kick(core, now);
    }
    return VerbsResult::OK;
}

VerbsResult
VerbsQueuePair::PostRecv(const ReceiveRequest& rr)
{
    if (m_nic == nullptr || m_core->state == VerbsQpState::RESET || m_core->responder.shared)
    {
        return VerbsResult::INVALID_STATE;
    }
    m_nic->CatchUp();
    const VerbsResult result = m_core->responder.receives->PostRecv(rr);
    if (result == VerbsResult::OK && m_core->state == VerbsQpState::ERR)
    {
        m_core->responder.Flush(FabricTime::Now());
        m_core->engine.AnnounceLater();
    }
    return result;
}

uint32_t
VerbsQueuePair::GetQpn() const
{
    return m_core->qpn;
}

VerbsQpType
VerbsQueuePair::GetType() const
{
    return m_core->type;
}

VerbsQpState
VerbsQueuePair::GetState() const
{
    return m_core->state;
}

uint32_t
VerbsQueuePair::GetSendOutstanding() const
{
    return m_core->requester.GetOutstanding();
}

bool
VerbsQueuePair::IsSendDrained() const
{
    return m_core->state == VerbsQpState::SQD && !m_core->requester.HasBegun();
}

const RdmaQpCounters&
VerbsQueuePair::GetCounters() const
{
    return m_core->counters;
}

FabricPs
VerbsQueuePair::GetLastMessageAt() const
{
    return m_core->responder.GetLastMessageAt();
}

void
VerbsQueuePair::SetDeliveryCallback(DeliveryCallback callback)
{
    m_core->responder.delivery = callback;
}

uint32_t
VerbsQueuePair::GetFlowHash() const
{
    return m_core->flowHash;
}

double
VerbsQueuePair::GetRateBps() const
{
    return m_core->rate.rateBps;
}

Ptr<RdmaCongestionOps>
VerbsQueuePair::GetCongestion() const
{
    return m_core->congestion;
}

} // namespace ns3
