/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_LAYERS_H
#define IB_LAYERS_H

#include "ib-forwarding.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Spreads the ways of forwarding tables over virtual lanes so that none has a credit loop.
 *
 * All ways start in lane 0. While there is a circle of waits in a lane, the ways that make its
 * weakest wait move to the next one, as deadlock-free single-source-shortest-path routing does
 * (Domke, Hoefler, Nagel, IPDPS 2011). A packet stays in its lane; it is chosen by the switch where
 * it enters and its destination.
 */
class IbLayers
{
  public:
    static constexpr uint32_t MOST = 15; //!< data lanes that a port can have

    /**
     * @brief Fill in IbForwarding::lanes.
     * @param subnet the subnet
     * @param routes its tables
     * @param lanes lanes that there are, 1 to MOST
     * @throws FabricError with both numbers when more are needed
     */
    static void Assign(const IbSubnet& subnet, IbForwarding& routes, uint32_t lanes);
};

} // namespace ns3

#endif /* IB_LAYERS_H */
