/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef HPCC_CONFIG_H
#define HPCC_CONFIG_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

struct HpccConfigRule;
class TextCursor;

/**
 * @ingroup ai-fabric
 * @brief The configuration file of an HPCC-line simulator, and what each key means here.
 *
 * No key is dropped in silence: each becomes one of our settings, or is what we do anyway, or is
 * listed as not honoured with the reason. A key that nobody knows is a fault.
 */
class HpccConfig
{
  public:
    /** @brief What becomes of a key. */
    enum class Status : uint8_t
    {
        HONOURED,    //!< target gets value
        BUILT_IN,    //!< the value says what happens here anyway
        NOT_HONOURED //!< see reason
    };

    /** @brief One key. */
    struct Setting
    {
        std::string key;                 //!< as in the file
        std::vector<std::string> values; //!< as in the file
        uint32_t line{0};                //!< line in the file
        Status status{Status::HONOURED}; //!< what becomes of it
        std::string target;              //!< "ns3::Type::Attribute" or "run:name"
        std::string value;               //!< converted, with unit where there is one
        std::string reason;              //!< why it is not honoured
    };

    /** @brief ECN thresholds of one link rate. */
    struct EcnRow
    {
        uint64_t rateBps{0};      //!< bits per second
        uint64_t minBytes{0};     //!< Kmin
        uint64_t maxBytes{0};     //!< Kmax
        double maxProbability{0}; //!< Pmax
    };

    /**
     * @brief Read a file; throws FabricError with all its faults.
     * @param cursor before the first line
     * @return the configuration
     */
    static HpccConfig Read(TextCursor& cursor);

    /** @return path of the file */
    const std::string& GetName() const;

    /** @return all keys in file order */
    const std::vector<Setting>& GetSettings() const;

    /**
     * @param key as in the file
     * @return its setting, or null if the file does not have it
     */
    const Setting* Find(const std::string& key) const;

    /**
     * @param target "run:..." or an attribute
     * @param otherwise returned if no honoured key sets it
     * @return the converted value
     */
    std::string GetTarget(const std::string& target, const std::string& otherwise = "") const;

    /**
     * @brief Attributes that the honoured keys set.
     * @return pairs of "ns3::Type::Attribute" and value, those of derived attributes last
     */
    std::vector<std::pair<std::string, std::string>> GetAttributes() const;

    /** @return thresholds by link rate, ascending; empty if the file has no maps */
    const std::vector<EcnRow>& GetEcnTable() const;

    /**
     * @brief Whether one row and linear scaling express the whole table.
     * @return true if the thresholds are proportional to the rate and Pmax is the same
     */
    bool IsEcnTableLinear() const;

    /**
     * @brief Thresholds for a link rate.
     *
     * Rates that are not listed scale linearly from the nearest listed one (fault 12).
     * @param rateBps bits per second
     * @return its thresholds; all 0 if there is no table
     */
    EcnRow GetEcn(uint64_t rateBps) const;

    /** @return one line for each key that is not honoured: file:line: KEY value: reason */
    std::vector<std::string> ExplainNotHonoured() const;

  private:
    /**
     * @param cursor at a line
     * @param rule of its key
     * @return the setting; faults are noted at the cursor
     */
    static Setting ReadSetting(TextCursor& cursor, const HpccConfigRule& rule);

    /**
     * @brief Build the ECN table out of the three maps.
     * @param cursor gets faults
     */
    void ReadEcnTable(TextCursor& cursor);

    /** @brief Give the honoured ECN keys and CC_MODE their final form. */
    void Finish();

    std::string m_name;              //!< path of the file
    std::vector<Setting> m_settings; //!< in file order
    std::vector<EcnRow> m_ecn;       //!< ascending by rate
};

} // namespace ns3

#endif /* HPCC_CONFIG_H */
