/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_ERROR_H
#define FABRIC_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A user's mistake: bad input file, bad attribute value, impossible configuration.
 *
 * Thrown by public entries before anything is simulated; a program's main() prints what() and
 * exits with code 2. Faults of our own code are asserted instead, never thrown.
 */
class FabricError : public std::runtime_error
{
  public:
    /**
     * @param message what is wrong and what is allowed, one sentence, no trailing newline
     */
    explicit FabricError(const std::string& message)
        : std::runtime_error(message)
    {
    }

    /**
     * @brief A fault at one place of an input file.
     * @param file path as the user gave it
     * @param line 1-based line number; 0 when the fault is about the whole file
     * @param token the offending text, quoted in the message; may be empty
     * @param allowed what would have been right there
     * @return the error, reading `file:line: 'token': allowed`
     */
    static FabricError At(const std::string& file,
                          uint64_t line,
                          const std::string& token,
                          const std::string& allowed)
    {
        std::string where = file + (line > 0 ? ":" + std::to_string(line) : "") + ": ";
        return FabricError(where + (token.empty() ? "" : "'" + token + "': ") + allowed);
    }
};

} // namespace ns3

#endif /* FABRIC_ERROR_H */
