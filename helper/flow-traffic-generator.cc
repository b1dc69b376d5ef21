/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "flow-traffic-generator.h"

#include "fabric-units.h"
#include "python-random.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-random.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int64_t MAX_TIME = 1'000'000'000'000'000; //!< ps: 1000 s
constexpr uint64_t CYCLE_STREAM = 1ULL << 32;       //!< beyond the streams of the hosts
constexpr double PS_PER_SECOND = 1e12;

} // namespace

FlowTrafficGenerator::FlowTrafficGenerator(const Parameters& parameters)
    : m_p(parameters)
{
    const auto& hosts = m_p.hosts;
    if (hosts.size() < 2)
    {
        throw FabricError("traffic: " + std::to_string(hosts.size()) +
                          " hosts, at least 2 are wanted");
    }
    auto sorted = hosts;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        throw FabricError("traffic: host " + std::to_string(*twice) + " is listed twice");
    }
    if (m_p.startPs < 0 || m_p.startPs > MAX_TIME)
    {
        throw FabricError("traffic: start of " + FabricUnits::TimeText(m_p.startPs) +
                          ": allowed are 0 to 1000 s");
    }
    if (m_p.priority > 7)
    {
        throw FabricError("traffic: priority " + std::to_string(m_p.priority) +
                          ": allowed are 0 to 7");
    }
}

void
FlowTrafficGenerator::CheckLoad(const FlowSizeCdf& cdf) const
{
    if (!(m_p.load > 0 && m_p.load <= 10))
    {
        std::ostringstream text;
        text << "traffic: load of " << m_p.load << ": allowed are fractions above 0, at most 10";
        throw FabricError(text.str());
    }
    if (m_p.durationPs <= 0 || m_p.durationPs > MAX_TIME)
    {
        throw FabricError("traffic: duration of " + FabricUnits::TimeText(m_p.durationPs) +
                          ": allowed are above 0, at most 1000 s");
    }
    if (m_p.hostRateBps == 0)
    {
        throw FabricError("traffic: host rate of 0 bit/s");
    }
    const double expected = m_p.load * static_cast<double>(m_p.hostRateBps) / 8 / cdf.GetMean() *
                            static_cast<double>(m_p.durationPs) / PS_PER_SECOND *
                            static_cast<double>(m_p.hosts.size());
    if (expected > 0.95 * FlowList::MAX_FLOWS)
    {
        std::ostringstream text;
        text << "traffic: about " << expected << " flows would arrive, allowed are "
             << FlowList::MAX_FLOWS << "; choose a shorter duration or a lower load";
        throw FabricError(text.str());
    }
}

FlowRecord
FlowTrafficGenerator::MakeFlow(uint32_t src, uint32_t dst, uint64_t bytes, int64_t startPs) const
{
    FlowRecord flow;
    flow.src = src;
    flow.dst = dst;
    flow.bytes = bytes;
    flow.startPs = startPs;
    flow.priority = m_p.priority;
    return flow;
}

void
FlowTrafficGenerator::Finish(FlowList& list)
{
    std::stable_sort(
        list.flows.begin(),
        list.flows.end(),
        [](const FlowRecord& a, const FlowRecord& b) { return a.startPs < b.startPs; });
    for (size_t i = 0; i < list.flows.size(); ++i)
    {
        list.flows[i].id = i;
    }
    if (list.flows.empty())
    {
        list.notes.push_back(list.source + ": no flow arrives in this time");
    }
}

FlowList
FlowTrafficGenerator::Poisson(const FlowSizeCdf& cdf) const
{
    CheckLoad(cdf);
    std::ostringstream source;
    source << "Poisson arrivals, " << cdf.GetName() << " sizes, load " << m_p.load << " of "
           << FabricUnits::RateText(m_p.hostRateBps) << " at " << m_p.hosts.size() << " hosts, "
           << FabricUnits::TimeText(m_p.durationPs) << ", seed " << m_p.seed;
    FlowList list;
    list.source = source.str();
    const double gapPs =
        cdf.GetMean() * 8 / (m_p.load * static_cast<double>(m_p.hostRateBps)) * PS_PER_SECOND;
    const auto n = static_cast<uint32_t>(m_p.hosts.size());
    for (uint32_t s = 0; s < n; ++s)
    {
        FabricRandom random(m_p.seed, m_p.hosts[s]);
        double t = 0;
        while (true)
        {
            t += -std::log(1.0 - random.Uniform()) * gapPs;
            if (t > static_cast<double>(m_p.durationPs))
            {
                break;
            }
            uint32_t d = random.Below(n - 1);
            d += d >= s ? 1 : 0;
            const uint64_t bytes = cdf.Draw(random.Uniform());
            const auto start = m_p.startPs + static_cast<int64_t>(std::llround(t));
            list.flows.push_back(MakeFlow(m_p.hosts[s], m_p.hosts[d], bytes, start));
        }
    }
    Finish(list);
    return list;
}

FlowList
FlowTrafficGenerator::PythonMt19937(const FlowSizeCdf& cdf) const
{
    CheckLoad(cdf);
    std::ostringstream source;
    source << "python-mt19937 arrivals, " << cdf.GetName() << " sizes, load " << m_p.load << " of "
           << FabricUnits::RateText(m_p.hostRateBps) << " at " << m_p.hosts.size() << " hosts, "
           << FabricUnits::TimeText(m_p.durationPs) << ", seed " << m_p.seed;
    FlowList list;
    list.source = source.str();
    PythonRandom random(m_p.seed);
    const double begin = static_cast<double>(m_p.startPs) / PS_PER_SECOND;
    const double end = static_cast<double>(m_p.startPs + m_p.durationPs) / PS_PER_SECOND;
    const double rate = m_p.load * static_cast<double>(m_p.hostRateBps) / 8 / cdf.GetMean();
    const auto n = static_cast<uint32_t>(m_p.hosts.size());
    for (uint32_t s = 0; s < n; ++s)
    {
        for (double t = begin + random.Expovariate(rate); t <= end; t += random.Expovariate(rate))
        {
            uint32_t d = random.Randrange(n - 1);
            d += d >= s ? 1 : 0;
            const uint64_t bytes = cdf.Draw(random.Random());
            const int64_t startPs = static_cast<int64_t>(std::llround(t * 1e9)) * 1000;
            list.flows.push_back(MakeFlow(m_p.hosts[s], m_p.hosts[d], bytes, startPs));
        }
    }
    Finish(list);
    return list;
}

FlowList
FlowTrafficGenerator::Permutation(uint64_t bytes) const
{
    FlowList list;
    list.source = "permutation of " + std::to_string(m_p.hosts.size()) + " hosts, " +
                  FabricUnits::SizeText(bytes) + " each, seed " + std::to_string(m_p.seed);
    // Sattolo's shuffle: one cycle through all hosts, so nobody sends to itself.
    auto to = m_p.hosts;
    FabricRandom random(m_p.seed, CYCLE_STREAM);
    for (auto i = static_cast<uint32_t>(to.size() - 1); i > 0; --i)
    {
        std::swap(to[i], to[random.Below(i)]);
    }
    for (size_t i = 0; i < to.size(); ++i)
    {
        list.flows.push_back(MakeFlow(m_p.hosts[i], to[i], bytes, m_p.startPs));
    }
    Finish(list);
    return list;
}

FlowList
FlowTrafficGenerator::Incast(uint32_t senders, uint32_t receiver, uint64_t bytes) const
{
    if (std::find(m_p.hosts.begin(), m_p.hosts.end(), receiver) == m_p.hosts.end())
    {
        throw FabricError("incast: receiver " + std::to_string(receiver) +
                          " is not one of the hosts");
    }
    if (senders == 0 || senders > m_p.hosts.size() - 1)
    {
        throw FabricError("incast: " + std::to_string(senders) + " senders: allowed are 1 to " +
                          std::to_string(m_p.hosts.size() - 1));
    }
    FlowList list;
    list.source = std::to_string(senders) + ":1 incast to host " + std::to_string(receiver) + ", " +
                  FabricUnits::SizeText(bytes) + " each";
    for (const auto host : m_p.hosts)
    {
        if (host != receiver && list.flows.size() < senders)
        {
            list.flows.push_back(MakeFlow(host, receiver, bytes, m_p.startPs));
        }
    }
    Finish(list);
    return list;
}

} // namespace ns3
