// HDF5 files of other programs, for reading meshes: groups, datasets and attributes by their paths, numbers converted to one
// type. What is missing or of another kind is Error(Exit::mesh); extents are checked against the file's size before anything
// is allocated. Private to io.
//
//   const Hdf5Tree tree("plate.med");   for (const std::string& mesh : tree.children("/ENS_MAA")) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class Hdf5Tree {
 public:
  explicit Hdf5Tree(const std::string& path);
  Hdf5Tree(Hdf5Tree&& other) noexcept;
  Hdf5Tree& operator=(Hdf5Tree&&) = delete;
  ~Hdf5Tree();

  const std::string& path() const { return path_; }
  bool has(const std::string& object) const;
  std::vector<std::string> children(const std::string& group) const;  // as they were made, or else by name; none when there is no such group
  std::vector<std::uint64_t> shape(const std::string& dataset) const;
  std::vector<double> reals(const std::string& dataset) const;         // of a dataset of floating-point numbers
  std::vector<std::int64_t> integers(const std::string& dataset) const;
  std::string characters(const std::string& dataset) const;            // all of them, one after the other
  std::optional<std::int64_t> integer_attribute(const std::string& object, const std::string& name) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;  // empty when there is none; without padding

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  template <class T>
  std::vector<T> read(const std::string& dataset, int of_class, std::int64_t as) const;

  std::string path_;
  std::int64_t id_ = -1;
  std::uint64_t file_size_ = 0;
};

// Without the blanks and zero bytes that fill a text of fixed length up.
std::string without_padding(std::string text);

// The texts in `characters`, each of `width` characters, without their padding.
std::vector<std::string> fixed_texts(const std::string& characters, std::size_t width);

}  // namespace ritz
