// MSH 2.2: one node and one element after the other, each element with its own group (Gmsh reference manual,
// "MSH file format version 2").
#include "device/parallel_errors.hpp"
#include "io/meshes/gmsh_records.hpp"
#include "io/meshes/gmsh_sections.hpp"

#include <omp.h>

#include <algorithm>

#include <fmt/core.h>

namespace ritz {
namespace {

// Elements found by one thread, or the only ones.
struct Msh2Part {
  CellsByKind nodes;
  TypesOfKinds types{};
  std::vector<Node> cell;  // the last one, in Gmsh's order
  std::vector<GmshRun> runs;
  std::map<std::int64_t, Index> unsupported;
  std::int64_t element_count = 0;
  const char* bad = nullptr;
  const char* expected = nullptr;

  void add_to_run(CellKind kind, int node_count, std::int64_t physical, std::int64_t entity) {
    if (runs.empty() || runs.back().kind != kind || runs.back().physical != physical || runs.back().entity != entity) {
      const auto end = static_cast<Index>(nodes[static_cast<std::size_t>(kind)].size()) / node_count;
      runs.push_back({kind, end, 0, entity, physical});
    }
    ++runs.back().count;
  }
};

void append(Msh2Part part, GmshContents& contents) {
  std::array<Index, cell_kind_count> first{};
  for (std::size_t kind = 0; kind < cell_kind_count; ++kind) {
    if (part.types[kind] == 0) continue;
    const int width = gmsh_kind(part.types[kind])->node_count;
    if (!claim(contents.types, static_cast<CellKind>(kind), part.types[kind])) {
      part.unsupported[part.types[kind]] += static_cast<Index>(part.nodes[kind].size()) / width;
      continue;
    }
    std::vector<Node>& all = contents.nodes[kind];
    first[kind] = static_cast<Index>(all.size()) / width;
    if (all.empty()) all = std::move(part.nodes[kind]);
    else all.insert(all.end(), part.nodes[kind].begin(), part.nodes[kind].end());
  }
  for (GmshRun run : part.runs) {
    run.first += first[static_cast<std::size_t>(run.kind)];
    contents.runs.push_back(run);
  }
  for (const auto& [type, count] : part.unsupported) contents.unsupported[type] += count;
}

// number type tag_count tags... nodes...
const char* parse_element(const char* position, const char* end, const NodeNumbers& numbers, Msh2Part& part) {
  const auto next = [&](std::int64_t& value, const char* expected) {
    position = skip_blanks(position, end);
    const char* stop = parse_number(position, end, value);
    if (stop == nullptr) {
      part.bad = position;
      part.expected = expected;
      return false;
    }
    position = stop;
    return true;
  };
  std::int64_t number = 0, type = 0, tag_count = 0, physical = 0, entity = 0, ignored = 0;
  if (!next(number, "the number of an element") || !next(type, "an element type")) return nullptr;
  const GmshKind* kind = gmsh_kind(type);
  if (kind == nullptr || !claim(part.types, kind->kind, type)) {
    ++part.unsupported[type];
    return std::find(position, end, '\n');
  }
  if (!next(tag_count, "the number of tags")) return nullptr;
  for (std::int64_t i = 0; i < tag_count; ++i)
    if (!next(i == 0 ? physical : i == 1 ? entity : ignored, "a tag of an element")) return nullptr;
  part.add_to_run(kind->kind, kind->node_count, physical < 0 ? -physical : physical, entity);
  std::vector<Node>& nodes = part.nodes[static_cast<std::size_t>(kind->kind)];
  std::vector<Node>& cell = part.cell;
  cell.resize(static_cast<std::size_t>(kind->node_count));
  for (int i = 0; i < kind->node_count; ++i) {
    std::int64_t tag = 0;
    if (!next(tag, "a node number")) return nullptr;
    const Node node = cell[static_cast<std::size_t>(i)] = numbers(tag);
    if (node < 0) {
      part.bad = position - 1;
      while (!is_blank(part.bad[-1])) --part.bad;
      part.expected = nullptr;
      return nullptr;
    }
  }
  for (int i = 0; i < kind->node_count; ++i)
    nodes.push_back(cell[static_cast<std::size_t>(
        kind->gmsh_position.empty() ? i : kind->gmsh_position[static_cast<std::size_t>(i)])]);
  return position;
}

Msh2Part parse_elements(const char* begin, const char* end, const NodeNumbers& numbers) {
  Msh2Part part;
  for (const char* position = skip_blanks(begin, end); position < end; position = skip_blanks(position, end)) {
    const char* line_end = std::find(position, end, '\n');
    position = parse_element(position, line_end, numbers, part);
    if (position == nullptr) break;
    ++part.element_count;
  }
  return part;
}

[[noreturn]] void explain(const GmshCursor& cursor, const char* bad, const char* expected) {
  if (expected != nullptr) cursor.fail_expected(bad, expected);
  std::int64_t tag = 0;
  parse_number(bad, cursor.end(), tag);
  cursor.fail(bad, fmt::format("node {} does not exist", tag), "an element uses it, but $Nodes does not list it");
}

// One element per line: the lines are dealt out to the threads in equal pieces.
void read_text_elements(GmshCursor& cursor, std::int64_t element_count, const NodeNumbers& numbers,
                        GmshContents& contents) {
  const char* begin = cursor.position();
  const char* end = cursor.end();
  const std::int64_t part_count = end - begin < (1 << 20) ? 1 : omp_get_max_threads();
  std::vector<const char*> starts{begin};
  for (std::int64_t i = 1; i < part_count; ++i)
    starts.push_back(std::find(std::max(starts.back(), begin + (end - begin) / part_count * i), end, '\n'));
  starts.push_back(end);
  std::vector<Msh2Part> parts(static_cast<std::size_t>(part_count));
  ParallelErrors errors;
#pragma omp parallel for schedule(static, 1) if (part_count > 1)
  for (std::size_t i = 0; i < parts.size(); ++i)
    errors.run([&] { parts[i] = parse_elements(starts[i], starts[i + 1], numbers); });
  errors.rethrow();
  std::int64_t total = 0;
  for (const Msh2Part& part : parts) {
    if (part.bad != nullptr) explain(cursor, part.bad, part.expected);
    total += part.element_count;
  }
  if (total != element_count)
    cursor.fail(end, fmt::format("{} elements were announced, but {} follow", element_count, total));
  for (Msh2Part& part : parts) append(std::move(part), contents);
}

// Headers of type, count and number of tags, each followed by that many records of 32-bit integers.
void read_binary_elements(GmshCursor& cursor, std::int64_t element_count, const NodeNumbers& numbers,
                          GmshContents& contents) {
  Msh2Part part;
  while (part.element_count < element_count) {
    const char* start = cursor.position();
    const auto type = cursor.raw<std::int32_t>("an element type");
    const auto count = cursor.raw<std::int32_t>("the number of elements that follow");
    const auto tag_count = cursor.raw<std::int32_t>("the number of tags");
    const std::optional<int> node_count = gmsh_node_count(type);
    if (!node_count)
      cursor.file().fail(start, cursor.section(), fmt::format("{} elements of {}", count, gmsh_type_name(type)),
                         supported_gmsh_types());
    if (tag_count < 0)
      cursor.fail(start, fmt::format("expected the number of tags, found {}", tag_count), "a count cannot be negative");
    if (count <= 0) cursor.fail(start, fmt::format("expected the number of elements that follow, found {}", count));
    const std::int64_t width = 1 + std::int64_t{tag_count} + *node_count;
    cursor.check_count(count, "the number of elements that follow", 4 * width);
    part.element_count += count;
    const GmshKind* kind = gmsh_kind(type);
    if (kind == nullptr || !claim(part.types, kind->kind, type)) {
      part.unsupported[type] += count;
      cursor.skip_bytes(4 * width * count);
      continue;
    }
    std::vector<Node>& nodes = part.nodes[static_cast<std::size_t>(kind->kind)];
    const std::size_t size = nodes.size() + static_cast<std::size_t>(count * std::int64_t{kind->node_count});
    if (size > nodes.capacity()) nodes.reserve(std::max(size, 2 * nodes.capacity()));  // a block may be one element
    for (std::int32_t i = 0; i < count; ++i) {
      const char* record = cursor.position();
      const auto value = [record](std::int64_t position) {
        std::int32_t loaded;
        std::memcpy(&loaded, record + 4 * position, 4);
        return loaded;
      };
      const std::int64_t physical = tag_count > 0 ? value(1) : 0;
      part.add_to_run(kind->kind, kind->node_count, physical < 0 ? -physical : physical, tag_count > 1 ? value(2) : 0);
      for (int j = 0; j < kind->node_count; ++j) {
        const int local = kind->gmsh_position.empty() ? j : kind->gmsh_position[static_cast<std::size_t>(j)];
        const std::int32_t tag = value(1 + tag_count + local);
        const Node node = numbers(tag);
        if (node < 0)
          cursor.fail(record + 4 * (1 + tag_count + local), fmt::format("node {} does not exist", tag),
                      "an element uses it, but $Nodes does not list it");
        nodes.push_back(node);
      }
      cursor.skip_bytes(4 * width);
    }
  }
  if (part.element_count != element_count)
    cursor.fail(cursor.position(),
                fmt::format("{} elements were announced, but the blocks hold {}", element_count, part.element_count));
  append(std::move(part), contents);
}

// Counts are text in both kinds of file; in a binary one the records start after the line's end.
std::int64_t read_count_line(GmshCursor& cursor, const char* what, std::int64_t least_binary, std::int64_t least_text) {
  const char* start = skip_blanks(cursor.position(), cursor.end());
  const std::int64_t count = cursor.text_integer(what);
  const char* after = cursor.position();
  cursor.move_to(start);
  cursor.check_count(count, what, cursor.file().binary ? least_binary : least_text);
  cursor.move_to(after);
  if (cursor.file().binary) cursor.rest_of_line();
  return count;
}

}  // namespace

std::vector<std::int64_t> read_nodes_2(GmshCursor cursor, GmshContents& contents) {
  const char* begin = cursor.position();
  const std::int64_t count = read_count_line(cursor, "the number of nodes", 28, 8);
  check_node_count(cursor, count);
  std::vector<std::int64_t> tags(static_cast<std::size_t>(count));
  contents.points.resize(3 * tags.size());
  if (cursor.file().binary) {
    for (std::size_t node = 0; node < tags.size(); ++node) {
      tags[node] = cursor.raw<std::int32_t>("a node number");
      for (std::size_t i = 0; i < 3; ++i) contents.points[3 * node + i] = cursor.raw<double>("a coordinate");
    }
  } else {
    const auto parse = [&](std::int64_t record, const char* position, const char* end, const char*& bad) {
      position = skip_blanks(position, end);
      const char* stop = parse_number(position, end, tags[static_cast<std::size_t>(record)]);
      for (int i = 0; i < 3 && stop != nullptr; ++i) {
        position = skip_blanks(stop, end);
        stop = parse_number(position, end, contents.points[static_cast<std::size_t>(3 * record + i)]);
      }
      if (stop == nullptr) bad = position;
      return stop;
    };
    TokenIndex index;
    parse_records(cursor, index, begin, count, 4, parse,
                  [&](const char* bad) { cursor.fail_expected(bad, "a node number or a coordinate"); });
  }
  cursor.expect_end();
  return tags;
}

std::vector<std::int64_t> read_parametric_nodes_2(GmshCursor cursor, GmshContents& contents) {
  const std::int64_t count = read_count_line(cursor, "the number of nodes", 36, 12);
  check_node_count(cursor, count);
  std::vector<std::int64_t> tags(static_cast<std::size_t>(count));
  contents.points.resize(3 * tags.size());
  for (std::size_t node = 0; node < tags.size(); ++node) {
    tags[node] = cursor.integer("a node number");
    for (std::size_t i = 0; i < 3; ++i) contents.points[3 * node + i] = cursor.real("a coordinate");
    const char* place = cursor.position();
    const std::int64_t dimension = cursor.integer("the dimension of an entity");
    if (dimension < 0 || dimension > 3)
      cursor.fail(place, fmt::format("expected the dimension of an entity, found {}", dimension));
    cursor.integer("the tag of an entity");
    for (std::int64_t i = 0; i < dimension && dimension < 3; ++i) cursor.real("a parameter of a node");
  }
  cursor.expect_end();
  return tags;
}

void read_elements_2(GmshCursor cursor, const NodeNumbers& numbers, GmshContents& contents) {
  const std::int64_t count = read_count_line(cursor, "the number of elements", 8, 8);
  if (cursor.file().binary) read_binary_elements(cursor, count, numbers, contents);
  else read_text_elements(cursor, count, numbers, contents);
  if (cursor.file().binary) cursor.expect_end();
}

}  // namespace ritz
