/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "file-digest.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

namespace ns3
{

namespace
{
/** Round constants: the first 32 bits of the fractional parts of the cube roots of primes. */
constexpr uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t
Rotate(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}
} // namespace

FileDigest::FileDigest()
    : m_state{0x6a09e667,
              0xbb67ae85,
              0x3c6ef372,
              0xa54ff53a,
              0x510e527f,
              0x9b05688c,
              0x1f83d9ab,
              0x5be0cd19}
{
}

void
FileDigest::Block(const uint8_t* p)
{
    uint32_t w[64];
    for (int i = 0; i < 16; ++i)
    {
        w[i] = static_cast<uint32_t>(p[4 * i]) << 24 | static_cast<uint32_t>(p[4 * i + 1]) << 16 |
               static_cast<uint32_t>(p[4 * i + 2]) << 8 | p[4 * i + 3];
    }
    for (int i = 16; i < 64; ++i)
    {
        const uint32_t s0 = Rotate(w[i - 15], 7) ^ Rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t s1 = Rotate(w[i - 2], 17) ^ Rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = m_state;
    for (int i = 0; i < 64; ++i)
    {
        const uint32_t s1 = Rotate(e, 6) ^ Rotate(e, 11) ^ Rotate(e, 25);
        const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i];
        const uint32_t s0 = Rotate(a, 2) ^ Rotate(a, 13) ^ Rotate(a, 22);
        const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t add[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i)
    {
        m_state[i] += add[i];
    }
}

void
FileDigest::Update(const void* data, size_t size)
{
    const auto* p = static_cast<const uint8_t*>(data);
    size_t fill = m_bytes % 64;
    m_bytes += size;
    while (size > 0)
    {
        const size_t part = std::min(size, 64 - fill);
        std::memcpy(m_buffer.data() + fill, p, part);
        fill += part;
        p += part;
        size -= part;
        if (fill == 64)
        {
            Block(m_buffer.data());
            fill = 0;
        }
    }
}

std::string
FileDigest::Finish()
{
    const uint64_t bits = m_bytes * 8;
    const uint8_t one = 0x80;
    const uint8_t zero = 0;
    Update(&one, 1);
    while (m_bytes % 64 != 56)
    {
        Update(&zero, 1);
    }
    uint8_t length[8];
    for (int i = 0; i < 8; ++i)
    {
        length[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
    }
    Update(length, 8);
    std::string hex;
    for (uint32_t word : m_state)
    {
        char text[9];
        std::snprintf(text, sizeof(text), "%08x", word);
        hex += text;
    }
    return hex;
}

std::string
FileDigest::OfText(const std::string& text)
{
    FileDigest digest;
    digest.Update(text.data(), text.size());
    return digest.Finish();
}

std::string
FileDigest::OfFile(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in)
    {
        return "";
    }
    FileDigest digest;
    std::vector<char> buffer(1 << 16);
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0)
    {
        digest.Update(buffer.data(), static_cast<size_t>(in.gcount()));
    }
    return digest.Finish();
}

} // namespace ns3
