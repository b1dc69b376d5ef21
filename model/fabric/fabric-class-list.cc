/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-class-list.h"

#include "fabric-error.h"

#include <sstream>

namespace ns3
{

FabricClassList::Numbers
FabricClassList::Parse(const std::string& attribute,
                       const std::string& text,
                       uint32_t min,
                       uint32_t max)
{
    Numbers numbers{};
    std::istringstream in(text);
    std::string token;
    uint8_t n = 0;
    bool good = true;
    while (good && in >> token)
    {
        good = n < FABRIC_CLASSES && token.size() <= 9 &&
               token.find_first_not_of("0123456789") == std::string::npos;
        const uint32_t number = good ? static_cast<uint32_t>(std::stoul(token)) : 0;
        good = good && number >= min && number <= max;
        if (good)
        {
            numbers[n++] = number;
        }
    }
    if (!good || n != FABRIC_CLASSES)
    {
        throw FabricError(attribute + " '" + text + "': eight whole numbers " +
                          std::to_string(min) + ".." + std::to_string(max) +
                          " are allowed, for classes 0 to 7");
    }
    return numbers;
}

std::string
FabricClassList::Format(const Numbers& numbers)
{
    std::string text;
    for (uint32_t number : numbers)
    {
        text += (text.empty() ? "" : " ") + std::to_string(number);
    }
    return text;
}

} // namespace ns3
