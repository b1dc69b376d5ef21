/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PROGRESS_LINE_H
#define PROGRESS_LINE_H

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief One line that tells how far a run is: over and over itself on a terminal, else a new line
 * now and then.
 */
class ProgressLine
{
  public:
    /** @brief How far the run is. */
    struct Status
    {
        int64_t nowPs{0};      //!< simulated time, ps
        uint64_t done{0};      //!< flows ended
        uint64_t asked{0};     //!< flows asked for
        uint64_t hops{0};      //!< packet-hops so far
        double fraction{0};    //!< share of the work done, 0 to 1
    };

    /**
     * @param os where to
     * @param enabled write at all
     * @param terminal overwrite the line
     */
    ProgressLine(std::ostream& os, bool enabled, bool terminal);

    /**
     * @brief Write the line if it is time to.
     * @param status how far the run is
     */
    void Update(const Status& status);

    /** @brief Leave the line clean for what follows. */
    void Finish();

    /** @return seconds since the object was made */
    double GetElapsed() const;

  private:
    using Clock = std::chrono::steady_clock;

    std::ostream& m_os;        //!< where to
    bool m_enabled;            //!< write at all
    bool m_terminal;           //!< overwrite
    bool m_shown{false};       //!< a line stands there
    Clock::time_point m_start; //!< of the run
    double m_next;             //!< seconds until the next line
};

} // namespace ns3

#endif /* PROGRESS_LINE_H */
