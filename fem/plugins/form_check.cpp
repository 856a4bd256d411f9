#include "device/error.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

class FormCheck {
 public:
  FormCheck(const std::vector<FormOnDevice>& devices, const FormRecord& record, const FormCheckOptions& options)
      : devices_(devices), record_(record), options_(options), form_(devices.front()) {}

  std::vector<CheckResult> run() {
    const std::vector<int> orders = options_.element ? std::vector{options_.element->order} : std::vector{1, 2};
    for (const CellKind kind : shapes())
      for (const int order : orders) {
        place_ = fmt::format("{}, order {}", traits(kind).name, order);
        try {
          check(kind, {.order = order, .elements = elements()});
        } catch (const Error& error) { add_failure("can be computed", error.message()); }
      }
    return std::move(results_);
  }

 private:
  std::vector<CellKind> shapes() const {
    if (options_.element) return {options_.element->shape};
    if (record_.dimension == 2) return {CellKind::tri3, CellKind::quad4};
    return {CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::pyramid5};
  }
  std::vector<ReferenceElement> elements() const {
    return options_.element ? std::vector{*options_.element} : std::vector<ReferenceElement>{};
  }

  void add(const std::string& check, double number, double limit, const std::string& note, bool at_least = false) {
    const bool passed = at_least ? number >= limit : number <= limit;  // NaN: no
    results_.push_back({check, place_, passed, number, limit, at_least, note});
  }
  void add_failure(const std::string& check, const std::string& note) {
    results_.push_back({check, place_, false, NAN, 0, false, note});
  }

  void check(CellKind kind, const SpaceOptions& space) {
    const Mesh mesh = check_mesh(kind, 2, {.random = 0.05});
    const CheckModel model(mesh, form_, space);
    const Numbers u = wave(model, options_.amplitude, 1), v = wave(model, 1, 2), w = wave(model, 1, 3);
    if (!check_finite(model, u)) return;
    if (record_.linear) check_linear(model, u, v);
    if (record_.has_matrix) check_tangent(model, u, v, w);
    else
      add("load", relative(norm(sum(1, model.residual(u), -1, model.residual(v))), norm(model.residual(u))), 1e-12,
          load_note);
    if (record_.objective) {
      check_rigid_motions(model, u);
      if (record_.components == record_.dimension && !record_.uses_value && !record_.of_revolution &&
          record_.codimension == 0)
        add("balance", imbalance(model, record_, u, model.residual(u)), 1e-9, balance_note);
      if (!record_.uses_value && !record_.of_revolution && record_.codimension == 0) check_patch(model);
    }
    if (!record_.varies_in_time) check_time(mesh, model, space, u);
    check_quadrature(mesh, model, space, u);
    check_backends(mesh, model, space, u, v);
    if (record_.state_count > 0) {
      check_states(
          devices_, record_, options_.amplitude,
          [&](const FormOnDevice& form) { return CheckModel(mesh, form, space); }, u, v,
          [&](const char* check, double number, double limit, const std::string& note) {
            add(check, number, limit, note);
          });
    }
    if (record_.codimension == 1 || !record_.has_matrix) return;
    if (record_.objective) check_zero_modes(kind, space);
    check_convergence(kind, space);
  }

  // Forms with internal variables may yield: across the border of the plastic zone no solution is smooth, and so they
  // are looked at in smaller fields, too.
  void check_convergence(CellKind kind, const SpaceOptions& space) {
    const double least = space.order + 0.6;
    double amplitude = options_.amplitude;
    ConvergenceCheck order = convergence_order(kind, form_, space, amplitude);
    for (int i = 0; i < 2 && record_.state_count > 0 && (!order.failure.empty() || !(order.order >= least)); ++i) {
      amplitude *= 1e-3;
      order = convergence_order(kind, form_, space, amplitude);
    }
    if (!order.failure.empty()) return add_failure("convergence order", order.failure);
    add("convergence order", order.order, least,
        fmt::format("of the error in u at a field of size {:g}; {} is expected", amplitude, space.order + 1), true);
  }

  Numbers wave(const CheckModel& model, double amplitude, int number) const {
    return model.values([&](const Point& x, int c) { return amplitude * check_wave(x, c + 3 * number); });
  }

  bool check_finite(const CheckModel& model, const Numbers& u) {
    double bad = 0;
    for (const double r : model.residual(u)) bad += !std::isfinite(r);
    if (record_.has_matrix)
      for (const double k : model.matrix(u).values().host()) bad += !std::isfinite(k);
    add("finite", bad, 0,
        fmt::format("entries of residual and tangent that are not finite, at a field of size {:g}",
                    options_.amplitude));
    return bad == 0;
  }

  void check_linear(const CheckModel& model, const Numbers& u, const Numbers& v) {
    add("linear", nonlinearity(model, u, v), 1e-10, "r(3u + v) - 3r(u) - r(v), less r(0)");
  }

  void check_tangent(const CheckModel& model, const Numbers& u, const Numbers& v, const Numbers& w) {
    const SparseMatrix K = model.matrix(u);
    const Numbers Kv = model.product(K, v), Jv = model.difference(u, v), Jw = model.difference(u, w);
    if (record_.symmetric)
      add("symmetric tangent", relative(std::abs(dot(w, Jv) - dot(v, Jw)), norm(v) * norm(Jw) + norm(w) * norm(Jv)),
          1e-7, "w.Jv - v.Jw with J from differences");
    add("tangent", relative(norm(sum(1, Kv, -1, Jv)), norm(Jv) + norm(Kv)), 1e-6,
        "Kv against differences of the residual");
    add("action", relative(norm(sum(1, Kv, -1, model.action(u, v))), norm(Kv)), 1e-11, "without a matrix, against Kv");
    const Numbers d = K.diagonal().host();
    add("diagonal", relative(norm(sum(1, d, -1, model.equations.diagonal(model.up(u)).host())), norm(d)), 1e-11,
        "without a matrix, against K's");
  }

  // Constants for any number of components; rotations of vector fields, finite ones of nonlinear forms.
  void check_rigid_motions(const CheckModel& model, const Numbers& u) {
    const double scale = norm(model.residual(u)) / options_.amplitude;
    double worst = 0;
    const bool turns = record_.components == record_.dimension && !record_.of_revolution;
    // bodies of revolution move along the axis alone
    for (int c = record_.components == 2 && record_.of_revolution ? 1 : 0; c < record_.components; ++c)
      worst =
          std::max(worst, norm(model.residual(model.values([&](const Point&, int i) { return i == c ? 1.0 : 0.0; }))));
    if (turns) {
      const double angle = 0.4, cosine = record_.small_displacements ? 1 : std::cos(angle),
                   sine = record_.small_displacements ? angle : std::sin(angle);
      for (int axis = record_.dimension == 3 ? 0 : 2; axis < 3; ++axis) {
        const int a = (axis + 1) % 3, b = (axis + 2) % 3;
        const auto turn = [&](const Point& x, int i) {
          const double p = x[static_cast<std::size_t>(a)], q = x[static_cast<std::size_t>(b)];
          return i == a ? (cosine - 1) * p - sine * q : i == b ? sine * p + (cosine - 1) * q : 0.0;
        };
        worst = std::max(worst, norm(model.residual(model.values(turn))));
      }
    }
    const bool turned_finitely = turns && !record_.small_displacements;
    add("rigid motions", relative(worst, scale), 1e-9,
        turned_finitely
            ? "residual of motions that should cost nothing, finite rotations among them: a law of the small "
              "strain says small_displacements = true"
            : "residual of motions that should cost nothing");
  }

  // A linear field on distorted cells: what its flux gives to a node inside cancels.
  void check_patch(const CheckModel& model) {
    const Numbers u = model.values([&](const Point& x, int c) {
      return options_.amplitude *
             ((0.7 + 0.2 * c) * x[0] - (0.4 - 0.3 * c) * x[1] + (record_.dimension == 3 ? 0.5 - 0.1 * c : 0) * x[2]);
    });
    const Numbers r = model.residual(u);
    double inside = 0;
    const auto components = static_cast<std::size_t>(record_.components);
    for (Node node = 0; node < model.space.node_count(); ++node)
      if (is_inside(model.space.point(node), record_.dimension))
        for (std::size_t c = 0; c < components; ++c)
          inside = std::max(inside, std::abs(r[static_cast<std::size_t>(node) * components + c]));
    add("patch test", relative(inside, norm(r)), 1e-9, "residual inside under a linear field, to that on the sides");
  }

  // Analyses keep the matrix of a form that does not claim to vary in time.
  void check_time(const Mesh& mesh, const CheckModel& model, const SpaceOptions& space, const Numbers& u) {
    CheckModel later(mesh, form_, space);
    later.equations.set_time({.t = 1.7, .dt = 0.3});
    const Numbers r = model.residual(u);
    add("constant in time", relative(norm(sum(1, r, -1, later.residual(u))), norm(r)), 0,
        "residual at another time; a form that reads t or dt says varies_in_time = true");
  }

  // Does a finer rule change the residual? No rule is exact for curves in u: nonlinear forms may differ by what two
  // cells per side do to them, and the order of convergence says the rest.
  void check_quadrature(const Mesh& mesh, const CheckModel& model, const SpaceOptions& space, const Numbers& u) {
    FormOnDevice finer = form_;
    finer.form.extra_degree += 4;
    const Numbers r = model.residual(u), better = CheckModel(mesh, finer, space).residual(u);
    add("quadrature", relative(norm(sum(1, r, -1, better)), norm(better)), record_.linear ? 2e-3 : 5e-2,
        "residual with a rule of 4 degrees more");
  }

  void check_backends(const Mesh& mesh, const CheckModel& model, const SpaceOptions& space, const Numbers& u,
                      const Numbers& v) {
    const Numbers r = model.residual(u), Kv = record_.has_matrix ? model.product(model.matrix(u), v) : r;
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      const CheckModel other(mesh, devices_[i], space);
      double worst = relative(norm(sum(1, r, -1, other.residual(u))), norm(r));
      if (record_.has_matrix)
        worst = std::max(worst, relative(norm(sum(1, Kv, -1, other.product(other.matrix(u), v))), norm(Kv)));
      add("back ends", worst, 1e-11,
          fmt::format("residual and tangent on {} against {}", devices_[i].device.backend(), form_.device.backend()));
    }
  }

  // A free element at rest has rigid motions and no other modes without energy.
  void check_zero_modes(CellKind kind, const SpaceOptions& space) {
    const Mesh mesh = one_cell(kind);
    const CheckModel model(mesh, form_, space);
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
    const int d = record_.dimension, expected = record_.components != d ? record_.components
                                                : record_.of_revolution ? 1
                                                                        : d * (d + 1) / 2;
    add("zero-energy modes", std::abs(double(modes - expected)), 0,
        fmt::format("{} of a free element, {} rigid motions", modes, expected));
  }

  const std::vector<FormOnDevice>& devices_;
  const FormRecord& record_;
  const FormCheckOptions& options_;
  const FormOnDevice& form_;
  std::string place_;
  std::vector<CheckResult> results_;
};

}  // namespace

std::vector<CheckResult> check_form(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                    const FormCheckOptions& options) {
  if (record.cell >= 0) return check_whole_element(devices, record, options);
  return FormCheck(devices, record, options).run();
}

bool all_passed(const std::vector<CheckResult>& results) { return std::ranges::all_of(results, &CheckResult::passed); }

}  // namespace ritz
