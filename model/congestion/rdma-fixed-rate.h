/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_FIXED_RATE_H
#define RDMA_FIXED_RATE_H

#include "rdma-congestion-ops.h"

#include "ns3/data-rate.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief No congestion control: paces at one rate whatever happens.
 */
class RdmaFixedRate : public RdmaCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFixedRate();
    ~RdmaFixedRate() override;

    /**
     * @brief Copy attributes.
     * @param other the prototype
     */
    RdmaFixedRate(const RdmaFixedRate& other);

  protected:
    void DoInit(RdmaRateState& state, FabricPs now) override;
    uint32_t DoNeeds() const override;
    Ptr<RdmaCongestionOps> DoFork() const override;

  private:
    DataRate m_rate;        //!< 0 = line rate
    uint64_t m_windowBytes; //!< payload bytes, 0 = none
};

} // namespace ns3

#endif /* RDMA_FIXED_RATE_H */
