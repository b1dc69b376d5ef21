/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef CLASS_MAP_H
#define CLASS_MAP_H

#include "ns3/fabric-class-list.h"
#include "ns3/fabric-packet.h"
#include "ns3/object.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a switch believes about an arriving frame's traffic class.
 *
 * Trust "class": the class that the sender used, as if every box agreed (the default). Trust
 * "dscp": by the DSCP that the sending host wrote, through DscpMap. Trust "pcp": by the 802.1p
 * priority on the link, which is the class that the neighbour used, through PcpMap.
 */
class ClassMap : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ClassMap();

    /**
     * @brief The class of an arriving frame here.
     * @param p the frame, its vl as the neighbour used it
     * @return class 0..7
     */
    uint8_t ClassOf(const FabricPacket& p) const
    {
        switch (m_trust)
        {
        case TRUST_DSCP:
            return m_ofDscp[p.dscp & 63];
        case TRUST_PCP:
            return static_cast<uint8_t>(m_ofPcp[p.vl]);
        default:
            return p.vl;
        }
    }

    /**
     * @param trust "class", "dscp" or "pcp"
     * @throws FabricError for another word
     */
    void SetTrust(const std::string& trust);

    /** @return what is trusted */
    std::string GetTrust() const;

    /**
     * @param map pairs "dscp:class ...", DSCP 0..63, class 0..7; a DSCP not named goes to dscp / 8
     * @throws FabricError for anything else
     */
    void SetDscpMap(const std::string& map);

    /** @return the pairs that differ from dscp / 8 */
    std::string GetDscpMap() const;

    /**
     * @param map eight classes, for priorities 0..7
     * @throws FabricError for anything else
     */
    void SetPcpMap(const std::string& map);

    /** @return eight classes */
    std::string GetPcpMap() const;

  private:
    /** @brief What decides. */
    enum Trust : uint8_t
    {
        TRUST_CLASS,
        TRUST_DSCP,
        TRUST_PCP
    };

    Trust m_trust{TRUST_CLASS};         //!< Trust
    uint8_t m_ofDscp[64];               //!< DscpMap
    FabricClassList::Numbers m_ofPcp{{0, 1, 2, 3, 4, 5, 6, 7}}; //!< PcpMap
};

} // namespace ns3

#endif /* CLASS_MAP_H */
