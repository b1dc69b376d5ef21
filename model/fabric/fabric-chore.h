/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_CHORE_H
#define FABRIC_CHORE_H

#include "fabric-station.h"

#include "ns3/event-impl.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A re-usable event of a station that is no port's wake: a drain or the end of an instant.
 *
 * Reference counted and apart from the station for the reason that FabricWake is.
 */
class FabricChore : public EventImpl
{
  public:
    /**
     * @param station whom to call
     * @param instantEnd what to ask for
     */
    FabricChore(FabricStation* station, bool instantEnd)
        : m_station(station),
          m_instantEnd(instantEnd)
    {
    }

    /** @brief The station is gone. */
    void Detach()
    {
        m_station = nullptr;
    }

  private:
    void Notify() override
    {
        if (m_station != nullptr)
        {
            m_station->OnChore(m_instantEnd);
        }
    }

    FabricStation* m_station; //!< null after Detach()
    bool m_instantEnd;        //!< end of instant, or a drain
};

} // namespace ns3

#endif /* FABRIC_CHORE_H */
