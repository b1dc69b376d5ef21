/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_NET_READER_H
#define IB_NET_READER_H

#include "ns3/ib-subnet.h"

#include <cstdint>
#include <istream>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads an InfiniBand subnet: what `ibnetdiscover` prints, and network files of ibsim, which
 * have the same form with free names.
 *
 * A cable may be told from one end only. A node that others name but the file does not describe
 * gets as many ports as they name; its name says whether it is a switch ("S-...").
 */
class IbNetReader
{
  public:
    /** @brief What the file has. */
    struct Report
    {
        uint32_t switches{0};    //!< described
        uint32_t adapters{0};    //!< channel adapters described
        uint32_t routers{0};     //!< described
        uint32_t aggregation{0}; //!< of the adapters: engines of in-network reduction in switches
        uint32_t hosts{0};       //!< distinct first words of the adapters' descriptions
        uint32_t switchLinks{0}; //!< cables between switches
        uint32_t otherLinks{0};  //!< all other cables
        uint32_t oneSided{0};    //!< cables told from one end only
        uint32_t missing{0};     //!< nodes that are named but not described
        uint32_t islands{0};     //!< parts without a cable to each other
        std::map<uint32_t, uint32_t> radix;     //!< switches by number of ports
        std::map<std::string, uint32_t> speeds; //!< lines of switch ports by "4xHDR"
    };

    /** @brief What Read() returns. */
    struct Result
    {
        IbSubnet subnet; //!< the subnet
        Report report;   //!< counts
    };

    /**
     * @param path the file
     * @return the subnet
     * @throws FabricError with file, line, column and what is allowed
     */
    static Result Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return the subnet
     */
    static Result Read(std::istream& in, const std::string& name);
};

} // namespace ns3

#endif /* IB_NET_READER_H */
