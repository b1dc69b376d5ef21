/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Wire arithmetic: header sizes, opcodes and goodput tables (W1, W2, W4, W5, W6, W9).
 */

#include "ns3/bth-opcode.h"
#include "ns3/fabric-error.h"
#include "ns3/frame-profile.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

/** @brief One row of a goodput table: message bytes and the printed percentage. */
struct GoodputRow
{
    uint64_t message;  //!< bytes
    double percent;    //!< as printed
    double resolution; //!< of the last printed digit
};

/**
 * @brief Compare a table with the rocev2 profile to the printed digits.
 * @param mtu payload bytes
 * @param rows the table
 */
void
ExpectGoodput(uint32_t mtu, const std::vector<GoodputRow>& rows)
{
    const auto& p = FrameProfile::Get("rocev2");
    for (const auto& row : rows)
    {
        const double got = 100 * p.WriteGoodputBps(1.0, row.message, mtu);
        EXPECT_EQ(std::round(got / row.resolution), std::round(row.percent / row.resolution))
            << row.message << " B: " << got << " %, printed " << row.percent;
    }
}

// The table is usable at compile time: a wrong bit there would not even build.
static_assert(BthTraits::HasReth(BTH_RC_WRITE_ONLY), "WRITE ONLY has a RETH");
static_assert(!BthTraits::HasReth(BTH_RC_WRITE_MIDDLE), "WRITE MIDDLE has none");
static_assert(BthTraits::IsAck(BTH_RC_ACK) && !BthTraits::IsRequest(BTH_RC_ACK), "ACK");

// W1: 82 bytes beside the payload on the wire, 62 in buffers, plus each extension header.
TEST(FrameProfileTest, W1RoceV2OverheadPerOpcode)
{
    const auto& p = FrameProfile::Get("rocev2");
    EXPECT_EQ(p.WireBytes(BTH_RC_WRITE_MIDDLE, 1000), 1082u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_WRITE_MIDDLE, 1000), 1062u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_SEND_ONLY, 1000), 1062u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_SEND_LAST_IMM, 1000), 1066u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_WRITE_FIRST, 1000), 1078u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_WRITE_ONLY, 1000), 1078u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_WRITE_ONLY_IMM, 1000), 1082u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_READ_REQUEST, 0), 78u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_READ_RESPONSE_FIRST, 1000), 1066u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_READ_RESPONSE_MIDDLE, 1000), 1062u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_READ_RESPONSE_LAST, 1000), 1066u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_READ_RESPONSE_ONLY, 1000), 1066u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_ACK, 0), 66u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_ATOMIC_ACK, 0), 74u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_CMP_SWAP, 0), 90u);
    EXPECT_EQ(p.BufferBytes(BTH_RC_FETCH_ADD, 0), 90u);
    EXPECT_EQ(p.BufferBytes(BTH_UD_SEND_ONLY, 1000), 1070u);
    EXPECT_EQ(p.BufferBytes(BTH_UD_SEND_ONLY_IMM, 1000), 1074u);
    EXPECT_EQ(p.WireGap(), 20u);
}

// W11: the captured CNP is 74 bytes with ICRC and without FCS: 78 with it.
TEST(FrameProfileTest, W11CnpLength)
{
    EXPECT_EQ(FrameProfile::Get("rocev2").BufferBytes(BTH_CNP, 0), 74u + 4u);
}

// W2: a GRH of 40 bytes in place of IPv4 and UDP (28).
TEST(FrameProfileTest, W2RoceV1)
{
    EXPECT_EQ(FrameProfile::Get("rocev1").WireBytes(BTH_RC_WRITE_MIDDLE, 1000), 1094u);
}

// The simulators' profiles: nothing but the payload changes a data frame, ACKs are 60 bytes.
TEST(FrameProfileTest, SimulatorProfiles)
{
    const std::vector<std::pair<const char*, uint32_t>> rows{{"hpcc", 36},
                                                             {"hpcc-int", 78},
                                                             {"plain48", 48}};
    for (const auto& row : rows)
    {
        const auto& p = FrameProfile::Get(row.first);
        for (uint8_t op : {BTH_RC_WRITE_FIRST, BTH_RC_WRITE_MIDDLE, BTH_RC_WRITE_ONLY})
        {
            EXPECT_EQ(p.BufferBytes(op, 1000), 1000 + row.second) << row.first;
            EXPECT_EQ(p.WireBytes(op, 1000), 1000 + row.second) << row.first;
        }
        EXPECT_EQ(p.BufferBytes(BTH_RC_ACK, 0), 60u) << row.first;
        EXPECT_EQ(p.WireGap(), 0u) << row.first;
    }
}

TEST(FrameProfileTest, UnknownNameListsWhatIsAllowed)
{
    try
    {
        FrameProfile::Get("rocev3");
        FAIL() << "an unknown profile was accepted";
    }
    catch (const FabricError& e)
    {
        const std::string what = e.what();
        EXPECT_NE(what.find("'rocev3'"), std::string::npos) << what;
        for (const auto& name : FrameProfile::Names())
        {
            EXPECT_NE(what.find(name), std::string::npos) << what;
        }
    }
}

// W4: RDMA WRITE goodput in percent of the line, MTU 1024.
TEST(FrameProfileTest, W4GoodputMtu1024)
{
    ExpectGoodput(1024,
                  {{64, 39.51, 0.01},
                   {256, 72.32, 0.01},
                   {512, 83.93, 0.01},
                   {1024, 91.266, 0.001},
                   {4096, 92.252, 0.001},
                   {8192, 92.419, 0.001},
                   {65536, 92.565, 0.001},
                   {1 << 20, 92.585, 0.001}});
}

// W5: the same with MTU 4096.
TEST(FrameProfileTest, W5GoodputMtu4096)
{
    ExpectGoodput(4096,
                  {{1024, 91.266, 0.001},
                   {4096, 97.663, 0.001},
                   {8192, 97.850, 0.001},
                   {16384, 97.944, 0.001},
                   {65536, 98.014, 0.001}});
}

// W6: below 4 KiB a NIC is bound by messages per second (7.0 to 7.3 million), above by W4; the
// measured rates (Gb/s at 100G, MTU 1024) must lie in that band, and within 0.25 % of W4 above.
TEST(FrameProfileTest, W6MessageRateLimit)
{
    const auto& p = FrameProfile::Get("rocev2");
    const std::vector<std::pair<uint64_t, double>> small{{64, 3.59},
                                                         {256, 14.98},
                                                         {512, 29.73},
                                                         {1024, 58.81}};
    for (const auto& [size, gbps] : small)
    {
        EXPECT_LE(p.WriteGoodputBps(100e9, size, 1024, 7.0e6), gbps * 1e9) << size;
        EXPECT_GE(p.WriteGoodputBps(100e9, size, 1024, 7.33e6), gbps * 1e9) << size;
        EXPECT_DOUBLE_EQ(p.WriteGoodputBps(100e9, size, 1024, 7.0e6), 7.0e6 * 8 * size);
    }
    const std::vector<std::pair<uint64_t, double>> large{{4096, 92.06},
                                                         {8192, 92.31},
                                                         {65536, 92.38},
                                                         {1 << 20, 92.40}};
    for (const auto& [size, gbps] : large)
    {
        EXPECT_NEAR(p.WriteGoodputBps(100e9, size, 1024, 7.0e6), gbps * 1e9, 0.0025 * gbps * 1e9);
        EXPECT_EQ(p.WriteGoodputBps(100e9, size, 1024, 7.0e6),
                  p.WriteGoodputBps(100e9, size, 1024));
    }
}

// A message of 0 bytes is one packet; 4 GiB and more does not wrap.
TEST(FrameProfileTest, EdgesOfMessageSize)
{
    const auto& p = FrameProfile::Get("rocev2");
    EXPECT_EQ(p.WriteWireBytes(0, 1024), 98u);
    EXPECT_EQ(p.WriteWireBytes(1024, 1024), 1024u + 98u);
    EXPECT_EQ(p.WriteWireBytes(1025, 1024), 1025u + 98u + 82u);
    const uint64_t tera = uint64_t{1} << 40;
    EXPECT_EQ(p.WriteWireBytes(tera, 1024), tera + 16 + 82 * (tera / 1024));
    EXPECT_THROW(p.WriteWireBytes(1, 0), FabricError);
}

// W9: the opcode table has 21 RC, 12 UC, 2 UD opcodes and the CNP; nothing else.
TEST(BthOpcodeTest, W9Numbers)
{
    int known = 0;
    for (int op = 0; op < 256; ++op)
    {
        const bool expect =
            op <= 0x14 || (op >= 0x20 && op <= 0x2b) || op == 0x64 || op == 0x65 || op == 0x81;
        EXPECT_EQ(BthTraits::IsKnown(static_cast<uint8_t>(op)), expect) << op;
        known += expect ? 1 : 0;
    }
    EXPECT_EQ(known, 36);
    EXPECT_EQ(BTH_RC_SEND_ONLY_IMM, 0x05);
    EXPECT_EQ(BTH_RC_WRITE_ONLY_IMM, 0x0b);
    EXPECT_EQ(BTH_RC_READ_REQUEST, 0x0c);
    EXPECT_EQ(BTH_RC_ACK, 0x11);
    EXPECT_EQ(BTH_RC_FETCH_ADD, 0x14);
    EXPECT_EQ(BTH_UD_SEND_ONLY, 0x64);
    EXPECT_EQ(BTH_CNP, 0x81);
}

// Identities that hold for every opcode, whatever the table says.
TEST(BthOpcodeTest, TraitsAgreeWithEachOther)
{
    for (int i = 0; i < 256; ++i)
    {
        const auto op = static_cast<uint8_t>(i);
        const int forms = BthTraits::IsFirst(op) + BthTraits::IsLast(op) + BthTraits::IsOnly(op);
        EXPECT_LE(forms, 1) << i;
        EXPECT_EQ(BthTraits::Starts(op), BthTraits::IsFirst(op) || BthTraits::IsOnly(op)) << i;
        EXPECT_EQ(BthTraits::Ends(op), BthTraits::IsLast(op) || BthTraits::IsOnly(op)) << i;
        EXPECT_FALSE(BthTraits::HasImm(op) && !BthTraits::Ends(op)) << i;
        EXPECT_FALSE(BthTraits::IsRequest(op) && BthTraits::HasAeth(op)) << i;
        EXPECT_FALSE(BthTraits::IsAck(op) && BthTraits::IsRequest(op)) << i;
        EXPECT_FALSE(!BthTraits::IsKnown(op) && BthTraits::Flags(op) != 0) << i;
    }
    // UC is RC shifted by 0x20, form by form.
    for (uint8_t op = BTH_RC_SEND_FIRST; op <= BTH_RC_WRITE_ONLY_IMM; ++op)
    {
        EXPECT_EQ(BthTraits::Flags(op), BthTraits::Flags(op + 0x20)) << int{op};
    }
}

} // namespace
