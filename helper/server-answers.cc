/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "server-answers.h"

#include "fabric-topology.h"
#include "fabric-units.h"
#include "fault-list.h"
#include "gpu-model.h"

#include "ns3/fabric-error.h"

namespace ns3
{

ServerAnswers::ServerAnswers(const std::map<std::string, std::string>& answers)
    : m_answers(answers)
{
}

void
ServerAnswers::Refuse(const std::string& key, const std::string& answer, const std::string& allowed)
{
    throw FabricError("answer to '" + FaultList::Printable(key) + "': '" +
                      FaultList::Printable(answer) + "': " + allowed);
}

std::string
ServerAnswers::Ask(ServerTopology& topology, const std::string& key, const std::string& text)
{
    m_asked.insert(key);
    for (const auto& name : {key, key.substr(0, key.find(':'))})
    {
        const auto found = m_answers.find(name);
        if (found != m_answers.end())
        {
            m_used.insert(name);
            if (found->second.empty())
            {
                Refuse(name, "", "an empty answer; " + text);
            }
            return found->second;
        }
    }
    topology.AddQuestion({key, text});
    return "";
}

std::string
ServerAnswers::AskProfile(ServerTopology& topology,
                          const std::string& key,
                          LinkProfile::Family family,
                          const std::string& what)
{
    const std::string kind = LinkProfile::FamilyName(family);
    const std::string name = Ask(topology, key, what + ": name a link profile of " + kind);
    if (!name.empty() && LinkProfile::Get(name).family != family)
    {
        Refuse(key, name, "a link profile of " + kind + " is wanted");
    }
    return name;
}

uint32_t
ServerAnswers::AskNumber(ServerTopology& topology,
                         const std::string& key,
                         const std::string& text,
                         uint32_t min,
                         uint32_t max)
{
    const std::string answer = Ask(topology, key, text);
    if (answer.empty())
    {
        return max + 1;
    }
    const auto number = FabricUnits::Whole(answer);
    if (!number || *number < min || *number > max)
    {
        Refuse(key,
               answer,
               "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return static_cast<uint32_t>(*number);
}

void
ServerAnswers::AskModel(ServerTopology& topology, ServerTopology::Part& part)
{
    if (part.model.empty())
    {
        part.model = Ask(topology,
                         "model:" + part.name,
                         "which GPU is " + part.name + "; known: " + GpuModel::GetNames());
    }
    if (!part.model.empty())
    {
        const GpuModel& row = GpuModel::Get(part.model);
        part.maxLinks = row.maxLinks;
        part.memoryBytes = row.memoryBytes;
        part.memoryRateBps = row.memoryRateBps;
    }
}

void
ServerAnswers::AskNetRate(ServerTopology& topology, ServerTopology::Part& part)
{
    const std::string key = "net:" + part.name;
    const std::string answer = Ask(topology, key, "network rate of " + part.name + ", as 400Gbps");
    if (!answer.empty())
    {
        const auto rate = FabricUnits::Rate(answer);
        if (!rate || *rate == 0 || *rate > FabricTopology::MAX_RATE)
        {
            Refuse(key, answer, FabricUnits::RATE_FORMS);
        }
        part.netRateBps = *rate;
    }
}

void
ServerAnswers::JoinCpus(ServerTopology& topology)
{
    const auto cpus = topology.GetParts(ServerTopology::Kind::CPU);
    if (cpus.size() < 2)
    {
        return;
    }
    constexpr size_t most = 64;
    if (cpus.size() > most)
    {
        throw FabricError("server: " + std::to_string(cpus.size()) + " CPUs: allowed are " +
                          std::to_string(most));
    }
    const auto family = LinkProfile::Family::SOCKET;
    const std::string profile =
        AskProfile(topology,
                   "socket",
                   family,
                   "links between the " + std::to_string(cpus.size()) + " CPUs");
    for (size_t i = 0; i < cpus.size(); ++i)
    {
        for (size_t j = i + 1; j < cpus.size(); ++j)
        {
            ServerTopology::Link link;
            link.a = cpus[i];
            link.b = cpus[j];
            link.profile = profile;
            link.family = family;
            topology.AddLink(link);
        }
    }
}

void
ServerAnswers::RequireAllUsed() const
{
    for (const auto& answer : m_answers)
    {
        if (m_used.count(answer.first) == 0)
        {
            std::string asked;
            for (const auto& key : m_asked)
            {
                asked += (asked.empty() ? "" : ", ") + key;
            }
            Refuse(answer.first,
                   answer.second,
                   asked.empty() ? "nothing was asked" : "was not asked; asked was: " + asked);
        }
    }
}

} // namespace ns3
