#include "fem/analysis/force_norms.hpp"

#include "device/ranks/packed.hpp"
#include "fem/operator/fields_operator.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ritz {
namespace {

struct PlaceInSpace {
  FunctionSpace space;
  Node node;
};

PlaceInSpace place_in_space(const Equations& equations, Index unknown) {
  const auto at = [&](const FunctionSpace& space, Index first) {
    const auto node = static_cast<Node>((unknown - first) / space.components());
    const FunctionSpace whole = space.part_of();
    if (!whole) return PlaceInSpace{space, node};
    return PlaceInSpace{whole, static_cast<Node>(space.ghosts()->global(node))};
  };
  const auto* const several = dynamic_cast<const FieldsOperator*>(&equations);
  if (several == nullptr) return at(dynamic_cast<const Operator&>(equations).space(), 0);
  int field = 0;
  while (field + 1 < several->field_count() && unknown >= several->layout().first(field + 1)) ++field;
  return at(several->space(field), several->layout().first(field));
}

// Regions of cells around the node: "'rubber' and 'steel'"; none where nodes are not those of the mesh.
std::string parts_around(const PlaceInSpace& at) {
  std::vector<std::string> names;
  if (!at.space.isoparametric()) return {};
  const Mesh& mesh = at.space.mesh();
  const Node node = at.space.mesh_node_of(at.node);
  for (const Region& region : mesh.regions())
    if (region.kind == RegionKind::cells && std::ranges::any_of(region.cells, [&](Index cell) {
          return std::ranges::find(mesh.nodes_of(cell), node) != mesh.nodes_of(cell).end();
        }))
      names.push_back(region.name);
  return names.empty() ? "" : quoted_list(names);
}

// Over ranks that of the first one with such an unknown; -1: this one has none.
std::string place(const Equations& equations, Index unknown) {
  std::string text;
  if (unknown >= 0) {
    const std::string parts = parts_around(place_in_space(equations, unknown));
    text = equations.name_of(unknown) + (parts.empty() ? "" : " of " + parts);
  }
  if (!equations.layout().is_divided()) return text;
  std::string first;
  each_text(equations.layout().ranks(), text, Receivers::all, [&](int, std::string_view of_rank) {
    if (first.empty()) first = of_rank;
  });
  return first;
}

}  // namespace

void ForceNorms::begin() {
  const int fields = equations_->layout().count();
  if (fields > 1) scales_.assign(static_cast<std::size_t>(fields), 0.0);
}

double ForceNorms::of(const Vector& r) const {
  if (scales_.empty()) return norm2(r);
  double worst = 0;
  for (int k = 0; k < equations_->layout().count(); ++k) {
    const double size = norm2(equations_->layout().part(r, k)), scale = scales_[static_cast<std::size_t>(k)];
    if (!std::isfinite(size)) return size;
    if (size > 0) worst = std::max(worst, scale > 0 ? size / scale : 1.0);
  }
  return worst;
}

void ForceNorms::widen(const Vector& r, double share) {
  for (std::size_t k = 0; k < scales_.size(); ++k)
    scales_[k] = std::max(scales_[k], share * norm2(equations_->layout().part(r, static_cast<int>(k))));
}

void ForceNorms::widen_by_flows(const Vector& u, const Vector& x) {
  constexpr double share = 0.01;
  if (scales_.empty()) return;
  std::vector<double> thrown = x.host();
  for (std::size_t i = 0; i < thrown.size(); ++i)
    if ((i * 0x9E3779B97F4A7C15u) >> 63 != 0) thrown[i] = -thrown[i];
  Vector flows = equations_->zeros();
  equations_->action(u, Vector(u.device(), std::span<const double>(thrown), "vectors"), flows);
  widen(flows, share);
}

std::string not_finite_in(const Equations& equations, const Vector& r) { return place(equations, first_not_finite(r)); }

std::string place_of_largest(const Equations& equations, const Vector& r) {
  const double largest = max_abs(r);
  const std::vector<double> values = r.host();
  const auto found = std::ranges::find_if(values, [largest](double each) { return std::abs(each) >= largest; });
  return place(equations, found == values.end() ? -1 : found - values.begin());
}

}  // namespace ritz
