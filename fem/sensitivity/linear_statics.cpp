#include "fem/sensitivity/linear_statics.hpp"

#include "fem/analysis/active_constraints.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/sensitivity/array_derivative.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/sensitivity/position_derivative.hpp"
#include "fem/analysis/setup.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {

void check_linear_statics(const Model& model) {
  check(model, Static{});
  if (!model.means.empty())
    throw Error(ErrorKind::analysis, "a prescribed mean motion in an analysis of one linear solution", {},
                "prescribe displacements, or give a force");
}

bool LinearStatics::supports_are_numbers() const {
  return std::ranges::all_of(model_.supports, [](const PrescribedValue& p) { return p.value.is_number(); });
}

std::vector<const PrescribedValue*> LinearStatics::varying_supports() const {
  std::vector<const PrescribedValue*> result;
  for (const PrescribedValue& each : model_.supports)
    if (!values_replaced_ && !each.value.is_number()) result.push_back(&each);
  return result;
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
  if (Operator(model.space, model.equations).facts().has_states) wrong("a model with internal variables");
}

namespace {

std::unique_ptr<FieldOfRank> part_of(const Operator& equations, const Constraints& supports,
                                     const LinearSolverOptions& options) {
  if (options.ranks == nullptr) return nullptr;
  return std::make_unique<FieldOfRank>(equations, supports, options, *options.ranks);
}

// Options of the system of a part, which knows its ranks.
LinearSolverOptions in_one_process(LinearSolverOptions options) {
  options.ranks = nullptr;
  return options;
}

}  // namespace

LinearStatics::LinearStatics(const Model& model, const Nonlinear& newton)
    : model_((check_nonlinear_statics(model, newton), model)),
      equations_(model.space, model.equations),
      supports_(make_constraints(model)),
      newton_(newton),
      options_(in_one_process(promised(newton.linear, model))),
      part_(part_of(equations_, *supports_, newton.linear)),
      on_ground_(motions_held_by_ground(model, *supports_)),
      system_(own_equations(), options_, LinearSystem::Keeps::solver, part_.get()) {
  system_.set_ground(part_ ? part_->own(on_ground_) : on_ground_);
  newton_->linear = options_;
}

LinearStatics::LinearStatics(const Model& model, const LinearSolverOptions& options)
    : model_((check_linear_statics(model), model)),
      equations_(model.space, model.equations),
      supports_(make_constraints(model)),
      options_(in_one_process(promised(options, model))),
      part_(part_of(equations_, *supports_, options)),
      on_ground_(motions_held_by_ground(model, *supports_)),
      system_(own_equations(), options_, LinearSystem::Keeps::solver, part_.get()) {
  system_.set_ground(part_ ? part_->own(on_ground_) : on_ground_);
  if (!equations_.facts().symmetric)
    throw Error(ErrorKind::analysis, "adjoint solutions of a model whose tangent is not symmetric",
                "they are solved with the same matrix", "take forms that are symmetric");
}

void LinearStatics::set_options(const LinearSolverOptions& options) {
  options_ = in_one_process(promised(options, model_));
  system_.set_options(options_);
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
  Vector same = equations_.zeros();
  same.copy_from(of_all);
  return same;
}

const Vector& LinearStatics::state() {
  if (state_.empty()) state_ = own_equations().zeros();
  return state_;
}

void LinearStatics::numbers_changed() {
  equations_.inputs().set_numbers(model_.equations);
  if (work_) work_->numbers_changed();
  if (!supports_are_numbers()) {
    supports_.emplace(make_constraints(model_));
    if (part_) part_->with_values_of(*supports_);
  }
  current_ = false;
}

SolveReport LinearStatics::solve_tangent(const Vector& b, Vector& x) {
  if (!current_) system_.linearise(state(), own_supports(), true);
  current_ = true;
  const SolveReport report = system_.solve(b, x);
  throw_unless_converged(report);
  return report;
}

LinearStatics::Solution LinearStatics::solve_by_newton(const Vector* load) {
  Nonlinear newton = *newton_;
  newton.ground = on_ground_;
  newton.forces = load;
  if (model_.start != 0) newton.begin = uniform_state(model_, model_.start);
  NonlinearSolution s = part_ ? solve_on_part(*part_, newton) : solve_nonlinear(equations_, supports(), newton);
  values_replaced_ = current_ = false;
  state_ = own(s.u);
  SolveReport report = s.summary();
  return {.u = std::move(s.u), .report = std::move(report), .residual = s.residual};
}

TransposedTangent& LinearStatics::transposed() {
  if (!transposed_) transposed_.emplace(own_equations(), options_, part_.get());
  return *transposed_;
}

LinearStatics::Solution LinearStatics::solve(const Vector* load, const Vector* prescribed) {
  if (newton_) {
    if (prescribed != nullptr)
      throw Error(ErrorKind::analysis, "other prescribed values in a nonlinear model",
                  "its way to them is that of the case", "change the values in the case");
    return solve_by_newton(load);
  }
  const Operator& equations = own_equations();
  const Constraints& held = own_supports();
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
  if (equations_.facts().symmetric) solve_tangent(b, lambda);
  else throw_unless_converged(transposed().solve(state(), own_supports(), b, lambda));
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
  if (equations_.facts().symmetric) own_equations().action(state(), own(lambda), with);
  else transposed().multiply(state(), own(lambda), with);
  Vector result = own(g);
  axpy(-1, with, result);
  own_supports().gather(result);
  own_supports().keep_prescribed(result);
  return of_all(std::move(result));
}

CellWork& LinearStatics::work() {
  if (!work_) work_.emplace(equations_.space(), model_.equations);
  return *work_;
}

std::vector<double> by_array(LinearStatics& statics, MeshField& array, const std::string& name, const Vector& u,
                             const Vector& lambda, const Vector& by_prescribed) {
  const FunctionSpace& space = statics.equations().space();
  std::vector<double> result(array.values().size(), 0.0);
  add_by_prescribed(space, array, name, statics.varying_supports(), by_prescribed.host(), result);
  subtract_by_work(space.mesh(), array,
                   {[&] { statics.work().numbers_changed(); }, [&] { return statics.work()(u, lambda); }}, result);
  return result;
}

std::vector<double> by_number(LinearStatics& statics, const ModelNumber& number,
                              FunctionRef<Model(const Model&)> model_of, const Vector& u, const Vector& lambda) {
  const FunctionSpace& space = statics.equations().space();
  CellWork work(space, statics.equations().integrals(), CellWork::OfAll{});
  std::vector<double> result(static_cast<std::size_t>(space.mesh().cell_count()), 0.0);
  subtract_by_work(
      number,
      [&](const Model& model) {
        work.replace_numbers(model_of(model).equations);
        return work(u, lambda);
      },
      result);
  return result;
}

std::vector<double> by_positions(LinearStatics& statics, const Vector& u, const Vector& lambda) {
  const FunctionSpace& space = statics.equations().space();
  if (const auto refused = not_differentiable_by_positions(statics.model()))
    throw Error(ErrorKind::analysis, fmt::format("the derivative by the positions of nodes, of {}", refused->of),
                refused->why, refused->fix);
  std::vector<double> result(3 * static_cast<std::size_t>(space.mesh().node_count()), 0.0);
  subtract_by_positions(
      space.mesh(),
      [&](const CellWork::Moved& moved) { return CellWork(space, statics.equations().integrals(), moved)(u, lambda); },
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
