/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "loss-recovery.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LossRecovery);

TypeId
LossRecovery::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LossRecovery").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
