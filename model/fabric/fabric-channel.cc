/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-channel.h"

#include "fabric-net-device.h"

#include "ns3/double.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricChannel")
            .SetParent<Channel>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricChannel>()
            .AddAttribute("DataRate",
                          "Rate of each direction (rate). Default: 100 Gb/s; the helper sets the "
                          "topology's.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&FabricChannel::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Delay",
                          "One-way propagation (time). Default: 1 us, as the HPCC simulations; the "
                          "helper sets the topology's.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&FabricChannel::m_delay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ErrorRate",
                          "Loss probability of a frame (fraction). Default: 0; the helper sets the "
                          "topology's.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&FabricChannel::m_errorRate),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    NS_ASSERT_MSG(m_ends.size() < 2, "a cable has two ends");
    m_ends.push_back(device);
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_ends.size();
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_ends.at(i);
}

void
FabricChannel::DoDispose()
{
    m_ends.clear();
    Channel::DoDispose();
}

} // namespace ns3
