/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "subnet-manager.h"

#include "ib-routing.h"
#include "ib-subnet-agent.h"

#include "ns3/fabric-error.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SubnetManager);

using State = IbSmInfo::State;
using Type = IbSubnet::Type;

TypeId
SubnetManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SubnetManager")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<SubnetManager>()
            .AddAttribute(
                "SweepInterval",
                "A master asks the switches for changes this often (time). Default: 10 s, "
                "as opensm.",
                TimeValue(Seconds(10)),
                MakeTimeAccessor(&SubnetManager::m_sweepInterval),
                MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute(
                "ResponseTimeout",
                "A question is asked again after this (time). Default: 200 ms, as opensm.",
                TimeValue(MilliSeconds(200)),
                MakeTimeAccessor(&SubnetManager::m_timeout),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Tries",
                          "How often a question is asked (times). Default: 3, as opensm.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SubnetManager::m_tries),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxOutstanding",
                          "Questions on the wire at once (packets). Default: 4, as opensm.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&SubnetManager::m_window),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Priority",
                          "The manager with the highest is master (number). Default: 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SubnetManager::m_priority),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("PollInterval",
                          "One that stands by asks the master this often (time). Default: 10 s, as "
                          "opensm.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&SubnetManager::m_pollInterval),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("PollTries",
                          "Polls without an answer until the master counts as dead (times). "
                          "Default: 4, as opensm.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&SubnetManager::m_pollTries),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SubnetPrefix",
                          "Upper half of all GIDs (number). Default: fe80::/64, link local.",
                          UintegerValue(0xfe80000000000000),
                          MakeUintegerAccessor(&SubnetManager::m_prefix),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "MKey",
                "Management key that it gives to all ports; 0: none (number). Default: 0.",
                UintegerValue(0),
                MakeUintegerAccessor(&SubnetManager::m_mKey),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "Engine",
                "Routing engine (name): minhop, updn or ftree. Default: minhop, as opensm.",
                StringValue("minhop"),
                MakeStringAccessor(&SubnetManager::m_engine),
                MakeStringChecker())
            .AddTraceSource("State",
                            "The state changed: old, new.",
                            MakeTraceSourceAccessor(&SubnetManager::m_stateTrace),
                            "ns3::SubnetManager::StateCallback")
            .AddTraceSource("Up",
                            "All ports of the subnet are active: the subnet.",
                            MakeTraceSourceAccessor(&SubnetManager::m_upTrace),
                            "ns3::SubnetManager::UpCallback");
    return tid;
}

SubnetManager::SubnetManager()
    : m_sweep(m_client)
{
}

SubnetManager::~SubnetManager() = default;

void
SubnetManager::DoDispose()
{
    Stop();
    m_send = nullptr;
    m_router = nullptr;
    Object::DoDispose();
}

void
SubnetManager::Attach(IbSubnetAgent& agent,
                      uint8_t port,
                      std::function<void(const IbSmp&, uint8_t)> send)
{
    agent.GetPort(port); // refuses one that does not exist
    m_agent = &agent;
    m_port = port;
    m_send = std::move(send);
}

void
SubnetManager::SetRouter(Router router)
{
    m_router = std::move(router);
}

void
SubnetManager::Start()
{
    if (m_agent == nullptr)
    {
        throw FabricError("SubnetManager::Start(): it needs Attach() before");
    }
    IbRouting::Check(m_engine);
    if (!m_router && IbRouting::NeedsLanes(m_engine))
    {
        throw FabricError("SubnetManager::Engine: '" + m_engine +
                          "' needs lanes by source and destination, which it does not write yet; "
                          "allowed: minhop, updn, ftree");
    }
    m_running = true;
    m_client.SetUp(m_window, m_timeout, m_tries, [this](const IbSmp& smp) { Send(smp); });
    m_agent->onSmInfo = [this]() { return GetSmInfo(); };
    m_agent->onSmControl = [this](uint32_t modifier) { OnControl(modifier); };
    SetState(State::DISCOVERING);
    Sweep();
}

void
SubnetManager::Stop()
{
    if (!m_running)
    {
        return;
    }
    m_running = false;
    m_client.Clear();
    m_timer.Cancel();
    m_agent->onSmInfo = nullptr;
    m_agent->onSmControl = nullptr;
    SetState(State::NOT_ACTIVE);
}

void
SubnetManager::SetState(State state)
{
    const State old = m_state;
    m_state = state;
    if (old != state)
    {
        m_stateTrace(old, state);
    }
}

IbSmInfo
SubnetManager::GetSmInfo() const
{
    return {m_agent->GetPort(m_port).guid, 0, m_activity, m_priority, m_state};
}

void
SubnetManager::Schedule(const Time& after, void (SubnetManager::*what)())
{
    m_timer.Cancel();
    m_timer = Simulator::Schedule(after, what, this);
}

void
SubnetManager::Send(IbSmp smp)
{
    ++m_activity;
    uint8_t egress = 0;
    IbSubnetAgent::Verdict verdict = m_agent->Route(smp, IbSubnetAgent::FROM_HERE, egress);
    if (verdict == IbSubnetAgent::Verdict::FORWARD)
    {
        m_send(smp, egress);
    }
    else if (verdict == IbSubnetAgent::Verdict::REQUEST &&
             m_agent->Answer(smp, IbSubnetAgent::FROM_HERE))
    {
        m_agent->Route(smp, IbSubnetAgent::FROM_HERE, egress);
        Simulator::ScheduleNow(&SubnetManager::Receive, this, smp); // answers never come at once
    }
}

/** @return a question as IbSweep makes it, with our key */
IbSmp
SubnetManager::Make(const IbSweep::Path& path,
                    IbMethod method,
                    IbAttribute attribute,
                    uint32_t modifier) const
{
    IbSmp smp = IbSweep::Make(path, method, attribute, modifier);
    smp.mKey = m_mKey;
    return smp;
}

void
SubnetManager::Receive(const IbSmp& smp)
{
    if (m_running)
    {
        m_client.Receive(smp);
    }
}

// ---- looking ------------------------------------------------------------------------------------

void
SubnetManager::Sweep()
{
    m_timer.Cancel();
    ++m_stats.sweeps;
    m_refused = false;
    m_client.Clear();
    m_sweep.Start(m_mKey, [this]() { OnSwept(); });
}

void
SubnetManager::OnSwept()
{
    m_subnet = m_sweep.GetSubnet();
    AskOthers();
}

void
SubnetManager::AskOthers()
{
    m_others = 1; // until all questions are asked
    m_outranked = 0;
    const uint64_t own = m_agent->GetPort(m_port).guid;
    for (uint32_t node = 0; node < m_subnet.GetNodes().size(); ++node)
    {
        const auto& ports = m_subnet.At(node).ports;
        bool isSm = false;
        for (size_t port = 0; port < ports.size(); ++port)
        {
            isSm = isSm || (ports[port].guid != own &&
                            m_sweep.GetPortInfo(node, static_cast<uint8_t>(port)).isSm);
        }
        if (!isSm || node == 0)
        {
            continue;
        }
        ++m_others;
        const IbSmp smp = Make(m_sweep.GetPath(node), IbMethod::GET, IbAttribute::SM_INFO);
        m_client.Ask(smp, [this, node](const IbSmp* answer) {
            if (answer != nullptr && answer->status == IbSmpStatus::OK)
            {
                OnOther(node, IbSmInfo::Unpack(answer->data));
            }
            if (--m_others == 0)
            {
                OnElected();
            }
        });
    }
    if (--m_others == 0)
    {
        OnElected();
    }
}

void
SubnetManager::OnOther(uint32_t node, const IbSmInfo& info)
{
    const IbSmInfo own = GetSmInfo();
    const bool goesBefore =
        info.priority > own.priority || (info.priority == own.priority && info.guid < own.guid);
    if (m_state == State::MASTER && goesBefore && info.state == State::STANDBY)
    {
        // hands over; the other one looks at the subnet by itself
        IbSmp smp =
            Make(m_sweep.GetPath(node), IbMethod::SET, IbAttribute::SM_INFO, IbSmInfo::HANDOVER);
        smp.data = own.Pack();
        m_client.Ask(smp, [](const IbSmp*) {});
        ++m_outranked;
        m_master = node;
        return;
    }
    // while a master of lower rank runs, one of higher rank waits for the handover
    const bool masterRuns = m_state != State::MASTER && info.state == State::MASTER;
    const bool waits = goesBefore && info.state != State::NOT_ACTIVE;
    if (masterRuns || waits)
    {
        m_master = masterRuns || m_outranked == 0 ? node : m_master;
        ++m_outranked;
    }
}

void
SubnetManager::OnElected()
{
    if (m_outranked > 0)
    {
        StandBy(m_master);
        return;
    }
    m_stats.takeovers += m_state == State::MASTER ? 0 : 1;
    SetState(State::MASTER);
    m_lids.Assign(m_subnet);
    Do(Step::LIDS);
}

void
SubnetManager::OnControl(uint32_t modifier)
{
    if (modifier == IbSmInfo::HANDOVER && m_state == State::STANDBY)
    {
        ++m_stats.takeovers;
        SetState(State::MASTER);
        Schedule(Time(0), &SubnetManager::Sweep);
    }
}

void
SubnetManager::StandBy(uint32_t master)
{
    SetState(State::STANDBY);
    m_masterPath = m_sweep.GetPath(master);
    m_missed = 0;
    m_written.clear(); // others write tables now
    Schedule(m_pollInterval, &SubnetManager::Poll);
}

void
SubnetManager::Poll()
{
    const IbSmp smp = Make(m_masterPath, IbMethod::GET, IbAttribute::SM_INFO);
    m_client.Ask(smp, [this](const IbSmp* answer) {
        if (m_state != State::STANDBY)
        {
            return; // a handover came in between
        }
        const bool lives = answer != nullptr && answer->status == IbSmpStatus::OK &&
                           IbSmInfo::Unpack(answer->data).state != State::NOT_ACTIVE;
        m_missed = lives ? 0 : m_missed + 1;
        if (m_missed < m_pollTries)
        {
            Schedule(m_pollInterval, &SubnetManager::Poll);
            return;
        }
        SetState(State::DISCOVERING);
        Sweep();
    });
}

void
SubnetManager::Check()
{
    ++m_stats.checks;
    m_open = 1;
    for (uint32_t node = 0; node < m_subnet.GetNodes().size(); ++node)
    {
        // a switch tells of links, an adapter whether a manager came or went
        const bool isSwitch = m_subnet.At(node).type == Type::SWITCH;
        ++m_open;
        const IbSmp smp = Make(m_sweep.GetPath(node),
                               IbMethod::GET,
                               isSwitch ? IbAttribute::SWITCH_INFO : IbAttribute::PORT_INFO);
        m_client.Ask(smp, [this, node, isSwitch](const IbSmp* answer) {
            if (HasChanged(node, isSwitch, answer))
            {
                m_client.Clear(); // the other answers do not matter any more
                Schedule(Time(0), &SubnetManager::Sweep);
                return;
            }
            Next();
        });
    }
    Next();
}

bool
SubnetManager::HasChanged(uint32_t node, bool isSwitch, const IbSmp* answer) const
{
    if (answer == nullptr || answer->status != IbSmpStatus::OK)
    {
        return true;
    }
    if (isSwitch)
    {
        return IbSwitchInfo::Unpack(answer->data).portStateChange;
    }
    const IbPortInfo info = IbPortInfo::Unpack(answer->data);
    return info.isSm != m_sweep.GetPortInfo(node, info.localPort).isSm;
}

// ---- writing ------------------------------------------------------------------------------------

void
SubnetManager::Write(uint32_t node, IbAttribute attribute, uint32_t modifier, const IbData& data)
{
    ++m_open;
    IbSmp smp = Make(m_sweep.GetPath(node), IbMethod::SET, attribute, modifier);
    smp.data = data;
    m_client.Ask(smp, [this, node](const IbSmp* answer) {
        if (answer == nullptr || answer->status != IbSmpStatus::OK)
        {
            ++m_stats.refused;
            m_refused = true;
            m_written.erase(m_subnet.At(node).guid);
        }
        Next();
    });
}

void
SubnetManager::Next()
{
    if (--m_open > 0)
    {
        return;
    }
    if (m_step != Step::DONE)
    {
        Do(static_cast<Step>(static_cast<uint8_t>(m_step) + 1));
        return;
    }
    // after a refusal everything is looked at again, though not at once: it may be refused again
    Schedule(m_refused ? m_timeout : m_sweepInterval,
             m_refused ? &SubnetManager::Sweep : &SubnetManager::Check);
}

void
SubnetManager::Do(Step step)
{
    m_step = step;
    m_open = 1; // until everything of this step is asked
    switch (step)
    {
    case Step::LIDS:
        WriteLids();
        break;
    case Step::TABLES:
        WriteTables();
        break;
    case Step::TOPS:
        WriteTops();
        break;
    case Step::ARM:
        WritePorts(IbPortState::ARMED);
        break;
    case Step::ACTIVE:
        WritePorts(IbPortState::ACTIVE);
        break;
    default:
        m_upTrace(m_subnet);
    }
    Next();
}

/** @return what a port should have besides its state: as it was found, with our LID, prefix and key
 */
IbPortInfo
SubnetManager::WantedOf(uint32_t node, uint8_t port) const
{
    IbPortInfo info = m_sweep.GetPortInfo(node, port);
    info.lid = m_subnet.At(node).ports[port].lid;
    info.masterLid = m_lids.Get(m_agent->GetPort(m_port).guid);
    info.gidPrefix = m_prefix;
    info.mKey = m_mKey;
    return info;
}

void
SubnetManager::WriteLids()
{
    for (uint32_t node = 0; node < m_subnet.GetNodes().size(); ++node)
    {
        const auto& ports = m_subnet.At(node).ports;
        for (uint8_t i = 0; i < ports.size(); ++i)
        {
            if (ports[i].guid == 0)
            {
                continue;
            }
            IbPortInfo info = WantedOf(node, i);
            info.state = static_cast<IbPortState>(0);
            Write(node, IbAttribute::PORT_INFO, i, info.Pack());
        }
    }
}

void
SubnetManager::WriteTables()
{
    const IbForwarding ways =
        m_router ? m_router(m_subnet) : IbRouting::Compute(m_engine, m_subnet);
    for (uint32_t node : m_subnet.GetNodesOf(Type::SWITCH))
    {
        std::vector<uint8_t> table = ways.tables.at(node);
        const size_t blocks = (table.size() + IbBlock::FORWARDING - 1) / IbBlock::FORWARDING;
        table.resize(blocks * IbBlock::FORWARDING, IbForwarding::NO_PORT);
        std::vector<uint8_t>& written = m_written[m_subnet.At(node).guid];
        for (size_t block = 0; block < blocks; ++block)
        {
            const auto first = static_cast<std::ptrdiff_t>(block * IbBlock::FORWARDING);
            const auto last = first + static_cast<std::ptrdiff_t>(IbBlock::FORWARDING);
            if (written.size() >= static_cast<size_t>(last) &&
                std::equal(table.begin() + first, table.begin() + last, written.begin() + first))
            {
                continue;
            }
            IbData data{};
            std::copy(table.begin() + first, table.begin() + last, data.begin());
            ++m_stats.blocksWritten;
            Write(node, IbAttribute::LINEAR_FORWARDING, static_cast<uint32_t>(block), data);
        }
        written = table;
    }
}

void
SubnetManager::WriteTops()
{
    for (uint32_t node : m_subnet.GetNodesOf(Type::SWITCH))
    {
        IbSwitchInfo info;
        info.linearTop = m_lids.GetTop();
        info.portStateChange = true; // clears it
        Write(node, IbAttribute::SWITCH_INFO, 0, info.Pack());
    }
}

void
SubnetManager::WritePorts(IbPortState state)
{
    for (uint32_t node = 0; node < m_subnet.GetNodes().size(); ++node)
    {
        const auto& ports = m_subnet.At(node).ports;
        for (uint8_t i = 1; i < ports.size(); ++i)
        {
            IbPortInfo info = WantedOf(node, i);
            if (ports[i].peer == IbSubnet::NONE || info.state >= state)
            {
                continue;
            }
            info.state = state;
            Write(node, IbAttribute::PORT_INFO, i, info.Pack());
        }
    }
}

} // namespace ns3
