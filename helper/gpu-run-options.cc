/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "gpu-run-options.h"

#include "fabric-units.h"
#include "option-table.h"

#include "ns3/fabric-error.h"

namespace ns3
{

namespace
{
constexpr uint64_t MOST_BYTES = 1ULL << 34; //!< of a transfer: 16 GiB

uint64_t
RequireBytes(const std::string& text, const std::string& what)
{
    const uint64_t bytes = FabricUnits::RequireSize(text, what);
    if (bytes == 0 || bytes > MOST_BYTES)
    {
        throw FabricError(what + ": '" + text + "' is not allowed; 1B to 16GiB");
    }
    return bytes;
}

/** @return the parts of "a SEPARATOR b" */
std::pair<std::string, std::string>
Split(const std::string& text, const char* separator, const std::string& what, const char* form)
{
    const size_t at = text.find(separator);
    const size_t length = std::string(separator).size();
    if (at == std::string::npos || at == 0 || at + length >= text.size())
    {
        throw FabricError(what + ": '" + text + "' is not of the form " + form);
    }
    return {text.substr(0, at), text.substr(at + length)};
}

void
AddLinkRate(GpuRunOptions& options, const std::string& text)
{
    const char* form = "A:B=RATE, as gpu0:gpu3=12.5GB/s";
    const auto [link, rate] = Split(text, "=", "--link-rate", form);
    const auto [a, b] = Split(link, ":", "--link-rate", form);
    options.changes.push_back({a, b, FabricUnits::RequireRate(rate, "--link-rate")});
}

void
AddFailure(GpuRunOptions& options, const std::string& text)
{
    const auto [a, b] = Split(text, ":", "--fail", "A:B, as gpu0:gpu3");
    options.changes.push_back({a, b, 0});
}

void
SetSweep(GpuRunOptions& options, const std::string& text)
{
    const auto [from, to] = Split(text, "..", "--sizes", "FROM..TO, as 4B..256MiB");
    options.sweepFrom = RequireBytes(from, "--sizes");
    options.sweepTo = RequireBytes(to, "--sizes");
    if (options.sweepFrom > options.sweepTo)
    {
        throw FabricError("--sizes: '" + text + "' ends before it begins");
    }
}

template <typename T>
OptionTable<GpuRunOptions>::Setter
Store(T GpuRunOptions::*member)
{
    return [member](GpuRunOptions& o, const std::string& text) { o.*member = text; };
}

OptionTable<GpuRunOptions>::Setter
Switch(bool GpuRunOptions::*member)
{
    return [member](GpuRunOptions& o, const std::string&) { o.*member = true; };
}

OptionTable<GpuRunOptions>::Setter
Append(std::vector<std::string> GpuRunOptions::*member)
{
    return [member](GpuRunOptions& o, const std::string& text) { (o.*member).push_back(text); };
}

const OptionTable<GpuRunOptions>&
Table()
{
    using O = GpuRunOptions;
    static const OptionTable<O> table({
        {"model", "NAME", "an assembly; default dgx-h100, see --list", Store(&O::model)},
        {"file",
         "FILE",
         "a server as NCCL's XML, nvidia-smi topo -m text or hwloc XML tell it",
         Store(&O::file)},
        {"answer",
         "KEY=VALUE",
         "what the file leaves open (repeat); the run names the keys",
         Append(&O::answers)},
        {"size",
         "SIZE",
         "bytes of a bandwidth transfer; default 64MiB",
         [](O& o, const std::string& text) { o.bytes = RequireBytes(text, "--size"); }},
        {"pair",
         "A,B",
         "sweep transfer sizes from part A to part B instead of all pairs",
         Store(&O::pair)},
        {"sizes", "FROM..TO", "sizes of the sweep, by powers of two; default 4B..256MiB", SetSweep},
        {"relay", "", "GPUs forward between their GPU links", Switch(&O::relay)},
        {"link-rate",
         "A:B=RATE",
         "another rate for a bundle of links, each direction (repeat)",
         AddLinkRate},
        {"fail", "A:B", "take a bundle of links away (repeat)", AddFailure},
        {"attribute",
         "TYPE::NAME=VALUE",
         "another default for an attribute (repeat)",
         Append(&O::attributes)},
        {"check", "", "print the server and its matrix, measure nothing", Switch(&O::check)},
        {"dot", "FILE", "write the server for Graphviz", Store(&O::dot)},
        {"xml", "FILE", "write the server as NCCL's topology XML", Store(&O::xml)},
        {"out", "DIR", "directory for CSV files; default results/dgx-NAME", Store(&O::out)},
        {"list", "", "print the names of all assemblies", Switch(&O::list)},
        {"help", "", "print this", Switch(&O::help)},
    });
    return table;
}
} // namespace

GpuRunOptions
GpuRunOptions::Parse(const std::vector<std::string>& args)
{
    GpuRunOptions options;
    const auto typed = Table().Apply(args, options, [](GpuRunOptions&, const std::string& word) {
        throw FabricError("'" + word + "': dgx takes options only; see dgx --help");
    });
    options.commandLine = "dgx" + (typed.line.empty() ? "" : " " + typed.line);
    const auto given = [&typed](const char* name) {
        return std::find(typed.names.begin(), typed.names.end(), name) != typed.names.end();
    };
    if (given("model") && given("file"))
    {
        throw FabricError("--model and --file: one of them");
    }
    if (given("answer") && !given("file"))
    {
        throw FabricError("--answer: only with --file");
    }
    if (given("sizes") && !given("pair"))
    {
        throw FabricError("--sizes: only with --pair");
    }
    return options;
}

std::string
GpuRunOptions::Help()
{
    return "ai-fabric-run dgx: measures transfers between the GPUs of a server.\n\n"
           "  ai-fabric-run dgx [--model=NAME | --file=FILE] [options]\n\n"
           "Prints the server, its connection matrix, then bandwidth and latency between all\n"
           "pairs of GPUs, every figure from transfers through simulated ports.\n"
           "Exit code: 0 all measured, 1 not so, 2 bad input.\n\n"
           "Options (--name=value or --name value):\n" +
           Table().Help();
}

} // namespace ns3
