// MSH 4.1: nodes and elements come in blocks, one per geometric entity (Gmsh reference manual, "MSH file format").
#include "io/meshes/gmsh_records.hpp"
#include "io/meshes/gmsh_sections.hpp"

#include <limits>

#include <fmt/core.h>

namespace ritz {
namespace {

constexpr std::int64_t size_bytes = 8;  // size_t in a binary file

template <class T>
T load(const char* position) {
  T value;
  std::memcpy(&value, position, sizeof(T));
  return value;
}

void read_tags(GmshCursor& cursor, TokenIndex& index, const char* begin, std::int64_t count, std::int64_t* tags) {
  if (count == 0) return;
  if (cursor.file().binary) {
    std::memcpy(tags, cursor.position(), static_cast<std::size_t>(count * size_bytes));
    return cursor.skip_bytes(count * size_bytes);
  }
  const auto parse = [tags](std::int64_t record, const char* position, const char* end, const char*& bad) {
    position = skip_blanks(position, end);
    const char* stop = parse_number(position, end, tags[record]);
    if (stop == nullptr) bad = position;
    return stop;
  };
  parse_records(cursor, index, begin, count, 1, parse,
                [&](const char* bad) { cursor.fail_expected(bad, "a node tag"); });
}

// `width` is 3, or more when parametric coordinates follow.
void read_coordinates(GmshCursor& cursor, TokenIndex& index, const char* begin, std::int64_t count, std::int64_t width,
                      double* points) {
  if (cursor.file().binary) {
    const char* data = cursor.position();
    for (std::int64_t node = 0; node < count; ++node)
      std::memcpy(points + 3 * node, data + node * width * 8, 3 * sizeof(double));
    return cursor.skip_bytes(count * width * 8);
  }
  const auto parse = [=](std::int64_t record, const char* position, const char* end, const char*& bad) {
    for (std::int64_t i = 0; i < width; ++i) {
      double value = 0;
      position = skip_blanks(position, end);
      const char* stop = parse_number(position, end, value);
      if (stop == nullptr) {
        bad = position;
        return stop;
      }
      if (i < 3) points[3 * record + i] = value;
      position = stop;
    }
    return position;
  };
  parse_records(cursor, index, begin, count, width, parse,
                [&](const char* bad) { cursor.fail_expected(bad, "a coordinate"); });
}

// The cells of one block into `nodes`, in VTK's order.
void read_cells(GmshCursor& cursor, TokenIndex& index, const char* begin, std::int64_t count, const GmshKind& kind,
                const NodeNumbers& numbers, Node* nodes) {
  const std::int64_t width = 1 + kind.node_count;
  const auto explain = [&](const char* bad) {
    std::int64_t tag = 0;
    if (cursor.file().binary) tag = load<std::int64_t>(bad);
    else if (parse_number(bad, cursor.end(), tag) == nullptr) cursor.fail_expected(bad, "a node tag");
    cursor.fail(bad, fmt::format("node {} does not exist", tag), "an element uses it, but $Nodes does not list it");
  };
  std::vector<int> vtk_position(static_cast<std::size_t>(kind.node_count));  // Gmsh's local node -> VTK's
  for (int i = 0; i < kind.node_count; ++i)
    vtk_position[static_cast<std::size_t>(
        kind.gmsh_position.empty() ? i : kind.gmsh_position[static_cast<std::size_t>(i)])] = i;
  if (!cursor.file().binary) {
    const auto parse = [&](std::int64_t record, const char* position, const char* end, const char*& bad) {
      for (std::int64_t i = 0; i < width; ++i) {
        std::int64_t tag = 0;
        position = skip_blanks(position, end);
        const char* stop = parse_number(position, end, tag);
        const Node node = stop == nullptr || i == 0 ? 0 : numbers(tag);
        if (stop == nullptr || node < 0) {
          bad = position;
          return static_cast<const char*>(nullptr);
        }
        if (i > 0) nodes[record * kind.node_count + vtk_position[static_cast<std::size_t>(i - 1)]] = node;
        position = stop;
      }
      return position;
    };
    return parse_records(cursor, index, begin, count, width, parse, explain);
  }
  const char* data = cursor.position();
  std::int64_t first_bad = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for schedule(static) reduction(min : first_bad) if (count > 50000)
  for (std::int64_t cell = 0; cell < count; ++cell)
    for (int i = 0; i < kind.node_count; ++i) {
      const std::int64_t place = (cell * width + 1 + i) * size_bytes;
      const Node node = numbers(load<std::int64_t>(data + place));
      if (node < 0) first_bad = std::min(first_bad, place);
      nodes[cell * kind.node_count + vtk_position[static_cast<std::size_t>(i)]] = node;
    }
  if (first_bad != std::numeric_limits<std::int64_t>::max()) explain(data + first_bad);
  cursor.skip_bytes(count * width * size_bytes);
}

void skip_block(GmshCursor& cursor, std::int64_t count, std::int64_t width) {
  if (cursor.file().binary) return cursor.skip_bytes(count * width * size_bytes);
  for (std::int64_t i = 0; i < count * width; ++i) cursor.text_integer("a tag of an element");
}

int entity_dimension(GmshCursor& cursor) {
  const char* start = cursor.position();
  const std::int64_t dimension = cursor.integer("the dimension of an entity");
  if (dimension < 0 || dimension > 3)
    cursor.fail(start, fmt::format("expected the dimension of an entity, found {}", dimension), "it is 0, 1, 2 or 3");
  return static_cast<int>(dimension);
}

}  // namespace

std::vector<std::int64_t> read_nodes_4(GmshCursor cursor, GmshContents& contents) {
  const char* begin = cursor.position();
  TokenIndex index;
  const std::int64_t block_count = cursor.count("the number of node blocks", 20, 8);
  const std::int64_t node_count = cursor.count("the number of nodes", 32, 8);
  check_node_count(cursor, node_count);
  cursor.size("the least node tag");
  cursor.size("the greatest node tag");
  std::vector<std::int64_t> tags(static_cast<std::size_t>(node_count));
  contents.points.resize(3 * tags.size());
  std::int64_t first = 0;
  for (std::int64_t block = 0; block < block_count; ++block) {
    const int dimension = entity_dimension(cursor);
    cursor.integer("the tag of an entity");
    const bool parametric = cursor.integer("0 or 1 for parametric nodes") != 0;
    const char* place = skip_blanks(cursor.position(), cursor.end());
    const std::int64_t width = 3 + (parametric ? dimension : 0);
    const std::int64_t count = cursor.count("the number of nodes of a block", 8 + 8 * width, 2 + 2 * width);
    if (count > node_count - first)
      cursor.fail(cursor.file().binary ? cursor.position() - size_bytes : place,
                  fmt::format("the blocks hold more nodes than the {} announced", node_count));
    read_tags(cursor, index, begin, count, tags.data() + first);
    read_coordinates(cursor, index, begin, count, width, contents.points.data() + 3 * first);
    first += count;
  }
  cursor.expect_end();
  if (first != node_count)
    cursor.fail(cursor.position(), fmt::format("{} nodes were announced, but the blocks hold {}", node_count, first));
  return tags;
}

void read_elements_4(GmshCursor cursor, const NodeNumbers& numbers, GmshContents& contents) {
  const char* begin = cursor.position();
  TokenIndex index;
  const std::int64_t block_count = cursor.count("the number of element blocks", 20, 8);
  const std::int64_t element_count = cursor.count("the number of elements", 16, 4);
  cursor.size("the least element tag");
  cursor.size("the greatest element tag");
  std::int64_t total = 0;
  for (std::int64_t block = 0; block < block_count; ++block) {
    entity_dimension(cursor);
    const std::int64_t entity = cursor.integer("the tag of an entity");
    const char* type_place = cursor.position();
    const std::int64_t type = cursor.integer("an element type");
    const std::int64_t width = 1 + gmsh_node_count(type).value_or(0);
    const std::int64_t count = cursor.count("the number of elements of a block", width * size_bytes, 2 * width);
    total += count;
    const GmshKind* kind = gmsh_kind(type);
    if (kind == nullptr || !claim(contents.types, kind->kind, type)) {
      if (!gmsh_node_count(type))
        cursor.file().fail(type_place, cursor.section(), fmt::format("{} elements of {}", count, gmsh_type_name(type)),
                           supported_gmsh_types());
      contents.unsupported[type] += count;
      skip_block(cursor, count, width);
      continue;
    }
    std::vector<Node>& nodes = contents.nodes[static_cast<std::size_t>(kind->kind)];
    const std::size_t old_size = nodes.size();
    nodes.resize(old_size + static_cast<std::size_t>(count * kind->node_count));
    read_cells(cursor, index, begin, count, *kind, numbers, nodes.data() + old_size);
    contents.runs.push_back({kind->kind, static_cast<Index>(old_size) / kind->node_count, count, entity, 0});
  }
  cursor.expect_end();
  if (total != element_count)
    cursor.fail(cursor.position(),
                fmt::format("{} elements were announced, but the blocks hold {}", element_count, total));
}

namespace {

std::vector<std::int64_t> read_group_tags(GmshCursor& cursor) {
  const std::int64_t count = cursor.count("the number of physical groups of an entity", 4, 2);
  std::vector<std::int64_t> tags(static_cast<std::size_t>(count));
  for (std::int64_t& tag : tags) {
    tag = cursor.integer("the tag of a physical group");
    if (tag < 0) tag = -tag;  // a minus sign only says that the entity is used the other way round
  }
  return tags;
}

// Reads the rest of an entity after its tag, in both sections: the box, the groups and the bounding entities.
void read_entity(GmshCursor& cursor, int dimension, std::int64_t tag, GmshContents& contents) {
  for (int i = 0; i < (dimension == 0 ? 3 : 6); ++i) cursor.real("a coordinate of the box of an entity");
  std::vector<std::int64_t> groups = read_group_tags(cursor);
  if (!groups.empty()) contents.groups_of_entity[{dimension, tag}] = std::move(groups);
  if (dimension > 0)
    cursor.skip_integers(cursor.count("the number of bounding entities", 4, 2), "the tag of a bounding entity");
}

std::array<std::int64_t, 4> read_entity_counts(GmshCursor& cursor) {
  std::array<std::int64_t, 4> counts{};
  for (int dimension = 0; dimension < 4; ++dimension)
    counts[static_cast<std::size_t>(dimension)] = cursor.count("the number of entities", 28, 8);
  return counts;
}

}  // namespace

void read_entities(GmshCursor cursor, GmshContents& contents) {
  const std::array<std::int64_t, 4> counts = read_entity_counts(cursor);
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i)
      read_entity(cursor, dimension, cursor.integer("the tag of an entity"), contents);
  cursor.expect_end();
}

void read_partitioned_entities(GmshCursor cursor, GmshContents& contents) {
  cursor.size("the number of partitions");
  const std::int64_t ghosts = cursor.count("the number of ghost entities", 8, 4);
  cursor.skip_integers(2 * ghosts, "a ghost entity");
  const std::array<std::int64_t, 4> counts = read_entity_counts(cursor);
  for (int dimension = 0; dimension < 4; ++dimension)
    for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
      const std::int64_t tag = cursor.integer("the tag of an entity");
      cursor.skip_integers(2, "the parent of an entity");
      cursor.skip_integers(cursor.count("the number of partitions of an entity", 4, 2), "a partition");
      read_entity(cursor, dimension, tag, contents);
    }
  cursor.expect_end();
}

}  // namespace ritz
