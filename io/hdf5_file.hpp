// An HDF5 file with datasets that are written once and datasets that grow by rows: as much of HDF5 as results need, with
// errors thrown and nothing printed. Numbers are stored as they are in memory (little-endian). Private to io.
//
//   Hdf5File file = Hdf5File::create("a.hdf.tmp");
//   file.write({.dataset = "/VTKHDF/Points", .type = Hdf5Type::float64, .rows = n, .columns = 3, .data = x});
//   file.append({...});   file.close();   // flushed and closed, or an error
//
// HDF5 that cannot write stays in disorder: after an error a file is only good for being removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Texts have variable length and are called ASCII, though they are UTF-8: VTK (9.1 to 9.7) reads no others, and newer ones
// crash on them.
enum class Hdf5Type { float64, float32, int64, int32, uint8, text };
std::size_t size_of(Hdf5Type type);  // [bytes] of a number; 0 for a text

// Rows of a dataset, [row][column]; columns 0: a dataset of one dimension. Texts stand in `texts`, one per row.
struct Hdf5Rows {
  std::string dataset;
  Hdf5Type type = Hdf5Type::float64;
  std::uint64_t rows = 0;
  int columns = 0;
  const void* data = nullptr;
  std::vector<std::byte> own = {};       // `data` of rows that nobody else keeps
  std::vector<std::string> texts = {};

  const void* begin() const { return data != nullptr ? data : own.data(); }
  std::uint32_t crc32() const;           // of the bytes as they are stored; of texts, each with a zero byte after it
  std::uint32_t crc32_after(std::uint32_t before) const;
};

Hdf5Rows text_rows(std::string dataset, std::vector<std::string> texts);

class Hdf5File {
 public:
  // Throw Error(Exit::output) with what HDF5 says.
  static Hdf5File create(const std::string& path);
  static Hdf5File open_for_writing(const std::string& path);
  // Throws Error(Exit::checkpoint).
  static Hdf5File open(const std::string& path);
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;
  ~Hdf5File();  // closes, and passes over errors
  void close();

  void make_group(const std::string& name);
  void set_attribute(const std::string& group, const std::string& name, std::span<const std::int64_t> values);  // one value: a scalar
  void set_attribute(const std::string& group, const std::string& name, const std::string& text);               // of fixed length
  std::vector<std::int64_t> numbers(const std::string& group, const std::string& name) const;  // of an attribute
  std::string text(const std::string& group, const std::string& name) const;                   // of fixed length

  void write(const Hdf5Rows& rows);
  // To the end of a dataset that grows; made when it is not there, in chunks of as many rows.
  void append(const Hdf5Rows& rows, bool compress = false);
  void shrink(const std::string& dataset, std::uint64_t rows);  // of a dataset that grows: to its first rows
  bool has(const std::string& dataset) const;
  std::uint64_t row_count(const std::string& dataset) const;
  Hdf5Rows read(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const;
  // The same without ever holding more than some megabytes.
  std::uint32_t crc32(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const;

 private:
  Hdf5File(std::string path, std::int64_t id, bool writes) : path_(std::move(path)), id_(id), writes_(writes) {}
  template <class T>
  T checked(T result, const char* what) const;

  std::string path_;
  std::int64_t id_;
  bool writes_;
};

}  // namespace ritz
