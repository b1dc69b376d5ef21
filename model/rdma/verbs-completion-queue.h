/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_COMPLETION_QUEUE_H
#define VERBS_COMPLETION_QUEUE_H

#include "verbs-work.h"

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup ai-fabric
 * @brief Ring of completions, read by Poll() or announced by one callback.
 *
 * More completions than the depth is an error, as on a real adapter: the queue goes into overrun,
 * takes no more completions, and queue pairs that try to complete into it go to ERR.
 * Made by RdmaNic::CreateCompletionQueue().
 */
class VerbsCompletionQueue : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    VerbsCompletionQueue();
    ~VerbsCompletionQueue() override;

    /**
     * @brief Take the oldest completions.
     * @param out room for `count` completions
     * @param count most to take
     * @return number taken; -1 when the queue has overrun and nothing is left
     */
    int Poll(WorkCompletion* out, uint32_t count);

    /**
     * @brief Be told whenever completions were added; poll from inside.
     *
     * Runs at the simulated time of the completion, after the packet that caused it is handled.
     * @param callback called with this queue; a null callback ends it
     */
    void SetCallback(Callback<void, VerbsCompletionQueue&> callback);

    /** @return completions waiting */
    uint32_t GetCount() const
    {
        return m_count;
    }

    /** @return true once a completion was lost for want of room */
    bool HasOverrun() const
    {
        return m_lost > 0;
    }

    /** @return completions lost */
    uint64_t GetLost() const
    {
        return m_lost;
    }

  protected:
    void DoDispose() override;

  private:
    friend class RdmaNic;
    friend class RdmaNicEngine;

    bool Push(const WorkCompletion& wc);
    void Notify();

    RdmaNic* m_nic{nullptr};                          //!< null after its DoDispose
    uint32_t m_depth{0};                              //!< most completions
    std::vector<WorkCompletion> m_ring;               //!< grows to the depth as needed
    uint32_t m_head{0};                               //!< oldest
    uint32_t m_count{0};                              //!< waiting
    uint64_t m_lost{0};                               //!< lost
    bool m_pending{false};                            //!< on the NIC's list of queues to announce
    Callback<void, VerbsCompletionQueue&> m_callback; //!< announces
};

} // namespace ns3

#endif /* VERBS_COMPLETION_QUEUE_H */
