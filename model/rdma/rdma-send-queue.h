/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_SEND_QUEUE_H
#define RDMA_SEND_QUEUE_H

#include "verbs-work.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The send queue of a queue pair: a ring of requests, and where sending stands.
 *
 * head is the oldest incomplete request; the cursor (request, and packet inside it) is what goes
 * out next; going back moves the cursor. Sequences and bytes are given when a request is posted.
 */
struct RdmaSendQueue
{
    /** @brief One send request. */
    struct Wqe
    {
        WorkRequest wr;     //!< as posted
        uint64_t firstSeq;  //!< sequence of its first packet
        uint64_t firstByte; //!< data bytes of all requests before it
        uint32_t packets;   //!< sequences it takes; a READ: its response packets
        FabricPs readyAt;   //!< first packet not before, ps
        uint64_t value;     //!< atomics: original value

        /** @return true for what responses complete: READ and atomics */
        bool IsAnswered() const
        {
            return wr.opcode >= VerbsOpcode::RDMA_READ;
        }
    };

    /**
     * @brief Empty the queue.
     * @param seq sequence of the next packet posted
     */
    void Reset(uint64_t seq);

    /**
     * @brief Append a request.
     * @param wr the request, checked
     * @param readyAt when its first packet can go, ps
     * @param packetBytes payload of a full packet
     */
    void Push(const WorkRequest& wr, FabricPs readyAt, uint32_t packetBytes);

    /**
     * @param index request number
     * @return the request
     */
    Wqe& At(uint64_t index)
    {
        return ring[index & (ring.size() - 1)];
    }

    /**
     * @param index request number
     * @return the request
     */
    const Wqe& At(uint64_t index) const
    {
        return ring[index & (ring.size() - 1)];
    }

    /** @return true when no request is incomplete */
    bool IsEmpty() const
    {
        return head == tail;
    }

    /** @return the oldest incomplete request; there must be one */
    Wqe& Head()
    {
        return At(head);
    }

    /** @return the oldest incomplete request; there must be one */
    const Wqe& Head() const
    {
        return At(head);
    }

    /**
     * @param w a request
     * @param packet packets of it
     * @return data bytes of everything before that packet; READs and atomics have none
     */
    uint64_t ByteOf(const Wqe& w, uint64_t packet) const
    {
        const uint64_t bytes = packet * mtu;
        return w.firstByte + (w.IsAnswered() ? 0 : bytes < w.wr.length ? bytes : w.wr.length);
    }

    /** @return sequence at the cursor */
    uint64_t CursorSeq() const
    {
        return cursor == tail ? postSeq : At(cursor).firstSeq + cursorPacket;
    }

    /** @return data bytes before the cursor */
    uint64_t CursorByte() const
    {
        return cursor == tail ? postByte : ByteOf(At(cursor), cursorPacket);
    }

    /**
     * @brief Move the cursor to a sequence.
     * @param seq not before the head
     */
    void SetCursor(uint64_t seq);

    /**
     * @brief Packets at the cursor were sent.
     * @param packets sequences, not past the end of the request
     */
    void Step(uint32_t packets);

    /** @brief The oldest request is complete. */
    void Pop();

    std::vector<Wqe> ring;    //!< power of two, grows as needed
    uint64_t head{0};         //!< oldest incomplete request
    uint64_t tail{0};         //!< one past the newest
    uint64_t cursor{0};       //!< request being sent
    uint32_t cursorPacket{0}; //!< next packet of it
    uint32_t mtu{1};          //!< payload of a full packet
    uint64_t postSeq{0};      //!< sequence after the newest request
    uint64_t postByte{0};     //!< data bytes of all requests
    uint32_t answerable{0};   //!< READs and atomics begun and incomplete
};

} // namespace ns3

#endif /* RDMA_SEND_QUEUE_H */
