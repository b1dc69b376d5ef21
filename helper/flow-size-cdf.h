/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_SIZE_CDF_H
#define FLOW_SIZE_CDF_H

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A distribution of flow sizes: points of size and cumulative probability.
 *
 * Between neighbouring points sizes are interpolated linearly; a size that is repeated with a
 * higher probability is a step, a probability repeated with a larger size is a gap.
 */
class FlowSizeCdf
{
  public:
    /** @brief A point of the distribution. */
    struct Point
    {
        double bytes{0};      //!< flow size
        double cumulative{0}; //!< probability of this size or less, in the unit of the table
    };

    static constexpr size_t MAX_POINTS = 100'000; //!< most points in a table

    /**
     * @param name path or name, for messages
     * @param points sizes and cumulative values, neither decreasing; the last cumulative value is
     *        1 (fractions) or 100 (percent)
     */
    FlowSizeCdf(const std::string& name, const std::vector<Point>& points);

    /**
     * @brief A table by name, or else by path.
     * @param nameOrPath one of GetNames() in any case, or a file
     * @return the distribution
     */
    static FlowSizeCdf Get(const std::string& nameOrPath);

    /** @return names of the built-in tables */
    static std::vector<std::string> GetNames();

    /**
     * @param name any text
     * @return true for the name of a built-in table, in any case
     */
    static bool IsBuiltIn(const std::string& name);

    /**
     * @brief Read a table: `size cumulative` a line, or ns-2's `size constant cumulative`.
     * @param path the file
     * @return the distribution
     */
    static FlowSizeCdf Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return the distribution
     */
    static FlowSizeCdf Read(std::istream& in, const std::string& name);

    /** @return path or name */
    const std::string& GetName() const;
    /** @return the points as given */
    const std::vector<Point>& GetPoints() const;
    /** @return 1 if the table has fractions, 100 if it has percent */
    double GetTotal() const;
    /** @return mean flow size in bytes */
    double GetMean() const;
    /** @return flow size in bytes that half of the flows do not exceed */
    double GetMedian() const;

    /**
     * @brief Inverse of the distribution.
     * @param u probability, in [0, 1]
     * @return flow size in bytes
     */
    double GetQuantile(double u) const;

    /**
     * @brief A flow size from a uniform random number.
     * @param u in [0, 1)
     * @return bytes, whole, at least 1
     */
    uint64_t Draw(double u) const;

  private:
    std::string m_name;          //!< path or name
    std::vector<Point> m_points; //!< as given
    double m_total{1};           //!< 1 or 100
};

} // namespace ns3

#endif /* FLOW_SIZE_CDF_H */
