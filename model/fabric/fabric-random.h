/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RANDOM_H
#define FABRIC_RANDOM_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A small random stream (SplitMix64), one per port and purpose.
 *
 * Streams are numbered: the same run seed and stream number give the same draws, whatever else
 * the simulation draws, so lazy and eager runs and runs with other parameters stay comparable.
 */
class FabricRandom
{
  public:
    /**
     * @brief 64-bit finaliser: every input bit moves every output bit.
     * @param x any value
     * @return its hash
     */
    static constexpr uint64_t Mix(uint64_t x)
    {
        x ^= x >> 30;
        x *= 0xbf58476d1ce4e5b9ULL;
        x ^= x >> 27;
        x *= 0x94d049bb133111ebULL;
        x ^= x >> 31;
        return x;
    }

    FabricRandom() = default;

    /**
     * @param seed run seed
     * @param stream stream number
     */
    FabricRandom(uint64_t seed, uint64_t stream)
        : m_state(Mix(seed ^ Mix(stream + GOLDEN)))
    {
    }

    /** @return the next 64 random bits */
    uint64_t Next()
    {
        m_state += GOLDEN;
        return Mix(m_state);
    }

    /** @return uniform in [0, 1), 53 bits */
    double Uniform()
    {
        return static_cast<double>(Next() >> 11) * 0x1p-53;
    }

    /**
     * @brief Uniform integer.
     * @param n number of values, > 0
     * @return 0 .. n-1
     */
    uint32_t Below(uint32_t n)
    {
        return static_cast<uint32_t>(((Next() >> 32) * n) >> 32);
    }

  private:
    static constexpr uint64_t GOLDEN = 0x9e3779b97f4a7c15ULL; //!< Weyl increment

    uint64_t m_state{0}; //!< Weyl counter
};

} // namespace ns3

#endif /* FABRIC_RANDOM_H */
