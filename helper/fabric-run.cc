/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-run.h"

#include "fabric-units.h"
#include "fct-table.h"
#include "incast-forecast.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <ostream>

namespace ns3
{

namespace
{
/** Set by Interrupt(), looked at by Tick(). */
volatile std::sig_atomic_t g_interrupted = 0;

/** A simulation runs, or its results are being written. */
volatile std::sig_atomic_t g_running = 0;

/** Simulated time after the last flow in which packets on their way may come to rest: 1 ms. */
constexpr FabricPs DRAIN = 1'000'000'000;

/** Times a queue pair sends a packet before it gives up: once and 7 retries. */
constexpr int64_t MAX_SENDS = 8;
} // namespace

FabricRun::FabricRun(const FabricRunOptions& options,
                     std::ostream& out,
                     std::ostream& err,
                     bool terminal)
    : m_options(options),
      m_out(out),
      m_progress(err, options.progress, terminal)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

FabricRun::~FabricRun()
{
    g_running = 0;
    m_tick.Cancel();
    m_monitors.clear();
    m_watchdog.reset();
    m_flows.reset();
    m_rdma.reset();
    m_fabric.reset();
    Simulator::Destroy();
}

void
FabricRun::Interrupt()
{
    if (g_running == 0)
    {
        std::_Exit(130); // still reading or building: there is nothing to write
    }
    g_interrupted = 1;
}

int
FabricRun::Execute()
{
    return Execute(FabricRunScenario::Load(m_options));
}

int
FabricRun::Execute(FabricRunScenario scenario)
{
    g_interrupted = 0;
    m_scenario = std::move(scenario);
    m_scenario.monitors.insert(m_scenario.monitors.end(),
                               m_options.monitors.begin(),
                               m_options.monitors.end());
    for (const auto& spec : m_scenario.monitors)
    {
        FabricMonitor::Check(m_scenario.topology, spec);
    }
    SetDefaults();
    PrintHead();
    Build();
    m_flows = std::make_unique<RdmaFlowSet>(*m_rdma, m_scenario.flows);
    if (m_files && !m_options.check)
    {
        m_results = std::make_unique<FabricResults>(
            m_options.out.empty() ? "results/" + m_scenario.name : m_options.out);
    }
    PrintPlan();
    if (m_options.check)
    {
        m_out << "check       the input is valid; nothing was simulated\n";
        return 0;
    }
    g_running = 1;
    Simulate();
    Collect();
    if (m_results)
    {
        WriteFiles();
    }
    return PrintResult();
}

void
FabricRun::SetDefaults()
{
    RngSeedManager::SetSeed(m_options.seed);
    RngSeedManager::SetRun(m_options.run);
    m_defaults.Set("ns3::RdmaFlowApplication", "Mtu", std::to_string(m_options.payload));
    m_defaults.Set("ns3::RdmaNic", "Mtu", std::to_string(m_options.payload));
    const std::string congestion = RdmaHelper::CongestionTypeName(m_options.congestion);
    if (!m_options.profile.empty())
    {
        if (congestion.empty())
        {
            throw FabricError("--profile=" + m_options.profile +
                              ": there is no congestion control");
        }
        RdmaHelper::CheckProfile(m_options.congestion, m_options.profile);
        m_defaults.Set(congestion, "Profile", m_options.profile);
    }
    for (const auto& [path, value] : m_scenario.attributes)
    {
        m_defaults.Set(path + "=" + value);
    }
    for (const auto& assignment : m_options.attributes)
    {
        m_defaults.Set(assignment);
    }
    if (!congestion.empty())
    {
        ObjectFactory(congestion).Create(); // refuses names of profiles before anything is printed
    }
}

void
FabricRun::Build()
{
    FabricHelper::UseFastScheduler();
    m_fabric = std::make_unique<FabricHelper>();
    m_fabric->SetFrameProfile(m_options.frameProfile);
    if (!m_options.pfc)
    {
        m_fabric->SetFlowControl("ns3::NoFlowControl");
    }
    if (!m_options.ecn)
    {
        m_fabric->SetMarker("");
    }
    m_fabric->Build(m_scenario.topology);
    SetMarkersByRate();
    m_rdma = std::make_unique<RdmaHelper>(*m_fabric);
    m_rdma->SetCongestion(m_options.congestion);
    for (const auto& event : m_scenario.linkEvents)
    {
        m_fabric->ScheduleLink(FabricTime::To(event.atPs), event.link, event.up);
    }
}

void
FabricRun::SetMarkersByRate()
{
    for (const auto& [rateBps, attributes] : m_scenario.markerByRate)
    {
        for (const auto& sw : m_fabric->GetSwitches())
        {
            for (uint16_t i = 0; i < sw->GetNPorts(); ++i)
            {
                const auto marker = sw->GetMarker(i);
                if (!marker || sw->GetPort(i).rate.GetBps() != rateBps)
                {
                    continue;
                }
                marker->SetAttribute("ReferenceRate", DataRateValue(DataRate(rateBps)));
                for (const auto& [name, value] : attributes)
                {
                    marker->SetAttribute(name, StringValue(value));
                }
                sw->SetMarker(i, marker);
            }
        }
    }
}

void
FabricRun::PrintHead()
{
    const std::string build = FabricManifest::BuildType();
    m_out << "ai-fabric   " << FabricManifest::Version() << ", ns-3 "
          << FabricManifest::Ns3Version() << ", build type " << build << ", seed "
          << m_options.seed << ", run " << m_options.run << "\n";
    std::string lower = build;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    if (lower.find("debug") != std::string::npos || lower == "unknown" || lower == "default")
    {
        m_out << "warning     this is not an optimised build: expect a run several times as long\n";
    }
    for (const auto& line : m_scenario.title)
    {
        m_out << "scenario    " << line << "\n";
    }
    for (const auto& note : m_scenario.notes)
    {
        m_out << "note        " << note << "\n";
    }
}

void
FabricRun::PrintPlan()
{
    FabricRunSummary::PrintTopology(m_out, m_scenario.topology);
    m_out << "frames      profile " << m_options.frameProfile << ", payload " << m_options.payload
          << " bytes; PFC " << (m_options.pfc ? "on" : "off") << ", ECN "
          << (m_options.ecn ? "on" : "off") << ", congestion control " << m_options.congestion
          << "\n";
    FabricRunSummary::PrintBudgets(m_out, *m_fabric);
    const std::string forecast =
        IncastForecast::Describe(*m_fabric,
                                 m_rdma->GetCongestion(),
                                 m_scenario.flows,
                                 m_options.payload);
    if (!forecast.empty())
    {
        m_out << "forecast    " << forecast << "\n";
    }
    FabricRunSummary::PrintParameters(
        m_out,
        FabricRunSummary::PartsOf(*m_fabric, m_rdma->GetCongestion()));
    if (m_results)
    {
        m_out << "results     " << m_results->GetDirectory() << "/\n";
    }
    m_out << std::flush;
}

void
FabricRun::StartMonitors()
{
    std::map<std::string, int> used;
    for (const auto& spec : m_scenario.monitors)
    {
        // a second monitor of a kind gets a file of its own
        const int number = ++used[spec.kind];
        const std::string file = spec.kind + (number > 1 ? std::to_string(number) : "") + ".csv";
        m_monitors.push_back(
            std::make_unique<FabricMonitor>(*m_fabric, spec, m_results->GetPath(file)));
        m_monitors.back()->Start();
    }
}

void
FabricRun::Simulate()
{
    if (m_results)
    {
        StartMonitors();
    }
    m_flows->Start([this](const FlowOutcome& flow) { OnFlowEnded(flow); });
    // a lost last packet is silent until the retry timer runs out: no stall yet, unless asked for
    TimeValue retry(Time(0));
    m_fabric->GetNic(0)->GetAttribute("RetryTimeout", retry);
    m_watchdog = std::make_unique<FabricWatchdog>(
        *m_fabric,
        FabricTime::To(m_options.stallPs),
        m_options.IsGiven("stall") ? Time(0) : retry.Get() * MAX_SENDS);
    m_watchdog->Start([this]() { return m_flows->GetDelivered(); },
                      [this]() { return m_flows->IsAnyRunning(); },
                      [this](const std::string& text) {
                          m_report.stall = text;
                          EndRun("stalled");
                          Simulator::Stop();
                      });
    if (m_options.stopPs > 0)
    {
        Simulator::Stop(FabricTime::To(m_options.stopPs));
    }
    m_lastTick = m_progress.GetElapsed();
    const double started = m_lastTick;
    const std::clock_t processor = std::clock();
    m_tick = Simulator::Schedule(FabricTime::To(m_tickPs), &FabricRun::Tick, this);
    Simulator::Run();
    m_report.seconds = m_progress.GetElapsed() - started;
    m_report.processorSeconds =
        static_cast<double>(std::clock() - processor) / static_cast<double>(CLOCKS_PER_SEC);
    m_report.events = Simulator::GetEventCount();
    if (!m_ended)
    {
        EndRun("stopped at --stop-time");
    }
    m_progress.Finish();
}

void
FabricRun::OnFlowEnded(const FlowOutcome& flow)
{
    if (m_results)
    {
        m_results->Add(flow);
    }
    if (m_flows->IsDone())
    {
        EndRun("all flows ended");
        Simulator::Stop(FabricTime::To(DRAIN));
    }
}

void
FabricRun::EndRun(const std::string& why)
{
    m_ended = true;
    m_why = why;
    m_report.endPs = FabricTime::Now();
    m_tick.Cancel();
    m_watchdog->Stop();
    for (auto& monitor : m_monitors)
    {
        monitor->Stop();
    }
}

void
FabricRun::Tick()
{
    if (g_interrupted != 0)
    {
        m_report.interrupted = true;
        EndRun("interrupted");
        Simulator::Stop();
        return;
    }
    // look about every 20 ms on the wall, whatever that is in simulated time
    const double now = m_progress.GetElapsed();
    m_tickPs = now - m_lastTick < 0.01   ? std::min<FabricPs>(m_tickPs * 2, 10'000'000'000)
               : now - m_lastTick > 0.03 ? std::max<FabricPs>(m_tickPs / 2, 1000)
                                         : m_tickPs;
    m_lastTick = now;
    ProgressLine::Status status;
    status.nowPs = FabricTime::Now();
    status.done = m_flows->GetNFinished() + m_flows->GetNFailed();
    status.asked = m_flows->GetNAsked();
    status.hops = FabricStation::Trajectory().hops;
    status.fraction = static_cast<double>(m_flows->GetDelivered()) /
                      static_cast<double>(std::max<uint64_t>(m_flows->GetBytesAsked(), 1));
    if (m_options.stopPs > 0)
    {
        const double byTime =
            static_cast<double>(status.nowPs) / static_cast<double>(m_options.stopPs);
        status.fraction = std::max(status.fraction, byTime);
    }
    m_progress.Update(status);
    if (m_results)
    {
        m_results->Flush();
    }
    m_tick = Simulator::Schedule(FabricTime::To(m_tickPs), &FabricRun::Tick, this);
}

void
FabricRun::Collect()
{
    m_report.flows = m_flows->Account();
    m_report.totals = FabricRunSummary::Count(*m_fabric);
    m_report.congestion = m_flows->GetCongestionCounters();
    m_report.trajectory = FabricStation::Trajectory();
    m_report.resultDigest = FabricResults::DigestOf(m_report.flows);
}

void
FabricRun::WriteFiles()
{
    for (const auto& flow : m_report.flows)
    {
        using Status = FlowOutcome::Status;
        const bool written = flow.status == Status::FINISHED || flow.status == Status::STOPPED ||
                             flow.status == Status::FAILED;
        if (!written)
        {
            m_results->Add(flow);
        }
    }
    m_results->Flush();
    m_results->WriteCounters(*m_fabric, m_report.endPs);
    char trajectory[32];
    std::snprintf(trajectory, sizeof(trajectory), "%016llx",
                  static_cast<unsigned long long>(m_report.trajectory.digest));
    m_results->WriteText("digest",
                         "result " + m_report.resultDigest + "\ntrajectory " + trajectory + "\n");
    FabricManifest manifest;
    manifest.Set("program", "ai-fabric-run");
    manifest.Set("version", FabricManifest::Version());
    manifest.Set("ns3", FabricManifest::Ns3Version());
    manifest.Set("build_type", FabricManifest::BuildType());
    manifest.Set("arguments", m_options.commandLine);
    manifest.SetNumber("seed", m_options.seed);
    manifest.SetNumber("run", m_options.run);
    manifest.Set("frame_profile", m_options.frameProfile);
    manifest.Set("congestion_control", m_options.congestion);
    manifest.SetNumber("payload_bytes", m_options.payload);
    manifest.SetNumber("hosts", m_scenario.topology.GetNHosts());
    manifest.SetNumber("switches", m_scenario.topology.GetNSwitches());
    manifest.SetNumber("links", m_scenario.topology.GetNLinks());
    manifest.SetNumber("flows_asked", m_flows->GetNAsked());
    manifest.SetNumber("flows_finished", m_flows->GetNFinished());
    manifest.SetNumber("end_ps", static_cast<uint64_t>(m_report.endPs));
    manifest.Set("ended", m_why);
    manifest.Set("result_digest", m_report.resultDigest);
    manifest.Set("trajectory_digest", trajectory);
    for (const auto& path : m_scenario.inputs)
    {
        manifest.AddInput(path);
    }
    for (const auto& part : FabricRunSummary::PartsOf(*m_fabric, m_rdma->GetCongestion()))
    {
        manifest.AddPart(part);
    }
    m_results->WriteText("manifest.json", manifest.ToJson());
}

int
FabricRun::PrintResult()
{
    FctTable table;
    for (const auto& flow : m_report.flows)
    {
        if (flow.status == FlowOutcome::Status::FINISHED)
        {
            table.Add(flow.bytes, flow.GetSlowdown());
        }
    }
    m_out << "\nFCT slowdown (time to the last ACK over that of the same flow alone)\n";
    table.Print(m_out);
    m_out << "\nflows       asked " << m_flows->GetNAsked() << ", finished "
          << m_flows->GetNFinished() << ", failed " << m_flows->GetNFailed() << "; " << m_why
          << " at " << FabricRunSummary::TimeText(m_report.endPs) << "\n";
    if (!m_report.stall.empty())
    {
        m_out << "stall       " << m_report.stall << "\n";
    }
    const uint64_t missing = FabricRunSummary::PrintUnfinished(m_out, m_report.flows);
    FabricRunSummary::PrintCounters(m_out,
                                    m_report.totals,
                                    m_report.congestion,
                                    m_rdma->GetCongestion() != nullptr);
    FabricRunSummary::PrintPools(m_out, *m_fabric);
    const auto hops = static_cast<double>(std::max<uint64_t>(m_report.trajectory.hops, 1));
    char text[160];
    std::snprintf(text, sizeof(text),
                  "%llu packet-hops in %.2f s (%.2f s of processor time): %.2f M packet-hops/s, "
                  "%.3f events per hop",
                  static_cast<unsigned long long>(m_report.trajectory.hops), m_report.seconds,
                  m_report.processorSeconds,
                  hops * 1e-6 / std::max(m_report.processorSeconds, 1e-9),
                  static_cast<double>(m_report.events) / hops);
    m_out << "engine      " << text << "\n";
    if (m_results)
    {
        m_out << "results     " << m_results->GetDirectory()
              << "/: flows.csv, ports.csv, classes.csv, manifest.json, digest";
        for (const auto& monitor : m_monitors)
        {
            m_out << ", " << monitor->GetPath().substr(m_results->GetDirectory().size() + 1);
        }
        m_out << "\n";
    }
    const std::string unwritten = GetUnwritten();
    if (!unwritten.empty())
    {
        m_out << "warning     not written in full, is the disk full? " << unwritten << "\n";
    }
    std::snprintf(text, sizeof(text), "%016llx",
                  static_cast<unsigned long long>(m_report.trajectory.digest));
    m_out << "digest      trajectory " << text << ", result "
          << m_report.resultDigest.substr(0, 16) << "\n";
    m_out << std::flush;
    return m_report.interrupted ? 130 : missing > 0 || !unwritten.empty() ? 1 : 0;
}

std::string
FabricRun::GetUnwritten() const
{
    std::string files = m_results ? m_results->GetUnwritten() : "";
    for (const auto& monitor : m_monitors)
    {
        if (!monitor->IsWritten())
        {
            files += (files.empty() ? "" : ", ") + monitor->GetPath();
        }
    }
    return files;
}

} // namespace ns3
