/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef BOARD_BUILDER_H
#define BOARD_BUILDER_H

#include "server-topology.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Servers without NVSwitches: accelerator boards, PCIe boxes, POWER9, a chiplet package.
 *
 * Where a machine's inside is not public the .cc says what was assumed.
 */
class BoardBuilder
{
  public:
    /** @return 8 MI300X on an OAM board, one xGMI link between any two */
    static ServerTopology MakeMi300x();

    /** @return OAM 1.5: 8 modules of 7 links, fully connected by 28 cables */
    static ServerTopology MakeOamFullMesh();

    /** @return OAM 1.5: 8 modules of 6 links in a hybrid cube mesh */
    static ServerTopology MakeOamCubeMesh();

    /** @return 8 V100 in a ring of 3 links between neighbours */
    static ServerTopology MakeRing8();

    /** @return 8 L40S on PCIe, two below each PCIe switch */
    static ServerTopology MakeL40s();

    /** @return 4 L40S on the root ports of one socket */
    static ServerTopology MakePcieBox();

    /** @return 4 V100 with NVLink to each other and to two POWER9 sockets */
    static ServerTopology MakePower9();

    /** @return an IO die, two base dies, four compute dies and memory, joined by UCIe */
    static ServerTopology MakeChipletPackage();
};

} // namespace ns3

#endif /* BOARD_BUILDER_H */
