#include "io/meshes/netcdf_file.hpp"

#include "device/error.hpp"
#include "io/files/big_endian.hpp"

#include <limits>

#include <fmt/core.h>

namespace ritz {
namespace {

enum NetcdfType {
  nc_byte = 1,
  nc_char,
  nc_short,
  nc_int,
  nc_float,
  nc_double,
  nc_ubyte,
  nc_ushort,
  nc_uint,
  nc_int64,
  nc_uint64
};

std::uint64_t size_of_type(int type) {
  constexpr std::uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return type >= 1 && type <= 11 ? sizes[type] : 0;
}

}  // namespace

// Reads the header from its beginning to its end; every count is checked against the rest of the file.
class ClassicNetcdf::Header {
 public:
  Header(const std::string& path, std::string_view bytes)
      : path_(path), bytes_(bytes), version_(bytes.size() > 3 ? bytes[3] : 0) {
    if (!bytes.starts_with("CDF") || (version_ != 1 && version_ != 2 && version_ != 5))
      fail("its version is not 1, 2 or 5");
    at_ = 4;
    count();  // of records
  }
  template <class T>
  T get() {
    if (bytes_.size() - at_ < sizeof(T)) fail("the header is cut short");
    at_ += sizeof(T);
    return big_endian_number<T>(bytes_.data() + at_ - sizeof(T));
  }
  std::uint64_t count() { return version_ == 5 ? get<std::uint64_t>() : get<std::uint32_t>(); }
  std::uint64_t place() { return version_ == 1 ? get<std::uint32_t>() : get<std::uint64_t>(); }
  std::uint64_t entries(std::uint32_t expected_tag) {  // of a list, which begins with a tag
    const auto tag = get<std::uint32_t>();
    const std::uint64_t n = count();
    if (tag != expected_tag && !(tag == 0 && n == 0)) fail(fmt::format("a list in the header begins with {}", tag));
    if (n > bytes_.size() - at_) fail(fmt::format("a list in the header has {} entries", n));
    return n;
  }
  std::string name() { return std::string(padded(count())); }
  std::string_view padded(std::uint64_t size) {
    if (size > bytes_.size() - at_) fail("the header is cut short");
    const std::string_view text = bytes_.substr(at_, size);
    at_ = std::min<std::uint64_t>(at_ + (size + 3) / 4 * 4, bytes_.size());
    return text;
  }
  std::map<std::string, std::string> text_attributes() {
    std::map<std::string, std::string> texts;
    for (std::uint64_t i = entries(12); i > 0; --i) {
      const std::string key = name();
      const auto type = get<std::int32_t>();
      const std::uint64_t n = count(), size = size_of_type(type);
      if (size == 0 || n > bytes_.size() / size) fail(fmt::format("attribute '{}' is damaged", key));
      const std::string_view value = padded(n * size);
      if (type == nc_char) texts[key] = without_padding(std::string(value));
    }
    return texts;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::mesh_format, fmt::format("'{}' cannot be read as a netCDF file", path_), what,
                "write the file again with the mesher");
  }

 private:
  const std::string& path_;
  std::string_view bytes_;
  int version_;
  std::uint64_t at_ = 0;
};

ClassicNetcdf::ClassicNetcdf(const std::string& path) : path_(path), file_(std::make_unique<MappedFile>(path)) {
  Header header(path_, file_->bytes());
  for (std::uint64_t i = header.entries(10); i > 0; --i) {
    const std::string name = header.name();
    dimensions_.push_back({name, header.count()});
  }
  header.text_attributes();
  for (std::uint64_t i = header.entries(11); i > 0; --i) {
    const std::string name = header.name();
    Variable variable;
    const std::uint64_t rank = header.count();
    if (rank > 8) header.fail(fmt::format("variable '{}' has {} dimensions", name, rank));
    for (std::uint64_t k = 0; k < rank; ++k) {
      const std::uint64_t number = header.count();
      if (number >= dimensions_.size())
        header.fail(fmt::format("variable '{}' has dimension {} of {}", name, number, dimensions_.size()));
      variable.shape.push_back(dimensions_[number].length);
      variable.grows = variable.grows || dimensions_[number].length == 0;
    }
    variable.texts = header.text_attributes();
    variable.type = header.get<std::int32_t>();
    header.count();  // its size, which follows from its shape and does not fit 32 bits for large ones
    variable.begin = header.place();
    variables_[name] = std::move(variable);
  }
}

void ClassicNetcdf::fail(const std::string& variable, const std::string& what) const {
  throw Error(ErrorKind::mesh_contents, fmt::format("variable '{}' of '{}' {}", variable, path_, what), {},
              "write the file again with the mesher");
}

const ClassicNetcdf::Variable& ClassicNetcdf::find(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) fail(name, "is missing");
  return found->second;
}

std::optional<std::uint64_t> ClassicNetcdf::dimension(const std::string& name) const {
  for (const Dimension& dimension : dimensions_)
    if (dimension.name == name) return dimension.length;
  return std::nullopt;
}

std::vector<std::uint64_t> ClassicNetcdf::shape(const std::string& variable) const { return find(variable).shape; }

std::string_view ClassicNetcdf::bytes_of(const Variable& variable, const std::string& name) const {
  if (variable.grows) return {};
  std::uint64_t size = size_of_type(variable.type);
  if (size == 0) fail(name, fmt::format("is of type {}, which netCDF does not have", variable.type));
  const std::string_view bytes = file_->bytes();
  for (const std::uint64_t extent : variable.shape) {
    if (extent > bytes.size() / size)
      fail(name, fmt::format("is larger than the file, which has {} bytes", bytes.size()));
    size *= extent;
  }
  if (variable.begin > bytes.size() || size > bytes.size() - variable.begin)
    fail(name, "lies beyond the end of the file, which may be cut short");
  return bytes.substr(variable.begin, size);
}

template <class T, class Stored>
std::vector<T> ClassicNetcdf::converted(std::string_view bytes) const {
  std::vector<T> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(big_endian_number<Stored>(bytes.data() + i * sizeof(Stored)));
  return values;
}

std::vector<double> ClassicNetcdf::reals(const std::string& name) const {
  const Variable& variable = find(name);
  const std::string_view bytes = bytes_of(variable, name);
  if (variable.type == nc_double) return converted<double, double>(bytes);
  if (variable.type == nc_float) return converted<double, float>(bytes);
  fail(name, "holds no floating-point numbers");
}

std::vector<std::int64_t> ClassicNetcdf::integers(const std::string& name) const {
  const Variable& variable = find(name);
  const std::string_view bytes = bytes_of(variable, name);
  switch (variable.type) {
    case nc_byte: return converted<std::int64_t, std::int8_t>(bytes);
    case nc_short: return converted<std::int64_t, std::int16_t>(bytes);
    case nc_int: return converted<std::int64_t, std::int32_t>(bytes);
    case nc_uint: return converted<std::int64_t, std::uint32_t>(bytes);
    case nc_int64: return converted<std::int64_t, std::int64_t>(bytes);
    default: fail(name, "holds no integers");
  }
}

std::string ClassicNetcdf::characters(const std::string& name) const {
  const Variable& variable = find(name);
  if (variable.type != nc_char) fail(name, "holds no characters");
  return std::string(bytes_of(variable, name));
}

std::string ClassicNetcdf::text_attribute(const std::string& variable, const std::string& name) const {
  const auto& texts = find(variable).texts;
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

NetcdfFile::NetcdfFile(const std::string& path) : path_(path) {
  const bool is_classic = MappedFile(path, false).bytes().starts_with("CDF");
  if (is_classic) classic_.emplace(path);
  else tree_ = Hdf5Tree::open(path);
}

std::optional<std::uint64_t> NetcdfFile::dimension(const std::string& name) const {
  if (classic_) return classic_->dimension(name);
  if (!tree_->has(name)) return std::nullopt;
  const auto shape = tree_->shape(name);
  return shape.empty() ? std::nullopt : std::optional(shape[0]);
}

std::vector<std::string> NetcdfFile::texts(const std::string& variable) const {
  const auto extents = shape(variable);
  const std::string characters = classic_ ? classic_->characters(variable) : tree_->characters(variable);
  if (extents.size() != 2 || extents[0] == 0) return {};
  return fixed_texts(characters, characters.size() / extents[0]);
}

std::string NetcdfFile::text_attribute(const std::string& variable, const std::string& name) const {
  return classic_ ? classic_->text_attribute(variable, name) : tree_->text_attribute(variable, name);
}

}  // namespace ritz
