# SPDX-License-Identifier: GPL-2.0-only
"""The ./fabric script itself: help, refusals, and what it passes through."""

import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def fabric(*arguments):
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "fabric"), *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
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

    def test_doctor_changes_nothing(self):
        code, out, _ = fabric("doctor")
        self.assertEqual(code, 0)
        for word in ("compiler", "ns-3", "cmake", "ninja", "Boost", "googletest", "cppyy", "would install"):
            self.assertIn(word, out)


if __name__ == "__main__":
    unittest.main()
