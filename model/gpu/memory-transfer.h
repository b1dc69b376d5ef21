/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_TRANSFER_H
#define MEMORY_TRANSFER_H

#include "memory-completion.h"

#include "ns3/memory-op.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @brief What to do: a memory operation before it is posted. */
struct MemoryRequest
{
    static constexpr uint32_t BY_MAP = 0xffffffff; //!< owner: ask the memory map

    MemoryOp op{MemoryOp::WRITE}; //!< WRITE, REDUCE_WRITE, READ_REQUEST, REDUCE_REQUEST or
                                  //!< ATOMIC_REQUEST
    uint32_t owner{BY_MAP};       //!< endpoint or multicast group that has the address
    uint64_t address{0};          //!< at the owner, or in the map
    uint64_t bytes{0};            //!< length
    bool copyEngine{false};       //!< take a copy engine, and wait for one
    bool inMemory{true};          //!< the near end is memory too; false: registers of a kernel
    MemoryAtomic atomic{};        //!< which, for ATOMIC_REQUEST
    uint64_t operand{0};          //!< of the atomic
    uint64_t compare{0};          //!< of COMPARE_SWAP
};

/** @brief A memory operation under way: one slot. */
struct MemoryTransfer
{
    static constexpr uint32_t NONE = 0xffffffff; //!< no slot

    /** @brief Which list it is in. */
    enum class State : uint8_t
    {
        FREE,     //!< the slot is not in use
        QUEUED,   //!< waits for a copy engine
        TIMED,    //!< may go on at `due`
        ACTIVE,   //!< has frames to send
        SENT,     //!< waits for answers
        FINISHED  //!< over at `due`
    };

    MemoryRequest request;    //!< what was asked for
    State state{State::FREE}; //!< list that it is in
    MemoryStatus status{};    //!< first thing that went wrong
    uint16_t generation{0};   //!< how often the slot has been used
    uint16_t queue{0};        //!< send queue, while ACTIVE
    uint16_t engine{0};       //!< copy engine + 1; 0 for none
    bool watched{false};      //!< in the list of those that may time out
    uint32_t owner{0};        //!< of the piece at `address`
    uint32_t waiting{0};      //!< answers outstanding
    uint64_t address{0};      //!< of the next frame
    uint64_t piece{0};        //!< bytes from there that `owner` has
    uint64_t left{0};         //!< bytes not in a frame yet
    uint64_t delivered{0};    //!< bytes confirmed
    uint64_t paths{0};        //!< ports with data since the last FLUSH
    uint64_t used{0};         //!< ports ever used
    uint64_t value{0};        //!< of an atomic: what was there
    FabricPs posted{0};       //!< ps
    FabricPs due{0};          //!< TIMED, FINISHED: when; orders a list, so fixed while in it
    FabricPs ready{0};        //!< when the latest of what is done so far is in its place
    FabricPs progress{0};     //!< last frame sent or answer received
    FabricPs deadline{0};     //!< when to look for progress
    uint32_t next{NONE};      //!< list
    uint32_t previous{NONE};  //!< list
    uint32_t watchNext{NONE};     //!< those that may time out
    uint32_t watchPrevious{NONE}; //!< those that may time out
    MemoryCallback done;      //!< whom to tell

    /**
     * @param now ps
     * @return what to tell about it
     */
    MemoryCompletion Report(FabricPs now) const;
};

/**
 * @ingroup ai-fabric
 * @brief Slots of memory operations, and lists through them. No heap traffic once it has its size.
 */
class MemoryTransferTable
{
  public:
    /** @brief A list of slots. */
    struct List
    {
        uint32_t head{MemoryTransfer::NONE}; //!< first
        uint32_t tail{MemoryTransfer::NONE}; //!< last
    };

    static constexpr uint32_t MAX_SLOTS = 0x10000; //!< a tag has 16 bits of slot number

    /** @return number of a free slot, cleared, in no list; NONE when all are in use */
    uint32_t Allocate();

    /** @param slot slot that is in no list; its tag is never valid again */
    void Free(uint32_t slot);

    /**
     * @param slot number
     * @return the slot; moves when Allocate() is called
     */
    MemoryTransfer& At(uint32_t slot)
    {
        return m_slots[slot];
    }

    /** @return slots ever made */
    uint32_t GetCapacity() const
    {
        return static_cast<uint32_t>(m_slots.size());
    }

    /** @return slots in use */
    uint32_t GetInUse() const
    {
        return m_inUse;
    }

    /**
     * @param slot a slot in use
     * @return what its packets carry
     */
    uint32_t TagOf(uint32_t slot) const
    {
        return (static_cast<uint32_t>(m_slots[slot].generation) << 16) | slot;
    }

    /**
     * @param tag of a packet
     * @return slot in use that it belongs to, NONE when that operation is over
     */
    uint32_t Find(uint32_t tag) const;

    /**
     * @brief Append.
     * @param list the list
     * @param slot slot in no list
     */
    void PushBack(List& list, uint32_t slot);

    /**
     * @brief Insert in order of `due`, behind its equals.
     * @param list list in order of `due`
     * @param slot slot in no list
     */
    void InsertByDue(List& list, uint32_t slot);

    /**
     * @brief Take out.
     * @param list the list
     * @param slot slot in it
     */
    void Remove(List& list, uint32_t slot);

    /**
     * @brief Watch for progress, in order of `deadline`.
     * @param slot slot that is not watched
     */
    void Watch(uint32_t slot);

    /** @param slot slot that is watched no more */
    void Unwatch(uint32_t slot);

    /** @return watched slot of the earliest deadline, or NONE */
    uint32_t GetFirstWatched() const
    {
        return m_watched.head;
    }

  private:
    void InsertAfter(List& list, uint32_t where, uint32_t slot);

    std::vector<MemoryTransfer> m_slots;     //!< all
    List m_free;                             //!< free slots, oldest first, so tags live long
    List m_watched;                          //!< in order of deadline
    uint32_t m_inUse{0};                     //!< slots in use
};

} // namespace ns3

#endif /* MEMORY_TRANSFER_H */
