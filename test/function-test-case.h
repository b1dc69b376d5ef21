/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FUNCTION_TEST_CASE_H
#define FUNCTION_TEST_CASE_H

#include "ns3/fabric-packet.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <functional>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief A test case that is a function: build, run, compare. No packet may be left afterwards.
 */
class FunctionTestCase : public TestCase
{
  public:
    /** @brief What to run. */
    using Check = std::function<void(FunctionTestCase&)>;

    /**
     * @param rule what must hold
     * @param check checks it
     */
    FunctionTestCase(const std::string& rule, Check check)
        : TestCase(rule),
          m_check(std::move(check))
    {
    }

    /**
     * @param what for the message
     * @param actual measured
     * @param expected exact
     */
    void Same(const std::string& what, int64_t actual, int64_t expected)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, expected, what);
    }

    /**
     * @param what for the message
     * @param actual measured
     * @param expected value
     * @param part relative tolerance
     */
    void Near(const std::string& what, double actual, double expected, double part)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(actual, expected, expected * part, what);
    }

    /**
     * @param what for the message
     * @param holds must be true
     */
    void True(const std::string& what, bool holds)
    {
        NS_TEST_EXPECT_MSG_EQ(holds, true, what);
    }

  private:
    void DoRun() override
    {
        m_check(*this);
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricPacketPool::Get().GetInUse(), 0, "packets leaked");
    }

    Check m_check; //!< what to run
};

} // namespace ns3

#endif /* FUNCTION_TEST_CASE_H */
