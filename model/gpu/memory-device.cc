/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "memory-device.h"

#include "ns3/boolean.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/link-profile.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MemoryDevice);

TypeId
MemoryDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MemoryDevice")
            .SetParent<CreditSwitch>()
            .SetGroupName("AiFabric")
            .AddConstructor<MemoryDevice>()
            .AddAttribute("MemoryBytes",
                          "Size of the memory (bytes); without a memory map, requests beyond it "
                          "are refused. Default: 80 GiB, the HBM of an A100 or H100.",
                          UintegerValue(80ULL << 30),
                          MakeUintegerAccessor(&MemoryDevice::m_bytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("MemoryRate",
                          "Bandwidth of the memory (bit/s), shared by all its reads and writes; "
                          "0: no limit. Default: 3.35 TB/s, HBM3 of an H100 SXM.",
                          DataRateValue(DataRate(26'800'000'000'000ULL)),
                          MakeDataRateAccessor(&MemoryDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("MemoryLatency",
                          "From the arrival of a request to its first data, and from the last "
                          "data of a write to its being done (time). Default: 300 ns, assumed: "
                          "about half of a GPU's load-to-use latency from HBM.",
                          TimeValue(NanoSeconds(300)),
                          MakeTimeAccessor(&MemoryDevice::m_memoryLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("IssueLatency",
                          "From posting an operation to its first packet (time). Default: 100 ns, "
                          "assumed.",
                          TimeValue(NanoSeconds(100)),
                          MakeTimeAccessor(&MemoryDevice::m_issueLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FrameBytes",
                          "Data of one frame (bytes), which stands for as many link packets as it "
                          "takes. Default: 4096; 256 simulates every NVLink packet by itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&MemoryDevice::m_frameBytes),
                          MakeUintegerChecker<uint32_t>(16, 32768))
            .AddAttribute("MaxReads",
                          "Read and atomic requests that may wait for their answers at once "
                          "(frames). Default: 1024, assumed: 4 MiB under way.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&MemoryDevice::m_maxReads),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CompletionTimeout",
                          "An operation without any progress for this long fails (time); 0: never. "
                          "Default: 50 ms, the usual one of PCI Express.",
                          TimeValue(MilliSeconds(50)),
                          MakeTimeAccessor(&MemoryDevice::m_timeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("CopyEngines",
                          "Copies that run at once. Default: 2, one for each direction.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&MemoryDevice::m_copyEngines),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("CopyEngineRate",
                          "Ceiling of each copy engine (bit/s); 0: none. Default: 0, the link is "
                          "the limit.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&MemoryDevice::m_copyRate),
                          MakeDataRateChecker())
            .AddAttribute("CopyEngineLatency",
                          "To start a copy engine, besides IssueLatency (time). Default: 1 us, "
                          "assumed; published peer latencies are 1.8 to 3.4 us.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&MemoryDevice::m_copyLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Relay",
                          "Forward packets for other devices, as a CPU or a die does; a GPU "
                          "refuses them. Default: off.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MemoryDevice::m_relay),
                          MakeBooleanChecker());
    return tid;
}

MemoryDevice::MemoryDevice()
    : m_requester(*this),
      m_responder(*this)
{
}

MemoryDevice::~MemoryDevice() = default;

void
MemoryDevice::DoDispose()
{
    m_map = nullptr;
    CreditSwitch::DoDispose();
}

void
MemoryDevice::SetEndpoint(uint32_t endpoint)
{
    m_endpoint = endpoint;
}

void
MemoryDevice::SetMap(Ptr<MemoryMap> map)
{
    m_map = map;
}

void
MemoryDevice::Start()
{
    CreditSwitch::Start();
    if (m_endpoint == MemoryRequest::BY_MAP || GetNPorts() > 64)
    {
        throw FabricError(GetName() + ": a memory device needs an endpoint number and at most 64 "
                                      "ports; it has " +
                          std::to_string(GetNPorts()));
    }
    m_memory.SetRate(m_rate.GetBitRate());
    m_requester.Start(GetNPorts(), m_copyEngines, m_copyRate.GetBitRate());
    m_responder.Start(GetNPorts());
    m_own.assign(GetNPorts(), 0);
    m_started = true;
}

uint32_t
MemoryDevice::GetMaxPayload() const
{
    return m_relay ? std::max(m_frameBytes, CreditSwitch::GetMaxPayload()) : m_frameBytes;
}

uint32_t
MemoryDevice::Post(const MemoryRequest& request, MemoryCallback done)
{
    const char* wrong = nullptr;
    if (!m_started)
    {
        wrong = "must not begin before Start()";
    }
    else if (request.bytes == 0 || request.op == MemoryOp::FLUSH ||
             MemoryClassOf(request.op) == MEMORY_COMPLETION)
    {
        wrong = "must be a write, a read or an atomic of at least 1 byte";
    }
    else if (request.op == MemoryOp::ATOMIC_REQUEST &&
             (request.bytes != 8 || request.address % 8 != 0))
    {
        wrong = "that is an atomic takes 8 bytes, at a multiple of 8";
    }
    else if (request.owner == MemoryRequest::BY_MAP && !m_map)
    {
        wrong = "that names no owner needs a memory map";
    }
    if (wrong != nullptr)
    {
        throw FabricError(GetName() + ": a memory operation " + wrong);
    }
    const FabricPs now = FabricTime::Now();
    Drain(now); // what has arrived by now comes first, whatever the order of events
    return m_requester.Post(request, std::move(done), now);
}

void
MemoryDevice::Write(uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.address = address;
    request.bytes = bytes;
    Post(request, std::move(done));
}

void
MemoryDevice::Read(uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.op = MemoryOp::READ_REQUEST;
    request.address = address;
    request.bytes = bytes;
    Post(request, std::move(done));
}

void
MemoryDevice::Store(uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.address = address;
    request.bytes = bytes;
    request.inMemory = false;
    Post(request, std::move(done));
}

void
MemoryDevice::Load(uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.op = MemoryOp::READ_REQUEST;
    request.address = address;
    request.bytes = bytes;
    request.inMemory = false;
    Post(request, std::move(done));
}

void
MemoryDevice::FetchAdd(uint64_t address, uint64_t addend, MemoryCallback done)
{
    MemoryRequest request;
    request.op = MemoryOp::ATOMIC_REQUEST;
    request.address = address;
    request.bytes = 8;
    request.operand = addend;
    Post(request, std::move(done));
}

void
MemoryDevice::CompareSwap(uint64_t address, uint64_t compare, uint64_t value, MemoryCallback done)
{
    MemoryRequest request;
    request.op = MemoryOp::ATOMIC_REQUEST;
    request.atomic = MemoryAtomic::COMPARE_SWAP;
    request.address = address;
    request.bytes = 8;
    request.operand = value;
    request.compare = compare;
    Post(request, std::move(done));
}

void
MemoryDevice::Copy(bool push,
                   uint32_t owner,
                   uint64_t address,
                   uint64_t bytes,
                   MemoryCallback done)
{
    MemoryRequest request;
    request.op = push ? MemoryOp::WRITE : MemoryOp::READ_REQUEST;
    request.owner = owner;
    request.address = address;
    request.bytes = bytes;
    request.copyEngine = true;
    Post(request, std::move(done));
}

void
MemoryDevice::WriteMulticast(uint32_t group, uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.owner = group;
    request.address = address;
    request.bytes = bytes;
    Post(request, std::move(done));
}

void
MemoryDevice::ReduceRead(uint32_t group, uint64_t address, uint64_t bytes, MemoryCallback done)
{
    MemoryRequest request;
    request.op = MemoryOp::REDUCE_REQUEST;
    request.owner = group;
    request.address = address;
    request.bytes = bytes;
    Post(request, std::move(done));
}

uint64_t
MemoryDevice::PortsTo(uint32_t endpoint) const
{
    const ForwardingTable::Group group = m_table.Lookup(endpoint);
    uint64_t ports = 0;
    for (uint32_t i = 0; i < group.size; ++i)
    {
        ports |= 1ULL << group.ports[i];
    }
    return ports;
}

bool
MemoryDevice::IsAnyUp(uint64_t ports) const
{
    for (; ports != 0; ports &= ports - 1)
    {
        if (m_portAt[__builtin_ctzll(ports)]->up)
        {
            return true;
        }
    }
    return false;
}

void
MemoryDevice::Kick(uint64_t ports, uint8_t vl, FabricPs at)
{
    for (; ports != 0; ports &= ports - 1)
    {
        const int index = __builtin_ctzll(ports);
        FabricPort& port = *m_portAt[index];
        if (port.up && !((m_own[index] >> vl) & 1))
        {
            Arm(port, std::max(at, port.busyUntil));
        }
    }
}

MemoryStatus
MemoryDevice::CheckAccess(uint32_t peer, uint64_t address, uint64_t bytes, uint8_t need) const
{
    if (m_map)
    {
        return m_map->Check(m_endpoint, peer, address, bytes, need);
    }
    return address < m_bytes && bytes <= m_bytes - address ? MemoryStatus::OK
                                                           : MemoryStatus::OUT_OF_BOUNDS;
}

FabricPacket*
MemoryDevice::NewPacket(MemoryOp op, uint32_t dst, uint32_t tag) const
{
    FabricPacket* p = FabricPacketPool::Get().Allocate();
    p->kind = FabricPacketKind::MEMORY;
    p->opcode = static_cast<uint8_t>(op);
    p->vl = MemoryClassOf(op);
    p->src = m_endpoint;
    p->dst = dst;
    p->psn = tag;
    p->inPort = NO_PORT;
    return p;
}

void
MemoryDevice::SetReady(FabricPacket& p, FabricPs first, FabricPs last)
{
    // a frame from a very slow memory waits for a part of its data, so that the lag can be told
    p.arrival = std::max(first, last - FabricPs{UINT32_MAX});
    p.tailLag = static_cast<uint32_t>(last - p.arrival);
}

uint32_t
MemoryDevice::AnswerBytes(uint16_t port, const FabricPacket& request) const
{
    const LinkProfile* link = m_portAt[port]->link;
    const bool atomic = static_cast<MemoryOp>(request.opcode) == MemoryOp::ATOMIC_REQUEST;
    return link == nullptr
               ? request.payload
               : link->WireBytes(atomic ? MemoryOp::ATOMIC_RESPONSE : MemoryOp::READ_RESPONSE,
                                 request.payload);
}

bool
MemoryDevice::DoIsMine(const FabricPacket& p) const
{
    return p.dst == m_endpoint || !m_relay;
}

void
MemoryDevice::DoConsume(FabricPort& in, FabricPacket* p)
{
    ++Trajectory().delivered;
    if (p->dst != m_endpoint)
    {
        DoUnroutable(in, p);
    }
    else if (p->vl == MEMORY_COMPLETION)
    {
        Release(*p, m_requester.OnAnswer(*p));
        FabricPacketPool::Get().Free(p);
    }
    else
    {
        m_responder.OnRequest(in, p);
    }
}

void
MemoryDevice::DoUnroutable(FabricPort& in, FabricPacket* p)
{
    if (p->vl != MEMORY_COMPLETION)
    {
        m_responder.Refuse(in, p, MemoryStatus::UNREACHABLE);
        return;
    }
    Release(*p, p->arrival + p->tailLag);
    Drop(p, in, p->arrival, FabricDropReason::NO_ROUTE);
}

void
MemoryDevice::DoRefill(FabricPort& port, FabricPs now)
{
    uint8_t& own = m_own[port.id];
    for (const uint8_t vl : {MEMORY_POSTED, MEMORY_NON_POSTED})
    {
        if ((own >> vl) & 1)
        {
            continue;
        }
        own |= 1U << vl; // already while the frame is made: this port need not be woken for it
        if (m_requester.Stage(port.id, vl, now) <= now)
        {
            Queue(port, m_requester.Take(port.id, vl));
        }
        else
        {
            own &= ~(1U << vl);
        }
    }
    if (!((own >> MEMORY_COMPLETION) & 1) && m_responder.GetReady(port.id) <= now)
    {
        m_responder.OnTimer(now);
        own |= 1U << MEMORY_COMPLETION;
        Queue(port, m_responder.Take(port.id));
    }
}

FabricPacket*
MemoryDevice::DoSelect(FabricPort& port, FabricPs now)
{
    FabricPacket* p = CreditSwitch::DoSelect(port, now);
    if (p != nullptr && p->inPort == NO_PORT)
    {
        m_own[port.id] &= ~(1U << p->vl);
        if (m_watcher != nullptr && static_cast<MemoryOp>(p->opcode) == MemoryOp::FLUSH)
        {
            m_watcher->WriteLeft(p->psn, static_cast<uint64_t>(p->txStamp));
        }
    }
    return p;
}

FabricPs
MemoryDevice::DoNextWake(FabricPort& port, FabricPs now)
{
    FabricPs next = CreditSwitch::DoNextWake(port, now);
    const uint8_t own = m_own[port.id];
    for (const uint8_t vl : {MEMORY_POSTED, MEMORY_NON_POSTED, MEMORY_COMPLETION})
    {
        if (!((own >> vl) & 1))
        {
            const FabricPs ready = vl == MEMORY_COMPLETION ? m_responder.GetReady(port.id)
                                                           : m_requester.GetReady(port.id, vl);
            next = std::min(next, std::max(ready, port.busyUntil));
        }
    }
    return next;
}

void
MemoryDevice::DoDrained(FabricPs now)
{
    m_responder.OnTimer(now);
    m_requester.OnTimer(now);
}

void
MemoryDevice::DoLinkChanged(FabricPort& port, bool up)
{
    CreditSwitch::DoLinkChanged(port, up);
    if (up || !m_started)
    {
        return;
    }
    const FabricPs now = FabricTime::Now();
    m_own[port.id] = 0;
    m_requester.OnLinkDown(port.id, now);
    m_responder.OnLinkDown(port, now);
}

} // namespace ns3
