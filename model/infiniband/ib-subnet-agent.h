/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SUBNET_AGENT_H
#define IB_SUBNET_AGENT_H

#include "ib-attributes.h"
#include "ib-forwarding.h"
#include "ib-lid-table.h"
#include "ib-smp.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The management agent of one node: passes directed-route packets on and answers those that
 * are for its node, from the state that a subnet manager reads and writes.
 *
 * It knows no links: whoever owns the node hands packets in and sends what comes out. Ports are
 * numbered as on the device; port 0 is the management port of a switch.
 */
class IbSubnetAgent
{
  public:
    /** @brief What becomes of a packet. */
    enum class Verdict : uint8_t
    {
        FORWARD, //!< leaves by a port
        REQUEST, //!< for the agent itself: Answer() it
        ANSWER,  //!< an answer for the subnet manager that is on this node
        DISCARD  //!< its route makes no sense here
    };

    /** @brief What a port has besides its PortInfo. */
    struct Port
    {
        IbPortInfo info;                     //!< PortInfo
        uint64_t guid{0};                    //!< port GUID
        std::vector<uint16_t> pKeys{0xffff}; //!< P_Key table; the default partition, full member
        std::vector<IbData> slToVl; //!< a switch: by ingress port, else one; at first all in VL 0
    };

    static constexpr uint8_t PKEYS = 32; //!< entries of each P_Key table

    /**
     * @param node what it is; localPort and portGuid are filled in by port
     * @param portGuids by port, from 0; a switch has one GUID, that of port 0
     */
    IbSubnetAgent(const IbNodeInfo& node, const std::vector<uint64_t>& portGuids);

    /**
     * @brief Apply the rules of directed routing to a packet that came in or is sent from here.
     * @param smp the packet; its hop pointer and return path are brought up to date
     * @param ingress port where it came in; FROM_HERE for one that is sent from this node
     * @param egress set for FORWARD
     * @return what to do with it
     */
    Verdict Route(IbSmp& smp, uint8_t ingress, uint8_t& egress) const;

    static constexpr uint8_t FROM_HERE = 255; //!< Route(): not from a link

    /**
     * @brief Answer a request: read or change the state.
     * @param smp the request; becomes the answer
     * @param ingress port where it came in, FROM_HERE if from this node
     * @return false when there is none: a foreign management key, or a method that has no answer
     */
    bool Answer(IbSmp& smp, uint8_t ingress);

    /** @return what the node is */
    const IbNodeInfo& GetNode() const
    {
        return m_node;
    }

    /** @brief NodeDescription, at most 64 bytes. */
    std::string description;

    /**
     * @param port port number
     * @return its state
     * @throws FabricError when there is none
     */
    Port& GetPort(uint8_t port);

    /** @return by LID: egress port, IbForwarding::NO_PORT for none; a switch only */
    const std::vector<uint8_t>& GetForwarding() const
    {
        return m_forwarding;
    }

    /** @return highest LID that the table is used for; a switch only */
    uint16_t GetLinearTop() const
    {
        return m_switch.linearTop;
    }

    /**
     * @brief A cable was plugged in or out, or its other end came or went.
     * @param port port number
     * @param up true: the link is there
     */
    void SetLink(uint8_t port, bool up);

    /** @brief Called after a manager changed an attribute: which, and its modifier. */
    std::function<void(IbAttribute, uint32_t)> onSet;

    /** @brief The manager on this node, asked for its SMInfo; empty: there is none. */
    std::function<IbSmInfo()> onSmInfo;

    /** @brief Another manager tells the one on this node something: IbSmInfo::HANDOVER, ... */
    std::function<void(uint32_t)> onSmControl;

  private:
    bool IsSwitch() const;
    bool Keys(const IbSmp& smp);
    IbSmpStatus Get(IbSmp& smp, uint8_t ingress);
    IbSmpStatus Set(const IbSmp& smp, uint8_t ingress);
    IbSmpStatus SetPort(Port& port, const IbPortInfo& wanted);
    Port* PortOf(uint32_t number, uint8_t ingress);
    IbData* SlToVlOf(uint32_t modifier);

    IbNodeInfo m_node;                 //!< what it is
    IbSwitchInfo m_switch;             //!< a switch only
    std::vector<Port> m_ports;         //!< by number; 0 unused on a channel adapter
    std::vector<uint8_t> m_forwarding; //!< linear table
};

} // namespace ns3

#endif /* IB_SUBNET_AGENT_H */
