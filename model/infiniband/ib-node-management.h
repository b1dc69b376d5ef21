/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_NODE_MANAGEMENT_H
#define IB_NODE_MANAGEMENT_H

#include "ib-managed-station.h"
#include "ib-subnet-agent.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <memory>
#include <vector>

namespace ns3
{

class SubnetManager;

/**
 * @ingroup ai-fabric
 * @brief The management processor of a node: its agent, joined to the ports that carry data.
 *
 * What a subnet manager writes takes effect at the switch or adapters, and what happens to a cable
 * is seen by the agent. An adapter with several ports has a station for each.
 */
class IbNodeManagement : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IbNodeManagement();
    ~IbNodeManagement() override;

    /**
     * @brief What the node is; before everything else.
     * @param info NodeInfo
     * @param portGuids by port, from 0
     * @param description NodeDescription
     */
    void SetNode(const IbNodeInfo& info,
                 const std::vector<uint64_t>& portGuids,
                 const std::string& description);

    /**
     * @brief A port that has a cable; carries no data until a manager makes it ACTIVE.
     * @param port number, from 1
     * @param station what it belongs to; outlives this object
     * @param lanes LinkWidthActive
     * @param speed IbRate name
     * @param vlCode data VLs, coded as VLCap
     */
    void AddPort(uint8_t port,
                 IbManagedStation& station,
                 uint8_t lanes,
                 const std::string& speed,
                 uint8_t vlCode);

    /**
     * @brief Run a subnet manager here; started by its own Start().
     * @param manager the manager
     * @throws FabricError when there is one, or no port to go by
     */
    void SetManager(Ptr<SubnetManager> manager);

    /** @return the manager; null: none */
    Ptr<SubnetManager> GetManager() const
    {
        return m_manager;
    }

    /** @return the agent */
    IbSubnetAgent& GetAgent()
    {
        return *m_agent;
    }

    /** @return management packets that no agent or manager could take */
    uint64_t GetDiscarded() const
    {
        return m_discarded;
    }

  protected:
    void DoDispose() override;

  private:
    bool IsSwitch() const;
    void OnMad(uint8_t port, const IbManagedStation::Mad& mad);
    void Take(uint8_t port, IbSmp smp);
    void Send(const IbSmp& smp, uint8_t port);
    void OnSet(IbAttribute attribute, uint32_t modifier);
    void ApplyPort(uint8_t port);
    void ApplyForwarding();
    void ApplyPKeys(uint8_t port);
    void ApplySlToVl(uint8_t in, uint8_t out);

    Time m_latency;                         //!< AgentLatency
    std::unique_ptr<IbSubnetAgent> m_agent; //!< the state
    std::vector<IbManagedStation*> m_ports; //!< by number; null: no cable
    Ptr<SubnetManager> m_manager;           //!< null: none
    uint64_t m_discarded{0};                //!< packets for nobody
};

} // namespace ns3

#endif /* IB_NODE_MANAGEMENT_H */
