/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef GPU_TIMING_H
#define GPU_TIMING_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What data sheets do not say about a GPU and measurements do: start-up and copy engines.
 *
 * Each row is fitted to one published measurement, named in `source`; that measurement is not
 * counted as a validation. Everything else follows from links, frames and memory.
 */
struct GpuTiming
{
    const char* family;     //!< how the model's name begins: "V100"
    int64_t issuePs;        //!< from the program's call to the first packet, ps
    int64_t memoryPs;       //!< access of the memory, ps
    uint64_t copyEngineBps; //!< ceiling of one copy engine, bit/s; 0: none below the links'
    const char* source;     //!< what it is fitted to

    /**
     * @param model name of a GPU model
     * @return its row; the last row, which is of no family in particular, for unknown models
     */
    static const GpuTiming& Get(const std::string& model);
};

} // namespace ns3

#endif /* GPU_TIMING_H */
