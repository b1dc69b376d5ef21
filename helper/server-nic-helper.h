/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_NIC_HELPER_H
#define SERVER_NIC_HELPER_H

#include "fabric-helper.h"
#include "gpu-server-helper.h"

#include "ns3/rdma-dma-path.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-pcie-links.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Joins servers to a network: the NIC parts of each chassis become the NICs of its host.
 *
 * The i-th NIC part of a chassis is tied to the i-th RdmaNic of the host on whose node the chassis
 * was installed. From then on that NIC's payload goes over the server's PCIe: as packets through
 * real ports, or by a profile that gives the same times to a NIC that is alone. Memory number 0
 * of a NIC is the host memory next to it; every other memory has the number GetMemory() says, so
 * that a region in a GPU's memory makes GPUDirect RDMA.
 *
 * @code
 * fabric.Build(topology);
 * server.Install(ServerCatalog::Make("dgx-a100"), fabric.GetHosts().Get(0));
 * ServerNicHelper nics(server, fabric);
 * nics.Attach();
 * nic->RegisterMemory(pd, 0, bytes, access, nics.GetMemory("gpu0"));
 * @endcode
 */
class ServerNicHelper
{
  public:
    /**
     * @param server installed on hosts of the fabric; outlives the helper
     * @param fabric built; outlives the helper
     */
    ServerNicHelper(const GpuServerHelper& server, const FabricHelper& fabric);

    /**
     * @brief Real ports, or a profile. Default: real ports.
     * @param real true for RdmaPciePorts, false for RdmaPcieProfile
     */
    void SetRealPorts(bool real);

    /**
     * @brief Leave NIC parts out, storage cards say; before Attach(). Default: none.
     * @param names of NIC parts; the others of each chassis keep their order
     */
    void SkipNics(const std::vector<std::string>& names);

    /**
     * @brief Tie NICs and parts, before any queue pair.
     *
     * NIC parts beyond the NICs of their host stay without network.
     * @throws FabricError when a chassis is on no host of the fabric, or has fewer NIC parts than
     *         its host has NICs
     */
    void Attach();

    /**
     * @param part part id
     * @return number of its memory, for RdmaNic::RegisterMemory()
     * @throws FabricError for a part without memory
     */
    uint32_t GetMemory(uint32_t part) const;

    /**
     * @param name of a part: "gpu0"
     * @return number of its memory, for RdmaNic::RegisterMemory()
     * @throws FabricError when there is no such part, or it has no memory
     */
    uint32_t GetMemory(const std::string& name) const;

    /**
     * @param part id of a NIC part
     * @return part id of the CPU whose memory is nearest to it
     * @throws FabricError when it reaches none
     */
    uint32_t GetNearestHost(uint32_t part) const;

    /**
     * @param part id of a NIC part that is tied
     * @return its NIC
     * @throws FabricError when it is not tied
     */
    Ptr<RdmaNic> GetNic(uint32_t part) const;

    /** @return ids of the NIC parts that are tied, ascending */
    std::vector<uint32_t> GetParts() const;

    /**
     * @brief The links between two parts, for closed forms.
     * @param nic id of a NIC part
     * @param memory id of a part with memory
     * @return the links, from the NIC outward
     * @throws FabricError when there is no way
     */
    RdmaPcieLinks GetLinks(uint32_t nic, uint32_t memory) const;

  private:
    Ptr<RdmaDmaPath> MakePorts(uint32_t nic) const;
    Ptr<RdmaDmaPath> MakeProfile(uint32_t nic) const;
    std::vector<uint32_t> GetMemoriesOf(uint32_t nic) const;

    const GpuServerHelper& m_server;   //!< installed
    const FabricHelper& m_fabric;      //!< built
    bool m_real{true};                 //!< real ports
    std::vector<bool> m_skip;          //!< by part
    std::vector<Ptr<RdmaNic>> m_nicOf; //!< by part; null for those not tied
};

} // namespace ns3

#endif /* SERVER_NIC_HELPER_H */
