// HDF5 files of other programs, for reading meshes: groups, datasets and attributes by their paths, numbers converted
// to one type. What is missing or of another kind is Error: Exit::mesh; extents are checked against the file's size
// before anything is allocated. Private to io.
//
//   const std::unique_ptr<Hdf5Tree> tree = Hdf5Tree::open("plate.med");
//   for (const std::string& mesh : tree->children("/ENS_MAA")) ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class Hdf5Tree {
 public:
  // The file is opened and read by HDF5 in a child process, which damage may crash (io/files/child_process.hpp). Links
  // to other files and datasets that keep their numbers in other files are refused.
  static std::unique_ptr<Hdf5Tree> open(const std::string& path);
  virtual ~Hdf5Tree() = default;

  const std::string& path() const { return path_; }
  virtual bool has(const std::string& object) const = 0;
  // as they were made, or else by name; none when there is no such group
  virtual std::vector<std::string> children(const std::string& group) const = 0;
  virtual std::vector<std::uint64_t> shape(const std::string& dataset) const = 0;
  // of a dataset of floating-point numbers
  virtual std::vector<double> reals(const std::string& dataset) const = 0;
  virtual std::vector<std::int64_t> integers(const std::string& dataset) const = 0;
  virtual std::string characters(const std::string& dataset) const = 0;  // all of them, one after the other
  virtual std::optional<std::int64_t> integer_attribute(const std::string& object, const std::string& name) const = 0;
  // empty when there is none; without padding
  virtual std::string text_attribute(const std::string& object, const std::string& name) const = 0;

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 protected:
  explicit Hdf5Tree(std::string path) : path_(std::move(path)) {}

 private:
  std::string path_;
};

// Without the blanks and zero bytes that fill a text of fixed length up.
std::string without_padding(std::string text);

// The texts in `characters`, each of `width` characters, without their padding.
std::vector<std::string> fixed_texts(const std::string& characters, std::size_t width);

}  // namespace ritz
