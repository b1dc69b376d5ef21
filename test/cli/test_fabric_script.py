# SPDX-License-Identifier: GPL-2.0-only
"""The ./fabric script itself: help, refusals, and what it passes through."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SETUP = os.environ.get("AI_FABRIC_SETUP", "").split()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def fabric(*arguments):
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "fabric"), *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class FabricScript(unittest.TestCase):
    def test_help_of_every_command(self):
        code, out, _ = fabric("--help")
        self.assertEqual(code, 0)
        for command in ("setup", "run", "test", "bench", "doctor"):
            self.assertIn(command, out)
            code, text, _ = fabric(command, "--help")
            self.assertEqual(code, 0)
            self.assertIn("--ns3", text)

    def test_unknown_command(self):
        code, _, error = fabric("rnu")
        self.assertEqual(code, 2)
        self.assertIn("rnu", error)

    def test_path_without_ns3(self):
        """--ns3=PATH is checked before anything is installed or built."""
        for command in ("run", "test", "setup"):
            code, _, error = fabric(command, "--ns3=/nonexistent")
            self.assertEqual(code, 1)
            self.assertIn("/nonexistent", error)

    def test_unbuilt_tree_is_refused(self):
        """--ns3=PATH of a source tree that nobody has built: says what to do there."""
        with tempfile.TemporaryDirectory() as tree:
            open(os.path.join(tree, "ns3"), "w").close()
            code, _, error = fabric("run", "--ns3=" + tree)
        self.assertEqual(code, 1)
        self.assertIn("./ns3 build", error)
        self.assertIn(tree, error)

    def test_half_built_tree_is_not_taken(self):
        """Headers and libns3-core alone are no ns-3 to link against."""
        with tempfile.TemporaryDirectory() as tree:
            for path in ("ns3", "build/include/ns3/core-module.h", "build/lib/libns3.37-core.so"):
                os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
                open(os.path.join(tree, path), "w").close()
            code, _, error = fabric("run", "--ns3=" + tree)
        self.assertEqual(code, 1)
        self.assertIn("not built", error)

    def test_surrounding_tree(self):
        """As contrib/ai-fabric of a source tree, auto stands for that tree; nothing is made."""
        with tempfile.TemporaryDirectory() as tree:
            here = os.path.join(tree, "contrib", "ai-fabric")
            os.makedirs(here)
            open(os.path.join(tree, "ns3"), "w").close()
            shutil.copy(os.path.join(ROOT, "fabric"), here)
            done = subprocess.run(
                [sys.executable, "-B", os.path.join(here, "fabric"), "doctor"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=120,
            )
            self.assertIn(b"the surrounding tree", done.stdout)
            self.assertEqual(os.listdir(here), ["fabric"])

    def test_script_that_is_not_there(self):
        code, _, error = fabric("run", *SETUP, "nowhere.cc")
        self.assertEqual(code, 1)
        self.assertIn("nowhere.cc", error)

    @unittest.skipUnless(SETUP, "AI_FABRIC_SETUP is not set; ./fabric test sets it")
    def test_example_by_name(self):
        code, output, error = fabric("run", *SETUP, "oam-board", "--bytes=65536")
        self.assertEqual(code, 0, error)
        self.assertIn("oam-full-mesh:", output)

    @unittest.skipUnless(SETUP, "AI_FABRIC_SETUP is not set; ./fabric test sets it")
    def test_script_of_the_readme(self):
        """The program that README.md prints works as it is printed, and again at once."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as text:
            script = re.search(r"^```cpp\n(.*?)^```$", text.read(), re.M | re.S).group(1)
        self.assertLessEqual(script.count("\n"), 40)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "two-to-one.cc")
            with open(path, "w", encoding="utf-8") as out:
                out.write(script)
            code, output, error = fabric("run", *SETUP, path)
        self.assertEqual(code, 0, error)
        self.assertRegex(output, r"^flow 0: 10000000 B in .*us\nflow 1: 10000000 B in .*us\n$")

    @unittest.skipUnless(os.path.exists("/dev/full"), "this system has no /dev/full")
    def test_full_device(self):
        """Lost output is no success, and is said in one line."""
        for command in ("--help", "doctor"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [sys.executable, "-B", os.path.join(ROOT, "fabric"), command],
                    stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, timeout=120,
                    env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
                )
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.decode().count("\n"), 1, done.stderr)

    def test_doctor_changes_nothing(self):
        code, out, _ = fabric("doctor")
        self.assertEqual(code, 0)
        for word in ("compiler", "ns-3", "cmake", "ninja", "Boost", "googletest", "cppyy", "would install"):
            self.assertIn(word, out)


if __name__ == "__main__":
    unittest.main()
