/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-timing.h"

namespace ns3
{

namespace
{
constexpr int64_t NS = 1000;
constexpr uint64_t GBPS = 8'000'000'000; // 10^9 byte/s in bit/s

const GpuTiming ROWS[] = {
    {"P100", 9000 * NS, 400 * NS, 0, "9.1-10.3 us between NVLink peers, p2pBandwidthLatencyTest"},
    {"V100", 1500 * NS, 300 * NS, 0, "1.8-2.24 us between NVLink peers, p2pBandwidthLatencyTest"},
    {"A100", 2500 * NS, 300 * NS, 276 * GBPS + GBPS / 2, "nvbandwidth 276-276.8 GB/s; 2.8-3.4 us"},
    {"H100", 2500 * NS, 300 * NS, 376 * GBPS, "nvbandwidth 376 GB/s; start-up as the A100's"},
    {"H200",
     2500 * NS,
     300 * NS,
     396 * GBPS + 2 * GBPS / 5,
     "nvbandwidth 396.4 GB/s; start-up as the A100's"},
    {"", 2000 * NS, 300 * NS, 0, "assumed"},
};
} // namespace

const GpuTiming&
GpuTiming::Get(const std::string& model)
{
    const GpuTiming* row = ROWS;
    while (model.rfind(row->family, 0) != 0)
    {
        ++row; // the last one fits every name
    }
    return *row;
}

} // namespace ns3
