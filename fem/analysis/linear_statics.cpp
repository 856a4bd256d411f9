#include "fem/analysis/linear_statics.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// Nodes of one colour share no cell. [node]; the number of colours.
int colour_nodes(const Mesh& mesh, std::vector<int>& colour) {
  const auto nodes = static_cast<std::size_t>(mesh.node_count());
  std::vector<std::vector<Index>> cells(nodes);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const Node node : mesh.nodes_of(cell)) cells[static_cast<std::size_t>(node)].push_back(cell);
  colour.assign(nodes, -1);
  int count = 0;
  std::vector<std::size_t> taken_by;  // [colour] the last node that saw it around itself
  for (std::size_t n = 0; n < nodes; ++n) {
    for (const Index cell : cells[n])
      for (const Node other : mesh.nodes_of(cell))
        if (const int c = colour[static_cast<std::size_t>(other)]; c >= 0) taken_by[static_cast<std::size_t>(c)] = n;
    const auto free = std::ranges::find_if(taken_by, [n](std::size_t by) { return by != n; });
    colour[n] = static_cast<int>(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(nodes);
    count = std::max(count, colour[n] + 1);
  }
  return count;
}

// A formula of fourth order for a derivative: the steps and their weights.
using Differences = std::array<std::pair<double, double>, 5>;
constexpr Differences central{{{1.0, 2.0 / 3}, {-1.0, -2.0 / 3}, {2.0, -1.0 / 12}, {-2.0, 1.0 / 12}, {0.0, 0.0}}};
constexpr Differences above{{{0.0, -25.0 / 12}, {1.0, 4.0}, {2.0, -3.0}, {3.0, 4.0 / 3}, {4.0, -1.0 / 4}}};
constexpr Differences below{{{0.0, 25.0 / 12}, {-1.0, -4.0}, {-2.0, 3.0}, {-3.0, -4.0 / 3}, {-4.0, 1.0 / 4}}};

// Differences in the entries of an array, each in the cells that it reaches.
class ArrayDerivative {
 public:
  ArrayDerivative(LinearStatics& statics, MeshField& array, const std::string& name)
      : statics_(statics), array_(array), name_(name), base_(array.values()) {
    double sum = 0;
    for (const double value : base_) sum += std::abs(value);
    const double mean = sum > 0 ? sum / static_cast<double>(base_.size()) : 1;
    for (const double value : base_) step_.push_back(relative_step * (value != 0 ? std::abs(value) : mean));
  }
  ArrayDerivative(const ArrayDerivative&) = delete;
  ArrayDerivative& operator=(const ArrayDerivative&) = delete;
  ~ArrayDerivative() { array_.set(base_); }

  std::vector<double> of(const Vector& u, const Vector& lambda, const Vector& by_prescribed) {
    std::vector<double> result(base_.size(), 0.0);
    add_prescribed(by_prescribed, result);
    const Mesh& mesh = statics_.equations().space().mesh();
    std::vector<int> colour(result.size(), 0);
    const int colours = array_.at_nodes() ? colour_nodes(mesh, colour) : 1;
    std::vector<std::vector<std::size_t>> of_colour(static_cast<std::size_t>(colours));
    for (std::size_t i = 0; i < colour.size(); ++i) of_colour[static_cast<std::size_t>(colour[i])].push_back(i);
    for (const std::vector<std::size_t>& entries : of_colour) subtract_work(entries, u, lambda, result);
    array_.set(base_);
    statics_.work().numbers_changed();
    return result;
  }

 private:
  // h. The formulas are off by about (h / d)^4, rounding by 1e-16 / h; d: the distance of a pole, which elastic
  // constants have where Poisson's ratio is 0.5.
  static constexpr double relative_step = 1e-5;

  void move(std::span<const std::size_t> entries, double steps) {
    std::vector<double> moved = base_;
    for (const std::size_t i : entries) moved[i] += steps * step_[i];
    array_.set(std::move(moved));
  }

  // For entries that share no cell. Where no formula stays within the bounds of all of them, each half has its own.
  void subtract_work(std::span<const std::size_t> entries, const Vector& u, const Vector& lambda,
                     std::vector<double>& result) {
    std::optional<Error> refused;
    for (const auto& [formula, scale] : {std::pair{&central, 1.0}, {&central, 1e-3}, {&above, 1.0}, {&below, 1.0}}) {
      try {
        return subtract(entries, difference(entries, *formula, scale, u, lambda), result);
      } catch (const Error& error) {
        if (error.exit() != Exit::model && error.exit() != Exit::input) throw;
        if (!refused) refused = error;
      }
    }
    if (entries.size() < 2) throw Error(*refused);
    subtract_work(entries.first(entries.size() / 2), u, lambda, result);
    subtract_work(entries.subspan(entries.size() / 2), u, lambda, result);
  }

  // [cell] d(work)/d(step), by steps of this scale. Throws where an entry moves to what its key does not allow; central
  // steps keep well away from that.
  std::vector<double> difference(std::span<const std::size_t> entries, const Differences& formula, double scale,
                                 const Vector& u, const Vector& lambda) {
    if (&formula == &central)
      for (const double room : {100.0, -100.0}) {
        move(entries, room * scale);
        statics_.work().numbers_changed();
      }
    std::vector<double> sum;
    for (const auto& [steps, weight] : formula) {
      if (weight == 0) continue;
      move(entries, scale * steps);
      statics_.work().numbers_changed();
      const std::vector<double> work = statics_.work()(u, lambda);
      sum.resize(work.size(), 0.0);
      for (std::size_t i = 0; i < work.size(); ++i) sum[i] += weight / scale * work[i];
    }
    return sum;
  }

  void subtract(std::span<const std::size_t> entries, const std::vector<double>& work, std::vector<double>& result) {
    if (!array_.at_nodes()) {
      for (const std::size_t i : entries) result[i] -= work[i] / step_[i];
      return;
    }
    std::vector<std::uint8_t> moved(result.size(), 0);
    for (const std::size_t i : entries) moved[i] = 1;
    const Mesh& mesh = statics_.equations().space().mesh();
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      for (const Node node : mesh.nodes_of(cell))
        if (const auto i = static_cast<std::size_t>(node); moved[i] != 0)
          result[i] -= work[static_cast<std::size_t>(cell)] / step_[i];
  }

  void add_prescribed(const Vector& by_prescribed, std::vector<double>& result) {
    const FunctionSpace& space = statics_.equations().space();
    const std::vector<double> weights = by_prescribed.host();
    const auto components = static_cast<std::size_t>(space.components());
    std::vector<std::size_t> all(result.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const PrescribedValue* const support : statics_.varying_supports()) {
      const RegionNodes at(space, *support->region);
      const std::vector<Node>& nodes = at.nodes();
      std::vector<double> values(nodes.size()), before(nodes.size());
      array_.set(base_);
      support->value.at(at.points(), 0, before);
      move(all, 1);
      support->value.at(at.points(), 0, values);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (values[i] == before[i]) continue;
        if (!array_.at_nodes() || !space.isoparametric())
          throw Error(Exit::model, fmt::format("the derivative by the array '{}' of prescribed values", name_),
                      "the values are those at the nodes of the field",
                      "give an array for each node, and leave [space] order to the mesh");
        const auto node = static_cast<std::size_t>(space.mesh_node_of(nodes[i]));
        const auto unknown =
            static_cast<std::size_t>(nodes[i]) * components + static_cast<std::size_t>(support->component);
        result[node] += weights[unknown] * (values[i] - before[i]) / step_[node];
      }
    }
    array_.set(base_);
  }

  LinearStatics& statics_;
  MeshField& array_;
  std::string name_;
  std::vector<double> base_;
  std::vector<double> step_;
};

}  // namespace

void check_linear_statics(const Model& model) {
  check(model, Static{});
  if (!model.means.empty())
    throw Error(Exit::model, "a prescribed mean motion in an analysis of one linear solution", {},
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
    throw Error(Exit::model, fmt::format("derivatives of {}", of), "its solution depends on the way to it",
                "take derivatives of one state, without internal variables and a path of loads");
  };
  if (newton.follows_a_path() || newton.increments > 1) wrong("a model with a load path");
  if (Operator(*model.space, model.equations).has_state()) wrong("a model with internal variables");
}

LinearStatics::LinearStatics(const Model& model, const Nonlinear& newton)
    : model_((check_nonlinear_statics(model, newton), model)),
      equations_(*model.space, model.equations),
      supports_(make_constraints(model)),
      newton_(newton),
      options_(promised(newton.linear, model)),
      system_(equations_, options_, LinearSystem::Keeps::solver) {
  newton_->linear = options_;
}

LinearStatics::LinearStatics(const Model& model, const LinearSolverOptions& options)
    : model_((check_linear_statics(model), model)),
      equations_(*model.space, model.equations),
      supports_(make_constraints(model)),
      options_(promised(options, model)),
      system_(equations_, promised(options, model), LinearSystem::Keeps::solver) {
  if (!equations_.symmetric())
    throw Error(Exit::model, "adjoint solutions of a model whose tangent is not symmetric",
                "they are solved with the same matrix", "take forms that are symmetric");
}

void LinearStatics::set_options(const LinearSolverOptions& options) {
  options_ = promised(options, model_);
  system_.set_options(options_);
}

void LinearStatics::set_tolerance(double relative) {
  LinearSolverOptions options = options_;
  options.relative = std::min(relative, 1e-8);
  set_options(options);
  if (newton_) newton_->relative = relative;
}

const Vector& LinearStatics::state() {
  if (state_.empty()) state_ = equations_.space().zeros();
  return state_;
}

void LinearStatics::numbers_changed() {
  equations_.set_numbers(model_.equations);
  if (work_) work_->numbers_changed();
  if (!supports_are_numbers()) supports_.emplace(make_constraints(model_));
  current_ = false;
}

SolveReport LinearStatics::solve_tangent(const Vector& b, Vector& x) {
  if (!current_) system_.linearise(state(), supports(), true);
  current_ = true;
  const SolveReport report = system_.solve(b, x);
  throw_unless_converged(report);
  return report;
}

LinearStatics::Solution LinearStatics::solve_by_newton(const Vector* load) {
  Nonlinear newton = *newton_;
  newton.forces = load;
  if (model_.start != 0) newton.begin = uniform_state(model_, model_.start);
  NonlinearSolution s = solve_nonlinear(equations_, supports(), newton);
  values_replaced_ = current_ = false;
  state_ = equations_.space().zeros();
  state_.copy_from(s.u);
  SolveReport report = s.summary();
  return {.u = std::move(s.u), .report = std::move(report), .residual = s.residual};
}

// K^T, without rows and columns of prescribed unknowns where `held`. On the host: tangents that are not symmetric are
// rare, and their adjoint is one solution.
SparseMatrix LinearStatics::transposed_tangent(bool held) {
  SparseMatrix K = equations_.make_matrix();
  equations_.assemble(state(), K);
  if (held) supports().eliminate(K, std::max(max_abs(K.diagonal()), 1e-300));
  const std::vector<Index> offsets = K.pattern().offsets().host();
  const std::vector<std::int32_t> columns = K.pattern().columns().host();
  const std::vector<double> values = K.values().host();
  std::vector<double> transposed(values.size());
  const auto size = static_cast<std::size_t>(K.block_size());
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]); ++k) {
      const auto other = static_cast<std::size_t>(columns[k]);
      const auto mirrored = static_cast<std::size_t>(std::lower_bound(columns.begin() + offsets[other],
                                                                      columns.begin() + offsets[other + 1],
                                                                      static_cast<std::int32_t>(row)) -
                                                     columns.begin());
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          transposed[(mirrored * size + j) * size + i] = values[(k * size + i) * size + j];
    }
  K.values().upload(transposed);
  return K;
}

void LinearStatics::solve_transposed(const Vector& b, Vector& x) {
  LinearSolverOptions options = options_;
  options.promise = MatrixPromise::none;
  throw_unless_converged(solve_linear(transposed_tangent(true), b, x, options));
}

LinearStatics::Solution LinearStatics::solve(const Vector* load, const Vector* prescribed) {
  const FunctionSpace& space = equations_.space();
  if (newton_) {
    if (prescribed != nullptr)
      throw Error(Exit::model, "other prescribed values in a nonlinear model", "its way to them is that of the case",
                  "change the values in the case");
    return solve_by_newton(load);
  }
  const Constraints& held = supports();
  Solution s{.u = space.zeros(), .report = {}, .residual = 0};
  held.set_values(s.u);
  values_replaced_ = prescribed != nullptr;
  if (prescribed != nullptr) {
    if (held.dependent() != nullptr)
      throw Error(Exit::model, "other prescribed values in a model whose unknowns follow others",
                  "what follows them is computed from the values of the case", "change the values in the case");
    Vector values = space.zeros();
    values.copy_from(*prescribed);
    held.keep_prescribed(values);
    s.u.copy_from(values);
  }
  const auto residual = [&](Vector& r) {
    equations_.residual(s.u, r);
    if (load != nullptr) axpy(-1, *load, r);
    held.gather(r);
    held.set_zero(r);
  };
  Vector b = space.zeros(), du = space.zeros();
  residual(b);
  axpby(0.0, du, -1.0, b);
  s.report = solve_tangent(b, du);
  held.set_linear(du);
  axpy(1, du, s.u);
  Vector r = space.zeros();
  residual(r);
  const double scale = norm2(b);
  s.residual = scale > 0 ? norm2(r) / scale : 0;
  if (!(s.residual <= std::max(1e-6, 1e3 * s.report.true_relative_residual)))
    throw Error(Exit::not_converged,
                fmt::format("the residual by the element kernels is {:.2e} of the load, and the matrix says {:.2e}",
                            s.residual, s.report.true_relative_residual),
                "the equations do not hold to the tolerance", "check the sizes of the material numbers");
  return s;
}

Vector LinearStatics::adjoint(const Vector& g) {
  const FunctionSpace& space = equations_.space();
  Vector b = space.zeros(), lambda = space.zeros();
  b.copy_from(g);
  supports().gather(b);
  supports().set_zero(b);
  if (equations_.symmetric()) solve_tangent(b, lambda);
  else solve_transposed(b, lambda);
  supports().set_linear(lambda);
  return lambda;
}

Vector LinearStatics::by_prescribed(const Vector& g, const Vector& lambda) {
  const FunctionSpace& space = equations_.space();
  Vector with = space.zeros();  // K^T lambda
  if (equations_.symmetric()) equations_.action(state(), lambda, with);
  else transposed_tangent(false).apply(lambda, with);
  Vector result = space.zeros();
  result.copy_from(g);
  axpy(-1, with, result);
  supports().gather(result);
  supports().keep_prescribed(result);
  return result;
}

CellWork& LinearStatics::work() {
  if (!work_) work_.emplace(equations_.space(), model_.equations);
  return *work_;
}

std::vector<double> by_array(LinearStatics& statics, MeshField& array, const std::string& name, const Vector& u,
                             const Vector& lambda, const Vector& by_prescribed) {
  return ArrayDerivative(statics, array, name).of(u, lambda, by_prescribed);
}

}  // namespace ritz
