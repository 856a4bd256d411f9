#include "io/hdf5/hdf5_library.hpp"

#include "device/error.hpp"
#include "io/hdf5/hdf5_handle.hpp"

#include <filesystem>
#include <limits>

#include <fmt/core.h>

namespace ritz {
namespace {

// Largest expansion of a byte by deflate (zlib's documentation): a dataset is not larger than that.
constexpr std::uint64_t greatest_compression = 1032;

std::string text_of_attribute(hid_t attribute) {
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0 || text == nullptr) return {};
    std::string copy(text);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
    return copy;
  }
  const std::size_t size = H5Tget_size(type);
  if (size > (1u << 20)) return {};
  std::string text(size, '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  return text;
}

// One byte for each character: fixed texts, bytes, or arrays of bytes (libmed's names).
bool is_of_characters(hid_t type) {
  if (H5Tget_class(type) == H5T_STRING) return H5Tis_variable_str(type) <= 0;
  if (H5Tget_class(type) == H5T_INTEGER) return H5Tget_size(type) == 1;
  if (H5Tget_class(type) != H5T_ARRAY) return false;
  const Hdf5Handle element(H5Tget_super(type), H5Tclose);
  return H5Tget_class(element) == H5T_INTEGER && H5Tget_size(element) == 1;
}

class OpenTree final : public Hdf5Tree {
 public:
  explicit OpenTree(const std::string& path);
  ~OpenTree() override {
    if (id_ >= 0) H5Fclose(id_);
    H5Eclear2(H5E_DEFAULT);
  }
  OpenTree(const OpenTree&) = delete;
  OpenTree& operator=(const OpenTree&) = delete;
  bool has(const std::string& object) const override;
  std::vector<std::string> children(const std::string& group) const override;
  std::vector<std::uint64_t> shape(const std::string& dataset) const override;
  std::vector<double> reals(const std::string& dataset) const override;
  std::vector<std::int64_t> integers(const std::string& dataset) const override;
  std::string characters(const std::string& dataset) const override;
  std::optional<std::int64_t> integer_attribute(const std::string& object, const std::string& name) const override;
  std::string text_attribute(const std::string& object, const std::string& name) const override;

 private:
  template <class T>
  std::vector<T> read(const std::string& dataset, H5T_class_t of_class, hid_t as) const;

  hid_t id_ = -1;
  std::uint64_t file_size_ = 0;
};

OpenTree::OpenTree(const std::string& path) : Hdf5Tree(path) {
  use_hdf5_quietly();
  H5Lunregister(H5L_TYPE_EXTERNAL);  // in this process no way leads to another file
  std::error_code ignored;
  file_size_ = std::filesystem::file_size(path, ignored);
  id_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id_ < 0)
    throw Error(ErrorKind::mesh_format, fmt::format("'{}' cannot be opened as an HDF5 file", path), reason_of_hdf5(),
                "it may be damaged or cut short: write it again");
}

bool OpenTree::has(const std::string& object) const {
  // HDF5 requires a test of every part of the path
  for (std::size_t at = object.find('/', 1);; at = object.find('/', at + 1)) {
    const std::string part = object.substr(0, at);
    const bool there = H5Lexists(id_, part.c_str(), H5P_DEFAULT) > 0;
    if (!there) H5Eclear2(H5E_DEFAULT);
    H5L_info_t link{};
    if (there && part != "/" && H5Lget_info(id_, part.c_str(), &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_HARD &&
        link.type != H5L_TYPE_SOFT)
      fail(part, "is a link to another file, which Ritz does not follow");
    if (!there || at == std::string::npos) return there;
  }
}

std::vector<std::string> OpenTree::children(const std::string& group) const {
  std::vector<std::string> names;
  if (group != "/" && !has(group)) return names;
  const Hdf5Handle opened(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose);
  if (opened < 0) fail(group, "is no group");
  const H5L_iterate_t add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Literate(opened, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add, &names) >= 0) return names;
  H5Eclear2(H5E_DEFAULT);
  names.clear();
  if (H5Literate(opened, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0)
    fail(group, "cannot be listed: " + reason_of_hdf5());
  return names;
}

std::vector<std::uint64_t> OpenTree::shape(const std::string& dataset) const {
  const Hdf5Handle set(has(dataset) ? H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (set < 0) fail(dataset, "is missing");
  const Hdf5Handle properties(H5Dget_create_plist(set), H5Pclose);
  if (H5Pget_external_count(properties) != 0 || H5Pget_layout(properties) == H5D_VIRTUAL)
    fail(dataset, "keeps its numbers in another file, which Ritz does not open");
  const Hdf5Handle space(H5Dget_space(set), H5Sclose), type(H5Dget_type(set), H5Tclose);
  hsize_t extents[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, extents, nullptr);
  if (rank < 0) fail(dataset, "has no extent");
  std::uint64_t bytes = H5Tget_size(type);
  const std::uint64_t most = file_size_ * greatest_compression;
  for (int i = 0; i < rank; ++i) {
    if (extents[i] > 0 && bytes > most / extents[i])
      fail(dataset, fmt::format("is larger than a file of {} bytes can hold", file_size_));
    bytes *= extents[i];
  }
  return {extents, extents + rank};
}

template <class T>
std::vector<T> OpenTree::read(const std::string& dataset, H5T_class_t of_class, hid_t as) const {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape(dataset)) count *= extent;
  const Hdf5Handle set(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type(H5Dget_type(set), H5Tclose);
  if (H5Tget_class(type) != of_class)
    fail(dataset, of_class == H5T_FLOAT ? "holds no floating-point numbers" : "holds no integers");
  std::vector<T> values(count);
  if (count > 0 && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(dataset, "cannot be read: " + reason_of_hdf5());
  return values;
}

std::vector<double> OpenTree::reals(const std::string& dataset) const {
  return read<double>(dataset, H5T_FLOAT, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> OpenTree::integers(const std::string& dataset) const {
  return read<std::int64_t>(dataset, H5T_INTEGER, H5T_NATIVE_INT64);
}

std::string OpenTree::characters(const std::string& dataset) const {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape(dataset)) count *= extent;
  const Hdf5Handle set(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type(H5Dget_type(set), H5Tclose);
  if (!is_of_characters(type)) fail(dataset, "holds no characters");
  std::string text(count * H5Tget_size(type), '\0');
  if (!text.empty() && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    fail(dataset, "cannot be read: " + reason_of_hdf5());
  return text;
}

std::optional<std::int64_t> OpenTree::integer_attribute(const std::string& object, const std::string& name) const {
  if (H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  std::int64_t value = 0;
  if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0)
    fail(object, fmt::format("has an attribute '{}' that is no integer", name));
  return value;
}

std::string OpenTree::text_attribute(const std::string& object, const std::string& name) const {
  if (H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle attribute(H5Aopen_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return without_padding(text_of_attribute(attribute));
}

}  // namespace

std::unique_ptr<Hdf5Tree> with_hdf5::open_tree(const std::string& path) { return std::make_unique<OpenTree>(path); }

}  // namespace ritz
