// A law of materials with its numbers (fem/materials), and the form of displacements that it makes with a kinematics.
//
//   const MaterialLaw rubber = NeoHooke{1e6, 0.3};
//   AnyForm block(mesh);
//   block.material("all", rubber.form({.large = true}));
//
// Results at a point: strain (linear, Green and Lagrange's or logarithmic), Cauchy's stress [Pa], internal variables,
// those along the material's axes where it has some.
#pragma once

#include "device/device.hpp"
#include "fem/forms/cell_gradient.hpp"
#include "fem/forms/form_value.hpp"
#include "fem/materials/hardening.hpp"
#include "fem/materials/kinematics.hpp"
#include "fem/materials/law_record.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz {

// In the plane: per unit of depth, with u_z = 0 or without stress across; of revolution about the y axis.
struct Kinematics {
  Space space = Space::solid;
  bool large = false;         // displacements: rotations and strains are finite
  bool plane_stress = false;  // in the plane
  // In linear hexahedra and quadrilaterals; other cells have their own.
  CellGradient gradient = CellGradient::own;
};

// Inputs of any law at a point besides its numbers.
struct LawInputs {
  // Strains without stress, as of heat: none, one for all directions, or one along each axis of the material. The law
  // takes what remains of the strain; where displacements are large, of F = F_law diag(1 + strain).
  std::vector<PointFunction> free_strains = {};
  std::vector<PointFunction> axes = {};  // Orientation::functions(); none: the axes of coordinates
  // Parameters of the law that vary, by their number in its record, ascending; in place of the law's own numbers.
  std::vector<std::pair<int, PointFunction>> varying = {};
  // For laws that read it; not given: 0.
  std::optional<PointFunction> temperature = {};
};

// Are the first six internal variables the plastic strain, or that of creep? Then the rest of the strain is linear in
// the stress.
bool keeps_inelastic_strain(const LawRecord& law);

struct MaterialLaw {
  template <Law L>
  MaterialLaw(const L& law) {  // NOLINT: a law is meant to become a value
    static const LawRecord record_of_type = record_of_law<L>();
    record = &record_of_type;
    std::memcpy(numbers.data(), &law, sizeof law);
  }
  MaterialLaw(const LawRecord& law, const void* from, std::string of_module)
      : record(&law), module(std::move(of_module)) {
    std::memcpy(numbers.data(), from, law.numbers.size);
  }

  // Throws Error: Exit::model for a law that needs large displacements without them, for plane stress out of the plane,
  // and for an assumed gradient that the law or the space does not have.
  FormValue form(const Kinematics& kinematics, const LawInputs& inputs = {}) const;
  // The number of a scalar parameter in the record. Throws Error: Exit::input where the law has no such parameter.
  int parameter(std::string_view name) const;
  // Do its numbers make it depend on time, or on the temperature?
  bool needs_time() const;
  bool needs_temperature() const;
  // Moduli and Poisson's ratio of small strains from rest; nothing where the law is not isotropic.
  std::optional<ElasticModuli> moduli_at_rest(const Device& device) const;
  std::optional<double> poisson_at_rest(const Device& device) const;

  const LawRecord* record;
  std::string module = "ritz_fem_kernels";
  alignas(std::max_align_t) std::array<std::byte, largest_law> numbers{};
};

// Plastic strain from 0 on, yield stress [Pa].
using HardeningPoints = std::vector<std::pair<double, double>>;
// Throws Error: Exit::input for a table that is empty, too long, or whose strains do not start at 0 and grow.
Hardening hardening(const std::string& law, const HardeningPoints& points);
// The same of curves at several temperatures, ascending, linear between two of them and constant outside. Strains are
// those of all curves, as far as they are kept; `left` becomes the largest difference that is left, of the stress
// there.
using HardeningCurves = std::vector<std::pair<double, HardeningPoints>>;
HardeningOverTemperature hardening(const std::string& law, const HardeningCurves& curves, double* left = nullptr);
// At most as many points as a law holds: those without which the table would differ most. Returns the largest
// difference that is left, of the stress there; 0: all points are kept.
double shorten(HardeningPoints& points);

}  // namespace ritz
