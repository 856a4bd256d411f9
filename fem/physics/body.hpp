// A body of solids, and of beams, bars and shells, in one model: two fields, the displacements of the solids and those
// of the frames with their rotations, each on its part of the mesh. Where sections touch solids they follow them
// (Frames::joints). SI units stand for any consistent ones.
//
//   Body body(mesh, {"columns", "slab"});                              // regions of lines and surfaces with a section
//   body.solids.material("foot", {.young = 30e9, .poisson = 0.2});
//   body.frames.section("columns", {.element = beam});
//   body.solids.loads.fix("ground");
//   body.frames.loads.force("corner", {1e4, 0, 0});
//   const Model model = body.model(Device::automatic());               // model.joints: what was joined
#pragma once

#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "fem/physics/surface_joint.hpp"
#include "mesh/part_of_mesh.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

class Body {
 public:
  enum Field { displacement_of_solids, displacement_and_rotation_of_frames };

  // The mesh is structural (MeshData::structural). Throws Error: Exit::input where it has no volumes or no such cells.
  Body(const Mesh& mesh, const std::vector<Index>& cells_with_sections);
  Body(const Mesh& mesh, const std::vector<std::string>& regions_with_sections);
  Body(const Body&) = delete;  // the solids and frames know their meshes

  // Nodes have the numbers of the whole mesh, and regions its names; loads and supports are of one of the two.
  const MeshPart solid_part, frame_part;
  ElasticBody solids;
  Frames frames;

  // A joint by hand, where geometry is not plain: nodes of sections follow the mean motion of facets of solids, which
  // stay free to deform, wherever these are; or the facets are rigid, and follow one node. No other joint of these
  // nodes is made.
  void join(On nodes, On facets, bool is_rigid = false, std::string origin = {});

  // Throws Error or Errors: what is wrong with the inputs, all of it at once. The order is that of the solids.
  Model model(const Device& device, const SpaceOptions& of_solids = {}) const;
  Model model(FunctionSpace of_solids, FunctionSpace of_frames, ErrorList& errors) const;
  FunctionSpace solid_space(const Device& device, SpaceOptions options = {}) const;
  FunctionSpace frame_space(const Device& device) const;

 private:
  std::vector<SurfaceJoint> by_hand_;
};

// A line for a log of each kind of joint between two regions: "joined: 4 nodes of 'columns' with 'foot' ...".
std::vector<std::string> lines_of(std::span<const Joint> joints);

// A model of solids, and of beams, bars and shells, on parts of one mesh: that of a Body.
inline bool is_body(const Model& model) { return model.structural && model.has_fields(); }

// [node of the whole mesh][3]
struct BodyMotion {
  std::vector<double> displacement;  // that of the solids where a node is of both
  std::vector<double> rotation;      // of beams and shells, zero elsewhere; empty: none has any
};
// u: unknowns of both fields, or their rates.
BodyMotion motion_of(const Spaces& solids_and_frames, const Vector& u);

}  // namespace ritz
