/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PYTHON_RANDOM_H
#define PYTHON_RANDOM_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The numbers of Python's random.Random(seed), to repeat published traffic exactly.
 *
 * The Mersenne twister MT19937 (Matsumoto and Nishimura, 1998) with seeding by array, and
 * CPython's way to make floats and ranges of it.
 */
class PythonRandom
{
  public:
    /**
     * @param seed the integer given to random.Random
     */
    explicit PythonRandom(uint64_t seed);

    /** @return random(): uniform in [0, 1), 53 bits of two draws */
    double Random();

    /**
     * @param rate events per unit of time, > 0
     * @return expovariate(rate)
     */
    double Expovariate(double rate);

    /**
     * @param n number of values, 1 to 2^32 - 1
     * @return randrange(n): 0 .. n-1
     */
    uint32_t Randrange(uint32_t n);

  private:
    static constexpr uint32_t N = 624; //!< words of state
    static constexpr uint32_t M = 397; //!< distance of the recurrence

    /** @return the next 32 bits */
    uint32_t Next();

    /** @brief Make N new words of state. */
    void Refill();

    std::array<uint32_t, N> m_state; //!< the twister
    uint32_t m_index{N};             //!< next word
};

} // namespace ns3

#endif /* PYTHON_RANDOM_H */
