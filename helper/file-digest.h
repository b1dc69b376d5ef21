/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FILE_DIGEST_H
#define FILE_DIGEST_H

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief SHA-256 (FIPS 180-4) of texts and files, as `sha256sum` prints it.
 */
class FileDigest
{
  public:
    FileDigest();

    /**
     * @brief Take in more bytes.
     * @param data the bytes
     * @param size how many
     */
    void Update(const void* data, size_t size);

    /**
     * @brief Finish; the object cannot be used afterwards.
     * @return 64 hexadecimal digits
     */
    std::string Finish();

    /**
     * @param text any bytes
     * @return 64 hexadecimal digits
     */
    static std::string OfText(const std::string& text);

    /**
     * @param path a readable file
     * @return 64 hexadecimal digits; empty when it cannot be read
     */
    static std::string OfFile(const std::string& path);

  private:
    void Block(const uint8_t* p);

    std::array<uint32_t, 8> m_state; //!< intermediate hash
    std::array<uint8_t, 64> m_buffer{}; //!< bytes of an unfinished block
    uint64_t m_bytes{0};             //!< taken in so far
};

} // namespace ns3

#endif /* FILE_DIGEST_H */
