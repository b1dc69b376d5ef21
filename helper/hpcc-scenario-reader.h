/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HPCC_SCENARIO_READER_H
#define HPCC_SCENARIO_READER_H

#include "fabric-topology.h"
#include "flow-list.h"
#include "hpcc-config.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

class TextCursor;

/**
 * @ingroup ai-fabric
 * @brief Reads the text files of the HPCC line of simulators.
 *
 * DCQCN's ns3-rdma of 2015, HPCC, PINT, PowerTCP, Reverie, ConWeave and the ASTRA-sim and SimAI
 * back ends use them. Only the declared number of lines is read: what follows, spare lines or
 * prose, is left alone. Every method throws FabricError with all faults of the file.
 */
class HpccScenarioReader
{
  public:
    /** @brief What the last three columns of a flow file mean. */
    enum class FlowForm : uint8_t
    {
        AUTO,   //!< PACKETS if the first flow has a decimal point in column 5 or column 4 > 65535
        SIZES,  //!< destination port, bytes, start in seconds
        PACKETS //!< packet count, start and end in seconds (2015)
    };

    /**
     * @brief Topology: header, switch ids, links `a b rate delay error-rate`.
     *
     * The header is `nodes switches links`, PowerTCP's `nodes switches tors links`, or Reverie's
     * with two line rates after that.
     * @param path the file
     * @param notes gets what the user should know; may be null
     * @return the topology; node ids are those of the file
     */
    static FabricTopology ReadTopology(const std::string& path,
                                       std::vector<std::string>* notes = nullptr);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param notes gets what the user should know; may be null
     * @return the topology
     */
    static FabricTopology ReadTopology(std::istream& in,
                                       const std::string& name,
                                       std::vector<std::string>* notes = nullptr);

    /**
     * @brief Flows: their number, then one a line.
     * @param path the file
     * @param payloadBytes bytes of a packet in the form PACKETS
     * @param form meaning of the columns
     * @return the flows
     */
    static FlowList ReadFlows(const std::string& path,
                              uint32_t payloadBytes = 1000,
                              FlowForm form = FlowForm::AUTO);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @param payloadBytes bytes of a packet in the form PACKETS
     * @param form meaning of the columns
     * @return the flows
     */
    static FlowList ReadFlows(std::istream& in,
                              const std::string& name,
                              uint32_t payloadBytes = 1000,
                              FlowForm form = FlowForm::AUTO);

    /**
     * @brief Trace list: the number of nodes, then their ids.
     * @param path the file
     * @return node ids in file order
     */
    static std::vector<uint32_t> ReadTrace(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return node ids in file order
     */
    static std::vector<uint32_t> ReadTrace(std::istream& in, const std::string& name);

    /**
     * @brief Configuration: `KEY value...` a line.
     * @param path the file
     * @return keys, values and what they mean here
     */
    static HpccConfig ReadConfig(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return keys, values and what they mean here
     */
    static HpccConfig ReadConfig(std::istream& in, const std::string& name);

  private:
    /** @brief First line of a topology file. */
    struct Header
    {
        uint32_t nodes{0};    //!< all nodes
        uint32_t switches{0}; //!< those that forward
        uint32_t links{0};    //!< link lines to read
    };

    /**
     * @param cursor before the first line
     * @param notes may be null
     * @return the counts
     */
    static Header ReadHeader(TextCursor& cursor, std::vector<std::string>* notes);

    /**
     * @brief Read declared ids that may stand on several lines.
     * @param cursor before the first of those lines
     * @param count how many
     * @param limit ids are below this
     * @param what names them in messages
     * @return the ids in file order
     */
    static std::vector<uint32_t> ReadIds(TextCursor& cursor,
                                         uint32_t count,
                                         uint32_t limit,
                                         const std::string& what);

    /**
     * @param cursor at a link line
     * @param topology gets the link
     */
    static void ReadLink(TextCursor& cursor, FabricTopology& topology);

    /**
     * @param cursor at a flow line
     * @param form SIZES or PACKETS
     * @param payloadBytes bytes of a packet
     * @return the flow
     */
    static FlowRecord ReadFlow(TextCursor& cursor, FlowForm form, uint32_t payloadBytes);
};

} // namespace ns3

#endif /* HPCC_SCENARIO_READER_H */
