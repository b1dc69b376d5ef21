/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_OP_H
#define MEMORY_OP_H

#include <cstdint>

namespace ns3
{

/** @brief What a MEMORY packet does: the opcode of loads, stores and copies inside a server. */
enum class MemoryOp : uint8_t
{
    WRITE,           //!< posted data
    FLUSH,           //!< asks for an ACK once all earlier writes of its path are in memory
    REDUCE_WRITE,    //!< posted data that the owner adds to what is there
    READ_REQUEST,    //!< asks for data
    ATOMIC_REQUEST,  //!< asks for an atomic operation
    REDUCE_REQUEST,  //!< asks a switch for the sum over a multicast group
    READ_RESPONSE,   //!< the data asked for
    ATOMIC_RESPONSE, //!< the value before the operation
    ACK              //!< answers FLUSH; or refuses a request, with a status
};

/** @brief Number of MemoryOp values. */
constexpr uint8_t MEMORY_OPS = 9;

/** @brief Traffic classes of MEMORY packets; completions must never wait for requests. */
enum MemoryClass : uint8_t
{
    MEMORY_POSTED = 0,     //!< WRITE, FLUSH, REDUCE_WRITE
    MEMORY_NON_POSTED = 1, //!< READ_REQUEST, ATOMIC_REQUEST, REDUCE_REQUEST
    MEMORY_COMPLETION = 2  //!< READ_RESPONSE, ATOMIC_RESPONSE, ACK
};

/** @brief Number of MemoryClass values. */
constexpr uint8_t MEMORY_CLASSES = 3;

/** @brief Statuses in the syndrome of an ACK that a switch gives; values of MemoryStatus. */
enum MemoryRefusal : uint8_t
{
    MEMORY_UNREACHABLE = 4, //!< no way on from the switch
    MEMORY_LINK_DOWN = 5    //!< a link that was needed has failed
};

/**
 * @param op operation
 * @return class that it travels in
 */
inline MemoryClass
MemoryClassOf(MemoryOp op)
{
    return op >= MemoryOp::READ_RESPONSE  ? MEMORY_COMPLETION
           : op >= MemoryOp::READ_REQUEST ? MEMORY_NON_POSTED
                                          : MEMORY_POSTED;
}

/**
 * @param op operation
 * @return true when a packet of it carries its payload (a READ_REQUEST only names a length)
 */
inline bool
MemoryOpCarriesData(MemoryOp op)
{
    return op == MemoryOp::WRITE || op == MemoryOp::REDUCE_WRITE || op == MemoryOp::READ_RESPONSE ||
           op == MemoryOp::ATOMIC_REQUEST || op == MemoryOp::ATOMIC_RESPONSE;
}

} // namespace ns3

#endif /* MEMORY_OP_H */
