/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_PAIR_H
#define SERVER_PAIR_H

#include "ns3/rdma-helper.h"
#include "ns3/server-nic-helper.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief Two chassis of a CPU, a PCIe switch with two GPUs and some NICs, on one network switch.
 *
 * Parts: cpu0, gpu0, gpu1, mlx5_0 .. in the first chassis, cpu1, gpu2, gpu3 .. in the second.
 */
class ServerPair
{
  public:
    /** @brief What to build. */
    struct Options
    {
        bool real{true};                  //!< real ports
        bool attach{true};                //!< tie the NICs to the servers at all
        uint32_t nics{1};                 //!< of each chassis, all below one PCIe switch
        uint32_t frameBytes{4096};        //!< of what the NICs ask for and write
        std::string slot{"pcie4-x16"};    //!< of each NIC
        std::string farSlot;              //!< of those of the second chassis; empty: the same
        std::string up{"pcie4-x16"};      //!< of the PCIe switch
        uint64_t netBps{200'000'000'000}; //!< of each NIC
    };

    /** @brief Two queue pairs and their memory. */
    struct Flow
    {
        RdmaHelper::Connection pair;      //!< connected
        Ptr<VerbsMemoryRegion> region[2]; //!< sender's, receiver's
        Ptr<VerbsCompletionQueue> cq[2];  //!< of send requests
    };

    /** @param options what to build */
    explicit ServerPair(const Options& options);

    /**
     * @brief Connect the n-th NICs of both chassis; a new flow.
     * @param from part of the first chassis that has the data; empty: memory 0
     * @param to part of the second; empty: memory 0
     * @param nic n
     */
    void Connect(const std::string& from, const std::string& to, uint32_t nic = 0);

    /**
     * @brief Send one message.
     * @param flow index
     * @param bytes its size
     * @param opcode WRITE or READ
     */
    void Post(size_t flow, uint64_t bytes, VerbsOpcode opcode = VerbsOpcode::RDMA_WRITE);

    /** @return empty when nothing is under way and the credits add up */
    std::string Explain() const;

    FabricHelper fabric;                   //!< network
    GpuServerHelper server;                //!< both chassis
    std::unique_ptr<ServerNicHelper> nics; //!< what ties them
    std::unique_ptr<RdmaHelper> rdma;      //!< queue pairs
    std::vector<Flow> flows;               //!< in order
};

} // namespace ns3

#endif /* SERVER_PAIR_H */
