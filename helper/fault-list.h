/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FAULT_LIST_H
#define FAULT_LIST_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Collects the faults of an input so that the user sees all of them at once.
 *
 * After MAX_FAULTS it throws by itself: a file of another kind would have millions.
 */
class FaultList
{
  public:
    static constexpr size_t MAX_FAULTS = 20; //!< faults reported in one message

    /**
     * @brief Note a fault; throws FabricError with all of them if that makes MAX_FAULTS.
     * @param file path as the user gave it
     * @param line 1-based line number; 0 when the fault is about the whole file
     * @param token the offending text; long and unprintable ones are shortened
     * @param allowed what would have been right there
     */
    void Add(const std::string& file,
             uint64_t line,
             const std::string& token,
             const std::string& allowed);

    /** @return true if there is no fault so far */
    bool IsEmpty() const;

    /** @brief Throw FabricError with all faults, one a line, if there are any. */
    void ThrowIfAny() const;

    /**
     * @brief Note a last fault and throw FabricError with all of them.
     * @param file path as the user gave it
     * @param line 1-based line number or 0
     * @param token the offending text
     * @param allowed what would have been right there
     */
    [[noreturn]] void Fail(const std::string& file,
                           uint64_t line,
                           const std::string& token,
                           const std::string& allowed);

    /**
     * @brief A text fit for a message.
     * @param token any bytes
     * @return at most 60 printable characters
     */
    static std::string Printable(const std::string& token);

  private:
    /**
     * @brief Note a fault.
     * @param file path
     * @param line line number or 0
     * @param token the offending text
     * @param allowed what would have been right there
     */
    void Append(const std::string& file,
                uint64_t line,
                const std::string& token,
                const std::string& allowed);

    /** @return all faults, one a line */
    std::string Join() const;

    std::vector<std::string> m_faults; //!< finished messages
};

} // namespace ns3

#endif /* FAULT_LIST_H */
