/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_LINE_H
#define RDMA_LINE_H

#include "ns3/bth-opcode.h"
#include "ns3/fabric-port.h"
#include "ns3/rdma-nic.h"
#include "ns3/test.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief Two ports, what comes in at one leaves by the other; a script may drop or mark.
 */
class RelayStation : public FabricStation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RelayStation();

    /** @brief Called for every packet in order of arrival; true drops it. It may mark it. */
    std::function<bool(FabricPacket&)> script;

  private:
    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoUnpost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
};

/**
 * @ingroup ai-fabric-tests
 * @brief Two NICs on one link, or with a relay between them, and everything to use them with.
 */
class RdmaLine
{
  public:
    /** @brief What to build. */
    struct Options
    {
        uint64_t rateBps{100'000'000'000}; //!< of each link
        FabricPs delay{1'000'000};         //!< of each link
        const char* profile{"rocev2"};     //!< frame sizes
        uint32_t mtu{1024};                //!< payload of a full packet
        bool relay{false};                 //!< two links with a relay between
        Ptr<RdmaCongestionOps> congestion; //!< null: line rate
        double errorRate{0};               //!< loss probability of each frame
    };

    /**
     * @param options what to build
     */
    explicit RdmaLine(const Options& options);

    /** @brief Ends the simulation: Simulator::Destroy(). */
    ~RdmaLine();

    /** @brief Must run once before anything else. */
    static void UsePicoseconds();

    /**
     * @brief Connect a new pair of queue pairs.
     * @param type service; UD ones are only brought up
     * @param attributes of both
     * @param change called on both init structures before use (side 0 is a, 1 is b)
     * @return {at a, at b}
     */
    std::pair<Ptr<VerbsQueuePair>, Ptr<VerbsQueuePair>> Pair(
        VerbsQpType type = VerbsQpType::RC,
        const VerbsQpAttributes& attributes = VerbsQpAttributes(),
        const std::function<void(VerbsQpInit&, int)>& change = nullptr);

    /**
     * @brief A WRITE to b's memory.
     * @param wrId number
     * @param bytes length
     * @return the request
     */
    WorkRequest Write(uint64_t wrId, uint64_t bytes) const;

    /**
     * @brief A request of any kind that names b's memory.
     * @param wrId number
     * @param opcode kind
     * @param bytes length
     * @return the request
     */
    WorkRequest Request(uint64_t wrId, VerbsOpcode opcode, uint64_t bytes) const;

    /** @return all completions at a, then all at b, as one line of text */
    std::string Describe() const;

    Ptr<RdmaNic> a;                    //!< endpoint 0
    Ptr<RdmaNic> b;                    //!< endpoint 1
    Ptr<RelayStation> relay;           //!< null without
    Ptr<VerbsCompletionQueue> cqA;     //!< of a's queue pairs, emptied into doneA
    Ptr<VerbsCompletionQueue> cqB;     //!< of b's queue pairs, emptied into doneB
    std::vector<WorkCompletion> doneA; //!< completions at a
    std::vector<WorkCompletion> doneB; //!< completions at b
    std::vector<std::pair<FabricPs, FabricPacket>> sentA; //!< if recorded: what a sent
    std::vector<std::pair<FabricPs, FabricPacket>> sentB; //!< if recorded: what b sent
    uint64_t late{0}; //!< callbacks that did not run at their completion's time

    /** @brief Record what both NICs send. */
    void Record();

  private:
    static void Collect(RdmaLine* line,
                        std::vector<WorkCompletion>* into,
                        VerbsCompletionQueue& cq);
};

/**
 * @brief Run a scenario lazily and eagerly and compare trajectory and outcome bit by bit.
 * @param scenario builds, runs and describes; called twice
 * @return empty when equal, else what differs
 */
std::string LazyEqualsEager(const std::function<std::string()>& scenario);

} // namespace ns3

#endif /* RDMA_LINE_H */
