/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nv-switch.h"

#include "nv-switch-generation.h"

#include "ns3/credit-flow-control.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-random.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NvSwitch);

namespace
{

constexpr uint32_t SLOT_BITS = 12;   //!< of a tag: table entry; above: its age
constexpr uint32_t MAX_TABLE = 4096; //!< table entries

} // namespace

TypeId
NvSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvSwitch")
            .SetParent<CreditSwitch>()
            .SetGroupName("AiFabric")
            .AddConstructor<NvSwitch>()
            .AddAttribute("Generation",
                          "1 to 4: 18 links of NVLink 2, 36 of NVLink 3, 64 of NVLink 4, 72 of "
                          "NVLink 5. Default: 0, the one that fits the links.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NvSwitch::m_generation),
                          MakeUintegerChecker<uint32_t>(0, NvSwitchGeneration::NEWEST))
            .AddAttribute("CrossbarLatency",
                          "PipelineLatency unless that is set to another value than 0 (time). "
                          "Default: 100 ns, assumed: no vendor publishes it.",
                          TimeValue(NanoSeconds(100)),
                          MakeTimeAccessor(&NvSwitch::m_crossbar),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReductionTable",
                          "Reductions and flushes of groups under way at once (entries). Default: "
                          "256, assumed: 1 MiB of 4 KiB frames.",
                          UintegerValue(256),
                          MakeUintegerAccessor(&NvSwitch::m_tableSize),
                          MakeUintegerChecker<uint32_t>(1, MAX_TABLE));
    return tid;
}

NvSwitch::NvSwitch() = default;

void
NvSwitch::NotifyConstructionCompleted()
{
    CreditSwitch::NotifyConstructionCompleted();
    if (GetPipelineLatency() == 0)
    {
        SetAttribute("PipelineLatency", TimeValue(m_crossbar));
    }
}

void
NvSwitch::DoDispose()
{
    for (FabricPacketFifo& list : m_waiting)
    {
        list.Clear();
    }
    for (Job& job : m_jobs)
    {
        if (job.request != nullptr)
        {
            FabricPacketPool::Get().Free(job.request);
            job.request = nullptr;
        }
    }
    CreditSwitch::DoDispose();
}

uint32_t
NvSwitch::GetLinkLimit(uint32_t generation)
{
    return NvSwitchGeneration::GetLinkLimit(generation);
}

NvSwitch::End&
NvSwitch::EndOf(uint16_t port)
{
    if (port >= GetNPorts())
    {
        throw FabricError(GetName() + ": there is no port " + std::to_string(port) + " of " +
                          std::to_string(GetNPorts()));
    }
    m_ends.resize(GetNPorts());
    return m_ends[port];
}

void
NvSwitch::SetEndpoint(uint16_t port, uint32_t endpoint)
{
    EndOf(port).endpoint = endpoint;
}

void
NvSwitch::SetPartition(uint16_t port, uint32_t partition)
{
    EndOf(port).partition = partition;
    m_partitioned = std::any_of(m_ends.begin(), m_ends.end(), [this](const End& end) {
        return end.partition != m_ends[0].partition;
    });
}

void
NvSwitch::AddGroup(uint32_t group, const std::vector<uint32_t>& members)
{
    Group made;
    made.number = group;
    for (uint32_t endpoint : members)
    {
        made.members.push_back({endpoint, {}});
    }
    const std::string where = GetName() + ": group " + std::to_string(group);
    if (members.size() < 2 || members.size() > MAX_MEMBERS)
    {
        throw FabricError(where + " has " + std::to_string(members.size()) + " members; 2 to " +
                          std::to_string(MAX_MEMBERS) + " are possible");
    }
    if (GroupOf(group) != NONE)
    {
        throw FabricError(where + " exists already");
    }
    if (m_started)
    {
        CheckGroup(made);
    }
    const uint32_t lowest = m_groups.empty() ? group : std::min(m_lowest, group);
    m_groupAt.insert(m_groupAt.begin(), m_groups.empty() ? 0 : m_lowest - lowest, NONE);
    m_lowest = lowest;
    m_groupAt.resize(std::max<size_t>(m_groupAt.size(), group - lowest + 1), NONE);
    m_groupAt[group - lowest] = static_cast<uint16_t>(m_groups.size());
    m_groups.push_back(made);
}

void
NvSwitch::CheckGroup(Group& group)
{
    const std::string where = GetName() + ": group " + std::to_string(group.number);
    if (!NvSwitchGeneration::CanReduce(m_generation))
    {
        throw FabricError(where + ": " + NvSwitchGeneration::GetName(m_generation) +
                          " has neither multicast nor reduction; generation 3 and later have");
    }
    std::string outside;
    for (size_t i = 0; i < group.members.size(); ++i)
    {
        Member& member = group.members[i];
        member.ports.clear();
        for (uint16_t port = 0; port < GetNPorts(); ++port)
        {
            const End& end = m_ends[port];
            if (end.endpoint != member.endpoint)
            {
                continue;
            }
            if (i == 0 && member.ports.empty())
            {
                group.partition = end.partition;
            }
            if (end.partition != group.partition)
            {
                throw FabricError(where + " has members in partitions " +
                                  std::to_string(group.partition) + " and " +
                                  std::to_string(end.partition));
            }
            member.ports.push_back(port);
        }
        if (member.ports.empty())
        {
            outside += (outside.empty() ? "" : ", ") + std::to_string(member.endpoint);
        }
        for (size_t k = 0; k < i; ++k)
        {
            if (group.members[k].endpoint == member.endpoint)
            {
                throw FabricError(where + " has endpoint " + std::to_string(member.endpoint) +
                                  " twice");
            }
        }
    }
    if (!outside.empty())
    {
        throw FabricError(where + " has members outside this switch: " + outside +
                          "; all must be in one NVSwitch domain");
    }
    const bool isEndpoint = std::any_of(m_ends.begin(), m_ends.end(), [&group](const End& end) {
        return end.endpoint == group.number;
    });
    if (isEndpoint || m_table.Lookup(group.number).size > 0)
    {
        throw FabricError(where + " has the number of an endpoint");
    }
}

void
NvSwitch::Start()
{
    m_ends.resize(GetNPorts());
    m_generation = NvSwitchGeneration::Check(GetName(), m_portAt, m_generation);
    for (Group& group : m_groups)
    {
        CheckGroup(group);
    }
    for (FabricPort* port : m_portAt)
    {
        port->cutThrough = true;
    }
    m_jobs.resize(m_tableSize);
    m_freeJobs.clear();
    for (uint32_t i = m_tableSize; i > 0; --i)
    {
        m_freeJobs.push_back(static_cast<uint16_t>(i - 1));
    }
    m_started = true;
    CreditSwitch::Start();
}

uint16_t
NvSwitch::GroupOf(uint32_t endpoint) const
{
    const uint32_t i = endpoint - m_lowest; // wraps for those below
    return i < m_groupAt.size() ? m_groupAt[i] : NONE;
}

FabricPort&
NvSwitch::PortTo(const Member& member, const FabricPacket& p) const
{
    const size_t n = member.ports.size();
    const uint64_t key = (static_cast<uint64_t>(p.src) << 32) ^ p.psn;
    return *m_portAt[member.ports[n == 1 ? 0 : FabricRandom::Mix(key) % n]];
}

bool
NvSwitch::DoIsMine(const FabricPacket& p) const
{
    if (GroupOf(p.dst) != NONE)
    {
        return true;
    }
    if (!m_partitioned)
    {
        return false;
    }
    const uint16_t out = RouteOf(p);
    return out != NO_PORT && m_ends[out].partition != m_ends[p.inPort].partition;
}

void
NvSwitch::DoConsume(FabricPort& in, FabricPacket* p)
{
    const uint16_t group = GroupOf(p->dst);
    const auto op = static_cast<MemoryOp>(p->opcode);
    const bool ours = group != NONE && m_groups[group].partition == m_ends[in.id].partition;
    m_stats.crossings += ours ? 0 : 1;
    if (!ours || op == MemoryOp::READ_REQUEST || op == MemoryOp::ATOMIC_REQUEST)
    {
        Refuse(in, p);
        return;
    }
    const MemoryClass kind = MemoryClassOf(op);
    if (kind == MEMORY_COMPLETION)
    {
        OnAnswer(p);
        return;
    }
    if (m_waiting[kind].IsEmpty() && HasRoom(op))
    {
        Begin(p);
        return;
    }
    m_waiting[kind].Push(p);
    m_stats.maxWaiting = std::max(m_stats.maxWaiting, ++m_nWaiting);
}

void
NvSwitch::DoUnroutable(FabricPort& in, FabricPacket* p)
{
    Refuse(in, p);
}

void
NvSwitch::Refuse(FabricPort& in, FabricPacket* p)
{
    Release(*p, p->arrival + p->tailLag);
    const auto op = static_cast<MemoryOp>(p->opcode);
    FabricPacket* answer = nullptr;
    if (MemoryClassOf(op) != MEMORY_COMPLETION)
    {
        ++m_stats.refused;
        answer = FabricPacketPool::Get().Clone(p);
        std::swap(answer->src, answer->dst);
        answer->destQp = p->opcode; // what is answered
        answer->opcode = static_cast<uint8_t>(MemoryOp::ACK);
        answer->syndrome = MEMORY_UNREACHABLE;
        answer->txStamp = 0; // nothing is confirmed
        answer->vl = MEMORY_COMPLETION;
        answer->inPort = NO_PORT;
        answer->tailLag = 0;
    }
    Drop(p, in, p->arrival, FabricDropReason::NO_ROUTE);
    if (answer != nullptr)
    {
        SendOn(in, answer);
    }
}

void
NvSwitch::SendOn(FabricPort& out, FabricPacket* p)
{
    const FabricPs now = FabricTime::Now();
    if (!out.up)
    {
        Drop(p, out, now, FabricDropReason::LINK_DOWN);
        return;
    }
    Queue(out, p);
    Arm(out, std::max(now, out.busyUntil));
}

bool
NvSwitch::HasRoom(MemoryOp op) const
{
    const bool job = op == MemoryOp::FLUSH || op == MemoryOp::REDUCE_REQUEST;
    return job ? !m_freeJobs.empty() : !m_freeHolds.empty() || m_holds.size() < MAX_HOLDS;
}

void
NvSwitch::Begin(FabricPacket* p)
{
    const auto op = static_cast<MemoryOp>(p->opcode);
    if (op == MemoryOp::FLUSH || op == MemoryOp::REDUCE_REQUEST)
    {
        StartJob(p);
    }
    else
    {
        Replicate(p);
    }
}

void
NvSwitch::Replicate(FabricPacket* p)
{
    ++m_stats.multicasts;
    if (m_freeHolds.empty())
    {
        m_freeHolds.push_back(static_cast<uint16_t>(m_holds.size()));
        m_holds.push_back({});
    }
    const uint16_t index = m_freeHolds.back();
    m_freeHolds.pop_back();
    FabricPacketPool& pool = FabricPacketPool::Get();
    const FabricPort& in = *m_portAt[p->inPort];
    m_holds[index] = {BytesOn(in, *p), in.id, 1, p->vl};
    for (const Member& member : m_groups[GroupOf(p->dst)].members)
    {
        if (member.endpoint == p->src)
        {
            continue;
        }
        FabricPacket* copy = pool.Clone(p);
        copy->dst = member.endpoint;
        FabricPort& out = PortTo(member, *p);
        if (!out.up)
        {
            Drop(copy, out, FabricTime::Now(), FabricDropReason::LINK_DOWN);
            continue;
        }
        ++m_stats.copies;
        ++m_holds[index].left;
        copy->inPort = HOLDS + index;
        SendOn(out, copy);
    }
    p->inPort = HOLDS + index;
    DoDeparted(*p, FabricTime::Now()); // the original goes last; nothing is left if all are down
    pool.Free(p);
}

void
NvSwitch::DoDeparted(const FabricPacket& p, FabricPs at)
{
    if (p.inPort < HOLDS)
    {
        CreditSwitch::DoDeparted(p, at);
        return;
    }
    const uint16_t index = p.inPort - HOLDS;
    Hold& hold = m_holds[index];
    if (--hold.left > 0)
    {
        return;
    }
    CreditsOf(*m_portAt[hold.in]).Release(hold.vl, hold.bytes, at);
    m_freeHolds.push_back(index);
    if (m_nWaiting > 0)
    {
        ArmInstantEnd(); // which port sends first within an instant must not matter
    }
}

void
NvSwitch::StartJob(FabricPacket* p)
{
    const bool flush = static_cast<MemoryOp>(p->opcode) == MemoryOp::FLUSH;
    ++(flush ? m_stats.flushes : m_stats.reductions);
    const uint16_t slot = m_freeJobs.back();
    m_freeJobs.pop_back();
    m_stats.maxJobs = std::max(m_stats.maxJobs, GetJobs());
    Release(*p, FabricTime::Now());
    Job& job = m_jobs[slot];
    const auto sent = static_cast<uint64_t>(p->txStamp);
    job = {p, {}, FabricTime::Now(), sent, job.age + 1, GroupOf(p->dst), 0};
    const Group& group = m_groups[job.group];
    for (size_t i = 0; i < group.members.size(); ++i)
    {
        const Member& member = group.members[i];
        FabricPort& out = PortTo(member, *p);
        if (flush && member.endpoint == p->src)
        {
            continue;
        }
        if (!out.up)
        {
            Lose(job);
            continue;
        }
        job.left[i / 64] |= 1ULL << (i % 64);
        FabricPacket* ask = FabricPacketPool::Get().Allocate();
        ask->kind = FabricPacketKind::MEMORY;
        ask->opcode = static_cast<uint8_t>(flush ? MemoryOp::FLUSH : MemoryOp::READ_REQUEST);
        ask->src = group.number;
        ask->dst = member.endpoint;
        ask->psn = job.age << SLOT_BITS | slot;
        ask->txStamp = p->txStamp;
        if (flush)
        {
            // it asks for the bytes of the operation, whose copies bear its source and tag
            FabricPacketPool::Get().Side(ask).operand = FabricPacketPool::Get().Side(p).operand;
        }
        ask->payload = p->payload;
        ask->vl = p->vl;
        ask->inPort = NO_PORT;
        ask->arrival = p->arrival; // its last packet cannot leave before it is here
        ask->tailLag = p->tailLag;
        SendOn(out, ask);
    }
    if ((job.left[0] | job.left[1]) == 0)
    {
        Finish(slot);
    }
}

void
NvSwitch::OnAnswer(FabricPacket* p)
{
    const FabricPs tail = p->arrival + p->tailLag;
    Release(*p, tail);
    const uint32_t slot = p->psn & (MAX_TABLE - 1);
    Job* job = slot < m_jobs.size() ? &m_jobs[slot] : nullptr;
    const bool known = job != nullptr && job->request != nullptr &&
                       p->psn == (job->age << SLOT_BITS | slot) &&
                       m_groups[job->group].number == p->dst;
    size_t i = 0;
    const size_t n = known ? m_groups[job->group].members.size() : 0;
    while (i < n && m_groups[job->group].members[i].endpoint != p->src)
    {
        ++i;
    }
    if (i == n || !((job->left[i / 64] >> (i % 64)) & 1))
    {
        ++m_stats.stale;
    }
    else
    {
        job->left[i / 64] &= ~(1ULL << (i % 64));
        job->tail = std::max(job->tail, tail);
        job->status = job->status == 0 ? p->syndrome : job->status;
        job->landed = std::min(job->landed, static_cast<uint64_t>(p->txStamp));
        if ((job->left[0] | job->left[1]) == 0)
        {
            Finish(static_cast<uint16_t>(slot));
        }
    }
    FabricPacketPool::Get().Free(p);
}

void
NvSwitch::Lose(Job& job)
{
    job.status = MEMORY_LINK_DOWN;
    job.landed = 0;
}

void
NvSwitch::Finish(uint16_t slot)
{
    Job& job = m_jobs[slot];
    FabricPacket* p = job.request;
    job.request = nullptr;
    m_freeJobs.push_back(slot);
    if (m_nWaiting > 0)
    {
        ArmInstantEnd();
    }
    const FabricPs now = FabricTime::Now();
    const bool sum = static_cast<MemoryOp>(p->opcode) == MemoryOp::REDUCE_REQUEST;
    FabricPort& back = *m_portAt[p->inPort];
    p->destQp = p->opcode;
    p->opcode =
        static_cast<uint8_t>(sum && job.status == 0 ? MemoryOp::READ_RESPONSE : MemoryOp::ACK);
    p->syndrome = job.status;
    p->txStamp = sum ? p->txStamp : static_cast<FabricPs>(job.landed); // by every member
    p->arrival = now;
    // its last packet cannot leave before the last packet of the slowest answer is here
    p->tailLag = static_cast<uint32_t>(std::max<FabricPs>(0, job.tail - now));
    std::swap(p->src, p->dst);
    p->vl = MEMORY_COMPLETION;
    p->inPort = NO_PORT;
    SendOn(back, p);
}

void
NvSwitch::DoInstantEnd(FabricPs)
{
    for (FabricPacketFifo& list : m_waiting)
    {
        while (!list.IsEmpty() && HasRoom(static_cast<MemoryOp>(list.Front()->opcode)))
        {
            --m_nWaiting;
            Begin(list.Pop());
        }
    }
}

void
NvSwitch::DoLinkChanged(FabricPort& port, bool up)
{
    CreditSwitch::DoLinkChanged(port, up);
    for (uint16_t slot = 0; !up && slot < m_jobs.size(); ++slot)
    {
        Job& job = m_jobs[slot];
        if (job.request == nullptr)
        {
            continue;
        }
        const auto& members = m_groups[job.group].members;
        bool lost = false;
        for (size_t i = 0; i < members.size(); ++i)
        {
            const uint64_t bit = 1ULL << (i % 64);
            if ((job.left[i / 64] & bit) && PortTo(members[i], *job.request).id == port.id)
            {
                job.left[i / 64] &= ~bit;
                lost = true;
            }
        }
        if (lost)
        {
            Lose(job);
        }
        if (lost && (job.left[0] | job.left[1]) == 0)
        {
            Finish(slot);
        }
    }
}

} // namespace ns3
