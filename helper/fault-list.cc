/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fault-list.h"

#include "ns3/fabric-error.h"

namespace ns3
{

void
FaultList::Append(const std::string& file,
                  uint64_t line,
                  const std::string& token,
                  const std::string& allowed)
{
    m_faults.emplace_back(FabricError::At(file, line, Printable(token), allowed).what());
}

void
FaultList::Add(const std::string& file,
               uint64_t line,
               const std::string& token,
               const std::string& allowed)
{
    Append(file, line, token, allowed);
    if (m_faults.size() == MAX_FAULTS)
    {
        throw FabricError(Join() + "\n(stopped after " + std::to_string(MAX_FAULTS) + " faults)");
    }
}

bool
FaultList::IsEmpty() const
{
    return m_faults.empty();
}

void
FaultList::ThrowIfAny() const
{
    if (!m_faults.empty())
    {
        throw FabricError(Join());
    }
}

void
FaultList::Fail(const std::string& file,
                uint64_t line,
                const std::string& token,
                const std::string& allowed)
{
    Append(file, line, token, allowed);
    throw FabricError(Join());
}

std::string
FaultList::Printable(const std::string& token)
{
    constexpr size_t most = 60;
    std::string out;
    for (const char c : token.substr(0, most))
    {
        out += (c >= ' ' && c <= '~') ? c : '?';
    }
    return token.size() > most ? out + "..." : out;
}

std::string
FaultList::Join() const
{
    std::string all;
    for (const auto& fault : m_faults)
    {
        all += (all.empty() ? "" : "\n") + fault;
    }
    return all;
}

} // namespace ns3
