/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "raw-memory.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RawMemory);

TypeId
RawMemory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RawMemory")
                            .SetParent<CreditSwitch>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RawMemory>();
    return tid;
}

RawMemory::~RawMemory()
{
    for (Script& script : m_scripts)
    {
        script.answers.Clear();
    }
}

RawMemory::Script&
RawMemory::At(uint16_t port, uint8_t vl)
{
    m_scripts.resize(std::max<size_t>(m_scripts.size(), m_ports.size() * FABRIC_CLASSES));
    return m_scripts[port * FABRIC_CLASSES + vl];
}

uint32_t
RawMemory::Send(Burst burst)
{
    const uint32_t tag = m_tag + 1;
    m_tag += static_cast<uint32_t>(burst.count);
    if (burst.vl == FABRIC_CLASSES)
    {
        burst.vl = MemoryClassOf(burst.op);
    }
    Script& script = At(burst.port, burst.vl);
    script.bursts.push_back(burst);
    script.tags.push_back(tag);
    FabricPort& port = *m_portAt[burst.port];
    Arm(port, std::max({burst.start, FabricTime::Now(), port.busyUntil}));
    return tag;
}

uint64_t
RawMemory::GetBacklog() const
{
    uint64_t left = 0;
    for (const Script& script : m_scripts)
    {
        for (size_t i = script.next; i < script.bursts.size(); ++i)
        {
            left += script.bursts[i].count;
        }
    }
    return left;
}

bool
RawMemory::DoIsMine(const FabricPacket& p) const
{
    return p.dst == endpoint;
}

void
RawMemory::DoConsume(FabricPort& in, FabricPacket* p)
{
    Count& count = received[p->opcode];
    ++count.frames;
    count.bytes += p->payload;
    const FabricPs tail = p->arrival + p->tailLag;
    lastArrival = std::max(lastArrival, p->arrival);
    lastTail = std::max(lastTail, tail);
    ++Trajectory().delivered;
    Release(*p, tail + consumeTime);
    if (onReceive)
    {
        onReceive(*p);
    }
    const auto op = static_cast<MemoryOp>(p->opcode);
    if (answers && (op == MemoryOp::READ_REQUEST || op == MemoryOp::FLUSH))
    {
        Answer(in, p);
        return;
    }
    FabricPacketPool::Get().Free(p);
}

void
RawMemory::Answer(FabricPort& in, FabricPacket* p)
{
    const bool read = static_cast<MemoryOp>(p->opcode) == MemoryOp::READ_REQUEST;
    p->destQp = p->opcode;
    p->opcode = static_cast<uint8_t>(read ? MemoryOp::READ_RESPONSE : MemoryOp::ACK);
    std::swap(p->src, p->dst);
    p->vl = MEMORY_COMPLETION;
    p->arrival += p->tailLag + serviceTime;
    p->tailLag = 0;
    p->hops = 0;
    p->inPort = NO_PORT;
    At(in.id, MEMORY_COMPLETION).answers.Push(p);
    Arm(in, std::max({p->arrival, FabricTime::Now(), in.busyUntil}));
}

FabricPacket*
RawMemory::Next(Script& script, uint8_t vl, FabricPs now, FabricPs& wait)
{
    if (!script.answers.IsEmpty())
    {
        if (script.answers.Front()->arrival <= now)
        {
            return script.answers.Pop();
        }
        wait = std::min(wait, script.answers.Front()->arrival);
        return nullptr;
    }
    if (script.next == script.bursts.size())
    {
        return nullptr;
    }
    Burst& burst = script.bursts[script.next];
    if (burst.start > now)
    {
        wait = std::min(wait, burst.start);
        return nullptr;
    }
    FabricPacket* p = FabricPacketPool::Get().Allocate();
    p->kind = FabricPacketKind::MEMORY;
    p->opcode = static_cast<uint8_t>(burst.op);
    p->src = endpoint;
    p->dst = burst.dst;
    p->payload = static_cast<uint16_t>(burst.payload);
    p->psn = script.tags[script.next]++;
    p->txStamp = static_cast<FabricPs>(burst.address);
    p->inPort = NO_PORT;
    p->vl = vl;
    p->bytes = burst.payload;
    p->arrival = now;
    burst.address += burst.payload;
    if (--burst.count == 0)
    {
        ++script.next;
    }
    return p;
}

void
RawMemory::DoRefill(FabricPort& port, FabricPs now)
{
    FabricPs wait = FABRIC_NEVER;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        FabricPacket* p = port.queue[vl].IsEmpty() ? Next(At(port.id, vl), vl, now, wait) : nullptr;
        if (p != nullptr)
        {
            Queue(port, p);
        }
    }
    if (wait != FABRIC_NEVER)
    {
        Arm(port, std::max(wait, port.busyUntil));
    }
}

CreditFabric::~CreditFabric()
{
    for (auto& station : GetStations())
    {
        station->Dispose();
    }
}

std::vector<Ptr<CreditSwitch>>
CreditFabric::GetStations() const
{
    std::vector<Ptr<CreditSwitch>> all(memories.begin(), memories.end());
    all.insert(all.end(), switches.begin(), switches.end());
    return all;
}

Ptr<RawMemory>
CreditFabric::AddMemory()
{
    auto memory = CreateObject<RawMemory>();
    memory->endpoint = static_cast<uint32_t>(memories.size());
    memory->SetName("m" + std::to_string(memory->endpoint));
    memory->SetAttribute("EagerArrivals", BooleanValue(eager));
    memories.push_back(memory);
    return memory;
}

Ptr<CreditSwitch>
CreditFabric::AddSwitch(const std::string& type)
{
    ObjectFactory factory(type);
    factory.Set("EagerArrivals", BooleanValue(eager));
    auto made = factory.Create<CreditSwitch>();
    made->SetName("s" + std::to_string(switches.size()));
    switches.push_back(made);
    return made;
}

uint32_t
CreditFabric::Connect(Ptr<CreditSwitch> a, Ptr<CreditSwitch> b, const Wire& wire)
{
    const LinkProfile& profile = LinkProfile::Get(wire.profile);
    const uint16_t ports[] = {a->AddPort(), b->AddPort()};
    FabricPort& first = a->GetPort(ports[0]);
    FabricPort& second = b->GetPort(ports[1]);
    FabricStation::Wire(first,
                        second,
                        FabricRate(wire.rateBps == 0 ? profile.rateBps * wire.links : wire.rateBps),
                        wire.latency == 0 ? profile.latencyPs : wire.latency,
                        wire.errorRate,
                        0,
                        m_links);
    const Ptr<CreditSwitch> stations[] = {a, b};
    for (int end : {0, 1})
    {
        FabricPort& port = stations[end]->GetPort(ports[end]);
        port.link = &profile;
        port.cutThrough = cutThrough && DynamicCast<RawMemory>(stations[end]) == nullptr;
        auto credits = CreateObject<CreditFlowControl>();
        credits->SetBuffer(wire.buffer == 0 ? profile.creditBytes * wire.links : wire.buffer);
        credits->SetAttribute("ReturnLatency", TimeValue(PicoSeconds(returnTime)));
        auto scheduler = CreateObject<StrictDwrrScheduler>();
        scheduler->SetAttribute("StrictClasses", UintegerValue(0));
        stations[end]->SetPortPolicies(ports[end], credits, scheduler);
    }
    return m_links++;
}

void
CreditFabric::Route()
{
    std::map<const FabricStation*, uint32_t> distance;
    const auto stations = GetStations();
    for (auto& station : stations)
    {
        station->GetForwardingTable().Reset(static_cast<uint32_t>(memories.size()));
    }
    for (auto& memory : memories)
    {
        distance.clear();
        std::vector<FabricStation*> front{PeekPointer(memory)};
        distance[front[0]] = 0;
        for (size_t i = 0; i < front.size(); ++i)
        {
            if (i > 0 && dynamic_cast<RawMemory*>(front[i]) != nullptr)
            {
                continue; // endpoints do not relay
            }
            for (uint16_t k = 0; k < front[i]->GetNPorts(); ++k)
            {
                FabricStation* next = front[i]->GetPort(k).peer->station;
                if (distance.emplace(next, distance[front[i]] + 1).second)
                {
                    front.push_back(next);
                }
            }
        }
        for (auto& station : stations)
        {
            std::vector<uint16_t> ports;
            const auto here = distance.find(PeekPointer(station));
            for (uint16_t k = 0; here != distance.end() && k < station->GetNPorts(); ++k)
            {
                const FabricStation* next = station->GetPort(k).peer->station;
                const auto there = distance.find(next);
                const bool relays = next == PeekPointer(memory) ||
                                    dynamic_cast<const RawMemory*>(next) == nullptr;
                if (relays && there != distance.end() && there->second + 1 == here->second)
                {
                    ports.push_back(k);
                }
            }
            station->GetForwardingTable().Set(memory->endpoint, ports);
        }
    }
}

void
CreditFabric::Start()
{
    Route();
    for (auto& station : GetStations())
    {
        station->Start();
    }
}

void
CreditFabric::MakeStar(uint32_t n, const Wire& wire, const std::string& type)
{
    auto center = AddSwitch(type);
    for (uint32_t i = 0; i < n; ++i)
    {
        Connect(AddMemory(), center, wire);
    }
}

void
CreditFabric::MakeLine(uint32_t links, const Wire& wire)
{
    Ptr<CreditSwitch> last = AddMemory();
    for (uint32_t i = 1; i < links; ++i)
    {
        auto next = AddSwitch();
        Connect(last, next, wire);
        last = next;
    }
    Connect(last, AddMemory(), wire);
    Start();
}

std::string
CreditFabric::ExplainImbalance()
{
    for (auto& station : GetStations())
    {
        station->Sync();
    }
    for (auto& station : GetStations())
    {
        const std::string wrong = station->ExplainImbalance();
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    return "";
}

std::string
CreditFabric::ExplainRest()
{
    std::string wrong = ExplainImbalance();
    for (auto& station : GetStations())
    {
        for (uint16_t i = 0; i < station->GetNPorts() && wrong.empty(); ++i)
        {
            const auto& credits = *static_cast<CreditFlowControl*>(station->GetPort(i).flow);
            for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
            {
                if (credits.GetHeld(vl) != 0)
                {
                    wrong = station->GetName() + " port " + std::to_string(i) + " class " +
                            std::to_string(vl) + " still holds " +
                            std::to_string(credits.GetHeld(vl)) + " blocks";
                }
            }
        }
    }
    return wrong;
}

uint64_t
CreditFabric::GetDrops()
{
    uint64_t drops = 0;
    for (auto& station : GetStations())
    {
        for (uint16_t i = 0; i < station->GetNPorts(); ++i)
        {
            for (const auto& c : station->GetPort(i).stats.of)
            {
                drops += c.drops;
            }
        }
    }
    return drops;
}

void
CreditFabric::Run()
{
    Simulator::Run();
}

} // namespace ns3
