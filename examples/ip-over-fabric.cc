/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// ns-3's own IP stack over the fabric: ping and a TCP transfer between two hosts of a fat-tree,
// while RDMA could use the same switches. The fabric forwards by MAC address, floods ARP along a
// spanning tree, and treats the frames as lossy best effort (class 0).

#include "ns3/ai-fabric-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    FatTreeBuilder::Parameters tree;
    tree.k = 4;
    uint64_t bytes = 2'000'000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("k", "switch ports of the fat-tree", tree.k);
    cmd.AddValue("bytes", "bytes of the TCP transfer", bytes);
    cmd.Parse(argc, argv);

    // ns-3 delays ARP requests by up to 10 ms against broadcast storms; a fabric needs none of it
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));

    FabricHelper::UseFastScheduler();
    FabricHelper fabric;
    fabric.Build(FatTreeBuilder(tree).Build());

    // an ordinary ns-3 IP network on the hosts' fabric devices
    NetDeviceContainer devices;
    NodeContainer hosts = fabric.GetHosts();
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        devices.Add(hosts.Get(i)->GetDevice(0));
    }
    InternetStackHelper().Install(hosts);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    const uint32_t last = hosts.GetN() - 1;

    const uint16_t port = 5001;
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    ApplicationContainer sinkApp = sink.Install(hosts.Get(last));
    BulkSendHelper bulk("ns3::TcpSocketFactory",
                        InetSocketAddress(interfaces.GetAddress(last), port));
    bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
    ApplicationContainer bulkApp = bulk.Install(hosts.Get(0));
    bulkApp.Start(MilliSeconds(1));

    // an echo over UDP plays ping: its application exists under one name in every ns-3
    UdpEchoServerHelper server(7);
    server.Install(hosts.Get(last));
    UdpEchoClientHelper client(interfaces.GetAddress(last), 7);
    client.SetAttribute("MaxPackets", UintegerValue(3));
    client.SetAttribute("Interval", TimeValue(MicroSeconds(100)));
    ApplicationContainer pings = client.Install(hosts.Get(0));
    pings.Start(MicroSeconds(100));
    Time sent;
    uint32_t echoes = 0;
    pings.Get(0)->TraceConnectWithoutContext(
        "Tx",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { sent = Simulator::Now(); }));
    pings.Get(0)->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
            ++echoes;
            std::cout << "echo " << echoes << ": " << (Simulator::Now() - sent).As(Time::US)
                      << std::endl;
        }));

    Simulator::Stop(Seconds(1));
    Simulator::Run();
    const uint64_t received = DynamicCast<PacketSink>(sinkApp.Get(0))->GetTotalRx();
    std::cout << "TCP: " << received << " of " << bytes << " bytes received" << std::endl;
    std::cout << "packet-hops: " << FabricStation::Trajectory().hops << std::endl;
    Simulator::Destroy();
    return received == bytes && echoes == 3 ? 0 : 1;
}
