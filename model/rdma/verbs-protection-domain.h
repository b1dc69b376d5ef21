/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef VERBS_PROTECTION_DOMAIN_H
#define VERBS_PROTECTION_DOMAIN_H

#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Queue pairs and memory regions may only meet inside one protection domain.
 *
 * Made by RdmaNic::CreateProtectionDomain().
 */
class VerbsProtectionDomain : public SimpleRefCount<VerbsProtectionDomain>
{
  public:
    /**
     * @param id number at the NIC
     */
    explicit VerbsProtectionDomain(uint32_t id)
        : m_id(id)
    {
    }

    /** @return number at the NIC */
    uint32_t GetId() const
    {
        return m_id;
    }

  private:
    uint32_t m_id; //!< number at the NIC
};

} // namespace ns3

#endif /* VERBS_PROTECTION_DOMAIN_H */
