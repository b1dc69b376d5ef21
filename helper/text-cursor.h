/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef TEXT_CURSOR_H
#define TEXT_CURSOR_H

#include "fault-list.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Walks through a text file line by line, split at white space, and keeps its faults.
 *
 * Blank lines and lines that start with '#' are skipped. Memory is bounded by the longest line;
 * a line over MAX_LINE bytes, or binary data, ends the reading at once with FabricError.
 */
class TextCursor
{
  public:
    static constexpr size_t MAX_LINE = 16 << 20; //!< bytes in one line

    /**
     * @param in the text
     * @param name path for messages
     */
    TextCursor(std::istream& in, const std::string& name);

    /**
     * @brief Open a file for a cursor; throws FabricError if it cannot be read.
     * @param path the file
     * @param in is opened
     */
    static void Open(const std::string& path, std::ifstream& in);

    /**
     * @brief Go to the next line that has tokens.
     * @return false at the end of the text
     */
    bool Next();

    /** @return number of the present line, 1-based */
    uint32_t GetLine() const;
    /** @return tokens in the present line */
    size_t GetCount() const;

    /**
     * @param i token index
     * @return the token; empty if there are fewer
     */
    const std::string& Get(size_t i) const;

    /**
     * @brief A whole number in range; notes a fault otherwise.
     * @param i token index
     * @param min least allowed
     * @param max greatest allowed
     * @param what names the field
     * @return the number, or min after a fault
     */
    uint64_t ReadWhole(size_t i, uint64_t min, uint64_t max, const std::string& what);

    /**
     * @brief A decimal number in range; notes a fault otherwise.
     * @param i token index
     * @param min least allowed
     * @param max greatest allowed
     * @param what names the field
     * @return the number, or min after a fault
     */
    double ReadReal(size_t i, double min, double max, const std::string& what);

    /**
     * @brief Insist on a number of tokens; notes a fault otherwise.
     * @param count tokens that the line must have
     * @param form the columns, for the message
     * @return true if the line has that many
     */
    bool Expect(size_t count, const std::string& form);

    /**
     * @brief Note a fault at a token of the present line.
     * @param i token index
     * @param allowed what would have been right there
     */
    void Fault(size_t i, const std::string& allowed);

    /**
     * @brief Note a fault of the file or the present line and throw everything noted.
     * @param allowed what would have been right
     * @param token the offending text, may be empty
     */
    [[noreturn]] void Fail(const std::string& allowed, const std::string& token = "");

    /** @return the faults noted so far */
    FaultList& GetFaults();
    /** @return path for messages */
    const std::string& GetName() const;

  private:
    /**
     * @brief Read one line of at most MAX_LINE bytes.
     * @return false at the end of the text
     */
    bool ReadLine();

    /** @brief Split m_text into m_tokens. */
    void SplitLine();

    std::istream& m_in;                //!< the text
    std::string m_name;                //!< path for messages
    FaultList m_faults;                //!< faults noted
    std::string m_text;                //!< the present line
    std::vector<std::string> m_tokens; //!< strings are re-used, m_count are valid
    size_t m_count{0};                 //!< tokens in the present line
    uint32_t m_line{0};                //!< number of the present line
};

} // namespace ns3

#endif /* TEXT_CURSOR_H */
