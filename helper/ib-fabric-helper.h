/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_FABRIC_HELPER_H
#define IB_FABRIC_HELPER_H

#include "ns3/attribute.h"
#include "ns3/ib-forwarding.h"
#include "ns3/ib-hca.h"
#include "ns3/ib-node-management.h"
#include "ns3/ib-switch.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/subnet-manager.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Turns an IbSubnet into nodes, devices, channels, switches and adapters.
 *
 * One ns-3 node for each node of the subnet, one IbHca for each cabled port of an adapter. Then
 * either SetRoutes() gives LIDs and tables at once, or AddManager() puts subnet managers on nodes,
 * and ports carry data when one has brought them up.
 *
 * @code
 * Time::SetResolution(Time::PS);
 * IbFabricHelper fabric;
 * fabric.Build(IbSubnetBuilder::FatTree(64));
 * fabric.SetRoutes("ftree");
 * auto pair = fabric.Connect(fabric.GetHcas()[0], fabric.GetHcas()[1]);
 * @endcode
 */
class IbFabricHelper
{
  public:
    IbFabricHelper();

    /** @brief Set an attribute of every IbSwitch. @param name attribute @param value value */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /** @brief Set an attribute of every IbHca. @param name attribute @param value value */
    void SetHcaAttribute(const std::string& name, const AttributeValue& value);

    /** @brief Set an attribute of every IbFlowControl. @param name attribute @param value value */
    void SetFlowControlAttribute(const std::string& name, const AttributeValue& value);

    /** @brief Set an attribute of every IbVlArbiter. @param name attribute @param value value */
    void SetArbiterAttribute(const std::string& name, const AttributeValue& value);

    /** @brief Set an attribute of every IbNodeManagement. @param name attribute @param value value
     */
    void SetManagementAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Speed of cables of which the subnet does not say it. Default: EDR.
     * @param speed IbRate name
     * @throws FabricError for an unknown name
     */
    void SetDefaultSpeed(const std::string& speed);

    /**
     * @brief Share of frames that bit errors hit, on every cable. Default: 0.
     * @param rate 0 to 1
     */
    void SetErrorRate(double rate);

    /**
     * @brief Create everything.
     * @param subnet the subnet; copied, and given GUIDs where it has none
     * @throws FabricError when it has routers, or Time is not in picoseconds
     */
    void Build(const IbSubnet& subnet);

    /**
     * @brief Give LIDs and write the tables of a routing engine, at once.
     * @param engine name, see IbRouting
     */
    void SetRoutes(const std::string& engine);

    /**
     * @brief Write tables, at once.
     * @param routes of a subnet whose LIDs are those of GetSubnet()
     */
    void SetRoutes(const IbForwarding& routes);

    /**
     * @brief Put a subnet manager on a node; it is started by its Start().
     *
     * From the first one on, no port carries data before a manager has made it active.
     * @param node index in the subnet
     * @return the manager
     */
    Ptr<SubnetManager> AddManager(uint32_t node);

    /** @return the subnet that was built, with LIDs once SetRoutes() gave them */
    IbSubnet& GetSubnet()
    {
        return m_subnet;
    }

    /** @return ns-3 nodes by index in the subnet */
    NodeContainer GetNodes() const
    {
        return m_nodes;
    }

    /** @return adapters with a cable, by node, then port */
    const std::vector<Ptr<IbHca>>& GetHcas() const
    {
        return m_hcas;
    }

    /** @return all switches, by node */
    const std::vector<Ptr<IbSwitch>>& GetSwitches() const
    {
        return m_switches;
    }

    /**
     * @param node index in the subnet
     * @param port number, from 1
     * @return its adapter
     * @throws FabricError when there is none
     */
    Ptr<IbHca> GetHca(uint32_t node, uint8_t port = 1) const;

    /**
     * @param node index in the subnet
     * @return its switch
     * @throws FabricError when it is none
     */
    Ptr<IbSwitch> GetSwitch(uint32_t node) const;

    /**
     * @param node index in the subnet
     * @return its management; null before the first AddManager()
     */
    Ptr<IbNodeManagement> GetManagement(uint32_t node) const;

    /**
     * @brief Cut or mend a cable, now.
     * @param node a node at its end
     * @param port its port there, from 1
     * @param up true: mended
     */
    void SetLinkUp(uint32_t node, uint8_t port, bool up);

    /** @brief The two ends of a connection. */
    struct Connection
    {
        Ptr<VerbsQueuePair> a; //!< at the first adapter
        Ptr<VerbsQueuePair> b; //!< at the second
    };

    /**
     * @brief Make and connect a pair of RC queue pairs, ready to send; LIDs must be given.
     *
     * With routes that use several lanes, each direction goes in its service level.
     * @param a an adapter
     * @param b another
     * @param aInit what the first is made with; pd may be null
     * @param bInit what the second is made with; pd may be null
     * @param attributes of both
     * @return the queue pairs
     */
    Connection Connect(Ptr<IbHca> a,
                       Ptr<IbHca> b,
                       VerbsQpInit aInit = VerbsQpInit(),
                       VerbsQpInit bInit = VerbsQpInit(),
                       VerbsQpAttributes attributes = VerbsQpAttributes()) const;

    /**
     * @brief Service level from one LID to another, as a path record tells it.
     * @param from source, an adapter's
     * @param to destination
     * @return 0 to 15
     */
    uint8_t GetServiceLevel(uint16_t from, uint16_t to) const;

    /** @return empty when the credits of all ports add up, else what does not */
    std::string ExplainImbalance() const;

  private:
    /** @brief Where a port of the subnet is in the simulation. */
    struct PortRef
    {
        Ptr<FabricStation> station; //!< null: no cable
        uint16_t number{0};         //!< port of the station
    };

    void MakeStations();
    void Wire(uint32_t node, uint8_t port);
    void Manage();
    PortRef& RefOf(uint32_t node, uint8_t port);

    ObjectFactory m_switchFactory;                    //!< IbSwitch
    ObjectFactory m_hcaFactory;                       //!< IbHca
    ObjectFactory m_flowFactory;                      //!< IbFlowControl
    ObjectFactory m_arbiterFactory;                   //!< IbVlArbiter
    ObjectFactory m_managementFactory;                //!< IbNodeManagement
    std::string m_speed{"EDR"};                       //!< of cables without one
    double m_errorRate{0};                            //!< of every cable
    IbSubnet m_subnet;                                //!< what was built
    IbForwarding m_routes;                            //!< as set by SetRoutes()
    NodeContainer m_nodes;                            //!< by index in the subnet
    std::vector<Ptr<IbHca>> m_hcas;                   //!< by node and port
    std::vector<Ptr<IbSwitch>> m_switches;            //!< by node
    std::vector<std::vector<PortRef>> m_ports;        //!< by node and port number
    std::vector<Ptr<IbNodeManagement>> m_managements; //!< by node; empty: not managed
    uint32_t m_links{0};                              //!< cables wired
};

} // namespace ns3

#endif /* IB_FABRIC_HELPER_H */
