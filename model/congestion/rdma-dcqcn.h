/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-ops.h"
#include "rdma-dcqcn-profile.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief DCQCN's reaction point: a rate cut by marks, raised by a timer and a byte counter.
 *
 * Two machines, chosen by the attribute CutPeriod:
 * - 0, the paper: a CNP cuts at once, R_T = R_C, R_C = R_C (1 - alpha/2), then
 *   alpha = (1-g) alpha + g; AlphaPeriod without a CNP, counted from the last one, gives
 *   alpha = (1-g) alpha.
 * - above 0, adapters and the HPCC line: from the first CNP on, two free-running ticks; each
 *   AlphaPeriod alpha = (1-g) alpha + (g if a CNP came since the last tick), each CutPeriod a cut
 *   if a CNP came since the last one. The first CNP itself does not raise alpha.
 *
 * A cut restarts timer, byte counter and both event counts (t, b). An increase event raises t or
 * b first; then, with F = Threshold: max(t, b) < F fast recovery, min(t, b) > F hyper increase
 * (R_T += R_HAI), else additive (R_T += R_AI); then always R_C = (R_T + R_C)/2. With
 * TimerOnlyPhases: t <= F fast recovery, t = F + 1 additive, later hyper.
 *
 * alpha stays at AlphaStart until the first CNP. At one picosecond the order is: alpha tick,
 * increase timer, cut tick, then the input. Attributes are read when a queue pair starts.
 *
 * Setting Profile sets all other attributes; any set afterwards is an override, whatever the order
 * in a Config::SetDefault or ObjectFactory. Negative times, fractions and integers, and a rate of
 * 0bps, mean "as the profile says"; reading an attribute gives the value in effect.
 */
class RdmaDcqcn : public RdmaCongestionOps
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaDcqcn();
    ~RdmaDcqcn() override;

    /**
     * @brief Copy attributes; rate machine as new.
     * @param other the prototype
     */
    RdmaDcqcn(const RdmaDcqcn& other);

    /**
     * @brief Take over all parameters of a named profile.
     * @param name "paper2015", "hpcc-fork" or "connectx"
     * @throw FabricError for another name
     */
    void SetProfile(std::string name);

    /**
     * @return the name given last; single parameters may differ by now
     */
    std::string GetProfile() const;

    /**
     * @return parameters in effect, overrides included
     */
    const RdmaDcqcnProfile& GetParameters() const
    {
        return m_param;
    }

    /**
     * @brief The congestion estimate.
     * @param now picoseconds, not before the last call of any other method
     * @return alpha, 0 to 1
     */
    double GetAlpha(FabricPs now) const;

    /**
     * @return R_T, bits per second
     */
    double GetTargetRate() const
    {
        return m_target;
    }

  protected:
    void DoInit(RdmaRateState& state, FabricPs now) override;
    FabricPs DoAdvance(RdmaRateState& state, FabricPs now) override;
    void DoOnSent(RdmaRateState& state, uint32_t frameBytes, FabricPs now) override;
    void DoOnFeedback(RdmaRateState& state, const RdmaFeedback& feedback) override;
    void DoOnCnp(RdmaRateState& state, FabricPs now) override;
    uint32_t DoNeeds() const override;
    FabricPs DoCnpInterval() const override;
    Ptr<RdmaCongestionOps> DoFork() const override;

  private:
    /**
     * @brief Parts of GetTypeId(): attributes of the congestion estimate.
     * @param tid what there is so far
     * @return with more attributes
     */
    static TypeId AlphaAttributes(TypeId tid);
    /** @copydoc AlphaAttributes */
    static TypeId CutAttributes(TypeId tid);
    /** @copydoc AlphaAttributes */
    static TypeId IncreaseAttributes(TypeId tid);
    /** @copydoc AlphaAttributes */
    static TypeId NoticeAttributes(TypeId tid);

    /**
     * @brief Attribute setters: check, then override or fall back to the profile.
     * @tparam F the field
     * @param value new value, negative (rates: 0) = profile
     */
    template <Time RdmaDcqcnProfile::*F>
    void SetTime(Time value);
    /** @copydoc SetTime */
    template <DataRate RdmaDcqcnProfile::*F>
    void SetDataRate(DataRate value);
    /** @copydoc SetTime */
    template <double RdmaDcqcnProfile::*F>
    void SetFraction(double value);
    /** @copydoc SetTime */
    template <int64_t RdmaDcqcnProfile::*F>
    void SetInteger(int64_t value);
    /** @copydoc SetTime */
    template <int64_t RdmaDcqcnProfile::*F>
    void SetFlag(int64_t value);

    /**
     * @brief Attribute getter.
     * @tparam T type of the field
     * @tparam F the field
     * @return the value in effect
     */
    template <typename T, T RdmaDcqcnProfile::*F>
    T GetField() const
    {
        return m_param.*F;
    }

    /**
     * @brief A mark was reported, by CNP or by ACK.
     * @param state the shared state
     * @param now picoseconds
     */
    void Notify(RdmaRateState& state, FabricPs now);

    /**
     * @brief Cut the rate and restart the recovery.
     * @param state the shared state
     * @param at picoseconds
     */
    void Cut(RdmaRateState& state, FabricPs at);

    /**
     * @brief Bring alpha up to a time.
     * @param at picoseconds
     */
    void AdvanceAlpha(FabricPs at);

    /**
     * @brief Apply increase timer expiries up to a time.
     * @param state the shared state
     * @param until picoseconds
     */
    void AdvanceTimer(RdmaRateState& state, FabricPs until);

    /**
     * @brief Take many timer steps of one size in closed form.
     * @param state the shared state
     * @param until picoseconds
     */
    void Leap(RdmaRateState& state, FabricPs until);

    /**
     * @brief One increase event, its counter already raised.
     * @param state the shared state
     * @param at picoseconds
     */
    void Increase(RdmaRateState& state, FabricPs at);

    /** @return what the next event adds to the target rate, bits per second */
    double Step() const;

    /**
     * @brief alpha after free decay.
     * @param alpha before
     * @param ticks number of ticks without CNP
     * @return after
     */
    double Decay(double alpha, uint64_t ticks) const;

    /** @return the earlier of cut tick and increase timer, picoseconds */
    FabricPs Due() const
    {
        return m_cutDue < m_timeDue ? m_cutDue : m_timeDue;
    }

    RdmaDcqcnProfile m_param; //!< parameters in effect

    FabricPs m_alphaPeriod{0}; //!< from m_param, picoseconds
    FabricPs m_cutPeriod{0};   //!< from m_param, picoseconds
    FabricPs m_timeReset{0};   //!< from m_param, picoseconds
    uint64_t m_byteReset{0};   //!< from m_param, bytes
    uint64_t m_threshold{0};   //!< from m_param

    double m_target{0};               //!< R_T, bits per second
    double m_alpha{0};                //!< as of m_alphaAt
    FabricPs m_alphaAt{0};            //!< last alpha tick applied (paper: or last CNP)
    FabricPs m_cutAnchor{0};          //!< first CNP: cut ticks are whole periods after it
    FabricPs m_cutDue{FABRIC_NEVER};  //!< next cut tick if a CNP waits for it
    FabricPs m_timeDue{FABRIC_NEVER}; //!< next expiry of the increase timer
    uint64_t m_timeStage{0};          //!< t: timer expiries since the last cut
    uint64_t m_byteStage{0};          //!< b: byte counter expiries since the last cut
    uint64_t m_bytes{0};              //!< bytes sent since the byte counter restarted
    bool m_started{false};            //!< the first CNP has come
    bool m_alphaMarked{false};        //!< a CNP waits for the next alpha tick
};

} // namespace ns3

#endif /* RDMA_DCQCN_H */
