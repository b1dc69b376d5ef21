/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-net-writer.h"

#include <iomanip>
#include <sstream>
#include <string>

namespace ns3
{

using Type = IbSubnet::Type;

namespace
{

std::string
Hex(uint64_t value)
{
    std::ostringstream os;
    os << std::hex << value;
    return os.str();
}

/** @return what the far end's line says about a node: description, LID, width and speed */
std::string
PeerText(const IbSubnet& subnet, const IbSubnet::Port& port)
{
    const IbSubnet::Node& peer = subnet.At(port.peer);
    const IbSubnet::Port& managed = peer.ports[peer.type == Type::SWITCH ? 0 : port.peerPort];
    return "\"" + peer.description + "\" lid " + std::to_string(managed.lid) +
           (port.speed.empty() ? "" : " " + std::to_string(port.lanes) + "x" + port.speed);
}

} // namespace

void
IbNetWriter::WriteDiscovery(const IbSubnet& subnet, std::ostream& os)
{
    for (const auto& node : subnet.GetNodes())
    {
        const bool isSwitch = node.type == Type::SWITCH;
        os << "vendid=0x" << Hex(node.vendor) << "\ndevid=0x" << Hex(node.device)
           << "\nsysimgguid=0x" << Hex(node.systemGuid) << "\n"
           << (isSwitch ? "switch" : (node.type == Type::CA ? "ca" : "rt")) << "guid=0x"
           << Hex(node.guid) << (isSwitch ? "(" + Hex(node.ports[0].guid) + ")" : "") << "\n"
           << (isSwitch ? "Switch" : (node.type == Type::CA ? "Ca" : "Rt")) << "\t"
           << +node.GetNPorts() << " \"" << node.name << "\"\t\t# \"" << node.description << "\"";
        if (isSwitch)
        {
            os << " base port 0 lid " << node.ports[0].lid << " lmc " << +node.ports[0].lmc;
        }
        os << "\n";
        for (size_t i = 1; i < node.ports.size(); ++i)
        {
            const IbSubnet::Port& port = node.ports[i];
            if (port.peer == IbSubnet::NONE)
            {
                continue;
            }
            const IbSubnet::Node& peer = subnet.At(port.peer);
            os << "[" << i << "]" << (isSwitch ? "" : "(" + Hex(port.guid) + ") ") << "\t\""
               << peer.name << "\"[" << +port.peerPort << "]";
            if (peer.type != Type::SWITCH)
            {
                os << "(" << Hex(peer.ports[port.peerPort].guid) << ")";
            }
            os << " \t\t# ";
            if (!isSwitch)
            {
                os << "lid " << port.lid << " lmc " << +port.lmc << " ";
            }
            os << PeerText(subnet, port) << "\n";
        }
        os << "\n";
    }
}

void
IbNetWriter::WriteSimulator(const IbSubnet& subnet, std::ostream& os)
{
    for (const auto& node : subnet.GetNodes())
    {
        if (node.guid != 0)
        {
            os << (node.type == Type::SWITCH ? "switch" : "ca") << "guid=0x" << Hex(node.guid)
               << "\n";
        }
        os << (node.type == Type::SWITCH ? "Switch" : "Hca") << "\t" << +node.GetNPorts() << " \""
           << node.name << "\"\n";
        for (size_t i = 1; i < node.ports.size(); ++i)
        {
            const IbSubnet::Port& port = node.ports[i];
            if (port.peer != IbSubnet::NONE)
            {
                os << "[" << i << "]\t\"" << subnet.At(port.peer).name << "\"[" << +port.peerPort
                   << "]\n";
            }
        }
        os << "\n";
    }
}

} // namespace ns3
