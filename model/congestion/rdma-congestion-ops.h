/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/fabric-time.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

struct RdmaPathTelemetry;

/** @brief What a congestion control asks of the transport and the network: bits of Needs(). */
enum RdmaCongestionNeed : uint32_t
{
    RDMA_NEEDS_ECT = 1,       //!< data packets are ECN-capable
    RDMA_NEEDS_CNP = 2,       //!< the receiver answers marked packets with CNPs
    RDMA_NEEDS_ECN_ECHO = 4,  //!< every ACK says whether the packet it answers was marked
    RDMA_NEEDS_RTT = 8,       //!< every ACK carries the send time of the packet it answers
    RDMA_NEEDS_INT = 16,      //!< every ACK carries what the switches wrote on the way
    RDMA_NEEDS_EVERY_ACK = 32 //!< one ACK per data packet: no coalescing
};

/**
 * @ingroup ai-fabric
 * @brief What a congestion control and its queue pair share; everything else is private to either.
 *
 * The transport fills the lower three, the congestion control writes the upper two.
 */
struct RdmaRateState
{
    double rateBps{0};       //!< sending rate, frame bits per second (frames as buffers count them)
    uint64_t windowBytes{0}; //!< most unacknowledged payload bytes; 0 = no window
    double lineRateBps{0};   //!< rate of the port, bits per second, > 0
    FabricPs baseRtt{0};     //!< round trip of an idle path, picoseconds; 0 = not known
    uint32_t mtuBytes{0};    //!< payload bytes of a full packet
};

/** @brief What one ACK (or NAK) told the sender. */
struct RdmaFeedback
{
    FabricPs now{0};                             //!< when it was received
    uint64_t ackedBytes{0};                      //!< payload bytes acknowledged for the first time
    uint64_t inFlightBytes{0};                   //!< payload bytes still unacknowledged after it
    FabricPs rtt{0};                             //!< measured round trip, picoseconds; 0 = none
    bool ecnEcho{false};                         //!< the packet it answers carried CE
    const RdmaPathTelemetry* telemetry{nullptr}; //!< what switches wrote; null = nothing
};

/** @brief Whether a congestion control acted, so that a summary can say so. */
struct RdmaCongestionCounters
{
    uint64_t cnps{0};       //!< CNPs received
    uint64_t echoes{0};     //!< ACKs with a congestion mark received
    uint64_t losses{0};     //!< losses reported
    uint64_t rateCuts{0};   //!< times the rate went down
    uint64_t increases{0};  //!< times the rate went up
    uint64_t alphaTicks{0}; //!< updates of the congestion estimate (algorithms that have one)
};

/**
 * @ingroup ai-fabric
 * @brief The seam for congestion control: reacts to feedback, writes rate and window of one QP.
 *
 * Chosen by TypeId; one configured object is the prototype, Fork() makes the private one of each
 * queue pair. An algorithm schedules no events: it is told the time with every call, calls come in
 * time order, and each entry first catches up with every timer that expired at or before that
 * time. A timer and an input at the same picosecond therefore act in this order: timer, input.
 *
 * To write an algorithm, derive, implement DoInit, DoNeeds, DoFork and whichever of the other hooks
 * matter; change the rate by SetRate() only, which clamps, counts and traces.
 */
class RdmaCongestionOps : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaCongestionOps();
    ~RdmaCongestionOps() override;

    /**
     * @brief Start: the rate becomes the line rate, the window none, then the algorithm's own.
     * @param state the shared state; lineRateBps must be set
     * @param now picoseconds
     */
    void Init(RdmaRateState& state, FabricPs now);

    /**
     * @brief Apply every timer expiry up to and including a time.
     *
     * Cheap when none is due; bounded work after any idle time.
     * @param state the shared state
     * @param now picoseconds, never before an earlier call's
     */
    void Advance(RdmaRateState& state, FabricPs now)
    {
        if (now >= m_due)
        {
            m_due = DoAdvance(state, now);
        }
    }

    /**
     * @brief A data packet was handed to the port.
     * @param state the shared state
     * @param frameBytes its length as buffers count it, bytes
     * @param now picoseconds
     */
    void OnSent(RdmaRateState& state, uint32_t frameBytes, FabricPs now)
    {
        Advance(state, now);
        DoOnSent(state, frameBytes, now);
    }

    /**
     * @brief An ACK or NAK came back.
     * @param state the shared state
     * @param feedback what it said
     */
    void OnFeedback(RdmaRateState& state, const RdmaFeedback& feedback);

    /**
     * @brief A congestion notification packet came.
     * @param state the shared state
     * @param now picoseconds
     */
    void OnCnp(RdmaRateState& state, FabricPs now);

    /**
     * @brief The transport found a loss (NAK or retry timeout).
     * @param state the shared state
     * @param now picoseconds
     */
    void OnLoss(RdmaRateState& state, FabricPs now);

    /**
     * @brief When the rate may next change without any input.
     *
     * A pacer that waits longer than this for its next packet calls Advance() then and looks again.
     * @return picoseconds, or FABRIC_NEVER if it cannot
     */
    FabricPs NextDeadline() const
    {
        return m_due;
    }

    /**
     * @return RdmaCongestionNeed bits
     */
    uint32_t Needs() const
    {
        return DoNeeds();
    }

    /**
     * @brief What the receiver should leave between two CNPs of one queue pair, unless the user
     * says otherwise.
     * @return picoseconds; 0 = one CNP per marked packet
     */
    FabricPs RecommendedCnpInterval() const
    {
        return DoCnpInterval();
    }

    /**
     * @brief A fresh object of the same type and attributes, for another queue pair.
     * @return the new object, not yet initialised, counters at 0
     */
    Ptr<RdmaCongestionOps> Fork() const;

    /**
     * @return what has happened since Init()
     */
    const RdmaCongestionCounters& GetCounters() const
    {
        return m_counters;
    }

    /**
     * @brief Signature of the Rate trace source.
     * @param at when the rate changed, picoseconds (may lie before the current simulation time:
     *        timers are caught up when somebody looks)
     * @param rateBps the new rate, bits per second
     */
    typedef void (*RateTracedCallback)(FabricPs at, double rateBps);

  protected:
    /**
     * @brief Copy attributes and trace connections; counters and timers start anew.
     * @param other the prototype
     */
    RdmaCongestionOps(const RdmaCongestionOps& other);

    /**
     * @brief The only way to change the rate: clamps to the line rate, counts and traces.
     * @param state the shared state
     * @param at when, picoseconds
     * @param rateBps new rate, bits per second, > 0
     */
    void SetRate(RdmaRateState& state, FabricPs at, double rateBps);

    /**
     * @brief Ask for DoAdvance() at a time; replaces the earlier request.
     * @param due picoseconds, or FABRIC_NEVER
     */
    void SetDeadline(FabricPs due)
    {
        m_due = due;
    }

    /**
     * @brief Reset private state; set another first rate or a window here.
     * @param state the shared state, already at line rate
     * @param now picoseconds
     */
    virtual void DoInit(RdmaRateState& state, FabricPs now) = 0;

    /**
     * @brief Apply expiries up to `now`; called only when the deadline has come.
     * @param state the shared state
     * @param now picoseconds
     * @return the next deadline, later than now, or FABRIC_NEVER
     */
    virtual FabricPs DoAdvance(RdmaRateState& state, FabricPs now);

    /**
     * @brief Per data packet; keep it short.
     * @param state the shared state
     * @param frameBytes bytes as buffers count them
     * @param now picoseconds
     */
    virtual void DoOnSent(RdmaRateState& state, uint32_t frameBytes, FabricPs now);

    /**
     * @brief Per ACK.
     * @param state the shared state
     * @param feedback what it said
     */
    virtual void DoOnFeedback(RdmaRateState& state, const RdmaFeedback& feedback);

    /**
     * @brief Per CNP.
     * @param state the shared state
     * @param now picoseconds
     */
    virtual void DoOnCnp(RdmaRateState& state, FabricPs now);

    /**
     * @brief Per loss; by default nothing: loss recovery alone answers it.
     * @param state the shared state
     * @param now picoseconds
     */
    virtual void DoOnLoss(RdmaRateState& state, FabricPs now);

    /**
     * @return RdmaCongestionNeed bits
     */
    virtual uint32_t DoNeeds() const = 0;

    /**
     * @return picoseconds between CNPs, by default 0
     */
    virtual FabricPs DoCnpInterval() const;

    /**
     * @return a copy made with CopyObject
     */
    virtual Ptr<RdmaCongestionOps> DoFork() const = 0;

    RdmaCongestionCounters m_counters; //!< what happened since Init()

  private:
    FabricPs m_due{FABRIC_NEVER};                 //!< next timer expiry that changes the rate
    TracedCallback<FabricPs, double> m_rateTrace; //!< every change of the rate
};

} // namespace ns3

#endif /* RDMA_CONGESTION_OPS_H */
