/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef RAW_MEMORY_H
#define RAW_MEMORY_H

#include "ns3/credit-switch.h"
#include "ns3/fabric-port.h"
#include "ns3/link-profile.h"
#include "ns3/object-factory.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * @brief An endpoint of memory packets without any memory: sends a script, answers, counts.
 */
class RawMemory : public CreditSwitch
{
  public:
    /** @brief Equal frames to send from a time on, as fast as credits allow. */
    struct Burst
    {
        FabricPs start{0};              //!< not before, ps
        uint32_t dst{0};                //!< endpoint
        MemoryOp op{MemoryOp::WRITE};   //!< what they are
        uint32_t payload{4096};         //!< data bytes, of requests asked for
        uint64_t count{1};              //!< frames
        uint16_t port{0};               //!< egress
        uint8_t vl{FABRIC_CLASSES};     //!< class; FABRIC_CLASSES: the operation's own
        uint64_t address{0};            //!< of the first; each next one is payload further
    };

    /** @brief What arrived of one operation. */
    struct Count
    {
        uint64_t frames{0}; //!< frames
        uint64_t bytes{0};  //!< payload bytes, of requests asked for
    };

    static TypeId GetTypeId();
    ~RawMemory() override;

    uint32_t endpoint{0};           //!< number of this endpoint
    FabricPs consumeTime{0};        //!< from a frame's last bit to its room being free
    FabricPs serviceTime{0};        //!< from a request's arrival to its answer
    bool answers{true};             //!< answer READ_REQUEST and FLUSH
    Count received[MEMORY_OPS];     //!< by operation
    FabricPs lastTail{0};           //!< latest last bit of any frame, ps
    FabricPs lastArrival{0};        //!< latest arrival of any frame, ps
    /** @brief Told of every frame, in order; p.arrival + p.tailLag is its last bit. */
    std::function<void(const FabricPacket& p)> onReceive;

    /**
     * @brief Queue a burst; bursts of one class and port are sent in the order given.
     * @param burst the burst
     * @return tag of its first frame; each next one is one more
     */
    uint32_t Send(Burst burst);

    /** @return frames not sent yet */
    uint64_t GetBacklog() const;

  private:
    /** @brief Frames to come of one port and class. */
    struct Script
    {
        std::vector<Burst> bursts; //!< from `next` on
        std::vector<uint32_t> tags; //!< of their first frames
        size_t next{0};            //!< burst being sent
        FabricPacketFifo answers;  //!< made and not queued yet; go first
    };

    bool DoIsMine(const FabricPacket& p) const override;
    void DoConsume(FabricPort& in, FabricPacket* p) override;
    void DoRefill(FabricPort& port, FabricPs now) override;

    void Answer(FabricPort& in, FabricPacket* p);
    FabricPacket* Next(Script& script, uint8_t vl, FabricPs now, FabricPs& wait);
    Script& At(uint16_t port, uint8_t vl);

    std::vector<Script> m_scripts; //!< by port and class
    uint32_t m_tag{0};             //!< last tag used
};

/**
 * @ingroup ai-fabric-tests
 * @brief Raw memories and switches with credits, wired by link profiles.
 */
class CreditFabric
{
  public:
    /** @brief A link. */
    struct Wire
    {
        std::string profile;  //!< row of LinkProfile
        uint32_t links{1};    //!< bundled
        uint32_t buffer{0};   //!< bytes of each end and class; 0: the profile's
        double errorRate{0};  //!< of each packet
        FabricPs latency{0};  //!< ps; 0: the profile's
        uint64_t rateBps{0};  //!< bit/s; 0: the profile's times links
    };

    bool eager{false};      //!< EagerArrivals everywhere
    bool cutThrough{true};  //!< at switches
    FabricPs returnTime{0}; //!< ReturnLatency of every port

    std::vector<Ptr<RawMemory>> memories;    //!< by endpoint
    std::vector<Ptr<CreditSwitch>> switches; //!< in order of creation

    ~CreditFabric();

    /** @return a new endpoint */
    Ptr<RawMemory> AddMemory();

    /**
     * @param type TypeId name
     * @return a new switch
     */
    Ptr<CreditSwitch> AddSwitch(const std::string& type = "ns3::CreditSwitch");

    /**
     * @brief Wire two stations by a port more of each.
     * @param a one
     * @param b other
     * @param wire the link
     * @return number of the link; its port at a is the one with channelId = that number
     */
    uint32_t Connect(Ptr<CreditSwitch> a, Ptr<CreditSwitch> b, const Wire& wire);

    /** @brief Shortest paths for all endpoints, then Start() of every station. */
    void Start();

    /**
     * @brief Endpoints round one switch, by port = endpoint.
     * @param n how many
     * @param wire every link
     * @param type TypeId name of the switch
     */
    void MakeStar(uint32_t n, const Wire& wire, const std::string& type = "ns3::CreditSwitch");

    /**
     * @brief Two endpoints at the ends of a row of switches; Start() too.
     * @param links how many
     * @param wire every link
     */
    void MakeLine(uint32_t links, const Wire& wire);

    /** @return empty when the credits of every port add up now, else what does not */
    std::string ExplainImbalance();

    /** @return empty when every credit is back at its sender and nothing is held, else what is */
    std::string ExplainRest();

    /** @return frames dropped anywhere */
    uint64_t GetDrops();

    /** @brief Run until nothing happens any more. */
    static void Run();

  private:
    std::vector<Ptr<CreditSwitch>> GetStations() const;
    void Route();

    uint32_t m_links{0}; //!< links made
};

} // namespace ns3

#endif /* RAW_MEMORY_H */
