/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef BTH_OPCODE_H
#define BTH_OPCODE_H

#include <array>
#include <cstdint>

namespace ns3
{

/** @brief Opcodes of the InfiniBand base transport header, as RoCE uses them. */
enum BthOpcode : uint8_t
{
    BTH_RC_SEND_FIRST = 0x00,
    BTH_RC_SEND_MIDDLE = 0x01,
    BTH_RC_SEND_LAST = 0x02,
    BTH_RC_SEND_LAST_IMM = 0x03,
    BTH_RC_SEND_ONLY = 0x04,
    BTH_RC_SEND_ONLY_IMM = 0x05,
    BTH_RC_WRITE_FIRST = 0x06,
    BTH_RC_WRITE_MIDDLE = 0x07,
    BTH_RC_WRITE_LAST = 0x08,
    BTH_RC_WRITE_LAST_IMM = 0x09,
    BTH_RC_WRITE_ONLY = 0x0a,
    BTH_RC_WRITE_ONLY_IMM = 0x0b,
    BTH_RC_READ_REQUEST = 0x0c,
    BTH_RC_READ_RESPONSE_FIRST = 0x0d,
    BTH_RC_READ_RESPONSE_MIDDLE = 0x0e,
    BTH_RC_READ_RESPONSE_LAST = 0x0f,
    BTH_RC_READ_RESPONSE_ONLY = 0x10,
    BTH_RC_ACK = 0x11, //!< ACK, NAK and RNR NAK: the syndrome tells which
    BTH_RC_ATOMIC_ACK = 0x12,
    BTH_RC_CMP_SWAP = 0x13,
    BTH_RC_FETCH_ADD = 0x14,
    BTH_UC_SEND_FIRST = 0x20,
    BTH_UC_SEND_MIDDLE = 0x21,
    BTH_UC_SEND_LAST = 0x22,
    BTH_UC_SEND_LAST_IMM = 0x23,
    BTH_UC_SEND_ONLY = 0x24,
    BTH_UC_SEND_ONLY_IMM = 0x25,
    BTH_UC_WRITE_FIRST = 0x26,
    BTH_UC_WRITE_MIDDLE = 0x27,
    BTH_UC_WRITE_LAST = 0x28,
    BTH_UC_WRITE_LAST_IMM = 0x29,
    BTH_UC_WRITE_ONLY = 0x2a,
    BTH_UC_WRITE_ONLY_IMM = 0x2b,
    BTH_UD_SEND_ONLY = 0x64,
    BTH_UD_SEND_ONLY_IMM = 0x65,
    BTH_CNP = 0x81 //!< RoCEv2 congestion notification packet
};

/** @brief What an opcode implies: bits of BthTraits::Flags(). */
enum BthTrait : uint16_t
{
    BTH_FIRST = 0x001,      //!< starts a message and does not end it
    BTH_LAST = 0x002,       //!< ends a message and did not start it
    BTH_ONLY = 0x004,       //!< is a whole message
    BTH_SEND = 0x008,       //!< consumes a receive request (with BTH_IMM: at its end)
    BTH_WRITE = 0x010,      //!< RDMA WRITE data
    BTH_READ_RESP = 0x020,  //!< RDMA READ data, on its way back
    BTH_REQUEST = 0x040,    //!< goes from requester to responder
    BTH_RETH = 0x080,       //!< 16 bytes: address, key, length
    BTH_AETH = 0x100,       //!< 4 bytes: syndrome and message number
    BTH_IMM = 0x200,        //!< 4 bytes of immediate data
    BTH_ATOMIC = 0x400,     //!< 28 bytes: address, key, two operands
    BTH_ATOMIC_ACK = 0x800, //!< 8 bytes: the original value
    BTH_DETH = 0x1000,      //!< 8 bytes: key and source queue pair of a datagram
    BTH_KNOWN = 0x2000      //!< an opcode of this table at all
};

/**
 * @ingroup ai-fabric
 * @brief Everything about a BTH opcode that follows from its number, from one constant table.
 */
class BthTraits
{
  public:
    /**
     * @param opcode BTH opcode
     * @return BthTrait bits; 0 for an opcode that is not used here
     */
    static constexpr uint16_t Flags(uint8_t opcode)
    {
        return TABLE[opcode];
    }

    /**
     * @param opcode BTH opcode
     * @return true for one of BthOpcode's values
     */
    static constexpr bool IsKnown(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_KNOWN) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for the first packet of a message of two or more
     */
    static constexpr bool IsFirst(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_FIRST) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for the last packet of a message of two or more
     */
    static constexpr bool IsLast(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_LAST) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for a message of one packet
     */
    static constexpr bool IsOnly(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_ONLY) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true when a message starts with this packet
     */
    static constexpr bool Starts(uint8_t opcode)
    {
        return (TABLE[opcode] & (BTH_FIRST | BTH_ONLY)) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true when a message ends with this packet
     */
    static constexpr bool Ends(uint8_t opcode)
    {
        return (TABLE[opcode] & (BTH_LAST | BTH_ONLY)) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for SEND packets
     */
    static constexpr bool IsSend(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_SEND) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for RDMA WRITE packets
     */
    static constexpr bool IsWrite(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_WRITE) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for RDMA READ responses
     */
    static constexpr bool IsReadResponse(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_READ_RESP) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for COMPARE AND SWAP and FETCH AND ADD requests
     */
    static constexpr bool IsAtomic(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_ATOMIC) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for what a requester sends (SEND, WRITE, READ request, atomics)
     */
    static constexpr bool IsRequest(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_REQUEST) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true for an acknowledgement without data: ACK, NAK, RNR NAK, atomic ACK
     */
    static constexpr bool IsAck(uint8_t opcode)
    {
        return opcode == BTH_RC_ACK || opcode == BTH_RC_ATOMIC_ACK;
    }

    /**
     * @param opcode BTH opcode
     * @return true when it has a RETH (16 bytes)
     */
    static constexpr bool HasReth(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_RETH) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true when it has an AETH (4 bytes)
     */
    static constexpr bool HasAeth(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_AETH) != 0;
    }

    /**
     * @param opcode BTH opcode
     * @return true when it has immediate data (4 bytes)
     */
    static constexpr bool HasImm(uint8_t opcode)
    {
        return (TABLE[opcode] & BTH_IMM) != 0;
    }

    /**
     * @brief Bytes of the headers between BTH and payload.
     * @param opcode BTH opcode
     * @return bytes; the CNP's 16 reserved bytes count here; 0 for an unknown opcode
     */
    static constexpr uint16_t ExtensionBytes(uint8_t opcode)
    {
        const uint16_t f = TABLE[opcode];
        return static_cast<uint16_t>(((f & BTH_RETH) != 0 ? 16 : 0) +
                                     ((f & BTH_AETH) != 0 ? 4 : 0) + ((f & BTH_IMM) != 0 ? 4 : 0) +
                                     ((f & BTH_ATOMIC) != 0 ? 28 : 0) +
                                     ((f & BTH_ATOMIC_ACK) != 0 ? 8 : 0) +
                                     ((f & BTH_DETH) != 0 ? 8 : 0) + (opcode == BTH_CNP ? 16 : 0));
    }

  private:
    /**
     * @brief Fill the six forms (first, middle, last, last+imm, only, only+imm) of SEND or WRITE.
     * @param t the table
     * @param base opcode of the first form
     * @param kind BTH_SEND or BTH_WRITE
     * @param start extension header of first and only: BTH_RETH or 0
     */
    static constexpr void FillSix(std::array<uint16_t, 256>& t, int base, int kind, int start)
    {
        const int all = BTH_KNOWN | BTH_REQUEST | kind;
        const int forms[6] = {BTH_FIRST | start,
                              0,
                              BTH_LAST,
                              BTH_LAST | BTH_IMM,
                              BTH_ONLY | start,
                              BTH_ONLY | BTH_IMM | start};
        for (int i = 0; i < 6; ++i)
        {
            t[base + i] = static_cast<uint16_t>(all | forms[i]);
        }
    }

    /** @return the table */
    static constexpr std::array<uint16_t, 256> Make()
    {
        std::array<uint16_t, 256> t{};
        FillSix(t, BTH_RC_SEND_FIRST, BTH_SEND, 0);
        FillSix(t, BTH_RC_WRITE_FIRST, BTH_WRITE, BTH_RETH);
        FillSix(t, BTH_UC_SEND_FIRST, BTH_SEND, 0);
        FillSix(t, BTH_UC_WRITE_FIRST, BTH_WRITE, BTH_RETH);
        const int request = BTH_KNOWN | BTH_REQUEST | BTH_ONLY;
        const int response = BTH_KNOWN | BTH_READ_RESP;
        t[BTH_RC_READ_REQUEST] = request | BTH_RETH;
        t[BTH_RC_READ_RESPONSE_FIRST] = response | BTH_FIRST | BTH_AETH;
        t[BTH_RC_READ_RESPONSE_MIDDLE] = response;
        t[BTH_RC_READ_RESPONSE_LAST] = response | BTH_LAST | BTH_AETH;
        t[BTH_RC_READ_RESPONSE_ONLY] = response | BTH_ONLY | BTH_AETH;
        t[BTH_RC_ACK] = BTH_KNOWN | BTH_AETH;
        t[BTH_RC_ATOMIC_ACK] = BTH_KNOWN | BTH_AETH | BTH_ATOMIC_ACK;
        t[BTH_RC_CMP_SWAP] = request | BTH_ATOMIC;
        t[BTH_RC_FETCH_ADD] = request | BTH_ATOMIC;
        t[BTH_UD_SEND_ONLY] = request | BTH_SEND | BTH_DETH;
        t[BTH_UD_SEND_ONLY_IMM] = request | BTH_SEND | BTH_DETH | BTH_IMM;
        t[BTH_CNP] = BTH_KNOWN;
        return t;
    }

    static const std::array<uint16_t, 256> TABLE; //!< BthTrait bits by opcode
};

inline constexpr std::array<uint16_t, 256> BthTraits::TABLE = BthTraits::Make();

} // namespace ns3

#endif /* BTH_OPCODE_H */
