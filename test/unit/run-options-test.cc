/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/attribute-defaults.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-run-options.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** The message of the FabricError that a command line causes; "" if none. */
std::string
ErrorOf(const std::vector<std::string>& args)
{
    try
    {
        FabricRunOptions::Parse(args);
    }
    catch (const FabricError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(RunOptions, DefaultsAreTheMainJob)
{
    const auto o = FabricRunOptions::Parse({});
    EXPECT_EQ(o.mode, FabricRunOptions::Mode::FAT_TREE);
    EXPECT_EQ(o.k, 8U);
    EXPECT_EQ(o.load, 0.5);
    EXPECT_EQ(o.durationPs, 5'000'000'000);
    EXPECT_EQ(o.payload, 1000U);
    EXPECT_TRUE(o.pfc && o.ecn);
}

TEST(RunOptions, BothSpellingsAndUnits)
{
    const auto o = FabricRunOptions::Parse(
        {"--k", "4", "--load=30%", "--duration=1ms", "--attribute", "ns3::A::B=1",
         "--attribute=ns3::A::C=2", "--monitor=queue:10us:edge0,h1", "--monitor", "cnp"});
    EXPECT_EQ(o.k, 4U);
    EXPECT_DOUBLE_EQ(o.load, 0.3);
    EXPECT_EQ(o.durationPs, 1'000'000'000);
    ASSERT_EQ(o.attributes.size(), 2U);
    EXPECT_EQ(o.attributes[1], "ns3::A::C=2");
    ASSERT_EQ(o.monitors.size(), 2U);
    EXPECT_EQ(o.monitors[0].kind, "queue");
    EXPECT_EQ(o.monitors[0].intervalPs, 10'000'000);
    EXPECT_EQ(o.monitors[0].nodes, (std::vector<std::string>{"edge0", "h1"}));
    EXPECT_EQ(o.monitors[1].intervalPs, 10'000'000);
}

// fault 47: every wrong word is named, with what is allowed; nothing is guessed or ignored
TEST(RunOptions, BadInputIsRefused)
{
    EXPECT_NE(ErrorOf({"--laod=0.5"}).find("'load'"), std::string::npos);
    EXPECT_NE(ErrorOf({"--load=1.5"}).find("1.5"), std::string::npos);
    EXPECT_NE(ErrorOf({"--load=nan"}).find("nan"), std::string::npos);
    EXPECT_NE(ErrorOf({"--k=-2"}).find("-2"), std::string::npos);
    EXPECT_NE(ErrorOf({"--k"}).find("needs a value"), std::string::npos);
    EXPECT_NE(ErrorOf({"--duration=5"}).find("5"), std::string::npos);
    EXPECT_NE(ErrorOf({"--monitor=queu"}).find("queue"), std::string::npos);
    EXPECT_NE(ErrorOf({"--monitor=queue:0us"}).find("longer than 0"), std::string::npos);
    EXPECT_NE(ErrorOf({"--frame-profile=foo"}).find("rocev2"), std::string::npos);
    EXPECT_NE(ErrorOf({"--check=1"}).find("no value"), std::string::npos);
    EXPECT_NE(ErrorOf({"flow"}).find("flows"), std::string::npos);
    EXPECT_NE(ErrorOf({"flows"}).find("--topology"), std::string::npos);
    EXPECT_NE(ErrorOf({"flows", "--topology=a", "--flows=b", "--k=4"}).find("--k"),
              std::string::npos);
    EXPECT_NE(ErrorOf({"--topology=a"}).find("flows"), std::string::npos);
    EXPECT_NE(ErrorOf({"a.json", "--load=0.1"}).find("--load"), std::string::npos);
}

TEST(RunOptions, EveryOptionIsInTheHelp)
{
    const std::string help = FabricRunOptions::Help();
    for (const char* name : {"--k=", "--load=", "--attribute=", "--monitor=", "--check", "--out="})
    {
        EXPECT_NE(help.find(name), std::string::npos) << name;
    }
}

// fault 47: values are checked before ns-3 parses them, which would abort
TEST(AttributeDefaults, BadValuesAreRefusedAndNamed)
{
    AttributeDefaults defaults;
    for (const char* bad : {"ns3::SwitchBuffer::Size=-1",
                            "ns3::SwitchBuffer::Size=many",
                            "ns3::SwitchBuffer::Sise=1",
                            "ns3::SwitchBufer::Size=1",
                            "ns3::SwitchBuffer::Alpha=x",
                            "ns3::RedEcnMarker::ReferenceRate=100Gbs",
                            "ns3::RedEcnMarker::MaxProbability=2",
                            "ns3::RedEcnMarker::MarkOnEnqueue=maybe",
                            "ns3::PfcFlowControl::ReactionTime=5",
                            "ns3::PfcFlowControl::ReactionTime=-5us",
                            "ns3::FabricSwitch::Buffer=0",
                            "ns3::RdmaNic::CongestionOps=ns3::RdmaDcqcn",
                            "Size=1",
                            "nonsense"})
    {
        EXPECT_THROW(defaults.Set(bad), FabricError) << bad;
    }
}

// units that ns-3's own parser does not know, as Tb/s, are ours
TEST(AttributeDefaults, RatesAndTimesInTheUnitsOfFiles)
{
    AttributeDefaults defaults;
    const auto set = [&defaults](const std::string& type,
                                 const std::string& attribute,
                                 const std::string& value) {
        defaults.Set(type, attribute, value);
        const auto info = AttributeDefaults::Find(type, attribute);
        return info.initialValue->SerializeToString(info.checker);
    };
    EXPECT_EQ(set("ns3::MemoryDevice", "MemoryRate", "1Tb/s"), "1000000000000bps");
    EXPECT_EQ(set("ns3::MemoryDevice", "MemoryRate", "3.35TB/s"), "26800000000000bps");
    EXPECT_EQ(set("ns3::RedEcnMarker", "ReferenceRate", "2KiB/s"), "16384bps");
    EXPECT_EQ(set("ns3::PfcFlowControl", "ReactionTime", "0.5us").substr(0, 4), "+500");
}

TEST(AttributeDefaults, SuggestsWhatWasMeant)
{
    AttributeDefaults defaults;
    try
    {
        defaults.Set("ns3::SwitchBuffer::Sise=1");
        FAIL();
    }
    catch (const FabricError& error)
    {
        EXPECT_NE(std::string(error.what()).find("'Size'"), std::string::npos) << error.what();
    }
}

// a second run in the same process starts with the defaults as they were
TEST(AttributeDefaults, UndoneAtTheEnd)
{
    auto current = []() {
        TypeId::AttributeInformation info;
        TypeId::LookupByName("ns3::SwitchBuffer").LookupAttributeByName("Size", &info);
        return info.initialValue->SerializeToString(info.checker);
    };
    const std::string before = current();
    {
        AttributeDefaults defaults;
        defaults.Set("ns3::SwitchBuffer::Size=16MiB");
        EXPECT_EQ(current(), "16777216");
        defaults.Set("ns3::SwitchBuffer::Size=8MiB");
        EXPECT_EQ(current(), "8388608");
    }
    EXPECT_EQ(current(), before);
}
