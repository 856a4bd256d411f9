#include "io/meshes/gmsh_reader.hpp"

#include "io/files/mapped_file.hpp"
#include "io/meshes/gmsh_sections.hpp"

#include <limits>

#include <fmt/core.h>

namespace ritz {
namespace {

struct GmshSection {
  std::string_view name;
  const char *begin, *end;  // after the name's line, before $End
};

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The section that starts at or after `position`; name empty at the end of the file.
GmshSection next_section(const GmshFile& file, const char* position) {
  const char* end = file.bytes.data() + file.bytes.size();
  position = skip_blanks(position, end);
  if (position == end) return {{}, end, end};
  if (*position != '$')
    file.fail(position, "",
              fmt::format("expected a section such as $Nodes, found '{}'",
                          std::string_view(position, std::min(token_end(position, end), position + 40))));
  const char* name_end = token_end(position, end);
  const std::string_view name(position + 1, name_end);
  const char* line_end = std::find(name_end, end, '\n');
  const char* begin = line_end < end ? line_end + 1 : end;
  const std::string marker = fmt::format("$End{}", name);
  for (const char* search = begin;;) {
    const auto* found = static_cast<const char*>(
        ::memmem(search, static_cast<std::size_t>(end - search), marker.data(), marker.size()));
    if (found == nullptr)
      file.fail(end, "", fmt::format("expected {}, but the file ends", marker),
                fmt::format("section ${} started at {}",
                            std::string_view(position + 1, std::min(name_end, position + 41)), file.place(position)));
    const char* after = found + marker.size();
    if (after == end || is_blank(*after)) return {name, begin, found};
    search = after;
  }
}

// Their tags.
std::vector<std::int64_t> read_nodes(const GmshCursor& cursor, GmshContents& contents) {
  if (contents.groups_by_entity) return read_nodes_4(cursor, contents);
  return cursor.section() == "ParametricNodes" ? read_parametric_nodes_2(cursor, contents)
                                               : read_nodes_2(cursor, contents);
}

bool read_format(GmshFile& file, const GmshSection& section) {
  GmshCursor cursor(file, section.name, section.begin, section.end);
  const double version = cursor.text_real("the version of the format");
  const std::int64_t is_binary = cursor.text_integer("the file type (0 text, 1 binary)");
  const std::int64_t data_size = cursor.text_integer("the size of a number");
  const bool msh2 = version >= 2 && version < 3;
  if (!msh2 && version != 4.1)
    file.fail(section.begin, section.name, fmt::format("MSH version {} is not supported", version),
              "Ritz reads MSH 2.2 and MSH 4.1",
              fmt::format("convert it: gmsh '{}' -save -format msh41 -o new.msh", file.path));
  if (is_binary != 0 && is_binary != 1)
    file.fail(section.begin, section.name, fmt::format("file type {} is neither 0 (text) nor 1 (binary)", is_binary));
  if (data_size != 8)
    file.fail(section.begin, section.name, fmt::format("numbers of {} bytes are not supported", data_size),
              "Ritz reads files with 8-byte numbers", "save the file again on a 64-bit machine");
  if (is_binary == 1) {
    cursor.rest_of_line();
    file.binary = true;
    const auto one = cursor.raw<std::int32_t>("the number 1 that tells the byte order");
    if (one == 0x01000000)
      file.fail(cursor.position() - 4, section.name, "the file was written in the other byte order",
                "it comes from a big-endian machine",
                fmt::format("convert it there: gmsh '{}' -save -format msh41 -o new.msh, as text", file.path));
    if (one != 1)
      file.fail(cursor.position() - 4, section.name, fmt::format("expected the number 1, found {}", one),
                "it tells the byte order of a binary file");
  }
  return msh2;
}

}  // namespace

void check_node_count(const GmshCursor& cursor, std::int64_t node_count) {
  if (node_count > std::numeric_limits<Node>::max())
    cursor.fail(cursor.position(), fmt::format("{} nodes are too many", node_count),
                fmt::format("Ritz numbers nodes up to {}", std::numeric_limits<Node>::max()));
}

void read_physical_names(GmshCursor cursor, GmshContents& contents) {
  const std::int64_t count = cursor.text_integer("the number of physical names");
  cursor.check_count(count, "the number of physical names", 4);
  for (std::int64_t i = 0; i < count; ++i) {
    const char* place = cursor.position();
    const std::int64_t dimension = cursor.text_integer("the dimension of a physical group");
    if (dimension < 0 || dimension > 3)
      cursor.fail(place, fmt::format("expected the dimension of a physical group, found {}", dimension));
    const std::int64_t tag = cursor.text_integer("the tag of a physical group");
    std::string_view name = cursor.rest_of_line();
    while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
    while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    else if (name.empty() || name.front() == '"')
      cursor.fail(place, fmt::format("expected the name of physical group {} in quotes", tag));
    if (!name.empty()) contents.group_names[{static_cast<int>(dimension), tag}] = std::string(name);
  }
  cursor.expect_end();
}

MeshData read_gmsh(const std::string& path, std::vector<std::string>* notices, bool structural,
                   std::vector<std::string>* points) {
  const MappedFile mapped(path);
  GmshFile file{path, mapped.bytes()};
  const char* begin = file.bytes.data();
  if (file.bytes.starts_with(byte_order_mark)) begin += byte_order_mark.size();
  const char* end = file.bytes.data() + file.bytes.size();

  GmshContents contents;
  std::vector<GmshSection> sections;
  bool has_format = false;
  for (const char* position = begin;;) {
    const GmshSection section = next_section(file, position);
    if (section.name.empty()) break;
    if (section.name == "MeshFormat") {
      contents.groups_by_entity = !read_format(file, section);
      has_format = true;
    } else if (!has_format && section.name != "Comments") {
      file.fail(position, "", fmt::format("expected $MeshFormat, found ${}", section.name),
                section.name == "NOD" ? "this is MSH version 1; Ritz reads MSH 2.2 and MSH 4.1" : "");
    }
    sections.push_back(section);
    position = section.end + 4 + section.name.size();
  }
  if (!has_format) file.fail(end, "", "expected $MeshFormat, but the file ends");

  // The file may say these things in any order; we need them in this one.
  const auto with = [&](std::string_view name, auto&& read) {
    int count = 0;
    for (const GmshSection& section : sections)
      if (section.name == name) {
        if (++count > 1) file.fail(section.begin, name, fmt::format("a second section ${}", name), "one is enough");
        read(GmshCursor(file, section.name, section.begin, section.end));
      }
    return count;
  };
  const bool msh4 = contents.groups_by_entity;
  with("PhysicalNames", [&](const GmshCursor& cursor) { read_physical_names(cursor, contents); });
  if (msh4) {
    with("Entities", [&](const GmshCursor& cursor) { read_entities(cursor, contents); });
    with("PartitionedEntities", [&](const GmshCursor& cursor) { read_partitioned_entities(cursor, contents); });
  }
  std::vector<std::int64_t> tags;
  const auto take_nodes = [&](const GmshCursor& cursor) { tags = read_nodes(cursor, contents); };
  if (with("Nodes", take_nodes) + (msh4 ? 0 : with("ParametricNodes", take_nodes)) == 0)
    file.fail(end, "", "expected $Nodes, but the file ends");
  const NodeNumbers numbers(tags);
  if (numbers.has_duplicate())
    throw Error(ErrorKind::mesh_reference, fmt::format("node {} is defined twice in '{}'", numbers.duplicate(), path),
                "every node has one place", "write the file again with the mesher");
  if (with("Elements", [&](const GmshCursor& cursor) {
        msh4 ? read_elements_4(cursor, numbers, contents) : read_elements_2(cursor, numbers, contents);
      }) == 0)
    file.fail(end, "", "expected $Elements, but the file ends");
  std::vector<std::string> own_notices;
  contents.structural = structural;
  if (points != nullptr) *points = point_groups(contents);
  return mesh_of(std::move(contents), path, notices != nullptr ? *notices : own_notices);
}

}  // namespace ritz
