// Checks of what forms and whole elements keep from increment to increment.
#include "fem/plugins/element_check_model.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

double difference_of(const PointStates::Values& a, const PointStates::Values& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, norm(sum(1, a[i], -1, b[i])));
    size = std::max(size, norm(b[i]));
  }
  return relative(difference, size);
}

}  // namespace

// They have been checked as they begin; now in the middle of their history.
void check_states(const CheckedForm& s, CheckList& results) {
  const CheckModel model = s.with(s.form());
  const Operator& equations = model.equations;
  const Numbers before = model.residual(s.u);
  equations.states().commit(model.up(s.u));
  const PointStates::Values once = equations.states().values();
  double bad = 0;
  for (const std::vector<double>& values : once)
    for (const double value : values) bad += !std::isfinite(value);
  results.add("finite state", bad, 0, "internal variables that are not finite, after a first increment");
  for (std::size_t i = 1; i < s.devices.size(); ++i) {
    const CheckModel other = s.with(s.devices[i]);
    other.equations.states().commit(other.up(s.u));
    results.add(
        "back ends, state", difference_of(other.equations.states().values(), once), 1e-11,
        fmt::format("after an increment on {} against {}", s.devices[i].device.backend(), s.form().device.backend()));
  }
  if (s.record.rate_independent) {
    const Numbers after = model.residual(s.u);
    results.add("committed flux", relative(norm(sum(1, before, -1, after)), norm(before)), 1e-10,
                "residual at the field that was committed, before and after");
    equations.states().commit(model.up(s.u));
    results.add("rate independent", difference_of(equations.states().values(), once), 1e-10,
                "state after a second increment without a change");
  }
  if (!s.record.has_matrix) return;
  double worst = 0;
  for (const double part : {0.8, 1.3}) {  // partly back, and further
    const Numbers w = sum(part, s.u, 0.3 * s.amplitude, s.v);
    // short: kinks between loading and unloading are seldom met
    const Numbers Kv = model.product(model.matrix(w), s.v), Jv = model.difference(w, s.v, 1e-7);
    worst = std::max(worst, relative(norm(sum(1, Kv, -1, Jv)), norm(Jv) + norm(Kv)));
  }
  results.add("tangent, later", worst, 1e-6, "Kv against differences of the residual, in a second increment");
}

}  // namespace ritz
