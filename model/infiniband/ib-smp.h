/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_SMP_H
#define IB_SMP_H

#include <array>
#include <cstdint>

namespace ns3
{

/** @brief Methods of subnet management. Source of all codes here: InfiniBand, volume 1, 14. */
enum class IbMethod : uint8_t
{
    GET = 0x01,
    SET = 0x02,
    TRAP = 0x05,
    TRAP_REPRESS = 0x07,
    GET_RESPONSE = 0x81
};

/** @brief Subnet management attributes. */
enum class IbAttribute : uint16_t
{
    NOTICE = 0x0002,
    NODE_DESCRIPTION = 0x0010,
    NODE_INFO = 0x0011,
    SWITCH_INFO = 0x0012,
    PORT_INFO = 0x0015,
    PKEY_TABLE = 0x0016,
    SL_TO_VL = 0x0017,
    VL_ARBITRATION = 0x0018,
    LINEAR_FORWARDING = 0x0019,
    MULTICAST_FORWARDING = 0x001b,
    SM_INFO = 0x0020
};

/** @brief Status of an answer, bits 2 to 4 of the field. */
enum class IbSmpStatus : uint16_t
{
    OK = 0,
    BAD_VERSION = 1 << 2,
    BAD_METHOD = 2 << 2,
    BAD_METHOD_OR_ATTRIBUTE = 3 << 2,
    BAD_FIELD = 7 << 2
};

/**
 * @ingroup ai-fabric
 * @brief A directed-route subnet management packet: 256 bytes that find their way by port numbers,
 * so that they reach nodes without a LID over switches without tables.
 *
 * A value; Pack() and Unpack() give its bytes as they are on the wire.
 */
struct IbSmp
{
    static constexpr uint32_t BYTES = 256;                //!< on the wire
    static constexpr uint32_t MAX_HOPS = 63;              //!< of a directed route
    static constexpr uint16_t PERMISSIVE_LID = 0xffff;    //!< DrSLID, DrDLID: directed all the way
    static constexpr uint8_t DIRECTED_ROUTE_CLASS = 0x81; //!< MgmtClass

    IbMethod method{IbMethod::GET};        //!< what to do
    bool returning{false};                 //!< D: it is an answer on its way back
    IbSmpStatus status{IbSmpStatus::OK};   //!< of an answer
    uint8_t hopPointer{0};                 //!< hop that it is at
    uint8_t hopCount{0};                   //!< hops of the route
    uint64_t transaction{0};               //!< TransactionID
    IbAttribute attribute{};               //!< what it is about
    uint32_t modifier{0};                  //!< which of these
    uint64_t mKey{0};                      //!< management key
    std::array<uint8_t, 64> data{};        //!< the attribute
    std::array<uint8_t, 64> initialPath{}; //!< [i]: egress of hop i, from 1
    std::array<uint8_t, 64> returnPath{};  //!< [i]: ingress of hop i, from 1

    /** @return its bytes */
    std::array<uint8_t, BYTES> Pack() const;

    /**
     * @param bytes as they came
     * @param smp what they say
     * @return false when they are no directed-route packet of a version that is known
     */
    static bool Unpack(const std::array<uint8_t, BYTES>& bytes, IbSmp& smp);
};

} // namespace ns3

#endif /* IB_SMP_H */
