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


def build(ns3, builder, **parameters):
    """A topology builder's graph; parameters as its C++ struct names them."""
    values = builder.Parameters()
    for name, value in parameters.items():
        setattr(values, name, value)
    return builder(values).Build()


def test_topology_counts(ns3):
    """k-ary fat tree: k^3/4 hosts and 5k^2/4 switches (fault 48), from Python as from C++."""
    for k in (4, 8):
        topology = build(ns3, ns3.FatTreeBuilder, k=k)
        assert topology.GetNHosts() == k**3 // 4
        assert topology.GetNSwitches() == 5 * k * k // 4
        assert topology.GetNLinks() == 3 * k**3 // 4


def test_user_mistake_is_an_exception(ns3):
    """FabricError reaches Python as an exception with its message, not as an abort (fault 47)."""
    with pytest.raises(ns3.FabricError, match="even"):
        build(ns3, ns3.FatTreeBuilder, k=3)


def test_one_flow_takes_its_closed_form(ns3):
    """One RDMA WRITE over two links, alone: n packets of w wire bytes, the last of l, the first
    longer by the 16-byte RETH e; with rate C and delay d per link (rocev2 profile: 82 wire bytes
    around the payload, an ACK of 86):
        received  2 d + (2 (w + e) + (n - 2) w + l) / C
        done      received + 2 (d + a / C), as RdmaHelper::GetIdeal() says too
    """
    ns3.Time.SetResolution(ns3.Time.PS)
    fabric = ns3.FabricHelper()
    fabric.Build(build(ns3, ns3.StarBuilder, hosts=2))
    helper = ns3.RdmaHelper(fabric)
    application = ns3.CreateObject[ns3.RdmaFlowApplication]()
    fabric.GetNodes().Get(0).AddApplication(application)
    flow = ns3.RdmaFlow()
    flow.src, flow.dst, flow.bytes = fabric.GetNic(0), fabric.GetNic(1), 10_000
    application.AddFlow(flow)
    ns3.Simulator.Run()
    result = application.GetResult(0)
    ideal = helper.GetIdeal(0, 1, 10_000)

    assert result.status == ns3.RdmaFlowResult.Status.FINISHED
    assert result.rxAt - result.start == ideal.rx
    assert result.ackAt - result.start == ideal.ack
    ps_per_byte, delay, packets = 80, 1_000_000, 10
    wire = 1000 + 82
    closed_form = 2 * delay + (2 * (wire + 16) + (packets - 2) * wire + wire) * ps_per_byte
    assert result.rxAt - result.start == closed_form
    ns3.Simulator.Destroy()


def test_types_are_registered(ns3):
    """Every class of ours can be looked up by name, as Config paths and factories do."""
    for name in ("FabricSwitch", "PfcFlowControl", "RdmaNic", "RdmaDcqcn", "FabricNetDevice"):
        assert ns3.TypeId.LookupByName(f"ns3::{name}").GetName() == f"ns3::{name}"
