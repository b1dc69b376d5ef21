/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_HCA_H
#define IB_HCA_H

#include "ib-managed-station.h"
#include "ib-port-counters.h"

#include "ns3/rdma-nic.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class IbFlowControl;

/**
 * @ingroup ai-fabric
 * @brief A port of an InfiniBand channel adapter: the verbs of RdmaNic behind credits.
 *
 * Its endpoint number is its LID. A queue pair's service level gives the VL by the SL-to-VL table,
 * which is read as the pair goes to RTR; VLs 0 to 7 carry data. Received frames are used up as they
 * arrive, so their room is free at once. A frame starts on a VL when there is room for one of Mtu:
 * real adapters let a shorter one start earlier. Each P_Key of a queue pair must be in the table,
 * and what comes with another one is dropped and counted.
 */
class IbHca : public RdmaNic, public IbManagedStation
{
  public:
    static constexpr uint8_t SERVICE_LEVELS = 16; //!< SL 0 to 15

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    IbHca();

    /**
     * @brief The port is wired and has policies: hand out credits.
     * @throws FabricError when they are not those of InfiniBand at both ends
     */
    void Start();

    /** @param port port number on the device, from 1; what onMad and onLink say. Default: 1 */
    void SetDevicePort(uint8_t port)
    {
        m_devicePort = port;
    }

    void SendMad(uint8_t port, const Mad& mad) override;
    void SetActive(uint8_t port, bool active) override;
    void SetLid(uint16_t lid, uint8_t lmc) override;
    void SetForwarding(uint16_t top, const std::vector<uint8_t>& table) override;
    void SetSlToVl(uint8_t in, uint8_t out, const std::array<uint8_t, 16>& vls) override;
    void SetPKeys(uint8_t port, const std::vector<uint16_t>& keys) override;

    /** @return VL of an SL, VL_MANAGEMENT for none @param sl 0 to 15 */
    uint8_t GetVl(uint8_t sl) const
    {
        return m_slToVl[sl % SERVICE_LEVELS];
    }

    /** @return packets dropped for their P_Key */
    uint64_t GetPKeyViolations() const
    {
        return m_pKeyViolations;
    }

    /** @return the port's counters up to now */
    IbPortCounters GetPortCounters();

    /** @return empty when the credits of the port add up, else what does not */
    std::string ExplainImbalance();

  private:
    void DoPost(FabricPort& in, FabricPacket* p) override;
    void DoAdmit(FabricPort& in, FabricPacket* p) override;
    FabricPacket* DoSelect(FabricPort& port, FabricPs now) override;
    FabricPs DoNextWake(FabricPort& port, FabricPs now) override;
    void DoLinkChanged(FabricPort& port, bool up) override;
    bool DoAccept(const VerbsQpAttributes& attributes, uint32_t mtu, uint8_t& vl) override;

    IbFlowControl& Flow();
    void ReserveLargest();
    bool IsForeign(const FabricPacket& p);
    void NoteWait(FabricPs now, bool sent);

    uint8_t m_devicePort{1};                            //!< port number on the device
    uint8_t m_lmc{0};                                   //!< 2^lmc LIDs
    bool m_active{true};                                //!< carries data
    std::array<uint8_t, SERVICE_LEVELS> m_slToVl{};     //!< VL by SL
    std::vector<uint16_t> m_pKeys{FABRIC_DEFAULT_PKEY}; //!< P_Key table
    uint64_t m_pKeyViolations{0};                       //!< packets dropped for their P_Key
    uint64_t m_downed{0};                               //!< LinkDownedCounter
    FabricPs m_waited{0};                               //!< PortXmitWait, ps
    FabricPs m_waitsSince{FABRIC_NEVER};                //!< something is held up since, ps
};

} // namespace ns3

#endif /* IB_HCA_H */
