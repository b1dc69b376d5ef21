/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * @brief A full-duplex cable between two FabricNetDevices.
 *
 * Describes the link to ns-3; the engine resolves it to port pointers once and never asks it per
 * packet.
 */
class FabricChannel : public Channel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Attach an end; exactly two are attached.
     * @param device the end
     */
    void Attach(Ptr<FabricNetDevice> device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    DataRate m_rate;                           //!< DataRate
    Time m_delay;                              //!< Delay
    double m_errorRate{0};                     //!< ErrorRate
    std::vector<Ptr<FabricNetDevice>> m_ends; //!< attached devices
};

} // namespace ns3

#endif /* FABRIC_CHANNEL_H */
