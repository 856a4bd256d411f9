#include "fem/sensitivity/linear_statics.hpp"

#include "fem/analysis/active_constraints.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/sensitivity/array_derivative.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/sensitivity/position_derivative.hpp"
#include "fem/analysis/fields_of_model.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/ranks/own_field.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

IntegralsOfFields integrals_of(const Model& model) { return {model.equations, model.of_fields.equations}; }

// Those that functions of the model give.
std::vector<const PrescribedValue*> varying_values(const Model& model) {
  std::vector<const PrescribedValue*> result;
  for (const PrescribedValue& each : model.supports)
    if (!each.value.is_number()) result.push_back(&each);
  return result;
}

}  // namespace

void check_linear_statics(const Model& model) {
  check(model, Static{});
  if (!model.means.empty())
    throw Error(ErrorKind::analysis, "a prescribed mean motion in an analysis of one linear solution", {},
                "prescribe displacements, or give a force");
}

std::vector<const PrescribedValue*> LinearStatics::varying_supports() const {
  return values_replaced_ ? std::vector<const PrescribedValue*>() : varying_values(model_);
}

void check_nonlinear_statics(const Model& model, const Nonlinear& newton) {
  check(model, newton);
  const auto wrong = [](const char* of) {
    throw Error(ErrorKind::analysis, fmt::format("derivatives of {}", of), "its solution depends on the way to it",
                "take derivatives of one state, without internal variables and a path of loads");
  };
  if (newton.follows_a_path() || newton.increments > 1) wrong("a model with a load path");
  if (!model.means.empty())
    throw Error(ErrorKind::analysis, "derivatives of nonlinear statics with prescribed mean motions or springs of them",
                "adjoint solutions do not know their forces", "prescribe displacements of nodes, or give a force")
        .at(model.means.front().origin);
  if (has_inequalities(model)) wrong("a model with inequalities");
  if (std::ranges::any_of(model.equations, [](const Integral& each) { return !each.form.state_start.empty(); }))
    wrong("a model with internal variables");
}

namespace {

// Options of the system of a part, which knows its ranks.
LinearSolverOptions in_one_process(LinearSolverOptions options) {
  options.ranks = nullptr;
  return options;
}

}  // namespace

LinearStatics::Whole LinearStatics::whole_of(const Model& model) {
  if (!model.has_fields())
    return {std::make_shared<Operator>(model.space, model.equations),
            std::make_shared<Constraints>(make_constraints(model))};
  FieldsOfModel fields = fields_of(model);
  check_held(fields);
  return {std::move(fields.equations), std::move(fields.supports)};
}

LinearStatics::LinearStatics(const Model& model, const Nonlinear& newton)
    : LinearStatics((check_nonlinear_statics(model, newton), model), newton.linear, newton) {
  newton_->linear = options_;
}

LinearStatics::LinearStatics(const Model& model, const LinearSolverOptions& options)
    : LinearStatics((check_linear_statics(model), model), options, std::nullopt) {
  if (!equations().facts().symmetric)
    throw Error(ErrorKind::analysis, "adjoint solutions of a model whose tangent is not symmetric",
                "they are solved with the same matrix", "take forms that are symmetric");
}

LinearStatics::LinearStatics(const Model& model, const LinearSolverOptions& options, std::optional<Nonlinear> newton)
    : model_(model),
      whole_(whole_of(model)),
      newton_(std::move(newton)),
      options_(in_one_process(promised(options, model))),
      part_(part_of(*whole_.equations, *whole_.supports, options)),
      system_(tangent_system(own_equations(), own_supports(), options_, {.whole = part_ ? &part_->whole() : nullptr})) {
  if (model.has_fields()) return;
  on_ground_ = motions_held_by_ground(model, dynamic_cast<const Constraints&>(*whole_.supports));
  system_->set_ground(part_ ? part_->whole().one->own(on_ground_) : on_ground_);
}

void LinearStatics::set_options(const LinearSolverOptions& options) {
  options_ = in_one_process(promised(options, model_));
  system_->set_options(options_);
  transposed_.reset();
}

void LinearStatics::set_tolerance(double relative) {
  LinearSolverOptions options = options_;
  options.relative = std::min(relative, 1e-8);
  set_options(options);
  if (newton_) newton_->relative = relative;
}

Vector LinearStatics::own(const Vector& of_all) const {
  if (part_) return part_->own(of_all);
  Vector same = equations().zeros();
  same.copy_from(of_all);
  return same;
}

const Vector& LinearStatics::state() {
  if (state_.empty()) state_ = own_equations().zeros();
  return state_;
}

void LinearStatics::numbers_changed() {
  if (part_ && model_.has_fields())
    throw Error(ErrorKind::internal, "other numbers of several fields over ranks, whose parts were made before");
  whole_.equations->inputs().set_numbers(integrals_of(model_));
  if (work_) work_->numbers_changed();
  if (!varying_values(model_).empty()) {
    whole_.supports = whole_of(model_).supports;
    if (part_) part_->with_values_of(*whole_.supports);
  }
  current_ = false;
}

SolveReport LinearStatics::solve_tangent(const Vector& b, Vector& x) {
  if (!current_) system_->linearise(state());
  current_ = true;
  const SolveReport report = system_->solve(b, x);
  throw_unless_converged(report);
  return report;
}

LinearStatics::Solution LinearStatics::solve_by_newton(const Vector* load) {
  Nonlinear newton = *newton_;
  newton.ground = on_ground_;
  newton.forces = load;
  if (model_.start != 0) newton.begin = uniform_state(model_, model_.start);
  NonlinearSolution s = part_ ? solve_on_part(*part_, newton) : solve_nonlinear(equations(), *whole_.supports, newton);
  values_replaced_ = current_ = false;
  state_ = own(s.u);
  SolveReport report = s.summary();
  return {.u = std::move(s.u), .report = std::move(report), .residual = s.residual};
}

TransposedTangent& LinearStatics::transposed() {
  if (!transposed_)
    transposed_.emplace(dynamic_cast<const Operator&>(own_equations()), options_, part_ ? part_->whole().one : nullptr);
  return *transposed_;
}

LinearStatics::Solution LinearStatics::solve(const Vector* load, const Vector* prescribed) {
  if (newton_) {
    if (prescribed != nullptr)
      throw Error(ErrorKind::analysis, "other prescribed values in a nonlinear model",
                  "its way to them is that of the case", "change the values in the case");
    return solve_by_newton(load);
  }
  const Equations& equations = own_equations();
  const Supports& held = own_supports();
  Solution s{.u = equations.zeros(), .report = {}, .residual = 0};
  held.set_values(s.u);
  values_replaced_ = prescribed != nullptr;
  if (prescribed != nullptr) {
    if (held.has_dependent())
      throw Error(ErrorKind::analysis, "other prescribed values in a model whose unknowns follow others",
                  "what follows them is computed from the values of the case", "change the values in the case");
    s.u = own(*prescribed);
    held.keep_prescribed(s.u);
  }
  const Vector forces = load != nullptr ? own(*load) : Vector();
  const auto residual = [&](Vector& r) {
    equations.residual(s.u, r);
    if (load != nullptr) axpy(-1, forces, r);
    held.gather(r);
    held.set_zero(r);
  };
  Vector b = equations.zeros(), du = equations.zeros();
  residual(b);
  axpby(0.0, du, -1.0, b);
  s.report = solve_tangent(b, du);
  held.set_linear(du);
  axpy(1, du, s.u);
  Vector r = equations.zeros();
  residual(r);
  const double scale = norm2(b);
  s.residual = scale > 0 ? norm2(r) / scale : 0;
  if (!(s.residual <= std::max(1e-6, 1e3 * s.report.true_relative_residual)))
    throw Error(ErrorKind::not_converged,
                fmt::format("the residual by the element kernels is {:.2e} of the load, and the matrix says {:.2e}",
                            s.residual, s.report.true_relative_residual),
                "the equations do not hold to the tolerance", "check the sizes of the material numbers");
  s.u = of_all(std::move(s.u));
  return s;
}

Vector LinearStatics::adjoint(const Vector& g) {
  Vector b = own(g), lambda = own_equations().zeros();
  own_supports().gather(b);
  own_supports().set_zero(b);
  if (equations().facts().symmetric) solve_tangent(b, lambda);
  else throw_unless_converged(transposed().solve(state(), dynamic_cast<const Constraints&>(own_supports()), b, lambda));
  own_supports().set_linear(lambda);
  return of_all(std::move(lambda));
}

Vector LinearStatics::forces_of(const Vector& u) {
  Vector forces = own_equations().zeros();
  own_equations().action({}, own(u), forces);
  return of_all(std::move(forces));
}

Vector LinearStatics::by_prescribed(const Vector& g, const Vector& lambda) {
  Vector with = own_equations().zeros();  // K^T lambda
  if (equations().facts().symmetric) own_equations().action(state(), own(lambda), with);
  else transposed().multiply(state(), own(lambda), with);
  Vector result = own(g);
  axpy(-1, with, result);
  own_supports().gather(result);
  own_supports().keep_prescribed(result);
  return of_all(std::move(result));
}

CellWork& LinearStatics::work() {
  if (!work_) work_.emplace(model_.spaces(), integrals_of(model_));
  return *work_;
}

std::vector<double> by_array(LinearStatics& statics, MeshField& array, const std::string& name, const Vector& u,
                             const Vector& lambda, const Vector& by_prescribed) {
  const Spaces spaces = statics.model().spaces();
  const Layout layout = layout_of(spaces);
  std::vector<double> result(array.values().size(), 0.0);
  for (int k = 0; k < layout.count(); ++k) {
    std::vector<const PrescribedValue*> supports = statics.varying_supports();
    std::erase_if(supports, [k](const PrescribedValue* each) { return each->field != k; });
    add_by_prescribed(spaces[static_cast<std::size_t>(k)], array, name, supports, layout.part(by_prescribed, k).host(),
                      result);
  }
  subtract_by_work(spaces.front().mesh(), array,
                   {[&] { statics.work().numbers_changed(); }, [&] { return statics.work()(u, lambda); }}, result);
  return result;
}

std::vector<double> by_number(LinearStatics& statics, const ModelNumber& number,
                              FunctionRef<Model(const Model&)> model_of, const Vector& u, const Vector& lambda) {
  const Spaces spaces = statics.model().spaces();
  CellWork work(spaces, integrals_of(statics.model()), CellWork::OfAll{});
  std::vector<double> result(static_cast<std::size_t>(spaces.front().mesh().cell_count()), 0.0);
  subtract_by_work(
      number,
      [&](const Model& model) {
        work.replace_numbers(integrals_of(model_of(model)));
        return work(u, lambda);
      },
      result);
  return result;
}

std::vector<double> by_positions(LinearStatics& statics, const Vector& u, const Vector& lambda) {
  const Spaces spaces = statics.model().spaces();
  const Mesh& mesh = spaces.front().mesh();
  if (const auto refused = not_differentiable_by_positions(statics.model()))
    throw Error(ErrorKind::analysis, fmt::format("the derivative by the positions of nodes, of {}", refused->of),
                refused->why, refused->fix);
  std::vector<double> result(3 * static_cast<std::size_t>(mesh.node_count()), 0.0);
  subtract_by_positions(
      mesh,
      [&](const CellWork::Moved& moved) { return CellWork(spaces, integrals_of(statics.model()), moved)(u, lambda); },
      result);
  return result;
}

namespace {

// The equations that were solved before, with their numbers at points and supports: results are derived from them.
MemoryNeeds needs_of_solved(const Model& model) {
  const FunctionSpace& space = model.space;
  MemoryPool& pool = space.device().memory();
  const Index before = pool.live();
  const Operator equations(space, model.equations);
  MemoryNeeds needs;
  needs.bytes("connectivity", pool.live() - before).array<std::uint8_t>("constraints", space.unknown_count());
  return needs.bytes("given numbers", OperatorNeeds(equations).of(Operator::Task::residual).of("given numbers"));
}

}  // namespace

Forecast forecast_adjoint(const Model& model, const LinearSolverOptions& linear, const MemoryNeeds& afterwards) {
  constexpr Index vectors = 3;  // the state, the derivative by the unknowns and that by prescribed values
  MemoryNeeds needs = afterwards;
  needs.array<double>("vectors", model.space.unknown_count(), vectors);
  return forecast_of(model, model.equations, linear, {.beside = needs_of_solved(model), .afterwards = needs});
}

}  // namespace ritz
