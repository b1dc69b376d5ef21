/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FRAME_PROFILE_H
#define FRAME_PROFILE_H

#include "bth-opcode.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How many bytes a packet has in buffers, and how many more of the line it takes.
 *
 * Buffer bytes are what switches count (Ethernet header to FCS); wire bytes add the preamble and
 * the gap behind the frame. Profiles, overhead per data packet in buffers / on the wire:
 *
 * | name     | data  | ACK   | CNP   | extension headers | what it is                           |
 * |----------|-------|-------|-------|-------------------|--------------------------------------|
 * | rocev2   | 62/82 | 66/86 | 78/98 | yes               | Ethernet, IPv4, UDP, BTH, ICRC, FCS  |
 * | rocev1   | 74/94 | 78/98 | 90/110| yes               | the same with a GRH for IPv4 and UDP |
 * | hpcc     | 36/36 | 60/60 | 60/60 | no                | simulators of the HPCC line          |
 * | hpcc-int | 78/78 | 60/60 | 60/60 | no                | those with their telemetry header    |
 * | plain48  | 48/48 | 60/60 | 60/60 | no                | those with a 14-byte link header     |
 * | ib       | 26/26 | 30/30 | 42/42 | yes               | InfiniBand: LRH, BTH, ICRC, VCRC     |
 * | ib-grh   | 66/66 | 70/70 | 82/82 | yes               | the same across subnets, with a GRH  |
 *
 * Pad bytes (payload to a multiple of 4, frame to 64) are not counted: sizes stay linear in the
 * payload, as in the closed forms that the tests use.
 */
class FrameProfile
{
  public:
    /**
     * @brief Find a profile.
     * @param name one of Names()
     * @return the profile; lives as long as the process
     * @throw FabricError for an unknown name, with the list of names
     */
    static const FrameProfile& Get(const std::string& name);

    /**
     * @return all names
     */
    static std::vector<std::string> Names();

    /**
     * @return the name
     */
    const std::string& GetName() const
    {
        return m_name;
    }

    /**
     * @brief Frame length as buffers count it; fit for every packet.
     * @param opcode BTH opcode
     * @param payload message bytes carried
     * @return bytes
     */
    uint32_t BufferBytes(uint8_t opcode, uint32_t payload) const
    {
        return m_overhead[opcode] + payload;
    }

    /**
     * @brief Preamble and inter-packet gap: what a frame takes of the line beyond its own length.
     * @return bytes, the same for every frame
     */
    uint32_t WireGap() const
    {
        return m_wireGap;
    }

    /**
     * @brief Share of the line that a frame takes.
     * @param opcode BTH opcode
     * @param payload message bytes carried
     * @return bytes
     */
    uint32_t WireBytes(uint8_t opcode, uint32_t payload) const
    {
        return m_overhead[opcode] + payload + m_wireGap;
    }

    /**
     * @return length of a PFC frame in buffers, bytes (add WireGap() for the line)
     */
    uint32_t PauseBytes() const
    {
        return 64;
    }

    /**
     * @brief Line share of a whole RDMA WRITE on a reliable connection, without ACKs.
     * @param message message bytes; 0 is one packet
     * @param mtu payload bytes of a full packet, > 0
     * @return bytes on the wire
     */
    uint64_t WriteWireBytes(uint64_t message, uint32_t mtu) const;

    /**
     * @brief Payload rate of back-to-back RDMA WRITEs.
     * @param lineBps line rate, bits per second
     * @param message message bytes
     * @param mtu payload bytes of a full packet, > 0
     * @param messageRate messages per second that the NIC can start; 0 = no limit
     * @return payload bits per second
     */
    double WriteGoodputBps(double lineBps,
                           uint64_t message,
                           uint32_t mtu,
                           double messageRate = 0) const;

  private:
    /**
     * @param name profile name
     * @param data overhead of a data packet in buffers, bytes
     * @param ack whole ACK and CNP in buffers, bytes; 0 = as data, plus extension headers
     * @param wireGap preamble and gap, bytes
     */
    FrameProfile(const char* name, uint16_t data, uint16_t ack, uint32_t wireGap);

    /** @return every profile */
    static const std::vector<FrameProfile>& All();

    std::string m_name;                   //!< name
    uint32_t m_wireGap;                   //!< preamble and gap, bytes
    std::array<uint16_t, 256> m_overhead; //!< bytes beside the payload, by opcode
};

} // namespace ns3

#endif /* FRAME_PROFILE_H */
