/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "nccl-graph.h"

#include "fabric-units.h"
#include "xml-fields.h"
#include "xml-reader.h"

namespace ns3
{

namespace
{

/**
 * @param fields takes values out
 * @param at a gpu or net element
 * @return its dev, decimal or with 0x
 */
uint32_t
ReadDev(const XmlFields& fields, const XmlElement& at)
{
    if (at.Get("dev").compare(0, 2, "0x") == 0)
    {
        return fields.Hex(at, "dev", 8);
    }
    return static_cast<uint32_t>(fields.Number(at, "dev", 0, UINT32_MAX));
}

/**
 * @param fields takes values out
 * @param at a graph element
 * @param key an attribute
 * @return its value in GB/s
 */
double
ReadSpeed(const XmlFields& fields, const XmlElement& at, const std::string& key)
{
    const std::string text = fields.Text(at, key);
    const auto speed = FabricUnits::Real(text);
    if (!speed || *speed < 0 || *speed > 1e6)
    {
        fields.Fail(at.line, text, key + " of <graph>: allowed is a number from 0 to 10^6 (GB/s)");
    }
    return *speed;
}

/**
 * @param fields takes values out
 * @param element a channel element
 * @return the channel
 */
NcclGraph::Channel
ReadChannel(const XmlFields& fields, const XmlElement& element)
{
    NcclGraph::Channel channel;
    for (const auto& stop : element.children)
    {
        if (stop.name != "gpu" && stop.name != "net")
        {
            fields.Unexpected(stop, "allowed in <channel> are <gpu> and <net>");
        }
        channel.push_back({stop.name == "net", ReadDev(fields, stop)});
    }
    return channel;
}

/**
 * @param fields takes values out
 * @param element a graph element
 * @return the graph
 */
NcclGraph
ReadGraph(const XmlFields& fields, const XmlElement& element)
{
    NcclGraph graph;
    graph.id = static_cast<uint32_t>(fields.Number(element, "id", 0, 1000));
    graph.pattern = static_cast<uint32_t>(fields.Number(element, "pattern", 1, 1000));
    graph.speedIntra = ReadSpeed(fields, element, "speedintra");
    graph.speedInter = ReadSpeed(fields, element, "speedinter");
    graph.typeIntra = fields.Text(element, "typeintra");
    graph.typeInter = fields.Text(element, "typeinter");
    const auto said = fields.Number(element, "nchannels", 0, NcclGraph::MAX_CHANNELS);
    for (const auto& channel : element.children)
    {
        if (channel.name != "channel")
        {
            fields.Unexpected(channel, "allowed in <graph> is <channel>");
        }
        graph.channels.push_back(ReadChannel(fields, channel));
    }
    if (graph.channels.size() != static_cast<size_t>(said))
    {
        fields.Fail(element.line,
                    element.Get("nchannels"),
                    "nchannels of <graph>: there are " + std::to_string(graph.channels.size()) +
                        " channels");
    }
    return graph;
}

/**
 * @param root of the text
 * @param name path for messages
 * @return all graphs
 */
std::vector<NcclGraph>
ReadGraphs(const XmlElement& root, const std::string& name)
{
    const XmlFields fields(name);
    if (root.name != "graphs")
    {
        fields.Unexpected(root, "NCCL graphs start with <graphs>");
    }
    fields.Number(root, "version", 1, 1000);
    std::vector<NcclGraph> graphs;
    for (const auto& element : root.children)
    {
        if (element.name != "graph")
        {
            fields.Unexpected(element, "allowed in <graphs> is <graph>");
        }
        graphs.push_back(ReadGraph(fields, element));
    }
    return graphs;
}

} // namespace

std::vector<uint32_t>
NcclGraph::GetGpus(const Channel& channel)
{
    std::vector<uint32_t> gpus;
    for (const auto& stop : channel)
    {
        if (!stop.isNet)
        {
            gpus.push_back(stop.dev);
        }
    }
    return gpus;
}

std::vector<NcclGraph>
NcclGraph::Read(const std::string& path)
{
    return ReadGraphs(XmlReader::Read(path), path);
}

std::vector<NcclGraph>
NcclGraph::Read(std::istream& in, const std::string& name)
{
    return ReadGraphs(XmlReader::Read(in, name), name);
}

} // namespace ns3
