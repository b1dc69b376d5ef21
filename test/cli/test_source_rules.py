# SPDX-License-Identifier: GPL-2.0-only
"""Rules that the source tree itself has to keep."""

import glob
import importlib.machinery
import importlib.util
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# A folder may include the folders named here, and itself.
MAY_INCLUDE = {
    "model/wire": set(),
    "model/fabric": {"model/wire"},
}
MAY_INCLUDE["model/flow-control"] = {"model/fabric"} | MAY_INCLUDE["model/fabric"]
MAY_INCLUDE["model/switch"] = {"model/flow-control"} | MAY_INCLUDE["model/flow-control"]
MAY_INCLUDE["model/congestion"] = {"model/flow-control"} | MAY_INCLUDE["model/flow-control"]
MAY_INCLUDE["model/rdma"] = (
    {"model/switch", "model/congestion"} | MAY_INCLUDE["model/switch"] | MAY_INCLUDE["model/congestion"]
)
MAY_INCLUDE["model/gpu"] = {"model/rdma"} | MAY_INCLUDE["model/rdma"]
MAY_INCLUDE["model/infiniband"] = {"model/rdma"} | MAY_INCLUDE["model/rdma"]
MAY_INCLUDE["model/collective"] = {"model/gpu"} | MAY_INCLUDE["model/gpu"]
MAY_INCLUDE["model/application"] = {"model/collective"} | MAY_INCLUDE["model/collective"]
MAY_INCLUDE["helper"] = {"model/application", "model/infiniband"} | MAY_INCLUDE["model/application"]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as text:
        return text.read()


def sources(*extensions):
    found = []
    for folder in ("model", "helper", "examples", "test"):
        for extension in extensions:
            pattern = os.path.join(ROOT, folder, "**", "*." + extension)
            found += [os.path.relpath(path, ROOT) for path in glob.glob(pattern, recursive=True)]
    return sorted(found)


def module_files(*extensions):
    return [path for path in sources(*extensions) if path.startswith(("model/", "helper/"))]


def load_wscript():
    path = os.path.join(ROOT, "wscript-compat", "wscript")
    loader = importlib.machinery.SourceFileLoader("ai_fabric_wscript", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class SourceRules(unittest.TestCase):
    def test_include_arrows(self):
        """wire <- fabric <- flow-control <- switch | congestion <- rdma <- ... <- helper."""
        folder_of = {os.path.basename(path): os.path.dirname(path) for path in module_files("h")}
        wrong = []
        for path in module_files("h", "cc"):
            here = os.path.dirname(path)
            for name in re.findall(r'^\s*#include [<"](?:ns3/)?([\w.-]+)[">]', read(path), re.M):
                there = folder_of.get(name, here)
                if there != here and there not in MAY_INCLUDE[here]:
                    wrong.append(f"{path} includes {there}/{name}")
        self.assertEqual(wrong, [])

    def test_include_manner(self):
        """Own headers of another folder are included as "ns3/x.h", those of the same one as "x.h"."""
        folder_of = {os.path.basename(path): os.path.dirname(path) for path in module_files("h")}
        wrong = []
        for path in module_files("h", "cc"):
            here = os.path.dirname(path)
            for prefix, name in re.findall(r'^\s*#include [<"](ns3/)?([\w.-]+)[">]', read(path), re.M):
                there = folder_of.get(name)
                if there and (there != here) != bool(prefix):
                    wrong.append(f"{path}: {prefix}{name}")
        self.assertEqual(wrong, [])

    def test_header_names_are_unique(self):
        """ns-3 puts all headers into one folder and drops a second one of the same name unasked."""
        names = [os.path.basename(path) for path in module_files("h")]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_header_names_do_not_clash_with_ns3(self):
        """Against the headers of a source tree or installation named by NS3_HEADERS_DIR."""
        folder = os.environ.get("NS3_HEADERS_DIR", "/usr/include/ns3")
        if not os.path.isdir(folder):
            self.skipTest("no ns-3 headers at hand; cmake makes the same check while configuring")
        theirs = {
            os.path.basename(path)
            for path in glob.glob(os.path.join(folder, "**", "*.h"), recursive=True)
            if "ai-fabric" not in path
        }
        self.assertGreater(len(theirs), 100)
        ours = {os.path.basename(path) for path in module_files("h")}
        self.assertEqual(ours & theirs, set())

    def test_every_file_is_listed(self):
        """CMakeLists.txt lists every source, header and test, and nothing that is not there."""
        text = re.sub(r"#[^\n]*", "", read("CMakeLists.txt"))
        listed = re.findall(r"\b(?:model|helper|test)/[\w./-]+\.(?:cc|h)\b", text)
        self.assertEqual(sorted(listed), sorted(set(listed)), "listed twice")
        present = set(module_files("h", "cc"))
        present |= {path for path in sources("cc") if path.startswith("test/")}
        present -= {"test/test-runner.cc"}
        self.assertEqual(present - set(listed), set(), "not listed")
        self.assertEqual({path for path in listed if not os.path.exists(os.path.join(ROOT, path))}, set())

    def test_every_example_is_listed_and_run(self):
        """An example that no test runs is one that will not work one day (fault 51)."""
        programs = [name for name, _, _ in load_wscript().read_examples(ROOT)]
        files = [os.path.basename(path)[:-3] for path in sources("cc") if path.startswith("examples/")]
        self.assertEqual(sorted(programs), sorted(files))
        entries = {}
        exec(read("test/examples-to-run.py"), entries)
        run = {line.split()[0] for line, wanted, _ in entries["cpp_examples"] if wanted == "True"}
        self.assertEqual(set(programs) - run, set())

    def test_wscript_reads_the_same_lists(self):
        """The waf build has no lists of its own."""
        wscript = load_wscript()
        lists = wscript.read_lists(ROOT)
        self.assertEqual(wscript.select(lists, "_sources"), module_files("cc"))
        self.assertEqual(wscript.select(lists, "_headers"), module_files("h"))

    def test_ascii_and_licence(self):
        """ASCII only, and a licence line on top of every source file."""
        for path in sources("cc", "h"):
            text = read(path)
            self.assertTrue(text.isascii(), path)
            self.assertIn("SPDX-License-Identifier: GPL-2.0-only", text[:200], path)

    def test_public_headers_need_no_boost(self):
        """ns-3 links third parties privately, and Python's loader parses every public header."""
        self.assertEqual([path for path in module_files("h") if "boost/" in read(path)], [])

    def test_model_is_silent(self):
        """Nothing below model/ writes to stdout; results leave through trace sources."""
        loud = [path for path in module_files("h", "cc") if path.startswith("model/")
                and re.search(r"std::cout|\bprintf\s*\(", read(path))]
        self.assertEqual(loud, [])

    def test_no_unseeded_randomness(self):
        """rand(), random_device and the clock would make two equal runs differ."""
        pattern = r"\brand\s*\(\)|random_device|\btime\s*\(\s*(NULL|nullptr|0)\s*\)|default_random_engine"
        wrong = [path for path in module_files("h", "cc") if re.search(pattern, read(path))]
        self.assertEqual(wrong, [])

    def test_line_length(self):
        """100 columns, as in ns-3."""
        long = [f"{path}:{number}" for path in sources("cc", "h")
                for number, line in enumerate(read(path).splitlines(), 1) if len(line) > 100]
        self.assertEqual(long, [])

    def test_sizes(self):
        """A header of more than 300 lines, or a source of more than 600, is two ideas."""
        limits = {"h": 300, "cc": 600}
        long = {}
        for path in module_files("h", "cc"):
            lines = read(path).count("\n")
            if lines > limits[path.rsplit(".", 1)[1]]:
                long[path] = lines
        for path in sources("cc"):
            if path.startswith("examples/") and path != "examples/ai-fabric-run.cc" and read(path).count("\n") > 150:
                long[path] = read(path).count("\n")
        self.assertEqual(long, {})


if __name__ == "__main__":
    unittest.main()
