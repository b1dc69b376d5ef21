/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Two hosts on a switch play ping-pong with RDMA WRITE with immediate: verbs from a script.
 * Prints half the round trip for message sizes from 0 bytes to 1 MiB.
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/** @brief One player: posts a WRITE, waits for the other's, and so on. */
class Player
{
  public:
    /**
     * @param nic where it plays
     */
    explicit Player(Ptr<RdmaNic> nic)
        : m_nic(nic)
    {
        m_pd = nic->CreateProtectionDomain();
        m_buffer = nic->RegisterMemory(m_pd,
                                       0x10000,
                                       1 << 20,
                                       VERBS_ACCESS_LOCAL_WRITE | VERBS_ACCESS_REMOTE_WRITE);
        m_cq = nic->CreateCompletionQueue(64);
        m_cq->SetCallback(MakeCallback(&Player::OnCompletions, this));
        VerbsQpInit init;
        init.type = VerbsQpType::RC;
        init.pd = m_pd;
        init.sendCq = m_cq;
        init.recvCq = m_cq;
        qp = nic->CreateQueuePair(init);
    }

    /**
     * @brief Play.
     * @param other the other player
     * @param bytes message size
     * @param rounds how many times to answer
     * @param serves whether this one starts
     */
    void Start(Player& other, uint64_t bytes, uint32_t rounds, bool serves)
    {
        m_other = &other;
        m_bytes = bytes;
        m_left = rounds;
        qp->PostRecv({0, 0, 0, 0}); // takes the immediate data; the bytes go to the buffer
        if (serves)
        {
            Hit();
        }
    }

    Ptr<VerbsQueuePair> qp; //!< its queue pair

  private:
    void Hit()
    {
        WorkRequest wr;
        wr.opcode = VerbsOpcode::RDMA_WRITE_WITH_IMM;
        wr.flags = 0; // no completion of its own on success
        wr.length = m_bytes;
        wr.localAddr = m_buffer->GetAddress();
        wr.lkey = m_buffer->GetLkey();
        wr.remoteAddr = m_other->m_buffer->GetAddress();
        wr.rkey = m_other->m_buffer->GetRkey();
        wr.immData = --m_left;
        const VerbsResult result = qp->PostSend(wr);
        NS_ABORT_MSG_UNLESS(result == VerbsResult::OK, "PostSend refused");
    }

    void OnCompletions(VerbsCompletionQueue& cq)
    {
        WorkCompletion wc;
        while (cq.Poll(&wc, 1) > 0)
        {
            NS_ABORT_MSG_UNLESS(wc.status == VerbsWcStatus::SUCCESS, VerbsStatusName(wc.status));
            if (m_left > 0)
            {
                qp->PostRecv({0, 0, 0, 0});
                Hit();
            }
        }
    }

    Ptr<RdmaNic> m_nic;              //!< where it plays
    Ptr<VerbsProtectionDomain> m_pd; //!< its domain
    Ptr<VerbsMemoryRegion> m_buffer; //!< its memory
    Ptr<VerbsCompletionQueue> m_cq;  //!< its completions
    Player* m_other{nullptr};        //!< opponent
    uint64_t m_bytes{0};             //!< message size
    uint32_t m_left{0};              //!< messages still to send
};

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint32_t rounds = 100;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rounds", "round trips per size", rounds);
    cmd.Parse(argc, argv);

    std::cout << "      bytes  half round trip (us)\n";
    for (uint64_t bytes = 0; bytes <= 1 << 20; bytes = bytes == 0 ? 1 : bytes * 4)
    {
        StarBuilder::Parameters star;
        star.hosts = 2;
        FabricHelper fabric;
        fabric.Build(StarBuilder(star).Build());
        Player a(fabric.GetNic(0));
        Player b(fabric.GetNic(1));
        RdmaNic::Connect(a.qp, b.qp);
        b.Start(a, bytes, rounds, false);
        a.Start(b, bytes, rounds, true);
        Simulator::Run();
        // the last message is a's wait: 2 x rounds messages went one way or the other
        const FabricPs end = std::max(a.qp->GetLastMessageAt(), b.qp->GetLastMessageAt());
        std::cout << std::setw(11) << bytes << "  " << std::fixed << std::setprecision(3)
                  << static_cast<double>(end) / (2.0 * rounds) / 1e6 << "\n";
        Simulator::Destroy();
    }
    return 0;
}
