#include "apps/cases/peak_place.hpp"

#include "mesh/cell_geometry.hpp"
#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <vector>

namespace ritz {
namespace {

constexpr double sharp = 50 * std::numbers::pi / 180;  // [radian] between facets; coarse holes are less sharp

// A facet of the boundary near the peak, by its corners.
struct NearFacet {
  std::vector<Node> corners;
  Point centre{}, normal{};  // outward, of length 1
};

Point point_of(const Mesh& mesh, Node node) {
  const auto x = mesh.point(node);
  return {x[0], x[1], x[2]};
}

NearFacet near_facet(const Mesh& mesh, const FacetOfCell& facet) {
  const CellKind kind = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
  NearFacet result{mesh.nodes_of(facet), {}, {}};
  result.corners.resize(static_cast<std::size_t>(traits(kind).corner_count));
  const auto at = [&](std::size_t i) { return point_of(mesh, result.corners[i]); };
  for (std::size_t i = 0; i < result.corners.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) result.centre[d] += at(i)[d] / static_cast<double>(result.corners.size());
  const Point along = minus(at(1), at(0));
  result.normal = mesh.dimension() == 2        ? Point{along[1], -along[0], 0}
                  : result.corners.size() == 3 ? cross(along, minus(at(2), at(0)))
                                               : cross(minus(at(2), at(0)), minus(at(3), at(1)));
  const double size = length(result.normal);
  for (double& each : result.normal) each /= size;
  return result;
}

class PeakSurroundings {
 public:
  PeakSurroundings(const Mesh& mesh, const Model& model, Node peak) : mesh_(mesh), model_(model) {
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      if (const auto nodes = mesh.nodes_of(cell); std::ranges::find(nodes, peak) != nodes.end())
        near_.insert(nodes.begin(), nodes.end());
    for (const FacetOfCell& facet : boundary_facets(mesh))
      if (std::ranges::any_of(mesh.nodes_of(facet.cell), [&](Node node) { return near_.contains(node); }))
        if (NearFacet found = near_facet(mesh, facet);
            std::ranges::any_of(found.corners, [&](Node node) { return near_.contains(node); }))
          facets_.push_back(std::move(found));
  }

  std::string name() const {
    if (ends_a_support()) return "the end of a support";
    if (has_few_nodes(false)) return "a load on a point or a line";
    if (has_few_nodes(true)) return "a spring at nodes";
    return has_inner_edge() ? "a sharp inner edge" : "";
  }

 private:
  // Do the nodes hold one of those around the peak, and not a whole facet there?
  bool covers_a_part(const std::vector<Node>& nodes) const {
    const auto has = [&](Node node) { return std::ranges::binary_search(nodes, node); };
    return std::ranges::any_of(near_, [&](Node node) {
      return has(node) && std::ranges::any_of(facets_, [&](const NearFacet& facet) {
               return std::ranges::find(facet.corners, node) != facet.corners.end() &&
                      !std::ranges::all_of(facet.corners, has);
             });
    });
  }
  bool covers_no_facet(const std::vector<Node>& nodes) const {
    const auto has = [&](Node node) { return std::ranges::binary_search(nodes, node); };
    return std::ranges::any_of(near_, has) && std::ranges::none_of(facets_, [&](const NearFacet& facet) {
             return std::ranges::all_of(facet.corners, has);
           });
  }

  // Looks at regions whose components are all prescribed; a plane of symmetry is none.
  bool ends_a_support() const {
    std::map<const Region*, std::set<int>> components;
    for (const PrescribedValue& each : model_.supports) components[each.region].insert(each.component);
    return std::ranges::any_of(components, [&](const auto& each) {
      return static_cast<int>(each.second.size()) >= mesh_.dimension() && covers_a_part(nodes_in(mesh_, *each.first));
    });
  }

  bool has_few_nodes(bool springs) const {
    const auto is_one = [&](const Integral& each) {
      if (each.nodes.empty() || each.form.has_matrix != springs) return false;
      std::vector<Node> nodes = each.nodes;
      std::ranges::sort(nodes);
      return covers_no_facet(nodes);
    };
    return std::ranges::any_of(model_.equations, is_one) ||
           std::ranges::any_of(model_.load_cases,
                               [&](const ModelLoadCase& each) { return std::ranges::any_of(each.loads, is_one); });
  }

  bool has_inner_edge() const {
    for (const NearFacet& a : facets_)
      for (const NearFacet& b : facets_) {
        if (&b == &a) break;
        const auto shared = std::ranges::count_if(a.corners, [&](Node node) {
          return near_.contains(node) && std::ranges::find(b.corners, node) != b.corners.end();
        });
        const bool is_concave = dot(a.normal, minus(b.centre, a.centre)) > 0;
        if (shared >= mesh_.dimension() - 1 && is_concave && dot(a.normal, b.normal) < std::cos(sharp)) return true;
      }
    return false;
  }

  const Mesh& mesh_;
  const Model& model_;
  std::set<Node> near_;  // nodes of the cells around the peak
  std::vector<NearFacet> facets_;
};

}  // namespace

std::string singular_place(const Mesh& mesh, const Model& model, Node node) {
  return mesh.dimension() < 2 || mesh.structural() ? "" : PeakSurroundings(mesh, model, node).name();
}

}  // namespace ritz
