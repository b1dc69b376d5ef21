/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_FLOW_APPLICATION_H
#define RDMA_FLOW_APPLICATION_H

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/rdma-nic.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/** @brief One flow to run: an RDMA WRITE of any length. */
struct RdmaFlow
{
    Ptr<RdmaNic> src;            //!< sender
    Ptr<RdmaNic> dst;            //!< receiver
    uint64_t id{0};              //!< caller's number, for reports
    uint64_t bytes{0};           //!< payload; 0 is one empty packet; ignored when endless
    FabricPs start{0};           //!< ps; FABRIC_NEVER: held until Release()
    FabricPs stop{FABRIC_NEVER}; //!< the sender gives up here, ps
    bool endless{false};         //!< sends until `stop` or the end of the simulation
    uint64_t connection{0};      //!< flows of one number, not 0, and one src and dst share a QP
    uint8_t priority{255};       //!< traffic class; 255: the NIC's DataClass
    uint16_t srcPort{0};         //!< UDP source port; 0: derived from the QP numbers
    FabricPs baseRtt{0};         //!< idle round trip for congestion control, ps; 0: unknown
};

/** @brief What became of a flow. */
struct RdmaFlowResult
{
    /** @brief How far it came. */
    enum class Status : uint8_t
    {
        UNSTARTED,
        RUNNING,
        FINISHED, //!< every byte acknowledged
        STOPPED,  //!< given up at its `stop` time
        FAILED    //!< error completion
    };

    uint64_t id{0};                              //!< caller's number
    Status status{Status::UNSTARTED};            //!< how far it came
    VerbsWcStatus error{VerbsWcStatus::SUCCESS}; //!< FAILED: why
    FabricPs start{0};                           //!< when it began, ps
    FabricPs rxAt{-1};                           //!< last byte at the receiver, ps; -1: not yet
    FabricPs ackAt{-1};                          //!< its ACK at the sender, ps; -1: not yet
    uint64_t bytes{0};                           //!< asked for
    uint64_t delivered{0};                       //!< payload that reached the receiver in order
    uint64_t retransmits{0};                     //!< data packets sent again
    uint64_t timeouts{0};                        //!< retry timer expiries
};

/**
 * @ingroup ai-fabric
 * @brief Runs flows: each on a queue pair of its own, made at its start and gone after its end,
 * unless flows share a connection.
 *
 * A flow longer than ChunkBytes is several work requests, several of them posted at a time, so
 * that the wire never waits for one. Connection set-up is free and takes no time.
 */
class RdmaFlowApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFlowApplication();
    ~RdmaFlowApplication() override;

    /**
     * @brief Add a flow, before the start or while running.
     * @param flow the flow; a start in the past means now
     * @return its index, counting from 0
     * @throws FabricError for a flow that makes no sense
     */
    uint32_t AddFlow(const RdmaFlow& flow);

    /**
     * @brief Start a held flow, now or at its time if that is later.
     * @param index its index
     * @param at earliest start, ps
     */
    void Release(uint32_t index, FabricPs at);

    /** @return flows added */
    uint32_t GetNFlows() const
    {
        return static_cast<uint32_t>(m_flows.size());
    }

    /** @return flows that have finished, stopped or failed */
    uint32_t GetNDone() const
    {
        return m_done;
    }

    /**
     * @brief Result of a flow, finished or not, as of now.
     * @param index its index
     * @return the result
     */
    RdmaFlowResult GetResult(uint32_t index);

    /**
     * @brief Sender's queue pair of a flow that is running.
     * @param index its index
     * @return the queue pair, null when it is not running
     */
    Ptr<VerbsQueuePair> GetQueuePair(uint32_t index) const;

    /**
     * @brief A flow has ended. Arguments: its index, its result.
     */
    typedef void (*DoneTracedCallback)(uint32_t index, const RdmaFlowResult& result);

    /**
     * @brief The last byte of a flow has arrived. Arguments: its index, when (ps); may run later
     * than that time, and before Done.
     */
    typedef void (*ReceivedTracedCallback)(uint32_t index, FabricPs at);

  protected:
    void DoDispose() override;

  private:
    /** @brief A pair of connected queue pairs. */
    struct Connection
    {
        Ptr<VerbsQueuePair> tx;        //!< sender's
        Ptr<VerbsQueuePair> rx;        //!< receiver's
        uint32_t users{0};             //!< flows running on it
        std::deque<uint32_t> messages; //!< flow of each message on its way, oldest first
    };

    /** @brief A flow and its progress. */
    struct Running
    {
        RdmaFlow flow;                 //!< as added
        RdmaFlowResult result;         //!< so far
        Connection* on{nullptr};       //!< where it runs
        uint64_t posted{0};            //!< bytes posted
        uint32_t inFlight{0};          //!< work requests posted and not complete
        uint32_t unreceived{0};        //!< of those, not yet at the receiver
        bool allPosted{false};         //!< nothing is left to post
        uint64_t deliveredBefore{0};   //!< shared connection: counter at the start
        uint64_t retransmitsBefore{0}; //!< the same
        uint64_t timeoutsBefore{0};    //!< the same
        EventId stop;                  //!< at its stop time
    };

    void StartApplication() override;
    void StopApplication() override;

    void Plan();
    void StartDue();
    void Begin(uint32_t index);
    Connection* Open(const RdmaFlow& flow);
    void Close(Connection* connection);
    void PostMore(uint32_t index);
    void OnCompletions(VerbsCompletionQueue& cq);
    void OnDelivery(Connection* connection, FabricPs at);
    void Finish(uint32_t index, RdmaFlowResult::Status status, FabricPs at);
    void StopFlow(uint32_t index);
    void ReadCounters(Running& run);
    Ptr<VerbsCompletionQueue> GetCq(Ptr<RdmaNic> nic);

    uint64_t m_chunk;                                    //!< ChunkBytes
    uint32_t m_mtu;                                      //!< Mtu
    bool m_started{false};                               //!< between start and stop
    uint32_t m_done{0};                                  //!< flows ended
    std::deque<Running> m_flows;                         //!< all flows
    std::set<std::pair<FabricPs, uint32_t>> m_waiting;   //!< flows to start, by time and index
    EventId m_next;                                      //!< next start
    std::map<uint32_t, Ptr<VerbsCompletionQueue>> m_cqs; //!< by sender's station number
    std::map<std::pair<uint64_t, uint64_t>, Connection*> m_shared; //!< by number and end points
    std::set<Connection*> m_open;                                  //!< all connections
    TracedCallback<uint32_t, const RdmaFlowResult&> m_doneTrace;   //!< Done
    TracedCallback<uint32_t, FabricPs> m_receivedTrace;            //!< Received
};

} // namespace ns3

#endif /* RDMA_FLOW_APPLICATION_H */
