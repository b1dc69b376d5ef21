/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MEMORY_WRITE_WATCHER_H
#define MEMORY_WRITE_WATCHER_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Told where the posted writes of a MemoryDevice are, at the very time.
 *
 * A completion of the device itself comes later: when the owner's answer is back. Neither method
 * may begin an operation.
 */
class MemoryWriteWatcher
{
  public:
    virtual ~MemoryWriteWatcher() = default;

    /**
     * @brief Bytes of an operation have left the device: all that a port had of it.
     * @param tag what MemoryDevice::Post() returned
     * @param bytes how many
     */
    virtual void WriteLeft(uint32_t tag, uint64_t bytes) = 0;

    /**
     * @brief Bytes of an operation are in the owner's memory: all that a port had of it.
     * @param tag what MemoryDevice::Post() returned
     * @param bytes how many
     */
    virtual void WriteLanded(uint32_t tag, uint64_t bytes) = 0;
};

} // namespace ns3

#endif /* MEMORY_WRITE_WATCHER_H */
