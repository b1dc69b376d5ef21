/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FLOW_OUTCOME_H
#define FLOW_OUTCOME_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What became of one flow; one row of flows.csv.
 */
struct FlowOutcome
{
    /** @brief How it ended. */
    enum class Status : uint8_t
    {
        FINISHED,   //!< every byte acknowledged
        STOPPED,    //!< stopped at its own end time, as asked for
        FAILED,     //!< given up: retry limit or another error completion
        UNFINISHED, //!< cut off by the end of the simulation
        UNSTARTED,  //!< its start never came
        ENDLESS     //!< was to send until the end of the simulation, and did
    };

    uint64_t index{0};      //!< place in the flow list
    uint64_t id{0};         //!< id in the input, else the index
    uint32_t src{0};        //!< node id of the sending host
    uint32_t dst{0};        //!< node id of the receiving host
    uint8_t priority{0};    //!< traffic class
    uint64_t bytes{0};      //!< bytes asked for
    int64_t startPs{0};     //!< start, ps
    int64_t rxPs{-1};       //!< last byte at the receiver, ps from the start; -1: did not happen
    int64_t ackPs{-1};      //!< its ACK at the sender, ps from the start; -1: did not happen
    int64_t idealRxPs{0};   //!< rxPs of the same flow alone
    int64_t idealAckPs{0};  //!< ackPs of the same flow alone
    uint64_t delivered{0};  //!< bytes that reached the receiver in order
    uint64_t retransmits{0}; //!< data packets sent again
    uint64_t timeouts{0};   //!< retry timer expiries
    Status status{Status::UNSTARTED}; //!< how it ended
    std::string reason;     //!< why it did not finish, or what it waits for

    /** @return ackPs over idealAckPs; 0 when not finished */
    double GetSlowdown() const
    {
        return status == Status::FINISHED && idealAckPs > 0
                   ? static_cast<double>(ackPs) / static_cast<double>(idealAckPs)
                   : 0;
    }

    /** @return the status as CSV files print it */
    const char* GetStatusName() const
    {
        switch (status)
        {
        case Status::FINISHED:
            return "finished";
        case Status::STOPPED:
            return "stopped";
        case Status::FAILED:
            return "failed";
        case Status::UNFINISHED:
            return "unfinished";
        case Status::ENDLESS:
            return "endless";
        default:
            return "unstarted";
        }
    }
};

} // namespace ns3

#endif /* FLOW_OUTCOME_H */
