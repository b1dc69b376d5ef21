/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-rate.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

constexpr uint64_t MEGA = 1'000'000;
constexpr std::array<uint8_t, 5> LANES{1, 2, 4, 8, 12};

/**
 * SDR to QDR are coded 8b/10b, FDR10 to EDR 64b/66b; from HDR on lanes are PAM4 and the names count
 * what is left after forward error correction. Source: InfiniBand Architecture Specification,
 * volume 2, and the InfiniBand Trade Association's roadmap.
 */
const IbRate ROWS[] = {
    {"SDR", 2500 * MEGA, 2000 * MEGA},
    {"DDR", 5000 * MEGA, 4000 * MEGA},
    {"QDR", 10'000 * MEGA, 8000 * MEGA},
    {"FDR10", 10'312'500'000, 10'000 * MEGA},
    {"FDR", 14'062'500'000, 13'636'363'636},
    {"EDR", 25'781'250'000, 25'000 * MEGA},
    {"HDR", 53'125 * MEGA, 50'000 * MEGA},
    {"NDR", 106'250 * MEGA, 100'000 * MEGA},
    {"XDR", 212'500 * MEGA, 200'000 * MEGA},
};

const IbRate*
Find(const std::string& name)
{
    const auto* row = std::find_if(std::begin(ROWS), std::end(ROWS), [&name](const IbRate& r) {
        return r.name == name;
    });
    return row == std::end(ROWS) ? nullptr : row;
}

} // namespace

const IbRate&
IbRate::Get(const std::string& name)
{
    const IbRate* row = Find(name);
    if (row == nullptr)
    {
        std::string known;
        for (const auto& other : GetNames())
        {
            known += (known.empty() ? "" : ", ") + other;
        }
        throw FabricError("unknown InfiniBand speed '" + name + "'; known: " + known);
    }
    return *row;
}

bool
IbRate::Has(const std::string& name)
{
    return Find(name) != nullptr;
}

std::vector<std::string>
IbRate::GetNames()
{
    std::vector<std::string> names;
    for (const IbRate& row : ROWS)
    {
        names.push_back(row.name);
    }
    return names;
}

uint64_t
IbRate::PortBps(uint8_t lanes) const
{
    if (std::find(LANES.begin(), LANES.end(), lanes) == LANES.end())
    {
        throw FabricError("an InfiniBand port has 1, 2, 4, 8 or 12 lanes, not " +
                          std::to_string(lanes));
    }
    return lanes * dataBps;
}

} // namespace ns3
