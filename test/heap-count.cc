/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "heap-count.h"

#include <cstdlib>
#include <malloc.h>
#include <new>

namespace
{

uint64_t g_calls = 0; //!< calls of operator new
int64_t g_live = 0;   //!< bytes allocated and not freed

} // namespace

bool
ns3::HeapCount::IsActive()
{
    const uint64_t before = g_calls;
    ::operator delete(::operator new(1));
    return g_calls == before + 1;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

__attribute__((noinline)) void*
operator new(std::size_t size)
{
    void* p = std::malloc(size == 0 ? 1 : size);
    if (p == nullptr)
    {
        throw std::bad_alloc();
    }
    ++g_calls;
    g_live += static_cast<int64_t>(malloc_usable_size(p));
    return p;
}

void*
operator new[](std::size_t size)
{
    return operator new(size);
}

__attribute__((noinline)) void
operator delete(void* p) noexcept
{
    g_live -= static_cast<int64_t>(malloc_usable_size(p));
    std::free(p);
}

void
operator delete(void* p, std::size_t) noexcept
{
    operator delete(p);
}

void
operator delete[](void* p) noexcept
{
    operator delete(p);
}

void
operator delete[](void* p, std::size_t) noexcept
{
    operator delete(p);
}

#endif

uint64_t
ns3::HeapCount::GetCalls()
{
    return g_calls;
}

int64_t
ns3::HeapCount::GetLiveBytes()
{
    return g_live;
}
