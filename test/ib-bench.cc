/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-bench.h"

#include <sstream>

namespace ns3
{

IbBench::~IbBench()
{
    Simulator::Destroy();
}

IbBench::Stream&
IbBench::Write(uint32_t a,
               uint32_t b,
               uint64_t bytes,
               uint32_t count,
               const VerbsQpAttributes& attributes)
{
    m_streams.push_back(std::make_unique<Stream>());
    m_posted.push_back(count);
    Stream* stream = m_streams.back().get();
    const Ptr<IbHca> source = fabric.GetHcas().at(a);
    stream->target = fabric.GetHcas().at(b);
    stream->cq = source->CreateCompletionQueue(1U << 16);
    stream->cq->SetCallback(
        Callback<void, VerbsCompletionQueue&>([stream](VerbsCompletionQueue& cq) {
            WorkCompletion wc;
            while (cq.Poll(&wc, 1) > 0)
            {
                stream->done.push_back(wc);
            }
        }));
    VerbsQpInit init;
    init.sendCq = stream->cq;
    init.maxSend = 1U << 15;
    const auto pair = fabric.Connect(source, stream->target, init, VerbsQpInit(), attributes);
    stream->from = pair.a;
    stream->to = pair.b;
    for (uint32_t i = 0; i < count; ++i)
    {
        WorkRequest wr;
        wr.wrId = i;
        wr.length = bytes;
        wr.rkey = stream->target->GetDefaultRegion()->GetRkey();
        stream->from->PostSend(wr);
    }
    return *stream;
}

void
IbBench::RunTo(const Time& until)
{
    Simulator::Stop(until - Simulator::Now());
    Simulator::Run();
}

void
IbBench::Mark()
{
    m_mark = FabricTime::Now();
    for (auto& stream : m_streams)
    {
        stream->target->CatchUp();
        stream->marked = stream->to->GetCounters().delivered;
    }
}

double
IbBench::GetGbps(const Stream& stream) const
{
    stream.target->CatchUp();
    const uint64_t bytes = stream.to->GetCounters().delivered - stream.marked;
    return 8e3 * static_cast<double>(bytes) / static_cast<double>(FabricTime::Now() - m_mark);
}

uint32_t
IbBench::CountFinished() const
{
    uint32_t finished = 0;
    for (size_t i = 0; i < m_streams.size(); ++i)
    {
        const auto& done = m_streams[i]->done;
        bool fine = done.size() == m_posted[i];
        for (const WorkCompletion& wc : done)
        {
            fine = fine && wc.status == VerbsWcStatus::SUCCESS;
        }
        finished += fine ? 1 : 0;
    }
    return finished;
}

std::string
IbBench::Describe() const
{
    std::ostringstream out;
    for (const auto& stream : m_streams)
    {
        for (const WorkCompletion& wc : stream->done)
        {
            out << wc.wrId << ':' << VerbsStatusName(wc.status) << '@' << wc.at << ' ';
        }
    }
    const auto print = [&out](const IbPortCounters& c) {
        out << c.xmitData << ' ' << c.rcvData << ' ' << c.xmitWait << ' ' << c.rcvErrors << ' '
            << c.symbolErrors << " / ";
    };
    for (const auto& sw : fabric.GetSwitches())
    {
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            print(sw->GetCounters(port));
        }
    }
    for (const auto& hca : fabric.GetHcas())
    {
        print(hca->GetPortCounters());
    }
    return out.str();
}

IbSubnet
IbStar(uint32_t hosts, const std::string& speed)
{
    return IbDumbbell(hosts, 0, speed);
}

IbSubnet
IbDumbbell(uint32_t a, uint32_t b, const std::string& speed)
{
    IbSubnet subnet;
    subnet.AddNode(IbSubnet::Type::SWITCH, "left", a + 1);
    if (b > 0)
    {
        subnet.AddNode(IbSubnet::Type::SWITCH, "right", b + 1);
        subnet.Connect(0, static_cast<uint8_t>(a + 1), 1, static_cast<uint8_t>(b + 1), 4, speed);
    }
    for (uint32_t i = 0; i < a + b; ++i)
    {
        const uint32_t host = subnet.AddNode(IbSubnet::Type::CA, "h" + std::to_string(i), 1);
        subnet.Connect(i < a ? 0 : 1,
                       static_cast<uint8_t>(i < a ? i + 1 : i - a + 1),
                       host,
                       1,
                       4,
                       speed);
    }
    return subnet;
}

} // namespace ns3
