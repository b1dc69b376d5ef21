/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FCT_TABLE_H
#define FCT_TABLE_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Flow-completion-time slowdowns, by flow size.
 *
 * Percentiles are nearest-rank: the p-th of n sorted values is number ceil(p n / 100).
 */
class FctTable
{
  public:
    /** @brief One line of the table. */
    struct Row
    {
        std::string label;  //!< sizes covered, "1-10 KB"
        uint64_t flows{0};  //!< flows in it
        double p50{0};      //!< median slowdown; 0 without flows
        double p95{0};      //!< 95th percentile
        double p99{0};      //!< 99th percentile
        double max{0};      //!< largest
    };

    /**
     * @brief Count a finished flow.
     * @param bytes its size
     * @param slowdown completion time over that of the same flow alone
     */
    void Add(uint64_t bytes, double slowdown);

    /**
     * @return one row per size bin (<= 1 KB, 1-10, 10-100 KB, 0.1-1, > 1 MB; KB = 1000 B), then
     *         one over all flows
     */
    std::vector<Row> GetRows() const;

    /** @return number of flows counted */
    uint64_t GetNFlows() const;

    /**
     * @brief Print the table for people.
     * @param os where to
     */
    void Print(std::ostream& os) const;

    /**
     * @brief Nearest-rank percentile.
     * @param sorted values, ascending
     * @param percent 0 < percent <= 100
     * @return the value; 0 if there are none
     */
    static double Percentile(const std::vector<double>& sorted, double percent);

  private:
    static constexpr uint32_t BINS = 5; //!< size bins

    std::vector<double> m_slowdowns[BINS]; //!< by size bin
};

} // namespace ns3

#endif /* FCT_TABLE_H */
