#include "fem/plugins/von_mises.hpp"

#include "fem/materials/j2.hpp"

namespace ritz {
namespace {

template <Space space, bool plane_stress>
constexpr const char* form_name() {
  if constexpr (space == Space::solid) return "von_mises_plasticity";
  else if constexpr (space == Space::revolution) return "axisymmetric_von_mises_plasticity";
  else return plane_stress ? "plane_stress_von_mises_plasticity" : "plane_strain_von_mises_plasticity";
}

template <Space space, bool plane_stress>
FormValue make(const FormValue& numbers) {
  VonMisesPlasticity steel;
  std::memcpy(&steel, numbers.bytes.data(), sizeof steel);
  FormValue form = steel.form({.space = space, .plane_stress = plane_stress});
  form.name = form_name<space, plane_stress>();
  return form;
}

template <Space space, bool plane_stress = false>
VonMisesForm form() {
  FormRecord r{};
  r.cell = -1;
  r.derived_names = "";
  r.name = form_name<space, plane_stress>();
  r.unknown = "displacement";
  r.derives = "strain:6 stress:6";
  r.derived = 12;
  r.components = r.dimension = space == Space::solid ? 3 : 2;
  r.of_revolution = r.uses_value = space == Space::revolution;
  r.extra_degree = r.of_revolution ? 1 : 0;
  r.uses_gradient = r.has_matrix = r.symmetric = r.objective = r.small_displacements = r.rate_independent = true;
  describe_numbers<VonMisesPlasticity>(r);
  describe_state<J2>(r);
  return {r, make<space, plane_stress>};
}

}  // namespace

FormValue VonMisesPlasticity::form(const Kinematics& kinematics) const {
  return MaterialLaw(J2{young, poisson, kinematic_hardening, Hardening::linear(yield_stress, isotropic_hardening)})
      .form(kinematics);
}

std::span<const VonMisesForm> von_mises_forms() {
  static const VonMisesForm forms[] = {form<Space::solid>(), form<Space::plane>(), form<Space::plane, true>(),
                                       form<Space::revolution>()};
  return forms;
}

}  // namespace ritz
