/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "verbs-work.h"

namespace ns3
{

const char*
VerbsStatusName(VerbsWcStatus status)
{
    switch (status)
    {
    case VerbsWcStatus::SUCCESS:
        return "SUCCESS";
    case VerbsWcStatus::LOC_LEN_ERR:
        return "LOC_LEN_ERR";
    case VerbsWcStatus::LOC_QP_OP_ERR:
        return "LOC_QP_OP_ERR";
    case VerbsWcStatus::LOC_PROT_ERR:
        return "LOC_PROT_ERR";
    case VerbsWcStatus::WR_FLUSH_ERR:
        return "WR_FLUSH_ERR";
    case VerbsWcStatus::BAD_RESP_ERR:
        return "BAD_RESP_ERR";
    case VerbsWcStatus::LOC_ACCESS_ERR:
        return "LOC_ACCESS_ERR";
    case VerbsWcStatus::REM_INV_REQ_ERR:
        return "REM_INV_REQ_ERR";
    case VerbsWcStatus::REM_ACCESS_ERR:
        return "REM_ACCESS_ERR";
    case VerbsWcStatus::REM_OP_ERR:
        return "REM_OP_ERR";
    case VerbsWcStatus::RETRY_EXC_ERR:
        return "RETRY_EXC_ERR";
    case VerbsWcStatus::RNR_RETRY_EXC_ERR:
        return "RNR_RETRY_EXC_ERR";
    case VerbsWcStatus::GENERAL_ERR:
        return "GENERAL_ERR";
    }
    return "?";
}

const char*
VerbsStateName(VerbsQpState state)
{
    static const char* const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    return names[static_cast<uint8_t>(state)];
}

FabricPs
VerbsRnrTimer(uint8_t code)
{
    // InfiniBand specification, RNR NAK timer field, in units of 10 us
    static const uint32_t table[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                       16,    24,   32,   48,    64,    96,    128,   192,
                                       256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                       4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return static_cast<FabricPs>(table[code & 31]) * 10'000'000;
}

bool
VerbsTransitionAllowed(VerbsQpType type, VerbsQpState from, VerbsQpState to)
{
    using S = VerbsQpState;
    if (to == S::RESET || to == S::ERR)
    {
        return true;
    }
    switch (to)
    {
    case S::INIT:
        return from == S::RESET || from == S::INIT;
    case S::RTR:
        return from == S::INIT;
    case S::RTS:
        return from == S::RTR || from == S::RTS || from == S::SQD ||
               (from == S::SQE && type != VerbsQpType::RC);
    case S::SQD:
        return from == S::RTS || from == S::SQD;
    default:
        return false; // SQE is entered by an error only
    }
}

} // namespace ns3
