/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The command-line program: `ai-fabric-run --help` tells what it does.
 */
#include "ns3/fabric-bench.h"
#include "ns3/fabric-error.h"
#include "ns3/fabric-manifest.h"
#include "ns3/fabric-run-options.h"
#include "ns3/fabric-run.h"
#include "ns3/gpu-run.h"
#include "ns3/ib-run.h"

#include <csignal>
#include <iostream>
#include <unistd.h>

using namespace ns3;

namespace
{
int
Run(std::vector<std::string> args, const std::string& program)
{
    if (!args.empty() && args[0] == "dgx")
    {
        args.erase(args.begin());
        return GpuRun(GpuRunOptions::Parse(args), std::cout).Execute();
    }
    if (!args.empty() && args[0] == "ib")
    {
        args.erase(args.begin());
        return IbRun(IbRunOptions::Parse(args), std::cout).Execute();
    }
    const FabricRunOptions options = FabricRunOptions::Parse(args);
    switch (options.mode)
    {
    case FabricRunOptions::Mode::HELP:
        std::cout << FabricRunOptions::Help();
        return 0;
    case FabricRunOptions::Mode::VERSION:
        std::cout << "ai-fabric " << FabricManifest::Version() << ", ns-3 "
                  << FabricManifest::Ns3Version() << ", " << FabricManifest::BuildType() << "\n";
        return 0;
    case FabricRunOptions::Mode::BENCH:
        return FabricBench(options, program, std::cout, std::cerr).Execute();
    default:
        return FabricRun(options, std::cout, std::cerr, isatty(STDERR_FILENO) != 0).Execute();
    }
}
} // namespace

int
main(int argc, char* argv[])
{
    std::signal(SIGINT, [](int) { FabricRun::Interrupt(); });
    std::signal(SIGTERM, [](int) { FabricRun::Interrupt(); });
    std::signal(SIGPIPE, SIG_IGN); // a reader that leaves must not cost the result files
    try
    {
        const int code = Run(std::vector<std::string>(argv + 1, argv + argc), argv[0]);
        if (!std::cout.flush())
        {
            std::cerr << "ai-fabric-run: what was printed could not be written in full\n";
            return code == 0 ? 1 : code;
        }
        return code;
    }
    catch (const FabricError& error)
    {
        std::cerr << "ai-fabric-run: " << error.what() << "\n";
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "ai-fabric-run: internal fault: " << error.what() << "\n";
        return 3;
    }
}
