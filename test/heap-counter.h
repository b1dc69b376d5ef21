/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HEAP_COUNTER_H
#define HEAP_COUNTER_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief Counts calls of the global operator new, everybody's, since the program began.
 *
 * Test program only. Under AddressSanitizer, which has its own operator new, it counts nothing.
 */
class HeapCounter
{
  public:
    /** @return allocations so far */
    static uint64_t Get();

    /** @return true when allocations are counted in this build */
    static bool IsActive();
};

} // namespace ns3

#endif /* HEAP_COUNTER_H */
