/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "go-back-n-recovery.h"
#include "rdma-dma-path.h"
#include "rdma-nic-engine.h"
#include "rdma-nic.h"

#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

namespace ns3
{

// What a user can set; what it does is in rdma-nic.cc.

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid = AddDmaAttributes(AddHostAttributes(AddTransportAttributes(
        TypeId("ns3::RdmaNic")
            .SetParent<FabricStation>()
            .SetGroupName("AiFabric")
            .AddConstructor<RdmaNic>()
            .AddAttribute("FrameProfile",
                          "Frame sizes: rocev2, rocev1, hpcc, hpcc-int or plain48. Default: real "
                          "RoCEv2 frames.",
                          StringValue("rocev2"),
                          MakeStringAccessor(&RdmaNic::SetFrameProfile, &RdmaNic::GetFrameProfile),
                          MakeStringChecker())
            .AddAttribute("Mtu",
                          "Payload of a full packet, bytes; queue pairs may have their own. "
                          "Default: 1024, what RoCE negotiates on a 1500-byte Ethernet.",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&RdmaNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 65000))
            .AddAttribute("DataClass",
                          "Traffic class of requests and READ responses. Default: 3, the usual "
                          "lossless class of RoCE deployments.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_dataClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("AckClass",
                          "Traffic class of ACKs and NAKs, 0 to 7; 8: that of the queue pair's "
                          "data. Default: 3, that of the data, as the InfiniBand specification "
                          "has it for responses.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaNic::m_ackClass),
                          MakeUintegerChecker<uint8_t>(0, RdmaNic::CLASS_OF_DATA))
            .AddAttribute("CnpClass",
                          "Traffic class of CNPs, 0 to 7; 8: that of the queue pair's data. "
                          "Default: 6 (DSCP 48), as mlx5.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&RdmaNic::m_cnpClass),
                          MakeUintegerChecker<uint8_t>(0, RdmaNic::CLASS_OF_DATA))
            .AddAttribute("DscpOfClass",
                          "DSCP that frames of classes 0..7 carry, eight numbers 0..63; for "
                          "switches that trust it (ClassMap). Default: class x 8, and 26 for class "
                          "3, as common for RoCEv2.",
                          StringValue("0 8 16 26 32 40 48 56"),
                          MakeStringAccessor(&RdmaNic::SetDscpOfClass, &RdmaNic::GetDscpOfClass),
                          MakeStringChecker()))));
    return tid;
}

TypeId
RdmaNic::AddTransportAttributes(TypeId tid)
{
    return tid
        .AddAttribute("AckInterval",
                      "An ACK behind every n-th PSN, and behind the last packet of a message. "
                      "Default: 1, one ACK a packet.",
                      UintegerValue(1),
                      MakeUintegerAccessor(&RdmaNic::m_ackInterval),
                      MakeUintegerChecker<uint32_t>(1, 1U << 20))
        .AddAttribute("Window",
                      "Most unacknowledged payload of a queue pair, bytes, whatever congestion "
                      "control says; 0: none. Default: none.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_window),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("CnpInterval",
                      "Least time between CNPs of one queue pair (time). Default: 50us, N of "
                      "the DCQCN paper (SIGCOMM 2015).",
                      TimeValue(MicroSeconds(50)),
                      MakeTimeAccessor(&RdmaNic::m_cnpInterval),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("CnpDelay",
                      "Time from a marked packet to its CNP (time). Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_cnpDelay),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("CongestionOps",
                      "Congestion control that RC and UC queue pairs fork theirs from; null: "
                      "line rate. Default: null.",
                      PointerValue(),
                      MakePointerAccessor(&RdmaNic::m_congestion),
                      MakePointerChecker<RdmaCongestionOps>())
        .AddAttribute("LossRecovery",
                      "Loss recovery of RC queue pairs (TypeId). Default: go-back-N.",
                      TypeIdValue(GoBackNRecovery::GetTypeId()),
                      MakeTypeIdAccessor(&RdmaNic::m_recovery),
                      MakeTypeIdChecker());
}

TypeId
RdmaNic::AddHostAttributes(TypeId tid)
{
    return tid
        .AddAttribute("DoorbellLatency",
                      "Time from PostSend to the adapter seeing it (time). Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_doorbell),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("DmaReadLatency",
                      "PCIe read latency before the first packet of SEND, WRITE and READ "
                      "responses (time); later packets are prefetched. With a DmaPath it comes on "
                      "top, ahead of the fetch: what reading the work request and translating "
                      "addresses takes. Default: 0.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_dmaRead),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("InlineThreshold",
                      "Messages up to this many bytes come with the doorbell and need no DMA "
                      "read, neither DmaReadLatency nor a fetch by the DmaPath. Default: 0.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_inline),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("MessageRate",
                      "Most send requests begun per second, whole adapter; 0: no limit. "
                      "Default: no limit.",
                      DoubleValue(0),
                      MakeDoubleAccessor(&RdmaNic::m_messageRate),
                      MakeDoubleChecker<double>(0, 1e12))
        .AddAttribute("RetryTimeout",
                      "Retry timer of queue pairs that name no code of their own (time); 0: "
                      "none. Default: 4.096 us x 2^14, the common code 14.",
                      TimeValue(PicoSeconds(67108864000)),
                      MakeTimeAccessor(&RdmaNic::m_retryTimeout),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("FrameQueueLimit",
                      "Most bytes of a class queue that SendFrame() adds to. Default: 1 MiB.",
                      UintegerValue(1 << 20),
                      MakeUintegerAccessor(&RdmaNic::m_frameQueueLimit),
                      MakeUintegerChecker<uint64_t>());
}

TypeId
RdmaNic::AddDmaAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Pcie",
                      "PCIe slot of the NIC, pcie3-x1 .. pcie6-x16: payload is read from memory "
                      "and written there by an RdmaPcieProfile of this Link. Before the first "
                      "queue pair. Default: none, payload is at hand.",
                      StringValue(""),
                      MakeStringAccessor(&RdmaNic::SetPcie, &RdmaNic::GetPcie),
                      MakeStringChecker())
        .AddAttribute("DmaPath",
                      "How payload is read from memory and written there, an object of this NIC "
                      "alone; in place of Pcie. Before the first queue pair. Default: null.",
                      TypeId::ATTR_GET | TypeId::ATTR_SET,
                      PointerValue(),
                      MakePointerAccessor(&RdmaNic::SetDmaPath, &RdmaNic::GetDmaPath),
                      MakePointerChecker<RdmaDmaPath>())
        .AddAttribute("PrefetchBytes",
                      "With a DmaPath: payload of a class is asked for while frames of fewer bytes "
                      "than this wait for theirs or for the wire. Default: 128 KiB, 256 tags of "
                      "reads of 512 bytes.",
                      UintegerValue(128 << 10),
                      MakeUintegerAccessor(&RdmaNic::m_prefetch),
                      MakeUintegerChecker<uint64_t>(1))
        .AddAttribute("RxBuffer",
                      "With a DmaPath: received payload that may wait for it, bytes. Short of "
                      "that by the link's headroom, lossless classes are stopped by PFC until "
                      "half is free; what does not fit is dropped. 0: no limit. Default: 0, so "
                      "that only who asks for it pays for an event per arrival.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_rxBuffer),
                      MakeUintegerChecker<uint64_t>());
}

} // namespace ns3
