/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "dcqcn-fixed-point.h"

#include "ns3/fabric-error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ns3
{

namespace
{

/**
 * @brief Root of a rising function on (0, 1), by bisection of the logarithm.
 * @tparam Fn double(double)
 * @param f the function
 * @return where it changes sign; the nearer end if it does not
 */
template <typename Fn>
double
Solve(const Fn& f)
{
    double low = 1e-12;
    double high = 1 - 1e-12;
    for (int i = 0; i < 200; ++i)
    {
        const double mid = std::sqrt(low * high);
        (f(mid) > 0 ? high : low) = mid;
    }
    return std::sqrt(low * high);
}

/**
 * @brief p / ((1-p)^-n - 1): probability per packet that n packets in a row go unmarked.
 * @param p marking probability
 * @param n packets
 * @return the value; 0 where it is below any double
 */
double
Runs(double p, double n)
{
    const double x = -std::log1p(-p) * n;
    return x > 700 ? 0 : p / std::expm1(x);
}

/**
 * @param what setting
 * @param value its value
 * @throw FabricError unless it is above 0
 */
void
RequirePositive(const char* what, double value)
{
    if (!(value > 0))
    {
        throw FabricError(std::string("DcqcnFixedPoint: ") + what + " must be above 0, not " +
                          std::to_string(value));
    }
}

} // namespace

void
DcqcnFixedPoint::Input::Use(const RdmaDcqcnProfile& profile)
{
    if (!profile.cutPeriod.IsZero())
    {
        throw FabricError("DcqcnFixedPoint: the formulas hold for CutPeriod 0 (profile paper2015), "
                          "not for profile '" +
                          profile.name + "'");
    }
    cnpInterval = profile.cnpInterval;
    alphaPeriod = profile.alphaPeriod;
    timeReset = profile.timeReset;
    byteReset = static_cast<double>(profile.byteReset);
    threshold = static_cast<uint32_t>(profile.threshold);
    additiveIncrease = profile.additiveIncrease;
}

DcqcnFixedPoint::DcqcnFixedPoint(const Input& input)
    : m_in(input)
{
    RequirePositive("the link rate", static_cast<double>(input.link.GetBitRate()));
    RequirePositive("the number of flows", input.flows);
    RequirePositive("the packet size", input.packetBytes);
    RequirePositive("the CNP interval", input.cnpInterval.GetSeconds());
    RequirePositive("the alpha timer", input.alphaPeriod.GetSeconds());
    RequirePositive("the increase timer", input.timeReset.GetSeconds());
    RequirePositive("the threshold F", input.threshold);
    RequirePositive("1000 - the threshold F", 1000.0 - input.threshold);
    RequirePositive("R_AI", static_cast<double>(input.additiveIncrease.GetBitRate()));
    RequirePositive("Kmax - Kmin", input.kMaxBytes - input.kMinBytes);
    RequirePositive("Pmax", input.pMax);
    const double bits = 8.0 * input.packetBytes;
    m_rate = static_cast<double>(input.link.GetBitRate()) / bits / input.flows;
    m_step = static_cast<double>(input.additiveIncrease.GetBitRate()) / bits;
    m_tau = input.cnpInterval.GetSeconds();
    m_alphaT = input.alphaPeriod.GetSeconds();
    m_timerT = input.timeReset.GetSeconds();
    m_bytesB = input.byteReset / input.packetBytes;
}

DcqcnFixedPoint::Point
DcqcnFixedPoint::Make(double p, double alpha) const
{
    Point point{};
    point.p = p;
    point.alpha = alpha;
    point.queueBytes = m_in.kMinBytes + (m_in.kMaxBytes - m_in.kMinBytes) * p / m_in.pMax;
    point.verdict = p > m_in.pMax         ? Verdict::CLIFF
                    : p > 0.8 * m_in.pMax ? Verdict::NEAR_CLIFF
                                          : Verdict::STABLE_MARKING;
    return point;
}

double
DcqcnFixedPoint::FluidBalance(double p) const
{
    const double log = std::log1p(-p);
    const double marked = -std::expm1(log * m_tau * m_rate);
    const double alpha = -std::expm1(log * m_alphaT * m_rate);
    const double perTimer = m_timerT * m_rate;
    const double byBytes = m_bytesB > 0 ? Runs(p, m_bytesB) : 0;
    const double byTimer = Runs(p, perTimer);
    const double byBytesLate = std::exp(log * m_in.threshold * m_bytesB) * byBytes;
    const double byTimerLate = std::exp(log * m_in.threshold * perTimer) * byTimer;
    return alpha * marked * marked -
           m_tau * m_tau * m_step * m_rate * (byBytes + byTimer) * (byBytesLate + byTimerLate);
}

DcqcnFixedPoint::Point
DcqcnFixedPoint::Published() const
{
    const double p = Solve([this](double x) { return FluidBalance(x); });
    return Make(p, -std::expm1(std::log1p(-p) * m_alphaT * m_rate));
}

DcqcnFixedPoint::Point
DcqcnFixedPoint::SmallP() const
{
    const double flows = m_in.flows;
    const double link = m_rate * flows;
    const double events = (m_bytesB > 0 ? 1 / m_bytesB : 0) + flows / (m_timerT * link);
    const double p = std::cbrt(m_step * flows * flows / (m_alphaT * link * link) * events * events);
    return Make(p, -std::expm1(std::log1p(-std::min(p, 1.0)) * m_alphaT * m_rate));
}

double
DcqcnFixedPoint::TailSum(double p, double period, uint32_t from, double weight) const
{
    // P(X > m period) is 1 up to tau, then exp(-p R (m period - tau)): a geometric tail.
    const auto sure = static_cast<uint32_t>(std::min(1e6, std::floor(m_tau / period)));
    double sum = 0;
    for (uint32_t m = from; m <= sure; ++m)
    {
        sum += std::pow(weight, m);
    }
    const uint32_t m = std::max(from, sure + 1);
    const double ratio = std::log(weight) - p * m_rate * period;
    const double first = std::pow(weight, m) * std::exp(-p * m_rate * (m * period - m_tau));
    return sum + first / -std::expm1(ratio);
}

double
DcqcnFixedPoint::RenewalAlpha(double p) const
{
    return 1 / (1 + TailSum(p, m_alphaT, 1, 1));
}

double
DcqcnFixedPoint::RenewalBalance(double p) const
{
    // E[2^-k] = 1 - sum_m 2^-m P(k >= m); event j >= F adds R_AI (1 - 2^-(k-j+1)) to the rate.
    const uint32_t f = m_in.threshold;
    const double kept = 1 - TailSum(p, m_timerT, 1, 0.5);
    const double raised =
        TailSum(p, m_timerT, f, 1) - std::ldexp(TailSum(p, m_timerT, f, 0.5), f - 1);
    return RenewalAlpha(p) * m_rate / 2 * kept - m_step * raised;
}

DcqcnFixedPoint::Point
DcqcnFixedPoint::Renewal() const
{
    const double p = Solve([this](double x) { return RenewalBalance(x); });
    return Make(p, RenewalAlpha(p));
}

std::string
DcqcnFixedPoint::Point::Describe() const
{
    char text[256];
    std::snprintf(text,
                  sizeof(text),
                  "DCQCN settles at marking probability %.3g %%, queue %.1f KB, alpha %.3f",
                  100 * p,
                  queueBytes / 1000,
                  alpha);
    switch (verdict)
    {
    case Verdict::CLIFF:
        std::snprintf(
            text,
            sizeof(text),
            "DCQCN cliff: the flows need marking probability %.3g %%, more than Pmax; the "
            "queue will sit at Kmax and shares may be unequal",
            100 * p);
        return text;
    case Verdict::NEAR_CLIFF:
        return std::string(text) + "; near the cliff: above 0.8 Pmax";
    case Verdict::STABLE_MARKING:
        break;
    }
    return text;
}

} // namespace ns3
