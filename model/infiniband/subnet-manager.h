/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SUBNET_MANAGER_H
#define SUBNET_MANAGER_H

#include "ib-forwarding.h"
#include "ib-lid-table.h"
#include "ib-sweep.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class IbSubnetAgent;

/**
 * @ingroup ai-fabric
 * @brief A subnet manager: finds the subnet, gives LIDs, computes and writes tables, brings ports
 * up, and looks again when something changes.
 *
 * It runs on a node and learns and programs everything by management packets over the links; it
 * has no other sight of the network. Of several managers one is master, the others stand by and
 * ask it whether it lives. The one with the highest priority is master, among equals the one with
 * the lowest GUID.
 */
class SubnetManager : public Object
{
  public:
    /** @brief Computes the tables of a subnet whose LIDs are set. */
    using Router = std::function<IbForwarding(const IbSubnet&)>;

    /** @brief What it did. */
    struct Stats
    {
        uint32_t sweeps{0};        //!< times that everything was looked at
        uint32_t checks{0};        //!< times that switches were asked for changes
        uint64_t blocksWritten{0}; //!< of forwarding tables
        uint32_t takeovers{0};     //!< times it became master
        uint32_t refused{0};       //!< writes that were not answered, or not with OK
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SubnetManager();
    ~SubnetManager() override;

    /**
     * @brief Put it on a node, before Start().
     * @param agent of the node; outlives the manager
     * @param port port whose GUID it goes by: 0 of a switch, 1 to n of an adapter
     * @param send puts a packet on the link of a port
     */
    void Attach(IbSubnetAgent& agent,
                uint8_t port,
                std::function<void(const IbSmp&, uint8_t)> send);

    /** @param router routing engine of one's own, instead of the attribute Engine */
    void SetRouter(Router router);

    /** @brief Begin, now. */
    void Start();

    /** @brief Fall silent at once, as a process that dies: nothing is asked or answered any more.
     */
    void Stop();

    /** @param smp an answer that the agent says is for it */
    void Receive(const IbSmp& smp);

    /** @return its state */
    IbSmInfo::State GetState() const
    {
        return m_state;
    }

    /** @return the subnet as it was found last, with the LIDs that it gave */
    const IbSubnet& GetSubnet() const
    {
        return m_subnet;
    }

    /** @return counters */
    const Stats& GetStats() const
    {
        return m_stats;
    }

    /** @return counters of its packets */
    const IbSmpClient::Stats& GetPacketStats() const
    {
        return m_client.GetStats();
    }

    /** @brief Signature of the trace source State. */
    typedef void (*StateCallback)(IbSmInfo::State old, IbSmInfo::State now);

    /** @brief Signature of the trace source Up. */
    typedef void (*UpCallback)(const IbSubnet& subnet);

  protected:
    void DoDispose() override;

  private:
    /** @brief Steps of bringing a subnet up; each begins when the one before is answered. */
    enum class Step : uint8_t
    {
        LIDS,   //!< LIDs of adapters and switches
        TABLES, //!< forwarding tables
        TOPS,   //!< highest LID; clears the change bit
        ARM,    //!< ports to ARMED
        ACTIVE, //!< ports to ACTIVE
        DONE
    };

    void Send(IbSmp smp);
    IbSmp Make(const IbSweep::Path& path,
               IbMethod method,
               IbAttribute attribute,
               uint32_t modifier = 0) const;
    IbSmInfo GetSmInfo() const;
    void SetState(IbSmInfo::State state);
    void Schedule(const Time& after, void (SubnetManager::*what)());

    void Sweep();
    void OnSwept();
    void AskOthers();
    void OnOther(uint32_t node, const IbSmInfo& info);
    void OnElected();
    void OnControl(uint32_t modifier);
    void StandBy(uint32_t master);
    void Poll();
    void Check();
    bool HasChanged(uint32_t node, bool isSwitch, const IbSmp* answer) const;

    void Write(uint32_t node, IbAttribute attribute, uint32_t modifier, const IbData& data);
    void Next();
    void Do(Step step);
    IbPortInfo WantedOf(uint32_t node, uint8_t port) const;
    void WriteLids();
    void WriteTables();
    void WriteTops();
    void WritePorts(IbPortState state);

    Time m_sweepInterval; //!< SweepInterval
    Time m_timeout;       //!< ResponseTimeout
    uint32_t m_tries;     //!< Tries
    uint32_t m_window;    //!< MaxOutstanding
    uint8_t m_priority;   //!< Priority
    Time m_pollInterval;  //!< PollInterval
    uint32_t m_pollTries; //!< PollTries
    uint64_t m_prefix;    //!< SubnetPrefix
    uint64_t m_mKey;      //!< MKey
    std::string m_engine; //!< Engine

    IbSubnetAgent* m_agent{nullptr};                      //!< of its node
    uint8_t m_port{0};                                    //!< port that it goes by
    std::function<void(const IbSmp&, uint8_t)> m_send;    //!< the links
    Router m_router;                                      //!< routing engine of one's own
    bool m_running{false};                                //!< between Start() and Stop()
    IbSmInfo::State m_state{IbSmInfo::State::NOT_ACTIVE}; //!< state
    uint32_t m_activity{0};                               //!< ActCount
    IbSmpClient m_client;                                 //!< its questions
    IbSweep m_sweep;                                      //!< discovery
    IbSubnet m_subnet;                                    //!< as found last
    EventId m_timer;                                      //!< next sweep, check or poll

    uint32_t m_open{0};         //!< questions of this step
    Step m_step{Step::DONE};    //!< step under way
    bool m_refused{false};      //!< something could not be written
    uint32_t m_others{0};       //!< other managers to be heard
    uint32_t m_outranked{0};    //!< of them those that go before this one
    uint32_t m_master{0};       //!< node of the master, in STANDBY
    uint32_t m_missed{0};       //!< polls without an answer
    IbSweep::Path m_masterPath; //!< way to the master

    IbLidTable m_lids;                                  //!< who has which LID
    std::map<uint64_t, std::vector<uint8_t>> m_written; //!< by switch GUID: table as written
    Stats m_stats;                                      //!< counters
    TracedCallback<IbSmInfo::State, IbSmInfo::State> m_stateTrace; //!< State
    TracedCallback<const IbSubnet&> m_upTrace;                     //!< Up
};

} // namespace ns3

#endif /* SUBNET_MANAGER_H */
