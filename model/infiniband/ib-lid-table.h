/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_LID_TABLE_H
#define IB_LID_TABLE_H

#include "ib-subnet.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief LIDs by port GUID. A port that has had one keeps it, also while it is away.
 */
class IbLidTable
{
  public:
    static constexpr uint16_t UNICAST_END = 0xc000; //!< unicast LIDs are 1 to here - 1

    /**
     * @brief Give a LID to every port with a GUID: the one it had, else the one that it brings
     * along if nobody else has it, else the lowest that is free.
     * @param subnet its ports get their LIDs
     * @throws FabricError when there are more ports than LIDs
     */
    void Assign(IbSubnet& subnet);

    /**
     * @param guid port GUID
     * @return its LID, 0 for none
     */
    uint16_t Get(uint64_t guid) const;

    /** @return highest LID that was given */
    uint16_t GetTop() const;

  private:
    std::map<uint64_t, uint16_t> m_lids;  //!< by port GUID
    std::map<uint16_t, uint64_t> m_ports; //!< the other way round
};

} // namespace ns3

#endif /* IB_LID_TABLE_H */
