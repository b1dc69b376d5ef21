/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-counter.h"

#include <cstdlib>
#include <new>

namespace
{
uint64_t g_allocations = 0; //!< calls of operator new
} // namespace

namespace ns3
{

uint64_t
HeapCounter::Get()
{
    return g_allocations;
}

bool
HeapCounter::IsActive()
{
    const uint64_t before = g_allocations;
    ::operator delete(::operator new(1));
    return g_allocations == before + 1;
}

} // namespace ns3

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_COUNTER_OFF
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_COUNTER_OFF
#endif
#endif

#ifndef HEAP_COUNTER_OFF

// The array, sized and nothrow forms of the standard library end up in these two.

void*
operator new(std::size_t size)
{
    ++g_allocations;
    if (void* p = std::malloc(size > 0 ? size : 1))
    {
        return p;
    }
    throw std::bad_alloc();
}

void
operator delete(void* p) noexcept
{
    std::free(p);
}

void
operator delete(void* p, std::size_t) noexcept
{
    std::free(p);
}

#endif
