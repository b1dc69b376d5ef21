/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_PCIE_PORTS_H
#define RDMA_PCIE_PORTS_H

#include "memory-completion.h"
#include "memory-write-watcher.h"

#include "ns3/rdma-dma-path.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class MemoryDevice;

/**
 * @ingroup ai-fabric
 * @brief PCIe as real ports: a NIC's reads and writes of memory are packets inside its server.
 *
 * They leave by the ports of a MemoryDevice, the NIC's PCIe side, and share every link, switch and
 * memory with whatever else happens there. A fetch is a read request of the memory's owner, of
 * which the device has at most MaxReads under way. A store is a posted write: its bytes leave the
 * NIC's receive buffer when the last of them is on the slot's wire, and count as received when
 * they are in the owner's memory. A header follows each store, as the completion entry does that a
 * NIC writes behind its data.
 *
 * The device's FrameBytes should be no less than the NIC's MTU: frames of one fetch stay together,
 * those of several fetches take turns.
 *
 * A NIC whose slot fails, or that gets no answer in time, falls silent: what it waits for never
 * comes, and GetFailedBytes() counts it.
 */
class RdmaPciePorts : public RdmaDmaPath, private MemoryWriteWatcher
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPciePorts();
    ~RdmaPciePorts() override;

    /**
     * @brief Say whose ports; before SetMemory().
     * @param device the NIC's PCIe side: its endpoint number is set
     * @throws FabricError when there is one already
     */
    void SetDevice(Ptr<MemoryDevice> device);

    /** @return the NIC's PCIe side */
    Ptr<MemoryDevice> GetDevice() const;

    /**
     * @brief Say what a number of a memory means.
     * @param memory as RdmaNic::RegisterMemory() takes it; 0: what regions have by default
     * @param owner who has it
     * @param address where the NIC's buffers begin, at the owner
     * @throws FabricError without a device, or when the owner is the NIC itself
     */
    void SetMemory(uint32_t memory, Ptr<MemoryDevice> owner, uint64_t address);

    /** @return bytes that will never come, because a link failed or no answer came in time */
    uint64_t GetFailedBytes() const
    {
        return m_failed;
    }

  protected:
    void DoDispose() override;

  private:
    /** @brief What a number means. */
    struct Memory
    {
        Ptr<MemoryDevice> owner; //!< who has it
        uint64_t address;        //!< where
    };

    /** @brief A store under way. */
    struct Posted
    {
        uint32_t operation; //!< tag of the device's operation
        uint32_t landing;   //!< bytes not yet in memory
        uint64_t tag;       //!< the NIC's
    };

    /** @brief A store that the device has not been given yet. */
    struct Waiting
    {
        uint32_t memory; //!< number
        uint32_t bytes;  //!< how many
        uint64_t tag;    //!< the NIC's
    };

    bool DoIsTimed() const override;
    FabricPs DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag) override;
    Landing DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag) override;
    void WriteLeft(uint32_t tag, uint64_t bytes) override;
    void WriteLanded(uint32_t tag, uint64_t bytes) override;
    const Memory& Find(uint32_t memory) const;
    void Post(const Waiting& store);
    void Finish(const MemoryCompletion& completion);
    void FinishStore(const MemoryCompletion& completion);

    Ptr<MemoryDevice> m_device;          //!< the NIC's PCIe side
    std::map<uint32_t, Memory> m_memory; //!< by number
    std::vector<Posted> m_stores;        //!< by slot of the device's operation
    uint32_t m_posted{0};                //!< stores that the device has
    std::vector<Waiting> m_ring;         //!< power of two: stores that it is yet to have
    uint64_t m_head{0};                  //!< oldest
    uint64_t m_tail{0};                  //!< one past the newest
    uint64_t m_failed{0};                //!< bytes
};

} // namespace ns3

#endif /* RDMA_PCIE_PORTS_H */
