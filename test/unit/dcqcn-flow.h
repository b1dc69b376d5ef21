/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DCQCN_FLOW_H
#define DCQCN_FLOW_H

#include "ns3/rdma-dcqcn.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace ns3
{
namespace dcqcntest
{

constexpr FabricPs US = 1'000'000;               //!< picoseconds of a microsecond
constexpr FabricPs HOUR = 3600LL * 1000000 * US; //!< picoseconds of an hour

/** @brief One reaction point with its state. */
struct Flow
{
    /**
     * @param profile profile name
     * @param lineBps line rate, bits per second
     */
    explicit Flow(const std::string& profile, double lineBps = 100e9)
        : cc(CreateObject<RdmaDcqcn>())
    {
        cc->SetAttribute("Profile", StringValue(profile));
        state.lineRateBps = lineBps;
    }

    /**
     * @brief Override one attribute.
     * @param name attribute
     * @param value its text form
     * @return itself
     */
    Flow& With(const std::string& name, const std::string& value)
    {
        cc->SetAttribute(name, StringValue(value));
        return *this;
    }

    /** @brief Start at time 0. */
    void Init()
    {
        cc->Init(state, 0);
    }

    Ptr<RdmaDcqcn> cc;   //!< the algorithm
    RdmaRateState state; //!< shared state
};

/**
 * @brief Compare to 1e-12 relative.
 * @param got value of the model
 * @param want value of the formula
 */
inline void
ExpectRel(double got, double want)
{
    EXPECT_NEAR(got, want, std::abs(want) * 1e-12);
}

} // namespace dcqcntest
} // namespace ns3

#endif /* DCQCN_FLOW_H */
