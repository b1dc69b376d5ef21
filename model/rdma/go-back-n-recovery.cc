/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "go-back-n-recovery.h"

#include "ns3/boolean.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GoBackNRecovery);

TypeId
GoBackNRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GoBackNRecovery")
            .SetParent<LossRecovery>()
            .SetGroupName("AiFabric")
            .AddConstructor<GoBackNRecovery>()
            .AddAttribute("GoBackZero",
                          "Restart the whole message on a loss, as early RoCE adapters did (Guo et "
                          "al., SIGCOMM 2016, sec. 4.1). Default: off.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GoBackNRecovery::m_goBackZero),
                          MakeBooleanChecker());
    return tid;
}

uint64_t
GoBackNRecovery::DoOnNak(const RdmaSenderView& view, uint64_t missing)
{
    if (m_goBackZero)
    {
        return missing < view.next ? missing : view.next;
    }
    return missing >= view.una && missing < view.next ? missing : view.next;
}

uint64_t
GoBackNRecovery::DoOnTimeout(const RdmaSenderView& view)
{
    return m_goBackZero ? view.messageFirst : view.una;
}

RdmaArrival
GoBackNRecovery::DoOnArrival(RdmaReceiverView& view, uint64_t seq)
{
    if (m_goBackZero && seq == view.messageFirst && seq < view.expected)
    {
        view.expected = seq; // the sender starts the message again
    }
    if (seq == view.expected)
    {
        m_refused = false;
        return RdmaArrival::ACCEPT;
    }
    if (seq < view.expected)
    {
        return RdmaArrival::DUPLICATE;
    }
    if (m_refused)
    {
        return RdmaArrival::DISCARD;
    }
    m_refused = true;
    if (m_goBackZero)
    {
        view.expected = view.messageFirst;
    }
    return RdmaArrival::NAK;
}

void
GoBackNRecovery::DoOnRefused()
{
    m_refused = true;
}

} // namespace ns3
