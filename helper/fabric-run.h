/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUN_H
#define FABRIC_RUN_H

#include "attribute-defaults.h"
#include "fabric-helper.h"
#include "fabric-monitor.h"
#include "fabric-results.h"
#include "fabric-run-options.h"
#include "fabric-run-scenario.h"
#include "fabric-run-summary.h"
#include "fabric-watchdog.h"
#include "progress-line.h"
#include "rdma-flow-set.h"
#include "rdma-helper.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief One run from options to result files: builds, simulates, watches, accounts.
 *
 * Holds no state beyond itself: after the object is gone another run can follow in the process.
 */
class FabricRun
{
  public:
    /** @brief What came out, for programs. */
    struct Report
    {
        std::vector<FlowOutcome> flows;       //!< in list order
        FabricRunSummary::Totals totals;      //!< counters
        RdmaCongestionCounters congestion;    //!< what congestion control did
        FabricTrajectory trajectory;          //!< hops, digest
        uint64_t events{0};                   //!< simulator events
        double seconds{0};                    //!< wall-clock time of the simulation
        double processorSeconds{0};           //!< processor time of the simulation
        FabricPs endPs{0};                    //!< simulated time at the end of the last flow
        std::string resultDigest;             //!< see FabricResults::DigestOf()
        std::string stall;                    //!< what the watchdog said, empty if nothing
        bool interrupted{false};              //!< by Interrupt()
    };

    /**
     * @param options what to do
     * @param out for people
     * @param err progress
     * @param terminal err is a terminal
     */
    FabricRun(const FabricRunOptions& options, std::ostream& out, std::ostream& err, bool terminal);
    ~FabricRun();

    FabricRun(const FabricRun&) = delete;
    FabricRun& operator=(const FabricRun&) = delete;

    /**
     * @brief Do everything.
     * @return exit code: 0 all flows finished, 1 some did not or a result file is not whole,
     *         130 interrupted
     * @throws FabricError for bad input, before anything is simulated
     */
    int Execute();

    /**
     * @brief Run a scenario made by the caller instead of the one that the options describe.
     * @param scenario topology and flows, checked
     * @return exit code as Execute()
     */
    int Execute(FabricRunScenario scenario);

    /** @return what came out of Execute() */
    const Report& GetReport() const
    {
        return m_report;
    }

    /**
     * @brief Write no result files (for measurements and tests).
     */
    void DisableFiles()
    {
        m_files = false;
    }

    /**
     * @brief Ask the run in progress to stop; before it simulates, end the program with code 130.
     * Safe inside a signal handler.
     */
    static void Interrupt();

  private:
    void SetDefaults();
    void Build();
    void SetMarkersByRate();
    void PrintPlan();
    void PrintHead();
    void Simulate();
    void StartMonitors();
    void OnFlowEnded(const FlowOutcome& flow);
    void EndRun(const std::string& why);
    void Tick();
    void Collect();
    void WriteFiles();
    int PrintResult();
    std::string GetUnwritten() const;

    FabricRunOptions m_options;                  //!< what to do
    FabricRunScenario m_scenario;                //!< what is simulated
    std::ostream& m_out;                         //!< for people
    bool m_files{true};                          //!< write result files
    ProgressLine m_progress;                     //!< progress
    AttributeDefaults m_defaults;                //!< undone at the end
    std::unique_ptr<FabricHelper> m_fabric;      //!< the fabric
    std::unique_ptr<RdmaHelper> m_rdma;          //!< connects
    std::unique_ptr<RdmaFlowSet> m_flows;        //!< the traffic
    std::unique_ptr<FabricWatchdog> m_watchdog;  //!< notices stalls
    std::unique_ptr<FabricResults> m_results;    //!< the directory
    std::vector<std::unique_ptr<FabricMonitor>> m_monitors; //!< samplers
    EventId m_tick;                              //!< next look at the clock on the wall
    FabricPs m_tickPs{1000};                     //!< simulated time between looks
    double m_lastTick{0};                        //!< wall-clock seconds at the last look
    bool m_ended{false};                         //!< EndRun() was called
    std::string m_why;                           //!< how the run ended
    Report m_report;                             //!< what came out
};

} // namespace ns3

#endif /* FABRIC_RUN_H */
