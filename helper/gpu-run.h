/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GPU_RUN_H
#define GPU_RUN_H

#include "gpu-run-options.h"
#include "gpu-server-helper.h"
#include "peer-meter.h"
#include "server-relations.h"

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The command `dgx`: builds a GPU server, prints it, measures it.
 *
 * Nothing that it prints as a measurement comes from a table: all are times of transfers through
 * simulated ports, and what the ports' byte counters say is printed beside them.
 */
class GpuRun
{
  public:
    /**
     * @param options what to do
     * @param out where results go
     */
    GpuRun(const GpuRunOptions& options, std::ostream& out);
    ~GpuRun();

    /**
     * @brief Do it.
     * @return exit code: 0 all measured, 1 not so
     * @throws FabricError for bad input
     */
    int Execute();

  private:
    /** @brief What was measured between two parts. */
    struct Pair
    {
        uint32_t from;        //!< part id
        uint32_t to;          //!< part id
        std::string relation; //!< in nvidia-smi's words
        double oneWay;        //!< 10^9 B/s, a copy by the sender's copy engine
        double bothWays;      //!< 10^9 B/s, sum of two such copies at the same time
        double latency;       //!< us, a store of 4 bytes until it is known to be there
    };

    ServerTopology MakeTopology() const;
    void Build(const ServerTopology& topology);
    void Change(const ServerTopology& topology, bool built);
    void Describe(const ServerTopology& topology) const;
    void FindEnds(const ServerTopology& topology);
    void PrintQuestions(const ServerTopology& topology) const;
    void SetDevices();
    void WriteGraphs(const ServerTopology& topology) const;
    void WriteXml(const ServerTopology& topology) const;
    void MeasurePairs();
    void MeasureSweep();
    void PrintMatrix(const std::string& title, double Pair::*figure, int digits) const;
    void PrintRelations() const;
    void PrintCounters() const;
    void PrintLinkBytes() const;
    void WriteResults() const;
    std::string GetDirectory() const;

    GpuRunOptions m_options;                   //!< what to do
    std::ostream& m_out;                       //!< where results go
    std::unique_ptr<GpuServerHelper> m_server; //!< the server
    std::vector<uint32_t> m_ends;              //!< part ids, between which is measured
    std::vector<Pair> m_pairs;                 //!< measured
    uint64_t m_moved{0};                       //!< data bytes that all transfers moved
    uint64_t m_counted{0};                     //!< data bytes that the senders' ports counted
};

} // namespace ns3

#endif /* GPU_RUN_H */
