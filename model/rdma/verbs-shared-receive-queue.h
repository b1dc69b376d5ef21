/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_SHARED_RECEIVE_QUEUE_H
#define VERBS_SHARED_RECEIVE_QUEUE_H

#include "verbs-work.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup ai-fabric
 * @brief First-in first-out receive requests, of one queue pair or shared by many.
 *
 * Shared ones are made by RdmaNic::CreateSharedReceiveQueue(); every queue pair that has none uses
 * one of its own.
 */
class VerbsSharedReceiveQueue : public SimpleRefCount<VerbsSharedReceiveQueue>
{
  public:
    /**
     * @param nic its NIC
     * @param pdId protection domain
     * @param depth most requests waiting
     */
    VerbsSharedReceiveQueue(RdmaNic* nic, uint32_t pdId, uint32_t depth)
        : m_nic(nic),
          m_pdId(pdId),
          m_depth(depth)
    {
    }

    /**
     * @brief Add a receive request.
     * @param rr the request
     * @return OK or QUEUE_FULL
     */
    VerbsResult PostRecv(const ReceiveRequest& rr);

    /** @return requests waiting */
    uint32_t GetCount() const
    {
        return m_count;
    }

    /** @return protection domain */
    uint32_t GetPdId() const
    {
        return m_pdId;
    }

    /**
     * @brief Take the oldest request (for the transport).
     * @param out where to
     * @return false when there is none
     */
    bool Take(ReceiveRequest& out);

    /** @brief The NIC is gone. */
    void Detach()
    {
        m_nic = nullptr;
    }

  private:
    RdmaNic* m_nic;                     //!< null after its DoDispose
    uint32_t m_pdId;                    //!< protection domain
    uint32_t m_depth;                   //!< most requests waiting
    std::vector<ReceiveRequest> m_ring; //!< grows to the depth as needed
    uint32_t m_head{0};                 //!< oldest
    uint32_t m_count{0};                //!< waiting
};

} // namespace ns3

#endif /* VERBS_SHARED_RECEIVE_QUEUE_H */
