/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "fabric-channel.h"
#include "fabric-station.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/traced-callback.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief ns-3's view of one fabric port: what makes IP stacks, ns-3 tools and paths work.
 *
 * RDMA traffic does not pass through it. Foreign packets (an IP stack's) do: Send() wraps them in
 * an Ethernet frame for the NIC, which carries them as a packet record with the frame in a side
 * slot. Devices of switches forward in the station and refuse Send().
 */
class FabricNetDevice : public NetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief The port that this device shows.
     * @param station its station
     * @param port port number
     * @param channel its cable
     */
    void SetPort(Ptr<FabricStation> station, uint16_t port, Ptr<FabricChannel> channel);

    /** @return the station */
    Ptr<FabricStation> GetStation() const;

    /** @return port number at the station */
    uint16_t GetPortNumber() const;

    /** @brief How a NIC takes a frame: frame, destination endpoint, class; false when refused. */
    typedef std::function<bool(Ptr<Packet>, uint32_t, uint8_t)> FrameSender;

    /**
     * @param sender the NIC's entry for frames; null at switches
     */
    void SetFrameSender(FrameSender sender);

    /**
     * @brief A frame has arrived at the NIC.
     * @param frame the frame, Ethernet header first
     * @param srcEndpoint endpoint that sent it
     * @param at arrival, ps; this is called at that time
     */
    void ReceiveFrame(Ptr<Packet> frame, uint32_t srcEndpoint, FabricPs at);

    /** @brief The link went up or down: tell the listeners. */
    void NotifyLinkChange();

    /**
     * @brief The MAC address of an endpoint: locally administered, the number in the low bytes.
     * @param endpoint endpoint number
     * @return 02:00:xx:xx:xx:xx
     */
    static Mac48Address AddressOf(uint32_t endpoint);

    /**
     * @brief The endpoint behind a MAC address.
     * @param address an address
     * @return endpoint number, FABRIC_BROADCAST for group addresses
     */
    static uint32_t EndpointOf(const Mac48Address& address);

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsPointToPoint() const override;
    bool IsBridge() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<FabricStation> m_station;          //!< whose port this is
    uint16_t m_port{0};                    //!< port number
    Ptr<FabricChannel> m_channel;          //!< cable
    FrameSender m_sender;                  //!< the NIC's entry
    Ptr<Node> m_node;                      //!< owner
    Mac48Address m_address;                //!< MAC address
    uint32_t m_ifIndex{0};                 //!< index at the node
    uint16_t m_mtu{1500};                  //!< Mtu
    uint8_t m_class{0};                    //!< FrameClass
    ReceiveCallback m_receive;             //!< to the node
    PromiscReceiveCallback m_promisc;      //!< to the node
    TracedCallback<> m_linkChange;         //!< link up/down listeners
    TracedCallback<Ptr<const Packet>> m_macTx;     //!< MacTx
    TracedCallback<Ptr<const Packet>> m_macTxDrop; //!< MacTxDrop
    TracedCallback<Ptr<const Packet>> m_macRx;     //!< MacRx
    TracedCallback<Ptr<const Packet>> m_sniffer;   //!< Sniffer
};

} // namespace ns3

#endif /* FABRIC_NET_DEVICE_H */
