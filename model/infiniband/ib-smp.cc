/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ib-smp.h"

#include "ib-bits.h"

#include <algorithm>

namespace ns3
{

namespace
{
// byte offsets, volume 1, figure 158
constexpr size_t DATA = 64;
constexpr size_t INITIAL_PATH = 128;
constexpr size_t RETURN_PATH = 192;
constexpr uint8_t VERSION = 1;
} // namespace

std::array<uint8_t, IbSmp::BYTES>
IbSmp::Pack() const
{
    std::array<uint8_t, BYTES> bytes{};
    uint8_t* b = bytes.data();
    b[0] = VERSION;
    b[1] = DIRECTED_ROUTE_CLASS;
    b[2] = VERSION;
    b[3] = static_cast<uint8_t>(method);
    IbBits::Set(b, 32, 1, returning ? 1 : 0);
    IbBits::Set(b, 33, 15, static_cast<uint16_t>(status));
    b[6] = hopPointer;
    b[7] = hopCount;
    IbBits::Set(b, 64, 64, transaction);
    IbBits::Set(b, 128, 16, static_cast<uint16_t>(attribute));
    IbBits::Set(b, 160, 32, modifier);
    IbBits::Set(b, 192, 64, mKey);
    IbBits::Set(b, 256, 16, PERMISSIVE_LID);
    IbBits::Set(b, 272, 16, PERMISSIVE_LID);
    std::copy(data.begin(), data.end(), b + DATA);
    std::copy(initialPath.begin(), initialPath.end(), b + INITIAL_PATH);
    std::copy(returnPath.begin(), returnPath.end(), b + RETURN_PATH);
    return bytes;
}

bool
IbSmp::Unpack(const std::array<uint8_t, BYTES>& bytes, IbSmp& smp)
{
    const uint8_t* b = bytes.data();
    if (b[0] != VERSION || b[1] != DIRECTED_ROUTE_CLASS || b[2] != VERSION)
    {
        return false;
    }
    smp.method = static_cast<IbMethod>(b[3]);
    smp.returning = IbBits::Get(b, 32, 1) != 0;
    smp.status = static_cast<IbSmpStatus>(IbBits::Get(b, 33, 15));
    smp.hopPointer = b[6];
    smp.hopCount = b[7];
    smp.transaction = IbBits::Get(b, 64, 64);
    smp.attribute = static_cast<IbAttribute>(IbBits::Get(b, 128, 16));
    smp.modifier = static_cast<uint32_t>(IbBits::Get(b, 160, 32));
    smp.mKey = IbBits::Get(b, 192, 64);
    std::copy_n(b + DATA, smp.data.size(), smp.data.begin());
    std::copy_n(b + INITIAL_PATH, smp.initialPath.size(), smp.initialPath.begin());
    std::copy_n(b + RETURN_PATH, smp.returnPath.size(), smp.returnPath.begin());
    return true;
}

} // namespace ns3
