/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "fabric-helper.h"
#include "ideal-fct.h"

#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/verbs-queue-pair.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Connects queue pairs across a built fabric, and knows what an idle fabric would do.
 */
class RdmaHelper
{
  public:
    /**
     * @param fabric a built fabric; outlives the helper
     */
    explicit RdmaHelper(const FabricHelper& fabric);

    /**
     * @brief Choose the congestion control of all NICs, for queue pairs made from now on.
     *
     * Its recommended CNP interval goes with it, unless the NICs have one of the user's.
     * @param name "none", a TypeId such as "ns3::RdmaDcqcn", or its short name: "dcqcn"
     * @throws FabricError for another name, with those that exist
     */
    void SetCongestion(const std::string& name);

    /**
     * @brief Set an attribute of the congestion control chosen.
     * @param name attribute
     * @param value value
     */
    void SetCongestionAttribute(const std::string& name, const AttributeValue& value);

    /** @return the object that queue pairs fork theirs from; null for "none" */
    Ptr<RdmaCongestionOps> GetCongestion() const
    {
        return m_congestion;
    }

    /**
     * @param name "none", a TypeId such as "ns3::RdmaDcqcn", or its short name: "dcqcn"
     * @return the name of its TypeId; empty for "none"
     * @throws FabricError for another name, with those that exist
     */
    static std::string CongestionTypeName(const std::string& name);

    /**
     * @param name a congestion control, as for CongestionTypeName()
     * @param profile one of its named sets of parameters
     * @throws FabricError for another name, with those that exist
     */
    static void CheckProfile(const std::string& name, const std::string& profile);

    /** @return short names of all congestion controls, "none" included */
    static std::vector<std::string> CongestionNames();

    /**
     * @brief Choose the NICs of a flow between two hosts.
     *
     * The pairs of NICs with the shortest path take turns.
     * @param src node id of the sending host
     * @param dst node id of the receiving host
     * @param turn whose turn it is: the number of the flow between these two
     * @return source and destination endpoint
     * @throws FabricError when no NIC of the one reaches a NIC of the other
     */
    std::pair<uint32_t, uint32_t> ChooseNics(uint32_t src, uint32_t dst, uint64_t turn);

    /** @brief The two ends of a connection. */
    struct Connection
    {
        Ptr<VerbsQueuePair> a; //!< at the first endpoint
        Ptr<VerbsQueuePair> b; //!< at the second
    };

    /**
     * @brief Make and connect a pair of RC queue pairs, ready to send.
     * @param from first endpoint
     * @param to second endpoint
     * @param fromInit what the first is made with; pd may be null
     * @param toInit what the second is made with; pd may be null
     * @param attributes of both: traffic class, source port, timeouts
     * @return the queue pairs
     */
    Connection Connect(uint32_t from,
                       uint32_t to,
                       VerbsQpInit fromInit = VerbsQpInit(),
                       VerbsQpInit toInit = VerbsQpInit(),
                       VerbsQpAttributes attributes = VerbsQpAttributes());

    /**
     * @brief Links of a path as the closed form wants them.
     * @param from source endpoint
     * @param to destination endpoint
     * @param flowHash the flow's hash; any of the equal-cost paths if the caller has none
     * @return the links in order
     */
    std::vector<IdealFct::Hop> GetHops(uint32_t from, uint32_t to, uint32_t flowHash = 0) const;

    /**
     * @brief Completion times of a flow that is alone.
     * @param from source endpoint
     * @param to destination endpoint
     * @param bytes message bytes
     * @return times from its start
     */
    IdealFct::Times GetIdeal(uint32_t from, uint32_t to, uint64_t bytes) const;

    /**
     * @brief Idle round trip: a full packet one way, its ACK back.
     * @param from source endpoint
     * @param to destination endpoint
     * @return ps
     */
    FabricPs GetBaseRtt(uint32_t from, uint32_t to) const;

    /** @return the fabric */
    const FabricHelper& GetFabric() const
    {
        return m_fabric;
    }

  private:
    /** @brief Give the NICs the congestion control chosen. */
    void Apply();

    /** @return payload of a full packet, as RdmaFlowApplication has it by default */
    static uint32_t GetMtu();

    const FabricHelper& m_fabric;        //!< built
    Ptr<RdmaCongestionOps> m_congestion; //!< prototype, null for none
    bool m_given{false};                 //!< the NICs have a congestion control
    bool m_intervalIsOurs{false};        //!< the NICs' CnpInterval was set by Apply()
    /** NIC pairs with the shortest path, by host pair; hosts with one NIC are not kept */
    std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>> m_pairs;
    std::vector<Ptr<VerbsProtectionDomain>> m_pds; //!< by endpoint, made on first use
};

} // namespace ns3

#endif /* RDMA_HELPER_H */
