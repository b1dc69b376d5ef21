/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HEAP_COUNT_H
#define HEAP_COUNT_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief Counts what operator new and delete do in the whole program.
 *
 * Not under a sanitizer, which has an operator new of its own: then nothing is counted.
 */
class HeapCount
{
  public:
    /** @return true when counting works in this build */
    static bool IsActive();

    /** @return calls of operator new so far */
    static uint64_t GetCalls();

    /** @return bytes allocated and not freed, as the allocator rounds them */
    static int64_t GetLiveBytes();
};

} // namespace ns3

#endif /* HEAP_COUNT_H */
