/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-smp-client.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

IbSmpClient::~IbSmpClient()
{
    Clear();
}

void
IbSmpClient::SetUp(uint32_t window,
                   const Time& timeout,
                   uint32_t tries,
                   std::function<void(const IbSmp&)> send)
{
    m_window = window;
    m_timeout = timeout;
    m_tries = tries;
    m_send = std::move(send);
}

void
IbSmpClient::Ask(const IbSmp& smp, Done done)
{
    m_queue.push_back({smp, std::move(done), 0, {}});
    m_queue.back().smp.transaction = m_next++;
    Fill();
}

void
IbSmpClient::Fill()
{
    while (!m_queue.empty() && m_open.size() < m_window)
    {
        const uint64_t transaction = m_queue.front().smp.transaction;
        m_open.emplace(transaction, std::move(m_queue.front()));
        m_queue.pop_front();
        Send(transaction);
    }
}

void
IbSmpClient::Send(uint64_t transaction)
{
    Question& question = m_open.at(transaction);
    ++question.tries;
    ++m_stats.sent;
    m_stats.repeated += question.tries > 1 ? 1 : 0;
    question.timer = Simulator::Schedule(m_timeout, &IbSmpClient::OnTimeout, this, transaction);
    m_send(question.smp);
}

void
IbSmpClient::OnTimeout(uint64_t transaction)
{
    if (m_open.at(transaction).tries < m_tries)
    {
        Send(transaction);
        return;
    }
    ++m_stats.failed;
    Finish(transaction, nullptr);
}

void
IbSmpClient::Receive(const IbSmp& smp)
{
    if (m_open.count(smp.transaction) == 0)
    {
        ++m_stats.stale;
        return;
    }
    Finish(smp.transaction, &smp);
}

void
IbSmpClient::Finish(uint64_t transaction, const IbSmp* answer)
{
    const auto entry = m_open.find(transaction);
    entry->second.timer.Cancel();
    const Done done = std::move(entry->second.done);
    m_open.erase(entry);
    done(answer);
    Fill();
}

void
IbSmpClient::Clear()
{
    for (auto& [transaction, question] : m_open)
    {
        question.timer.Cancel();
    }
    m_open.clear();
    m_queue.clear();
}

} // namespace ns3
