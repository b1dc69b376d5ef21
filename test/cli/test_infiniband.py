# SPDX-License-Identifier: GPL-2.0-only
"""What a person sees of `ai-fabric-run ib`: counts, routes, files, refusals."""

import os
import unittest

from test_program import DATA, ProgramCase

RING = """Switch 3 "s0"
[1] "s1"[2]
[3] "h0"[1]
Switch 3 "s1"
[1] "s2"[2]
[3] "h1"[1]
Switch 3 "s2"
[1] "s3"[2]
[3] "h2"[1]
Switch 3 "s3"
[1] "s4"[2]
[3] "h3"[1]
Switch 3 "s4"
[1] "s0"[2]
[3] "h4"[1]
Hca 1 "h0"
Hca 1 "h1"
Hca 1 "h2"
Hca 1 "h3"
Hca 1 "h4"
"""


class InfiniBand(ProgramCase):
    def ib(self, *arguments, code=0):
        self.assertEqual(self.run_program("ib", *arguments), code, self.stderr)
        return self.stdout

    def refuse(self, message, *arguments):
        self.ib(*arguments, code=2)
        self.assertIn(message, self.stderr)

    def test_credit_loop_of_a_ring_and_its_cure(self):
        self.write("ring", RING)
        out = self.ib("--file=ring")
        self.assertIn("20 of 20", out)
        self.assertIn("credit loop: ", out)
        self.assertIn("s0[1] -> s1[2]", out)
        out = self.ib("--file=ring", "--engine=updn", "--trace=h0,h2")
        self.assertIn("20 of 20", out)
        self.assertIn("no loop", out)
        self.assertEqual(out.split("way  ")[1].count("->"), 4)
        out = self.ib("--file=ring", "--engine=dfsssp")
        self.assertIn("lanes       2", out)
        self.assertIn("no loop", out)

    def test_files_written_are_read_again(self):
        self.write("ring", RING)
        first = self.ib("--file=ring", "--write-ibsim=a", "--write-ibnetdiscover=b")
        for name in ("a", "b"):
            again = self.ib(f"--file={name}").replace("0 told from", "10 told from")
            self.assertEqual(again.split("cables")[1], first.split("cables")[1])

    def test_bad_input(self):
        self.write("ring", RING)
        self.write("bad", 'Switch 4 "a"\n[9] "b"[1]\n')
        self.refuse("needs --file", "--check")
        self.refuse("no-such-file", "--file=no-such-file")
        self.refuse("bad:2:2: '9]'", "--file=bad")
        self.refuse("minhop, updn, ftree", "--file=ring", "--engine=torus")
        self.refuse("no fat-tree", "--file=ring", "--engine=ftree")
        self.refuse("both or neither", "--file=ring", "--lids=x")
        self.refuse("'h9'", "--file=ring", "--trace=h0,h9")
        self.refuse("A,B", "--file=ring", "--trace=h0")
        self.refuse("did you mean", "--fiel=ring")
        self.refuse("options only", "ring")

    def test_islands_and_missing_nodes_are_told(self):
        self.write("two", 'Switch 4 "a"\n[1] "H-b"[1]\nHca 1 "c"\n')
        out = self.ib("--file=two")
        self.assertIn("2 islands", out)
        self.assertIn("1 node(s) are named but not described", out)

    @unittest.skipUnless(DATA, "AI_FABRIC_DATA is not set")
    def test_real_manager(self):
        """Tables that opensm wrote for a generated fat-tree, and our own for a real NDR pod."""
        folder = os.path.join(DATA, "infiniband")
        out = self.ib(
            f"--file={folder}/ibsim_fattree_k4n3_full.topo.txt",
            f"--lids={folder}/opensm_fattree_k4n3_ftree.guid2lid",
            f"--routes={folder}/opensm_fattree_k4n3_ftree.opensm.fdbs",
        )
        self.assertIn("16256 of 16256", out)
        self.assertIn("no loop", out)
        out = self.ib(f"--file={folder}/ibnetdiscover_h100_pod_ndr.txt", "--engine=minhop")
        self.assertIn("582 channel adapters (40 of them", out)
        self.assertIn("338142 of 338142", out)


if __name__ == "__main__":
    unittest.main()
