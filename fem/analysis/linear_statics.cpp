#include "fem/analysis/linear_statics.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

void check_linear(const Model& model) {
  check(model, Static{});
  if (!model.means.empty())
    throw Error(Exit::model, "a model with prescribed means, where one linear solution is asked for", {},
                "prescribe displacements, or give a force");
}

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

// Differences in the entries of an array, each in the cells that it reaches.
class ArrayDerivative {
 public:
  ArrayDerivative(LinearStatics& statics, GivenArrays& arrays, const std::string& name)
      : statics_(statics), arrays_(arrays), name_(name), base_(arrays.all().at(name)) {
    double sum = 0;
    for (const double value : base_.values) sum += std::abs(value);
    const double mean = sum > 0 ? sum / static_cast<double>(base_.values.size()) : 1;
    for (const double value : base_.values) step_.push_back(relative_step * std::max(std::abs(value), mean));
  }
  ArrayDerivative(const ArrayDerivative&) = delete;
  ArrayDerivative& operator=(const ArrayDerivative&) = delete;
  ~ArrayDerivative() { arrays_.set(name_, base_); }

  std::vector<double> of(const Vector& u, const Vector& lambda, const Vector& by_prescribed) {
    std::vector<double> result(base_.values.size(), 0.0);
    add_prescribed(by_prescribed, result);
    const Mesh& mesh = statics_.equations().space().mesh();
    std::vector<int> colour(result.size(), 0);
    const int colours = base_.at_nodes ? colour_nodes(mesh, colour) : 1;
    for (int c = 0; c < colours; ++c) {
      const std::vector<double> change = work_of(colour, c, u, lambda);  // [cell]
      for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
        auto entry = static_cast<std::size_t>(cell);
        if (base_.at_nodes) {
          const auto nodes = mesh.nodes_of(cell);
          const auto of_colour =
              std::ranges::find_if(nodes, [&](Node n) { return colour[static_cast<std::size_t>(n)] == c; });
          if (of_colour == nodes.end()) continue;
          entry = static_cast<std::size_t>(*of_colour);
        }
        result[entry] -= change[static_cast<std::size_t>(cell)] / step_[entry];
      }
    }
    arrays_.set(name_, base_);
    statics_.work().numbers_changed();
    return result;
  }

 private:
  // h. The formula is off by about h^4, rounding by 1e-16 / h; and Poisson's ratio may be moved by 2 h near 0.5.
  static constexpr double relative_step = 1e-4;

  void move(const std::vector<int>& colour, int chosen, double steps) {
    GivenArray moved = base_;
    for (std::size_t i = 0; i < moved.values.size(); ++i)
      if (colour[i] == chosen) moved.values[i] += steps * step_[i];
    arrays_.set(name_, std::move(moved));
  }

  // d(work)/d(step), by the central formula of fourth order.
  std::vector<double> work_of(const std::vector<int>& colour, int chosen, const Vector& u, const Vector& lambda) {
    std::vector<double> sum;
    for (const auto& [steps, weight] :
         {std::pair{1.0, 2.0 / 3}, {-1.0, -2.0 / 3}, {2.0, -1.0 / 12}, {-2.0, 1.0 / 12}}) {
      move(colour, chosen, steps);
      statics_.work().numbers_changed();
      const std::vector<double> work = statics_.work()(u, lambda);
      sum.resize(work.size(), 0.0);
      for (std::size_t i = 0; i < work.size(); ++i) sum[i] += weight * work[i];
    }
    return sum;
  }

  void add_prescribed(const Vector& by_prescribed, std::vector<double>& result) {
    if (statics_.supports_are_numbers()) return;
    const FunctionSpace& space = statics_.equations().space();
    const std::vector<int> all(result.size(), 0);
    move(all, 0, 1);
    std::vector<double> values = statics_.values_of_supports();
    move(all, 0, -1);
    const std::vector<double> below = statics_.values_of_supports(), weights = by_prescribed.host();
    const auto components = static_cast<std::size_t>(space.components());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == below[i]) continue;
      if (!base_.at_nodes || !space.isoparametric())
        throw Error(Exit::input, fmt::format("the derivative by the array '{}' of prescribed values", name_),
                    "the values are those at the nodes of the field",
                    "give an array for each node, and leave [space] order to the mesh");
      const auto node = static_cast<std::size_t>(space.mesh_node_of(static_cast<Node>(i / components)));
      result[node] += weights[i] * (values[i] - below[i]) / (2 * step_[node]);
    }
  }

  LinearStatics& statics_;
  GivenArrays& arrays_;
  std::string name_;
  GivenArray base_;
  std::vector<double> step_;
};

}  // namespace

bool LinearStatics::supports_are_numbers() const {
  return std::ranges::all_of(model_.supports, [](const PrescribedValue& p) { return p.value.is_number(); });
}

std::vector<double> LinearStatics::values_of_supports() const {
  Vector values = equations_.space().zeros();
  make_constraints(model_).set_values(values);
  return values.host();
}

LinearStatics::LinearStatics(const Model& model, const LinearSolverOptions& options)
    : model_((check_linear(model), model)),
      equations_(*model.space, model.equations),
      supports_(make_constraints(model)),
      system_(equations_, promised(options, model), LinearSystem::Keeps::solver) {
  if (!equations_.symmetric())
    throw Error(Exit::model, "the tangent of the model is not symmetric", "adjoints are solved with the same matrix",
                "take forms that are symmetric");
}

void LinearStatics::numbers_changed() {
  equations_.set_numbers(model_.equations);
  if (work_) work_->numbers_changed();
  if (!supports_are_numbers()) supports_.emplace(make_constraints(model_));
  current_ = false;
}

SolveReport LinearStatics::solve_tangent(const Vector& b, Vector& x) {
  if (!current_) system_.linearise(equations_.space().zeros(), supports(), true);
  current_ = true;
  const SolveReport report = system_.solve(b, x);
  throw_unless_converged(report);
  return report;
}

LinearStatics::Solution LinearStatics::solve(const Vector* load, const Vector* prescribed) {
  const FunctionSpace& space = equations_.space();
  const Constraints& held = supports();
  Solution s{.u = space.zeros(), .report = {}, .residual = 0};
  held.set_values(s.u);
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
  solve_tangent(b, lambda);
  supports().set_linear(lambda);
  return lambda;
}

Vector LinearStatics::by_prescribed(const Vector& g, const Vector& lambda) const {
  const FunctionSpace& space = equations_.space();
  Vector with = space.zeros(), without = space.zeros();  // K lambda = R(lambda) - R(0)
  equations_.residual(lambda, with);
  equations_.residual(space.zeros(), without);
  axpy(-1, without, with);
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

std::vector<double> by_array(LinearStatics& statics, GivenArrays& arrays, const std::string& name, const Vector& u,
                             const Vector& lambda, const Vector& by_prescribed) {
  return ArrayDerivative(statics, arrays, name).of(u, lambda, by_prescribed);
}

}  // namespace ritz
