#include "device/host_memory.hpp"
#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/vibration_forecast.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/operator_needs.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

void check_band(const Operator& stiffness, const Modal& analysis) {
  if (!analysis.band || can_assemble(stiffness)) return;
  throw Error(ErrorKind::modal_options,
              fmt::format("the band from {:g} to {:g} 1/s^2 was asked for, and elements of order {} have no matrix",
                          analysis.band->low, analysis.band->high, stiffness.space().order()),
              "a factor counts the modes of a band", "give a count, or take a lower order");
}

void check_operator(const Operator& stiffness, const Operator& masses, const VibrationModel& model,
                    const Modal& analysis) {
  const bool matrix = analysis.operator_kind == OperatorKind::matrix;
  if (matrix && !can_assemble(stiffness))
    throw Error(ErrorKind::modal_options,
                fmt::format("modes with matrices of elements of order {}, which have none", stiffness.space().order()),
                {}, "omit the operator, or take a lower order");
  if (matrix || analysis.operator_kind == OperatorKind::automatic) return;
  if (analysis.method == EigenMethod::lanczos || analysis.band || has_springs(model) || !analysis.begin.u.empty())
    throw Error(ErrorKind::modal_options, "modes without a matrix by a factor of one",
                "a band, a preload, springs of motions and the method lanczos need factors", "omit the operator");
  if (!modes_need_no_matrix(stiffness, masses))
    throw Error(ErrorKind::modal_options, "modes without a matrix of elements of order 1, of beams or of shells",
                "p-multigrid needs a lower order on the same cells", "take order = 2, or omit the operator");
}

bool has_points(const Model& model) {
  return std::ranges::any_of(model.equations, [](const Integral& each) { return !each.form.state_start.empty(); });
}

void check_preload(const Model& model, const Modal& analysis) {
  if (!has_points(model)) geometric_integrals(model, modes_under_preload);
  const Index unknowns = layout_of(model.spaces()).total();
  if (std::ssize(analysis.begin.u) != unknowns)
    throw Error(ErrorKind::internal,
                fmt::format("a state of {} unknowns for modes of a model of {}", analysis.begin.u.size(), unknowns));
}

}  // namespace

void check(const Model& model, const Modal& analysis) {
  require_no_inequalities(model, "free vibration");
  require_no_prescribed_means(model, "free vibration");
  if (!analysis.begin.u.empty()) check_preload(model, analysis);
  if (model.inertia.empty() && model.of_fields.inertia.empty())
    throw Error(ErrorKind::analysis, "modes of a model without inertia", "free vibration needs the mass of what moves",
                "give the materials a density; in ritz-solve add [[inertia]]");
  for (const std::vector<Integral>* each : {&model.equations, &model.inertia})
    for (const Integral& integral : *each)
      if (integral.form.has_matrix && !integral.form.symmetric)
        throw Error(ErrorKind::analysis,
                    fmt::format("modes of equations with '{}', whose matrix is not symmetric", integral.form.name),
                    "the solvers of eigenvalues take symmetric matrices", "take a form that is symmetric");
  for (const std::vector<MixedIntegral>* each : {&model.of_fields.equations, &model.of_fields.inertia})
    for (const MixedIntegral& integral : *each)
      if (!integral.form.symmetric)
        throw Error(ErrorKind::analysis,
                    fmt::format("modes of equations with '{}', whose matrix is not symmetric", integral.form.name),
                    "the solvers of eigenvalues take symmetric matrices", "take a form that is symmetric");
}

namespace {

// supports: of one field, or of several.
template <class Held>
void count_motions(const Model& model, const Held& supports, VibrationModel& vibration) {
  const auto count = [&](const Model& of) {
    int motions = 0;
    for (const FreePart& part : free_parts(of, supports)) motions += static_cast<int>(part.motions.size());
    return motions;
  };
  vibration.rigid_motions = count(model);
  if (model.attached.empty()) return;
  Model without_springs = model;
  without_springs.attached.clear();
  vibration.spring_motions = count(without_springs) - vibration.rigid_motions;
}

}  // namespace

VibrationModel vibration_model(const Model& model, const Constraints& supports, const Prepared& prepared) {
  VibrationModel vibration{.attached = model.attached,
                           .axisymmetric = model.rigid == RigidModes::axisymmetric || model.waves,
                           .lists_stay = prepared.cache != nullptr};
  count_motions(model, supports, vibration);
  return vibration;
}

namespace {

// Results take no more than what the solver leaves behind.
VibrationModes without_what_solvers_had(VibrationModes modes) {
  if (modes.eigen.vectors) modes.eigen.vectors->device().memory().trim();
  return_freed_host_memory();
  return modes;
}

}  // namespace

VibrationModes solve(const Model& model, Modal analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  const Setup setup(model, prepared, Setup::Held::not_needed, Setup::Rates::beside);
  const Vector state(model.space.device(), std::span<const double>(analysis.begin.u), "vectors");
  if (model.has_fields()) {
    if (analysis.operator_kind == OperatorKind::matrix_free)
      throw Error(ErrorKind::modal_options, "modes of several fields without a matrix", "they are found by factors",
                  "omit the operator");
    VibrationModel of_fields{.attached = model.attached};
    if (!model.attached.empty()) count_motions(model, *setup.fields().supports, of_fields);
    if (!state.empty()) of_fields.state = &state;
    if (!state.empty() && has_points(model)) setup.fields().equations->states().set(analysis.begin.points);
    else if (!state.empty()) of_fields.stressed = &model;
    return without_what_solvers_had(solve_vibration(setup.fields(), of_fields, analysis));
  }
  const Constraints& supports = setup.supports().common();
  check_band(setup.equations(), analysis);
  if (observer.progress) observer.progress("solving");
  VibrationModel vibration = vibration_model(model, supports, prepared);
  check_operator(setup.equations(), setup.rates(), vibration, analysis);
  if (!state.empty()) {
    vibration.state = &state;
    if (has_points(model)) setup.equations().states().set(analysis.begin.points);
    else vibration.stressed = &model;
  }
  return without_what_solvers_had(solve_vibration(setup.equations(), setup.rates(), supports, vibration, analysis));
}

Forecast forecast(const Model& model, const Modal& analysis, const Prepared& prepared) {
  const Operator stiffness = counted(model, model.equations), masses = counted(model, model.inertia);
  check_band(stiffness, analysis);
  const ModelSupports own(model);
  const Constraints& supports = prepared.supports != nullptr ? prepared.supports->common() : own.common();
  const VibrationModel vibration = vibration_model(model, supports, prepared);
  check_operator(stiffness, masses, vibration, analysis);
  const FunctionSpace& space = model.space;
  Forecast result{
      .paths = forecast_vibration(stiffness, masses, vibration, analysis),
      .host_of_elements = OperatorNeeds(stiffness).host_bytes() + OperatorNeeds(masses).host_bytes(),
      // as fields, and in the file's buffer
      .host_of_columns = 2 * 8 * space.mesh().node_count() * space.components() * modes_to_solve(analysis, vibration),
      .solver_stays = true};
  if (analysis.ranks != nullptr)
    result.ranks = forecast_ranks_of_modes(stiffness, masses, vibration, analysis,
                                           {.ranks = analysis.ranks->count(), .factor = result.paths.front().factor});
  return result;
}

}  // namespace ritz
