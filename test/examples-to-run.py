#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# Examples that the tests run, by ns-3's test.py as well as by ./fabric test. Each must exit with 0.
# (program and arguments, run it?, run it under valgrind?)
cpp_examples = [
    ("ai-fabric-run --k=4 --check", "True", "False"),
    ("ai-fabric-run --k=4 --duration=200us --out=results --monitor=queue --monitor=cnp", "True", "False"),
    ("ai-fabric-run bench --row=bare --scale=0.01", "True", "False"),
    ("ai-fabric-run dgx --model=dgx-a100 --size=1MiB --out=results", "True", "False"),
    ("dgx-topologies", "True", "False"),
    ("fat-tree-fct", "True", "False"),
    ("first-flows", "True", "False"),
    ("hpcc-files", "True", "False"),
    ("incast-dcqcn", "True", "False"),
    ("ip-over-fabric", "True", "False"),
    ("link-failure", "True", "False"),
    ("nvlink-memory-pool", "True", "False"),
    ("nvlink-p2p", "True", "False"),
    ("nvlink-switch-vs-network", "True", "False"),
    ("oam-board", "True", "False"),
    ("pcie-gpudirect", "True", "False"),
    ("scenario-from-json", "True", "False"),
    ("verbs-write-pingpong", "True", "False"),
]

python_examples = []
