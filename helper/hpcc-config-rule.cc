/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hpcc-config-rule.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

using Kind = HpccConfigRule::Kind;

/** All keys, ordered. */
const HpccConfigRule RULES[] = {
    {"ACK_HIGH_PRIO", Kind::FLAG, "run:ack-high-priority", "", ""},
    {"ALPHA_RESUME_INTERVAL", Kind::MICROS, "ns3::RdmaDcqcn::AlphaPeriod", "", ""},
    {"APP_START_TIME", Kind::SECONDS, "", "", "each flow has its own start"},
    {"APP_STOP_TIME",
     Kind::SECONDS,
     "",
     "",
     "flows end when their bytes are sent; run:stop ends the run"},
    {"BUFFER_SIZE", Kind::MEBIBYTES, "ns3::SwitchBuffer::Size", "", ""},
    {"BW_MON_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"BW_MON_INTERVAL", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"BYTE_COUNTER", Kind::COUNT, "ns3::RdmaDcqcn::ByteReset", "", ""},
    {"CC_MODE", Kind::COUNT, "run:congestion-control", "", ""},
    {"CLAMP_TARGET_RATE", Kind::FLAG, "ns3::RdmaDcqcn::ClampTargetRate", "", ""},
    {"CLAMP_TARGET_RATE_AFTER_TIMER",
     Kind::FLAG,
     "ns3::RdmaDcqcn::ClampTargetRateAfterTime",
     "",
     ""},
    {"CNP_INTERVAL", Kind::MICROS, "ns3::RdmaDcqcn::CnpInterval", "", ""},
    {"CNP_MON_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"CNP_OUTPUT_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"DCTCP_GAIN", Kind::FRACTION, "ns3::RdmaDcqcn::Gain", "", ""},
    {"DCTCP_RATE_AI", Kind::RATE, "", "", "belongs to the DCTCP algorithm"},
    {"ENABLE_IRN", Kind::FLAG, "", "0", "loss recovery is go-back-N"},
    {"ENABLE_PFC",
     Kind::FLAG,
     "",
     "1",
     "set ns3::PfcFlowControl::LosslessClasses to 0 for a lossy fabric"},
    {"ENABLE_QCN", Kind::FLAG, "run:ecn", "", ""},
    {"ENABLE_TRACE", Kind::FLAG, "", "0", "switch monitors on by name instead"},
    {"ERROR_RATE_PER_LINK", Kind::FRACTION, "run:error-rate", "", ""},
    {"EWMA_GAIN", Kind::FRACTION, "ns3::RdmaDcqcn::Gain", "", ""},
    {"FAST_REACT", Kind::FLAG, "", "", "belongs to the HPCC algorithm"},
    {"FAST_RECOVERY_TIMES", Kind::COUNT, "ns3::RdmaDcqcn::Threshold", "", ""},
    {"FCT_OUTPUT_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"FLOWGEN_START_TIME", Kind::SECONDS, "", "", "each flow has its own start"},
    {"FLOWGEN_STOP_TIME", Kind::SECONDS, "", "", "flows end when their bytes are sent"},
    {"FLOW_FILE", Kind::TEXT, "", "", "name the flow file on the command line"},
    {"FLOW_LEVEL_ECMP",
     Kind::FLAG,
     "",
     "1",
     "each flow keeps its path: choose another ns3::FabricSwitch::LoadBalancer"},
    {"GLOBAL_T", Kind::FLAG, "", "", "only sizes the window of HAS_WIN and the HPCC algorithm"},
    {"HAS_WIN",
     Kind::FLAG,
     "",
     "0",
     "rates are not limited by a window of one bandwidth-delay product"},
    {"INT_MULTI", Kind::COUNT, "", "", "belongs to the HPCC algorithm"},
    {"KMAX", Kind::KILOBYTES, "ns3::RedEcnMarker::MaxThreshold", "", ""},
    {"KMAX_MAP", Kind::MAP, "ns3::RedEcnMarker::MaxThreshold", "", ""},
    {"KMIN", Kind::KILOBYTES, "ns3::RedEcnMarker::MinThreshold", "", ""},
    {"KMIN_MAP", Kind::MAP, "ns3::RedEcnMarker::MinThreshold", "", ""},
    {"L2_ACK_INTERVAL", Kind::COUNT, "run:ack-interval", "", ""},
    {"L2_BACK_TO_ZERO",
     Kind::FLAG,
     "",
     "0",
     "a lost packet is repeated from where it was lost, not from the start"},
    {"L2_CHUNK_SIZE", Kind::COUNT, "", "", "only matters with L2_BACK_TO_ZERO 1"},
    {"L2_WAIT_FOR_ACK", Kind::FLAG, "", "0", "senders do not wait at chunk borders"},
    {"LB_MODE", Kind::COUNT, "", "0", "choose another ns3::FabricSwitch::LoadBalancer"},
    {"LINK_DOWN", Kind::LINK_DOWN, "run:link-down", "", ""},
    {"MIN_RATE", Kind::RATE, "ns3::RdmaDcqcn::MinRate", "", ""},
    {"MI_THRESH", Kind::COUNT, "", "", "belongs to the HPCC algorithm"},
    {"MON_END", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"MON_START", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"MULTI_RATE", Kind::FLAG, "", "", "belongs to the HPCC algorithm"},
    {"NIC_TOTAL_PAUSE_TIME", Kind::COUNT, "", "0", "adapters do not pause on their own"},
    {"NP_SAMPLING_INTERVAL", Kind::COUNT, "", "0", "every marked packet is seen by the receiver"},
    {"PACKET_LEVEL_ECMP",
     Kind::FLAG,
     "",
     "0",
     "each flow keeps its path: choose another ns3::FabricSwitch::LoadBalancer"},
    {"PACKET_PAYLOAD_SIZE", Kind::COUNT, "run:payload", "", ""},
    {"PAUSE_TIME",
     Kind::COUNT,
     "",
     "",
     "pause times are quanta on the wire: set ns3::PfcFlowControl::PauseQuanta"},
    {"PFC_OUTPUT_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"PINT_LOG_BASE", Kind::REAL, "", "", "belongs to the PINT algorithm"},
    {"PINT_PROB", Kind::FRACTION, "", "", "belongs to the PINT algorithm"},
    {"PMAX", Kind::FRACTION, "ns3::RedEcnMarker::MaxProbability", "", ""},
    {"PMAX_MAP", Kind::MAP, "ns3::RedEcnMarker::MaxProbability", "", ""},
    {"QLEN_MON_END", Kind::NANOS, "", "", "switch monitors on by name instead"},
    {"QLEN_MON_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"QLEN_MON_INTERVAL", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"QLEN_MON_START", Kind::NANOS, "", "", "switch monitors on by name instead"},
    {"QP_MON_INTERVAL", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"RANDOM_SEED", Kind::COUNT, "run:seed", "", ""},
    {"RATE_AI", Kind::RATE, "ns3::RdmaDcqcn::AdditiveIncrease", "", ""},
    {"RATE_BOUND", Kind::FLAG, "", "1", "every queue pair is paced"},
    {"RATE_DECREASE_INTERVAL", Kind::MICROS, "ns3::RdmaDcqcn::CutPeriod", "", ""},
    {"RATE_HAI", Kind::RATE, "ns3::RdmaDcqcn::HyperIncrease", "", ""},
    {"RATE_MON_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"RP_TIMER", Kind::MICROS, "ns3::RdmaDcqcn::TimeReset", "", ""},
    {"SAMPLE_FEEDBACK", Kind::FLAG, "", "", "belongs to the HPCC algorithm"},
    {"SEND_IN_CHUNKS", Kind::FLAG, "", "0", "messages are not cut into chunks"},
    {"SIMULATOR_STOP_TIME", Kind::SECONDS, "run:stop", "", ""},
    {"SW_MONITORING_INTERVAL", Kind::COUNT, "", "", "switch monitors on by name instead"},
    {"TCP_FLOW_FILE", Kind::TEXT, "", "", "the flows of the fabric are RDMA flows"},
    {"TOPOLOGY_FILE", Kind::TEXT, "", "", "name the topology file on the command line"},
    {"TRACE_FILE", Kind::TEXT, "", "", "switch monitors on by name instead"},
    {"TRACE_OUTPUT_FILE", Kind::TEXT, "", "", "results go to the output folder under fixed names"},
    {"USE_DYNAMIC_PFC_THRESHOLD",
     Kind::FLAG,
     "",
     "1",
     "a fixed threshold needs its size: set ns3::SwitchBuffer::StaticThreshold"},
    {"U_TARGET", Kind::FRACTION, "", "", "belongs to the HPCC algorithm"},
    {"VAR_WIN", Kind::FLAG, "", "0", "there is no such window"},
};

} // namespace

const HpccConfigRule*
HpccConfigRule::Find(const std::string& key)
{
    const auto* it = std::lower_bound(std::begin(RULES),
                                      std::end(RULES),
                                      key,
                                      [](const auto& rule, const auto& k) { return rule.key < k; });
    return it != std::end(RULES) && key == it->key ? it : nullptr;
}

} // namespace ns3
