/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_BITS_H
#define IB_BITS_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Bit fields of management packets: big endian, bit 0 is the highest of the first byte.
 *
 * A field starts at any bit and has up to 64; this is how the specification numbers them.
 */
struct IbBits
{
    /**
     * @param bytes where the attribute starts
     * @param first first bit
     * @param n number of bits, 1 to 64
     * @return the field
     */
    static uint64_t Get(const uint8_t* bytes, size_t first, size_t n)
    {
        uint64_t value = 0;
        for (size_t bit = first; bit < first + n; ++bit)
        {
            value = (value << 1) | ((bytes[bit / 8] >> (7 - bit % 8)) & 1U);
        }
        return value;
    }

    /**
     * @param bytes where the attribute starts
     * @param first first bit
     * @param n number of bits, 1 to 64
     * @param value the field; its lowest n bits count
     */
    static void Set(uint8_t* bytes, size_t first, size_t n, uint64_t value)
    {
        for (size_t i = 0; i < n; ++i)
        {
            const size_t bit = first + i;
            const auto mask = static_cast<uint8_t>(0x80U >> (bit % 8));
            const bool one = ((value >> (n - 1 - i)) & 1U) != 0;
            bytes[bit / 8] =
                static_cast<uint8_t>(one ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
        }
    }
};

} // namespace ns3

#endif /* IB_BITS_H */
