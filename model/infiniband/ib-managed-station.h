/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_MANAGED_STATION_H
#define IB_MANAGED_STATION_H

#include "ns3/fabric-packet.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a subnet manager can do to a switch or adapter, by way of its management agent.
 *
 * Ports count from 1, as on the device.
 */
class IbManagedStation
{
  public:
    /** @brief Bytes of a management packet. */
    using Mad = std::array<uint8_t, 256>;

    /** @brief VL of management packets. */
    static constexpr uint8_t VL_MANAGEMENT = 15;

    virtual ~IbManagedStation() = default;

    /**
     * @brief Send a management packet on VL 15.
     * @param port port
     * @param mad its bytes
     */
    virtual void SendMad(uint8_t port, const Mad& mad) = 0;

    /**
     * @brief Let data through or drop it; management packets always pass.
     * @param port port
     * @param active true: PortState ACTIVE
     */
    virtual void SetActive(uint8_t port, bool active) = 0;

    /**
     * @brief Base LID and number of LIDs.
     * @param lid of an adapter's port, or of a switch
     * @param lmc 2^lmc LIDs
     */
    virtual void SetLid(uint16_t lid, uint8_t lmc) = 0;

    /**
     * @brief The linear forwarding table; nothing on an adapter.
     * @param top highest LID in use
     * @param table by LID: egress port, 255 for none
     */
    virtual void SetForwarding(uint16_t top, const std::vector<uint8_t>& table) = 0;

    /**
     * @brief A row of the SL-to-VL table.
     * @param in ingress port of a switch, 0: made there; of no matter on an adapter
     * @param out egress port
     * @param vls VL by SL
     */
    virtual void SetSlToVl(uint8_t in, uint8_t out, const std::array<uint8_t, 16>& vls) = 0;

    /**
     * @brief P_Keys of a port.
     * @param port port
     * @param keys the table
     */
    virtual void SetPKeys(uint8_t port, const std::vector<uint16_t>& keys) = 0;

    std::function<void(uint8_t, const Mad&)> onMad; //!< a management packet came in by a port
    std::function<void(uint8_t, bool)> onLink;      //!< the link of a port went down or came back

  protected:
    /**
     * @param mad bytes of a management packet
     * @return the frame; the caller owns it
     */
    static FabricPacket* MakeFrame(const Mad& mad);

    /**
     * @param p frame of a management packet
     * @return its bytes
     */
    static Mad ReadFrame(const FabricPacket& p);
};

} // namespace ns3

#endif /* IB_MANAGED_STATION_H */
