// Checks of what forms and whole elements keep from increment to increment.
#include "fem/plugins/element_check_model.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

double difference_of(const Operator::PointStates& a, const Operator::PointStates& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, norm(sum(1, a[i], -1, b[i])));
    size = std::max(size, norm(b[i]));
  }
  return relative(difference, size);
}

}  // namespace

// They have been checked as they begin; now in the middle of their history.
void check_states(const std::vector<FormOnDevice>& devices, const FormRecord& record, double amplitude,
                  const std::function<CheckModel(const FormOnDevice&)>& make, const Numbers& u, const Numbers& v,
                  const AddCheck& add) {
  const CheckModel model = make(devices.front());
  const Operator& equations = model.equations;
  const Numbers before = model.residual(u);
  equations.commit(model.up(u));
  const Operator::PointStates once = equations.state();
  double bad = 0;
  for (const std::vector<double>& values : once)
    for (const double value : values) bad += !std::isfinite(value);
  add("finite state", bad, 0, "internal variables that are not finite, after a first increment");
  for (std::size_t i = 1; i < devices.size(); ++i) {
    const CheckModel other = make(devices[i]);
    other.equations.commit(other.up(u));
    add("back ends, state", difference_of(other.equations.state(), once), 1e-11,
        fmt::format("after an increment on {} against {}", devices[i].device.backend(),
                    devices.front().device.backend()));
  }
  if (record.rate_independent) {
    const Numbers after = model.residual(u);
    add("committed flux", relative(norm(sum(1, before, -1, after)), norm(before)), 1e-10,
        "residual at the field that was committed, before and after");
    equations.commit(model.up(u));
    add("rate independent", difference_of(equations.state(), once), 1e-10,
        "state after a second increment without a change");
  }
  if (!record.has_matrix) return;
  double worst = 0;
  for (const double part : {0.8, 1.3}) {  // partly back, and further
    const Numbers w = sum(part, u, 0.3 * amplitude, v);
    // short: kinks between loading and unloading are seldom met
    const Numbers Kv = model.product(model.matrix(w), v), Jv = model.difference(w, v, 1e-7);
    worst = std::max(worst, relative(norm(sum(1, Kv, -1, Jv)), norm(Jv) + norm(Kv)));
  }
  add("tangent, later", worst, 1e-6, "Kv against differences of the residual, in a second increment");
}

}  // namespace ritz
