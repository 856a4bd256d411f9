#include "io/meshes/inp_writer.hpp"

#include "io/files/atomic_file.hpp"
#include "io/meshes/inp_deck.hpp"
#include "io/meshes/inp_types.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace {

class InpOutput {
 public:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Arguments>(arguments)...);
  }
  // Numbers with commas between, 16 to a line; a list of nodes continues after a comma, members of a set start again.
  template <class Numbers>
  void list(const Numbers& numbers, std::size_t first_on_line, bool record) {
    std::size_t on_line = first_on_line;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (on_line == 15) {
        text_ += record ? ",\n" : "\n";
        on_line = 0;
      } else if (on_line > 0) {
        text_ += ", ";
      }
      add("{}", numbers[i]);
      ++on_line;
    }
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The shortest text that gives the same number, or what fits 20 characters.
std::string coordinate(double x) {
  if (std::string text = fmt::format("{}", x + 0.0); text.size() <= 20) return text;
  for (int digits = 17; digits > 12; --digits)
    if (std::string text = fmt::format("{:.{}g}", x + 0.0, digits); text.size() <= 20) return text;
  return fmt::format("{:.12g}", x);
}

class Names {
 public:
  Names(const Mesh& mesh, std::vector<std::string>* notices) : mesh_(&mesh), notices_(notices) {}

  std::string fit(const std::string& name, RegionKind kind) {
    std::string fit = name;
    for (char& c : fit)
      if (static_cast<unsigned char>(c) <= ' ' || c == ',' || c == '=' || c == '"' || c == '\'' || c == '*' || c == '.')
        c = '_';
    if (fit.size() > 70) fit.resize(70);
    std::string unique = fit;
    for (int i = 2; !used_.insert({kind, inp_upper(unique)}).second; ++i) unique = fmt::format("{}_{}", fit, i);
    if (unique != name && notices_ != nullptr)
      notices_->push_back(fmt::format("region '{}' of {} is called '{}' in the deck", name, mesh_->source(), unique));
    return unique;
  }

 private:
  const Mesh* mesh_;
  std::vector<std::string>* notices_;
  std::set<std::pair<RegionKind, std::string>> used_;
};

std::string type_of(CellKind kind, const Mesh& mesh, const std::string& plane_type) {
  std::string type = inp_type_name(kind);
  if (type.empty())
    throw Error(
        ErrorKind::mesh_without_cells,
        fmt::format("{} holds {} cells, which decks do not have", mesh.source(), traits(kind).name),
        "Abaqus and CalculiX have solids with 4, 5, 6, 8, 10, 15 and 20 nodes, and plane cells with 3, 4, 6 and 8",
        "write it with --serendipity (hex20, prism15, quad8), or with --order 1");
  return traits(kind).dimension == 2 ? plane_type + type.substr(3) : type;
}

void write_cells(InpOutput& output, const Mesh& mesh, const std::string& plane_type) {
  for (const CellBlock& block : mesh.blocks()) {
    if (block.cell_count() == 0) continue;
    output.add("*ELEMENT, TYPE={}\n", type_of(block.kind, mesh, plane_type));
    const std::span<const int> order = inp_node_order(block.kind);
    std::vector<Node> labels(static_cast<std::size_t>(traits(block.kind).node_count));
    for (Index c = 0; c < block.cell_count(); ++c) {
      const auto cell = block.cell(c);
      for (std::size_t i = 0; i < labels.size(); ++i)
        labels[order.empty() ? i : static_cast<std::size_t>(order[i])] = cell[i] + 1;
      output.add("{}", block.first_cell + c + 1);
      output.list(labels, 1, true);
    }
  }
}

// The facets of a region, by their number in the deck: one internal set of elements for each.
void write_surface(InpOutput& output, const Mesh& mesh, const Region& region, const std::string& name) {
  std::vector<Index> cells[7];
  for (const FacetOfCell& facet : region.facets)
    cells[static_cast<std::size_t>(inp_facet_number(mesh.kind_of(facet.cell), facet.facet))].push_back(facet.cell + 1);
  for (std::size_t number = 1; number < 7; ++number) {
    if (cells[number].empty()) continue;
    output.add("*ELSET, ELSET=_{}_S{}, INTERNAL\n", name, number);
    output.list(cells[number], 0, false);
  }
  output.add("*SURFACE, NAME={}, TYPE=ELEMENT\n", name);
  for (std::size_t number = 1; number < 7; ++number)
    if (!cells[number].empty()) output.add("_{0}_S{1}, S{1}\n", name, number);
}

}  // namespace

void write_inp(const std::string& path, const Mesh& mesh, const std::string& plane_type,
               std::vector<std::string>* notices) {
  InpOutput output;
  output.add("*HEADING\nmesh written by Ritz\n*NODE\n");
  for (Index node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(static_cast<Node>(node));
    output.add("{}, {}, {}, {}\n", node + 1, coordinate(x[0]), coordinate(x[1]), coordinate(x[2]));
  }
  write_cells(output, mesh, plane_type);
  Names names(mesh, notices);
  for (const Region& region : mesh.regions()) {
    if (region.size() == 0 || (region.kind == RegionKind::cells && region.name == "all")) continue;
    const std::string name = names.fit(region.name, region.kind);
    if (region.kind == RegionKind::facets) {
      write_surface(output, mesh, region, name);
      continue;
    }
    const bool of_nodes = region.kind == RegionKind::nodes;
    output.add("*{0}, {0}={1}\n", of_nodes ? "NSET" : "ELSET", name);
    std::vector<Index> labels;
    for (const Index cell : region.cells) labels.push_back(cell + 1);
    for (const Node node : region.nodes) labels.push_back(Index{node} + 1);
    output.list(labels, 0, false);
  }
  write_named_file(path, output.text());
}

}  // namespace ritz
