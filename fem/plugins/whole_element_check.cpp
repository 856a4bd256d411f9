#include "device/error.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {}  // namespace

Mesh cells_to_check(CellKind kind) {
  const CellTraits& t = traits(kind);
  if (t.dimension == 3) return check_mesh(kind, 2, {.random = 0.05});
  if (t.dimension == 2) {
    MeshData data = rectangle_data(2, 2, {1, 1}, kind, {.random = 0.1});
    data.dimension = 3;
    data.structural = true;
    for (std::size_t i = 0; i < data.points.size(); i += 3) {
      const double x = data.points[i], y = data.points[i + 1];
      data.points[i + 2] = 0.3 * x * x - 0.2 * x * y + 0.4 * y;
    }
    return Mesh(std::move(data));
  }
  MeshData data{.structural = true};
  const int steps = (t.order == 2 || kind == CellKind::line3) ? 2 : 1, count = 4 * steps;
  for (int i = 0; i <= count; ++i) {
    const double s = double(i) / steps;
    data.points.insert(data.points.end(), {s, 0.3 * std::sin(1.7 * s), 0.4 * std::cos(2.3 * s)});
  }
  CellBlock block{.kind = kind == CellKind::vertex1 ? CellKind::line2 : kind};
  for (int e = 0; e < 4; ++e) {
    block.nodes.insert(block.nodes.end(), {e * steps, (e + 1) * steps});
    if (steps == 2) block.nodes.push_back(2 * e + 1);
  }
  data.blocks.push_back(std::move(block));
  return Mesh(std::move(data));
}

namespace {

class WholeElementCheck {
 public:
  WholeElementCheck(const std::vector<FormOnDevice>& devices, const FormRecord& record, const FormCheckOptions& options)
      : devices_(devices),
        record_(record),
        amplitude_(options.amplitude),
        kind_(static_cast<CellKind>(record.cell)),
        mesh_(cells_to_check(kind_)) {}

  std::vector<CheckResult> run() {
    try {
      check();
    } catch (const Error& error) {
      results_.push_back({"can be computed", std::string(traits(kind_).name), false, NAN, 0, false, error.message()});
    }
    return std::move(results_);
  }

 private:
  void add(const std::string& check, double number, double limit, const std::string& note) {
    // NaN: no
    results_.push_back({check, std::string(traits(kind_).name), number <= limit, number, limit, false, note});
  }

  void check() {
    const CheckModel model(mesh_, devices_.front(), {});
    const Numbers u = wave(model, amplitude_, 1), v = wave(model, 1, 2), w = wave(model, 1, 3);
    double bad = 0;
    for (const double r : model.residual(u)) bad += !std::isfinite(r);
    if (record_.has_matrix)
      for (const double k : model.matrix(u).values().host()) bad += !std::isfinite(k);
    add("finite", bad, 0,
        fmt::format("entries of residual and tangent that are not finite, at unknowns of size {:g}", amplitude_));
    if (bad > 0) return;
    if (record_.linear) check_linear(model, u, v);
    if (record_.has_matrix) check_tangent(model, u, v, w);
    else
      add("load", relative(norm(sum(1, model.residual(u), -1, model.residual(v))), norm(model.residual(u))), 1e-12,
          load_note);
    if (record_.objective) check_rigid_motions(model, u);
    if (record_.objective && record_.components >= record_.dimension)
      add("balance", imbalance(model, record_, u, model.residual(u)), 1e-9, balance_note);
    if (record_.objective && record_.has_matrix && record_.components == 6) check_zero_modes();
    check_backends(model, u, v);
    if (record_.state_count > 0)
      check_states(
          devices_, record_, amplitude_, [&](const FormOnDevice& form) { return CheckModel(mesh_, form, {}); }, u, v,
          [&](const char* name, double number, double limit, const std::string& note) {
            add(name, number, limit, note);
          });
  }

  // The unknowns that the element knows; the others of the space are none of its business.
  Numbers wave(const CheckModel& model, double amplitude, int number) const {
    return model.values([&](const Point& x, int c) {
      return c < record_.components ? amplitude * check_wave(x, c + 3 * number) : 0.0;
    });
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

  // Translations; rotations of displacements, with those of the nodes where there are any; finite ones of nonlinear
  // elements.
  void check_rigid_motions(const CheckModel& model, const Numbers& u) {
    const double scale = norm(model.residual(u)) / amplitude_;
    const int directions = std::min(record_.components, record_.dimension);
    double worst = 0;
    for (int c = 0; c < directions; ++c)
      worst =
          std::max(worst, norm(model.residual(model.values([&](const Point&, int i) { return i == c ? 1.0 : 0.0; }))));
    for (int axis = 0; axis < 3 && directions == 3; ++axis) {
      const bool finite = !record_.small_displacements && record_.components == 3;
      const double angle = 0.4, cosine = finite ? std::cos(angle) : 1,
                   sine = finite                        ? std::sin(angle)
                          : record_.small_displacements ? angle
                                                        : 1e-7;
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      const Numbers turned = model.values([&](const Point& x, int i) {
        const double p = x[static_cast<std::size_t>(a)], q = x[static_cast<std::size_t>(b)];
        if (i == 3 + axis && i < record_.components) return sine;
        return i == a ? (cosine - 1) * p - sine * q : i == b ? sine * p + (cosine - 1) * q : 0.0;
      });
      worst = std::max(worst, norm(model.residual(turned)));
    }
    add("rigid motions", relative(worst, scale), 1e-9, "residual of motions that should cost nothing");
  }

  // All the cells together, at rest, have rigid motions and no other modes without energy.
  void check_zero_modes() {
    const CheckModel model(mesh_, devices_.front(), {});
    const auto n = static_cast<std::size_t>(model.space.unknown_count());
    const HostMatrix K = host_matrix(model.matrix(Numbers(n, 0.0)));
    Numbers dense(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (auto e = static_cast<std::size_t>(K.offsets[i]); e < static_cast<std::size_t>(K.offsets[i + 1]); ++e)
        dense[i * n + static_cast<std::size_t>(K.columns[e])] = K.values[e];
    const SymmetricEigen eigen = symmetric_eigen(dense, static_cast<int>(n));
    const auto modes = std::ranges::count_if(
        eigen.values, [&](double value) { return std::abs(value) <= 1e-12 * eigen.values.back(); });
    add("zero-energy modes", std::abs(double(modes - 6)), 0,
        fmt::format("{} of free elements, 6 rigid motions", modes));
  }

  void check_backends(const CheckModel& model, const Numbers& u, const Numbers& v) {
    const Numbers r = model.residual(u), Kv = record_.has_matrix ? model.product(model.matrix(u), v) : r;
    for (std::size_t i = 1; i < devices_.size(); ++i) {
      const CheckModel other(mesh_, devices_[i], {});
      double worst = relative(norm(sum(1, r, -1, other.residual(u))), norm(r));
      if (record_.has_matrix)
        worst = std::max(worst, relative(norm(sum(1, Kv, -1, other.product(other.matrix(u), v))), norm(Kv)));
      add("back ends", worst, 1e-11,
          fmt::format("residual and tangent on {} against {}", devices_[i].device.backend(),
                      devices_.front().device.backend()));
    }
  }

  const std::vector<FormOnDevice>& devices_;
  const FormRecord& record_;
  const double amplitude_;
  const CellKind kind_;
  const Mesh mesh_;
  std::vector<CheckResult> results_;
};

}  // namespace

std::vector<CheckResult> check_whole_element(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                             const FormCheckOptions& options) {
  return WholeElementCheck(devices, record, options).run();
}

}  // namespace ritz
