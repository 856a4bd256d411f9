// VTK's XML formats (VTK file formats, "XML formats" of the user's guide): arrays stand in their elements as text or
// base64, or after the XML at an offset; their bytes follow a header of their size, or of the sizes of their blocks.
#include "io/vtk/vtu_sizes.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace ritz {
namespace {

// The value of an attribute of a tag; nothing where it has none.
std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool whole =
        at > 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\n' || tag[at - 1] == '\t' || tag[at - 1] == '\r');
    if (!whole || end + 1 >= tag.size() || tag[end] != '=' || (tag[end + 1] != '"' && tag[end + 1] != '\'')) continue;
    const std::size_t stop = tag.find(tag[end + 1], end + 2);
    return stop == std::string_view::npos ? std::nullopt : std::optional(tag.substr(end + 2, stop - end - 2));
  }
  return std::nullopt;
}

std::optional<std::int64_t> number(std::optional<std::string_view> text) {
  std::int64_t value = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

// [bits] of a number; 0: texts, or what we do not know.
int size_of(std::string_view type) {
  if (type == "Bit") return 1;
  for (const int bits : {8, 16, 32, 64})
    for (const char* kind : {"Int", "UInt", "Float"})
      if (type == fmt::format("{}{}", kind, bits)) return bits;
  return 0;
}

// The first bytes of base64 text, as many as whole groups of four characters give.
std::vector<unsigned char> from_base64(std::string_view text, std::size_t most) {
  const auto value_of = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 4 <= text.size() && bytes.size() < most; i += 4) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k)
      group = group << 6U | static_cast<std::uint32_t>(std::max(0, value_of(text[i + k])));
    for (const int shift : {16, 8, 0})
      bytes.push_back(static_cast<unsigned char>(group >> static_cast<unsigned>(shift)));
  }
  return bytes;
}

struct Piece {
  std::int64_t points = 0, cells = 0;
};

class SizeCheck {
 public:
  SizeCheck(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  void run() {
    read_appended();
    const std::string_view xml = bytes_.substr(0, appended_tag_);
    for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
      if (xml.substr(at).starts_with("<!--")) {
        at = xml.find("-->", at);
        if (at == std::string_view::npos) return;
        continue;
      }
      const std::size_t end = xml.find('>', at);
      if (end == std::string_view::npos) return;
      take(xml.substr(at + 1, end - at - 1), xml.substr(end + 1));
      at = end;
    }
  }

 private:
  void read_appended() {
    appended_tag_ = bytes_.find("<AppendedData");
    if (appended_tag_ == std::string_view::npos) return;
    const std::size_t end = bytes_.find('>', appended_tag_), start = bytes_.find('_', end);
    if (end == std::string_view::npos || start == std::string_view::npos) return;
    appended_is_raw_ = attribute(bytes_.substr(appended_tag_, end - appended_tag_), "encoding") == "raw";
    appended_ = bytes_.substr(start + 1);
  }

  void take(std::string_view tag, std::string_view after) {
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (name == "VTKFile") {
      wide_ = attribute(tag, "header_type") == "UInt64";
      compressed_ = attribute(tag, "compressor").has_value();
      swapped_ = attribute(tag, "byte_order") == "BigEndian";
    } else if (name == "Piece") {
      piece_ = {number(attribute(tag, "NumberOfPoints")).value_or(0),
                number(attribute(tag, "NumberOfCells")).value_or(0)};
    } else if (name == "Points" || name == "Cells" || name == "PointData" || name == "CellData") {
      part_ = tag.ends_with('/') ? "" : name;
    } else if (!name.empty() && name[0] == '/' && name.substr(1) == part_) {
      part_ = "";
    } else if (name == "DataArray" && !part_.empty()) {
      take_array(tag, after);
    }
  }

  void take_array(std::string_view tag, std::string_view after) const {
    const std::string_view name = attribute(tag, "Name").value_or(""), type = attribute(tag, "type").value_or("");
    const std::int64_t components = number(attribute(tag, "NumberOfComponents")).value_or(part_ == "Points" ? 3 : 1);
    const bool of_cells = part_ == "CellData" || (part_ == "Cells" && (name == "offsets" || name == "types"));
    const int bits = size_of(type);
    if (bits == 0 || components < 1 || (part_ == "Cells" && !of_cells)) return;
    const std::int64_t tuples = of_cells ? piece_.cells : piece_.points;
    if (tuples < 0 || tuples > (std::int64_t{1} << 40) / components) return;  // VTK refuses it
    const std::int64_t wanted = tuples * components;
    const std::string_view format = attribute(tag, "format").value_or("");
    if (format == "ascii") {
      const std::int64_t words = words_in(after, wanted);
      return judge(name, type, words == wanted ? words : words_in(after, std::int64_t{1} << 60), wanted, wanted,
                   "numbers");
    }
    std::optional<std::int64_t> found;
    if (format == "binary") {
      const std::size_t start = after.find_first_not_of(" \t\r\n");
      if (start != std::string_view::npos) found = bytes_in_base64(after.substr(start, after.find('<') - start));
    } else if (format == "appended") {
      const std::int64_t offset = number(attribute(tag, "offset")).value_or(-1);
      if (offset < 0 || offset >= static_cast<std::int64_t>(appended_.size())) return;
      const std::string_view data = appended_.substr(static_cast<std::size_t>(offset));
      found = appended_is_raw_ ? size_in_header(data) : bytes_in_base64(data);
    }
    if (found) judge(name, type, *found, (wanted * bits + 7) / 8, wanted, "bytes");
  }

  // Words up to the next tag, at most `most`.
  static std::int64_t words_in(std::string_view text, std::int64_t most) {
    std::int64_t count = 0;
    bool in_word = false;
    for (const char c : text) {
      if (c == '<' || count > most) break;  // one too many is enough
      const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      if (!is_blank && !in_word) ++count;
      in_word = !is_blank;
    }
    return count;
  }

  std::optional<std::int64_t> bytes_in_base64(std::string_view text) const {
    const std::vector<unsigned char> head = from_base64(text, 3 * (wide_ ? 8U : 4U));
    return size_in_header({reinterpret_cast<const char*>(head.data()), head.size()});
  }

  // [bytes] of the array, without compression.
  std::optional<std::int64_t> size_in_header(std::string_view data) const {
    const std::size_t width = wide_ ? 8 : 4;
    const auto entry = [&](std::size_t i) -> std::uint64_t {
      std::uint64_t value = 0;
      for (std::size_t k = 0; k < width; ++k) {
        const std::size_t at = i * width + (swapped_ ? k : width - 1 - k);
        value = value << 8U | static_cast<unsigned char>(data[at]);
      }
      return value;
    };
    if (data.size() < (compressed_ ? 3 : 1) * width) return std::nullopt;
    constexpr std::uint64_t most = std::uint64_t{1} << 50;
    if (!compressed_) return entry(0) < most ? std::optional(static_cast<std::int64_t>(entry(0))) : std::nullopt;
    const std::uint64_t blocks = entry(0), size = entry(1), last = entry(2);
    if (blocks == 0) return 0;
    if (blocks > (1U << 30) || size > (1U << 30) || last > size) return std::nullopt;
    return static_cast<std::int64_t>(last > 0 ? (blocks - 1) * size + last : blocks * size);
  }

  void judge(std::string_view name, std::string_view type, std::int64_t found, std::int64_t wanted,
             std::int64_t numbers, const char* unit) const {
    if (found == wanted) return;
    throw Error(
        ErrorKind::mesh_contents,
        fmt::format("the array '{}' of '{}' has another size than its piece announces: {} {} in place of {}", name,
                    path_, found, unit, wanted),
        fmt::format("{} points and {} cells need {} numbers of type {}", piece_.points, piece_.cells, numbers, type),
        "write the file again: its counts or types were changed");
  }

  std::string_view bytes_;
  const std::string& path_;
  std::size_t appended_tag_ = std::string_view::npos;
  std::string_view appended_;
  bool appended_is_raw_ = false, wide_ = false, compressed_ = false, swapped_ = false;
  Piece piece_;
  std::string_view part_;  // Points, Cells, PointData or CellData; empty: none of them
};

}  // namespace

void check_array_sizes(std::string_view bytes, const std::string& path) { SizeCheck(bytes, path).run(); }

}  // namespace ritz
