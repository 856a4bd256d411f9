// The variables of a netCDF file, whichever of its two kinds it is: classic (CDF-1, CDF-2 and CDF-5; NetCDF Classic
// Format Specification, Unidata) or netCDF-4, which is HDF5. What is missing or of another type is Error: Exit::mesh.
// Variables along the unlimited dimension (time) are not read. Private to io.
#pragma once

#include "io/files/mapped_file.hpp"
#include "io/hdf5/hdf5_tree.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class ClassicNetcdf {
 public:
  explicit ClassicNetcdf(const std::string& path);
  bool has(const std::string& variable) const { return variables_.contains(variable); }
  std::optional<std::uint64_t> dimension(const std::string& name) const;
  std::vector<std::uint64_t> shape(const std::string& variable) const;
  std::vector<double> reals(const std::string& variable) const;
  std::vector<std::int64_t> integers(const std::string& variable) const;
  std::string characters(const std::string& variable) const;
  std::string text_attribute(const std::string& variable, const std::string& name) const;

 private:
  struct Variable {
    std::vector<std::uint64_t> shape;
    std::map<std::string, std::string> texts;  // attributes
    int type = 0;
    std::uint64_t begin = 0;
    bool grows = false;  // along the unlimited dimension
  };
  struct Dimension {
    std::string name;
    std::uint64_t length;
  };
  class Header;
  const Variable& find(const std::string& name) const;
  std::string_view bytes_of(const Variable& variable, const std::string& name) const;
  template <class T, class Stored>
  std::vector<T> converted(std::string_view bytes) const;
  [[noreturn]] void fail(const std::string& variable, const std::string& what) const;

  std::string path_;
  std::unique_ptr<MappedFile> file_;
  std::vector<Dimension> dimensions_;
  std::map<std::string, Variable> variables_;
};

class NetcdfFile {
 public:
  explicit NetcdfFile(const std::string& path);
  const std::string& path() const { return path_; }
  bool has(const std::string& variable) const { return classic_ ? classic_->has(variable) : tree_->has(variable); }
  std::optional<std::uint64_t> dimension(const std::string& name) const;
  std::vector<std::uint64_t> shape(const std::string& variable) const {
    return classic_ ? classic_->shape(variable) : tree_->shape(variable);
  }
  std::vector<double> reals(const std::string& variable) const {
    return classic_ ? classic_->reals(variable) : tree_->reals(variable);
  }
  std::vector<std::int64_t> integers(const std::string& variable) const {
    return classic_ ? classic_->integers(variable) : tree_->integers(variable);
  }
  std::vector<std::string> texts(const std::string& variable) const;  // of a variable [text][character]
  std::string text_attribute(const std::string& variable, const std::string& name) const;

 private:
  std::string path_;
  std::optional<ClassicNetcdf> classic_;
  std::unique_ptr<Hdf5Tree> tree_;
};

}  // namespace ritz
