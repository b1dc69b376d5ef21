/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-results.h"

#include "fabric-run-summary.h"
#include "file-digest.h"

#include "ns3/fabric-error.h"
#include "ns3/fabric-port.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace ns3
{

namespace
{
const char* const FLOW_HEADER =
    "# One row per flow, finished ones first, in order of completion. Times in ns (exact to 1 ps);"
    " empty: did not happen.\n"
    "# id: of the input; src, dst: node ids of the hosts; class: traffic class; bytes: payload"
    " asked for; start_ns: start of the flow\n"
    "# fct_rx_ns: from start to the last byte at the receiver; fct_ack_ns: from start to its ACK"
    " at the sender\n"
    "# ideal_rx_ns, ideal_ack_ns: the same for this flow alone in the network, without telemetry"
    " headers; slowdown: fct_ack_ns / ideal_ack_ns\n"
    "# delivered_bytes: payload that reached the receiver in order; retransmits: data packets sent"
    " again; timeouts: retry timer expiries\n"
    "# status: finished, failed (gave up), unfinished (cut off) or unstarted; reason: why not"
    " finished\n"
    "id,src,dst,class,bytes,start_ns,fct_rx_ns,fct_ack_ns,ideal_rx_ns,ideal_ack_ns,slowdown,"
    "delivered_bytes,retransmits,timeouts,status,reason\n";

const char* const PORT_HEADER =
    "# One row per port. Frames and bytes as buffers count them (no preamble or gap).\n"
    "# node, port, peer, peer_port: names and port numbers; link: link id; rate_gbps: 10^9 bit/s\n"
    "# tx_*: frames whose transmission began here; rx_*: frames that arrived whole; use: tx time"
    " over the time to the end of the last flow, preamble and gap included\n"
    "# ce_marks: frames marked here; xoff_tx, xon_tx: stop and resume words sent to the neighbour,"
    " counted per class; xoff_rx, xon_rx: received\n"
    "# paused_us: time this egress was paused, summed over classes; max_queue_bytes: longest"
    " egress queue of a class; max_ingress_bytes: most that came in here and was held, of a class\n"
    "# drop_*: packets dropped, by reason\n"
    "node,port,peer,peer_port,link,rate_gbps,tx_frames,tx_bytes,rx_frames,rx_bytes,use,ce_marks,"
    "xoff_tx,xon_tx,xoff_rx,xon_rx,paused_us,max_queue_bytes,max_ingress_bytes";

const char* const CLASS_HEADER =
    "# One row per traffic class, summed over all ports of a kind (host NICs or switches); columns"
    " as in ports.csv\n"
    "kind,class,tx_frames,tx_bytes,rx_frames,rx_bytes,ce_marks,xoff_tx,xon_tx,xoff_rx,xon_rx,"
    "paused_us,max_queue_bytes,max_ingress_bytes,drops\n";

/** Beginnings of the names of the CSV files that a run may write. */
const char* const OLD[] = {"flows", "ports", "classes", "queue", "rate", "pause", "mark", "cnp"};

/** Picoseconds as nanoseconds, exact; empty for a negative time. */
std::string
Ns(int64_t ps)
{
    if (ps < 0)
    {
        return "";
    }
    char text[40];
    std::snprintf(text, sizeof(text), "%lld.%03lld", static_cast<long long>(ps / 1000),
                  static_cast<long long>(ps % 1000));
    return text;
}

/** A text fit for a CSV field. */
std::string
Field(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.find_first_of(",\"") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (char c : text)
    {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

/** Add what one class of a port has counted. */
void
AddClass(FabricClassStats& sum, const FabricPort& port, uint8_t vl)
{
    const FabricClassStats& s = port.stats.of[vl];
    sum.txPackets += s.txPackets;
    sum.txBytes += s.txBytes;
    sum.rxPackets += s.rxPackets;
    sum.rxBytes += s.rxBytes;
    sum.ceMarks += s.ceMarks;
    sum.xoffTx += s.xoffTx;
    sum.xonTx += s.xonTx;
    sum.xoffRx += s.xoffRx;
    sum.xonRx += s.xonRx;
    sum.pausedPs += FabricRunSummary::PausedOf(port, vl);
    sum.maxQueueBytes = std::max(sum.maxQueueBytes, s.maxQueueBytes);
    sum.maxIngressBytes = std::max(sum.maxIngressBytes, s.maxIngressBytes);
    sum.drops += s.drops;
}

void
WritePort(std::ostream& os, const FabricPort& port, FabricPs end)
{
    FabricClassStats sum;
    for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
    {
        AddClass(sum, port, vl);
    }
    const double busy = static_cast<double>(sum.txBytes + sum.txPackets * port.gapBytes) * 8e12 /
                        static_cast<double>(port.rate.GetBps());
    const double use = end > 0 ? busy / static_cast<double>(end) : 0;
    char text[64];
    std::snprintf(text, sizeof(text), "%g", static_cast<double>(port.rate.GetBps()) * 1e-9);
    os << Field(port.station->GetName()) << "," << port.id << ","
       << (port.peer ? Field(port.peer->station->GetName()) : "") << ","
       << (port.peer ? std::to_string(port.peer->id) : "") << "," << port.channelId << "," << text
       << "," << sum.txPackets << "," << sum.txBytes << "," << sum.rxPackets << "," << sum.rxBytes;
    std::snprintf(text, sizeof(text), ",%.4f,", use);
    os << text << sum.ceMarks << "," << sum.xoffTx << "," << sum.xonTx << "," << sum.xoffRx << ","
       << sum.xonRx;
    std::snprintf(text, sizeof(text), ",%.3f,", static_cast<double>(sum.pausedPs) * 1e-6);
    os << text << sum.maxQueueBytes << "," << sum.maxIngressBytes;
    for (uint64_t drops : port.stats.dropsByReason)
    {
        os << "," << drops;
    }
    os << "\n";
}
} // namespace

FabricResults::FabricResults(const std::string& directory)
    : m_directory(directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (!std::filesystem::is_directory(directory))
    {
        throw FabricError("results directory '" + directory + "' cannot be made: " +
                          (error ? error.message() : "a file of that name exists"));
    }
    // files of an earlier run that this one may not write would be taken for its own
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    {
        const std::string name = entry.path().stem().string();
        const bool monitor = entry.path().extension() == ".csv" &&
                             std::any_of(std::begin(OLD), std::end(OLD), [&name](const char* old) {
                                 return name.compare(0, std::string(old).size(), old) == 0;
                             });
        if (monitor || name == "manifest" || name == "digest")
        {
            std::filesystem::remove(entry.path(), error);
        }
    }
    m_flows.open(GetPath("flows.csv"), std::ios::trunc);
    m_flows << FLOW_HEADER << std::flush;
    if (!m_flows)
    {
        throw FabricError("results directory '" + directory + "' is not writable; give another "
                          "one with --out=DIR");
    }
}

std::string
FabricResults::GetPath(const std::string& file) const
{
    return (std::filesystem::path(m_directory) / file).string();
}

void
FabricResults::Add(const FlowOutcome& f)
{
    char slowdown[32] = "";
    if (f.status == FlowOutcome::Status::FINISHED)
    {
        std::snprintf(slowdown, sizeof(slowdown), "%.4f", f.GetSlowdown());
    }
    m_flows << f.id << "," << f.src << "," << f.dst << "," << static_cast<int>(f.priority) << ","
            << f.bytes << "," << Ns(f.startPs) << "," << Ns(f.rxPs) << "," << Ns(f.ackPs) << ","
            << Ns(f.idealRxPs) << "," << Ns(f.idealAckPs) << "," << slowdown << "," << f.delivered
            << "," << f.retransmits << "," << f.timeouts << "," << f.GetStatusName() << ","
            << Field(f.reason) << "\n";
}

void
FabricResults::Flush()
{
    CheckWritten("flows.csv", m_flows);
}

void
FabricResults::CheckWritten(const std::string& file, std::ostream& os)
{
    os.flush();
    if (!os && m_unwritten.find(file) == std::string::npos)
    {
        m_unwritten += (m_unwritten.empty() ? "" : ", ") + file;
    }
}

void
FabricResults::WriteCounters(const FabricHelper& fabric, FabricPs lastEnd)
{
    fabric.SyncAll();
    std::ofstream ports(GetPath("ports.csv"), std::ios::trunc);
    ports << PORT_HEADER;
    for (uint8_t reason = 0; reason < FABRIC_DROP_REASONS; ++reason)
    {
        ports << ",drop_" << FabricDropReasonName(static_cast<FabricDropReason>(reason));
    }
    ports << "\n";
    FabricClassStats sums[2][FABRIC_CLASSES];
    for (const auto& node : fabric.GetTopology().GetNodes())
    {
        for (uint32_t link : fabric.GetTopology().GetLinks(node.id))
        {
            const uint32_t end = fabric.GetTopology().GetLinks()[link].a == node.id ? 0 : 1;
            const auto [station, index] = fabric.GetPortOfLink(link, end);
            const FabricPort& port = station->GetPort(index);
            WritePort(ports, port, lastEnd);
            const bool isSwitch = node.role == FabricTopology::Role::SWITCH;
            for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
            {
                AddClass(sums[isSwitch ? 1 : 0][vl], port, vl);
            }
        }
    }
    CheckWritten("ports.csv", ports);
    std::ofstream classes(GetPath("classes.csv"), std::ios::trunc);
    classes << CLASS_HEADER;
    for (int kind = 0; kind < 2; ++kind)
    {
        for (uint8_t vl = 0; vl < FABRIC_CLASSES; ++vl)
        {
            const FabricClassStats& s = sums[kind][vl];
            char paused[40];
            std::snprintf(paused, sizeof(paused), "%.3f", static_cast<double>(s.pausedPs) * 1e-6);
            classes << (kind == 0 ? "host" : "switch") << "," << static_cast<int>(vl) << ","
                    << s.txPackets << "," << s.txBytes << "," << s.rxPackets << "," << s.rxBytes
                    << "," << s.ceMarks << "," << s.xoffTx << "," << s.xonTx << "," << s.xoffRx
                    << "," << s.xonRx << "," << paused << "," << s.maxQueueBytes << ","
                    << s.maxIngressBytes << "," << s.drops << "\n";
        }
    }
    CheckWritten("classes.csv", classes);
}

void
FabricResults::WriteText(const std::string& file, const std::string& text)
{
    std::ofstream out(GetPath(file), std::ios::trunc);
    out << text;
    CheckWritten(file, out);
}

std::string
FabricResults::DigestOf(const std::vector<FlowOutcome>& flows)
{
    std::vector<const FlowOutcome*> sorted;
    for (const auto& flow : flows)
    {
        sorted.push_back(&flow);
    }
    std::sort(sorted.begin(), sorted.end(), [](const FlowOutcome* a, const FlowOutcome* b) {
        return a->index < b->index;
    });
    FileDigest digest;
    for (const FlowOutcome* f : sorted)
    {
        const std::string line = std::to_string(f->id) + "," + std::to_string(f->src) + "," +
                                 std::to_string(f->dst) + "," + std::to_string(f->bytes) + "," +
                                 std::to_string(f->startPs) + "," + std::to_string(f->rxPs) + "," +
                                 std::to_string(f->ackPs) + "," + std::to_string(f->delivered) +
                                 "," + f->GetStatusName() + "\n";
        digest.Update(line.data(), line.size());
    }
    return digest.Finish();
}

} // namespace ns3
