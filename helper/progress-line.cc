/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "progress-line.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace ns3
{

ProgressLine::ProgressLine(std::ostream& os, bool enabled, bool terminal)
    : m_os(os),
      m_enabled(enabled),
      m_terminal(terminal),
      m_start(Clock::now()),
      m_next(terminal ? 0.5 : 5)
{
}

double
ProgressLine::GetElapsed() const
{
    return std::chrono::duration<double>(Clock::now() - m_start).count();
}

void
ProgressLine::Update(const Status& status)
{
    const double elapsed = GetElapsed();
    if (!m_enabled || elapsed < m_next)
    {
        return;
    }
    m_next = elapsed + (m_terminal ? 0.5 : 5);
    char left[32] = "?";
    if (status.fraction > 0.01)
    {
        const double rest = elapsed * (1 / status.fraction - 1);
        std::snprintf(left, sizeof(left), "%.0f s", std::max(rest, 0.0));
    }
    char text[160];
    std::snprintf(text, sizeof(text),
                  "%.3f ms simulated, %llu/%llu flows done, %.2f M packet-hops/s, about %s left",
                  static_cast<double>(status.nowPs) * 1e-9,
                  static_cast<unsigned long long>(status.done),
                  static_cast<unsigned long long>(status.asked),
                  static_cast<double>(status.hops) * 1e-6 / elapsed, left);
    m_os << (m_terminal ? "\r\033[K" : "") << text << (m_terminal ? "" : "\n") << std::flush;
    m_shown = true;
}

void
ProgressLine::Finish()
{
    if (m_shown && m_terminal)
    {
        m_os << "\r\033[K" << std::flush;
    }
    m_shown = false;
}

} // namespace ns3
