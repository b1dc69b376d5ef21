/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HPCC_CONFIG_RULE_H
#define HPCC_CONFIG_RULE_H

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What one key of an HPCC configuration means here.
 */
struct HpccConfigRule
{
    /** @brief How the value is written, and into what it is converted. */
    enum class Kind
    {
        TEXT,      //!< one word, kept
        COUNT,     //!< a whole number, kept
        FLAG,      //!< 0 or 1, kept
        FRACTION,  //!< a number from 0 to 1, kept
        REAL,      //!< any number, kept
        RATE,      //!< "50Mb/s", kept
        SECONDS,   //!< seconds without unit, becomes a time with unit
        MICROS,    //!< microseconds without unit, becomes a time with unit
        NANOS,     //!< nanoseconds without unit, becomes a time with unit
        KILOBYTES, //!< units of 1000 bytes, becomes bytes
        MEBIBYTES, //!< units of 2^20 bytes, becomes bytes
        MAP,       //!< number of pairs, then pairs of bit/s and value
        LINK_DOWN  //!< microseconds, node, node
    };

    const char* key;     //!< as in the file
    Kind kind;           //!< form of the value
    const char* target;  //!< our attribute, "run:..." for the run itself, or "" if not honoured
    const char* builtIn; //!< without target: the value that is what we do anyway; "" if none
    const char* reason;  //!< why it is not honoured

    /**
     * @param key of a file
     * @return its rule, or null for a key that is not known
     */
    static const HpccConfigRule* Find(const std::string& key);
};

} // namespace ns3

#endif /* HPCC_CONFIG_RULE_H */
