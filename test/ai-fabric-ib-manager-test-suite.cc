/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "raw-fabric.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-random.h"
#include "ns3/ib-subnet-agent.h"
#include "ns3/string.h"
#include "ns3/subnet-manager.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <set>

using namespace ns3;

namespace
{

using State = IbSmInfo::State;
using Type = IbSubnet::Type;
using Verdict = IbSubnetAgent::Verdict;

/** @brief Nodes with agents, and links that carry management packets, one hop in 1 us. */
class Wires
{
  public:
    explicit Wires(const IbSubnet& subnet)
        : truth(subnet)
    {
        for (const auto& node : truth.GetNodes())
        {
            IbNodeInfo info;
            info.type = static_cast<uint8_t>(node.type);
            info.ports = node.GetNPorts();
            info.nodeGuid = info.systemGuid = node.guid;
            std::vector<uint64_t> guids(node.ports.size(), node.guid);
            for (size_t port = 0; node.type != Type::SWITCH && port < guids.size(); ++port)
            {
                guids[port] += port;
            }
            agents.push_back(std::make_unique<IbSubnetAgent>(info, guids));
            agents.back()->description = node.name;
            for (uint8_t port = 1; port < node.ports.size(); ++port)
            {
                agents.back()->SetLink(port, node.ports[port].peer != IbSubnet::NONE);
            }
        }
        managers.resize(agents.size());
    }

    /** @brief Put a manager on a node. */
    Ptr<SubnetManager> AddManager(uint32_t node, uint8_t priority = 0)
    {
        auto manager = CreateObject<SubnetManager>();
        manager->SetAttribute("Priority", UintegerValue(priority));
        manager->SetAttribute("SweepInterval", TimeValue(MilliSeconds(10)));
        manager->SetAttribute("PollInterval", TimeValue(MilliSeconds(5)));
        manager->SetAttribute("ResponseTimeout", TimeValue(MilliSeconds(1)));
        const bool isSwitch = truth.At(node).type == Type::SWITCH;
        manager->Attach(*agents[node], isSwitch ? 0 : 1, [this, node](const IbSmp& smp, uint8_t p) {
            Send(node, p, smp);
        });
        managers[node] = manager;
        return manager;
    }

    /** @brief A cable is cut or mended; both ends notice. */
    void SetLink(uint32_t node, uint8_t port, bool up)
    {
        const auto& end = truth.At(node).ports[port];
        agents[node]->SetLink(port, up);
        agents[end.peer]->SetLink(end.peerPort, up);
        for (const auto& cableEnd : {std::pair(node, port), std::pair(end.peer, end.peerPort)})
        {
            cut.erase(cableEnd);
            if (!up)
            {
                cut.insert(cableEnd);
            }
        }
    }

    /** @return LID of a node's port */
    uint16_t LidOf(uint32_t node)
    {
        return agents[node]->GetPort(truth.At(node).type == Type::SWITCH ? 0 : 1).info.lid;
    }

    /** @return hops from one adapter to another by the tables in the switches; 0: none */
    uint32_t Follow(uint32_t from, uint32_t to)
    {
        uint32_t at = truth.At(from).ports[1].peer;
        for (uint32_t hops = 1; hops < 64; ++hops)
        {
            if (at == to)
            {
                return hops;
            }
            if (truth.At(at).type != Type::SWITCH)
            {
                return 0;
            }
            const uint8_t out = agents[at]->GetForwarding()[LidOf(to)];
            if (out == IbForwarding::NO_PORT || cut.count({at, out}) > 0 ||
                agents[at]->GetPort(out).info.state != IbPortState::ACTIVE)
            {
                return 0;
            }
            at = truth.At(at).ports[out].peer;
        }
        return 0;
    }

    /** @return pairs of adapters that reach each other */
    uint32_t GetReachable()
    {
        uint32_t pairs = 0;
        const auto hosts = truth.GetNodesOf(Type::CA);
        for (uint32_t a : hosts)
        {
            for (uint32_t b : hosts)
            {
                pairs += a != b && Follow(a, b) > 0 ? 1 : 0;
            }
        }
        return pairs;
    }

    /** @return managers in a state */
    uint32_t CountIn(State state) const
    {
        uint32_t n = 0;
        for (const auto& manager : managers)
        {
            n += manager && manager->GetState() == state ? 1 : 0;
        }
        return n;
    }

    IbSubnet truth;                                     //!< what there is
    std::vector<std::unique_ptr<IbSubnetAgent>> agents; //!< by node
    std::vector<Ptr<SubnetManager>> managers;           //!< by node; most are null
    std::set<std::pair<uint32_t, uint8_t>> cut;         //!< ends of cables that are cut
    double loss{0};                                     //!< share of packets that is lost
    uint64_t carried{0};                                //!< packets times links

  private:
    void Send(uint32_t node, uint8_t port, const IbSmp& smp)
    {
        const auto& end = truth.At(node).ports[port];
        ++carried;
        if (cut.count({node, port}) == 0 && m_random.Below(1'000'000) >= loss * 1e6)
        {
            Simulator::Schedule(MicroSeconds(1), &Wires::Arrive, this, end.peer, end.peerPort, smp);
        }
    }

    void Arrive(uint32_t node, uint8_t port, IbSmp smp)
    {
        uint8_t out = 0;
        Verdict verdict = agents[node]->Route(smp, port, out);
        if (verdict == Verdict::REQUEST && agents[node]->Answer(smp, port))
        {
            verdict = agents[node]->Route(smp, IbSubnetAgent::FROM_HERE, out);
        }
        if (verdict == Verdict::FORWARD)
        {
            Send(node, out, smp);
        }
        else if (verdict == Verdict::ANSWER && managers[node])
        {
            managers[node]->Receive(smp);
        }
    }

    FabricRandom m_random{1, 77}; //!< losses
};

/** @brief Two tiers: 4 leaves of 4 hosts each, 2 spines; hosts are nodes 6 to 21. */
IbSubnet
TwoTiers()
{
    IbSubnet subnet;
    for (uint32_t i = 0; i < 6; ++i)
    {
        subnet.AddNode(Type::SWITCH, "s" + std::to_string(i), 8, 0x1000 + i);
    }
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            subnet.Connect(leaf,
                           static_cast<uint8_t>(5 + spine),
                           4 + spine,
                           static_cast<uint8_t>(1 + leaf),
                           4,
                           "NDR");
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            const uint32_t ca = subnet.AddNode(Type::CA,
                                               "h" + std::to_string(4 * leaf + host),
                                               1,
                                               0x2000 + 16 * (4 * leaf + host));
            subnet.Connect(leaf, static_cast<uint8_t>(1 + host), ca, 1, 4, "NDR");
        }
    }
    return subnet;
}

constexpr uint32_t HOSTS = 16;                  //!< of TwoTiers()
constexpr uint32_t FIRST = 6;                   //!< node of the first host
constexpr uint32_t PAIRS = HOSTS * (HOSTS - 1); //!< ordered pairs

/** Everything is found, gets a LID of its own and is reached by the written tables. */
void
BringsUp(FunctionTestCase& t)
{
    // on a host, on a spine
    for (const auto& [where, engine] :
         {std::pair(FIRST + 3, "minhop"), {FIRST + 3, "ftree"}, {4U, "updn"}})
    {
        Wires wires(TwoTiers());
        auto manager = wires.AddManager(where);
        manager->SetAttribute("Engine", StringValue(engine));
        manager->Start();
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const IbSubnet& found = manager->GetSubnet();
        t.Same("nodes", found.GetNodes().size(), 22);
        t.Same("links", found.GetNLinks(), 24);
        std::set<uint16_t> lids;
        for (uint32_t node = 0; node < 22; ++node)
        {
            lids.insert(wires.LidOf(node));
            const uint32_t same = found.FindGuid(wires.truth.At(node).guid);
            t.True("found " + wires.truth.At(node).name, same != IbSubnet::NONE);
            t.True("its description", found.At(same).description == wires.truth.At(node).name);
            for (size_t port = 1; port < found.At(same).ports.size(); ++port)
            {
                const auto& is = wires.truth.At(node).ports[port];
                const auto& seen = found.At(same).ports[port];
                t.True("cable", (is.peer == IbSubnet::NONE) == (seen.peer == IbSubnet::NONE));
                t.True("its end",
                       seen.peer == IbSubnet::NONE ||
                           (found.At(seen.peer).guid == wires.truth.At(is.peer).guid &&
                            seen.peerPort == is.peerPort));
            }
        }
        t.Same("LIDs", lids.size(), 22);
        t.True("none is 0", lids.count(0) == 0);
        t.Same("pairs", wires.GetReachable(), PAIRS);
        t.Same("hops in a leaf", wires.Follow(FIRST, FIRST + 1), 2);
        t.Same("hops over a spine", wires.Follow(FIRST, FIRST + 15), 4);
        t.Same("refused", manager->GetStats().refused, 0);
        t.Same("master", static_cast<int>(manager->GetState()), 3);
        Simulator::Destroy();
    }
}

/** One packet in twenty is lost on every link: questions are asked again. */
void
BearsLosses(FunctionTestCase& t)
{
    Wires wires(TwoTiers());
    wires.loss = 0.05;
    auto manager = wires.AddManager(FIRST);
    manager->SetAttribute("Tries", UintegerValue(12));
    manager->Start();
    Simulator::Stop(MilliSeconds(200));
    Simulator::Run();
    t.Same("pairs", wires.GetReachable(), PAIRS);
    t.True("repeated", manager->GetPacketStats().repeated > 20);
    t.Same("given up", manager->GetPacketStats().failed, 0);
}

/** A leaf loses a cable: found at the next check; LIDs stay; only what changed is written. */
void
SweepsAgain(FunctionTestCase& t)
{
    Wires wires(TwoTiers());
    auto manager = wires.AddManager(FIRST);
    manager->Start();
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    std::map<uint32_t, uint16_t> lids;
    for (uint32_t node = 0; node < 22; ++node)
    {
        lids[node] = wires.LidOf(node);
    }
    const uint64_t before = manager->GetStats().blocksWritten;
    wires.SetLink(0, 5, false); // leaf 0 to spine 4
    t.True("cut", wires.GetReachable() < PAIRS);
    Simulator::Stop(MilliSeconds(15)); // a check is due every 10 ms
    Simulator::Run();
    t.Same("pairs", wires.GetReachable(), PAIRS);
    t.Same("sweeps", manager->GetStats().sweeps, 2);
    t.Same("links", manager->GetSubnet().GetNLinks(), 23);
    for (uint32_t node = 0; node < 22; ++node)
    {
        t.Same("LID of " + wires.truth.At(node).name, wires.LidOf(node), lids[node]);
    }
    t.True("blocks written again", manager->GetStats().blocksWritten > before);
    wires.SetLink(0, 5, true);
    Simulator::Stop(MilliSeconds(15));
    Simulator::Run();
    t.Same("links again", manager->GetSubnet().GetNLinks(), 24);
    t.Same("port again",
           static_cast<int>(wires.agents[0]->GetPort(5).info.state),
           static_cast<int>(IbPortState::ACTIVE));
    const SubnetManager::Stats stats = manager->GetStats();
    wires.SetLink(0, 5, false); // only for a moment
    wires.SetLink(0, 5, true);
    t.True("not active", wires.GetReachable() < PAIRS);
    Simulator::Stop(MilliSeconds(15));
    Simulator::Run();
    t.Same("a sweep", manager->GetStats().sweeps, stats.sweeps + 1);
    t.Same("the tables are as they were", manager->GetStats().blocksWritten, stats.blocksWritten);
    t.Same("pairs again", wires.GetReachable(), PAIRS);
    Simulator::Stop(MilliSeconds(50));
    Simulator::Run();
    t.Same("checks find nothing", manager->GetStats().sweeps, stats.sweeps + 1);
    t.True("though they go on", manager->GetStats().checks >= stats.checks + 5);
}

/** Of several managers one is master, by priority, then by GUID; it dies, the next one takes over.
 */
void
OneMaster(FunctionTestCase& t)
{
    Wires wires(TwoTiers());
    auto high = wires.AddManager(FIRST + 9, 7);
    auto low = wires.AddManager(FIRST + 2, 3);
    auto alike = wires.AddManager(FIRST + 5, 3); // higher GUID than `low`
    for (const auto& manager : {low, high, alike})
    {
        manager->Start();
    }
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    t.Same("highest priority", static_cast<int>(high->GetState()), 3);
    t.Same("others stand by", wires.CountIn(State::STANDBY), 2);
    t.Same("pairs", wires.GetReachable(), PAIRS);
    std::vector<uint16_t> lids;
    for (uint32_t node = 0; node < 22; ++node)
    {
        lids.push_back(wires.LidOf(node));
    }
    for (uint32_t i = 0; i < 100; ++i) // never two, whenever one looks
    {
        if (i == 20)
        {
            high->Stop();
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        t.True("masters", wires.CountIn(State::MASTER) <= 1);
        t.Same("traffic goes on", wires.GetReachable(), PAIRS);
    }
    // 4 polls of 5 ms, each asked 3 times for 1 ms
    t.Same("the lower GUID", static_cast<int>(low->GetState()), 3);
    t.Same("the other stands by", static_cast<int>(alike->GetState()), 2);
    for (uint32_t node = 0; node < 22; ++node)
    {
        t.Same("LID", wires.LidOf(node), lids[node]);
    }
    high->Start(); // is back, and gets the subnet by a handover
    uint32_t most = 0;
    for (uint32_t i = 0; i < 600; ++i)
    {
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        most = std::max(most, wires.CountIn(State::MASTER));
    }
    t.Same("masters at once", most, 1);
    t.Same("master again", static_cast<int>(high->GetState()), 3);
    t.Same("stands by again", static_cast<int>(low->GetState()), 2);
    t.Same("pairs", wires.GetReachable(), PAIRS);
}

/** A management key keeps foreign managers out; their tries are counted. */
void
ForeignKey(FunctionTestCase& t)
{
    Wires wires(TwoTiers());
    auto owner = wires.AddManager(FIRST, 1);
    owner->SetAttribute("MKey", UintegerValue(0x1234));
    owner->Start();
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    const uint16_t lid = wires.LidOf(0);
    IbSmp smp = IbSweep::Make({1}, IbMethod::SET, IbAttribute::PORT_INFO, 0);
    IbPortInfo info = wires.agents[0]->GetPort(0).info;
    info.lid = 77;
    smp.data = info.Pack();
    smp.mKey = 0x4321;
    uint8_t out = 0;
    smp.hopPointer = 1;
    t.True("for the leaf", wires.agents[0]->Route(smp, 1, out) == Verdict::REQUEST);
    t.True("no answer", !wires.agents[0]->Answer(smp, 1));
    t.Same("LID", wires.LidOf(0), lid);
    t.Same("counted", wires.agents[0]->GetPort(0).info.mKeyViolations, 1);
}

/** Mistakes are answered in words, before anything is asked. */
void
Mistakes(FunctionTestCase& t)
{
    Wires wires(TwoTiers());
    const auto complaint = [](const Ptr<SubnetManager>& manager) {
        try
        {
            manager->Start();
        }
        catch (const FabricError& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    const auto has = [&t](const std::string& text, const char* what) {
        t.True(text, text.find(what) != std::string::npos);
    };
    has(complaint(CreateObject<SubnetManager>()), "Attach() before");
    auto manager = wires.AddManager(FIRST);
    manager->SetAttribute("Engine", StringValue("torus"));
    has(complaint(manager), "minhop, updn, ftree");
    manager->SetAttribute("Engine", StringValue("dfsssp"));
    has(complaint(manager), "does not write yet");
    t.Same("packets", wires.carried, 0);
}

/** @brief Subnet managers over links that carry nothing but management packets. */
class IbManagerTestSuite : public TestSuite
{
  public:
    IbManagerTestSuite()
        : TestSuite("ai-fabric-ib-manager", Type::UNIT)
    {
        RawFabric::UsePicoseconds();
        Add("a subnet is found and brought up", BringsUp);
        Add("lost packets are sent again", BearsLosses);
        Add("a cut cable is found, LIDs stay", SweepsAgain);
        Add("exactly one master", OneMaster);
        Add("a management key keeps others out", ForeignKey);
        Add("mistakes are refused in words", Mistakes);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

IbManagerTestSuite g_ibManagerTestSuite; //!< the suite

} // namespace
