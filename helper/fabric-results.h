/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RESULTS_H
#define FABRIC_RESULTS_H

#include "fabric-helper.h"
#include "flow-outcome.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The results directory of one run: flows.csv, ports.csv, classes.csv and what else goes in.
 *
 * Made, or refused, before the run. Finished flows are written as they finish, so that even a
 * killed run leaves a valid file.
 */
class FabricResults
{
  public:
    /**
     * @brief Make the directory (and its parents) and open flows.csv.
     * @param directory path
     * @throws FabricError when it cannot be made or written
     */
    explicit FabricResults(const std::string& directory);

    /**
     * @param file name of a file in it
     * @return its path
     */
    std::string GetPath(const std::string& file) const;

    /** @return the directory */
    const std::string& GetDirectory() const
    {
        return m_directory;
    }

    /**
     * @brief Write one row of flows.csv.
     * @param flow the flow
     */
    void Add(const FlowOutcome& flow);

    /** @brief Bring what was added to the disk. */
    void Flush();

    /**
     * @brief Write ports.csv and classes.csv.
     * @param fabric the fabric, its clock at the end of the run
     * @param lastEnd end of the last flow, ps: what the use of links refers to
     */
    void WriteCounters(const FabricHelper& fabric, FabricPs lastEnd);

    /**
     * @brief Write a small text file.
     * @param file name in the directory
     * @param text its content
     */
    void WriteText(const std::string& file, const std::string& text);

    /** @return names of the files that could not be written in full so far, comma-separated */
    const std::string& GetUnwritten() const
    {
        return m_unwritten;
    }

    /**
     * @brief A digest of what happened to every flow, independent of their order.
     * @param flows all flows
     * @return 64 hexadecimal digits
     */
    static std::string DigestOf(const std::vector<FlowOutcome>& flows);

  private:
    void CheckWritten(const std::string& file, std::ostream& os);

    std::string m_directory; //!< path
    std::ofstream m_flows;   //!< flows.csv
    std::string m_unwritten; //!< see GetUnwritten()
};

} // namespace ns3

#endif /* FABRIC_RESULTS_H */
