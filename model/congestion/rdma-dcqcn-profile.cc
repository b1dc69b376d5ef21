/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-dcqcn-profile.h"

#include "ns3/fabric-error.h"

namespace ns3
{

namespace
{

/** @return SIGCOMM 2015: alpha and rate react to each CNP at once; both timer and byte counter */
RdmaDcqcnProfile
MakePaper2015()
{
    RdmaDcqcnProfile p;
    p.name = "paper2015";
    p.gain = 1.0 / 256;
    p.alphaStart = 1;
    p.alphaPeriod = MicroSeconds(55);
    p.cutPeriod = Time(0);
    p.timeReset = MicroSeconds(55);
    p.byteReset = 10'000'000;
    p.threshold = 5;
    p.additiveIncrease = DataRate(40'000'000);
    p.hyperIncrease = DataRate(200'000'000);
    p.minRate = DataRate(1'000'000); // the paper names none
    p.minDecreaseFactor = 0;
    p.clampTargetRate = 1;
    p.clampTargetRateAfterTime = 0;
    p.rateOnFirstCnp = DataRate(0);
    p.timerOnlyPhases = 0;
    p.marksOnAcks = 0;
    p.cnpInterval = MicroSeconds(50);
    return p;
}

/** @return the HPCC line: free-running ticks from the first mark on, timer only */
RdmaDcqcnProfile
MakeHpccFork()
{
    RdmaDcqcnProfile p;
    p.name = "hpcc-fork";
    p.gain = 0.00390625;
    p.alphaStart = 1;
    p.alphaPeriod = MicroSeconds(1);
    p.cutPeriod = MicroSeconds(4);
    p.timeReset = MicroSeconds(900);
    p.byteReset = 0;
    p.threshold = 1;
    p.additiveIncrease = DataRate(50'000'000);
    p.hyperIncrease = DataRate(100'000'000);
    p.minRate = DataRate(100'000'000);
    p.minDecreaseFactor = 0;
    p.clampTargetRate = 0;
    p.clampTargetRateAfterTime = 1;
    p.rateOnFirstCnp = DataRate(0);
    p.timerOnlyPhases = 1;
    p.marksOnAcks = 1;
    p.cnpInterval = Time(0);
    return p;
}

/** @return adapter defaults: the same ticks, byte counter of 32767 x 64 bytes */
RdmaDcqcnProfile
MakeConnectX()
{
    RdmaDcqcnProfile p;
    p.name = "connectx";
    p.gain = 5.0 / 1024; // documented as 1019/1024 kept
    p.alphaStart = 1023.0 / 1024;
    p.alphaPeriod = MicroSeconds(1);
    p.cutPeriod = MicroSeconds(4);
    p.timeReset = MicroSeconds(300);
    p.byteReset = 32767 * 64;
    p.threshold = 1;
    p.additiveIncrease = DataRate(5'000'000);
    p.hyperIncrease = DataRate(50'000'000);
    p.minRate = DataRate(1'000'000);
    p.minDecreaseFactor = 0.5;
    p.clampTargetRate = 0;
    p.clampTargetRateAfterTime = 1;
    p.rateOnFirstCnp = DataRate(0);
    p.timerOnlyPhases = 0;
    p.marksOnAcks = 0;
    p.cnpInterval = MicroSeconds(4);
    return p;
}

/** @return every profile */
const std::vector<RdmaDcqcnProfile>&
All()
{
    static const std::vector<RdmaDcqcnProfile> all{MakePaper2015(), MakeHpccFork(), MakeConnectX()};
    return all;
}

} // namespace

const RdmaDcqcnProfile&
RdmaDcqcnProfile::Get(const std::string& name)
{
    std::string known;
    for (const auto& profile : All())
    {
        if (profile.name == name)
        {
            return profile;
        }
        known += (known.empty() ? "" : ", ") + profile.name;
    }
    throw FabricError("RdmaDcqcn::Profile '" + name + "' is not known; allowed: " + known);
}

std::vector<std::string>
RdmaDcqcnProfile::Names()
{
    std::vector<std::string> names;
    for (const auto& profile : All())
    {
        names.push_back(profile.name);
    }
    return names;
}

} // namespace ns3
