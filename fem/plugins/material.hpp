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
#include "fem/physics/material_law.hpp"

#include <map>
#include <string>
#include <vector>

namespace ritz {

inline constexpr const char* module_of_laws = "ritz_fem_kernels";

// Errors are those of MaterialLaw::form.
template <Law L>
FormValue material(const L& law, const Kinematics& kinematics = {}) {
  return MaterialLaw(law).form(kinematics);
}

// A registered law by name; parameters as of FormCatalogue::make, and its errors. The table is for laws that have one,
// and is needed there.
FormValue material(const Device& device, const std::string& law, const std::map<std::string, double>& parameters,
                   const Kinematics& kinematics = {}, const HardeningPoints& table = {});
const LawRecord& law_record(const Device& device, const std::string& law);
std::vector<std::string> law_names(const Device& device);

}  // namespace ritz
