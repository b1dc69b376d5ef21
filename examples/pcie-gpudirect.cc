/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * From the GPUs of one DGX A100 to those of another over its eight 200 Gb/s NICs, by GPUDirect RDMA
 * (the NIC reads and writes GPU memory below its own PCIe switch) and staged through host memory
 * (copy to the host, RDMA, copy to the GPU, in chunks). All is measured; these NICs reach the
 * ceiling of their links, where published ones stay at 180 to 190 of 200 Gb/s.
 *   ./fabric run pcie-gpudirect      or, in an ns-3 tree,      ./ns3 run pcie-gpudirect
 */
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{
constexpr uint64_t CHUNK = 512 << 10; // bytes copied, sent and copied at a time
constexpr uint64_t WINDOW = 4;        // chunks of a rail between the first copy and the last
bool g_direct = true;                 // GPUDirect RDMA, else staged
FabricPs g_end = 0;                   // the last chunk so far is in its far GPU's memory, ps

/** @brief GPU i of both chassis and the NICs beside them. */
class Rail
{
  public:
    /** @brief One end: called first for the sender, then for the receiver. */
    void AddEnd(const GpuServerHelper& server, const ServerNicHelper& nics, uint32_t index)
    {
        const uint32_t part = nics.GetParts().at(index);
        const uint32_t host = nics.GetNearestHost(part);
        const uint32_t gpu = nics.GetMemory("gpu" + std::to_string(index));
        const Ptr<RdmaNic> nic = nics.GetNic(part);
        VerbsQpInit init;
        init.pd = nic->GetDefaultDomain();
        const auto region = nic->RegisterMemory(init.pd, 0, 1 << 30, 0x0f, g_direct ? gpu : 0);
        (m_ends.empty() ? m_wr.lkey : m_wr.rkey) =
            m_ends.empty() ? region->GetLkey() : region->GetRkey();
        m_ends.push_back({server.GetGpu(index),
                          server.GetDevice(host)->GetEndpoint(),
                          server.GetBase(host),
                          nic->CreateQueuePair(init)});
    }

    void Start(uint64_t bytes)
    {
        RdmaNic::Connect(m_ends[0].qp, m_ends[1].qp);
        m_ends[1].qp->SetDeliveryCallback(MakeCallback(&Rail::Received, this));
        m_wr.length = std::min(bytes, CHUNK);
        m_left = bytes / m_wr.length;
        for (uint64_t i = 0; i < WINDOW; ++i)
        {
            Done(0);
        }
    }

  private:
    /** @brief A chunk is through: the next one. */
    void Done(FabricPs at)
    {
        g_end = at;
        const auto send = [this](const MemoryCompletion&) { m_ends[0].qp->PostSend(m_wr); };
        if (m_left > 0)
        {
            --m_left;
            g_direct ? send({}) : Copy(0, send);
        }
    }

    void Received(uint64_t, FabricPs at)
    {
        g_direct ? Done(at) : Copy(1, [this](const MemoryCompletion& c) { Done(c.done); });
    }

    /** @brief GPU to host at the sender, host to GPU at the receiver. */
    void Copy(uint32_t side, MemoryCallback done)
    {
        m_ends[side].gpu->Copy(side == 0,
                               m_ends[side].host,
                               m_ends[side].address,
                               m_wr.length,
                               done);
    }

    /** @brief Sender or receiver. */
    struct End
    {
        Ptr<MemoryDevice> gpu;  //!< below the same PCIe switch as the NIC
        uint32_t host;          //!< endpoint of the host memory next to the NIC
        uint64_t address;       //!< there
        Ptr<VerbsQueuePair> qp; //!< of the NIC
    };

    std::vector<End> m_ends; //!< sender, receiver
    WorkRequest m_wr;        //!< one chunk
    uint64_t m_left{0};      //!< chunks not begun
};

/** @return time of a transfer on each rail, ps */
double
Run(uint32_t rails, uint64_t bytes)
{
    FabricHelper::UseFastScheduler();
    FabricHelper fabric;
    fabric.SetNicAttribute("Mtu", UintegerValue(4096));
    fabric.Build(StarBuilder({2, {200'000'000'000, 500'000, 8}}).Build());
    std::vector<Rail> all(rails);
    GpuServerHelper server[2];
    for (uint32_t side : {0, 1})
    {
        server[side].Install(ServerCatalog::Make("dgx-a100"), fabric.GetHosts().Get(side));
        ServerNicHelper nics(server[side], fabric);
        nics.SkipNics({"mlx5_4", "mlx5_5", "mlx5_10", "mlx5_11"}); // storage cards
        nics.Attach();
        for (uint32_t i = 0; i < rails; ++i)
        {
            all[i].AddEnd(server[side], nics, i);
        }
    }
    for (uint32_t i = 0; i < rails; ++i)
    {
        all[i].Start(bytes);
    }
    Simulator::Run();
    Simulator::Destroy();
    return static_cast<double>(g_end);
}
} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    uint64_t bytes = 32 << 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "bytes of each rail, a multiple of 512 KiB", bytes);
    cmd.Parse(argc, argv);
    std::cout << std::fixed << "Gb/s and us:   \t1 NIC\t8 NICs\t8 B\t4 KiB\n";
    for (const bool direct : {true, false})
    {
        g_direct = direct;
        const auto bits = 8e3 * static_cast<double>(bytes); // and ps: Gb/s
        std::cout << (direct ? "GPUDirect RDMA " : "staged by hosts") << std::setprecision(1)
                  << "\t" << bits / Run(1, bytes) << "\t" << 8 * bits / Run(8, bytes) << "\t"
                  << std::setprecision(2) << Run(1, 8) / 1e6 << "\t" << Run(1, 4096) / 1e6 << "\n";
    }
    return 0;
}
