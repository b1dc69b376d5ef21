/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_CLASS_LIST_H
#define FABRIC_CLASS_LIST_H

#include "fabric-packet.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief One number for each of the eight classes, as attributes spell it: "n0 n1 .. n7".
 */
class FabricClassList
{
  public:
    /** @brief The numbers, by class. */
    typedef std::array<uint32_t, FABRIC_CLASSES> Numbers;

    /**
     * @brief Read the text of an attribute.
     * @param attribute its full name, for the message
     * @param text eight whole numbers
     * @param min smallest number allowed
     * @param max largest number allowed
     * @return the numbers
     * @throws FabricError for another count, a number out of range, or anything else
     */
    static Numbers Parse(const std::string& attribute,
                         const std::string& text,
                         uint32_t min,
                         uint32_t max);

    /**
     * @param numbers the numbers
     * @return their text
     */
    static std::string Format(const Numbers& numbers);
};

} // namespace ns3

#endif /* FABRIC_CLASS_LIST_H */
