#include "fem/operator/quadrature_points.hpp"

#include "device/kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

// Shape functions of the geometry at the points: [point][node].
std::vector<double> geometry_values(const ReferenceElement& geometry, const QuadratureRule& rule) {
  const std::size_t nodes = geometry.nodes.size();
  std::vector<double> values(rule.points.size() * nodes);
  std::vector<Point> gradients(nodes);
  for (std::size_t q = 0; q < rule.points.size(); ++q)
    geometry.evaluate(rule.points[q], std::span(values).subspan(q * nodes, nodes), gradients);
  return values;
}

}  // namespace

PlacesInCells::PlacesInCells(const Mesh& mesh, const ElementGroup& group, const QuadratureRule& rule)
    : mesh_(mesh), group_(group) {
  if (!group.elements.empty()) tables_.push_back({mesh.kind_of(group.elements.front()), rule.points});
  for (const FacetOfCell& each : group.facets) {
    const CellKind kind = mesh.kind_of(each.cell);
    const auto [found, is_new] = on_facets_.try_emplace({kind, each.facet}, static_cast<int>(tables_.size()));
    if (!is_new) continue;
    const FacetMap onto_cell(kind, each.facet);
    tables_.push_back({kind, {}});
    for (const Point& xi : rule.points) tables_.back().points.push_back(onto_cell.place(xi));
  }
}

int PlacesInCells::table(std::size_t element) const {
  if (!group_.elements.empty()) return 0;
  const FacetOfCell& facet = group_.facets[element];
  return on_facets_.at({mesh_.kind_of(facet.cell), facet.facet});
}

QuadraturePoints::QuadraturePoints(const FunctionSpace& space, const ElementGroup& group, const QuadratureRule& rule)
    : device_(space.device()),
      kernels_(ritz::kernels<CoefficientKernels>(device_, "ritz_fem_kernels", "coefficients")),
      mesh_(space.mesh()),
      group_(group),
      in_cells_(mesh_, group, rule),
      shapes_(geometry_values(*group.geometry, rule)),
      shapes_on_device_(device_, shapes_),
      count_(static_cast<Index>(rule.points.size())) {
  places_ = {shapes_on_device_.data(),
             group.geometry_nodes().data(),
             coordinates_of(space, group).data(),
             static_cast<int>(group.geometry->nodes.size()),
             static_cast<int>(count_),
             mesh_.dimension(),
             0,
             0};
}

Index QuadraturePoints::entries_of_piece(const ElementGroup& group, Index points) {
  return std::min(batches_of_piece, group.batch_count()) * points * lane_count;
}

QuadraturePoints::OnHost::OnHost(const QuadraturePoints& points, const PointPlaces& places, const Vector& x)
    : of_(points) {
  const auto count = static_cast<std::size_t>(places.count), lanes = static_cast<std::size_t>(lane_count),
             in_each = static_cast<std::size_t>(points.count());
  x_.resize(3 * count);
  copy_to_host(points.device(), x_.data(), x.data(), 3 * places.count * Index{sizeof(double)});
  if (PlacesInCells::known(points.group())) cells_.resize(count), xi_.resize(count);
  const PlacesInCells& in = points.in_cells();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::size_t batch = static_cast<std::size_t>(places.first_batch) + i / lanes / in_each,
                      e = std::min(batch * lanes + i % lanes,
                                   static_cast<std::size_t>(points.group().element_count) - 1);
    cells_[i] = in.cell(e);
    xi_[i] = in.tables()[static_cast<std::size_t>(in.table(e))].points[i / lanes % in_each];
  }
}

EvaluationPoints QuadraturePoints::OnHost::points() const {
  return cells_.empty() ? EvaluationPoints(x_) : EvaluationPoints(x_, of_.mesh(), cells_, xi_);
}

}  // namespace ritz
