#include "fem/physics/surface_joint.hpp"

#include "fem/physics/frame_parts.hpp"
#include "fem/physics/mean_motion.hpp"
#include "mesh/point_algebra.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

// Component c of w x r as terms of w, whose components are unknowns of a node of frames.
void add_turned(Node node, const Point& r, std::size_t c, double factor, std::vector<UnknownTerm>& row) {
  const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
  if (r[j] != 0) row.push_back({node, 3 + static_cast<int>(i), factor * r[j], frames_field});
  if (r[i] != 0) row.push_back({node, 3 + static_cast<int>(j), -factor * r[i], frames_field});
}

// Each facet goes with the node.
void follow_node(Node node, const FunctionSpace& solids, const Region& facets, const FunctionSpace& frames,
                 LinearEquations& equations) {
  const Point at = frames.point(node);
  for (const Node follower : solids.nodes_in(facets))
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<UnknownTerm> row = {{follower, static_cast<int>(c), 1.0, solids_field},
                                      {node, static_cast<int>(c), -1.0, frames_field}};
      add_turned(node, minus(solids.point(follower), at), c, -1.0, row);
      equations.add(row);
    }
}

// Terms of the displacement and the rotation of a body that moves as the facets do in the mean.
class MeanOfFacets {
 public:
  MeanOfFacets(const FunctionSpace& solids, const Region& facets, const Point& at, const std::string& origin)
      : at_(at) {
    const MeanMotion mean(solids, facets, at, origin);
    for (std::size_t motion = 0; motion < terms_.size(); ++motion) {
      terms_[motion] = mean.terms(motion);
      std::erase_if(terms_[motion], [](const UnknownTerm& term) { return term.factor == 0; });
      for (UnknownTerm& term : terms_[motion]) term.field = solids_field;
    }
  }

  // Adds rows by which the unknowns of a node at x follow.
  void lead(Node node, const Point& x, bool turns, LinearEquations& equations) const {
    const Point r = minus(x, at_);
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<UnknownTerm> row = {{node, static_cast<int>(c), 1.0, frames_field}};
      add(c, -1.0, row);
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      if (turns) {
        add_turned(node, r, c, -1.0, row);
      } else {
        add(3 + i, -r[j], row);
        add(3 + j, r[i], row);
      }
      equations.add(row);
      if (!turns) continue;
      row = {{node, 3 + static_cast<int>(c), 1.0, frames_field}};
      add(3 + c, -1.0, row);
      equations.add(row);
    }
  }

 private:
  void add(std::size_t motion, double factor, std::vector<UnknownTerm>& row) const {
    if (factor == 0) return;
    for (UnknownTerm term : terms_[motion]) {
      term.factor *= factor;
      row.push_back(term);
    }
  }

  Point at_;
  std::array<std::vector<UnknownTerm>, 6> terms_;
};

std::string region_of(Node node, const Mesh& mesh) {
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    if (std::ranges::find(mesh.nodes_of(cell), node) != mesh.nodes_of(cell).end()) return region_with(mesh, cell);
  return {};
}

}  // namespace

FoundSurfaceJoint found(const SurfaceJoint& joint, const FunctionSpace& solids, const FunctionSpace& frames,
                        FunctionRef<bool(Node)> turns, ErrorList& errors) {
  FoundSurfaceJoint result{
      .equations = {.origin = "a joint" + at_origin(joint.origin), .field = frames_field, .first_is_dependent = true}};
  const Region* nodes = find_region(joint.nodes, frames.mesh(),
                                    {RegionKind::nodes, RegionKind::facets, RegionKind::cells}, joint.origin, errors);
  const Region* facets = find_region(joint.facets, solids.mesh(), {RegionKind::facets}, joint.origin, errors);
  if (nodes == nullptr || facets == nullptr) return result;
  for (const Node node : ritz::nodes_in(frames.mesh(), *nodes))
    if (frames.node_of(node) >= 0) result.nodes.push_back(node);
  if (result.nodes.empty() || (joint.is_rigid && (result.nodes.size() != 1 || !turns(result.nodes.front())))) {
    errors.add(
        Error(ErrorKind::section_not_joined,
              fmt::format("the region '{}' of a joint has {} nodes of sections", nodes->name, result.nodes.size()),
              joint.is_rigid ? "a rigid face follows one node that knows rotations" : "nothing follows the facets",
              "name the node at the end of a beam")
            .at(joint.origin));
    return result;
  }
  const auto point_of = [&](Node node) { return frames.point(frames.node_of(node)); };
  if (joint.is_rigid) {
    follow_node(frames.node_of(result.nodes.front()), solids, *facets, frames, result.equations);
  } else {
    const MeanOfFacets mean(solids, *facets, point_of(result.nodes.front()), joint.origin);
    for (const Node node : result.nodes) mean.lead(frames.node_of(node), point_of(node), turns(node), result.equations);
  }
  for (const Node node : result.nodes)
    result.list.push_back({.kind = joint.is_rigid ? Joint::Kind::rigid_surface : Joint::Kind::surface,
                           .region = region_of(node, frames.mesh()),
                           .onto = facets->name,
                           .at = point_of(node)});
  return result;
}

}  // namespace ritz
