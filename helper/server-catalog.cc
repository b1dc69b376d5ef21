/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-catalog.h"

#include "board-builder.h"
#include "dgx-builder.h"
#include "nvl-builder.h"

#include "ns3/fabric-error.h"

#include <functional>

namespace ns3
{

namespace
{

/** @brief A known server. */
struct Entry
{
    std::string name;                     //!< what Make() finds it by
    std::string text;                     //!< for people
    std::function<ServerTopology()> make; //!< builds it
};

/** @return all known servers */
const std::vector<Entry>&
Entries()
{
    static const std::vector<Entry> entries{
        {"dgx1-p100",
         "DGX-1: 8 P100, cube mesh of 4 NVLink 1 links",
         [] { return DgxBuilder::MakeDgx1("P100-SXM2-16GB"); }},
        {"dgx1-v100",
         "DGX-1: 8 V100, hybrid cube mesh of 6 NVLink 2 links",
         [] { return DgxBuilder::MakeDgx1("V100-SXM2-16GB"); }},
        {"dgx2", "DGX-2: 16 V100, 12 NVSwitches", DgxBuilder::MakeDgx2},
        {"dgx-a100",
         "DGX A100: 8 A100, 6 NVSwitches",
         [] { return DgxBuilder::MakeA100("A100-SXM4-40GB"); }},
        {"a800",
         "HGX A800: 8 A800, 400 GB/s NVLink both ways together",
         [] { return DgxBuilder::MakeA100("A800-SXM4-80GB"); }},
        {"dgx-h100",
         "DGX or HGX H100: 8 H100, 4 NVSwitches",
         [] { return DgxBuilder::MakeHopper("H100-SXM5-80GB"); }},
        {"hgx-h200",
         "HGX H200: 8 H200, 4 NVSwitches",
         [] { return DgxBuilder::MakeHopper("H200-SXM5-141GB"); }},
        {"h800",
         "HGX H800: 8 H800, 400 GB/s NVLink both ways together",
         [] { return DgxBuilder::MakeHopper("H800-SXM5-80GB"); }},
        {"b200", "HGX B200: 8 B200, 2 NVLink switches", DgxBuilder::MakeB200},
        {"nvl32", "GH200 NVL32: 32 GH200, 18 NVSwitches", NvlBuilder::MakeNvl32},
        {"gb200-nvl72", "GB200 NVL72: 72 GPUs, 18 NVLink switches", NvlBuilder::MakeNvl72},
        {"nvl576", "8 racks of 72 GPUs, two tiers of NVLink switches", NvlBuilder::MakeNvl576},
        {"mi300x", "8 MI300X, full mesh of xGMI", BoardBuilder::MakeMi300x},
        {"oam-full-mesh", "OAM 1.5: 8 modules, 28 links", BoardBuilder::MakeOamFullMesh},
        {"oam-cube-mesh", "OAM 1.5: 8 modules, 6 links each", BoardBuilder::MakeOamCubeMesh},
        {"ring8-nvlink", "8 V100 in a ring of 3 links", BoardBuilder::MakeRing8},
        {"l40s-pcie", "8 L40S below PCIe switches", BoardBuilder::MakeL40s},
        {"pcie-box", "4 L40S on one socket", BoardBuilder::MakePcieBox},
        {"power9", "4 V100 and two POWER9 on NVLink", BoardBuilder::MakePower9},
        {"chiplet-package", "IO, base and compute dies on UCIe", BoardBuilder::MakeChipletPackage},
    };
    return entries;
}

} // namespace

ServerTopology
ServerCatalog::Make(const std::string& name)
{
    std::string known;
    for (const auto& entry : Entries())
    {
        if (entry.name == name)
        {
            return entry.make();
        }
        known += (known.empty() ? "" : ", ") + entry.name;
    }
    throw FabricError("unknown server '" + name + "'; known: " + known);
}

std::vector<std::string>
ServerCatalog::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : Entries())
    {
        names.push_back(entry.name);
    }
    return names;
}

std::string
ServerCatalog::GetText(const std::string& name)
{
    for (const auto& entry : Entries())
    {
        if (entry.name == name)
        {
            return entry.text;
        }
    }
    return "";
}

} // namespace ns3
