/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-model.h"

#include "ns3/fabric-error.h"

namespace ns3
{

const std::vector<GpuModel>&
GpuModel::Rows()
{
    constexpr uint64_t GB = 1'000'000'000; // data sheets count decimal bytes for rates
    constexpr uint64_t GiB = 1 << 30;      // and binary ones for memory
    constexpr uint64_t BITS = 8;
    constexpr uint16_t NV = 0x10de;
    constexpr uint16_t AMD = 0x1002;
    // Links, memory and memory rate: the vendors' data sheets. Device numbers: the public list of
    // PCI ids. A800 and H800: links cut to 8, 400 GB/s both ways. B200: 180 GB of 192 are usable.
    static const std::vector<GpuModel> rows{
        {"P100-SXM2-16GB", "nvlink1", 4, 16 * GiB, 732 * GB * BITS, "pcie3-x16", NV, 0x15f9},
        {"V100-SXM2-16GB", "nvlink2", 6, 16 * GiB, 900 * GB * BITS, "pcie3-x16", NV, 0x1db1},
        {"V100-SXM2-32GB", "nvlink2", 6, 32 * GiB, 900 * GB * BITS, "pcie3-x16", NV, 0x1db5},
        {"V100-SXM3-32GB", "nvlink2", 6, 32 * GiB, 981 * GB * BITS, "pcie3-x16", NV, 0x1db8},
        {"A100-SXM4-40GB", "nvlink3", 12, 40 * GiB, 1555 * GB * BITS, "pcie4-x16", NV, 0x20b0},
        {"A100-SXM4-80GB", "nvlink3", 12, 80 * GiB, 2039 * GB * BITS, "pcie4-x16", NV, 0x20b2},
        {"A100-PCIE-80GB", "nvlink3", 12, 80 * GiB, 1935 * GB * BITS, "pcie4-x16", NV, 0x20b5},
        {"A800-SXM4-80GB", "nvlink3", 8, 80 * GiB, 2039 * GB * BITS, "pcie4-x16", NV, 0},
        {"RTX-A6000", "nvlink3", 4, 48 * GiB, 768 * GB * BITS, "pcie4-x16", NV, 0x2230},
        {"H100-SXM5-80GB", "nvlink4", 18, 80 * GiB, 3350 * GB * BITS, "pcie5-x16", NV, 0x2330},
        {"H200-SXM5-141GB", "nvlink4", 18, 141 * GiB, 4800 * GB * BITS, "pcie5-x16", NV, 0x2335},
        {"H800-SXM5-80GB", "nvlink4", 8, 80 * GiB, 3350 * GB * BITS, "pcie5-x16", NV, 0x2324},
        {"GH200-96GB", "nvlink4", 18, 96 * GiB, 4000 * GB * BITS, "pcie5-x16", NV, 0x2342},
        {"L20-48GB", "", 0, 48 * GiB, 864 * GB * BITS, "pcie4-x16", NV, 0x26ba},
        {"L40S-48GB", "", 0, 48 * GiB, 864 * GB * BITS, "pcie4-x16", NV, 0x26b9},
        {"B200-SXM-180GB", "nvlink5", 18, 180 * GiB, 8000 * GB * BITS, "pcie5-x16", NV, 0x2901},
        {"GB200-186GB", "nvlink5", 18, 186 * GiB, 8000 * GB * BITS, "pcie5-x16", NV, 0x2941},
        {"MI300X", "xgmi3", 7, 192 * GiB, 5300 * GB * BITS, "pcie5-x16", AMD, 0x74a1},
        {"OAM-7", "oam", 7, 64 * GiB, 1600 * GB * BITS, "pcie4-x16", 0, 0},
        {"OAM-6", "oam", 6, 64 * GiB, 1600 * GB * BITS, "pcie4-x16", 0, 0},
    };
    return rows;
}

const GpuModel*
GpuModel::Find(const std::string& name)
{
    for (const auto& row : Rows())
    {
        if (row.name == name)
        {
            return &row;
        }
    }
    return nullptr;
}

const GpuModel*
GpuModel::FindDevice(uint16_t vendor, uint16_t device)
{
    for (const auto& row : Rows())
    {
        if (device != 0 && row.device == device && row.vendor == vendor)
        {
            return &row;
        }
    }
    return nullptr;
}

const GpuModel&
GpuModel::Get(const std::string& name)
{
    const GpuModel* row = Find(name);
    if (row == nullptr)
    {
        throw FabricError("unknown GPU model '" + name + "'; known: " + GetNames());
    }
    return *row;
}

std::string
GpuModel::GetNames()
{
    std::string names;
    for (const auto& row : Rows())
    {
        names += (names.empty() ? "" : ", ") + row.name;
    }
    return names;
}

std::string
GpuModel::NvLinkOfSm(uint32_t sm)
{
    return sm == 60                 ? "nvlink1"
           : sm == 70               ? "nvlink2"
           : sm == 80 || sm == 86   ? "nvlink3"
           : sm == 90               ? "nvlink4"
           : sm == 100 || sm == 103 ? "nvlink5"
                                    : "";
}

} // namespace ns3
