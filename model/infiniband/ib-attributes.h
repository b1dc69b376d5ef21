/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_ATTRIBUTES_H
#define IB_ATTRIBUTES_H

#include "ib-rate.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/** @brief The 64 bytes of an attribute in a management packet. */
using IbData = std::array<uint8_t, 64>;

/** @brief States of a port, by their codes. */
enum class IbPortState : uint8_t
{
    DOWN = 1,  //!< no cable, or nobody at its end
    INIT = 2,  //!< management packets only
    ARMED = 3, //!< ready, data still dropped at the sender
    ACTIVE = 4 //!< carries data
};

/** @brief NodeInfo: what a node is, as seen by the port that was asked. */
struct IbNodeInfo
{
    uint8_t type{1};          //!< 1 channel adapter, 2 switch, 3 router
    uint8_t ports{1};         //!< NumPorts
    uint64_t systemGuid{0};   //!< SystemImageGUID
    uint64_t nodeGuid{0};     //!< NodeGUID
    uint64_t portGuid{0};     //!< PortGUID of that port
    uint16_t partitionCap{0}; //!< entries of its P_Key table
    uint16_t device{0};       //!< DeviceID
    uint32_t vendor{0};       //!< VendorID, 24 bits
    uint8_t localPort{0};     //!< port that was asked

    /** @return as bytes */
    IbData Pack() const;

    /**
     * @param data bytes
     * @return what they say
     */
    static IbNodeInfo Unpack(const IbData& data);
};

/** @brief SwitchInfo. */
struct IbSwitchInfo
{
    uint16_t linearCap{0};       //!< LinearFDBCap: LIDs that the table can have
    uint16_t multicastCap{0};    //!< MulticastFDBCap
    uint16_t linearTop{0};       //!< LinearFDBTop: highest LID in use
    bool portStateChange{false}; //!< a port went up or down since it was last cleared

    /** @return as bytes */
    IbData Pack() const;

    /**
     * @param data bytes
     * @return what they say
     */
    static IbSwitchInfo Unpack(const IbData& data);
};

/** @brief PortInfo, the fields that this module uses. */
struct IbPortInfo
{
    uint64_t mKey{0};                     //!< management key of the node
    uint64_t gidPrefix{0};                //!< subnet prefix
    uint16_t lid{0};                      //!< base LID
    uint16_t masterLid{0};                //!< MasterSMLID
    bool isSm{false};                     //!< CapabilityMask, IsSM: a subnet manager runs there
    uint8_t localPort{0};                 //!< port that was asked
    uint8_t lanes{4};                     //!< LinkWidthActive: 1, 2, 4, 8 or 12
    std::string speed{"SDR"};             //!< LinkSpeedActive or LinkSpeedExtActive, an IbRate
    IbPortState state{IbPortState::DOWN}; //!< PortState; 0 in a Set: no change
    uint8_t mKeyProtect{0};               //!< M_KeyProtectBits
    uint8_t lmc{0};                       //!< 2^lmc LIDs
    uint8_t neighborMtu{5};               //!< code: 1 256 ... 5 4096 bytes
    uint8_t masterSl{0};                  //!< MasterSMSL
    uint8_t vlCap{1};                     //!< code: 1 VL0 ... 4 VL0-VL7, 5 VL0-VL14
    uint8_t operationalVls{1};            //!< the same
    uint8_t vlHighLimit{0};               //!< VL arbitration limit of high priority, 4 KiB units
    uint16_t mKeyViolations{0};           //!< counter
    uint16_t pKeyViolations{0};           //!< counter
    uint16_t qKeyViolations{0};           //!< counter

    /** @return as bytes */
    IbData Pack() const;

    /**
     * @param data bytes
     * @return what they say
     */
    static IbPortInfo Unpack(const IbData& data);
};

/** @brief SMInfo: who is a subnet manager and in which state. */
struct IbSmInfo
{
    /** @brief States, by their codes. */
    enum class State : uint8_t
    {
        NOT_ACTIVE = 0,
        DISCOVERING = 1,
        STANDBY = 2,
        MASTER = 3
    };

    static constexpr uint32_t HANDOVER = 1; //!< modifier of a Set: be master from now on

    uint64_t guid{0};               //!< port GUID
    uint64_t key{0};                //!< SM_Key
    uint32_t activity{0};           //!< ActCount: grows while it lives
    uint8_t priority{0};            //!< 0 to 15, the highest is master
    State state{State::NOT_ACTIVE}; //!< its state

    /** @return as bytes */
    IbData Pack() const;

    /**
     * @param data bytes
     * @return what they say
     */
    static IbSmInfo Unpack(const IbData& data);
};

/** @brief Arrays of fields in an attribute. */
struct IbBlock
{
    static constexpr uint32_t FORWARDING = 64; //!< egress ports of a block of the linear table
    static constexpr uint32_t PKEYS = 32;      //!< P_Keys of a block

    /**
     * @param data bytes
     * @param i 0 to 31
     * @return the 16-bit number there: a P_Key
     */
    static uint16_t GetWord(const IbData& data, uint32_t i);

    /**
     * @param data bytes
     * @param i 0 to 31
     * @param value the 16-bit number
     */
    static void SetWord(IbData& data, uint32_t i, uint16_t value);

    /**
     * @param data bytes
     * @param sl 0 to 15
     * @return VL of the SL
     */
    static uint8_t GetVl(const IbData& data, uint8_t sl);

    /**
     * @param data bytes
     * @param sl 0 to 15
     * @param vl 0 to 15
     */
    static void SetVl(IbData& data, uint8_t sl, uint8_t vl);
};

} // namespace ns3

#endif /* IB_ATTRIBUTES_H */
