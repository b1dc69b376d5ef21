/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "python-random.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

PythonRandom::PythonRandom(uint64_t seed)
{
    m_state[0] = 19650218;
    for (uint32_t i = 1; i < N; ++i)
    {
        m_state[i] = 1812433253U * (m_state[i - 1] ^ (m_state[i - 1] >> 30)) + i;
    }
    const uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    const uint32_t length = key[1] != 0 ? 2 : 1;
    uint32_t i = 1;
    const auto previous = [this, &i] { return m_state[i - 1] ^ (m_state[i - 1] >> 30); };
    const auto step = [this, &i] {
        if (++i == N)
        {
            m_state[0] = m_state[N - 1];
            i = 1;
        }
    };
    for (uint32_t k = 0; k < N; ++k, step())
    {
        const uint32_t j = k % length;
        m_state[i] = (m_state[i] ^ (previous() * 1664525U)) + key[j] + j;
    }
    for (uint32_t k = 0; k < N - 1; ++k, step())
    {
        m_state[i] = (m_state[i] ^ (previous() * 1566083941U)) - i;
    }
    m_state[0] = 0x80000000U;
}

void
PythonRandom::Refill()
{
    for (uint32_t i = 0; i < N; ++i)
    {
        const uint32_t y = (m_state[i] & 0x80000000U) | (m_state[(i + 1) % N] & 0x7fffffffU);
        m_state[i] = m_state[(i + M) % N] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfU : 0U);
    }
    m_index = 0;
}

uint32_t
PythonRandom::Next()
{
    if (m_index == N)
    {
        Refill();
    }
    uint32_t y = m_state[m_index++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

double
PythonRandom::Random()
{
    const uint32_t a = Next() >> 5;
    const uint32_t b = Next() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

double
PythonRandom::Expovariate(double rate)
{
    return -std::log(1.0 - Random()) / rate;
}

uint32_t
PythonRandom::Randrange(uint32_t n)
{
    uint32_t bits = 0;
    for (uint32_t rest = n; rest > 0; rest >>= 1)
    {
        ++bits;
    }
    uint32_t r = n;
    while (r >= n)
    {
        r = Next() >> (32 - bits);
    }
    return r;
}

} // namespace ns3
