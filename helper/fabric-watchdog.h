/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_WATCHDOG_H
#define FABRIC_WATCHDOG_H

#include "deadlock-finder.h"
#include "fabric-helper.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Notices, in simulated time, that nothing moves any more, and says who waits for whom.
 *
 * It looks four times per stall time. When no byte was delivered for the whole stall time (or for
 * the time that retries may take, where that is longer) while somebody waits, or when nothing was
 * delivered between two looks and the same deadlock stands at both, it calls back once and stops
 * looking.
 */
class FabricWatchdog
{
  public:
    /**
     * @param fabric the fabric watched; outlives the watchdog
     * @param stall longest time without a delivered byte, > 0
     * @param retries time in which queue pairs repeat a lost packet or give up: a silence without
     *        a deadlock may last so long; 0: no longer than `stall`
     */
    FabricWatchdog(const FabricHelper& fabric, const Time& stall, const Time& retries = Time(0));
    ~FabricWatchdog();

    FabricWatchdog(const FabricWatchdog&) = delete;
    FabricWatchdog& operator=(const FabricWatchdog&) = delete;

    /**
     * @brief Begin to look.
     * @param delivered tells the bytes delivered so far
     * @param waiting tells whether a flow has started and is not finished
     * @param onStall is called once, with the reason in a few lines
     */
    void Start(std::function<uint64_t()> delivered,
               std::function<bool()> waiting,
               std::function<void(const std::string&)> onStall);

    /** @brief Look no more. */
    void Stop();

    /** @return the deadlock named last, empty if none was seen */
    const std::string& GetDeadlock() const
    {
        return m_deadlock;
    }

    /**
     * @brief What is queued and paused in the switches, now.
     * @param fabric the fabric
     * @return the snapshot, for DeadlockFinder
     */
    static DeadlockFinder::Snapshot TakeSnapshot(const FabricHelper& fabric);

    /**
     * @brief Who waits for whom, now.
     * @param fabric the fabric
     * @param limit most lines
     * @return one line per paused port: "nic h0.nic0 waits: class 3 paused by switch s1 port 0 ..."
     */
    static std::vector<std::string> ExplainPauses(const FabricHelper& fabric, size_t limit);

  private:
    void Look();

    const FabricHelper& m_fabric;                     //!< watched
    FabricPs m_look;                                  //!< between two looks, ps
    FabricPs m_silence;                               //!< longest silence, ps
    std::function<uint64_t()> m_delivered;            //!< bytes so far
    std::function<bool()> m_waiting;                  //!< somebody waits
    std::function<void(const std::string&)> m_onStall; //!< to be told
    EventId m_event;                                  //!< next look
    uint64_t m_last{0};                               //!< bytes at the last progress
    FabricPs m_lastAt{0};                             //!< time of the last progress, ps
    bool m_quiet{false};                              //!< no progress at the last look
    std::string m_deadlock;                           //!< named last
};

} // namespace ns3

#endif /* FABRIC_WATCHDOG_H */
