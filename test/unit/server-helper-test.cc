/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reader-test-util.h"

#include "ns3/attribute-defaults.h"
#include "ns3/data-rate.h"
#include "ns3/gpu-server-helper.h"
#include "ns3/server-catalog.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Kind = ServerTopology::Kind;

/** @brief A helper, and the simulation that it may start. */
class ServerHelper : public testing::Test
{
  protected:
    ServerHelper()
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
    }

    ~ServerHelper() override
    {
        Simulator::Destroy();
    }

    /** @brief Expect that a mistake is answered in these words. */
    template <typename F>
    static void Refused(const std::string& words, F&& mistake)
    {
        const std::string error = ErrorOf(mistake);
        EXPECT_NE(error.find(words), std::string::npos) << words << " in: " << error;
    }

    /** @return an attribute of a GPU, as ns-3 prints it */
    std::string Get(const std::string& name) const
    {
        StringValue text;
        server.GetGpu(0)->GetAttribute(name, text);
        return text.Get();
    }

    GpuServerHelper server; //!< under test
};

TEST_F(ServerHelper, ModelsSayWhatNobodyElseSays)
{
    server.Build(ServerCatalog::Make("dgx-h100"));
    EXPECT_EQ(DataRate(Get("CopyEngineRate")), DataRate(3'008'000'000'000));
}

TEST_F(ServerHelper, AChangedDefaultOutranksTheModel)
{
    AttributeDefaults defaults; // undone at the end
    defaults.Set("ns3::MemoryDevice::CopyEngineRate=100Gb/s");
    defaults.Set("ns3::MemoryDevice::MemoryRate=1Tb/s");
    const DataRate nearer(2'000'000'000'000);
    server.SetDeviceAttribute(Kind::GPU, "MemoryRate", DataRateValue(nearer));
    server.Build(ServerCatalog::Make("dgx-h100"));
    EXPECT_EQ(DataRate(Get("CopyEngineRate")), DataRate("100Gb/s"));
    EXPECT_EQ(DataRate(Get("MemoryRate")), nearer);
}

TEST_F(ServerHelper, DefaultsWithoutEffectAreRefused)
{
    AttributeDefaults defaults;
    for (const char* text : {"ns3::FabricChannel::Delay=1us",
                             "ns3::MemoryDevice::MemoryBytes=1GiB",
                             "ns3::MemoryDevice::Relay=true",
                             "ns3::NvSwitch::PipelineLatency=1us",
                             "ns3::CreditFlowControl::Buffer=64KiB"})
    {
        Refused("would have no effect", [&]() { defaults.Set(text); });
    }
}

TEST_F(ServerHelper, RefusesAttributesThatDoNotFit)
{
    Refused("FrameBytes", [&]() {
        server.SetDeviceAttribute(Kind::GPU, "FrameByte", UintegerValue(256));
    });
    Refused("16", [&]() { // the least that it may be
        server.SetDeviceAttribute(Kind::GPU, "FrameBytes", UintegerValue(1));
    });
    Refused("DataRateValue", [&]() {
        server.SetDeviceAttribute(Kind::GPU, "CopyEngineRate", StringValue("fast"));
    });
    Refused("SetNvSwitchAttribute", [&]() {
        server.SetDeviceAttribute(Kind::NVSWITCH, "Generation", UintegerValue(3));
    });
    Refused("CrossbarLatency", [&]() {
        server.SetNvSwitchAttribute("CrosbarLatency", TimeValue(NanoSeconds(1)));
    });
    Refused("PipelineLatency", [&]() {
        server.SetPcieSwitchAttribute("Latency", TimeValue(NanoSeconds(1)));
    });
}

TEST_F(ServerHelper, RefusesLinksAndRanksThatDoNotExist)
{
    const ServerTopology topology = ServerCatalog::Make("dgx-h100");
    const std::string links = std::to_string(topology.GetLinks().size());
    server.SetLinkRate(9999, 1'000'000'000);
    Refused("link 9999 does not exist: there are " + links, [&]() { server.Build(topology); });
    GpuServerHelper grouped;
    grouped.AddGroup({0, 1});
    grouped.AddGroup({0, 8});
    Refused("group 1: rank 8 does not exist: there are 8", [&]() { grouped.Build(topology); });
}

TEST_F(ServerHelper, RefusesChangesThatComeTooLate)
{
    server.Build(ServerCatalog::Make("ring8-nvlink"));
    Refused("built already", [&]() { server.SetLinkRate(0, 1'000'000'000); });
    Refused("built already", [&]() { server.AddGroup({0, 1}); });
    Refused("built already", [&]() { server.Build(ServerCatalog::Make("ring8-nvlink")); });
}

} // namespace
