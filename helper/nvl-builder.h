/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NVL_BUILDER_H
#define NVL_BUILDER_H

#include "server-topology.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NVLink domains over many trays: every tray is a chassis of its own.
 *
 * Trays of switches follow those of GPUs. Where a machine's inside is not public the .cc says
 * what was assumed.
 */
class NvlBuilder
{
  public:
    /** @return GH200 NVL32: 16 trays of 2 GH200, 9 trays of 2 switches */
    static ServerTopology MakeNvl32();

    /** @return GB200 NVL72: 18 trays of 4 GPUs, 9 trays of 2 switches */
    static ServerTopology MakeNvl72();

    /** @return 8 racks of 72 GPUs joined by two tiers of NVLink switches */
    static ServerTopology MakeNvl576();
};

} // namespace ns3

#endif /* NVL_BUILDER_H */
