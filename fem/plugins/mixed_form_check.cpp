#include "device/error.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "fem/results/vector_field.hpp"
#include "mesh/cell_rotations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

using Field = std::function<double(const Point&, int component)>;

PointFunction component_of(const Field& field, int component) {
  return [field, component](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = field({x[3 * i], x[3 * i + 1], x[3 * i + 2]}, component);
  };
}

// A form of several fields on a mesh, with host vectors.
struct MixedCheckModel {
  MixedCheckModel(const Mesh& mesh, const MixedFormOnDevice& f)
      : equations(spaces_of(f.form, mesh, f.device), {over_all(f.form, mesh)}) {}

  // Over all cells, or all facets at the surface.
  static MixedIntegral over_all(const MixedFormValue& form, const Mesh& mesh) {
    if (form.codimension == 0) return MixedIntegral::over_all_cells(form);
    return MixedIntegral::over(form, Region{"surface", RegionKind::facets, {}, boundary_facets(mesh), {}});
  }

  Vector up(const Numbers& x) const { return Vector(equations.device(), std::span<const double>(x), "vectors"); }
  Numbers residual(const Numbers& u) const {
    Vector r = equations.zeros();
    equations.residual(up(u), r);
    return r.host();
  }
  Numbers action(const Numbers& u, const Numbers& x) const {
    Vector y = equations.zeros();
    equations.action(up(u), up(x), y);
    return y.host();
  }
  Numbers product(const Numbers& u, const Numbers& x) const {
    BlockOperator K = equations.make_matrix();
    equations.assemble(up(u), K);
    Vector y = equations.zeros();
    K.apply(up(x), y);
    return y.host();
  }
  // Derivative of the residual at u along x by central differences.
  Numbers difference(const Numbers& u, const Numbers& x, double h = 1e-5) const {
    return sum(0.5 / h, residual(sum(1, u, h, x)), -0.5 / h, residual(sum(1, u, -h, x)));
  }
  // Interpolant; component c of field k is field(x, c + 3 k).
  Numbers values(const Field& field) const {
    Vector u = equations.zeros();
    for (int k = 0; k < equations.field_count(); ++k) {
      const FunctionSpace& space = equations.space(k);
      const auto of_field = [&](const Point& x, int c) { return field(x, c + 3 * k); };
      if (equations.terms().family(k) == Family::facet || equations.terms().family(k) == Family::edge) {
        std::vector<PointFunction> vector;
        for (int d = 0; d < space.mesh().dimension(); ++d) vector.push_back(component_of(of_field, d));
        equations.layout().put(interpolate(equations, k, vector), k, u);
      } else {
        const Numbers nodal = nodal_values(space, of_field);
        equations.layout().put(Vector(space.device(), std::span<const double>(nodal), "vectors"), k, u);
      }
    }
    return u.host();
  }
  // The part of a field alone; zero elsewhere.
  Numbers part(const Numbers& x, int field) const {
    Numbers alone(x.size(), 0.0);
    const auto first = static_cast<std::ptrdiff_t>(equations.layout().first(field)),
               size = static_cast<std::ptrdiff_t>(equations.layout().size(field));
    std::copy_n(x.begin() + first, size, alone.begin() + first);
    return alone;
  }

  FieldsOperator equations;
};

class MixedFormCheck {
 public:
  MixedFormCheck(const std::vector<MixedFormOnDevice>& devices, double amplitude)
      : devices_(devices), form_(devices.front()), amplitude_(amplitude) {}

  std::vector<CheckResult> run() {
    for (const CellKind kind : shapes()) {
      place_ = std::string(traits(kind).name);
      try {
        check(kind);
      } catch (const Error& error) {
        results_.push_back({"can be computed", place_, false, NAN, 0, false, error.message()});
      }
    }
    return std::move(results_);
  }

 private:
  // Those that have elements for every field.
  std::vector<CellKind> shapes() const {
    if (form_.form.dimension == 2) return {CellKind::tri3, CellKind::quad4};
    std::vector<CellKind> all = {CellKind::tet4, CellKind::hex8};
    const auto nodal = [](const FieldFacts& f) { return f.family == Family::lagrange; };
    if (std::ranges::all_of(form_.form.fields, nodal)) all.insert(all.end(), {CellKind::prism6, CellKind::pyramid5});
    return all;
  }

  void add(const std::string& check, double number, double limit, const std::string& note) {
    results_.push_back({check, place_, number <= limit, number, limit, false, note});  // NaN: no
  }

  Numbers wave(const MixedCheckModel& model, double amplitude, int number) const {
    return model.values([&](const Point& x, int c) { return amplitude * check_wave(x, c + 12 * number); });
  }

  void check(CellKind kind) {
    const Mesh mesh = check_mesh(kind, 2, {.random = 0.05});
    MixedCheckModel model(mesh, form_);
    const Numbers u = wave(model, amplitude_, 1), v = wave(model, 1, 2), w = wave(model, 1, 3);
    const Numbers r = model.residual(u), Kv = model.product(u, v);
    const auto bad = std::ranges::count_if(r, [](double x) { return !std::isfinite(x); }) +
                     std::ranges::count_if(Kv, [](double x) { return !std::isfinite(x); });
    add("finite", static_cast<double>(bad), 0,
        fmt::format("entries of residual and tangent that are not finite, at fields of size {:g}", amplitude_));
    if (bad > 0) return;
    if (form_.form.linear) check_linear(model, u, v);
    check_tangent(model, u, v, w, Kv);
    check_couplings(model, u, v);
    if (!form_.form.numbers.varies_in_time()) {
      model.equations.inputs().set_time({.t = 1.7, .dt = 0.3});
      add("constant in time", relative(norm(sum(1, r, -1, model.residual(u))), norm(r)), 0,
          "residual at another time; a form that reads t or dt says varies_in_time = true");
      model.equations.inputs().set_time({});
    }
    const double by_rule = check_quadrature(mesh, u, r);
    check_turned_cells(mesh, model, by_rule);
    check_backends(mesh, u, v, r, Kv);
  }

  void check_linear(const MixedCheckModel& model, const Numbers& u, const Numbers& v) {
    add("linear", nonlinearity(model, u, v), 1e-10, "r(3u + v) - 3r(u) - r(v), less r(0)");
  }

  void check_tangent(const MixedCheckModel& model, const Numbers& u, const Numbers& v, const Numbers& w,
                     const Numbers& Kv) {
    const Numbers Jv = model.difference(u, v), Jw = model.difference(u, w);
    if (form_.form.symmetric)
      add("symmetric tangent", relative(std::abs(dot(w, Jv) - dot(v, Jw)), norm(v) * norm(Jw) + norm(w) * norm(Jv)),
          1e-7, "w.Jv - v.Jw with J from differences");
    const Numbers action = model.action(u, v);
    add("tangent", relative(norm(sum(1, action, -1, Jv)), norm(Jv) + norm(action)), 1e-6,
        "without a matrix, against differences of the residual");
    add("blocks", relative(norm(sum(1, Kv, -1, action)), norm(action)), 1e-11, "Kv against that without a matrix");
  }

  // Blocks that the form says do not exist, by differences.
  void check_couplings(const MixedCheckModel& model, const Numbers& u, const Numbers& v) {
    double worst = 0;
    std::string which = "each field's flux depends on the fields that couples() names alone";
    for (int trial = 0; trial < form_.form.field_count(); ++trial) {
      const Numbers Jv = model.difference(u, model.part(v, trial));
      for (int test = 0; test < form_.form.field_count(); ++test) {
        if (form_.form.couples[static_cast<std::size_t>(test)][static_cast<std::size_t>(trial)]) continue;
        const double size = relative(norm(model.part(Jv, test)), norm(model.difference(u, v)));
        if (size <= worst) continue;
        worst = size;
        which = fmt::format("couples({}, {}): what the flux of '{}' changes with '{}'", test, trial,
                            form_.form.fields[static_cast<std::size_t>(test)].name,
                            form_.form.fields[static_cast<std::size_t>(trial)].name);
      }
    }
    add("couplings", worst, 1e-7, which);
  }

  double check_quadrature(const Mesh& mesh, const Numbers& u, const Numbers& r) {
    MixedFormOnDevice finer = form_;
    finer.form.numbers.extra_degree += 4;
    const Numbers better = MixedCheckModel(mesh, finer).residual(u);
    const double number = relative(norm(sum(1, r, -1, better)), norm(better));
    add("quadrature", number, form_.form.linear ? 2e-3 : 5e-2, "residual with a rule of 4 degrees more");
    return number;
  }

  // r(u).w of linear fields, which every cell represents however it is numbered.
  void check_turned_cells(const Mesh& mesh, const MixedCheckModel& model, double by_rule) {
    const auto linear = [&](int number) {
      return [=](const Point& x, int c) {
        return std::sin(number + c) + std::cos(2 * number + c) * x[0] + std::sin(3 * number + 2 * c) * x[1] +
               std::cos(number - c) * x[2];
      };
    };
    const auto work = [&](const MixedCheckModel& on, double& scale) {
      const auto field = linear(1);
      const Numbers r = on.residual(on.values([&](const Point&x, int c) { return amplitude_ * field(x, c); })),
                    w = on.values(linear(2));
      for (std::size_t i = 0; i < r.size(); ++i) scale += std::abs(r[i] * w[i]);
      return dot(r, w);
    };
    double scale = 0, unused = 0;
    const double here = work(model, scale);
    const Mesh turned = turned_at_random(mesh, 5);
    const double there = work(MixedCheckModel(turned, form_), unused);
    add("turned cells", relative(std::abs(here - there), scale), 1e-10 + 10 * by_rule,
        "work of the residual on a mesh that is numbered otherwise");
  }

  void check_backends(const Mesh& mesh, const Numbers& u, const Numbers& v, const Numbers& r, const Numbers& Kv) {
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      const MixedCheckModel other(mesh, devices_[i]);
      const double worst = std::max(relative(norm(sum(1, r, -1, other.residual(u))), norm(r)),
                                    relative(norm(sum(1, Kv, -1, other.product(u, v))), norm(Kv)));
      add("back ends", worst, 1e-11,
          fmt::format("residual and tangent on {} against {}", devices_[i].device.backend(), form_.device.backend()));
    }
  }

  const std::vector<MixedFormOnDevice>& devices_;
  const MixedFormOnDevice& form_;
  double amplitude_;
  std::string place_;
  std::vector<CheckResult> results_;
};

}  // namespace

std::vector<CheckResult> check_mixed_form(const std::vector<MixedFormOnDevice>& devices, double amplitude) {
  return MixedFormCheck(devices, amplitude).run();
}

bool same_forces(const MixedFormOnDevice& a, const MixedFormOnDevice& b, double amplitude) {
  const Mesh mesh = check_mesh(a.form.dimension == 2 ? CellKind::quad4 : CellKind::hex8, 2, {.random = 0.05});
  const MixedCheckModel one(mesh, a), other(mesh, b);
  const Numbers u = one.values([&](const Point& x, int c) { return amplitude * check_wave(x, c); });
  return one.residual(u) == other.residual(u);
}

}  // namespace ritz
