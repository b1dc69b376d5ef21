/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_BENCH_H
#define IB_BENCH_H

#include "ns3/fabric-port.h"
#include "ns3/ib-fabric-helper.h"
#include "ns3/ib-subnet-builder.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief An InfiniBand fabric and streams of WRITEs over it.
 */
class IbBench
{
  public:
    /** @brief One queue pair and what became of its requests. */
    struct Stream
    {
        Ptr<VerbsQueuePair> from;         //!< posts
        Ptr<VerbsQueuePair> to;           //!< receives
        Ptr<IbHca> target;                //!< adapter of `to`
        Ptr<VerbsCompletionQueue> cq;     //!< of `from`
        std::vector<WorkCompletion> done; //!< completions, in order
        uint64_t marked{0};               //!< delivered at Mark()
    };

    ~IbBench();

    IbFabricHelper fabric; //!< set up by the test

    /**
     * @brief Post WRITEs, now.
     * @param a index among the adapters
     * @param b index among the adapters
     * @param bytes of each
     * @param count how many
     * @param attributes of both queue pairs
     * @return the stream; lives as long as this object
     */
    Stream& Write(uint32_t a,
                  uint32_t b,
                  uint64_t bytes,
                  uint32_t count,
                  const VerbsQpAttributes& attributes = VerbsQpAttributes());

    /** @brief Run up to a time. @param until time */
    void RunTo(const Time& until);

    /** @brief Rates count from now. */
    void Mark();

    /** @return payload delivered since Mark(), Gb/s @param stream whose */
    double GetGbps(const Stream& stream) const;

    /** @return streams whose requests are all complete and fine */
    uint32_t CountFinished() const;

    /** @return completion times of all streams, and all port counters, as text */
    std::string Describe() const;

  private:
    std::vector<std::unique_ptr<Stream>> m_streams; //!< in order of Write()
    std::vector<uint32_t> m_posted;                 //!< requests of each
    FabricPs m_mark{0};                             //!< time of Mark(), ps
};

/**
 * @brief Hosts round one switch.
 * @param hosts how many
 * @param speed of all cables
 * @return the subnet
 */
IbSubnet IbStar(uint32_t hosts, const std::string& speed = "EDR");

/**
 * @brief Two switches with one cable; hosts 0 to a - 1 at the first, the others at the second.
 * @param a hosts at the first
 * @param b hosts at the second
 * @param speed of all cables
 * @return the subnet
 */
IbSubnet IbDumbbell(uint32_t a, uint32_t b, const std::string& speed = "EDR");

} // namespace ns3

#endif /* IB_BENCH_H */
