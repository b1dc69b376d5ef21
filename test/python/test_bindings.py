# SPDX-License-Identifier: GPL-2.0-only
"""The public headers are fit for Python: cppyy parses them all, and a flow runs through them.

AI_FABRIC_BUILD is the build folder, AI_FABRIC_NS3 the wheel's ns3/ folder; `./fabric test` sets both.
"""

import glob
import os

import pytest

BUILD = os.environ.get("AI_FABRIC_BUILD")
NS3 = os.environ.get("AI_FABRIC_NS3")

if not BUILD or not NS3:
    pytest.skip("run by ./fabric test --ns3=wheel", allow_module_level=True)

import cppyy  # noqa: E402


@pytest.fixture(scope="session")
def ns3():
    """C++ namespace ns3 with the libraries core, network and ai-fabric, and no others."""
    cppyy.add_include_path(os.path.join(BUILD, "include"))
    cppyy.add_include_path(os.path.join(BUILD, "ns3-include"))
    for name in ("core", "network"):
        cppyy.load_library(glob.glob(os.path.join(NS3, "lib*", f"libns3*-{name}.so"))[0])
    cppyy.include("ns3/core-module.h")
    cppyy.include("ns3/network-module.h")
    cppyy.load_library(os.path.join(BUILD, "lib", "libai-fabric.so"))
    cppyy.include("ns3/ai-fabric-module.h")
    return cppyy.gbl.ns3


def test_topology_counts(ns3):
    """k-ary fat tree: k^3/4 hosts and 5k^2/4 switches (fault 48), from Python as from C++."""
    for k in (4, 8):
        topology = ns3.FatTreeBuilder(k).Build()
        assert topology.GetNHosts() == k**3 // 4
        assert topology.GetNSwitches() == 5 * k * k // 4
        assert topology.GetNLinks() == 3 * k**3 // 4


def test_user_mistake_is_an_exception(ns3):
    """FabricError reaches Python as an exception with its message, not as an abort (fault 47)."""
    with pytest.raises(Exception, match="even"):
        ns3.FatTreeBuilder(3).Build()


def test_types_are_registered(ns3):
    """Every class of ours can be looked up by name, as Config paths and factories do."""
    for name in ("FabricSwitch", "PfcFlowControl", "RdmaNic", "RdmaDcqcn", "FabricNetDevice"):
        assert ns3.TypeId.LookupByName(f"ns3::{name}").GetName() == f"ns3::{name}"
