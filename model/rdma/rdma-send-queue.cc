/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-send-queue.h"

#include <algorithm>

namespace ns3
{

void
RdmaSendQueue::Reset(uint64_t seq)
{
    head = tail = cursor = 0;
    cursorPacket = 0;
    postSeq = seq;
    postByte = 0;
    answerable = 0;
}

void
RdmaSendQueue::Push(const WorkRequest& wr, FabricPs readyAt, uint32_t packetBytes)
{
    if (tail - head == ring.size())
    {
        std::vector<Wqe> bigger(std::max<size_t>(4, ring.size() * 2));
        for (uint64_t i = head; i < tail; ++i)
        {
            bigger[i & (bigger.size() - 1)] = At(i);
        }
        ring.swap(bigger);
    }
    mtu = packetBytes;
    Wqe& w = At(tail++);
    w.wr = wr;
    w.firstSeq = postSeq;
    w.firstByte = postByte;
    w.packets = 1;
    w.readyAt = readyAt;
    w.value = 0;
    if (wr.opcode <= VerbsOpcode::RDMA_READ && wr.length > 0)
    {
        w.packets = static_cast<uint32_t>((wr.length - 1) / mtu + 1);
    }
    postSeq += w.packets;
    postByte += w.IsAnswered() ? 0 : wr.length;
}

void
RdmaSendQueue::SetCursor(uint64_t seq)
{
    answerable = 0;
    cursor = head;
    cursorPacket = 0;
    while (cursor < tail && seq >= At(cursor).firstSeq + At(cursor).packets)
    {
        answerable += At(cursor).IsAnswered() ? 1 : 0;
        ++cursor;
    }
    if (cursor < tail && seq > At(cursor).firstSeq)
    {
        cursorPacket = static_cast<uint32_t>(seq - At(cursor).firstSeq);
    }
}

void
RdmaSendQueue::Step(uint32_t packets)
{
    const Wqe& w = At(cursor);
    cursorPacket += packets;
    if (cursorPacket == w.packets)
    {
        answerable += w.IsAnswered() ? 1 : 0;
        cursorPacket = 0;
        ++cursor;
    }
}

void
RdmaSendQueue::Pop()
{
    if (At(head).IsAnswered() && cursor > head)
    {
        --answerable;
    }
    ++head;
    if (cursor < head)
    {
        cursor = head;
        cursorPacket = 0;
    }
}

} // namespace ns3
