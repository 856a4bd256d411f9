// An HDF5 file with datasets that are written once and datasets that grow by rows: as much of HDF5 as results need,
// with errors thrown and nothing printed. Numbers are stored as they are in memory (little-endian). Private to io.
//
//   const std::unique_ptr<Hdf5File> file = Hdf5File::create("a.hdf.tmp");
//   file->write({.dataset = "/VTKHDF/Points", .type = Hdf5Type::float64, .rows = n, .columns = 3, .data = x});
//   file->append({...});   file->close();   // flushed and closed, or an error
//
// HDF5 that cannot write stays in disorder: after an error a file is only good for being removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Texts have variable length and are called ASCII, though they are UTF-8: VTK (9.1 to 9.7) reads no others, and newer
// ones crash on them.
enum class Hdf5Type { float64, float32, int64, int32, uint8, text };
std::size_t size_of(Hdf5Type type);  // [bytes] of a number; 0 for a text

// Rows of a dataset, [row][column]; columns 0: a dataset of one dimension. Texts are in `texts`, one per row.
struct Hdf5Rows {
  std::string dataset;
  Hdf5Type type = Hdf5Type::float64;
  std::uint64_t rows = 0;
  int columns = 0;
  const void* data = nullptr;
  std::vector<std::byte> own = {};  // `data` of rows that nobody else keeps
  std::vector<std::string> texts = {};

  const void* begin() const { return data != nullptr ? data : own.data(); }
  std::uint32_t crc32() const;  // of the bytes as they are stored; of texts, each with a zero byte after it
  std::uint32_t crc32_after(std::uint32_t before) const;
};

Hdf5Rows text_rows(std::string dataset, std::vector<std::string> texts);

// An object of the HDF5 library, which is loaded at its first use (io/hdf5/hdf5_library.hpp).
class Hdf5File {
 public:
  // Throw Error: Exit::output with what HDF5 says.
  static std::unique_ptr<Hdf5File> create(const std::string& path);
  static std::unique_ptr<Hdf5File> open_for_writing(const std::string& path);
  // Throws Error: Exit::checkpoint.
  static std::unique_ptr<Hdf5File> open(const std::string& path);
  virtual ~Hdf5File() = default;  // closes, and passes over errors
  virtual void close() = 0;

  virtual void make_group(const std::string& name) = 0;
  // one value: a scalar
  virtual void set_attribute(const std::string& group, const std::string& name,
                             std::span<const std::int64_t> values) = 0;
  // of fixed length
  virtual void set_attribute(const std::string& group, const std::string& name, const std::string& text) = 0;
  // of an attribute
  virtual std::vector<std::int64_t> numbers(const std::string& group, const std::string& name) const = 0;
  // of fixed length
  virtual std::string text(const std::string& group, const std::string& name) const = 0;

  virtual void write(const Hdf5Rows& rows) = 0;
  // To the end of a dataset that grows; made when it is not there, in chunks of as many rows.
  virtual void append(const Hdf5Rows& rows, bool compress = false) = 0;
  // of a dataset that grows: to its first rows
  virtual bool has(const std::string& dataset) const = 0;
  virtual std::uint64_t row_count(const std::string& dataset) const = 0;
  virtual Hdf5Rows read(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const = 0;
  // The same without ever holding more than some megabytes.
  std::uint32_t crc32(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const;
};

}  // namespace ritz
