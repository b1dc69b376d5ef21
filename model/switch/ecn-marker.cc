/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ecn-marker.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-error.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);
NS_OBJECT_ENSURE_REGISTERED(RedEcnMarker);

TypeId
EcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EcnMarker")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddAttribute("MarkOnEnqueue",
                          "Judge packets on entering the queue instead of on leaving it. Default: "
                          "on leaving, as switch chips do (known from SONiC's ECN test).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&EcnMarker::m_onEnqueue),
                          MakeBooleanChecker())
            .AddAttribute("Classes",
                          "Bit mask of classes that are marked. Default: all (only ECN-capable "
                          "packets are ever marked).",
                          UintegerValue(0xff),
                          MakeUintegerAccessor(&EcnMarker::m_classes),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

TypeId
RedEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RedEcnMarker")
            .SetParent<EcnMarker>()
            .SetGroupName("AiFabric")
            .AddConstructor<RedEcnMarker>()
            .AddAttribute("MinThreshold",
                          "Kmin at ReferenceRate (bytes). Default: 400 KB at 100 Gb/s, HPCC "
                          "simulations' DCQCN.",
                          UintegerValue(400000),
                          MakeUintegerAccessor(&RedEcnMarker::m_min),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxThreshold",
                          "Kmax at ReferenceRate (bytes). Default: 1600 KB at 100 Gb/s, HPCC "
                          "simulations' DCQCN.",
                          UintegerValue(1600000),
                          MakeUintegerAccessor(&RedEcnMarker::m_max),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxProbability",
                          "Pmax, marking probability at Kmax (fraction). Default: 0.2, HPCC "
                          "simulations' DCQCN.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RedEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ReferenceRate",
                          "Rate at which the thresholds are given (rate); they scale linearly. 0: "
                          "do not scale. Default: 100 Gb/s.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&RedEcnMarker::m_reference),
                          MakeDataRateChecker());
    return tid;
}

void
RedEcnMarker::DoSetRate(const FabricRate& rate)
{
    if (m_max < m_min)
    {
        throw FabricError("ns3::RedEcnMarker: MaxThreshold " + std::to_string(m_max) +
                          " B is below MinThreshold " + std::to_string(m_min) + " B");
    }
    const uint64_t reference = m_reference.GetBitRate();
    const auto scale = [&](uint64_t bytes) {
        return reference == 0 ? bytes
                              : static_cast<uint64_t>(static_cast<unsigned __int128>(bytes) *
                                                      rate.GetBps() / reference);
    };
    m_kmin = scale(m_min);
    m_kmax = scale(m_max);
}

double
RedEcnMarker::GetProbability(uint64_t queueBytes) const
{
    if (queueBytes <= m_kmin)
    {
        return 0;
    }
    if (queueBytes > m_kmax)
    {
        return 1;
    }
    return m_pmax * static_cast<double>(queueBytes - m_kmin) /
           static_cast<double>(m_kmax - m_kmin);
}

bool
RedEcnMarker::DoShouldMark(uint64_t queueBytes, FabricRandom& random)
{
    if (queueBytes <= m_kmin)
    {
        return false;
    }
    return queueBytes > m_kmax || random.Uniform() < GetProbability(queueBytes);
}

} // namespace ns3
