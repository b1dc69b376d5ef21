/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_COMPLETION_H
#define MEMORY_COMPLETION_H

#include "ns3/fabric-time.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/** @brief How a memory operation ended. */
enum class MemoryStatus : uint8_t
{
    OK,            //!< all of it is done
    NO_ACCESS,     //!< the owner does not let this peer do that ("peer access not enabled")
    OUT_OF_BOUNDS, //!< the owner has no such address
    NOT_MAPPED,    //!< the address map knows no owner
    UNREACHABLE,   //!< no route, or a station on the way that does not relay
    LINK_DOWN,     //!< a link that carried part of it failed
    TIMEOUT        //!< no answer within CompletionTimeout
};

/** @brief Number of MemoryStatus values. */
constexpr uint8_t MEMORY_STATUSES = 7;

/**
 * @param status a status
 * @return its name for people, lower case
 */
const char* MemoryStatusName(MemoryStatus status);

/** @brief Which atomic operation. */
enum class MemoryAtomic : uint8_t
{
    FETCH_ADD,    //!< add the operand
    COMPARE_SWAP  //!< store the operand if the word equals `compare`
};

/**
 * @ingroup ai-fabric
 * @brief What a memory operation reports when it is over. bytes = delivered + failed.
 */
struct MemoryCompletion
{
    MemoryStatus status{};  //!< first thing that went wrong, or OK
    uint64_t delivered{0};  //!< bytes known to be in memory, or read
    uint64_t failed{0};     //!< bytes refused, lost, never sent or never confirmed
    uint64_t value{0};      //!< of an atomic: the word before it
    FabricPs posted{0};     //!< when the operation was posted, ps
    FabricPs done{0};       //!< when it was over, ps
};

/** @brief Called when an operation is over; it may post others. */
using MemoryCallback = std::function<void(const MemoryCompletion&)>;

} // namespace ns3

#endif /* MEMORY_COMPLETION_H */
