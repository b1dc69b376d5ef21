/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GPU_MODEL_H
#define GPU_MODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A GPU as one table row: its links, its memory, its PCI device number.
 *
 * A new GPU is a new row.
 */
class GpuModel
{
  public:
    std::string name;          //!< "V100-SXM2-16GB"
    std::string linkProfile;   //!< LinkProfile of ONE of its GPU links; empty: it has none
    uint32_t maxLinks{0};      //!< GPU links
    uint64_t memoryBytes{0};   //!< bytes
    uint64_t memoryRateBps{0}; //!< bit/s
    std::string pcieProfile;   //!< LinkProfile of its PCIe slot
    uint16_t vendor{0};        //!< PCI vendor
    uint16_t device{0};        //!< PCI device; 0: none known to us

    /**
     * @param name a name
     * @return the row, or nothing
     */
    static const GpuModel* Find(const std::string& name);

    /**
     * @param vendor PCI vendor number
     * @param device PCI device number
     * @return the row, or nothing
     */
    static const GpuModel* FindDevice(uint16_t vendor, uint16_t device);

    /**
     * @param name a name
     * @return the row
     * @throws FabricError for an unknown name, with all known ones
     */
    static const GpuModel& Get(const std::string& name);

    /** @return all names, table order, separated by commas */
    static std::string GetNames();

    /**
     * @brief NVLink generation of a compute capability.
     * @param sm compute capability as NCCL writes it: 80 for 8.0
     * @return name of a LinkProfile; empty if we do not know
     */
    static std::string NvLinkOfSm(uint32_t sm);

  private:
    /** @return the rows */
    static const std::vector<GpuModel>& Rows();
};

} // namespace ns3

#endif /* GPU_MODEL_H */
