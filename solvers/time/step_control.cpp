#include "solvers/time/step_control.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

constexpr double smallest_error = 1e-9;     // smaller ones are rounding
constexpr double part_of_the_change = 0.4;  // of an error that grows or falls from step to step

}  // namespace

double StepControl::limited(double size) const {
  return options_.largest > 0 ? std::min(size, options_.largest) : size;
}

bool StepControl::accept(double error, double dt, StepMemory& memory) const {
  const double order = options_.error_order;
  if (!(error <= 1)) {
    const double factor = std::isfinite(error) ? safety * std::pow(error, -1 / order) : most_shrinkage;
    memory.size = dt * std::max(factor, most_shrinkage);
    memory.rejected = true;
    return false;
  }
  const double now = std::max(error, smallest_error);
  // Integral part: the length at which the error would be 1. Proportional part: how it changes, beside the length of
  // steps.
  const double change = memory.dt > 0 ? std::pow(memory.error / now, 1 / order) * (dt / memory.dt) : 1;
  const double allowed = safety * dt * std::pow(now, -1 / order);
  const double growth = std::min(allowed / dt * std::pow(change, part_of_the_change), most_growth);
  const double longer = growth >= growth_that_pays && !memory.rejected ? growth * dt : dt;
  // The size that a step fell short of to meet a given time holds on, as far as the error of the step allows.
  const double as_before = memory.rejected ? 0 : std::min(memory.size, allowed);
  memory.size = limited(std::max(longer, as_before));
  memory.error = now;
  memory.dt = dt;
  memory.rejected = false;
  return true;
}

void StepControl::fail(double dt, StepMemory& memory) const {
  memory.size = most_shrinkage * dt;
  memory.rejected = true;
}

TimeStep next_step(double t, double target, double size, double dt_in_use) {
  constexpr double rounding = 1e-9;  // a little longer is as good: one step fewer
  const double left = target - t, count = std::max(1.0, std::ceil(left / size * (1 - rounding)));
  const double dt = left / count;
  const double kept = std::abs(dt - dt_in_use) <= rounding * dt_in_use ? dt_in_use : dt;
  return {kept, count == 1 ? target : t + dt};
}

}  // namespace ritz
