// Mean motion of a surface that stays free to deform, weighted by area: what a force and a moment do work on that act
// at a reference point as the equivalent traction of remote_force.hpp. With the centre c and the second moments I of
// the surface, the rotation is w of I w = int (x - c) x u dA, and the displacement at p is mean(u) + w x (p - c). In
// the plane there are two displacements and the rotation about z; a surface of revolution moves along the axis alone.
// In large displacements x is the position at rest: a turn by the angle a about an axis of I counts as sin a.
//
//   const MeanMotion flange(space, mesh.region("flange"), {.at = Point{0, 0, 1}});
//   const RigidMotion moved = flange.of(u);
#pragma once

#include "fem/physics/remote_force.hpp"
#include "fem/physics/rigid_region.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace ritz {

class MeanMotion {
 public:
  // Takes displacements in two or three dimensions, and facets; `reference`: none is the centre of the surface.
  // Throws Error: Exit::input for other fields.
  MeanMotion(const FunctionSpace& space, const Region& facets, const std::optional<Point>& reference,
             const std::string& origin = {}, bool of_revolution = false);

  // u [unknown]
  RigidMotion of(std::span<const double> u) const;
  double work(std::size_t motion, std::span<const double> u) const;  // of a unit force or moment: 0..2 x y z, 3..5
  std::vector<UnknownTerm> terms(std::size_t motion) const;          // whose sum it is; none that the surface has not

 private:
  int components_;
  std::vector<std::int32_t> unknowns_;
  std::array<std::vector<double>, 6> weights_;  // [motion][of unknowns_]; empty: the surface has no such motion
};

// Has a surface such a mean motion: 0..2 along x, y, z, 3..5 about them?
bool has_mean_motion(std::size_t motion, int dimension, bool of_revolution);

// A force and a moment on facets as the traction that is equivalent.
Integral traction_on(const FunctionSpace& space, const Region& facets, const RemoteForce& load, bool of_revolution);

}  // namespace ritz
