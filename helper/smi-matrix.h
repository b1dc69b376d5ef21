/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef SMI_MATRIX_H
#define SMI_MATRIX_H

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class TextCursor;

/**
 * @ingroup ai-fabric
 * @brief The matrix that `nvidia-smi topo -m` or `rocm-smi --showtopo` prints.
 *
 * Tabs or spaces; rows may be missing at the end (a paste that was cut), legends may follow. Of
 * the tables of rocm-smi the one of link types is read.
 */
class SmiMatrix
{
  public:
    /** @brief A row and column. */
    struct Entry
    {
        std::string name;     //!< "GPU0", "mlx5_0", "NIC3"
        std::string device;   //!< what the NIC legend says: "mlx5_3"; else empty
        bool isGpu{false};    //!< a GPU, else a NIC
        bool hasRow{false};   //!< its row is in the text
        std::string affinity; //!< cores; empty if not given
        int32_t numa{-1};     //!< NUMA node; -1 if not given
        uint32_t line{0};     //!< of its row
    };

    static constexpr size_t MAX_COLUMNS = 1024; //!< most columns

    /**
     * @brief Read a file; throws FabricError for a bad one.
     * @param path the file
     * @return the matrix
     */
    static SmiMatrix Read(const std::string& path);

    /**
     * @brief The same from a stream.
     * @param in the text
     * @param name path for messages
     * @return the matrix
     */
    static SmiMatrix Read(std::istream& in, const std::string& name);

    /** @return GPUs and NICs, column order */
    const std::vector<Entry>& GetEntries() const;

    /**
     * @param row index of an entry
     * @param column index of an entry
     * @return the word there, or in the mirrored place where the row is missing; empty if both are
     */
    const std::string& Get(size_t row, size_t column) const;

    /**
     * @param word a cell
     * @return the number of links of "NV12"; 0 for other words
     */
    static uint32_t GetNvLinks(const std::string& word);

    /** @return number of GPUs */
    uint32_t GetNGpus() const;
    /** @return number of NICs */
    uint32_t GetNNics() const;
    /** @return rows in the text */
    uint32_t GetNRows() const;
    /** @return unordered GPU pairs by word */
    std::map<std::string, uint32_t> CountGpuPairs() const;
    /** @return GPU-NIC pairs by word */
    std::map<std::string, uint32_t> CountGpuNicPairs() const;

  private:
    /** @brief Find the line of column names and take them. */
    void ReadHeader(TextCursor& cursor);
    /** @brief Read rows up to a legend or the end. */
    void ReadRows(TextCursor& cursor);
    /** @brief Read a row. */
    void ReadRow(TextCursor& cursor, size_t row);
    /** @brief Take a cell. */
    void ReadCell(TextCursor& cursor, size_t row, size_t column);
    /** @brief Take what follows the cells of a row. */
    void ReadAffinity(TextCursor& cursor, Entry& entry);
    /** @brief Read the legends behind the matrix. */
    void ReadLegend(TextCursor& cursor);
    /** @brief Refuse a matrix whose two halves differ. */
    void CheckSymmetry(TextCursor& cursor) const;
    /** @return index of an entry; the number of entries if there is none */
    size_t Find(const std::string& name) const;

    std::vector<Entry> m_entries;                  //!< column order
    std::vector<std::vector<std::string>> m_cells; //!< empty where the row is missing
    bool m_hasCpu{false};                          //!< there is a column CPU Affinity
    bool m_hasNuma{false};                         //!< there is a column NUMA Affinity
};

} // namespace ns3

#endif /* SMI_MATRIX_H */
