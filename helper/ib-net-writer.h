/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_NET_WRITER_H
#define IB_NET_WRITER_H

#include "ns3/ib-subnet.h"

#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Writes an InfiniBand subnet in the forms that IbNetReader reads.
 */
class IbNetWriter
{
  public:
    /**
     * @brief As `ibnetdiscover` prints it: GUIDs, descriptions, LIDs, widths and speeds.
     * @param subnet the subnet
     * @param os where to
     */
    static void WriteDiscovery(const IbSubnet& subnet, std::ostream& os);

    /**
     * @brief As a network file of ibsim: names, node GUIDs and cables, each cable at both ends.
     * ibsim gives the ports GUIDs of its own, the node's + the port's number.
     * @param subnet the subnet
     * @param os where to
     */
    static void WriteSimulator(const IbSubnet& subnet, std::ostream& os);
};

} // namespace ns3

#endif /* IB_NET_WRITER_H */
