/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_TRAFFIC_GENERATOR_H
#define FLOW_TRAFFIC_GENERATOR_H

#include "flow-list.h"
#include "flow-size-cdf.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Makes flow lists: the same parameters and seed give the same flows on every machine.
 *
 * Random numbers come from FabricRandom, a stream for each sending host: adding hosts, or a longer
 * duration, does not move the draws of the others.
 */
class FlowTrafficGenerator
{
  public:
    /** @brief What all patterns share. */
    struct Parameters
    {
        std::vector<uint32_t> hosts;           //!< node ids of the hosts that take part
        int64_t startPs{0};                    //!< first start in ps
        int64_t durationPs{5'000'000'000};     //!< arrivals last so long, ps (random patterns)
        double load{0.5};                      //!< payload offered per host / hostRateBps
        uint64_t hostRateBps{100'000'000'000}; //!< bits per second of a host
        uint64_t seed{1};                      //!< of all draws
        uint8_t priority{3};                   //!< traffic class
    };

    /**
     * @param parameters shared parameters; checked here
     */
    explicit FlowTrafficGenerator(const Parameters& parameters);

    /**
     * @brief Poisson arrivals at every host to uniformly chosen other hosts.
     *
     * The rate of arrivals at each host is load x hostRateBps / 8 / mean size.
     * @param cdf flow sizes
     * @return the flows by start
     */
    FlowList Poisson(const FlowSizeCdf& cdf) const;

    /**
     * @brief The same traffic drawn as a Python script with random.Random(seed) does.
     *
     * One generator for all hosts; host after host; draw order gap, destination, size; times in
     * seconds as double, rounded to ns. The flows published with HPCC-line results can be repeated.
     * @param cdf flow sizes
     * @return the flows by start
     */
    FlowList PythonMt19937(const FlowSizeCdf& cdf) const;

    /**
     * @brief Every host sends to one other host and receives from one (one random cycle).
     * @param bytes size of each flow
     * @return the flows, one for each host
     */
    FlowList Permutation(uint64_t bytes) const;

    /**
     * @brief Several hosts send to one at the same time.
     * @param senders how many: the first of the hosts without the receiver
     * @param receiver node id
     * @param bytes size of each flow
     * @return the flows, one for each sender
     */
    FlowList Incast(uint32_t senders, uint32_t receiver, uint64_t bytes) const;

  private:
    /**
     * @brief Refuse what cannot be generated at random.
     * @param cdf flow sizes
     */
    void CheckLoad(const FlowSizeCdf& cdf) const;

    /**
     * @param src node id
     * @param dst node id
     * @param bytes size
     * @param startPs start in ps
     * @return the flow
     */
    FlowRecord MakeFlow(uint32_t src, uint32_t dst, uint64_t bytes, int64_t startPs) const;

    /**
     * @brief Order by start, then as generated, and number the flows.
     * @param list the flows
     */
    static void Finish(FlowList& list);

    Parameters m_p; //!< shared parameters
};

} // namespace ns3

#endif /* FLOW_TRAFFIC_GENERATOR_H */
