/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef IB_VL_ARBITER_H
#define IB_VL_ARBITER_H

#include "ns3/port-scheduler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Which VL sends next: InfiniBand's two tables of (VL, weight).
 *
 * VL 15 goes before all. Then the high-priority table, until HighLimit is used up and a VL of the
 * low-priority table has a frame: that one sends one frame. Within a table entries take turns; an
 * entry sends frames of its VL while some of its weight is left. What a frame takes beyond the
 * weight is taken off at the entry's next turn, so shares follow the weights for any frame length.
 * A VL in no table sends when no other one has a frame.
 */
class IbVlArbiter : public PortScheduler
{
  public:
    static constexpr size_t MAX_ENTRIES = 64; //!< of a table

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /** @brief One entry of a table. */
    struct Entry
    {
        uint8_t vl{0};     //!< 0 to 14
        uint8_t weight{0}; //!< 64-byte units; 0: the entry is skipped
        int32_t left{0};   //!< of its turn, units; state, not configuration
    };

    /**
     * @brief Set the high-priority table.
     * @param text "vl:weight,vl:weight...", as subnet managers write it; empty: none
     * @throws FabricError for more than 64 entries, another VL than 0..14, a weight over 255 or
     *         anything else
     */
    void SetHigh(const std::string& text);

    /**
     * @brief Set the low-priority table.
     * @param text as for SetHigh()
     * @throws FabricError as SetHigh()
     */
    void SetLow(const std::string& text);

    /** @return the high-priority table as text */
    std::string GetHigh() const;

    /** @return the low-priority table as text */
    std::string GetLow() const;

  private:
    /** @brief A table and whose turn it is. */
    struct Table
    {
        std::vector<Entry> entries; //!< in order of turns
        FabricMask vls{0};          //!< VLs with weight
        size_t current{0};          //!< whose turn

        void Set(const std::string& attribute, const std::string& text);
        std::string Format() const;
        uint8_t Pick(FabricMask ready);
    };

    uint8_t DoSelect(FabricMask ready) override;
    void DoOnSent(uint8_t vl, uint32_t bytes) override;

    Table m_high;              //!< high priority
    Table m_low;               //!< low priority
    uint8_t m_limit;           //!< HighLimit
    uint32_t m_highBytes{0};   //!< high-priority bytes since the last low-priority frame
    Table* m_chosen{nullptr};  //!< table of the last choice
};

} // namespace ns3

#endif /* IB_VL_ARBITER_H */
