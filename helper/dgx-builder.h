/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DGX_BUILDER_H
#define DGX_BUILDER_H

#include "server-topology.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Servers with 8 or 16 NVIDIA GPUs on a board: DGX and HGX.
 *
 * Where a machine's inside is not public the .cc says what was assumed.
 */
class DgxBuilder
{
  public:
    /**
     * @brief DGX-1: a hybrid cube mesh.
     * @param model "P100-SXM2-16GB" (4 links) or "V100-SXM2-16GB", "V100-SXM2-32GB" (6 links)
     * @return the server
     */
    static ServerTopology MakeDgx1(const std::string& model);

    /** @return DGX-2: 16 V100 on two boards of 6 NVSwitches */
    static ServerTopology MakeDgx2();

    /**
     * @brief 8 A100 or A800 behind 6 NVSwitches.
     * @param model "A100-SXM4-40GB", "A100-SXM4-80GB" or "A800-SXM4-80GB"
     * @return the server
     */
    static ServerTopology MakeA100(const std::string& model);

    /**
     * @brief 8 Hopper GPUs behind 4 NVSwitches.
     * @param model "H100-SXM5-80GB", "H200-SXM5-141GB" or "H800-SXM5-80GB"
     * @return the server
     */
    static ServerTopology MakeHopper(const std::string& model);

    /** @return 8 B200 behind 2 NVLink switches */
    static ServerTopology MakeB200();
};

} // namespace ns3

#endif /* DGX_BUILDER_H */
