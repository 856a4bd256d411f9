#include "fem/physics/body.hpp"

#include <algorithm>

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
    throw Error(Exit::input, "a body of solids and frames on a mesh without volumes among lines and surfaces in space",
                {}, "read the mesh as a structural one, or take Frames or ElasticBody alone");
  if (cells.empty())
    throw Error(Exit::input, "a body of solids and frames without cells that have a section", {},
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

std::shared_ptr<const FunctionSpace> Body::solid_space(const Device& device, SpaceOptions options) const {
  options.field_name = "displacement";
  return make_space(solid_part.mesh, 3, device, options);
}

std::shared_ptr<const FunctionSpace> Body::frame_space(const Device& device) const {
  return make_space(frame_part.mesh, frames.components(), device, {.field_name = "frames"});
}

Model Body::model(std::shared_ptr<const FunctionSpace> of_solids, std::shared_ptr<const FunctionSpace> of_frames,
                  ErrorList& errors) const {
  Frames::Joints joints = frames.joints(*of_solids, *of_frames, errors);
  Model result = joined(solids.model(std::move(of_solids), errors), frames.model(std::move(of_frames), errors));
  for (LinearEquations& each : joints.equations) result.relations.push_back(std::move(each));
  for (std::string& line : joints.lines) result.notices.push_back(std::move(line));
  return result;
}

Model Body::model(const Device& device, const SpaceOptions& of_solids) const {
  ErrorList errors;
  Model result = model(solid_space(device, of_solids), frame_space(device), errors);
  errors.throw_if_any();
  return result;
}

}  // namespace ritz
