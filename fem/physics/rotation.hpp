// A body or a rotor that turns at a constant speed, in the equations of vibration about that state.
//
//   body.rotates({.axis = {0, 0, 1}, .speed = 300});      // solids: a frame turns with them
//   frames.rotates({.axis = {1, 0, 0}, .speed = 300});    // shafts of beams and discs on them: the frame stands still
#pragma once

#include "device/error.hpp"
#include "fem/operator/integral.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct Rotation {
  Point axis{0, 0, 1};  // direction of the axis, and a point of it
  Point point{0, 0, 0};
  double speed = 0;  // by the right-hand rule [rad/s]
  std::string origin = {};
};

// The axis with length 1. None, and an error is added: it has no direction.
std::optional<Point> unit_axis(const Rotation& rotation, ErrorList& errors);

// Forces that a rotation adds to vibration; those of the state of rest in the turning frame are among the loads.
struct Turning {
  Point axis{0, 0, 1};  // of length 1
  // -speed^2 M across the axis: centrifugal forces that grow with the displacement. Part of the stiffness of a state;
  // none where displacements are large, as the equations have them.
  std::vector<Integral> softening = {};
  // Their action on v x axis, of the displacements and of the rotations of each node, is the force on a velocity v.
  std::vector<Integral> gyroscopic = {};
};

}  // namespace ritz
