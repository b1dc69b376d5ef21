/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * @brief Whole runs from files to files: configurations as the program applies them, and result
 * files that agree with each other.
 */

#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace ns3;

namespace
{

/** @brief A command line run inside the test, with files of its own. */
class FilesTestCase : public TestCase
{
  public:
    /**
     * @param name of the test
     */
    explicit FilesTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /** @brief Rows of a CSV file by column name. */
    using Table = std::vector<std::map<std::string, std::string>>;

    /** @return the path of a new file with this text */
    std::string Write(const std::string& name, const std::string& text)
    {
        // absolute, as a configuration's own paths are seen from where it lies
        const auto path = std::filesystem::absolute(CreateTempDirFilename(name));
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }

    /** @return what the command prints; m_report and m_code keep the rest */
    std::string Run(std::vector<std::string> args)
    {
        args.push_back("--no-progress");
        std::ostringstream out;
        FabricRun run(FabricRunOptions::Parse(args), out, out, false);
        m_code = run.Execute();
        m_report = run.GetReport();
        return out.str();
    }

    /** @return the text has the part; the test fails otherwise */
    void ExpectIn(const std::string& text, const std::string& part)
    {
        NS_TEST_EXPECT_MSG_NE(text.find(part), std::string::npos, part << " in:\n" << text);
    }

    static Table Read(const std::string& path)
    {
        std::ifstream in(path);
        Table table;
        std::vector<std::string> names;
        for (std::string line; std::getline(in, line);)
        {
            if (line.empty() || line[0] == '#')
            {
                continue;
            }
            std::vector<std::string> fields;
            std::istringstream row(line);
            for (std::string field; std::getline(row, field, ',');)
            {
                fields.push_back(field);
            }
            if (names.empty())
            {
                names = fields;
                continue;
            }
            table.emplace_back();
            for (size_t i = 0; i < names.size() && i < fields.size(); ++i)
            {
                table.back()[names[i]] = fields[i];
            }
        }
        return table;
    }

    /** @return sum of a column, or of all columns whose name ends like this */
    static double Sum(const Table& table, const std::string& end)
    {
        double sum = 0;
        for (const auto& row : table)
        {
            for (const auto& [name, value] : row)
            {
                const bool fits =
                    name.size() >= end.size() &&
                    name.compare(name.size() - end.size(), end.size(), end) == 0;
                sum += fits ? std::atof(value.c_str()) : 0;
            }
        }
        return sum;
    }

    /** @return a star of hosts as an HPCC topology file; the switch is the last node */
    std::string Star(uint32_t hosts, const std::string& rate)
    {
        std::string text = std::to_string(hosts + 1) + " 1 " + std::to_string(hosts) + "\n" +
                           std::to_string(hosts) + "\n";
        for (uint32_t i = 0; i < hosts; ++i)
        {
            text += std::to_string(i) + " " + std::to_string(hosts) + " " + rate + " 1us 0\n";
        }
        return Write("star.txt", text);
    }

    /** @return flows 0 .. n-1 to host n as an HPCC flow file */
    std::string Incast(uint32_t n, uint64_t bytes)
    {
        std::string text = std::to_string(n) + "\n";
        for (uint32_t i = 0; i < n; ++i)
        {
            text += std::to_string(i) + " " + std::to_string(n) + " 3 100 " +
                    std::to_string(bytes) + " 0.0\n";
        }
        return Write("flows.txt", text);
    }

    FabricRun::Report m_report; //!< of the last run
    int m_code{0};              //!< exit code of the last run
};

/** @brief fault 12: every link gets ECN thresholds of the table, listed or not. */
class EcnTableTestCase : public FilesTestCase
{
  public:
    EcnTableTestCase()
        : FilesTestCase("fault 12: rates missing from a table that is not linear scale from the "
                        "nearest one")
    {
    }

  private:
    void DoRun() override
    {
        // 100G is listed, 50G is nearest to 40G: 200/800 KB there, 250/1000 KB here
        const std::string topology =
            Write("t.txt", "3 1 2\n2\n0 2 50Gbps 1us 0\n1 2 100Gbps 1us 0\n");
        const std::string flows = Write("f.txt", "1\n0 1 3 100 1000 0\n");
        const std::string config =
            Write("c.txt",
                  "CC_MODE 1\n"
                  "KMIN_MAP 3 25000000000 100 40000000000 200 100000000000 400\n"
                  "KMAX_MAP 3 25000000000 400 40000000000 800 100000000000 1500\n"
                  "PMAX_MAP 3 25000000000 0.2 40000000000 0.3 100000000000 0.2\n");
        const std::string out = Run({"flows", "--topology=" + topology, "--flows=" + flows,
                                     "--config=" + config, "--check"});
        ExpectIn(out, "Kmin 250,000, Kmax 1,000,000 B at 50Gb/s");
        ExpectIn(out, "Kmin 400,000, Kmax 1,500,000 B at 100Gb/s");
        ExpectIn(out, "MinThreshold=250000 bytes; MaxThreshold=1000000 bytes; MaxProbability=0.3");
    }
};

/** @brief fault 25: a configuration of the HPCC line means that line's rate machine. */
class HpccMachineTestCase : public FilesTestCase
{
  public:
    HpccMachineTestCase()
        : FilesTestCase("fault 25: HPCC configurations run the HPCC line's DCQCN, unless told not "
                        "to")
    {
    }

  private:
    void DoRun() override
    {
        const std::string topology = Star(2, "100Gbps");
        const std::string flows = Write("f.txt", "1\n0 1 3 100 1000 0\n");
        const std::string hpcc =
            Write("c.txt", "CC_MODE 1\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n"
                           "RP_TIMER 300\nPACKET_PAYLOAD_SIZE 1000\nRANDOM_SEED 5\n");
        const std::string old = Write("o.txt", "CNP_INTERVAL 50\nALPHA_RESUME_INTERVAL 55\n");
        std::vector<std::string> args{"flows", "--topology=" + topology, "--flows=" + flows,
                                      "--check", "--config=" + hpcc};
        std::string out = Run(args);
        ExpectIn(out, "Profile=hpcc-fork;");
        ExpectIn(out, "TimeReset=300us;");
        ExpectIn(out, "MarksOnAcks=1;");
        ExpectIn(out, "seed 5,");
        args.push_back("--profile=paper2015");
        ExpectIn(Run(args), "Profile=paper2015;");
        args.pop_back();
        args.back() = "--config=" + old;
        ExpectIn(Run(args), "Profile=paper2015;");
        // what a scenario says itself goes before what the configuration that it names says
        const std::string scenario = Write(
            "s.json",
            R"({"seed": 7, "topology": {"builder": "star", "hosts": 3},
                "traffic": {"generator": "incast", "senders": 2, "receiver": 2, "bytes": "1KB"},
                "parameters": {"congestion": "none", "payload": "500B", "hpccConfig": ")" +
                hpcc + R"("}})");
        out = Run({scenario, "--check"});
        ExpectIn(out, "payload 500 bytes");
        ExpectIn(out, "congestion control none");
        ExpectIn(out, "seed 7,");
    }
};

/** @brief LINK_DOWN of a configuration: what is on the wire is lost, the flows go round. */
class LinkDownTestCase : public FilesTestCase
{
  public:
    LinkDownTestCase()
        : FilesTestCase("LINK_DOWN of an HPCC configuration cuts the cable and flows go round it")
    {
    }

  private:
    void DoRun() override
    {
        std::string links = "10 2 10\n8 9\n";
        std::string flows = "4\n";
        for (int i = 0; i < 8; ++i)
        {
            links += std::to_string(i) + (i < 4 ? " 8" : " 9") + " 100Gbps 1us 0\n";
        }
        for (int i = 0; i < 4; ++i)
        {
            flows += std::to_string(i) + " " + std::to_string(i + 4) + " 3 100 1000000 2.0\n";
        }
        links += "8 9 100Gbps 1us 0\n8 9 100Gbps 1us 0\n";
        const std::string results = CreateTempDirFilename("link-down");
        const std::string out = Run({"flows", "--topology=" + Write("t.txt", links),
                                     "--flows=" + Write("f.txt", flows),
                                     "--config=" + Write("c.txt", "CC_MODE 1\nLINK_DOWN 50 8 9\n"),
                                     "--out=" + results});
        NS_TEST_EXPECT_MSG_EQ(m_code, 0, "all flows finish: " << out);
        NS_TEST_EXPECT_MSG_GT(
            m_report.totals.drops[static_cast<uint8_t>(FabricDropReason::LINK_DOWN)], 0,
            "frames on the cut cable");
        uint64_t sent[2] = {0, 0};
        for (const auto& row : Read(results + "/ports.csv"))
        {
            if (row.at("node") == "s8" && row.at("peer") == "s9")
            {
                sent[row.at("link") == "8" ? 0 : 1] += std::stoull(row.at("tx_bytes"));
            }
        }
        NS_TEST_EXPECT_MSG_GT(sent[0], 0, "the cable was used");
        NS_TEST_EXPECT_MSG_LT(sent[0], 50e-6 * 100e9 / 8 + 1062, "not after 50 us");
        NS_TEST_EXPECT_MSG_GT(sent[1], 2 * sent[0], "the other one took over");
    }
};

/** @brief What is known before a run is said before it. */
class ForecastTestCase : public FilesTestCase
{
  public:
    ForecastTestCase()
        : FilesTestCase("fault 1, D1: too little headroom and the DCQCN cliff are named before the "
                        "run")
    {
    }

  private:
    void DoRun() override
    {
        const std::string flows = Incast(8, 10'000);
        std::vector<std::string> args{"flows", "--topology=" + Star(9, "40Gbps"),
                                      "--flows=" + flows, "--check",
                                      "--attribute=ns3::RedEcnMarker::ReferenceRate=0b/s",
                                      "--attribute=ns3::RedEcnMarker::MinThreshold=5KB",
                                      "--attribute=ns3::RedEcnMarker::MaxThreshold=200KB",
                                      "--attribute=ns3::RedEcnMarker::MaxProbability=0.01"};
        std::string out = Run(args);
        ExpectIn(out, "8 flows start together towards h8: DCQCN settles at");
        ExpectIn(out, "queue 93.8 KB"); // D1: 40G, N = 8
        NS_TEST_EXPECT_MSG_EQ(out.find("warning     s9"), std::string::npos, out);
        args.push_back("--attribute=ns3::RedEcnMarker::MaxProbability=0.001");
        ExpectIn(Run(args), "towards h8: DCQCN cliff");
        args.back() = "--cc=none";
        out = Run(args);
        NS_TEST_EXPECT_MSG_EQ(out.find("forecast"), std::string::npos, "no congestion control");
        // 2 x 1 us at 40G, two frames of 1518 B, a pause frame: 13,120 B
        args.push_back("--attribute=ns3::SwitchBuffer::HeadroomPerClass=13119");
        out = Run(args);
        ExpectIn(out, "warning     s9 port 0: headroom of 13119 B is less than the 13120 B needed");
        ExpectIn(out, "(8 more like it)");
        args.back() = "--attribute=ns3::SwitchBuffer::HeadroomPerClass=13120";
        NS_TEST_EXPECT_MSG_EQ(Run(args).find("warning     s9"), std::string::npos, "enough");
    }
};

/** @brief Result files say the same as each other, and as the summary. */
class AgreementTestCase : public FilesTestCase
{
  public:
    AgreementTestCase()
        : FilesTestCase("fault 49: ports.csv, classes.csv, monitors and the summary agree")
    {
    }

  private:
    void DoRun() override
    {
        // cut off while senders are paused, 1 us after the last of 50 samples
        const std::string results = CreateTempDirFilename("agreement");
        std::vector<std::string> args{"flows",
                                      "--topology=" + Star(9, "100Gbps"),
                                      "--flows=" + Incast(8, 10'000'000),
                                      "--stop-time=501us",
                                      "--out=" + results,
                                      "--attribute=ns3::SwitchBuffer::Size=1MiB",
                                      "--attribute=ns3::RedEcnMarker::MinThreshold=100KB",
                                      "--attribute=ns3::RedEcnMarker::MaxThreshold=4MB"};
        for (const auto& kind : FabricMonitorSpec::Kinds())
        {
            args.push_back("--monitor=" + kind + ":10us");
        }
        Run(args);
        NS_TEST_EXPECT_MSG_EQ(m_code, 1, "cut off");
        const Table ports = Read(results + "/ports.csv");
        const Table classes = Read(results + "/classes.csv");
        for (const char* column : {"tx_frames", "tx_bytes", "rx_frames", "rx_bytes", "ce_marks",
                                   "xoff_tx", "xon_tx", "xoff_rx", "xon_rx", "paused_us"})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(Sum(ports, column), Sum(classes, column), 0.1, column);
        }
        const FabricClassStats& sum = m_report.totals.sum;
        const double paused = static_cast<double>(sum.pausedPs) * 1e-6;
        NS_TEST_EXPECT_MSG_GT(sum.xoffTx, sum.xonTx, "somebody is paused at the end");
        NS_TEST_EXPECT_MSG_GT(sum.ceMarks, 0, "marks");
        NS_TEST_EXPECT_MSG_EQ(Sum(classes, "tx_bytes"), sum.txBytes, "tx_bytes");
        NS_TEST_EXPECT_MSG_EQ(Sum(classes, "ce_marks"), sum.ceMarks, "ce_marks");
        NS_TEST_EXPECT_MSG_EQ(Sum(classes, "xoff_tx"), sum.xoffTx, "xoff_tx");
        NS_TEST_EXPECT_MSG_EQ_TOL(Sum(classes, "paused_us"), paused, 0.1, "paused_us");
        // monitors miss the last microsecond only
        const double last = 1.0 / 501;
        const auto expect = [&](const std::string& kind, const std::string& unit, double factor,
                                double total) {
            const double sampled = factor * Sum(Read(results + "/" + kind + ".csv"), unit);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(sampled, total + 0.1, kind << ": more than there was");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(sampled, total * (1 - 3 * last) - 8, kind << ": missing");
        };
        expect("rate", "_gbps", 10e-6 * 1e9 / 8, static_cast<double>(sum.txBytes));
        expect("pause", ">s9_us", 1, paused);
        expect("mark", "_packets", 1, static_cast<double>(sum.ceMarks));
        expect("cnp", "_cnps", 1, static_cast<double>(m_report.totals.qps.cnpsRx));
        const double queue = Sum(Read(results + "/queue.csv"), "s9:8>h8_bytes") / 50;
        NS_TEST_EXPECT_MSG_GT(queue, 100'000, "mean queue: above Kmin for most of the time");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(queue, m_report.totals.maxQueue, "mean below the longest");
        // the bottleneck was busy from 1 us and a frame on
        for (const auto& row : ports)
        {
            if (row.at("node") == "s9" && row.at("port") == "8")
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(std::atof(row.at("use").c_str()), 499.9 / 501, 0.0005,
                                          "use of the bottleneck");
            }
        }
    }
};

/**
 * @brief The suite.
 */
class AiFabricRunFilesTestSuite : public TestSuite
{
  public:
    AiFabricRunFilesTestSuite()
        : TestSuite("ai-fabric-run-files", Type::UNIT)
    {
        AddTestCase(new EcnTableTestCase);
        AddTestCase(new HpccMachineTestCase);
        AddTestCase(new LinkDownTestCase);
        AddTestCase(new ForecastTestCase);
        AddTestCase(new AgreementTestCase);
    }
};

AiFabricRunFilesTestSuite g_aiFabricRunFilesTestSuite; //!< the instance

} // namespace
