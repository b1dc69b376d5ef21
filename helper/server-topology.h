/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SERVER_TOPOLOGY_H
#define SERVER_TOPOLOGY_H

#include "ns3/link-profile.h"

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief The inside of servers as data: GPUs, NVSwitches, PCIe switches, CPUs, NICs, dies, memory
 * and the links between them.
 *
 * Pure data without ns-3 objects: ServerCatalog and the readers fill it. One topology may span
 * several chassis (an NVLink domain). Every Add method refuses what cannot exist by throwing
 * FabricError with the counts. What a read dump leaves open is kept as a question with a name.
 */
class ServerTopology
{
  public:
    /** @brief What a part is. */
    enum class Kind : uint8_t
    {
        GPU,         //!< accelerator with memory; the only kind that counts as a rank
        NVSWITCH,    //!< switch of GPU links
        PCIE_SWITCH, //!< PCIe switch chip
        CPU,         //!< root complex of a socket with its host memory
        NIC,         //!< network card
        DIE,         //!< die of a chiplet package
        MEMORY,      //!< memory stack of a chiplet package
        DEVICE       //!< on PCIe, but the dump does not say what it is
    };

    static constexpr uint32_t NO_LIMIT = std::numeric_limits<uint32_t>::max(); //!< any number

    /** @brief A part. */
    struct Part
    {
        uint32_t id{0};              //!< dense, 0-based
        Kind kind{Kind::GPU};        //!< what it is
        uint32_t index{0};           //!< number among the parts of its kind
        uint32_t server{0};          //!< chassis
        int32_t numa{-1};            //!< NUMA node, -1 if unknown
        std::string name;            //!< "gpu0", "nvsw2", "plx1", "cpu0", "mlx5_0"
        std::string model;           //!< "V100-SXM2-16GB"; empty if unknown
        uint32_t maxLinks{NO_LIMIT}; //!< GPU-link ports: NVLink, xGMI, OAM; 0: it has none
        uint32_t maxLanes{NO_LIMIT}; //!< PCIe lanes
        uint64_t memoryBytes{0};     //!< memory of a GPU, CPU, die
        uint64_t memoryRateBps{0};   //!< its rate in bit/s; 0: not limited
        uint64_t netRateBps{0};      //!< of a NIC: bit/s to the network, all ports; 0: unknown
        uint32_t netPorts{1};        //!< of a NIC: network ports
        uint32_t bridges{1};         //!< of a PCIe switch: PCI bridges that nvidia-smi counts
        std::string busId;           //!< "0000:3b:00.0"; empty if unknown
        std::string affinity;        //!< of a CPU: core list as nvidia-smi prints it
    };

    /** @brief A bundle of parallel links = one port at either end. */
    struct Link
    {
        uint32_t id{0};               //!< dense, in order of insertion
        uint32_t a{0};                //!< part id of one end
        uint32_t b{0};                //!< part id of the other end
        std::string profile;          //!< name of a LinkProfile; empty: an open question
        LinkProfile::Family family{}; //!< of the profile; given where the profile is open
        uint32_t count{1};            //!< parallel links
        double errorRate{0};          //!< probability that a packet has to be repeated, in [0, 1)
        int64_t latencyPs{-1};        //!< ps; -1: the profile's
        uint32_t hostBridge{0};       //!< of a CPU's PCIe link: which of its host bridges
        uint32_t line{0};             //!< line of the input file, 0 if built
    };

    /** @brief What a dump does not say. */
    struct Question
    {
        std::string key;  //!< what an answer is found by: "xgmi:gpu0"
        std::string text; //!< for people, with what is allowed
    };

    static constexpr uint32_t MAX_PARTS = 65536;     //!< most parts
    static constexpr uint32_t MAX_LINKS = 1 << 20;   //!< most links
    static constexpr uint32_t MAX_COUNT = 1024;      //!< most parallel links in a bundle
    static constexpr uint32_t MAX_DOMAIN_GPUS = 576; //!< GPUs that NVLink can join (NVL576)

    /**
     * @brief Add a part; id and index are set here, an empty name becomes kind and index.
     * @param part all but id and index
     * @return its id
     */
    uint32_t AddPart(Part part);

    /**
     * @brief Connect two different parts.
     * @param a part id
     * @param b part id
     * @param profile name of a LinkProfile
     * @param count parallel links
     * @return the link id
     */
    uint32_t AddLink(uint32_t a, uint32_t b, const std::string& profile, uint32_t count = 1);

    /**
     * @brief The same with all fields.
     * @param link all but the id; profile may be empty, then family counts
     * @return the link id
     */
    uint32_t AddLink(Link link);

    /**
     * @brief Say why AddLink() would refuse.
     * @param link all but the id
     * @return what is wrong, with the counts; empty if nothing
     */
    std::string ExplainLink(const Link& link) const;

    /**
     * @brief Note what the input left open.
     * @param question its key and text; a second one of the same key is dropped
     */
    void AddQuestion(const Question& question);

    /** @return what the input left open; empty for built ones */
    const std::vector<Question>& GetOpenQuestions() const;

    /** @brief Throw FabricError with all open questions, if there are any. */
    void RequireComplete() const;

    /** @return all parts, index = id */
    const std::vector<Part>& GetParts() const;
    /** @return all links, index = id */
    const std::vector<Link>& GetLinks() const;

    /**
     * @param id part id, must exist
     * @return the part
     */
    const Part& GetPart(uint32_t id) const;

    /**
     * @param kind a kind
     * @return ids of its parts, ascending: by index
     */
    const std::vector<uint32_t>& GetParts(Kind kind) const;

    /** @return part ids of the GPUs: rank = index in this list; switches are no ranks */
    const std::vector<uint32_t>& GetRanks() const;

    /**
     * @param name a part's name
     * @return its id; NO_LIMIT if there is none
     */
    uint32_t Find(const std::string& name) const;

    /**
     * @param part part id, must exist
     * @return ids of its links in order of insertion (= its port order)
     */
    const std::vector<uint32_t>& GetLinks(uint32_t part) const;

    /**
     * @param link link id, must exist
     * @param part id of one end
     * @return id of the other end
     */
    uint32_t GetPeer(uint32_t link, uint32_t part) const;

    /**
     * @param part part id
     * @return GPU links (NVLink, xGMI, OAM) in use at it
     */
    uint32_t GetGpuLinks(uint32_t part) const;

    /**
     * @param a part id
     * @param b part id
     * @return GPU links directly between the two
     */
    uint32_t GetGpuLinks(uint32_t a, uint32_t b) const;

    /**
     * @param part part id
     * @return GPUs in its NVLink domain (joined by NVLink directly or over switches)
     */
    uint32_t GetDomainGpus(uint32_t part) const;

    /**
     * @brief GPU-link capacity between the first and the second half of the GPUs.
     * @return bit/s of one direction; 0 without GPU links
     */
    uint64_t GetBisectionBps() const;

    /** @return number of chassis */
    uint32_t GetNServers() const;

    /**
     * @param family a family
     * @return true for links between GPUs: NVLink, xGMI, OAM
     */
    static bool IsGpuLink(LinkProfile::Family family);

    /**
     * @param kind a kind
     * @return its name for people: "GPU"
     */
    static const char* KindName(Kind kind);

  private:
    /** @return root of a part's NVLink domain */
    uint32_t Root(uint32_t part) const;
    /** @return what is wrong at one end of a link; empty if nothing */
    std::string ExplainEnd(const Link& link, const Part& part) const;
    /** @return what is wrong with the kinds of the ends; empty if nothing */
    std::string ExplainKinds(const Link& link) const;

    static constexpr size_t N_KINDS = 8; //!< kinds

    std::vector<Part> m_parts;                          //!< index = id
    std::vector<Link> m_links;                          //!< index = id
    std::vector<std::vector<uint32_t>> m_linksOf;       //!< link ids of each part
    std::vector<uint32_t> m_gpuLinks;                   //!< GPU links in use at each part
    std::vector<uint32_t> m_lanes;                      //!< PCIe lanes in use at each part
    std::vector<uint32_t> m_ofKind[N_KINDS];            //!< part ids of each kind
    std::unordered_map<std::string, uint32_t> m_byName; //!< part ids
    std::vector<uint32_t> m_domain;                     //!< forest: parent in the domain
    std::vector<uint32_t> m_domainGpus;                 //!< GPUs, valid at roots
    std::vector<Question> m_questions;                  //!< open
    std::unordered_set<std::string> m_asked;            //!< keys of m_questions
};

} // namespace ns3

#endif /* SERVER_TOPOLOGY_H */
