/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/deadlock-finder.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

DeadlockFinder::Egress
Egress(uint32_t station,
       uint16_t port,
       bool paused,
       uint32_t peer,
       uint16_t peerPort,
       std::vector<DeadlockFinder::Held> held)
{
    DeadlockFinder::Egress e;
    e.station = station;
    e.port = port;
    e.vl = 3;
    e.paused = paused;
    e.peerStation = peer;
    e.peerPort = peerPort;
    e.held = std::move(held);
    return e;
}

/** Three switches in a ring: port 1 leads to the next one's port 0; paper B9. */
DeadlockFinder::Snapshot
Ring(bool lastPaused)
{
    DeadlockFinder::Snapshot s;
    s.names = {"switch A", "switch B", "switch C"};
    s.egresses = {Egress(0, 1, true, 1, 0, {{0, 5000}, {2, 900}}),
                  Egress(1, 1, true, 2, 0, {{0, 5000}}),
                  Egress(2, 1, lastPaused, 0, 0, {{0, 5000}})};
    return s;
}

} // namespace

// B9: all three wait for each other, and the circle is named
TEST(DeadlockFinder, NamesTheRing)
{
    const auto snapshot = Ring(true);
    const auto result = DeadlockFinder::Find(snapshot);
    EXPECT_EQ(result.stuck.size(), 3U);
    EXPECT_EQ(DeadlockFinder::Describe(snapshot, result),
              "switch A port 1 -> switch B port 1 -> switch C port 1 -> switch A port 1 (class 3)");
}

// one egress that may send resolves everything: congestion, not deadlock
TEST(DeadlockFinder, OneFreeEgressIsNoDeadlock)
{
    const auto snapshot = Ring(false);
    const auto result = DeadlockFinder::Find(snapshot);
    EXPECT_TRUE(result.stuck.empty());
    EXPECT_TRUE(result.cycle.empty());
    EXPECT_EQ(DeadlockFinder::Describe(snapshot, result), "");
}

// an ingress that also holds packets for a free egress will drain a bit: not stuck yet
TEST(DeadlockFinder, PartOfTheBytesCanLeave)
{
    auto snapshot = Ring(true);
    snapshot.egresses.push_back(Egress(1, 2, false, 0, 0, {{0, 100}}));
    EXPECT_TRUE(DeadlockFinder::Find(snapshot).cycle.empty());
}

// a tail that waits for the circle is stuck too, but is not part of it
TEST(DeadlockFinder, TailIsStuckButNotInTheCircle)
{
    auto snapshot = Ring(true);
    snapshot.names.push_back("switch D");
    snapshot.egresses.insert(snapshot.egresses.begin(), Egress(3, 7, true, 0, 2, {{1, 10}}));
    const auto result = DeadlockFinder::Find(snapshot);
    EXPECT_EQ(result.stuck.size(), 4U);
    EXPECT_EQ(result.cycle.size(), 3U);
    EXPECT_EQ(DeadlockFinder::Describe(snapshot, result).find("switch D"), std::string::npos);
}

// classes are apart: a pause of class 3 says nothing about class 4
TEST(DeadlockFinder, ClassesAreApart)
{
    auto snapshot = Ring(true);
    snapshot.egresses[1].vl = 4;
    EXPECT_TRUE(DeadlockFinder::Find(snapshot).cycle.empty());
}

// paused by an ingress that holds nothing (its resume is on the way): no deadlock
TEST(DeadlockFinder, EmptyIngressIsNoDeadlock)
{
    auto snapshot = Ring(true);
    snapshot.egresses[2].held = {{3, 5000}};
    EXPECT_TRUE(DeadlockFinder::Find(snapshot).cycle.empty());
}

TEST(DeadlockFinder, EmptySnapshot)
{
    EXPECT_TRUE(DeadlockFinder::Find({}).stuck.empty());
}
