// A law of materials with a kinematics as a form of displacements, for models of any analysis
// (fem/physics/any_form.hpp).
//
//   AnyForm block(mesh);
//   block.material("all", material(NeoHooke{1e6, 0.3}, {.large = true}));
//   block.material("all", material(device, "neo_hooke", {{"young", 1e6}, {"poisson", 0.3}}, {.large = true}));
//
// Results at a point: strain (linear, Green and Lagrange's or logarithmic), Cauchy's stress [Pa], internal variables.
#pragma once

#include "device/device.hpp"
#include "fem/forms/form_value.hpp"
#include "fem/materials/hardening.hpp"
#include "fem/materials/kinematics.hpp"
#include "fem/materials/law_record.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// In the plane: per unit of depth, with u_z = 0 or without stress across; of revolution about the y axis.
struct Kinematics {
  Space space = Space::solid;
  bool large = false;         // displacements: rotations and strains are finite
  bool plane_stress = false;  // in the plane
};

// Throws Error(Exit::model) for a law that needs large displacements without them, and for plane stress out of the
// plane.
FormValue material(const LawRecord& law, const void* numbers, const Kinematics& kinematics,
                   const std::string& module = "ritz_fem_kernels");
template <Law L>
FormValue material(const L& law, const Kinematics& kinematics = {}) {
  static const LawRecord record = record_of_law<L>();
  return material(record, &law, kinematics);
}

// A registered law by name; parameters as of FormCatalogue::make, and its errors. The table is for laws that have one,
// and is needed there: plastic strain from 0 on, yield stress [Pa].
using HardeningPoints = std::vector<std::pair<double, double>>;
FormValue material(const Device& device, const std::string& law, const std::map<std::string, double>& parameters,
                   const Kinematics& kinematics = {}, const HardeningPoints& table = {});
const LawRecord& law_record(const Device& device, const std::string& law);
std::vector<std::string> law_names(const Device& device);

// Throws Error(Exit::input) for a table that is empty, too long, or whose strains do not start at 0 and grow.
Hardening hardening(const std::string& law, const HardeningPoints& points);

}  // namespace ritz
