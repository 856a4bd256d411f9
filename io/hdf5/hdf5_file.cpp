#include "io/hdf5/hdf5_library.hpp"

#include "device/error.hpp"
#include "io/files/atomic_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/core.h>

namespace ritz {
namespace {

Hdf5Handle type_handle(Hdf5Type type) {
  if (type == Hdf5Type::text) {
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    return {text, H5Tclose};
  }
  const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_U8LE};
  return {H5Tcopy(types[static_cast<std::size_t>(type)]), H5Tclose};
}

std::optional<Hdf5Type> type_of(hid_t stored) {
  for (const Hdf5Type type :
       {Hdf5Type::float64, Hdf5Type::float32, Hdf5Type::int64, Hdf5Type::int32, Hdf5Type::uint8, Hdf5Type::text})
    if (H5Tequal(stored, type_handle(type)) > 0) return type;
  return std::nullopt;
}

// Properties of things to be made, which keep no time of their making: the same results are the same bytes.
Hdf5Handle timeless(hid_t of_class) {
  const hid_t properties = H5Pcreate(of_class);
  H5Pset_obj_track_times(properties, false);
  return {properties, H5Pclose};
}

// The memory that HDF5 reads from: numbers, or pointers to texts.
class Source {
 public:
  explicit Source(const Hdf5Rows& rows) : numbers_(rows.begin()) {
    for (const std::string& text : rows.texts) texts_.push_back(text.c_str());
  }
  const void* data() const { return texts_.empty() ? numbers_ : texts_.data(); }

 private:
  const void* numbers_;
  std::vector<const char*> texts_;
};

class OpenFile final : public Hdf5File {
 public:
  OpenFile(std::string path, bool writes, hid_t (*open)(const char*), const char* failure)
      : path_(std::move(path)), writes_(writes) {
    use_hdf5_quietly();
    id_ = checked(open(path_.c_str()), failure);
  }
  ~OpenFile() override {
    if (id_ >= 0) H5Fclose(id_);
    H5Eclear2(H5E_DEFAULT);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  void close() override;
  void make_group(const std::string& name) override;
  void set_attribute(const std::string& group, const std::string& name, std::span<const std::int64_t> values) override;
  void set_attribute(const std::string& group, const std::string& name, const std::string& text) override;
  std::vector<std::int64_t> numbers(const std::string& group, const std::string& name) const override;
  std::string text(const std::string& group, const std::string& name) const override;
  void write(const Hdf5Rows& rows) override;
  void append(const Hdf5Rows& rows, bool compress) override;
  bool has(const std::string& dataset) const override;
  std::uint64_t row_count(const std::string& dataset) const override;
  Hdf5Rows read(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const override;

 private:
  template <class T>
  T checked(T result, const char* what) const {
    if (result >= 0) return result;
    if (writes_) fail_to_write(path_, fmt::format("{}: {}", what, reason_of_hdf5()));
    throw Error(ErrorKind::checkpoint_unusable, fmt::format("cannot read '{}': {}: {}", path_, what, reason_of_hdf5()),
                {}, "it is damaged, or no file of Ritz");
  }

  std::string path_;
  bool writes_;
  hid_t id_ = -1;
};

void OpenFile::close() {
  if (writes_) checked(H5Fflush(id_, H5F_SCOPE_LOCAL), "the file cannot be written");
  checked(H5Fclose(std::exchange(id_, -1)), "the file cannot be closed");
}

void OpenFile::make_group(const std::string& name) {
  Hdf5Handle group(checked(H5Gcreate2(id_, name.c_str(), H5P_DEFAULT, timeless(H5P_GROUP_CREATE), H5P_DEFAULT),
                           "a group cannot be made"),
                   H5Gclose);
  checked(group.close(), "a group cannot be made");
}

void OpenFile::set_attribute(const std::string& group, const std::string& name, std::span<const std::int64_t> values) {
  if (H5Aexists_by_name(id_, group.c_str(), name.c_str(), H5P_DEFAULT) > 0)
    H5Adelete_by_name(id_, group.c_str(), name.c_str(), H5P_DEFAULT);
  const hsize_t count = values.size();
  const Hdf5Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
  Hdf5Handle attribute(checked(H5Acreate_by_name(id_, group.c_str(), name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT,
                                                 H5P_DEFAULT, H5P_DEFAULT),
                               "an attribute cannot be made"),
                       H5Aclose);
  checked(H5Awrite(attribute, H5T_NATIVE_INT64, values.data()), "an attribute cannot be written");
  checked(attribute.close(), "an attribute cannot be written");
}

void OpenFile::set_attribute(const std::string& group, const std::string& name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, text.size());
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  Hdf5Handle attribute(
      checked(H5Acreate_by_name(id_, group.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              "an attribute cannot be made"),
      H5Aclose);
  checked(H5Awrite(attribute, type, text.data()), "an attribute cannot be written");
  checked(attribute.close(), "an attribute cannot be written");
}

std::vector<std::int64_t> OpenFile::numbers(const std::string& group, const std::string& name) const {
  const Hdf5Handle attribute(
      checked(H5Aopen_by_name(id_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "an attribute is missing"),
      H5Aclose);
  const Hdf5Handle space(H5Aget_space(attribute), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 1 || count > 16) checked(-1, "an attribute has another number of values");
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  checked(H5Aread(attribute, H5T_NATIVE_INT64, values.data()), "an attribute cannot be read");
  return values;
}

std::string OpenFile::text(const std::string& group, const std::string& name) const {
  const Hdf5Handle attribute(
      checked(H5Aopen_by_name(id_, group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "an attribute is missing"),
      H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > 4096 ||
      H5Sget_simple_extent_npoints(space) != 1)
    checked(-1, "an attribute is no text of fixed length");
  std::string value(size, '\0');
  checked(H5Aread(attribute, type, value.data()), "an attribute cannot be read");
  return value;
}

void OpenFile::write(const Hdf5Rows& rows) {
  const Hdf5Handle type = type_handle(rows.type);
  const hsize_t extent[] = {rows.rows, static_cast<hsize_t>(rows.columns)};
  const Hdf5Handle space(H5Screate_simple(rows.columns > 0 ? 2 : 1, extent, nullptr), H5Sclose);
  Hdf5Handle set(checked(H5Dcreate2(id_, rows.dataset.c_str(), type, space, H5P_DEFAULT, timeless(H5P_DATASET_CREATE),
                                    H5P_DEFAULT),
                         "a dataset cannot be made"),
                 H5Dclose);
  if (rows.rows > 0)
    checked(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, Source(rows).data()), "a dataset cannot be written");
  checked(set.close(), "a dataset cannot be written");
}

void OpenFile::append(const Hdf5Rows& rows, bool compress) {
  const Hdf5Handle type = type_handle(rows.type);
  const int rank = rows.columns > 0 ? 2 : 1;
  const hsize_t columns = static_cast<hsize_t>(std::max(rows.columns, 1));
  if (!has(rows.dataset)) {
    // A step is a chunk, so that it is written and read in one piece; HDF5's largest chunk has 4 GB less one byte.
    const hsize_t bytes = columns * std::max<hsize_t>(size_of(rows.type), 1), most = (hsize_t{1} << 30) / bytes;
    const hsize_t few = std::max<hsize_t>(1, 1024 / bytes);  // numbers of steps, not fields: room for some of them
    const hsize_t extent[] = {0, columns}, limit[] = {H5S_UNLIMITED, columns};
    const hsize_t chunk[] = {std::clamp<hsize_t>(rows.rows, std::min(few, most), most), columns};
    const Hdf5Handle space(H5Screate_simple(rank, extent, limit), H5Sclose), properties = timeless(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, rank, chunk);
    if (compress && rows.type != Hdf5Type::text) {
      H5Pset_shuffle(properties);
      H5Pset_deflate(properties, 1);
    }
    Hdf5Handle made(checked(H5Dcreate2(id_, rows.dataset.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                            "a dataset cannot be made"),
                    H5Dclose);
    checked(made.close(), "a dataset cannot be made");
  }
  Hdf5Handle set(checked(H5Dopen2(id_, rows.dataset.c_str(), H5P_DEFAULT), "a dataset cannot be opened"), H5Dclose);
  hsize_t before[2] = {};
  {
    const Hdf5Handle space(H5Dget_space(set), H5Sclose);
    if (H5Sget_simple_extent_ndims(space) != rank) checked(-1, "a dataset has another number of dimensions");
    H5Sget_simple_extent_dims(space, before, nullptr);
  }
  if (rank == 2 && before[1] != columns) checked(-1, "a dataset has another number of columns");
  const hsize_t after[] = {before[0] + rows.rows, columns}, start[] = {before[0], 0}, count[] = {rows.rows, columns};
  if (rows.rows == 0) return;
  checked(H5Dset_extent(set, after), "a dataset cannot grow");
  const Hdf5Handle target(H5Dget_space(set), H5Sclose), source(H5Screate_simple(rank, count, nullptr), H5Sclose);
  H5Sselect_hyperslab(target, H5S_SELECT_SET, start, nullptr, count, nullptr);
  checked(H5Dwrite(set, type, source, target, H5P_DEFAULT, Source(rows).data()), "a dataset cannot be written");
  checked(set.close(), "a dataset cannot be written");
}

bool OpenFile::has(const std::string& dataset) const {
  const bool found = H5Lexists(id_, dataset.c_str(), H5P_DEFAULT) > 0;
  H5Eclear2(H5E_DEFAULT);
  return found;
}

std::uint64_t OpenFile::row_count(const std::string& dataset) const {
  const Hdf5Handle set(checked(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), "a dataset is missing"), H5Dclose);
  const Hdf5Handle space(checked(H5Dget_space(set), "a dataset has no extent"), H5Sclose);
  hsize_t extent[H5S_MAX_RANK] = {};
  checked(H5Sget_simple_extent_dims(space, extent, nullptr), "a dataset has no extent");
  return extent[0];
}

Hdf5Rows OpenFile::read(const std::string& dataset, std::uint64_t first_row, std::uint64_t row_count) const {
  const Hdf5Handle set(checked(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), "a dataset is missing"), H5Dclose);
  const Hdf5Handle stored(checked(H5Dget_type(set), "a dataset has no type"), H5Tclose),
      space(H5Dget_space(set), H5Sclose);
  const std::optional<Hdf5Type> type = type_of(stored);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (!type || rank < 1 || rank > 2) checked(-1, "a dataset is of a kind that Ritz does not write");
  hsize_t extent[2] = {0, 1};
  H5Sget_simple_extent_dims(space, extent, nullptr);
  if (first_row > extent[0] || row_count > extent[0] - first_row) checked(-1, "a dataset is too short");
  if (extent[1] > (1u << 20)) checked(-1, "a dataset is too wide");  // before anything of its size is asked for
  const hsize_t start[] = {first_row, 0}, count[] = {row_count, extent[1]};
  Hdf5Rows rows{
      .dataset = dataset, .type = *type, .rows = row_count, .columns = rank == 2 ? static_cast<int>(extent[1]) : 0};
  if (row_count == 0) return rows;
  const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose), as = type_handle(*type);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  if (*type == Hdf5Type::text) {
    std::vector<char*> texts(row_count, nullptr);
    checked(H5Dread(set, as, memory, space, H5P_DEFAULT, texts.data()), "a dataset cannot be read");
    for (const char* text : texts) rows.texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(as, memory, H5P_DEFAULT, texts.data());
    return rows;
  }
  rows.own.resize(row_count * extent[1] * size_of(*type));
  checked(H5Dread(set, as, memory, space, H5P_DEFAULT, rows.own.data()), "a dataset cannot be read");
  return rows;
}

}  // namespace

std::unique_ptr<Hdf5File> with_hdf5::create(const std::string& path) {
  return std::make_unique<OpenFile>(
      path, true,
      [](const char* name) {
        static const Hdf5Handle properties =
            timeless(H5P_FILE_CREATE);  // closing them would clear the reason of a failure
        return H5Fcreate(name, H5F_ACC_TRUNC, properties, H5P_DEFAULT);
      },
      "the file cannot be made");
}

std::unique_ptr<Hdf5File> with_hdf5::open_for_writing(const std::string& path) {
  return std::make_unique<OpenFile>(
      path, true, [](const char* name) { return H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT); },
      "the file cannot be opened");
}

std::unique_ptr<Hdf5File> with_hdf5::open(const std::string& path) {
  return std::make_unique<OpenFile>(
      path, false, [](const char* name) { return H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT); },
      "the file cannot be opened");
}

}  // namespace ritz
