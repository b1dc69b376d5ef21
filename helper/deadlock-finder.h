/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DEADLOCK_FINDER_H
#define DEADLOCK_FINDER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Finds stations that wait for each other in a circle (a PFC deadlock) in a snapshot.
 *
 * An egress class that is paused waits for the neighbour's ingress that paused it; that ingress
 * waits for the egresses where its packets are queued. Egresses are deadlocked if each is paused by
 * an ingress all of whose packets are queued at deadlocked egresses: nothing will ever move again.
 */
class DeadlockFinder
{
  public:
    /** @brief Bytes that one egress holds of one ingress. */
    struct Held
    {
        uint16_t inPort{0}; //!< ingress port number at the same station
        uint64_t bytes{0};  //!< buffer bytes queued
    };

    /** @brief One egress class that has packets queued. */
    struct Egress
    {
        uint32_t station{0};     //!< index into Snapshot::names
        uint16_t port{0};        //!< port number
        uint8_t vl{0};           //!< class
        bool paused{false};      //!< it may not send now
        uint32_t peerStation{0}; //!< who pauses it
        uint16_t peerPort{0};    //!< the neighbour's ingress port
        std::vector<Held> held;  //!< what it holds, by ingress
    };

    /** @brief All egress classes with packets, at one instant. */
    struct Snapshot
    {
        std::vector<std::string> names; //!< of the stations
        std::vector<Egress> egresses;   //!< those with packets queued
    };

    /** @brief The answer. */
    struct Result
    {
        std::vector<uint32_t> stuck; //!< deadlocked egresses, indices into Snapshot::egresses
        std::vector<uint32_t> cycle; //!< a circle among them, in waiting order; empty: no deadlock
    };

    /**
     * @param snapshot what is queued and paused
     * @return the deadlock, if there is one
     */
    static Result Find(const Snapshot& snapshot);

    /**
     * @brief The circle in words.
     * @param snapshot the snapshot searched
     * @param result what Find() answered
     * @return "switch A port 2 -> switch B port 1 -> ... -> switch A port 2 (class 3)"; empty
     *         without a deadlock
     */
    static std::string Describe(const Snapshot& snapshot, const Result& result);
};

} // namespace ns3

#endif /* DEADLOCK_FINDER_H */
