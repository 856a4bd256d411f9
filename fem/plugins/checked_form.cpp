// Checks that forms at points and structural elements have in common.
#include "fem/plugins/element_check_model.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

// Unknowns of the space that the element does not have stay zero.
Numbers wave(const CheckModel& model, const FormRecord& record, double amplitude, int number) {
  return model.values(
      [&](const Point& x, int c) { return c < record.components ? amplitude * check_wave(x, c + 3 * number) : 0.0; });
}

}  // namespace

CheckedForm::CheckedForm(const std::vector<FormOnDevice>& on, const FormRecord& of, double size, const Mesh& cells,
                         const SpaceOptions& options)
    : devices(on),
      record(of),
      amplitude(size),
      mesh(cells),
      space(options),
      model(cells, on.front(), options),
      u(wave(model, of, size, 1)),
      v(wave(model, of, 1, 2)),
      w(wave(model, of, 1, 3)) {}

bool check_finite(const CheckedForm& s, CheckList& results) {
  double bad = 0;
  for (const double r : s.model.residual(s.u)) bad += !std::isfinite(r);
  if (s.record.has_matrix)
    for (const double k : s.model.matrix(s.u).values().host()) bad += !std::isfinite(k);
  results.add("finite", bad, 0,
              fmt::format("entries of residual and tangent that are not finite, at a field of size {:g}", s.amplitude));
  return bad == 0;
}

void check_linear(const CheckedForm& s, CheckList& results) {
  results.add("linear", nonlinearity(s.model, s.u, s.v), 1e-10, "r(3u + v) - 3r(u) - r(v), less r(0)");
}

void check_load(const CheckedForm& s, CheckList& results) {
  const Numbers r = s.model.residual(s.u), other = s.model.residual(s.v);
  results.add("load", relative(norm(sum(1, r, -1, other)), norm(r)), 1e-12,
              "residual at two fields: a form without a matrix must not depend on u");
}

void check_tangent(const CheckedForm& s, CheckList& results) {
  const SparseMatrix K = s.model.matrix(s.u);
  const Numbers Kv = s.model.product(K, s.v), Jv = s.model.difference(s.u, s.v), Jw = s.model.difference(s.u, s.w);
  const double asymmetry = std::abs(dot(s.w, Jv) - dot(s.v, Jw)), size = norm(s.v) * norm(Jw) + norm(s.w) * norm(Jv);
  if (s.record.symmetric)
    results.add("symmetric tangent", relative(asymmetry, size), 1e-7, "w.Jv - v.Jw with J from differences");
  results.add("tangent", relative(norm(sum(1, Kv, -1, Jv)), norm(Jv) + norm(Kv)), 1e-6,
              "Kv against differences of the residual");
  const Numbers action = s.model.action(s.u, s.v);
  results.add("action", relative(norm(sum(1, Kv, -1, action)), norm(Kv)), 1e-11, "without a matrix, against Kv");
  const Numbers d = K.diagonal().host(), without_matrix = s.model.equations.diagonal(s.model.up(s.u)).host();
  results.add("diagonal", relative(norm(sum(1, d, -1, without_matrix)), norm(d)), 1e-11,
              "without a matrix, against K's");
}

void check_balance(const CheckedForm& s, CheckList& results) {
  results.add("balance", imbalance(s.model, s.record, s.u, s.model.residual(s.u)), 1e-9,
              "sums of forces and of moments, of an unsupported body");
}

void check_backends(const CheckedForm& s, CheckList& results) {
  const Numbers r = s.model.residual(s.u), Kv = s.record.has_matrix ? s.model.product(s.model.matrix(s.u), s.v) : r;
  for (std::size_t i = 1; i < s.devices.size(); ++i) {
    const CheckModel other = s.with(s.devices[i]);
    double worst = relative(norm(sum(1, r, -1, other.residual(s.u))), norm(r));
    if (s.record.has_matrix)
      worst = std::max(worst, relative(norm(sum(1, Kv, -1, other.product(other.matrix(s.u), s.v))), norm(Kv)));
    results.add(
        "back ends", worst, 1e-11,
        fmt::format("residual and tangent on {} against {}", s.devices[i].device.backend(), s.form().device.backend()));
  }
}

}  // namespace ritz
