/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-net-device.h"

#include "fabric-port.h"

#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricNetDevice>()
            .AddAttribute("Mtu",
                          "Largest foreign packet (bytes). Default: 1500, Ethernet.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&FabricNetDevice::SetMtu, &FabricNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute("FrameClass",
                          "Traffic class of foreign packets (0..7). Default: 0, best effort.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::m_class),
                          MakeUintegerChecker<uint8_t>(0, FABRIC_CLASSES - 1))
            .AddTraceSource("MacTx",
                            "A packet is handed to the device.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet is refused: link down, or the NIC's queue is full.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet for this node arrives.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "A foreign frame is handed to or comes from the NIC.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback");
    return tid;
}

void
FabricNetDevice::SetPort(Ptr<FabricStation> station, uint16_t port, Ptr<FabricChannel> channel)
{
    m_station = station;
    m_port = port;
    m_channel = channel;
    channel->Attach(this);
}

Ptr<FabricStation>
FabricNetDevice::GetStation() const
{
    return m_station;
}

uint16_t
FabricNetDevice::GetPortNumber() const
{
    return m_port;
}

void
FabricNetDevice::SetFrameSender(FrameSender sender)
{
    m_sender = sender;
}

void
FabricNetDevice::DoDispose()
{
    // a NIC hangs off its device; a switch is part of the node, which disposes of it
    if (m_station && !m_station->GetObject<Node>())
    {
        m_station->Dispose();
    }
    m_station = nullptr;
    m_channel = nullptr;
    m_node = nullptr;
    m_sender = nullptr;
    m_receive = ReceiveCallback();
    m_promisc = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

Mac48Address
FabricNetDevice::AddressOf(uint32_t endpoint)
{
    const uint8_t bytes[6] = {0x02,
                              0x00,
                              static_cast<uint8_t>(endpoint >> 24),
                              static_cast<uint8_t>(endpoint >> 16),
                              static_cast<uint8_t>(endpoint >> 8),
                              static_cast<uint8_t>(endpoint)};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

uint32_t
FabricNetDevice::EndpointOf(const Mac48Address& address)
{
    if (address.IsGroup())
    {
        return FABRIC_BROADCAST;
    }
    uint8_t b[6];
    address.CopyTo(b);
    return (uint32_t{b[2]} << 24) | (uint32_t{b[3]} << 16) | (uint32_t{b[4]} << 8) | b[5];
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol)
{
    return SendFrom(packet, m_address, dest, protocol);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocol)
{
    m_macTx(packet);
    const Mac48Address to = Mac48Address::ConvertFrom(dest);
    Ptr<Packet> frame = packet->Copy();
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(to);
    header.SetLengthType(protocol);
    frame->AddHeader(header);
    if (!IsLinkUp() || !m_sender || packet->GetSize() > m_mtu ||
        !m_sender(frame, EndpointOf(to), m_class))
    {
        m_macTxDrop(packet);
        return false;
    }
    m_sniffer(frame);
    return true;
}

void
FabricNetDevice::ReceiveFrame(Ptr<Packet> frame, uint32_t, FabricPs)
{
    m_sniffer(frame);
    Ptr<Packet> packet = frame->Copy();
    EthernetHeader header(false);
    packet->RemoveHeader(header);
    const Mac48Address to = header.GetDestination();
    PacketType type = PACKET_OTHERHOST;
    if (to == m_address)
    {
        type = PACKET_HOST;
    }
    else if (to.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (to.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promisc.IsNull())
    {
        m_promisc(this, packet->Copy(), header.GetLengthType(), header.GetSource(), to, type);
    }
    if (type != PACKET_OTHERHOST && !m_receive.IsNull())
    {
        m_macRx(packet);
        m_receive(this, packet, header.GetLengthType(), header.GetSource());
    }
}

void
FabricNetDevice::NotifyLinkChange()
{
    m_linkChange();
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_station && m_station->GetPort(m_port).IsUp();
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
FabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return true;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
FabricNetDevice::IsPointToPoint() const
{
    return false;
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    if (m_station)
    {
        m_station->SetContext(node->GetId());
    }
}

bool
FabricNetDevice::NeedsArp() const
{
    return true;
}

void
FabricNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promisc = callback;
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
