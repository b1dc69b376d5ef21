/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "htsim-tiers.h"

#include "text-cursor.h"

#include <cctype>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_SWITCH_RADIX = 100'000; //!< links of a switch in one direction

/** Keys of a tier, in the order of Tier::given. */
const char* const TIER_KEYS[] = {"downlink_speed_gbps",
                                 "radix_down",
                                 "radix_up",
                                 "downlink_latency_ns",
                                 "switch_latency_ns",
                                 "oversubscribed",
                                 "bundle"};

/**
 * @param text any text
 * @return it in lower case
 */
std::string
Lower(std::string text)
{
    for (auto& c : text)
    {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace

HtsimTiers::HtsimTiers(TextCursor& cursor)
{
    Tier* tier = nullptr;
    while (cursor.Next())
    {
        const std::string key = Lower(cursor.Get(0));
        if (!cursor.Expect(2, "key value"))
        {
            continue;
        }
        if (key == "tier")
        {
            tier = &m_tier[cursor.ReadWhole(1, 0, 2, "tier")];
            if (tier->line > 0)
            {
                cursor.Fault(1, "tier repeated, first in line " + std::to_string(tier->line));
            }
            tier->line = cursor.GetLine();
        }
        else if (tier == nullptr)
        {
            ReadHeaderLine(cursor, key);
        }
        else
        {
            ReadTierLine(cursor, key, *tier);
        }
    }
    CheckGiven(cursor);
    cursor.GetFaults().ThrowIfAny();
    Count(cursor);
    cursor.GetFaults().ThrowIfAny();
    CheckOversubscription(cursor);
    cursor.GetFaults().ThrowIfAny();
}

void
HtsimTiers::ReadHeaderLine(TextCursor& cursor, const std::string& key)
{
    uint64_t* const value = key == "nodes"     ? &m_nodes
                            : key == "tiers"   ? &m_tiers
                            : key == "podsize" ? &m_podSize
                                               : nullptr;
    if (value == nullptr)
    {
        cursor.Fault(0, "unknown key, allowed here are Nodes, Tiers, Podsize and Tier");
        return;
    }
    if (*value != 0)
    {
        cursor.Fault(0, "key repeated");
        return;
    }
    *value = value == &m_tiers
                 ? cursor.ReadWhole(1, 2, 3, "tiers")
                 : cursor.ReadWhole(1, 1, FabricTopology::MAX_NODES, "number of hosts");
}

void
HtsimTiers::ReadTierLine(TextCursor& cursor, const std::string& key, Tier& tier)
{
    uint64_t* const values[] = {&tier.speedGbps,
                                &tier.radixDown,
                                &tier.radixUp,
                                &tier.linkNs,
                                &tier.switchNs,
                                &tier.oversubscribed,
                                &tier.bundle};
    for (size_t i = 0; i < tier.given.size(); ++i)
    {
        if (key != TIER_KEYS[i])
        {
            continue;
        }
        if (tier.given[i])
        {
            cursor.Fault(0, "key repeated in this tier");
        }
        tier.given[i] = true;
        const bool isTime = values[i] == &tier.linkNs || values[i] == &tier.switchNs;
        *values[i] = isTime                         ? cursor.ReadWhole(1, 0, 1'000'000'000, "ns")
                     : values[i] == &tier.speedGbps ? cursor.ReadWhole(1, 1, 100'000, "Gb/s")
                                                    : cursor.ReadWhole(1, 1, MAX_SWITCH_RADIX, key);
        return;
    }
    cursor.Fault(0,
                 "unknown key, allowed in a tier are Downlink_speed_Gbps, Radix_Down, Radix_Up, "
                 "Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed, Bundle");
}

void
HtsimTiers::CheckGiven(TextCursor& cursor) const
{
    auto& faults = cursor.GetFaults();
    const auto& name = cursor.GetName();
    if (m_nodes == 0 || m_tiers == 0 || m_podSize == 0)
    {
        faults.Add(name, 0, "", "Nodes, Tiers and Podsize are wanted before the first Tier");
        return;
    }
    for (size_t t = 0; t < 3; ++t)
    {
        const auto& tier = m_tier[t];
        if ((tier.line > 0) != (t < m_tiers))
        {
            faults.Add(name,
                       tier.line,
                       "Tier " + std::to_string(t),
                       tier.line > 0 ? "there are " + std::to_string(m_tiers) + " tiers only"
                                     : "missing");
            continue;
        }
        for (size_t i = 0; i < 4 && t < m_tiers; ++i)
        {
            const bool isUp = std::string(TIER_KEYS[i]) == "radix_up";
            if (isUp && t + 1 == m_tiers)
            {
                if (tier.given[i])
                {
                    faults.Add(name, tier.line, TIER_KEYS[i], "the top tier has no links up");
                }
            }
            else if (!tier.given[i])
            {
                faults.Add(name, tier.line, TIER_KEYS[i], "missing in this tier");
            }
        }
    }
    if (m_tier[0].bundle != 1)
    {
        faults.Add(name, m_tier[0].line, "bundle", "hosts have one link: allowed in tier 0 is 1");
    }
}

void
HtsimTiers::Count(TextCursor& cursor)
{
    const auto divide = [&](uint64_t a, uint64_t b, const std::string& what, size_t tier) {
        if (a % b != 0)
        {
            cursor.GetFaults().Add(cursor.GetName(),
                                   m_tier[tier].line,
                                   "",
                                   what + " = " + std::to_string(a) + " / " + std::to_string(b) +
                                       " is not a whole number");
        }
        return a / b;
    };
    const auto& t0 = m_tier[0];
    const auto& t1 = m_tier[1];
    m_n.pods = m_tiers == 2 ? 1 : divide(m_nodes, m_podSize, "pods = Nodes / Podsize", 0);
    const uint64_t podHosts = m_tiers == 2 ? m_nodes : m_podSize;
    m_n.torsPerPod = divide(podHosts, t0.radixDown, "ToR switches in a pod", 0);
    m_n.tors = m_n.torsPerPod * m_n.pods;
    m_n.aggsPerPod = divide(t0.radixUp, t1.bundle, "switches above a ToR = Radix_Up / Bundle", 1);
    m_n.aggs = m_n.aggsPerPod * m_n.pods;
    const auto require = [&](uint64_t have, uint64_t want, const std::string& what, size_t tier) {
        if (have != want)
        {
            cursor.GetFaults().Add(cursor.GetName(),
                                   m_tier[tier].line,
                                   std::to_string(have),
                                   what + ": these hosts and tiers want " + std::to_string(want));
        }
    };
    require(t1.radixDown, m_n.torsPerPod * t1.bundle, "Radix_Down", 1);
    if (m_tiers == 3)
    {
        const auto& t2 = m_tier[2];
        m_n.cores = m_n.aggsPerPod *
                    divide(t1.radixUp, t2.bundle, "cores above a switch = Radix_Up / Bundle", 2);
        require(t2.radixDown, m_n.pods * t2.bundle, "Radix_Down", 2);
    }
    if (m_nodes + m_n.tors + m_n.aggs + m_n.cores > FabricTopology::MAX_NODES ||
        m_n.tors * t0.radixUp + m_n.aggs * t1.radixUp > FabricTopology::MAX_LINKS - m_nodes)
    {
        cursor.GetFaults().Add(cursor.GetName(), 0, "", "more switches or links than allowed");
    }
}

void
HtsimTiers::CheckOversubscription(TextCursor& cursor) const
{
    for (size_t t = 0; t + 1 < m_tiers; ++t)
    {
        const auto& tier = m_tier[t];
        const uint64_t down = tier.radixDown * tier.speedGbps;
        const uint64_t up = tier.radixUp * m_tier[t + 1].speedGbps;
        if (tier.given[5] && down != up * tier.oversubscribed)
        {
            cursor.GetFaults().Add(cursor.GetName(),
                                   tier.line,
                                   std::to_string(tier.oversubscribed),
                                   "Oversubscribed: this tier has " + std::to_string(down) +
                                       " Gb/s down and " + std::to_string(up) + " Gb/s up");
        }
    }
}

void
HtsimTiers::Connect(FabricTopology& topology, uint32_t below, uint32_t above, size_t tier) const
{
    const auto& t = m_tier[tier];
    for (uint64_t i = 0; i < t.bundle; ++i)
    {
        topology.AddLink(below,
                         above,
                         t.speedGbps * 1'000'000'000,
                         static_cast<int64_t>(t.linkNs) * 1000,
                         0,
                         t.line);
    }
}

FabricTopology
HtsimTiers::Build() const
{
    FabricTopology topology;
    for (uint64_t i = 0; i < m_nodes; ++i)
    {
        topology.SetPod(topology.AddHost(), static_cast<uint32_t>(i / m_podSize));
    }
    const auto add = [&](uint64_t count, uint64_t perPod, const char* name, size_t tier) {
        const uint32_t first = topology.GetNNodes();
        for (uint64_t i = 0; i < count; ++i)
        {
            topology.AddSwitch(name + std::to_string(i),
                               static_cast<uint16_t>(tier + 1),
                               perPod > 0 ? static_cast<uint32_t>(i / perPod) : 0,
                               static_cast<int64_t>(m_tier[tier].switchNs) * 1000);
        }
        return first;
    };
    const uint32_t tor = add(m_n.tors, m_n.torsPerPod, "tor", 0);
    const uint32_t agg = add(m_n.aggs, m_n.aggsPerPod, m_tiers == 2 ? "spine" : "agg", 1);
    const uint32_t core = add(m_n.cores, 0, "core", 2);
    for (uint32_t i = 0; i < m_nodes; ++i)
    {
        Connect(topology, i, tor + static_cast<uint32_t>(i / m_tier[0].radixDown), 0);
    }
    for (uint32_t t = 0; t < m_n.tors; ++t)
    {
        const auto first = static_cast<uint32_t>(t / m_n.torsPerPod * m_n.aggsPerPod);
        for (uint32_t a = 0; a < m_n.aggsPerPod; ++a)
        {
            Connect(topology, tor + t, agg + first + a, 1);
        }
    }
    const auto coresPerAgg = static_cast<uint32_t>(m_n.cores / m_n.aggsPerPod);
    for (uint32_t a = 0; a < m_n.aggs; ++a)
    {
        const auto first = static_cast<uint32_t>(a % m_n.aggsPerPod * coresPerAgg);
        for (uint32_t c = 0; c < coresPerAgg; ++c)
        {
            Connect(topology, agg + a, core + first + c, 2);
        }
    }
    return topology;
}

} // namespace ns3
