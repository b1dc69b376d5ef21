/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SMP_CLIENT_H
#define IB_SMP_CLIENT_H

#include "ib-smp.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Questions of a subnet manager: so many at a time on the wire, asked again when no answer
 * comes, given up in the end.
 */
class IbSmpClient
{
  public:
    /** @brief Called once for each question: the answer, or null when there is none. */
    using Done = std::function<void(const IbSmp*)>;

    /** @brief What happened. */
    struct Stats
    {
        uint64_t sent{0};     //!< packets, repetitions included
        uint64_t repeated{0}; //!< of them repetitions
        uint64_t failed{0};   //!< questions that were given up
        uint64_t stale{0};    //!< answers that nobody waits for
    };

    IbSmpClient() = default;
    ~IbSmpClient();

    IbSmpClient(const IbSmpClient&) = delete;
    IbSmpClient& operator=(const IbSmpClient&) = delete;

    /**
     * @param window questions on the wire at once, at least 1
     * @param timeout until one is asked again
     * @param tries how often it is asked
     * @param send puts a packet on its way
     */
    void SetUp(uint32_t window,
               const Time& timeout,
               uint32_t tries,
               std::function<void(const IbSmp&)> send);

    /**
     * @brief Ask; the transaction number is set here.
     * @param smp the question
     * @param done called with the answer, never from within Ask()
     */
    void Ask(const IbSmp& smp, Done done);

    /** @param smp an answer that came in */
    void Receive(const IbSmp& smp);

    /** @brief Forget all questions; nobody is called. */
    void Clear();

    /** @return counters */
    const Stats& GetStats() const
    {
        return m_stats;
    }

  private:
    /** @brief A question. */
    struct Question
    {
        IbSmp smp;         //!< as asked
        Done done;         //!< whom to tell
        uint32_t tries{0}; //!< how often it has been asked
        EventId timer;     //!< end of waiting
    };

    void Fill();
    void Send(uint64_t transaction);
    void OnTimeout(uint64_t transaction);
    void Finish(uint64_t transaction, const IbSmp* answer);

    uint32_t m_window{1};                     //!< questions at once
    Time m_timeout;                           //!< until one is repeated
    uint32_t m_tries{1};                      //!< times it is asked
    std::function<void(const IbSmp&)> m_send; //!< the wire
    uint64_t m_next{1};                       //!< transaction number
    std::deque<Question> m_queue;             //!< not asked yet
    std::map<uint64_t, Question> m_open;      //!< by transaction number
    Stats m_stats;                            //!< counters
};

} // namespace ns3

#endif /* IB_SMP_CLIENT_H */
