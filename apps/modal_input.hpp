// What ritz-modal solves for: of bodies with materials, or of structures with sections.
#pragma once

#include "apps/run.hpp"
#include "fem/constraints.hpp"
#include "fem/integral.hpp"
#include "fem/vibration.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct ModalInput {
  const FunctionSpace* space;
  std::vector<Integral> elastic, inertial;
  Constraints fixed;
  VibrationModel model;
  std::function<double(const VibrationModes&)> mass;  // [kg], where it can be had by other means than the mass matrix
};

// What is wrong is added to the case.
ModalInput read_bodies(Run& run);
ModalInput read_frames(Run& run);

}  // namespace ritz
