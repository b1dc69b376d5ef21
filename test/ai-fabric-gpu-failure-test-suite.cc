/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "function-test-case.h"
#include "memory-fabric.h"

#include "ns3/boolean.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-random.h"
#include "ns3/gpu-server-helper.h"
#include "ns3/server-catalog.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/** Fault 37: a pair without a link is relayed where relaying is on, else refused, never lost. */
void
Relay(FunctionTestCase& t)
{
    for (const bool relay : {false, true})
    {
        MemoryFabric f;
        f.device.Set("Relay", BooleanValue(relay));
        f.Make(3);
        f.Link(0, 1, "nvlink3");
        f.Link(1, 2, "nvlink3");
        f.Start();
        for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
        {
            f.completions.clear();
            f.devices[0]->Post(MemoryFabric::Ask(op, 2, 1 << 20), f.File());
            // the relay's own traffic gets its share of the same link
            f.devices[1]->Post(MemoryFabric::Ask(op, 2, 1 << 20), f.File());
            Simulator::Run();
            const MemoryCompletion& c = f.completions.at(relay ? 1 : 0);
            t.Same("status",
                   static_cast<int>(c.status),
                   static_cast<int>(relay ? MemoryStatus::OK : MemoryStatus::UNREACHABLE));
            t.Same("delivered", c.delivered, relay ? 1 << 20 : 0);
            t.Same("the neighbour's", f.completions.at(relay ? 0 : 1).delivered, 1 << 20);
        }
        t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
        Simulator::Destroy();
    }
}

/** A failed link ends what it carried with a status; the books balance; others go on. */
void
LinkFailure(FunctionTestCase& t)
{
    for (const MemoryOp op : {MemoryOp::WRITE, MemoryOp::READ_REQUEST})
    {
        MemoryFabric f;
        f.device.Set("CompletionTimeout", TimeValue(MicroSeconds(100)));
        f.Make(3, 1);
        f.Link(0, 1, "nvlink3");
        f.Link(0, 3, "nvlink3");
        f.Link(2, 3, "nvlink3");
        f.Start();
        f.devices[0]->Post(MemoryFabric::Ask(op, 1, 1 << 20), f.File()); // direct: notices
        f.devices[0]->Post(MemoryFabric::Ask(op, 2, 1 << 20), [&t](const MemoryCompletion& c) {
            // fails beyond the crossbar: refused by it, or nobody answers
            t.True("timeout or refusal",
                   c.status == MemoryStatus::TIMEOUT || c.status == MemoryStatus::LINK_DOWN ||
                       c.status == MemoryStatus::UNREACHABLE);
            t.True("some bytes failed", c.failed > 0);
        });
        Simulator::Schedule(MicroSeconds(20), [&f]() {
            f.devices[0]->SetLinkUp(0, false);
            f.devices[2]->SetLinkUp(0, false);
        });
        Simulator::Schedule(MicroSeconds(30), [&f, &t, op]() {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, 4096), [&t](const MemoryCompletion& c) {
                t.Same("no way", static_cast<int>(c.status), 5);
                t.Same("failed", c.failed, 4096);
            });
        });
        Simulator::Schedule(MilliSeconds(1), [&f]() {
            f.devices[0]->SetLinkUp(0, true);
            f.devices[2]->SetLinkUp(0, true);
        });
        Simulator::Schedule(MilliSeconds(1), [&f, op]() {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, 50'000), f.File());
            f.devices[0]->Post(MemoryFabric::Ask(op, 2, 50'000), f.File());
        });
        f.Run();
        t.Same("completions filed", f.completions.size(), 3);
        t.Same("the direct one", static_cast<int>(f.completions.at(0).status), 5);
        t.Same("at once", f.completions.at(0).done, 20'000'000);
        t.Same("direct, again", f.completions.at(1).delivered, 50'000);
        t.Same("crossbar, again", f.completions.at(2).delivered, 50'000);
        t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
        Simulator::Destroy();
    }
}

/** A link behind a crossbar fails and is back before anybody could time out: still reported. */
void
ShortFailure(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Star(2, 2, "nvlink3");
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 1 << 20), f.File());
    Simulator::Schedule(MicroSeconds(10), [&f]() { f.devices[1]->SetLinkUp(1, false); });
    Simulator::Schedule(MicroSeconds(11), [&f]() { f.devices[1]->SetLinkUp(1, true); });
    f.Run();
    const MemoryCompletion& c = f.completions.at(0);
    t.Same("status", static_cast<int>(c.status), static_cast<int>(MemoryStatus::LINK_DOWN));
    t.True("some are lost, " + std::to_string(c.failed), c.failed > 0 && c.failed < 1 << 19);
    t.Same("the owner has the rest", f.devices[1]->GetPeerStats(0).bytesWritten, c.delivered);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** Links fail at any moment: what a writer is told to be delivered lies at the owner. */
void
DeliveredIsThere(FunctionTestCase& t)
{
    const char* const models[] = {"ring8-nvlink", "dgx1-v100", "l40s-pcie", "dgx-h100"};
    uint32_t failures = 0;
    for (uint32_t seed = 0; seed < 160; ++seed)
    {
        FabricRandom random(1, seed);
        const ServerTopology server = ServerCatalog::Make(models[seed % 4]);
        GpuServerHelper helper;
        helper.SetRelay((seed & 4) != 0);
        helper.SetRequireAllPairs(false);
        helper.SetDeviceAttribute(ServerTopology::Kind::GPU,
                                  "CompletionTimeout",
                                  TimeValue(MicroSeconds(100)));
        helper.Build(server);
        const auto gpus = static_cast<uint32_t>(server.GetRanks().size());
        const auto from = static_cast<uint32_t>(random.Below(gpus));
        const auto to = static_cast<uint32_t>((from + 1 + random.Below(gpus - 1)) % gpus);
        const uint64_t bytes = 1 + random.Below(60'000);
        std::vector<MemoryCompletion> told;
        helper.GetGpu(from)->Write(helper.GetBase(server.GetRanks()[to]),
                                   bytes,
                                   [&told](const MemoryCompletion& c) { told.push_back(c); });
        for (uint32_t link = 0; link < server.GetLinks().size(); ++link)
        {
            const auto at = static_cast<int64_t>(1'000'000 + random.Below(4'000'000));
            if (random.Below(2) == 0)
            {
                helper.ScheduleLink(PicoSeconds(at), link, false);
            }
        }
        Simulator::Run();
        const std::string where = "seed " + std::to_string(seed) + ": ";
        t.Same(where + "completions", told.size(), 1);
        const MemoryCompletion& c = told.at(0);
        const uint64_t there =
            helper.GetGpu(to)->GetPeerStats(helper.GetGpu(from)->GetEndpoint()).bytesWritten;
        t.True(where + std::to_string(c.delivered) + " delivered, the owner has " +
                   std::to_string(there),
               c.delivered <= there);
        t.Same(where + "delivered + failed", c.delivered + c.failed, bytes);
        t.True(where + "failed as the status says",
               (c.failed > 0) == (c.status != MemoryStatus::OK));
        failures += c.status != MemoryStatus::OK ? 1 : 0;
        Simulator::Destroy();
    }
    t.True("enough of them fail, " + std::to_string(failures), failures > 40 && failures < 150);
}

/** A multicast has delivered what every member has. */
void
MulticastLoss(FunctionTestCase& t)
{
    const ServerTopology server = ServerCatalog::Make("dgx-h100");
    const uint32_t loser = server.GetRanks()[3];
    for (uint32_t down = 0; down < 3; ++down) // links of the last member that fail
    {
        GpuServerHelper helper;
        helper.AddGroup({0, 1, 2, 3});
        helper.Build(server);
        uint32_t links = 0;
        for (const uint32_t link : server.GetLinks(loser))
        {
            const bool toSwitch = server.GetPart(server.GetPeer(link, loser)).kind ==
                                  ServerTopology::Kind::NVSWITCH;
            if (toSwitch && links++ < down)
            {
                helper.ScheduleLink(NanoSeconds(3100), link, false);
            }
        }
        MemoryCompletion c;
        helper.GetGpu(0)->WriteMulticast(helper.GetGroup(0),
                                         helper.GetGroupBase(0),
                                         1 << 20,
                                         [&c](const MemoryCompletion& done) { c = done; });
        Simulator::Run();
        const uint32_t writer = helper.GetGpu(0)->GetEndpoint();
        uint64_t least = 1 << 20;
        for (uint32_t member = 1; member < 4; ++member)
        {
            least = std::min(least, helper.GetGpu(member)->GetPeerStats(writer).bytesWritten);
        }
        t.Same("status", static_cast<int>(c.status), down == 0 ? 0 : 5);
        t.True("lost by a member", (least < 1 << 20) == (down > 0));
        t.True(std::to_string(c.delivered) + " delivered, a member has " + std::to_string(least),
               c.delivered <= least && (down > 0 || c.delivered == 1 << 20));
        t.True("what other switches carried is delivered", c.delivered > 0);
        Simulator::Destroy();
    }
}

/** A read that fails gives its tags to those that wait for one. */
void
TagsOfTheFailed(FunctionTestCase& t)
{
    MemoryFabric f;
    f.device.Set("CompletionTimeout", TimeValue(MicroSeconds(20)));
    f.device.Set("MaxReads", UintegerValue(1));
    f.Make(3, 1);
    f.Link(0, 3, "nvlink3");
    f.Link(1, 3, "nvlink3");
    f.Link(2, 3, "nvlink3");
    f.Start();
    f.devices[1]->SetLinkUp(0, false);
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 100), f.File());
    Simulator::Schedule(MicroSeconds(15), [&f]() {
        f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 2, 50'000), f.File());
    });
    Simulator::Run();
    t.Same("completions", f.completions.size(), 2);
    t.Same("of the second", f.completions.at(1).delivered, 50'000);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** Reads in flight are limited: rate = MaxReads frames per round trip. */
void
ReadTags(FunctionTestCase& t)
{
    const LinkProfile& link = LinkProfile::Get("nvlink3");
    const FabricRate rate(link.rateBps);
    constexpr FabricPs MEMORY = 1'000'000;
    MemoryFabric f;
    f.device.Set("MemoryLatency", TimeValue(PicoSeconds(MEMORY)));
    f.device.Set("MaxReads", UintegerValue(2));
    f.Make(2);
    f.Link(0, 1, "nvlink3");
    f.Start();
    MemoryRequest request = MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 4096 * 400);
    request.inMemory = false;
    f.devices[0]->Post(request, f.File());
    const double bps = f.Run();
    const FabricPs trip = rate.TxTime(link.header) + 2 * link.latencyPs + MEMORY +
                          rate.TxTime(link.WireBytes(MemoryOp::READ_RESPONSE, 4096));
    // cut through: the first packet of an answer frees the tag of its request
    const FabricPs early = rate.TxTime(link.WireBytes(MemoryOp::READ_RESPONSE, 4096)) -
                           rate.TxTime(link.FirstBytes(MemoryOp::READ_RESPONSE, 4096));
    const double expected = 2 * 4096 * 8e12 / static_cast<double>(trip - early);
    t.Near("two frames a round trip", bps, expected, 0.01);
}

/** An operation that nobody answers ends after the timeout; a slow one that goes on does not. */
void
Timeout(FunctionTestCase& t)
{
    MemoryFabric f;
    f.device.Set("CompletionTimeout", TimeValue(MicroSeconds(20)));
    f.Make(2, 1);
    f.Link(0, 2, "nvlink3");
    f.Link(1, 2, "nvlink3");
    f.Start();
    // 168 us at 200 Gb/s: longer than the timeout, but always on its way
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::WRITE, 1, 4 << 20), f.File());
    Simulator::Run();
    t.Same("a long write", static_cast<int>(f.completions.at(0).status), 0);
    f.devices[1]->SetLinkUp(0, false);
    const FabricPs start = FabricTime::Now();
    f.devices[0]->Post(MemoryFabric::Ask(MemoryOp::READ_REQUEST, 1, 100), f.File());
    Simulator::Run();
    const MemoryCompletion& c = f.completions.at(1);
    t.True("no answer", c.status != MemoryStatus::OK);
    t.Same("failed", c.failed, 100);
    t.True("in time", c.done - start <= 20'000'000 + 1000);
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
}

/** @brief What a mistake is answered with. */
std::string
Complaint(const std::function<void()>& mistake)
{
    try
    {
        mistake();
    }
    catch (const FabricError& e)
    {
        return e.what();
    }
    return "";
}

/** Mistakes are refused in words. */
void
Mistakes(FunctionTestCase& t)
{
    MemoryFabric f;
    f.Make(2);
    f.Link(0, 1, "nvlink3");
    const auto post = [&f](MemoryOp op, uint64_t bytes, uint64_t address) {
        return Complaint([&]() {
            f.devices[0]->Post(MemoryFabric::Ask(op, 1, bytes, address), nullptr);
        });
    };
    t.True("before Start()", !post(MemoryOp::WRITE, 1, 0).empty());
    f.Start();
    t.True("right", post(MemoryOp::WRITE, 1, 0).empty());
    t.True("no bytes", !post(MemoryOp::WRITE, 0, 0).empty());
    t.True("answer", !post(MemoryOp::ACK, 1, 0).empty());
    t.True("flush", !post(MemoryOp::FLUSH, 1, 0).empty());
    t.True("long atomic", !post(MemoryOp::ATOMIC_REQUEST, 9, 0).empty());
    t.True("odd atomic", !post(MemoryOp::ATOMIC_REQUEST, 8, 4).empty());
    t.True("no map", !Complaint([&]() { f.devices[0]->Write(0, 1, nullptr); }).empty());
    Simulator::Run();
    t.Same(f.ExplainBooks(), f.ExplainBooks().size(), 0);
    MemoryFabric g;
    g.Make(2);
    g.Link(0, 1, "nvlink3");
    g.devices[0]->SetEndpoint(MemoryRequest::BY_MAP);
    t.True("no endpoint", !Complaint([&]() { g.devices[0]->Start(); }).empty());
}

/** @brief Memory of GPUs: what fails, and how that is told. */
class GpuFailureTestSuite : public TestSuite
{
  public:
    GpuFailureTestSuite()
        : TestSuite("ai-fabric-gpu-failure", Type::UNIT)
    {
        Add("relaying is on or off (fault 37)", Relay);
        Add("a failed link is reported", LinkFailure);
        Add("a link that fails for a moment is reported too", ShortFailure);
        Add("160 writes under failing links: what is delivered is there", DeliveredIsThere);
        Add("a multicast has delivered what every member has", MulticastLoss);
        Add("tags limit the reads in flight", ReadTags);
        Add("a failed read gives its tags back", TagsOfTheFailed);
        Add("silence ends after the timeout", Timeout);
        Add("mistakes are refused in words", Mistakes);
    }

  private:
    void Add(const std::string& rule, FunctionTestCase::Check check)
    {
        AddTestCase(new FunctionTestCase(rule, std::move(check)));
    }
};

GpuFailureTestSuite g_gpuFailureTestSuite; //!< the suite

} // namespace
