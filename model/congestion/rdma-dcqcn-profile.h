/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_DCQCN_PROFILE_H
#define RDMA_DCQCN_PROFILE_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief One set of DCQCN parameters; RdmaDcqcn's attributes of the same names explain each.
 *
 * | name      | source                                                                         |
 * |-----------|--------------------------------------------------------------------------------|
 * | paper2015 | Zhu et al., SIGCOMM 2015, sec. 3 and 5 (values as deployed there)              |
 * | hpcc-fork | simulators of the HPCC line: rate machine and shipped configuration file       |
 * | connectx  | defaults of NVIDIA's adapters (ECN / RoCE congestion control parameters)       |
 */
struct RdmaDcqcnProfile
{
    std::string name;                 //!< one of Names()
    double gain;                      //!< g: weight of the newest mark in alpha
    double alphaStart;                //!< alpha until the first CNP has been used
    Time alphaPeriod;                 //!< alpha decays once per period without CNP
    Time cutPeriod;                   //!< cuts happen on ticks of this; 0 = with the CNP, at once
    Time timeReset;                   //!< T: rate increase timer
    int64_t byteReset;                //!< B: rate increase byte counter, bytes; 0 = none
    int64_t threshold;                //!< F: increase events until fast recovery ends
    DataRate additiveIncrease;        //!< R_AI
    DataRate hyperIncrease;           //!< R_HAI
    DataRate minRate;                 //!< the rate never falls below
    double minDecreaseFactor;         //!< one cut leaves at least this fraction
    int64_t clampTargetRate;          //!< 1: each cut sets target = rate
    int64_t clampTargetRateAfterTime; //!< 1: a timer increase since the last cut also does
    DataRate rateOnFirstCnp;          //!< rate set by the first CNP; 0 = keep
    int64_t timerOnlyPhases;          //!< 1: phases as in the HPCC line
    int64_t marksOnAcks;              //!< 1: marks come back on ACKs instead of CNPs
    Time cnpInterval;                 //!< what the receiver should use between CNPs of a QP

    /**
     * @brief Find a profile.
     * @param name one of Names()
     * @return the profile; lives as long as the process
     * @throw FabricError for an unknown name, with the list of names
     */
    static const RdmaDcqcnProfile& Get(const std::string& name);

    /**
     * @return all names
     */
    static std::vector<std::string> Names();
};

} // namespace ns3

#endif /* RDMA_DCQCN_PROFILE_H */
