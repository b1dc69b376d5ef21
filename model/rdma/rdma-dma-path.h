/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RDMA_DMA_PATH_H
#define RDMA_DMA_PATH_H

#include "ns3/fabric-time.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief How one NIC reads the payload it sends from memory, and writes what it receives there.
 *
 * A memory is a number: 0 is the host memory next to the NIC, others (a GPU's memory, the far
 * socket's) mean what the path says they mean; memory regions carry them. A path answers in one of
 * two manners, the same for all its life. A *timed* path knows at once when the bytes will be
 * there and returns that time. Any other path returns FABRIC_NEVER and tells its client in an
 * event at the very time; it may not call back from within Fetch() or Store(). It is asked at the
 * time of the simulation clock, a timed path as of an arrival that may have passed.
 */
class RdmaDmaPath : public Object
{
  public:
    /** @brief Whom an untimed path tells. */
    class Client
    {
      public:
        virtual ~Client() = default;

        /**
         * @brief All bytes of a fetch are at the NIC now.
         * @param tag as given to Fetch()
         */
        virtual void FetchDone(uint64_t tag) = 0;

        /**
         * @brief Bytes of stores have left the NIC's receive buffer now.
         * @param bytes how many
         */
        virtual void StoreLeft(uint32_t bytes) = 0;

        /**
         * @brief All bytes of a store are in memory now.
         * @param tag as given to Store()
         */
        virtual void StoreDone(uint64_t tag) = 0;
    };

    /** @brief When a store is where. */
    struct Landing
    {
        FabricPs left; //!< its last byte leaves the NIC's receive buffer, ps
        FabricPs done; //!< its last byte is in memory, ps
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Take a client: one NIC, because stores are made in the order of its arrivals.
     * @param client the NIC's side; outlives this object's use
     * @throws FabricError when another one has it
     */
    void Attach(Client* client);

    /** @brief The client is gone: nobody is told any more. */
    void Detach();

    /** @return true when times are returned, false when the client is called */
    bool IsTimed() const;

    /**
     * @brief Read bytes from memory into the NIC.
     * @param memory which memory
     * @param bytes how many, > 0
     * @param now the clock, ps; never before that of an earlier call
     * @param tag to give back in FetchDone()
     * @return when the last byte is at the NIC, ps; FABRIC_NEVER: FetchDone() will tell
     */
    FabricPs Fetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag);

    /**
     * @brief Write received bytes into memory.
     *
     * Stores to one memory are done in the order in which they were asked for.
     * @param memory which memory
     * @param bytes how many, > 0
     * @param at when they came, ps; never before that of an earlier call
     * @param tag to give back in StoreDone()
     * @return both times, ps; FABRIC_NEVER: StoreLeft() and StoreDone() will tell
     */
    Landing Store(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag);

    /** @return bytes read from memory so far */
    uint64_t GetFetchedBytes() const
    {
        return m_fetched;
    }

    /** @return bytes written into memory so far */
    uint64_t GetStoredBytes() const
    {
        return m_stored;
    }

  protected:
    void DoDispose() override;

    Client* m_client{nullptr}; //!< whom an untimed path tells; null: nobody

  private:
    virtual bool DoIsTimed() const = 0;
    virtual FabricPs DoFetch(uint32_t memory, uint32_t bytes, FabricPs now, uint64_t tag) = 0;
    virtual Landing DoStore(uint32_t memory, uint32_t bytes, FabricPs at, uint64_t tag) = 0;

    uint64_t m_fetched{0}; //!< bytes
    uint64_t m_stored{0};  //!< bytes
};

} // namespace ns3

#endif /* RDMA_DMA_PATH_H */
