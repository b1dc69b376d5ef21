/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HTSIM_MATRIX_H
#define HTSIM_MATRIX_H

#include "flow-list.h"
#include "htsim-scenario-reader.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

class TextCursor;

/**
 * @ingroup ai-fabric
 * @brief A connection matrix while it is read: its lines, and the triggers that join them.
 */
class HtsimMatrix
{
  public:
    /**
     * @param cursor before the first line
     */
    explicit HtsimMatrix(TextCursor& cursor);

    /**
     * @brief Read the file; throws FabricError with all faults.
     * @param header gets the declared numbers
     * @return the flows
     */
    FlowList Read(HtsimScenarioReader::MatrixHeader& header);

  private:
    /** @brief What fires, and what that starts. */
    struct Trigger
    {
        uint32_t line{0};                   //!< where it is defined, 0 if nowhere
        std::string type;                   //!< oneshot, multishot, barrier
        uint64_t count{0};                  //!< firings that a barrier waits for; 0: all
        uint32_t firstUse{0};               //!< first line that names it
        std::vector<FlowDependency> firers; //!< flows that fire it
        std::vector<uint32_t> targets;      //!< flows that it starts, in file order
    };

    /**
     * @param header gets the number
     * @param key in lower case
     */
    void ReadHeaderLine(HtsimScenarioReader::MatrixHeader& header, const std::string& key);

    /**
     * @brief `src->dst key value ...`
     * @param nodes ids are below this
     */
    void ReadConnection(uint32_t nodes);

    /**
     * @brief One key of a connection line.
     * @param i token index of the key; moved to the next key
     * @param flow gets the value
     */
    void ReadConnectionKey(size_t& i, FlowRecord& flow);

    /**
     * @brief Number the flow and its connection.
     * @param flow read from the present line
     */
    void File(FlowRecord& flow);

    /** @brief `trigger id k oneshot|multishot|barrier [count n]` */
    void ReadTrigger();

    /**
     * @param i token index of the number of a trigger
     * @return the trigger
     */
    Trigger& FindTrigger(size_t i);

    /** @brief Turn triggers into dependencies. */
    void ResolveTriggers();

    /**
     * @brief Note declared numbers that are not those of the lines.
     * @param header declared numbers
     */
    void CompareHeader(const HtsimScenarioReader::MatrixHeader& header);

    TextCursor& m_cursor;                         //!< the text
    FlowList m_list;                              //!< flows so far
    std::map<uint64_t, Trigger> m_triggers;       //!< by number
    std::map<uint64_t, uint32_t> m_firstOf;       //!< first flow of each id
    std::map<std::string, uint32_t> m_headers;    //!< line of each header key
    std::map<std::string, uint32_t> m_unhonoured; //!< how often each was seen
    uint32_t m_triggerLines{0};                   //!< trigger lines seen
    uint32_t m_failureLines{0};                   //!< failure lines seen
    std::set<std::string> m_keys;                 //!< keys of the present line
};

} // namespace ns3

#endif /* HTSIM_MATRIX_H */
