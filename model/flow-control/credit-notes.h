/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CREDIT_NOTES_H
#define CREDIT_NOTES_H

#include "ns3/fabric-time.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief Credits that will be somewhere at a time to come. */
struct CreditNote
{
    FabricPs at;      //!< when, ps
    uint32_t blocks;  //!< how many
    uint8_t vl;       //!< class
    bool direct{false}; //!< never held: the frame is used up as it comes
};

/**
 * @ingroup ai-fabric
 * @brief Notes in order of time, in a ring that grows and never shrinks.
 */
class CreditNotes
{
  public:
    /**
     * @brief File a note; nearly always the latest so far.
     * @param note the note
     */
    void Insert(const CreditNote& note)
    {
        if (m_count == m_notes.size())
        {
            std::rotate(m_notes.begin(), m_notes.begin() + m_first, m_notes.end());
            m_first = 0;
            m_notes.resize(2 * m_notes.size());
        }
        const auto size = static_cast<uint32_t>(m_notes.size());
        uint32_t i = m_count++;
        for (; i > 0 && m_notes[(m_first + i - 1) % size].at > note.at; --i)
        {
            m_notes[(m_first + i) % size] = m_notes[(m_first + i - 1) % size];
        }
        m_notes[(m_first + i) % size] = note;
    }

    /** @return number of notes */
    uint32_t GetSize() const
    {
        return m_count;
    }

    /**
     * @param i less than GetSize()
     * @return a note, the earliest is 0
     */
    const CreditNote& At(uint32_t i) const
    {
        return m_notes[(m_first + i) % m_notes.size()];
    }

    /**
     * @param now ps
     * @return true when the earliest note's time has come
     */
    bool IsDue(FabricPs now) const
    {
        return m_count > 0 && m_notes[m_first].at <= now;
    }

    /** @return the earliest note, taken out; there must be one */
    CreditNote Pop()
    {
        const CreditNote note = m_notes[m_first];
        m_first = (m_first + 1) % static_cast<uint32_t>(m_notes.size());
        --m_count;
        return note;
    }

    /** @brief Forget all notes. */
    void Clear()
    {
        m_count = 0;
    }

  private:
    std::vector<CreditNote> m_notes = std::vector<CreditNote>(16); //!< the ring
    uint32_t m_first{0};                                           //!< the earliest
    uint32_t m_count{0};                                           //!< notes
};

} // namespace ns3

#endif /* CREDIT_NOTES_H */
