// Loads and prescribed values at instants of an evolution, sampled before it begins, so that no step jumps over what
// happens between its ends: a pulse in a body at rest leaves no trace in the error of a step that begins before and
// ends after it.
//
//   const LoadSamples samples(model, 0, 10, rows_of_tables);
//   double end = samples.reach(t, t + dt);      // of the step that begins at t
#pragma once

#include "fem/physics/model.hpp"

#include <span>
#include <vector>

namespace ritz {

class LoadSamples {
 public:
  static constexpr int even_count = 2003;  // a prime: periods of the loads are no multiples of theirs
  static constexpr double tolerance = 0.05;

  // At the instants, and at times that divide the evolution into even parts. Functions that vary in time are sampled at
  // a few of the points where they act.
  LoadSamples(const Model& model, double begin, double end, std::span<const double> instants);

  // The latest time up to `end` for which every sample on the way from t lies on the straight line between the values
  // at both, within the tolerance of the whole range of its function. At least the next instant.
  double reach(double t, double end) const;

 private:
  std::vector<double> at(double t) const;  // [signal]
  std::vector<double> instants_;
  std::vector<std::vector<double>> values_;  // [instant][signal], over its range
};

}  // namespace ritz
