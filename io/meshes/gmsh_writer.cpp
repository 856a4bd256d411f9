#include "io/meshes/gmsh_writer.hpp"

#include "io/files/atomic_file.hpp"
#include "io/meshes/gmsh_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace {

// MSH 4 gives groups to entities, not to cells: cells that are in the same regions form one entity.
using Groups = std::vector<std::size_t>;  // positions in mesh.regions(), ascending

struct Entity {
  int dimension;
  int tag;
  Groups groups;
  std::map<CellKind, std::vector<Node>> nodes;  // [kind][cell][node] in Gmsh's order
};

class GmshOutput {
 public:
  explicit GmshOutput(bool binary) : binary_(binary) {}
  bool binary() const { return binary_; }
  void line(std::string_view text) { text_.append(text) += '\n'; }
  void integer(std::int64_t value) { binary_ ? raw(static_cast<std::int32_t>(value)) : word(value); }
  void size(std::int64_t value) { binary_ ? raw(value) : word(value); }
  void real(double value) { binary_ ? raw(value) : word(value); }
  void end_line() {
    if (!binary_) text_.back() = '\n';
  }
  void end_section(std::string_view name) {
    if (binary_) text_ += '\n';
    line(fmt::format("$End{}", name));
  }
  const std::string& text() const { return text_; }

 private:
  template <class T>
  void raw(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
  }
  template <class T>
  void word(T value) {
    fmt::format_to(std::back_inserter(text_), "{} ", value);
  }
  bool binary_;
  std::string text_;
};

void append_cell(Entity& entity, CellKind kind, std::span<const Node> cell) {
  const GmshKind& gmsh = *gmsh_kind(gmsh_type(kind));
  std::vector<Node>& nodes = entity.nodes[kind];
  const std::size_t first = nodes.size();
  nodes.insert(nodes.end(), cell.begin(), cell.end());
  for (std::size_t i = 0; i < gmsh.gmsh_position.size(); ++i)
    nodes[first + static_cast<std::size_t>(gmsh.gmsh_position[i])] = cell[i];
}

class Entities {
 public:
  Entity& with(int dimension, const Groups& groups) {
    const auto [found, is_new] = number_.try_emplace({dimension, groups}, list_.size());
    if (is_new) add(dimension, groups);
    return list_[found->second];
  }
  Entity& add(int dimension, const Groups& groups) {
    list_.push_back({dimension, ++last_tag_[static_cast<std::size_t>(dimension)], groups, {}});
    return list_.back();
  }
  const std::vector<Entity>& list() const { return list_; }

 private:
  std::vector<Entity> list_;
  std::map<std::pair<int, Groups>, std::size_t> number_;
  std::array<int, 4> last_tag_{};
};

Entities entities_of(const Mesh& mesh) {
  std::vector<Groups> groups_of_cell(static_cast<std::size_t>(mesh.cell_count()));
  std::map<std::pair<Index, int>, Groups> groups_of_facet;
  std::map<Node, Groups> groups_of_node;
  for (std::size_t i = 0; i < mesh.regions().size(); ++i) {
    const Region& region = mesh.regions()[i];
    for (const Index cell : region.cells) groups_of_cell[static_cast<std::size_t>(cell)].push_back(i);
    for (const FacetOfCell& facet : region.facets) groups_of_facet[{facet.cell, facet.facet}].push_back(i);
    for (const Node node : region.nodes) groups_of_node[node].push_back(i);
  }
  Entities entities;
  for (const CellBlock& block : mesh.blocks())
    for (Index cell = 0; cell < block.cell_count(); ++cell)
      append_cell(entities.with(traits(block.kind).dimension,
                                groups_of_cell[static_cast<std::size_t>(block.first_cell + cell)]),
                  block.kind, block.cell(cell));
  for (const auto& [facet, groups] : groups_of_facet) {
    const CellKind kind = traits(mesh.kind_of(facet.first)).facets[static_cast<std::size_t>(facet.second)].kind;
    append_cell(entities.with(traits(kind).dimension, groups), kind, mesh.nodes_of({facet.first, facet.second}));
  }
  for (const auto& [node, groups] : groups_of_node)
    append_cell(entities.add(0, groups), CellKind::vertex1, std::span(&node, 1));
  return entities;
}

// Dimensions of its entities: structures have regions of lines and surfaces.
std::set<int> dimensions_of(const Mesh& mesh, const Region& region) {
  if (region.kind == RegionKind::nodes) return {0};
  if (!mesh.structural()) return {mesh.dimension() - (region.kind == RegionKind::facets ? 1 : 0)};
  std::set<int> dimensions;
  for (const Index cell : region.cells) dimensions.insert(traits(mesh.kind_of(cell)).dimension);
  for (const FacetOfCell& facet : region.facets) dimensions.insert(traits(mesh.kind_of(facet.cell)).dimension - 1);
  return dimensions;
}

int body_dimension(const Mesh& mesh) {
  int highest = 0;
  for (const CellBlock& block : mesh.blocks()) highest = std::max(highest, traits(block.kind).dimension);
  return highest;
}

void write_format(GmshOutput& output) {
  output.line("$MeshFormat");
  output.line(output.binary() ? "4.1 1 8" : "4.1 0 8");
  if (output.binary()) {
    output.integer(1);
    return output.end_section("MeshFormat");
  }
  output.line("$EndMeshFormat");
}

void write_names(GmshOutput& output, const Mesh& mesh) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < mesh.regions().size(); ++i)
    for (const int dimension : dimensions_of(mesh, mesh.regions()[i]))
      names.push_back(fmt::format("{} {} \"{}\"", dimension, i + 1, mesh.regions()[i].name));
  output.line("$PhysicalNames");
  output.line(std::to_string(names.size()));
  for (const std::string& name : names) output.line(name);
  output.line("$EndPhysicalNames");
}

void write_box(GmshOutput& output, const Mesh& mesh, const Entity& entity) {
  std::array<double, 3> least{}, greatest{};
  bool first = true;
  for (const auto& [kind, nodes] : entity.nodes)
    for (const Node node : nodes) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = mesh.point(node)[i];
        least[i] = first ? x : std::min(least[i], x);
        greatest[i] = first ? x : std::max(greatest[i], x);
      }
      first = false;
    }
  for (const double x : least) output.real(x);
  if (entity.dimension > 0)
    for (const double x : greatest) output.real(x);
}

void write_entities(GmshOutput& output, const Mesh& mesh, const Entities& entities) {
  output.line("$Entities");
  for (int dimension = 0; dimension < 4; ++dimension)
    output.size(std::count_if(entities.list().begin(), entities.list().end(),
                              [=](const Entity& entity) { return entity.dimension == dimension; }));
  output.end_line();
  for (int dimension = 0; dimension < 4; ++dimension)
    for (const Entity& entity : entities.list()) {
      if (entity.dimension != dimension) continue;
      output.integer(entity.tag);
      write_box(output, mesh, entity);
      output.size(static_cast<std::int64_t>(entity.groups.size()));
      for (const std::size_t group : entity.groups) output.integer(static_cast<std::int64_t>(group) + 1);
      if (dimension > 0) output.size(0);
      output.end_line();
    }
  output.end_section("Entities");
}

void write_nodes(GmshOutput& output, const Mesh& mesh) {
  output.line("$Nodes");
  for (const Index value : {Index{1}, mesh.node_count(), Index{1}, mesh.node_count()}) output.size(value);
  output.end_line();
  for (const int value : {body_dimension(mesh), 1, 0}) output.integer(value);
  output.size(mesh.node_count());
  output.end_line();
  for (Index node = 1; node <= mesh.node_count(); ++node) {
    output.size(node);
    output.end_line();
  }
  for (Index node = 0; node < mesh.node_count(); ++node) {
    for (const double x : mesh.point(node)) output.real(x);
    output.end_line();
  }
  output.end_section("Nodes");
}

void write_elements(GmshOutput& output, const Entities& entities) {
  Index block_count = 0, element_count = 0;
  for (const Entity& entity : entities.list())
    for (const auto& [kind, nodes] : entity.nodes) {
      ++block_count;
      element_count += static_cast<Index>(nodes.size()) / traits(kind).node_count;
    }
  output.line("$Elements");
  for (const Index value : {block_count, element_count, Index{1}, element_count}) output.size(value);
  output.end_line();
  Index tag = 0;
  for (const Entity& entity : entities.list())
    for (const auto& [kind, nodes] : entity.nodes) {
      const auto width = static_cast<std::size_t>(traits(kind).node_count);
      for (const int value : {entity.dimension, entity.tag, gmsh_type(kind)}) output.integer(value);
      output.size(static_cast<Index>(nodes.size() / width));
      output.end_line();
      for (std::size_t i = 0; i < nodes.size(); i += width) {
        output.size(++tag);
        for (std::size_t j = 0; j < width; ++j) output.size(Index{nodes[i + j]} + 1);
        output.end_line();
      }
    }
  output.end_section("Elements");
}

}  // namespace

void write_gmsh(const std::string& path, const Mesh& mesh, const GmshOptions& options) {
  const Entities entities = entities_of(mesh);
  GmshOutput output(options.binary);
  write_format(output);
  write_names(output, mesh);
  write_entities(output, mesh, entities);
  write_nodes(output, mesh);
  write_elements(output, entities);
  write_named_file(path, output.text());
}

}  // namespace ritz
