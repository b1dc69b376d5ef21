/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_WORK_H
#define VERBS_WORK_H

#include "ns3/fabric-time.h"

#include <cstdint>

namespace ns3
{

/** @brief Transport service of a queue pair. */
enum class VerbsQpType : uint8_t
{
    RC, //!< reliable connection
    UC, //!< unreliable connection
    UD  //!< unreliable datagram
};

/** @brief State of a queue pair. */
enum class VerbsQpState : uint8_t
{
    RESET,
    INIT,
    RTR, //!< ready to receive
    RTS, //!< ready to send
    SQD, //!< send queue drained or draining
    SQE, //!< send queue error (UC, UD)
    ERR
};

/** @brief What a send work request asks for; numbers as in the verbs API. */
enum class VerbsOpcode : uint8_t
{
    RDMA_WRITE = 0,
    RDMA_WRITE_WITH_IMM = 1,
    SEND = 2,
    SEND_WITH_IMM = 3,
    RDMA_READ = 4,
    ATOMIC_CMP_AND_SWP = 5,
    ATOMIC_FETCH_AND_ADD = 6
};

/** @brief Bits of WorkRequest::flags. */
enum VerbsSendFlag : uint8_t
{
    VERBS_SEND_FENCE = 1,     //!< wait for earlier READs and atomics
    VERBS_SEND_SIGNALED = 2,  //!< make a completion on success
    VERBS_SEND_SOLICITED = 4, //!< set the solicited-event bit of the last packet
    VERBS_SEND_INLINE = 8     //!< data comes with the doorbell: no DMA read latency
};

/** @brief Bits of a memory region's access. */
enum VerbsAccess : uint8_t
{
    VERBS_ACCESS_LOCAL_WRITE = 1,
    VERBS_ACCESS_REMOTE_WRITE = 2,
    VERBS_ACCESS_REMOTE_READ = 4,
    VERBS_ACCESS_REMOTE_ATOMIC = 8
};

/** @brief Status of a completion; numbers as in the verbs API. */
enum class VerbsWcStatus : uint8_t
{
    SUCCESS = 0,
    LOC_LEN_ERR = 1,
    LOC_QP_OP_ERR = 2,
    LOC_PROT_ERR = 4,
    WR_FLUSH_ERR = 5,
    BAD_RESP_ERR = 7,
    LOC_ACCESS_ERR = 8,
    REM_INV_REQ_ERR = 9,
    REM_ACCESS_ERR = 10,
    REM_OP_ERR = 11,
    RETRY_EXC_ERR = 12,
    RNR_RETRY_EXC_ERR = 13,
    GENERAL_ERR = 21
};

/** @brief What a completion completes; numbers as in the verbs API. */
enum class VerbsWcOpcode : uint8_t
{
    SEND = 0,
    RDMA_WRITE = 1,
    RDMA_READ = 2,
    COMP_SWAP = 3,
    FETCH_ADD = 4,
    RECV = 128,
    RECV_RDMA_WITH_IMM = 129
};

/** @brief What a verbs call answers; nothing was done unless it is OK. */
enum class VerbsResult : uint8_t
{
    OK,
    INVALID_STATE,    //!< not in this state, or no such transition
    INVALID_OPCODE,   //!< not on this type of queue pair
    INVALID_ARGUMENT, //!< a value out of range
    QUEUE_FULL,       //!< as many work requests outstanding as asked for at creation
    TOO_LONG          //!< longer than 2 GiB, 2^23 packets, or one MTU (UD)
};

/** @brief Largest message of one work request: 2 GiB. */
constexpr uint64_t VERBS_MAX_MESSAGE = 1ULL << 31;

/** @brief A send work request: one scatter-gather element. */
struct WorkRequest
{
    uint64_t wrId{0};                            //!< returned in the completion
    VerbsOpcode opcode{VerbsOpcode::RDMA_WRITE}; //!< what to do
    uint8_t flags{VERBS_SEND_SIGNALED};          //!< VerbsSendFlag bits
    uint64_t length{0};                          //!< bytes; atomics always move 8
    uint64_t localAddr{0};                       //!< local buffer
    uint32_t lkey{0};                            //!< its key; 0 = reserved key, not checked
    uint32_t rkey{0};                            //!< remote key (WRITE, READ, atomics)
    uint64_t remoteAddr{0};                      //!< remote buffer
    uint32_t immData{0};                         //!< immediate data (..._WITH_IMM)
    uint64_t compareAdd{0};                      //!< CAS: compare; FETCH_ADD: addend
    uint64_t swap{0};                            //!< CAS: swap value
    uint32_t remoteEndpoint{0};                  //!< UD: address handle
    uint32_t remoteQpn{0};                       //!< UD: destination queue pair
    uint32_t remoteQkey{0};                      //!< UD: its key
};

/** @brief A receive work request: one scatter-gather element. */
struct ReceiveRequest
{
    uint64_t wrId{0};      //!< returned in the completion
    uint64_t localAddr{0}; //!< buffer
    uint32_t lkey{0};      //!< its key; 0 = reserved key, not checked
    uint64_t length{0};    //!< room, bytes
};

/** @brief One entry of a completion queue. */
struct WorkCompletion
{
    uint64_t wrId{0};                             //!< of the work request
    VerbsWcStatus status{VerbsWcStatus::SUCCESS}; //!< outcome; only wrId and qpNum hold on errors
    VerbsWcOpcode opcode{VerbsWcOpcode::SEND};    //!< what it was
    bool withImm{false};                          //!< immData is valid
    uint32_t immData{0};                          //!< immediate data received
    uint64_t byteLen{0};                          //!< bytes received, read or swapped
    uint64_t atomicValue{0};                      //!< atomics: value before the operation
    uint32_t qpNum{0};                            //!< local queue pair
    uint32_t srcQp{0};                            //!< UD: sender's queue pair
    uint32_t srcEndpoint{0};                      //!< sender's endpoint (receive side)
    FabricPs at{0};                               //!< when, picoseconds
};

/**
 * @brief Name of a completion status as the verbs API spells it.
 * @param status status
 * @return name, e.g. "RETRY_EXC_ERR"
 */
const char* VerbsStatusName(VerbsWcStatus status);

/**
 * @brief Name of a queue pair state.
 * @param state state
 * @return name, e.g. "RTS"
 */
const char* VerbsStateName(VerbsQpState state);

/**
 * @brief Receiver-not-ready timer of the InfiniBand code table.
 * @param code 0..31; 0 is the longest: 655.36 ms, 1 is 0.01 ms
 * @return picoseconds
 */
FabricPs VerbsRnrTimer(uint8_t code);

/**
 * @brief Is this step of the state machine legal?
 * @param type queue pair type
 * @param from present state
 * @param to asked for
 * @return true when it is
 */
bool VerbsTransitionAllowed(VerbsQpType type, VerbsQpState from, VerbsQpState to);

} // namespace ns3

#endif /* VERBS_WORK_H */
