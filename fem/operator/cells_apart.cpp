#include "fem/operator/cells_apart.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

SpaceOptions elements_of(const FunctionSpace& space, const FunctionSpace& beside) {
  SpaceOptions options{.beside = beside};
  if (space.isoparametric()) return options;
  options.order = space.order();
  std::vector<CellKind> seen;
  for (const CellBlock& block : space.mesh().blocks())
    if (std::ranges::find(seen, block.kind) == seen.end()) {
      seen.push_back(block.kind);
      options.elements.push_back(space.element(block.kind));
    }
  return options;
}

// A function whose points lie in cells of another mesh, which are cells of this one.
struct InCellsOf {
  PointFunction function;
  Mesh mesh;
  std::shared_ptr<const std::vector<Index>> cells;  // [cell of the other mesh]
  bool depends_on_time() const { return function.varies_in_time(); }
  void operator()(EvaluationPoints points, double t, std::span<double> values) const {
    std::vector<Index> own(points.cells.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = (*cells)[static_cast<std::size_t>(points.cells[i])];
    points.mesh = &mesh;
    points.cells = own;
    function(points, t, values);
  }
};

}  // namespace

std::vector<Index> all_cells_of(const Mesh& mesh) {
  std::vector<Index> cells(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(cells.begin(), cells.end(), Index{0});
  return cells;
}

Error other_equations() {
  return Error(ErrorKind::analysis, "the derivative by a number with which forms come and go",
               "with another value the model has other forms, or has them in other cells",
               "take the derivative by another number");
}

MeshData taken_apart(const Mesh& mesh, std::span<const Index> cells) {
  MeshData data;
  data.dimension = mesh.dimension();
  data.structural = mesh.structural();
  data.source = mesh.source();
  auto next = cells.begin();
  for (const CellBlock& block : mesh.blocks()) {
    const Index end = block.first_cell + block.cell_count();
    if (next == cells.end() || *next >= end) continue;
    CellBlock& own = data.blocks.emplace_back(CellBlock{.kind = block.kind, .nodes = {}});
    for (Index position = 0; next != cells.end() && *next < end; ++next, ++position) {
      for (const Node node : block.cell(*next - block.first_cell)) {
        own.nodes.push_back(static_cast<Node>(data.points.size() / 3));
        const auto x = mesh.point(node);
        data.points.insert(data.points.end(), x.begin(), x.end());
      }
      own.curved.append(block.curved, *next - block.first_cell, position);
    }
  }
  return data;
}

CellsApart::CellsApart(const FunctionSpace& space, std::vector<Index> cells, Mesh apart, Family family,
                       const FunctionSpace& beside)
    : space_(space),
      shared_cells_(std::make_shared<const std::vector<Index>>(std::move(cells))),
      cells_(*shared_cells_),
      apart_(apart, space.components(), space.device(), elements_of(space, beside)) {
  if (family == Family::facet || family == Family::edge)
    signs_.emplace(EntitySigns(space, family), EntitySigns(apart_, family));
  node_.resize(static_cast<std::size_t>(apart_.node_count()));
  cell_.resize(node_.size());
  std::vector<Node> of_space, of_cell;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    space.nodes_of(cells_[i], of_space);
    apart_.nodes_of(static_cast<Index>(i), of_cell);
    for (std::size_t a = 0; a < of_cell.size(); ++a) {
      node_[static_cast<std::size_t>(of_cell[a])] = of_space[a];
      cell_[static_cast<std::size_t>(of_cell[a])] = cells_[i];
    }
  }
}

Index CellsApart::place_of(Index cell) const {
  const auto found = std::ranges::lower_bound(cells_, cell);
  return found != cells_.end() && *found == cell ? found - cells_.begin() : -1;
}

namespace {

std::vector<PointFunction>& given_in(Integral& integral) { return integral.form.given; }
std::vector<PointFunction>& given_in(MixedIntegral& integral) { return integral.form.numbers.given; }

}  // namespace

template <class AnyIntegral>
void CellsApart::add(const AnyIntegral& whole, std::vector<AnyIntegral>& result) const {
  AnyIntegral own = whole;
  own.cells.clear();
  own.facets.clear();
  for (const Index cell : whole.cells)
    if (const Index place = place_of(cell); place >= 0) own.cells.push_back(place);
  for (const FacetOfCell& facet : whole.facets)
    if (const Index place = place_of(facet.cell); place >= 0) own.facets.push_back({place, facet.facet});
  if (!own.everywhere && own.cells.empty() && own.facets.empty()) return;
  for (PointFunction& each : given_in(own))
    if (each.varies_in_space()) each = InCellsOf{each, space_.mesh(), shared_cells_};
  result.push_back(std::move(own));
}

std::vector<Integral> CellsApart::of(std::span<const Integral> integrals) const {
  std::vector<Integral> result;
  for (const Integral& whole : integrals)
    if (whole.nodes.empty()) add(whole, result);
  return result;
}

std::vector<MixedIntegral> CellsApart::of(std::span<const MixedIntegral> integrals) const {
  std::vector<MixedIntegral> result;
  for (const MixedIntegral& whole : integrals) add(whole, result);
  return result;
}

Vector CellsApart::spread(const std::vector<double>& u) const {
  const auto components = static_cast<std::size_t>(space_.components());
  std::vector<double> values(node_.size() * components);
  for (std::size_t n = 0; n < node_.size(); ++n)
    std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node_[n]) * components), components,
                values.begin() + static_cast<std::ptrdiff_t>(n * components));
  if (signs_) {
    std::vector<Node> nodes;
    std::vector<double> seen;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      apart_.nodes_of(static_cast<Index>(i), nodes);
      seen.clear();
      for (const Node node : nodes) seen.push_back(values[static_cast<std::size_t>(node)]);
      signs_->whole.to_cell(cells_[i], seen);
      signs_->apart.from_cell(static_cast<Index>(i), seen);
      for (std::size_t a = 0; a < nodes.size(); ++a) values[static_cast<std::size_t>(nodes[a])] = seen[a];
    }
  }
  return Vector(space_.device(), std::span<const double>(values), "vectors");
}

}  // namespace ritz
