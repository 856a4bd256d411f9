#include "fem/physics/body.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace ritz {
namespace {

std::vector<Index> cells_of_regions(const Mesh& mesh, const std::vector<std::string>& regions) {
  std::vector<Index> cells;
  for (const std::string& name : regions) {
    const Region& region = mesh.region(name);
    cells.insert(cells.end(), region.cells.begin(), region.cells.end());
  }
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  return cells;
}

const Mesh& of_both(const Mesh& mesh, const std::vector<Index>& cells) {
  const auto is_volume = [&](const CellBlock& block) { return traits(block.kind).dimension == 3; };
  if (!mesh.structural() || std::ranges::none_of(mesh.blocks(), is_volume))
    throw Error(ErrorKind::solids_and_sections,
                "a body of solids and frames on a mesh without volumes among lines and surfaces in space", {},
                "read the mesh as a structural one, or take Frames or ElasticBody alone");
  if (cells.empty())
    throw Error(ErrorKind::solids_and_sections, "a body of solids and frames without cells that have a section", {},
                "name regions of lines or surfaces, or take ElasticBody alone");
  return mesh;
}

}  // namespace

Body::Body(const Mesh& mesh, const std::vector<Index>& cells_with_sections)
    : solid_part(solids_of(of_both(mesh, cells_with_sections))),
      frame_part(structure_of(mesh, cells_with_sections)),
      solids(solid_part.mesh),
      frames(frame_part.mesh) {}

Body::Body(const Mesh& mesh, const std::vector<std::string>& regions_with_sections)
    : Body(mesh, cells_of_regions(mesh, regions_with_sections)) {}

FunctionSpace Body::solid_space(const Device& device, SpaceOptions options) const {
  options.field_name = "displacement";
  return FunctionSpace(solid_part.mesh, 3, device, options);
}

FunctionSpace Body::frame_space(const Device& device) const {
  return FunctionSpace(frame_part.mesh, frames.components(), device, {.field_name = "frames"});
}

Model Body::model(FunctionSpace of_solids, FunctionSpace of_frames, ErrorList& errors) const {
  std::vector<FoundSurfaceJoint> by_hand;
  std::vector<Node> nodes;
  if (!by_hand_.empty()) {
    const std::vector<std::uint8_t> turning = frames.turning_nodes();
    const auto turns = [&](Node node) { return turning[static_cast<std::size_t>(node)] != 0; };
    for (const SurfaceJoint& each : by_hand_) {
      by_hand.push_back(found(each, of_solids, of_frames, turns, errors));
      nodes.insert(nodes.end(), by_hand.back().nodes.begin(), by_hand.back().nodes.end());
    }
    std::ranges::sort(nodes);
  }
  Frames::Joints joints = frames.joints(of_solids, of_frames, nodes, errors);
  Model result = joined(solids.model(std::move(of_solids), errors), frames.model(std::move(of_frames), errors));
  for (FoundSurfaceJoint& each : by_hand) {
    joints.equations.push_back(std::move(each.equations));
    std::ranges::move(each.list, std::back_inserter(joints.list));
  }
  for (LinearEquations& each : joints.equations)
    if (each.size() > 0) result.relations.push_back(std::move(each));
  result.joints = std::move(joints.list);
  return result;
}

void Body::join(On nodes, On facets, bool is_rigid, std::string origin) {
  if (nodes.is_missing() || facets.is_missing()) return;
  by_hand_.push_back({std::move(nodes), std::move(facets), is_rigid, std::move(origin)});
}

Model Body::model(const Device& device, const SpaceOptions& of_solids) const {
  ErrorList errors;
  Model result = model(solid_space(device, of_solids), frame_space(device), errors);
  errors.throw_if_any();
  return result;
}

std::vector<std::string> lines_of(std::span<const Joint> joints) {
  std::map<std::string, Index> counts;
  for (const Joint& each : joints) {
    const std::string both = each.onto.empty() ? fmt::format("'{}' with a solid", each.region)
                                               : fmt::format("'{}' with '{}'", each.region, each.onto);
    switch (each.kind) {
      case Joint::Kind::point: ++counts[fmt::format("joined: {{}} nodes of {}, as its points move", both)]; break;
      case Joint::Kind::section:
        ++counts[fmt::format("joined: {{}} nodes of {} by its mean motion over their sections of {:.4g} x {:.4g}", both,
                             each.width, each.height)];
        break;
      case Joint::Kind::edge:
        ++counts[fmt::format("joined: {{}} nodes of the edge of {} by its mean motion over the thickness of {:.4g}",
                             both, each.height)];
        break;
      case Joint::Kind::surface: ++counts[fmt::format("joined: {{}} nodes of {} by its mean motion", both)]; break;
      case Joint::Kind::rigid_surface: ++counts[fmt::format("joined: {{}} nodes of {}, which is rigid", both)]; break;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [line, count] : counts) lines.push_back(fmt::format(fmt::runtime(line), count));
  return lines;
}

BodyMotion motion_of(const Spaces& solids_and_frames, const Vector& u) {
  const FunctionSpace &solids = solids_and_frames.at(0), &frames = solids_and_frames.at(1);
  const Layout layout = layout_of(solids_and_frames);
  const auto components = static_cast<std::size_t>(frames.components());
  const std::vector<double> of_frames = frames.to_mesh(layout.part(u, 1));
  BodyMotion motion{.displacement = solids.to_mesh(layout.part(u, 0))};
  std::vector<std::uint8_t> of_solids(motion.displacement.size() / 3, 0);
  for (const CellBlock& block : solids.mesh().blocks())
    for (const Node node : block.nodes) of_solids[static_cast<std::size_t>(node)] = 1;
  for (std::size_t node = 0; node < of_solids.size(); ++node) {
    const double* const own = &of_frames[node * components];
    if (of_solids[node] == 0) std::copy_n(own, 3, &motion.displacement[3 * node]);
    if (components == 6) motion.rotation.insert(motion.rotation.end(), own + 3, own + 6);
  }
  return motion;
}

}  // namespace ritz
