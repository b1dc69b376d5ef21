/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_MONITOR_H
#define FABRIC_MONITOR_H

#include "fabric-helper.h"
#include "fabric-run-options.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Samples one quantity at many ports into a CSV: one row per interval, one column per port.
 *
 * | kind  | ports      | each value                                                            |
 * |-------|------------|-----------------------------------------------------------------------|
 * | queue | of switches | bytes queued at the egress, all classes, at the instant              |
 * | rate  | all        | Gb/s of frames (buffer bytes) begun in the interval                   |
 * | pause | all        | us in the interval for which the egress was paused, summed over classes |
 * | mark  | of switches | packets marked congestion experienced in the interval                |
 * | cnp   | NICs       | CNPs received by the sending NIC in the interval                      |
 */
class FabricMonitor
{
  public:
    /**
     * @brief Open the file and write the header.
     * @param fabric a built fabric; outlives the monitor
     * @param spec what to sample
     * @param path CSV file
     * @throws FabricError when the file cannot be written or a node does not exist
     */
    FabricMonitor(const FabricHelper& fabric,
                  const FabricMonitorSpec& spec,
                  const std::string& path);
    ~FabricMonitor();

    FabricMonitor(const FabricMonitor&) = delete;
    FabricMonitor& operator=(const FabricMonitor&) = delete;

    /**
     * @brief Refuse nodes that do not exist.
     * @param topology the fabric
     * @param spec what to sample
     * @throws FabricError with close matches
     */
    static void Check(const FabricTopology& topology, const FabricMonitorSpec& spec);

    /** @brief Take the first sample one interval from now, and so on. */
    void Start();

    /** @brief No more samples; the file is complete. */
    void Stop();

    /** @return rows written so far */
    uint64_t GetNRows() const
    {
        return m_rows;
    }

    /** @return whether all of it has reached the file, so far */
    bool IsWritten() const
    {
        return !m_out.fail();
    }

    /** @return path of the file */
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    /** @brief A column. */
    struct Column
    {
        FabricPort* port{nullptr}; //!< the port sampled
        Ptr<RdmaNic> nic;          //!< its NIC (cnp)
        uint64_t last{0};          //!< counter at the last sample
    };

    void AddColumns(const FabricMonitorSpec& spec);
    void WriteHeader(const std::vector<std::string>& names);
    void Sample();
    uint64_t Read(const Column& column, FabricPs now) const;

    const FabricHelper& m_fabric;   //!< sampled
    std::string m_kind;             //!< see FabricMonitorSpec
    FabricPs m_interval;            //!< ps
    std::string m_path;             //!< CSV file
    std::ofstream m_out;            //!< open until Stop()
    std::vector<Column> m_columns;  //!< in header order
    EventId m_event;                //!< next sample
    uint64_t m_rows{0};             //!< written
};

} // namespace ns3

#endif /* FABRIC_MONITOR_H */
