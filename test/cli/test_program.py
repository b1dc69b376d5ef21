# SPDX-License-Identifier: GPL-2.0-only
"""What a person sees who starts ai-fabric-run: exit codes, messages, files.

AI_FABRIC_RUN is the program; `./fabric test` sets it. Real input comes from AI_FABRIC_DATA.
"""

import csv
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PROGRAM = os.environ.get("AI_FABRIC_RUN", "")
DATA = os.environ.get("AI_FABRIC_DATA", "")

# Three hosts and a switch; the fourth line starts the links.
TOPOLOGY = """4 1 3
3
0 3 100Gbps 1us 0
1 3 100Gbps 1us 0
2 3 100Gbps 1us 0
"""
FLOWS = """2
0 2 3 100 20000 0
1 2 3 101 20000 0.000001
"""


@unittest.skipUnless(os.path.exists(PROGRAM), "AI_FABRIC_RUN names no program")
class ProgramCase(unittest.TestCase):
    """Runs the program in an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb" if isinstance(text, bytes) else "w") as out:
            out.write(text)
        return name

    def run_program(self, *arguments, limit=300):
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit,
        )
        self.stdout = done.stdout.decode(errors="replace")
        self.stderr = done.stderr.decode(errors="replace")
        return done.returncode

    def run_flows(self, topology=TOPOLOGY, flows=FLOWS, *more):
        shutil.rmtree(os.path.join(self.folder, "results"), ignore_errors=True)
        self.write("t.txt", topology)
        self.write("f.txt", flows)
        return self.run_program("flows", "--topology=t.txt", "--flows=f.txt", *more)

    def assert_refused(self, code, *words):
        """Bad input: exit code 2, one message that says where and what, no result."""
        self.assertEqual(code, 2, self.stdout + self.stderr)
        for word in words:
            self.assertIn(word, self.stderr)
        self.assertNotIn("terminate called", self.stderr)
        self.assertNotIn("assert", self.stderr)
        self.assertFalse(glob.glob(os.path.join(self.folder, "results", "*", "*.csv")))

    def only_result(self, pattern):
        found = glob.glob(os.path.join(self.folder, "results", "*", pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def rows(self, pattern):
        with open(self.only_result(pattern), encoding="utf-8") as text:
            return list(csv.reader(line for line in text if not line.startswith("#")))


class BadInput(ProgramCase):
    """Fault 47: a message with file, line, token and what is allowed; never a crash."""

    def test_unknown_option_names_a_close_one(self):
        self.assert_refused(self.run_program("--lod=0.3"), "--lod", "load")

    def test_value_without_unit(self):
        self.assert_refused(self.run_program("--rate=100"), "100")

    def test_negative_and_absurd_values(self):
        for option in ("--k=3", "--k=-4", "--k=0", "--load=-1", "--load=x", "--duration=-1ms",
                       "--payload=0", "--seed=-1", "--delay=1", "--cc=nonsense"):
            with self.subTest(option):
                self.assert_refused(self.run_program(option), option.split("=")[1])

    def test_missing_file_is_named(self):
        code = self.run_program("flows", "--topology=nowhere.txt", "--flows=f.txt")
        self.assert_refused(code, "nowhere.txt")

    def test_a_folder_is_no_file(self):
        self.assert_refused(self.run_program("flows", "--topology=.", "--flows=."))

    def test_bad_link_lines_name_their_line(self):
        """Rate and delay tokens of fault 47, ids out of range, self-link, missing column."""
        for bad, token in (
            ("0 3 100Gb 1us 0", "100Gb"),
            ("0 3 -100Gbps 1us 0", "-100Gbps"),
            ("0 3 100Gbps 1 0", "1"),
            ("0 3 100Gbps -1us 0", "-1us"),
            ("0 9 100Gbps 1us 0", "9"),
            ("3 3 100Gbps 1us 0", "3"),
            ("0 3 100Gbps", ""),
            ("0 x 100Gbps 1us 0", "x"),
            ("0 3 100Gbps 1us 2", "2"),
        ):
            with self.subTest(bad):
                text = TOPOLOGY.replace("0 3 100Gbps 1us 0", bad)
                self.assert_refused(self.run_flows(text), "t.txt:3", token)

    def test_a_bare_rate_is_bits_per_second(self):
        """Files of the HPCC line write 25000000000.0; the run says what it took that for."""
        text = TOPOLOGY.replace("0 3 100Gbps", "0 3 25000000000.0")
        self.assertEqual(self.run_flows(text, FLOWS, "--check"), 0, self.stderr)
        self.assertIn("1 x 25Gb/s", self.stdout)

    def test_space_before_a_unit(self):
        """'100 Gbps' is either understood or refused with its line; it is never another rate."""
        code = self.run_flows(TOPOLOGY.replace("0 3 100Gbps", "0 3 100 Gbps"))
        self.assert_refused(code, "t.txt:3")

    def test_bad_flow_lines_name_their_line(self):
        for bad, token in (
            ("0 9 3 100 20000 0", "9"),
            ("0 0 3 100 20000 0", "0"),
            ("0 2 9 100 20000 0", "9"),
            ("0 2 3 100 -5 0", "-5"),
            ("0 2 3 100 99999999999999999999999 0", "99999999999999999999999"),
            ("0 2 3 100 20000 -1", "-1"),
            ("0 2 3 100 20000 nan", "nan"),
            ("0 3 3 100 20000 0", "3"),
        ):
            with self.subTest(bad):
                self.assert_refused(self.run_flows(TOPOLOGY, "1\n" + bad + "\n"), "f.txt:2", token)

    def test_truncated_files(self):
        self.assert_refused(self.run_flows("4 1 3\n3\n0 3 100Gbps 1us 0\n"), "t.txt")
        self.assert_refused(self.run_flows(TOPOLOGY, "3\n0 2 3 100 20000 0\n"), "f.txt")
        self.assert_refused(self.run_flows("", FLOWS), "t.txt")
        self.assert_refused(self.run_flows(TOPOLOGY, ""), "f.txt")

    def test_binary_files(self):
        noise = random.Random(1).randbytes(100_000)
        self.assert_refused(self.run_flows(noise), "t.txt")
        self.assert_refused(self.run_flows(TOPOLOGY, noise), "f.txt")

    def test_json_mistakes(self):
        for text, word in (
            ("{", "s.json"),
            ("[]", "s.json"),
            ('{"topolgy": {}}', "topolgy"),
            ('{"topology": {"builder": "fat-tree", "k": "many"}}', "many"),
            ("[" * 100_000, "s.json"),
        ):
            with self.subTest(text[:40]):
                self.write("s.json", text)
                self.assert_refused(self.run_program("s.json"), word)

    def test_unwritable_results(self):
        """The output folder is made or refused before the run, not after it (fault 47)."""
        self.write("taken", "a file, not a folder")
        code = self.run_flows(TOPOLOGY, FLOWS, "--out=taken/here")
        self.assert_refused(code, "taken")

    def test_unknown_attribute_and_monitor(self):
        self.assert_refused(self.run_program("--attribute=ns3::SwitchBuffer::Sice=1"), "Sice")
        self.assertEqual(self.stdout, "", "refused, but only after the head was printed")
        # an attribute that holds an object cannot be read from a text: refused, no crash
        self.assert_refused(self.run_program("--attribute=ns3::FabricSwitch::Buffer=0"), "Buffer")
        self.assert_refused(self.run_program("--monitor=queues"), "queue")

    def test_wrong_names_get_the_right_ones(self):
        """A name that is not known is refused with all that are, before anything is printed."""
        for option, words in (
            ("--monitor=nope", ("queue", "rate", "pause", "mark", "cnp")),
            ("--cdf=nope", ("WebSearch", "file")),
            ("--frame-profile=x", ("rocev2", "rocev1", "hpcc", "hpcc-int", "plain48")),
            ("--cc=nope", ("dcqcn", "none")),
            ("--profile=nope", ("paper2015", "hpcc-fork", "connectx")),
            ("--attribute=ns3::SwitchBufer::Size=1", ("SwitchBufer", "SwitchBuffer")),
            ("--attribute=ns3::SwitchBuffer::Size=many", ("many", "whole number", "16MiB")),
        ):
            with self.subTest(option):
                value = option.split("=", 1)[1]
                self.assert_refused(self.run_program(option), value.split("::")[0], *words)
                self.assertEqual(self.stdout, "")


class Check(ProgramCase):
    """--check validates without simulating and writes nothing."""

    def test_counts(self):
        self.assertEqual(self.run_flows(TOPOLOGY, FLOWS, "--check"), 0, self.stderr)
        for number in ("3", "1", "2"):
            self.assertIn(number, self.stdout)
        self.assertEqual(glob.glob(os.path.join(self.folder, "results", "*")), [])

    def test_unreachable_flow(self):
        """Two islands: counted and said (fault 45), and a flow between them is refused."""
        islands = "6 2 4\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n"
        code = self.run_flows(islands, "1\n0 2 3 100 1000 0\n", "--check")
        self.assertEqual(code, 2)
        self.assertIn("f.txt:2", self.stderr)

    @unittest.skipUnless(DATA, "AI_FABRIC_DATA is not set")
    def test_real_pair(self):
        """Counts of data/INDEX.md: 66 nodes, of which 65 hosts; 2 flows."""
        code = self.run_program(
            "flows", f"--topology={DATA}/hpcc/topology_hpcc_66n.txt",
            f"--flows={DATA}/hpcc/flow_hpcc_2to1.txt", "--check",
        )
        self.assertEqual(code, 0, self.stderr)
        self.assertIn("65", self.stdout)


class Results(ProgramCase):
    @unittest.skipUnless(os.path.exists("/dev/full"), "this system has no /dev/full")
    def test_full_device(self):
        """What was printed and lost is no success: help, check or run."""
        self.write("t.txt", TOPOLOGY)
        self.write("f.txt", FLOWS)
        flows = ["flows", "--topology=t.txt", "--flows=f.txt"]
        for arguments in (["--help"], ["--version"], flows + ["--check"], flows):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                    stdout=full, stderr=subprocess.PIPE, timeout=300,
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"could not be written", done.stderr)
        self.assertEqual(len(self.rows("flows.csv")), 3, "the files are whole all the same")

    def test_files_cut_short(self):
        """A result file that the disk did not take is named, and the run is no success."""
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))

        self.write("t.txt", TOPOLOGY)
        self.write("f.txt", FLOWS)
        done = subprocess.run(
            [PROGRAM, "flows", "--topology=t.txt", "--flows=f.txt", "--monitor=rate:100ns"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=300, preexec_fn=small_files,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        warning = [line for line in done.stdout.decode().splitlines() if "not written" in line]
        self.assertEqual(len(warning), 1, done.stdout)
        self.assertIn("manifest.json", warning[0])
        self.assertIn("rate.csv", warning[0])
        self.assertNotIn("flows.csv", warning[0])

    def test_a_run_leaves_its_files(self):
        """Every flow asked for has a row; the manifest says what was in force (fault 49)."""
        self.assertEqual(self.run_flows(), 0, self.stdout + self.stderr)
        rows = self.rows("flows.csv")
        self.assertEqual(len(rows), 3)
        manifest = self.only_result("manifest*")
        with open(manifest, encoding="utf-8") as text:
            self.assertIn("seed", text.read())
        self.assertIn("results", self.stdout)

    def test_build_type_is_said(self):
        """Fault 50."""
        self.run_flows()
        self.assertRegex(self.stdout, r"(?i)release|relwithdebinfo|debug")

    def test_same_seed_same_digest(self):
        digests = set()
        for seed in (1, 1, 2):
            arguments = ["--k=4", "--max-flows=20", "--no-progress", f"--seed={seed}", "--out=r"]
            self.assertEqual(self.run_program(*arguments), 0, self.stderr)
            lines = [line for line in self.stdout.splitlines() if "digest" in line.lower()]
            self.assertTrue(lines, "no digest is printed")
            digests.add(lines[-1])
        self.assertEqual(len(digests), 2)

    def test_unfinished_flows_are_not_success(self):
        """Fault 51: an empty or partial result has an exit code that is not 0."""
        flows = "1\n0 2 3 100 1000000000 0\n"
        self.assertEqual(self.run_flows(TOPOLOGY, flows, "--stop-time=10us"), 1)

    def test_a_lost_last_packet_is_sent_again(self):
        """The retry timer (67 ms) outlasts the stall time (20 ms): a loss alone is no stall."""
        lossy = TOPOLOGY.replace("0 3 100Gbps 1us 0", "0 3 100Gbps 1us 0.3")
        flows = "20\n" + "".join(f"0 2 3 {100 + i} 1000 0\n" for i in range(20))
        self.assertEqual(self.run_flows(lossy, flows), 0, self.stdout + self.stderr)
        self.assertRegex(self.stdout, r"link_error [1-9]")
        self.assertEqual(self.run_flows(lossy, flows, "--stall=20ms"), 1)
        self.assertIn("no flow byte was delivered for 20ms", self.stdout)

    def test_no_flows_is_not_success(self):
        self.assertNotEqual(self.run_flows(TOPOLOGY, "0\n"), 0)

    def test_interrupt_keeps_what_was_finished(self):
        """Ctrl-C: exit code 130 and a valid file with the finished flow (fault 50)."""
        self.write("t.txt", TOPOLOGY)
        self.write("f.txt", "2\n0 2 3 100 1000 0\n1 2 3 100 900000000000 0\n")
        command = [PROGRAM, "flows", "--topology=t.txt", "--flows=f.txt", "--no-progress"]
        child = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        time.sleep(3)
        self.assertIsNone(child.poll(), "it ended before it could be interrupted")
        child.send_signal(signal.SIGINT)
        output = child.communicate(timeout=60)[0].decode()
        self.assertEqual(child.returncode, 130, output)
        self.assertGreaterEqual(len(self.rows("flows.csv")), 2)

    def test_help_and_version(self):
        for option in ("--help", "--version"):
            self.assertEqual(self.run_program(option), 0)
            self.assertIn("ai-fabric", self.stdout)
            self.assertEqual(self.stderr, "")

    def test_scenario_file(self):
        scenario = {
            "topology": {"builder": "star", "hosts": 4},
            "traffic": [{"generator": "incast", "senders": 3, "receiver": 3, "bytes": "64KB"}],
        }
        self.write("s.json", json.dumps(scenario))
        self.assertEqual(self.run_program("s.json"), 0, self.stdout + self.stderr)
        self.assertEqual(len(self.rows("flows.csv")), 4)


if __name__ == "__main__":
    unittest.main()
