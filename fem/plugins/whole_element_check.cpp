#include "device/error.hpp"
#include "fem/plugins/element_check_model.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/dense_symmetric.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

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

// Translations; rotations of displacements, with those of the nodes where there are any; finite ones of nonlinear
// elements.
void check_motions_of_element(const CheckedForm& s, CheckList& results) {
  const double scale = norm(s.model.residual(s.u)) / s.amplitude;
  const int directions = std::min(s.record.components, s.record.dimension);
  double worst = 0;
  for (int c = 0; c < directions; ++c)
    worst = std::max(worst,
                     norm(s.model.residual(s.model.values([&](const Point&, int i) { return i == c ? 1.0 : 0.0; }))));
  for (int axis = 0; axis < 3 && directions == 3; ++axis) {
    const bool finite = !s.record.small_displacements && s.record.components == 3;
    const double angle = 0.4, cosine = finite ? std::cos(angle) : 1,
                 sine = finite                         ? std::sin(angle)
                        : s.record.small_displacements ? angle
                                                       : 1e-7;
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const Numbers turned = s.model.values([&](const Point& x, int i) {
      const double p = x[static_cast<std::size_t>(a)], q = x[static_cast<std::size_t>(b)];
      if (i == 3 + axis && i < s.record.components) return sine;
      return i == a ? (cosine - 1) * p - sine * q : i == b ? sine * p + (cosine - 1) * q : 0.0;
    });
    worst = std::max(worst, norm(s.model.residual(turned)));
  }
  results.add("rigid motions", relative(worst, scale), 1e-9, "residual of motions that should cost nothing");
}

// All the cells together, at rest, have rigid motions and no other modes without energy.
void check_modes_of_element(const CheckedForm& s, CheckList& results) {
  const CheckModel& model = s.model;
  const auto n = static_cast<std::size_t>(model.space.unknown_count());
  const HostMatrix K = host_matrix(model.matrix(Numbers(n, 0.0)));
  Numbers dense(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (auto e = static_cast<std::size_t>(K.offsets[i]); e < static_cast<std::size_t>(K.offsets[i + 1]); ++e)
      dense[i * n + static_cast<std::size_t>(K.columns[e])] = K.values[e];
  const SymmetricEigen eigen = symmetric_eigen(dense, static_cast<int>(n));
  const auto modes =
      std::ranges::count_if(eigen.values, [&](double value) { return std::abs(value) <= 1e-12 * eigen.values.back(); });
  results.add("zero-energy modes", std::abs(double(modes - 6)), 0,
              fmt::format("{} of free elements, 6 rigid motions", modes));
}

void check_element(const CheckedForm& s, CheckList& results) {
  const FormRecord& record = s.record;
  if (!check_finite(s, results)) return;
  if (record.linear) check_linear(s, results);
  if (record.has_matrix) check_tangent(s, results);
  else check_load(s, results);
  if (record.objective) check_motions_of_element(s, results);
  if (record.objective && record.components >= record.dimension) check_balance(s, results);
  if (record.objective && record.has_matrix && record.components == 6) check_modes_of_element(s, results);
  check_backends(s, results);
  if (record.state_count > 0) check_states(s, results);
}

}  // namespace

std::vector<CheckResult> check_whole_element(const std::vector<FormOnDevice>& devices, const FormRecord& record,
                                             const FormCheckOptions& options) {
  const auto kind = static_cast<CellKind>(record.cell);
  const Mesh mesh = cells_to_check(kind);
  CheckList results{.on = std::string(traits(kind).name)};
  try {
    check_element(CheckedForm(devices, record, options.amplitude, mesh), results);
  } catch (const Error& error) { results.add_failure("can be computed", error.message()); }
  return std::move(results.results);
}

}  // namespace ritz
