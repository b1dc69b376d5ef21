/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_PACKET_H
#define FABRIC_PACKET_H

#include "fabric-time.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/** @brief Traffic classes of Ethernet (802.1p priorities) and of servers: 0..7. */
constexpr uint8_t FABRIC_CLASSES = 8;

/** @brief Lanes of a port: Ethernet uses the first 8 as classes, InfiniBand all as VLs. */
constexpr uint8_t FABRIC_LANES = 16;

/** @brief A bit for each lane of a port. */
typedef uint16_t FabricMask;

/** @brief Partition key of packets without a side slot: the default partition, full member. */
constexpr uint16_t FABRIC_DEFAULT_PKEY = 0xffff;

/** @brief Destination that every endpoint receives. */
constexpr uint32_t FABRIC_BROADCAST = 0xffffffff;

/** @brief What a packet record is, decided at birth; never guessed from its size. */
enum class FabricPacketKind : uint8_t
{
    TRANSPORT, //!< an RDMA packet: `opcode` holds its BTH opcode
    ETHERNET,  //!< somebody else's frame: side slot holds its ns3::Packet
    PAUSE,     //!< flow control between neighbours: of PFC the side slot holds the quanta, of
               //!< credits destQp and psn hold what is granted and what was sent
    MEMORY     //!< a load, store or copy inside a server: `opcode` holds its MemoryOp
};

/** @brief Bits of FabricPacket::flags. */
enum FabricPacketFlag : uint8_t
{
    FABRIC_ECT = 1,      //!< ECN-capable
    FABRIC_CE = 2,       //!< congestion experienced
    FABRIC_ACK_REQ = 4,  //!< BTH acknowledge request
    FABRIC_ECHO_CE = 8,  //!< on an ACK: the acknowledged packet carried CE
    FABRIC_SOLICITED = 16,
    FABRIC_RETRANSMIT = 32, //!< sent before; for counters only
    FABRIC_PROBE = 64,      //!< reserved for congestion controls that ask for it
    FABRIC_WATCHED = 128    //!< on its way; the station will drain at its arrival
};

/** @brief What a frame that changes lanes and passes cut through needs at a station. */
struct FabricPassage
{
    uint32_t tail : 28; //!< ps from its arrival to that of its last bit
    uint32_t lane : 4;  //!< lane that it will leave by; once queued, the lane that it came by
};

/**
 * @ingroup ai-fabric
 * @brief One packet in flight: a 64-byte record from a pool.
 *
 * A record is in exactly one list at a time and the call that moves it moves its ownership.
 * Addresses are endpoint numbers (one per NIC, dense from 0), not node ids.
 */
struct alignas(64) FabricPacket
{
    FabricPacket* next;    //!< link of the one list it is in
    FabricPs arrival;      //!< when its last bit reaches the station it was posted to
    FabricPs txStamp;      //!< set by the sender's transport; of MEMORY packets the address
    uint32_t src;          //!< endpoint that made it
    uint32_t dst;          //!< endpoint it goes to, or FABRIC_BROADCAST
    union
    {
        uint32_t flowHash; //!< hash of the five-tuple; equal for all packets of one QP direction
        uint32_t tailLag;  //!< MEMORY: ps from `arrival` to that of the frame's last bit
        FabricPassage passage; //!< on InfiniBand links
    };
    uint32_t destQp;       //!< destination QP number (24 bits)
    uint32_t psn;          //!< packet sequence number (24 bits); of MEMORY packets the tag
    uint32_t bytes;        //!< frame length as buffers count it (see FrameProfile)
    uint32_t side;         //!< side slot with rarely needed fields, 0 = none
    uint16_t payload;      //!< message bytes carried; of a read request, asked for
    uint16_t inPort;       //!< ingress port at the station it is at
    uint16_t outPort;      //!< egress port chosen there
    uint8_t vl;            //!< traffic class 0..7, or VL 0..15
    uint8_t opcode;        //!< BTH opcode (TRANSPORT) or MemoryOp (MEMORY)
    uint8_t flags;         //!< FabricPacketFlag bits
    uint8_t hops;          //!< links crossed so far
    uint8_t syndrome;      //!< AETH syndrome (ACK, NAK, RNR NAK); of MEMORY answers the status
    FabricPacketKind kind : 2; //!< what it is
    uint8_t dscp : 6;      //!< differentiated services code point, as the source host wrote it;
                           //!< on InfiniBand links the service level
};

static_assert(sizeof(FabricPacket) == 64, "a packet record is one cache line");

/**
 * @ingroup ai-fabric
 * @brief Fields that few packets need: RETH, AtomicETH, DETH, ImmDt, pause quanta, foreign frames.
 */
struct FabricPacketSide
{
    uint64_t remoteAddr{0};               //!< RETH / AtomicETH virtual address
    uint64_t operand{0};                  //!< AtomicETH swap or add, AtomicAckETH original value
    uint64_t compare{0};                  //!< AtomicETH compare data
    uint32_t rkey{0};                     //!< RETH / AtomicETH key
    uint32_t length{0};                   //!< RETH DMA length
    uint32_t srcQp{0};                    //!< DETH source QP
    uint32_t qkey{0};                     //!< DETH key
    uint32_t imm{0};                      //!< immediate data
    uint32_t msn{0};                      //!< AETH message sequence number, or free use
    uint16_t pKey{FABRIC_DEFAULT_PKEY};   //!< BTH partition key
    uint8_t enable{0};                    //!< PFC class-enable vector
    uint16_t quanta[FABRIC_CLASSES]{};    //!< PFC pause quanta (512 bit times each); 0 = resume
    Ptr<Packet> frame;                    //!< ETHERNET: the frame, headers included; of a
                                          //!< management packet its 256 bytes
    uint32_t nextFree{0};                 //!< pool's free list
};

/**
 * @ingroup ai-fabric
 * @brief All packet records of the process; grows in blocks, never shrinks, never moves a record.
 */
class FabricPacketPool
{
  public:
    /**
     * @return the process's pool
     */
    static FabricPacketPool& Get();

    /**
     * @brief Take a record.
     * @return a record with every field zero; the caller owns it
     */
    FabricPacket* Allocate()
    {
        if (m_free == nullptr)
        {
            Grow();
        }
        FabricPacket* p = m_free;
        m_free = p->next;
        ++m_inUse;
        *p = FabricPacket{};
        return p;
    }

    /**
     * @brief Give a record back, with its side slot if it has one.
     * @param p the record; the caller owns it no longer
     */
    void Free(FabricPacket* p)
    {
        if (p->side != 0)
        {
            FreeSide(p->side);
        }
        p->next = m_free;
        m_free = p;
        --m_inUse;
    }

    /**
     * @brief The side slot of a packet, made on first use.
     * @param p the packet
     * @return its slot; valid until the next call that makes a slot
     */
    FabricPacketSide& Side(FabricPacket* p);

    /**
     * @param p a packet that has a side slot
     * @return its slot
     */
    const FabricPacketSide& Side(const FabricPacket* p) const
    {
        return m_sides[p->side];
    }

    /**
     * @brief A copy with a side slot of its own (replication in a switch).
     * @param p the original, unchanged
     * @return the copy; the caller owns it
     */
    FabricPacket* Clone(const FabricPacket* p);

    /**
     * @return records handed out and not given back
     */
    uint64_t GetInUse() const
    {
        return m_inUse;
    }

    /**
     * @return records ever made
     */
    uint64_t GetCapacity() const
    {
        return m_blocks.size() * BLOCK;
    }

  private:
    static constexpr uint32_t BLOCK = 1024; //!< records per block

    void Grow();
    void FreeSide(uint32_t slot);

    FabricPacket* m_free{nullptr};                         //!< free records
    uint64_t m_inUse{0};                                   //!< records out
    std::vector<std::unique_ptr<FabricPacket[]>> m_blocks; //!< the memory
    std::vector<FabricPacketSide> m_sides{1};              //!< slot 0 is "none"
    uint32_t m_freeSide{0};                                //!< free side slots
};

/**
 * @ingroup ai-fabric
 * @brief First-in first-out list of packet records, linked through FabricPacket::next.
 */
class FabricPacketFifo
{
  public:
    /** @return true when nothing is in it */
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /** @return the oldest record, or null */
    FabricPacket* Front() const
    {
        return m_head;
    }

    /**
     * @brief Append.
     * @param p the record; the list owns it now
     */
    void Push(FabricPacket* p)
    {
        p->next = nullptr;
        if (m_head == nullptr)
        {
            m_head = p;
        }
        else
        {
            m_tail->next = p;
        }
        m_tail = p;
    }

    /**
     * @brief Remove the oldest; the list must not be empty.
     * @return the record; the caller owns it
     */
    FabricPacket* Pop()
    {
        FabricPacket* p = m_head;
        m_head = p->next;
        return p;
    }

    /**
     * @brief Give every record back to the pool.
     */
    void Clear()
    {
        while (!IsEmpty())
        {
            FabricPacketPool::Get().Free(Pop());
        }
    }

  private:
    FabricPacket* m_head{nullptr}; //!< oldest
    FabricPacket* m_tail{nullptr}; //!< newest; stale when empty
};

} // namespace ns3

#endif /* FABRIC_PACKET_H */
