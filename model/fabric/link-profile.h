/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef LINK_PROFILE_H
#define LINK_PROFILE_H

#include "memory-op.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief A kind of link inside a server as one table row: NVLink, C2C, PCIe, UCIe, xGMI, sockets.
 *
 * All rates are of ONE link in ONE direction. A bundle of links is one port of so many times the
 * rate. What a frame costs on the wire is exact: packets of at most maxPayload bytes, each with
 * its header, data rounded up to whole granules.
 */
class LinkProfile
{
  public:
    /** @brief Kinds that are routed and printed alike. */
    enum class Family : uint8_t
    {
        NVLINK, //!< GPU to GPU or NVSwitch
        C2C,    //!< coherent CPU-GPU link
        XGMI,   //!< AMD GPU to GPU
        OAM,    //!< open accelerator module to module
        PCIE,   //!< PCI Express
        SOCKET, //!< CPU to CPU
        UCIE    //!< die to die
    };

    std::string name;          //!< what Get() finds it by
    Family family{};           //!< kind
    uint16_t generation{0};    //!< of the family
    uint16_t lanes{1};         //!< lanes per direction
    uint64_t rateBps{0};       //!< bit/s of one direction, after line coding and flit framing
    uint32_t maxPayload{256};  //!< data bytes of a packet
    uint32_t granule{16};      //!< data is padded to a multiple of this
    uint32_t header{16};       //!< bytes of a packet besides its data: writes and requests
    uint32_t answerHeader{16}; //!< the same of responses
    uint32_t atomicOperand{16};//!< data bytes of an atomic request or response
    int64_t latencyPs{0};      //!< last bit out to last bit in, both PHYs included
    uint32_t creditBytes{0};   //!< receive buffer per class and link
    int64_t replayPs{0};       //!< from a packet hit by an error to the start of its repetition
    std::string source;        //!< where the figures are from

    /**
     * @brief Find a row.
     * @param name its name
     * @return the row; lives for ever
     * @throws FabricError for an unknown name, with all known ones
     */
    static const LinkProfile& Get(const std::string& name);

    /**
     * @param name a name
     * @return true when Get() knows it
     */
    static bool Has(const std::string& name);

    /**
     * @brief Add a row: a new generation, a vendor's link.
     * @param row the row; its name must be new, its numbers possible
     * @return the row; lives for ever
     * @throws FabricError saying what is wrong
     */
    static const LinkProfile& Add(const LinkProfile& row);

    /** @return all names, table order */
    static std::vector<std::string> GetNames();

    /**
     * @param family a family
     * @return its name for people: "NVLink"
     */
    static const char* FamilyName(Family family);

    /**
     * @brief Packets that a frame stands for.
     * @param op operation
     * @param payload data bytes (of a request: bytes asked for)
     * @return at least 1
     */
    uint32_t Packets(MemoryOp op, uint32_t payload) const;

    /**
     * @brief Bytes on the wire of a frame.
     * @param op operation
     * @param payload data bytes (of a request: bytes asked for)
     * @return bytes, headers and padding included
     */
    uint32_t WireBytes(MemoryOp op, uint32_t payload) const;

    /**
     * @brief Bytes on the wire of a frame's first packet.
     * @param op operation
     * @param payload data bytes of the frame
     * @return bytes
     */
    uint32_t FirstBytes(MemoryOp op, uint32_t payload) const;

    /**
     * @brief Bytes on the wire of a frame's last packet.
     * @param op operation
     * @param payload data bytes of the frame
     * @return bytes
     */
    uint32_t LastBytes(MemoryOp op, uint32_t payload) const;

    /**
     * @brief Share of the wire that is data, for long transfers.
     * @param op WRITE or READ_RESPONSE
     * @param bytes data bytes of a packet; 0 for maxPayload
     * @return in (0, 1]
     */
    double Efficiency(MemoryOp op, uint32_t bytes = 0) const;

    /**
     * @brief Data rate of long transfers: rate times efficiency.
     * @param links how many links in the bundle
     * @return bit/s of one direction
     */
    double DataBps(uint32_t links = 1) const;

  private:
    uint32_t PacketBytes(MemoryOp op, uint32_t payload) const;
};

} // namespace ns3

#endif /* LINK_PROFILE_H */
