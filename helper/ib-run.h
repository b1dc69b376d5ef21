/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_RUN_H
#define IB_RUN_H

#include "ib-net-reader.h"

#include "ns3/ib-forwarding.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/** @brief Everything that can be asked of the command `ib`, which looks at an InfiniBand subnet. */
struct IbRunOptions
{
    std::string file;             //!< ibnetdiscover's or ibsim's form
    std::string engine{"minhop"}; //!< routing engine
    std::string lids;             //!< guid2lid of a real manager
    std::string routes;           //!< opensm.fdbs of a real manager
    std::string trace;            //!< "A,B": print a way
    std::string discovery;        //!< file to write in ibnetdiscover's form
    std::string simulator;        //!< file to write in ibsim's form
    bool check{false};            //!< counts only
    bool help{false};             //!< print help

    /**
     * @brief Read a command line.
     * @param args arguments after "ib"
     * @return the options
     * @throws FabricError for an unknown option or options that do not fit each other
     */
    static IbRunOptions Parse(const std::vector<std::string>& args);

    /** @return the text of --help */
    static std::string Help();
};

/**
 * @ingroup ai-fabric
 * @brief The command `ib`: reads a subnet, counts it, routes it or takes the routes of a real
 * manager, and checks them: who reaches whom, in how many hops, and whether credits can lock up.
 */
class IbRun
{
  public:
    /**
     * @param options what to do
     * @param out where the text goes; outlives this object
     */
    IbRun(const IbRunOptions& options, std::ostream& out);

    /**
     * @return 0: every pair of adapters that cables join is reached; 1: not so
     * @throws FabricError for bad input
     */
    int Execute();

  private:
    void PrintCounts(const IbNetReader::Report& report) const;
    void Write() const;
    void GiveLids();
    int CheckRoutes(const IbForwarding& routes) const;
    void PrintWay(const IbForwarding& routes) const;
    uint32_t RequireAdapter(const std::string& name) const;

    IbRunOptions m_options; //!< what to do
    std::ostream& m_out;    //!< the text
    IbSubnet m_subnet;      //!< the subnet
};

} // namespace ns3

#endif /* IB_RUN_H */
