/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NV_SWITCH_H
#define NV_SWITCH_H

#include "credit-switch.h"

#include "ns3/memory-op.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief NVSwitch or NVLink Switch: a cut-through crossbar with tenants, multicast and reduction.
 *
 * Partitions: ports belong to tenants; a packet that would cross is dropped, counted, and its
 * sender is told that there is no way. Multicast: a WRITE or REDUCE_WRITE to a group goes to every
 * member but its sender, each copy pays its egress, and the ingress room is free when the last copy
 * has left; a FLUSH to a group is answered once all of them have answered. Reduction: a
 * REDUCE_REQUEST to a group becomes a read of every member, and one READ_RESPONSE with the sum. The
 * table of requests under way is bounded; more of them wait, with their room held.
 *
 * A group lives on one switch. GPUs with links to several switches have it on each of them, under
 * one number, and stripe over them. Groups need generation 3 or later.
 *
 * Set-up order: that of CreditSwitch, with SetEndpoint(), SetPartition() and AddGroup() after the
 * wiring and before Start().
 */
class NvSwitch : public CreditSwitch
{
  public:
    /** @brief Most members of a group. */
    static constexpr uint32_t MAX_MEMBERS = 128;

    /** @brief What the switch did besides passing packets on. */
    struct Stats
    {
        uint64_t crossings{0};  //!< packets that would have crossed into another partition
        uint64_t refused{0};    //!< requests answered with a refusal, crossings included
        uint64_t multicasts{0}; //!< frames replicated
        uint64_t copies{0};     //!< copies made of them
        uint64_t reductions{0}; //!< sums asked for
        uint64_t flushes{0};    //!< flushes of groups
        uint64_t stale{0};      //!< answers to nothing
        uint32_t maxJobs{0};    //!< most table entries ever in use
        uint32_t maxWaiting{0}; //!< most requests that ever waited for one
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NvSwitch();

    /**
     * @brief Links of a chip: 18 x NVLink 2, 36 x NVLink 3, 64 x NVLink 4, 72 x NVLink 5.
     * @param generation of the switch, 1 to 4
     * @return how many links it has
     */
    static uint32_t GetLinkLimit(uint32_t generation);

    /**
     * @brief Say which endpoint is at the other end of a port.
     * @param port port number; an endpoint may have several
     * @param endpoint its number
     */
    void SetEndpoint(uint16_t port, uint32_t endpoint);

    /**
     * @brief Give a port to a tenant.
     * @param port port number
     * @param partition tenant; all ports begin in 0
     */
    void SetPartition(uint16_t port, uint32_t partition);

    /**
     * @brief Make a multicast and reduction group.
     * @param group endpoint number that it is addressed by; must not be one of an endpoint
     * @param members endpoints, by SetEndpoint() all at this switch and of one partition
     * @throws FabricError, here or from Start(), saying which member or what else is wrong
     */
    void AddGroup(uint32_t group, const std::vector<uint32_t>& members);

    /** @throws FabricError for more links than the generation has, foreign links, or bad groups */
    void Start() override;

    /** @return counters */
    const Stats& GetStats() const
    {
        return m_stats;
    }

    /** @return Generation; where that is 0, the one that fits the links, known after Start() */
    uint32_t GetGeneration() const
    {
        return m_generation;
    }

    /** @return reductions and flushes of groups under way */
    uint32_t GetJobs() const
    {
        return static_cast<uint32_t>(m_jobs.size() - m_freeJobs.size());
    }

    /** @return requests waiting for the table */
    uint32_t GetWaiting() const
    {
        return m_nWaiting;
    }

  protected:
    void NotifyConstructionCompleted() override;
    void DoDispose() override;
    void DoDeparted(const FabricPacket& p, FabricPs at) override;
    void DoLinkChanged(FabricPort& port, bool up) override;

  private:
    static constexpr uint32_t NOBODY = 0xffffffff; //!< no endpoint at a port
    static constexpr uint16_t NONE = 0xffff;       //!< no index
    static constexpr uint16_t HOLDS = 0x8000;      //!< inPort of a copy: this + index of its hold
    static constexpr uint32_t MAX_HOLDS = 0x7fff;  //!< frames being replicated at once

    /** @brief Far end of a port. */
    struct End
    {
        uint32_t endpoint{NOBODY}; //!< endpoint there
        uint32_t partition{0};     //!< tenant
    };

    /** @brief One member. */
    struct Member
    {
        uint32_t endpoint;           //!< its number
        std::vector<uint16_t> ports; //!< ports towards it
    };

    /** @brief Multicast and reduction group. */
    struct Group
    {
        uint32_t number;             //!< endpoint number that it is addressed by
        uint32_t partition{0};       //!< of its members
        std::vector<Member> members; //!< in the order given
    };

    /** @brief Ingress room of a frame whose copies have not all left. */
    struct Hold
    {
        uint32_t bytes; //!< room
        uint16_t in;    //!< ingress port
        uint16_t left;  //!< copies to go
        uint8_t vl;     //!< class
    };

    /** @brief A reduction or a flush under way. */
    struct Job
    {
        FabricPacket* request{nullptr}; //!< what was asked; becomes the answer
        uint64_t left[2]{};             //!< members that have not answered
        FabricPs tail{0};               //!< latest last bit of the answers, ps
        uint64_t landed{0};             //!< flush: least bytes that a member has
        uint32_t age{0};                //!< uses of this entry, in tags
        uint16_t group{NONE};           //!< index
        uint8_t status{0};              //!< first refusal
    };

    bool DoIsMine(const FabricPacket& p) const override;
    void DoConsume(FabricPort& in, FabricPacket* p) override;
    void DoUnroutable(FabricPort& in, FabricPacket* p) override;
    void DoInstantEnd(FabricPs now) override;

    End& EndOf(uint16_t port);
    void CheckGroup(Group& group);
    uint16_t GroupOf(uint32_t endpoint) const;
    FabricPort& PortTo(const Member& member, const FabricPacket& p) const;
    bool HasRoom(MemoryOp op) const;
    void Begin(FabricPacket* p);
    void Replicate(FabricPacket* p);
    void StartJob(FabricPacket* p);
    void OnAnswer(FabricPacket* p);
    void Lose(Job& job);
    void Finish(uint16_t slot);
    void Refuse(FabricPort& in, FabricPacket* p);
    void SendOn(FabricPort& out, FabricPacket* p);

    uint32_t m_generation;             //!< Generation
    uint32_t m_tableSize;              //!< ReductionTable
    Time m_crossbar;                   //!< CrossbarLatency
    bool m_started{false};             //!< groups are checked at once from now on
    bool m_partitioned{false};         //!< there is more than one tenant
    std::vector<End> m_ends;           //!< by port
    std::vector<Group> m_groups;       //!< groups
    uint32_t m_lowest{0};              //!< lowest group number
    std::vector<uint16_t> m_groupAt;   //!< by number - m_lowest: index of the group
    std::vector<Hold> m_holds;         //!< frames being replicated
    std::vector<uint16_t> m_freeHolds; //!< unused entries
    std::vector<Job> m_jobs;           //!< the table
    std::vector<uint16_t> m_freeJobs;  //!< unused entries
    FabricPacketFifo m_waiting[2];     //!< posted and non-posted requests that wait
    uint32_t m_nWaiting{0};            //!< how many
    Stats m_stats;                     //!< counters
};

} // namespace ns3

#endif /* NV_SWITCH_H */
