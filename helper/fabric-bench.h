/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_BENCH_H
#define FABRIC_BENCH_H

#include "fabric-run-options.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The speed table: fixed workloads, each run in a process of its own.
 *
 * | row  | workload (100 Gb/s, 1 us links, 1000 B payload, one ACK a packet, DCQCN, PFC, ECN)    |
 * |------|---------------------------------------------------------------------------------------|
 * | W1   | 16 senders to 1 receiver at one switch, 10 MB each                                    |
 * | W2s  | k=8 fat-tree, 128 hosts, a random permutation, 0.5 MB each                            |
 * | W2   | the same with 10 MB each                                                              |
 * | W3   | same tree, host i to i + 1, 4 MB, eight times                                         |
 * | bare | same tree and permutation, 4000 frames of 1062 B each, no queue pairs, no ACKs        |
 */
class FabricBench
{
  public:
    /**
     * @param options row and scale
     * @param program path of this program, to run rows in processes of their own
     * @param out the table
     * @param err progress
     */
    FabricBench(const FabricRunOptions& options,
                const std::string& program,
                std::ostream& out,
                std::ostream& err);

    /**
     * @brief Run the table, or the one row asked for.
     * @return exit code
     * @throws FabricError for an unknown row
     */
    int Execute();

    /** @return names of all rows */
    static std::vector<std::string> Rows();

  private:
    /** @brief What a row printed. */
    using Numbers = std::map<std::string, double>;

    Numbers RunRow(const std::string& row, double scale) const;
    Numbers RunFlows(const std::string& row, double scale) const;
    Numbers RunBare(double scale) const;
    Numbers Launch(const std::string& row, double scale, bool counted) const;
    double InstructionsPerHop(const std::string& row) const;
    void PrintLine(const std::string& row, const Numbers& numbers, double instructions) const;

    FabricRunOptions m_options; //!< row and scale
    std::string m_program;      //!< path
    std::ostream& m_out;        //!< table
    std::ostream& m_err;        //!< progress
};

} // namespace ns3

#endif /* FABRIC_BENCH_H */
