# SPDX-License-Identifier: GPL-2.0-only
"""What a person sees of `ai-fabric-run dgx`: matrices, files, refusals."""

import csv
import glob
import os
import unittest

from test_program import DATA, ProgramCase


class GpuServer(ProgramCase):
    def pairs(self, folder):
        with open(os.path.join(self.folder, folder, "pairs.csv")) as table:
            return {(row["from"], row["to"]): row for row in csv.DictReader(table)}

    def refuse(self, message, *arguments):
        self.assertEqual(self.run_program("dgx", *arguments), 2, arguments)
        for text in message if isinstance(message, tuple) else (message,):
            self.assertIn(text, self.stderr)

    def test_all_assemblies_are_described(self):
        self.assertEqual(self.run_program("dgx", "--list"), 0)
        names = [line.split()[0] for line in self.stdout.splitlines()]
        self.assertIn("dgx-h100", names)
        for name in names:
            code = self.run_program("dgx", f"--model={name}", "--check")
            self.assertEqual(code, 0, name + self.stderr)
            self.assertIn("links", self.stdout, name)

    def test_counters_stand_beside_the_matrix(self):
        code = self.run_program("dgx", "--model=dgx1-v100", "--size=1MiB", "--out=r")
        self.assertEqual(code, 0, self.stderr)
        self.assertIn("credits of all links: add up", self.stdout)
        counted, moved = [
            int(word.strip(":;")) for word in self.stdout.split("ports counted")[1].split() if word.isdigit()
        ][:2]
        self.assertEqual(counted, moved)
        with open(os.path.join(self.folder, "r", "links.csv")) as table:
            links = list(csv.DictReader(table))
        carried = sum(
            int(link["data_bytes_a_to_b"]) + int(link["data_bytes_b_to_a"]) for link in links
        )
        # relations that cross several links are counted on each of them
        self.assertGreaterEqual(carried, counted)
        self.assertEqual(len(self.pairs("r")), 56)

    def test_half_a_link_changes_exactly_its_rows(self):
        arguments = ("dgx", "--model=dgx1-v100", "--size=1MiB")
        self.assertEqual(self.run_program(*arguments, "--out=whole"), 0)
        code = self.run_program(*arguments, "--link-rate=gpu0:gpu3=25.78125GB/s", "--out=half")
        self.assertEqual(code, 0, self.stderr)
        whole, half = self.pairs("whole"), self.pairs("half")
        changed = {pair for pair in whole if whole[pair]["one_way_GBps"] != half[pair]["one_way_GBps"]}
        self.assertEqual(changed, {("gpu0", "gpu3"), ("gpu3", "gpu0")})

    def test_a_failed_bundle_is_named_where_nothing_replaces_it(self):
        code = self.run_program("dgx", "--model=dgx1-v100", "--size=64KiB", "--fail=gpu0:gpu3", "--out=r")
        self.assertEqual(code, 0, self.stderr)
        self.refuse(("no link between gpu0 and gpu5", "gpu3"), "--fail=gpu0:gpu5", "--model=dgx1-v100")

    def test_sweep(self):
        code = self.run_program("dgx", "--pair=gpu0,gpu1", "--sizes=4KiB..1MiB", "--out=r")
        self.assertEqual(code, 0, self.stderr)
        table = self.stdout.split("one way GB/s")[1].splitlines()[1:10]
        rates = [float(line.split()[1]) for line in table]
        self.assertEqual(len(rates), 9)
        self.assertEqual(rates, sorted(rates))

    def test_bad_input(self):
        self.refuse(("unknown", "dgx-h100"), "--model=dgx9")
        self.refuse("did you mean", "--modle=dgx2")
        self.refuse("not of the form", "--link-rate=gpu0", "--model=dgx1-v100")
        self.refuse("is no part of this server", "--pair=gpu0,gpu99")
        self.refuse("names the same part twice", "--pair=gpu0,gpu0")
        self.refuse("ends before it begins", "--pair=gpu0,gpu1", "--sizes=8KiB..4KiB")
        self.refuse("only with --pair", "--sizes=4KiB..8KiB")
        self.refuse("1B to 16GiB", "--size=0B")
        self.refuse("one of them", "--model=dgx2", "--file=x")
        self.refuse("no-such-file", "--file=no-such-file")
        self.refuse("takes options only", "dgx2")
        self.write("cut.xml", "<system version='1'><cpu")
        self.refuse("cut.xml:1", "--file=cut.xml")

    def test_attributes(self):
        code = self.run_program(
            "dgx", "--model=dgx-a100", "--size=64KiB", "--out=r",
            "--attribute=ns3::MemoryDevice::FrameBytes=256",
        )
        self.assertEqual(code, 0, self.stderr)
        self.refuse("FrameBytes", "--attribute=ns3::MemoryDevice::FrameByte=256")
        self.refuse("no effect", "--attribute=ns3::FabricChannel::Delay=1us")
        self.refuse("--relay", "--attribute=ns3::MemoryDevice::Relay=true")

    def test_attributes_outrank_the_model(self):
        """A copy engine without a ceiling, which is also what the class declares, is as the link."""
        rates = {}
        for rate in ("model", "100Gb/s", "0b/s"):
            option = [] if rate == "model" else [f"--attribute=ns3::MemoryDevice::CopyEngineRate={rate}"]
            code = self.run_program(
                "dgx", "--model=dgx-h100", "--pair=gpu0,gpu1", "--sizes=64MiB..64MiB", "--out=r", *option
            )
            self.assertEqual(code, 0, self.stderr)
            rates[rate] = float(self.stdout.split("one way GB/s")[1].splitlines()[1].split()[1])
        self.assertLess(rates["100Gb/s"], 12.5)
        self.assertGreater(rates["100Gb/s"], 12.4)
        self.assertLess(rates["model"], 376)
        self.assertGreater(rates["0b/s"], 376)

    def test_one_topology_file_for_every_chassis(self):
        code = self.run_program("dgx", "--model=nvl32", "--check", "--xml=t.xml", "--dot=t.dot")
        self.assertEqual(code, 0, self.stderr)
        files = glob.glob(os.path.join(self.folder, "t.*.xml"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "t.xml")))
        gpus = 0
        for path in files:
            with open(path) as file:
                gpus += file.read().count("<gpu ")
        self.assertEqual(gpus, 32, files)
        self.assertIn("one chassis: wrote t.0.xml to", self.stdout)

    @unittest.skipUnless(DATA, "AI_FABRIC_DATA is not set")
    def test_real_dumps(self):
        """Each is built and measured, or asks by name for what it does not say."""
        built = 0
        files = sorted(glob.glob(os.path.join(DATA, "nccl-topo", "*topo*.xml")))
        files += sorted(glob.glob(os.path.join(DATA, "smi-topo", "*.txt")))
        for path in files:
            code = self.run_program("dgx", f"--file={path}", "--size=64KiB", "--out=r")
            self.assertIn(code, (0, 2), path + self.stderr)
            built += code == 0
            if code == 2:
                self.assertRegex(
                    self.stderr, "answer by --answer=KEY=VALUE|nothing to measure between", path
                )
        self.assertGreater(built, 0)

    @unittest.skipUnless(DATA, "AI_FABRIC_DATA is not set")
    def test_answered_dump(self):
        """A cloud machine with 8 H100: what its file leaves open is answered, then it is measured."""
        path = os.path.join(DATA, "nccl-topo", "oci_H100-topology.xml")
        code = self.run_program(
            "dgx", f"--file={path}", "--answer=pcie=pcie5-x16", "--answer=socket=upi",
            "--size=16MiB", "--out=r",
        )
        self.assertEqual(code, 0, self.stderr)
        pairs = self.pairs("r")
        self.assertEqual(len(pairs), 56)
        self.assertEqual({row["relation"] for row in pairs.values()}, {"NV18"})
        self.refuse("upi9", f"--file={path}", "--answer=pcie=pcie5-x16", "--answer=socket=upi9")


if __name__ == "__main__":
    unittest.main()
