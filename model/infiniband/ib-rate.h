/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_RATE_H
#define IB_RATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A lane speed of InfiniBand: one row of the table SDR to XDR.
 */
struct IbRate
{
    std::string name;       //!< "SDR" to "XDR"
    uint64_t signallingBps; //!< on one lane, one direction, bit/s
    uint64_t dataBps;       //!< the same after line coding and FEC: what packets get, bit/s

    /**
     * @brief Find a row.
     * @param name its name, case as in the table
     * @return the row; lives for ever
     * @throws FabricError for an unknown name, with all known ones
     */
    static const IbRate& Get(const std::string& name);

    /**
     * @param name a name
     * @return true when Get() knows it
     */
    static bool Has(const std::string& name);

    /** @return all names, slowest first */
    static std::vector<std::string> GetNames();

    /**
     * @brief Data rate of a port.
     * @param lanes 1, 2, 4, 8 or 12
     * @return bit/s of one direction
     * @throws FabricError for another number of lanes
     */
    uint64_t PortBps(uint8_t lanes) const;
};

} // namespace ns3

#endif /* IB_RATE_H */
