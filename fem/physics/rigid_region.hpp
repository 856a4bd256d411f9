// Rigid regions: all nodes of a region move as one rigid body. No unknowns are added: a few displacements of nodes far
// apart, six in space and three in the plane, determine the motion, and all others of the region follow. Of shells and
// beams the displacements and rotations of one node suffice.
//
//   const RigidRegion plate(space, mesh.region("plate"), {.reference = Point{0, 0, 1}});
//   model.relations.push_back(plate.equations());
//   const RigidMotion moved = plate.motion(u);      // of the reference point
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct RigidOptions {
  std::optional<Point> reference = {};                                    // none: the mean of the region's nodes
  std::array<std::optional<double>, 3> displacement = {}, rotation = {};  // prescribed, of the reference point
  std::vector<std::uint8_t> acting = {};  // [unknown] 0: no element acts there, and no equation either; empty: all act
  // A body of revolution: it moves along its axis y, since a radial motion or a tilt strains a ring.
  bool of_revolution = false;
  std::string origin = {};
};

struct RigidMotion {
  std::array<double, 3> displacement{}, rotation{};  // [length], [radian]; small rotations
};

struct NodalForce {
  Node mesh_node;
  std::array<double, 3> force{}, moment{};
};

class RigidRegion {
 public:
  // Displacements of two or three dimensions, or with rotations (six components). Throws Error: Exit::input for a field
  // of other components, Error: Exit::model for a region without nodes, and for a motion that a region of one node, or
  // along a line, does not have.
  RigidRegion(const FunctionSpace& space, const Region& region, const RigidOptions& options = {});

  const LinearEquations& equations() const { return equations_; }
  const Point& reference() const { return reference_; }
  int parameter_count() const { return static_cast<int>(chosen_.size()); }  // the unknowns that determine the motion
  // u [unknown]
  RigidMotion motion(std::span<const double> u) const;
  // Unknowns whose sum is a motion of the reference point: 0..2 along x, y, z, 3..5 about them; none that it has not.
  std::vector<UnknownTerm> terms(std::size_t motion) const;
  // A force and a moment at the reference point as forces at nodes: their work is the same in every rigid motion.
  std::vector<NodalForce> forces(const std::array<double, 3>& force, const std::array<double, 3>& moment) const;

 private:
  static constexpr std::size_t most = 6;
  using Modes = std::array<double, most>;  // three translations, three rotations about base_, times scale_
  struct Parameter {
    Node node, mesh_node;
    int component;
  };
  Modes modes_of(const Point& x, int component) const;  // of an unknown: its value in each mode
  Modes rotation_modes(int axis) const;
  bool acts(Node node, int component) const;
  void choose(std::span<const Node> mesh_nodes, const Region& region);
  void choose_at(Node mesh_node);
  // [parameter] of a value in terms of the parameters, and the part of it that they do not determine
  std::vector<double> factors(const Modes& modes, double* undetermined = nullptr) const;
  void prescribe(const RigidOptions& options);

  FunctionSpace space_;
  std::vector<std::uint8_t> acting_;
  bool of_revolution_;
  Point base_{}, reference_{};
  double scale_ = 1;
  std::vector<Parameter> chosen_;
  std::vector<Modes> basis_;  // orthonormal; row i of the modes of parameter i is sum_j<=i of triangle_
  std::vector<std::vector<double>> triangle_;  // [parameter][basis]
  LinearEquations equations_;
};

}  // namespace ritz
