/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-units.h"

#include "ns3/fabric-error.h"

#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <utility>

namespace ns3
{

const char* const FabricUnits::RATE_FORMS = "a rate with unit, such as 100Gbps, 40Gb/s, 12.5GB/s";
const char* const FabricUnits::BARE_RATE_FORMS =
    "a rate such as 100Gbps, 40Gb/s or 25000000000.0 (bit/s), without a space";
const char* const FabricUnits::TIME_FORMS =
    "a time with unit ps, ns, us, ms or s, such as 1us or 0.001ms";
const char* const FabricUnits::SIZE_FORMS =
    "a size with unit, such as 1500B, 400KB (1000), 400KiB (1024), 32MB or, with a cell size, "
    "400cells";

namespace
{

using Unit = std::pair<const char*, uint64_t>; //!< spelling, scale

constexpr uint64_t K = 1'000;
constexpr uint64_t M = K * K;
constexpr uint64_t G = M * K;
constexpr uint64_t T = G * K;
constexpr uint64_t KI = 1ULL << 10;
constexpr uint64_t MI = 1ULL << 20;
constexpr uint64_t GI = 1ULL << 30;
constexpr uint64_t TI = 1ULL << 40;

/** Rate prefixes and their factors. */
const std::initializer_list<Unit> RATE_PREFIXES =
    {{"", 1}, {"k", K}, {"K", K}, {"M", M}, {"G", G}, {"T", T}, {"Ki", KI}, {"Mi", MI}, {"Gi", GI}};
/** Rate units and bits in each. */
const std::initializer_list<Unit> RATE_UNITS = {{"bps", 1}, {"b/s", 1}, {"Bps", 8}, {"B/s", 8}};
/** Time units and picoseconds in each. */
const std::initializer_list<Unit> TIME_UNITS = {{"ps", 1},
                                                {"ns", K},
                                                {"us", M},
                                                {"ms", G},
                                                {"s", T}};
/** Size units and bytes in each. */
const std::initializer_list<Unit> SIZE_UNITS = {{"B", 1},
                                                {"kB", K},
                                                {"KB", K},
                                                {"MB", M},
                                                {"GB", G},
                                                {"TB", T},
                                                {"KiB", KI},
                                                {"MiB", MI},
                                                {"GiB", GI},
                                                {"TiB", TI}};

/**
 * @brief Separate a number from the unit behind it.
 * @param text "12.5GB/s"
 * @return "12.5" and "GB/s"
 */
std::pair<std::string, std::string>
Split(const std::string& text)
{
    const auto end = text.find_first_not_of("0123456789.");
    const auto at = end == std::string::npos ? text.size() : end;
    const bool exponent = at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E') &&
                          text.find_first_of("0123456789", at) != std::string::npos;
    if (!exponent)
    {
        return {text.substr(0, at), text.substr(at)};
    }
    const auto sign = text[at + 1] == '+' || text[at + 1] == '-' ? 1 : 0;
    const auto stop = text.find_first_not_of("0123456789", at + 1 + sign);
    const auto cut = stop == std::string::npos ? text.size() : stop;
    return {text.substr(0, cut), text.substr(cut)};
}

/**
 * @param ps a count that may be too large for a time
 * @return it as a signed 64-bit number, or nothing
 */
std::optional<int64_t>
AsTime(std::optional<uint64_t> ps)
{
    if (!ps || *ps > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        return std::nullopt;
    }
    return static_cast<int64_t>(*ps);
}

/**
 * @param value a number
 * @param units spellings and scales, ascending
 * @return the number in the largest unit that divides it
 */
std::string
Largest(uint64_t value, std::initializer_list<Unit> units)
{
    std::string text = std::to_string(value) + units.begin()->first;
    for (const auto& [name, scale] : units)
    {
        if (value > 0 && value % scale == 0)
        {
            text = std::to_string(value / scale) + name;
        }
    }
    return text;
}

/** @brief A decimal number taken apart. */
struct Decimal
{
    unsigned __int128 digits{0}; //!< at most 20 significant digits
    int exponent{0};             //!< power of ten that the digits are multiplied by
};

/**
 * @brief Read the exponent of a number.
 * @param text what follows 'e'
 * @return the exponent, or nothing
 */
std::optional<int>
ReadExponent(const std::string& text)
{
    const size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const std::string digits = text.substr(sign);
    if (digits.empty() || digits.size() > 3 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
    {
        return std::nullopt;
    }
    const int value = std::atoi(digits.c_str());
    return text[0] == '-' ? -value : value;
}

/**
 * @param text digits with at most one point and an optional exponent
 * @return the number, or nothing
 */
std::optional<Decimal>
ReadDecimal(const std::string& text)
{
    Decimal d;
    int significant = 0;
    bool point = false;
    bool any = false;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        if (c >= '0' && c <= '9')
        {
            any = true;
            const bool keep = significant < 20;
            d.digits = keep ? d.digits * 10 + static_cast<unsigned>(c - '0') : d.digits;
            significant += (keep && d.digits > 0) ? 1 : 0;
            d.exponent += (keep ? 0 : 1) - (point ? 1 : 0);
        }
        else if (c == '.' && !point)
        {
            point = true;
        }
        else if ((c == 'e' || c == 'E') && any)
        {
            const auto exponent = ReadExponent(text.substr(i + 1));
            if (!exponent)
            {
                return std::nullopt;
            }
            d.exponent += *exponent;
            return d;
        }
        else
        {
            return std::nullopt;
        }
    }
    return any ? std::optional<Decimal>(d) : std::nullopt;
}

} // namespace

std::optional<uint64_t>
FabricUnits::ScaleDecimal(const std::string& number, uint64_t scale)
{
    const auto decimal = ReadDecimal(number);
    if (!decimal)
    {
        return std::nullopt;
    }
    constexpr uint64_t most = std::numeric_limits<uint64_t>::max();
    unsigned __int128 value = decimal->digits * scale;
    for (int e = decimal->exponent; e > 0 && value > 0; --e)
    {
        value *= 10;
        if (value > most)
        {
            return std::nullopt;
        }
    }
    unsigned lastDigit = 0; // rounds half up: only the first digit behind the point counts
    for (int e = decimal->exponent; e < 0 && (value > 0 || lastDigit > 0); ++e)
    {
        lastDigit = static_cast<unsigned>(value % 10);
        value /= 10;
    }
    value += lastDigit >= 5 ? 1 : 0;
    return value > most ? std::nullopt : std::optional<uint64_t>(static_cast<uint64_t>(value));
}

std::optional<uint64_t>
FabricUnits::Rate(const std::string& text, bool bareAllowed)
{
    const auto [number, unit] = Split(text);
    if (unit.empty())
    {
        return bareAllowed ? ScaleDecimal(number, 1) : std::nullopt;
    }
    for (const auto& [prefix, factor] : RATE_PREFIXES)
    {
        for (const auto& [name, bits] : RATE_UNITS)
        {
            if (unit == std::string(prefix) + name)
            {
                return ScaleDecimal(number, factor * bits);
            }
        }
    }
    return std::nullopt;
}

std::optional<int64_t>
FabricUnits::TimePs(const std::string& text)
{
    const auto [number, unit] = Split(text);
    for (const auto& [name, scale] : TIME_UNITS)
    {
        if (unit == name)
        {
            return AsTime(ScaleDecimal(number, scale));
        }
    }
    return std::nullopt;
}

std::optional<int64_t>
FabricUnits::SecondsPs(const std::string& number)
{
    return AsTime(ScaleDecimal(number, T));
}

std::optional<uint64_t>
FabricUnits::Size(const std::string& text, uint64_t cellBytes, bool bareAllowed)
{
    const auto [number, unit] = Split(text);
    if (unit.empty())
    {
        return bareAllowed ? ScaleDecimal(number, 1) : std::nullopt;
    }
    if ((unit == "cells" || unit == "cell") && cellBytes > 0 && cellBytes <= T)
    {
        return ScaleDecimal(number, cellBytes);
    }
    for (const auto& [name, scale] : SIZE_UNITS)
    {
        if (unit == name)
        {
            return ScaleDecimal(number, scale);
        }
    }
    return std::nullopt;
}

std::optional<uint64_t>
FabricUnits::Whole(const std::string& text)
{
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    {
        return std::nullopt;
    }
    return ScaleDecimal(text, 1);
}

std::optional<double>
FabricUnits::Real(const std::string& text)
{
    const size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    if (!ReadDecimal(text.substr(sign)))
    {
        return std::nullopt;
    }
    const double value = std::strtod(text.c_str(), nullptr);
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

uint64_t
FabricUnits::RequireRate(const std::string& text, const std::string& what)
{
    const auto rate = Rate(text);
    if (!rate)
    {
        throw FabricError(what + ": '" + text + "': allowed is " + RATE_FORMS);
    }
    return *rate;
}

int64_t
FabricUnits::RequireTimePs(const std::string& text, const std::string& what)
{
    const auto ps = TimePs(text);
    if (!ps)
    {
        throw FabricError(what + ": '" + text + "': allowed is " + TIME_FORMS);
    }
    return *ps;
}

uint64_t
FabricUnits::RequireSize(const std::string& text, const std::string& what, uint64_t cellBytes)
{
    const auto bytes = Size(text, cellBytes);
    if (!bytes)
    {
        throw FabricError(what + ": '" + text + "': allowed is " + SIZE_FORMS);
    }
    return *bytes;
}

std::string
FabricUnits::RateText(uint64_t bps)
{
    return Largest(bps, {{"b/s", 1}, {"kb/s", K}, {"Mb/s", M}, {"Gb/s", G}, {"Tb/s", T}});
}

std::string
FabricUnits::TimeText(int64_t ps)
{
    return ps < 0 ? "-" + Largest(0 - static_cast<uint64_t>(ps), TIME_UNITS)
                  : Largest(static_cast<uint64_t>(ps), TIME_UNITS);
}

std::string
FabricUnits::SizeText(uint64_t bytes)
{
    return Largest(bytes, {{"B", 1}, {"KB", K}, {"MB", M}, {"GB", G}, {"TB", T}});
}

} // namespace ns3
