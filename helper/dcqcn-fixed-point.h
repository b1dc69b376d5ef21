/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef DCQCN_FIXED_POINT_H
#define DCQCN_FIXED_POINT_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rdma-dcqcn-profile.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Where N equal DCQCN flows on one link settle: marking probability, queue, alpha.
 *
 * For the paper's rate machine (profile paper2015) behind a RED marker. Three forms:
 * - Published(): the fixed point of the fluid model of Zhu et al., CoNEXT 2016;
 * - SmallP(): its approximation for small marking probability, some 20 % above;
 * - Renewal(): what packets really meet. CNPs of a flow come in gaps of CnpInterval plus an
 *   exponential time of rate p R; the cut of each cycle balances what its timer events raised. The
 *   byte counter is taken to be out of reach within a cycle.
 */
class DcqcnFixedPoint
{
  public:
    /** @brief What the flows and the marker are set to. */
    struct Input
    {
        DataRate link{0};                      //!< bottleneck rate
        uint32_t flows{1};                     //!< N
        uint32_t packetBytes{1000};            //!< bytes of a packet
        Time cnpInterval{MicroSeconds(50)};    //!< tau: least time between CNPs of a flow
        Time alphaPeriod{MicroSeconds(55)};    //!< tau': alpha timer
        Time timeReset{MicroSeconds(55)};      //!< T: increase timer
        double byteReset{10e6};                //!< B: byte counter, bytes; 0 = none
        uint32_t threshold{5};                 //!< F
        DataRate additiveIncrease{40'000'000}; //!< R_AI
        double kMinBytes{5e3};                 //!< queue below which nothing is marked, bytes
        double kMaxBytes{200e3};               //!< queue above which all is marked, bytes
        double pMax{0.01};                     //!< marking probability at kMaxBytes

        /**
         * @brief Take the reaction point's part from a profile.
         * @param profile DCQCN parameters; the paper's machine, that is CutPeriod 0
         * @throw FabricError for a machine with a cut tick, which these formulas do not describe
         */
        void Use(const RdmaDcqcnProfile& profile);
    };

    /** @brief Whether the marker can deliver the probability. */
    enum class Verdict
    {
        STABLE_MARKING, //!< p <= 0.8 Pmax
        NEAR_CLIFF,     //!< 0.8 Pmax < p <= Pmax
        CLIFF           //!< p > Pmax: the queue sits at Kmax and flows may be unfair
    };

    /** @brief A fixed point. */
    struct Point
    {
        double p;          //!< marking probability per packet
        double alpha;      //!< congestion estimate
        double queueBytes; //!< Kmin + (Kmax - Kmin) p / Pmax; meaningless beyond the cliff
        Verdict verdict;   //!< whether the marker reaches p

        /**
         * @return one sentence for a user, with p, queue and, if so, the cliff
         */
        std::string Describe() const;
    };

    /**
     * @param input settings; all rates, times, sizes above 0 and kMin < kMax
     * @throw FabricError naming the setting that is out of range
     */
    explicit DcqcnFixedPoint(const Input& input);

    /** @return fixed point of the published fluid model */
    Point Published() const;

    /** @return the published approximation for small p; its alpha is that of Published()'s form */
    Point SmallP() const;

    /** @return fixed point of the packet process */
    Point Renewal() const;

  private:
    /**
     * @param p marking probability
     * @return decrease minus increase of the fluid model: rises with p
     */
    double FluidBalance(double p) const;

    /**
     * @param p marking probability
     * @return decrease minus increase per cycle of the renewal form: rises with p
     */
    double RenewalBalance(double p) const;

    /**
     * @param p marking probability
     * @return mean alpha of the renewal form
     */
    double RenewalAlpha(double p) const;

    /**
     * @brief Sum of weight^m P(X > m period) for m from `from` on.
     * @param p marking probability
     * @param period timer period, seconds
     * @param from first m, >= 1
     * @param weight in (0, 1]
     * @return the sum; X = gap between CNPs
     */
    double TailSum(double p, double period, uint32_t from, double weight) const;

    /**
     * @brief Fill in the derived parts.
     * @param p marking probability
     * @param alpha congestion estimate
     * @return the point
     */
    Point Make(double p, double alpha) const;

    Input m_in;      //!< settings
    double m_rate;   //!< R: packets per second of one flow
    double m_step;   //!< R_AI: packets per second
    double m_tau;    //!< CNP interval, seconds
    double m_alphaT; //!< alpha timer, seconds
    double m_timerT; //!< increase timer, seconds
    double m_bytesB; //!< byte counter, packets; 0 = none
};

} // namespace ns3

#endif /* DCQCN_FIXED_POINT_H */
