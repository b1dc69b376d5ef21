/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_UNITS_H
#define FABRIC_UNITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Exact conversion of texts with units into integers, and back for people.
 *
 * No floating point: "0.0125ms" is exactly 12,500,000 ps. Prefixes k, M, G, T are powers of 1000,
 * Ki, Mi, Gi, Ti powers of 1024. A value that does not fit is refused, it never wraps. The plain
 * functions return nothing for a bad text; those named Require throw FabricError.
 */
class FabricUnits
{
  public:
    static const char* const RATE_FORMS;      //!< what Rate() takes, for messages
    static const char* const BARE_RATE_FORMS; //!< the same with bare bit/s, for messages
    static const char* const TIME_FORMS;      //!< what TimePs() takes, for messages
    static const char* const SIZE_FORMS;      //!< what Size() takes, for messages

    /**
     * @brief A decimal number times a scale, rounded half up to a whole number.
     * @param number digits with at most one point, and an optional exponent ("2.5e9"); no sign
     * @param scale factor, 1 to 10^13
     * @return the product, or nothing for another text or a product of 2^64 or more
     */
    static std::optional<uint64_t> ScaleDecimal(const std::string& number, uint64_t scale);

    /**
     * @brief A rate.
     * @param text "100Gbps", "40Gb/s", "12.5GB/s"; with bareAllowed also "25000000000.0"
     * @param bareAllowed accept a number without unit as bit/s
     * @return bits per second
     */
    static std::optional<uint64_t> Rate(const std::string& text, bool bareAllowed = false);

    /**
     * @brief A time or delay.
     * @param text "1us", "0.001ms", "1000ns", "2s", "5ps"
     * @return picoseconds, at most 2^63 - 1
     */
    static std::optional<int64_t> TimePs(const std::string& text);

    /**
     * @brief A number of seconds without unit.
     * @param number "2.0", "0.000001"
     * @return picoseconds, at most 2^63 - 1
     */
    static std::optional<int64_t> SecondsPs(const std::string& number);

    /**
     * @brief A byte count.
     * @param text "400KB", "400KiB", "9000B"; with a cell size also "400cells"
     * @param cellBytes bytes per switch cell; 0: cells are refused
     * @param bareAllowed accept a number without unit as bytes
     * @return bytes
     */
    static std::optional<uint64_t> Size(const std::string& text,
                                        uint64_t cellBytes = 0,
                                        bool bareAllowed = false);

    /**
     * @brief A whole number.
     * @param text digits only
     * @return the number, or nothing for another text or 2^64 and more
     */
    static std::optional<uint64_t> Whole(const std::string& text);

    /**
     * @brief A decimal number with optional sign and exponent; never "nan" or "inf".
     * @param text the number
     * @return its value
     */
    static std::optional<double> Real(const std::string& text);

    /**
     * @param text a rate with unit
     * @param what names the parameter in the message
     * @return bits per second
     */
    static uint64_t RequireRate(const std::string& text, const std::string& what);

    /**
     * @param text a time with unit
     * @param what names the parameter in the message
     * @return picoseconds
     */
    static int64_t RequireTimePs(const std::string& text, const std::string& what);

    /**
     * @param text a size with unit
     * @param what names the parameter in the message
     * @param cellBytes bytes per switch cell; 0: cells are refused
     * @return bytes
     */
    static uint64_t RequireSize(const std::string& text,
                                const std::string& what,
                                uint64_t cellBytes = 0);

    /**
     * @param bps bits per second
     * @return exact text with the largest fitting unit, as "100Gb/s"
     */
    static std::string RateText(uint64_t bps);

    /**
     * @param ps picoseconds
     * @return exact text with the largest fitting unit, as "1us"
     */
    static std::string TimeText(int64_t ps);

    /**
     * @param bytes bytes
     * @return exact text with the largest fitting decimal unit, as "400KB"
     */
    static std::string SizeText(uint64_t bytes);
};

} // namespace ns3

#endif /* FABRIC_UNITS_H */
