/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "ib-bench.h"
#include "raw-fabric.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

using State = IbSmInfo::State;

/** @brief A fabric with managers on some adapters, which are quick so that tests are short. */
void
Manage(IbBench& bench, const IbSubnet& subnet, const std::vector<uint32_t>& hosts)
{
    bench.fabric.Build(subnet);
    uint8_t priority = 9;
    for (uint32_t host : hosts)
    {
        const uint32_t node = bench.fabric.GetSubnet().GetNodesOf(IbSubnet::Type::CA).at(host);
        auto manager = bench.fabric.AddManager(node);
        manager->SetAttribute("Priority", UintegerValue(priority--));
        manager->SetAttribute("SweepInterval", TimeValue(MilliSeconds(1)));
        manager->SetAttribute("PollInterval", TimeValue(MilliSeconds(1)));
        manager->SetAttribute("ResponseTimeout", TimeValue(MicroSeconds(500)));
        manager->SetAttribute("Engine", StringValue("ftree"));
        manager->Start();
    }
}

/** @return the manager of an adapter */
Ptr<SubnetManager>
ManagerOf(IbBench& bench, uint32_t host)
{
    const uint32_t node = bench.fabric.GetSubnet().GetNodesOf(IbSubnet::Type::CA).at(host);
    return bench.fabric.GetManagement(node)->GetManager();
}

/** Nothing passes before a manager has brought the ports up; then every pair does. */
void
BringsUp(FunctionTestCase& t)
{
    IbBench bench;
    Manage(bench, IbSubnetBuilder("NDR").FatTree(8), {3}); // 8 leaves, 4 spines, 32 hosts
    t.Same("no LID", bench.fabric.GetHcas()[0]->GetEndpoint(), 0);
    bench.RunTo(MilliSeconds(40));
    t.Same("master", static_cast<int>(ManagerOf(bench, 3)->GetState()), 3);
    t.Same("nodes", ManagerOf(bench, 3)->GetSubnet().GetNodes().size(), 44);
    t.Same("links", ManagerOf(bench, 3)->GetSubnet().GetNLinks(), 64);
    for (uint32_t host = 0; host < 32; ++host)
    {
        t.True("LID", bench.fabric.GetHcas()[host]->GetEndpoint() != 0);
        for (uint32_t other : {1U, 4U, 17U})
        {
            bench.Write(host, (host + other) % 32, 10'000, 1);
        }
    }
    bench.RunTo(MilliSeconds(41));
    t.Same("reached", bench.CountFinished(), 96);
    t.True("credits", bench.fabric.ExplainImbalance().empty());
}

/** Data does not hold up management packets: VL 15 goes before, and without credits. */
void
ManagesUnderLoad(FunctionTestCase& t)
{
    IbBench bench;
    Manage(bench, IbSubnetBuilder("EDR").FatTree(4), {0}); // 4 leaves of 2, 2 spines
    bench.RunTo(MilliSeconds(10));
    for (uint32_t host = 1; host < 8; ++host)
    {
        bench.Write(host, 0, 8 << 20, 4); // all into the manager's port
    }
    const auto checks = ManagerOf(bench, 0)->GetStats().checks;
    bench.RunTo(MilliSeconds(15));
    t.True("checks", ManagerOf(bench, 0)->GetStats().checks >= checks + 3);
    t.Same("asked again", ManagerOf(bench, 0)->GetPacketStats().repeated, 0);
    for (const auto& sw : bench.fabric.GetSwitches())
    {
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            t.Same("VL15Dropped", sw->GetCounters(port).vl15Dropped, 0);
        }
    }
}

/** The master dies in mid-run: traffic goes on, and the next one is master within its timeout. */
void
MasterDies(FunctionTestCase& t)
{
    IbBench bench;
    Manage(bench, IbSubnetBuilder("EDR").FatTree(4), {0, 5});
    bench.RunTo(MilliSeconds(10));
    t.Same("stands by", static_cast<int>(ManagerOf(bench, 5)->GetState()), 2);
    const auto& stream = bench.Write(1, 6, 8 << 20, 20);
    bench.RunTo(MilliSeconds(11));
    bench.Mark();
    ManagerOf(bench, 0)->Stop();
    // 4 polls, 1 ms apart; each is asked 3 times for 0.5 ms, then the subnet is looked at
    bench.RunTo(MilliSeconds(15));
    t.Same("not yet", static_cast<int>(ManagerOf(bench, 5)->GetState()), 2);
    bench.RunTo(MilliSeconds(23));
    t.Same("master", static_cast<int>(ManagerOf(bench, 5)->GetState()), 3);
    t.Near("all the while", bench.GetGbps(stream), 99.37, 0.005);
}

/** A cable breaks: the manager finds it and writes new tables; what was lost is sent again. */
void
CableBreaks(FunctionTestCase& t)
{
    IbBench bench;
    bench.fabric.SetHcaAttribute("RetryTimeout", TimeValue(MicroSeconds(500)));
    Manage(bench, IbSubnetBuilder("EDR").FatTree(4), {0});
    bench.RunTo(MilliSeconds(10));
    bench.Write(1, 6, 1 << 20, 60); // leaf 0 to leaf 3
    bench.RunTo(MilliSeconds(11));
    uint32_t cut = 0;
    for (uint8_t port = 1; port <= 4 && cut == 0; ++port) // the one that the stream uses
    {
        const auto c = bench.fabric.GetSwitch(0)->GetCounters(port - 1);
        cut = c.xmitPackets > 1000 ? port : 0;
    }
    bench.fabric.SetLinkUp(0, static_cast<uint8_t>(cut), false);
    bench.RunTo(MilliSeconds(20));
    t.Same("sweeps", ManagerOf(bench, 0)->GetStats().sweeps, 2);
    t.Same("finished", bench.CountFinished(), 1);
    t.Same("LinkDowned", bench.fabric.GetSwitch(0)->GetCounters(cut - 1).linkDowned, 1);
    bench.fabric.SetLinkUp(0, static_cast<uint8_t>(cut), true);
    bench.RunTo(MilliSeconds(30));
    t.Same("sweeps", ManagerOf(bench, 0)->GetStats().sweeps, 3);
    bench.Write(1, 6, 1 << 20, 1);
    bench.RunTo(MilliSeconds(32));
    t.Same("finished", bench.CountFinished(), 2);
    t.True("credits", bench.fabric.ExplainImbalance().empty());
}

/** @brief Subnets that real managers of the simulation bring up over simulated links. */
class IbSubnetTestSuite : public TestSuite
{
  public:
    IbSubnetTestSuite()
        : TestSuite("ai-fabric-ib-subnet", Type::UNIT)
    {
        RawFabric::UsePicoseconds();
        Add("a manager brings a fat-tree up", BringsUp);
        Add("management packets under load", ManagesUnderLoad);
        Add("the master dies, traffic goes on", MasterDies);
        Add("a cable breaks and is mended", CableBreaks);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

IbSubnetTestSuite g_ibSubnetTestSuite; //!< the suite

} // namespace
