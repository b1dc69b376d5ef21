/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-scenario.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-port.h"
#include "ns3/simulator.h"
#include "ns3/star-builder.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdlib>

namespace ns3
{

FabricScenario::FabricScenario()
{
    FabricHelper::UseFastScheduler();
}

FabricScenario::~FabricScenario()
{
    rdma.reset();
    app = nullptr;
    Simulator::Destroy();
}

void
FabricScenario::UseHpccSwitches(uint64_t bufferBytes)
{
    fabric.SetFrameProfile("hpcc");
    fabric.SetBufferAttribute("Size", UintegerValue(bufferBytes));
    fabric.SetBufferAttribute("HeadroomRule", StringValue("hpcc"));
    fabric.SetBufferAttribute("Alpha", DoubleValue(0.125));
    fabric.SetBufferAttribute("ReservedPerClass", UintegerValue(4096));
    fabric.SetBufferAttribute("ResumeOffset", UintegerValue(3000));
}

void
FabricScenario::SetRed(uint64_t kmin, uint64_t kmax, double pmax, bool onEnqueue)
{
    fabric.SetMarkerAttribute("ReferenceRate", DataRateValue(DataRate(0)));
    fabric.SetMarkerAttribute("MinThreshold", UintegerValue(kmin));
    fabric.SetMarkerAttribute("MaxThreshold", UintegerValue(kmax));
    fabric.SetMarkerAttribute("MaxProbability", DoubleValue(pmax));
    fabric.SetMarkerAttribute("MarkOnEnqueue", BooleanValue(onEnqueue));
}

void
FabricScenario::Build(const FabricTopology& topology)
{
    fabric.Build(topology);
    rdma = std::make_unique<RdmaHelper>(fabric);
    app = CreateObject<RdmaFlowApplication>();
    app->SetAttribute("Mtu", UintegerValue(1000));
    fabric.GetHosts().Get(0)->AddApplication(app);
}

void
FabricScenario::UseDcqcn(const std::string& profile)
{
    rdma->SetCongestion("dcqcn");
    rdma->SetCongestionAttribute("Profile", StringValue(profile));
}

uint32_t
FabricScenario::AddFlow(uint32_t src, uint32_t dst, uint64_t bytes, FabricPs start)
{
    const auto [from, to] = rdma->ChooseNics(src, dst, app->GetNFlows());
    RdmaFlow flow;
    flow.src = fabric.GetNic(from);
    flow.dst = fabric.GetNic(to);
    flow.id = app->GetNFlows();
    flow.endless = bytes == ENDLESS;
    flow.bytes = flow.endless ? 0 : bytes;
    flow.start = start;
    return app->AddFlow(flow);
}

void
FabricScenario::Every(FabricPs from, FabricPs period, std::function<void()> sample)
{
    Simulator::Schedule(FabricTime::To(from - FabricTime::Now()),
                        [this, period, sample]() { Tick(period, sample); });
}

void
FabricScenario::Tick(FabricPs period, std::function<void()> sample)
{
    for (const auto& sw : fabric.GetSwitches())
    {
        sw->Sync();
    }
    sample();
    Simulator::Schedule(FabricTime::To(period),
                        [this, period, sample]() { Tick(period, sample); });
}

void
FabricScenario::Run(FabricPs until)
{
    if (until != FABRIC_NEVER)
    {
        Simulator::Stop(FabricTime::To(until - FabricTime::Now()));
    }
    Simulator::Run();
    fabric.SyncAll();
}

std::vector<uint64_t>
FabricScenario::Delivered() const
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < app->GetNFlows(); ++i)
    {
        bytes.push_back(app->GetResult(i).delivered);
    }
    return bytes;
}

FabricPort&
FabricScenario::PortTo(uint32_t host) const
{
    return *fabric.GetNic(fabric.GetEndpoint(host))->GetPort(0).peer;
}

uint64_t
FabricScenario::Drops() const
{
    uint64_t drops = 0;
    const auto add = [&drops](FabricStation& station) {
        for (uint16_t i = 0; i < station.GetNPorts(); ++i)
        {
            for (const uint64_t count : station.GetPort(i).stats.dropsByReason)
            {
                drops += count;
            }
        }
    };
    for (const auto& sw : fabric.GetSwitches())
    {
        add(*sw);
    }
    for (uint32_t i = 0; i < fabric.GetNEndpoints(); ++i)
    {
        add(*fabric.GetNic(i));
    }
    return drops;
}

uint64_t
FabricScenario::Pauses() const
{
    uint64_t pauses = 0;
    for (const auto& sw : fabric.GetSwitches())
    {
        for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
        {
            for (const auto& stats : sw->GetPort(i).stats.of)
            {
                pauses += stats.xoffTx;
            }
        }
    }
    return pauses;
}

uint32_t
FabricScenario::Finished() const
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->GetNFlows(); ++i)
    {
        count += app->GetResult(i).status == RdmaFlowResult::Status::FINISHED ? 1 : 0;
    }
    return count;
}

uint64_t
FabricScenario::ResultDigest() const
{
    uint64_t hash = 14695981039346656037ULL; // FNV-1a, 64-bit words
    const auto mix = [&hash](uint64_t word) { hash = (hash ^ word) * 1099511628211ULL; };
    for (uint32_t i = 0; i < app->GetNFlows(); ++i)
    {
        const RdmaFlowResult r = app->GetResult(i);
        mix(r.id);
        mix(static_cast<uint64_t>(r.status));
        mix(static_cast<uint64_t>(r.start));
        mix(static_cast<uint64_t>(r.rxAt));
        mix(static_cast<uint64_t>(r.ackAt));
        mix(r.delivered);
        mix(r.retransmits);
        mix(r.timeouts);
    }
    return hash;
}

double
FabricScenario::Jain(const std::vector<double>& shares)
{
    double sum = 0;
    double squares = 0;
    for (const double x : shares)
    {
        sum += x;
        squares += x * x;
    }
    return sum * sum / (static_cast<double>(shares.size()) * squares);
}

double
FabricScenario::Scale()
{
    const char* text = std::getenv("AI_FABRIC_TEST_SCALE");
    const double scale = text ? std::atof(text) : 1;
    return scale > 0 && scale < 1 ? scale : 1;
}

void
FabricScenario::UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

bool
FabricScenario::IsVerbose()
{
    return std::getenv("AI_FABRIC_VERBOSE") != nullptr;
}

bool
FabricScenario::IsLong()
{
    const char* text = std::getenv("AI_FABRIC_LONG");
    return text && std::string(text) == "1";
}

FabricTopology
FabricScenario::Star(uint32_t hosts, uint64_t rateBps, int64_t delayPs)
{
    StarBuilder::Parameters p;
    p.hosts = hosts;
    p.hostLink.rateBps = rateBps;
    p.hostLink.delayPs = delayPs;
    return StarBuilder(p).Build();
}

} // namespace ns3
