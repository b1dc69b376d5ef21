// SPDX-License-Identifier: GPL-2.0-only
// Two hosts write 10 MB each to a third through one switch: RoCEv2, PFC, DCQCN.
#include "ns3/ai-fabric-module.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;

int
main()
{
    Time::SetResolution(Time::PS);
    StarBuilder::Parameters star;
    star.hosts = 3;
    FabricHelper fabric;
    fabric.Build(StarBuilder(star).Build());
    RdmaHelper rdma(fabric);
    rdma.SetCongestion("dcqcn");
    auto app = CreateObject<RdmaFlowApplication>();
    fabric.GetNodes().Get(0)->AddApplication(app);
    for (uint32_t host : {0, 1})
    {
        RdmaFlow flow;
        flow.src = fabric.GetNic(fabric.GetEndpoint(host));
        flow.dst = fabric.GetNic(fabric.GetEndpoint(2));
        flow.bytes = 10'000'000;
        app->AddFlow(flow);
    }
    Simulator::Run();
    for (uint32_t i : {0, 1})
    {
        const RdmaFlowResult r = app->GetResult(i);
        std::cout << "flow " << i << ": " << r.delivered << " B in "
                  << FabricTime::To(r.ackAt - r.start).As(Time::US) << std::endl;
    }
    Simulator::Destroy();
}
