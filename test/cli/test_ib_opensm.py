# SPDX-License-Identifier: GPL-2.0-only
"""A real subnet manager in the loop: opensm routes fabrics of ours over Debian's fabric simulator."""

import os
import shutil
import signal
import subprocess
import time
import unittest

from test_program import ProgramCase


def fat_tree(leaves, spines, hosts):
    """Every leaf on every spine once; a cable is told at both ends."""
    lines = []
    for leaf in range(leaves):
        lines.append(f'Switch {hosts + spines} "leaf{leaf}"')
        lines += [f'[{h + 1}] "h{leaf * hosts + h}"[1]' for h in range(hosts)]
        lines += [f'[{hosts + s + 1}] "spine{s}"[{leaf + 1}]' for s in range(spines)]
    for spine in range(spines):
        lines.append(f'Switch {leaves} "spine{spine}"')
        lines += [f'[{leaf + 1}] "leaf{leaf}"[{hosts + spine + 1}]' for leaf in range(leaves)]
    for host in range(leaves * hosts):
        lines += [f'Hca 1 "h{host}"', f'[1] "leaf{host // hosts}"[{host % hosts + 1}]']
    return "\n".join(lines) + "\n"


@unittest.skipUnless(
    shutil.which("opensm") and shutil.which("ibsim"), "opensm and ibsim-utils are not installed"
)
class OpenSm(ProgramCase):
    def route(self, network, engine, host):
        """Let opensm bring the network up once; its files are in the folder it returns."""
        folder = os.path.join(self.folder, "opensm-" + engine)
        os.mkdir(folder)
        simulator = subprocess.Popen(
            ["ibsim", "-s", os.path.join(self.folder, network)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
        try:
            for line in simulator.stdout:
                if b"ready" in line:
                    break
            environment = dict(os.environ, SIM_HOST=host, OSM_TMP_DIR=folder, OSM_CACHE_DIR=folder)
            subprocess.run(
                ["ibsim-run", "opensm", "-o", "-R", engine, "-D", "0x43", "-f", folder + "/log"],
                env=environment,
                cwd=folder,
                timeout=60,
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.time() + 10
            while not os.path.exists(folder + "/opensm.fdbs") and time.time() < deadline:
                time.sleep(0.1)
        finally:
            os.killpg(simulator.pid, signal.SIGKILL)
            simulator.wait()
            simulator.stdin.close()
            simulator.stdout.close()
        return folder

    def summary(self, *arguments):
        self.assertEqual(self.run_program("ib", "--file=net", *arguments), 0, self.stderr)
        lines = dict(line.split(None, 1) for line in self.stdout.splitlines() if line[0] != " ")
        return lines["pairs"], lines["hops"], lines["credits"]

    def test_fat_tree(self):
        """opensm reaches what our engines reach, in as many hops, without a credit loop."""
        self.write("plain", fat_tree(leaves=4, spines=4, hosts=4))
        self.assertEqual(self.run_program("ib", "--file=plain", "--write-ibsim=net"), 0, self.stderr)
        for engine in ("minhop", "updn", "ftree"):
            ours = self.summary("--engine=" + engine)
            folder = self.route("net", engine, "h0")
            theirs = self.summary(f"--lids={folder}/guid2lid", f"--routes={folder}/opensm.fdbs")
            self.assertEqual(ours, theirs, engine)
            self.assertEqual(ours[0].split()[:3], ["240", "of", "240"])
            self.assertEqual(ours[2], "no loop")


if __name__ == "__main__":
    unittest.main()
