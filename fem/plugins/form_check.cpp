#include "device/error.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// Forms with internal variables may yield: across the border of the plastic zone no solution is smooth, and so they
// are looked at in smaller fields, too.
void check_convergence(CellKind kind, const CheckedForm& s, CheckList& results) {
  const double least = s.space.order + 0.6;
  double amplitude = s.amplitude;
  ConvergenceCheck order = convergence_order(kind, s.form(), s.space, amplitude);
  for (int i = 0; i < 2 && s.record.state_count > 0 && (!order.failure.empty() || !(order.order >= least)); ++i) {
    amplitude *= 1e-3;
    order = convergence_order(kind, s.form(), s.space, amplitude);
  }
  if (!order.failure.empty()) return results.add_failure("convergence order", order.failure);
  results.add("convergence order", order.order, least,
              fmt::format("of the error in u at a field of size {:g}; {} is expected", amplitude, s.space.order + 1),
              CheckList::Limit::least);
}

// Constants for any number of components; rotations of vector fields, finite ones of nonlinear forms.
void check_rigid_motions(const CheckedForm& s, CheckList& results) {
  const double scale = norm(s.model.residual(s.u)) / s.amplitude;
  double worst = 0;
  const bool turns = s.record.components == s.record.dimension && !s.record.of_revolution;
  // bodies of revolution move along the axis alone
  for (int c = s.record.components == 2 && s.record.of_revolution ? 1 : 0; c < s.record.components; ++c)
    worst = std::max(worst,
                     norm(s.model.residual(s.model.values([&](const Point&, int i) { return i == c ? 1.0 : 0.0; }))));
  if (turns) {
    const double angle = 0.4, cosine = s.record.small_displacements ? 1 : std::cos(angle),
                 sine = s.record.small_displacements ? angle : std::sin(angle);
    for (int axis = s.record.dimension == 3 ? 0 : 2; axis < 3; ++axis) {
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      const auto turn = [&](const Point& x, int i) {
        const double p = x[static_cast<std::size_t>(a)], q = x[static_cast<std::size_t>(b)];
        return i == a ? (cosine - 1) * p - sine * q : i == b ? sine * p + (cosine - 1) * q : 0.0;
      };
      worst = std::max(worst, norm(s.model.residual(s.model.values(turn))));
    }
  }
  const bool turned_finitely = turns && !s.record.small_displacements;
  results.add("rigid motions", relative(worst, scale), 1e-9,
              turned_finitely
                  ? "residual of motions that should cost nothing, finite rotations among them: a law of the small "
                    "strain says small_displacements = true"
                  : "residual of motions that should cost nothing");
}

// A linear field on distorted cells: what its flux gives to a node inside cancels.
void check_patch(const CheckedForm& s, CheckList& results) {
  const Numbers u = s.model.values([&](const Point& x, int c) {
    return s.amplitude *
           ((0.7 + 0.2 * c) * x[0] - (0.4 - 0.3 * c) * x[1] + (s.record.dimension == 3 ? 0.5 - 0.1 * c : 0) * x[2]);
  });
  const Numbers r = s.model.residual(u);
  double inside = 0;
  const auto components = static_cast<std::size_t>(s.record.components);
  for (Node node = 0; node < s.model.space.node_count(); ++node)
    if (is_inside(s.model.space.point(node), s.record.dimension))
      for (std::size_t c = 0; c < components; ++c)
        inside = std::max(inside, std::abs(r[static_cast<std::size_t>(node) * components + c]));
  results.add("patch test", relative(inside, norm(r)), 1e-9,
              "residual inside under a linear field, to that on the sides");
}

// Analyses keep the matrix of a form that does not claim to vary in time.
void check_time(const CheckedForm& s, CheckList& results) {
  CheckModel later = s.with(s.form());
  later.equations.inputs().set_time({.t = 1.7, .dt = 0.3});
  const Numbers r = s.model.residual(s.u);
  results.add("constant in time", relative(norm(sum(1, r, -1, later.residual(s.u))), norm(r)), 0,
              "residual at another time; a form that reads t or dt says varies_in_time = true");
}

// Does a finer rule change the residual? No rule is exact for curves in u: nonlinear forms may differ by what two
// cells per side do to them, and the order of convergence says the rest.
void check_quadrature(const CheckedForm& s, CheckList& results) {
  FormOnDevice finer = s.form();
  finer.form.extra_degree += 4;
  const Numbers r = s.model.residual(s.u), better = s.with(finer).residual(s.u);
  results.add("quadrature", relative(norm(sum(1, r, -1, better)), norm(better)), s.record.linear ? 2e-3 : 5e-2,
              "residual with a rule of 4 degrees more");
}

// A free element at rest has rigid motions and no other modes without energy.
void check_zero_modes(CellKind kind, const CheckedForm& s, CheckList& results) {
  const Mesh mesh = one_cell(kind);
  const CheckModel model(mesh, s.form(), s.space);
  const auto n = static_cast<std::size_t>(model.space.unknown_count());
  const HostMatrix K = host_matrix(model.matrix(Numbers(n, 0.0)));
  Numbers dense(n * n, 0.0), square(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = static_cast<std::size_t>(K.offsets[i]); e < static_cast<std::size_t>(K.offsets[i + 1]); ++e)
      dense[i * n + static_cast<std::size_t>(K.columns[e])] = K.values[e];
  for (std::size_t i = 0; i < n; ++i)  // singular values: the tangent need not be symmetric
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) square[i * n + j] += dense[k * n + i] * dense[k * n + j];
  const SymmetricEigen eigen = symmetric_eigen(square, static_cast<int>(n));
  const double zero = 1e-12 * eigen.values.back();
  const auto modes = std::ranges::count_if(eigen.values, [&](double value) { return value <= zero; });
  const int d = s.record.dimension, expected = s.record.components != d ? s.record.components
                                               : s.record.of_revolution ? 1
                                                                        : d * (d + 1) / 2;
  results.add("zero-energy modes", std::abs(double(modes - expected)), 0,
              fmt::format("{} of a free element, {} rigid motions", modes, expected));
}

// Does the form integrate a flux against gradients alone, over cells?
bool is_gradient_form(const FormRecord& record) {
  return !record.uses_value && !record.of_revolution && record.codimension == 0;
}

void check_on(CellKind kind, const CheckedForm& s, CheckList& results) {
  const FormRecord& record = s.record;
  if (!check_finite(s, results)) return;
  if (record.linear) check_linear(s, results);
  if (record.has_matrix) check_tangent(s, results);
  else check_load(s, results);
  if (record.objective) {
    check_rigid_motions(s, results);
    if (record.components == record.dimension && is_gradient_form(record)) check_balance(s, results);
    if (is_gradient_form(record)) check_patch(s, results);
  }
  if (!record.varies_in_time) check_time(s, results);
  check_quadrature(s, results);
  check_backends(s, results);
  if (record.state_count > 0) check_states(s, results);
  if (record.codimension == 1 || !record.has_matrix) return;
  if (record.objective) check_zero_modes(kind, s, results);
  check_convergence(kind, s, results);
}

std::vector<CellKind> shapes_of(const FormRecord& record, const FormCheckOptions& options) {
  if (options.element) return {options.element->shape};
  if (record.dimension == 2) return {CellKind::tri3, CellKind::quad4};
  return {CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5};
}

}  // namespace

std::vector<CheckResult> check_form(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                    const FormCheckOptions& options) {
  if (record.cell >= 0) return check_whole_element(devices, record, options);
  const std::vector<int> orders = options.element ? std::vector{options.element->order} : std::vector{1, 2};
  CheckList results;
  for (const CellKind kind : shapes_of(record, options))
    for (const int order : orders) {
      results.on = fmt::format("{}, order {}", traits(kind).name, order);
      SpaceOptions space{.order = order};
      if (options.element) space.elements = {*options.element};
      try {
        const Mesh mesh = check_mesh(kind, 2, {.random = 0.05});
        check_on(kind, CheckedForm(devices, record, options.amplitude, mesh, space), results);
      } catch (const Error& error) { results.add_failure("can be computed", error.message()); }
    }
  return std::move(results.results);
}

bool all_passed(const std::vector<CheckResult>& results) { return std::ranges::all_of(results, &CheckResult::passed); }

}  // namespace ritz
