// The error in time of an increment along a load path. Internal variables of laws that creep or relax advance by their
// rates at the end of the increment (backward Euler), whose error is half of the difference from an increment with the
// rates of the one before: dt^2 / 2 times the second derivative. Hairer, Norsett and Wanner, Solving Ordinary
// Differential Equations I, 1993, section II.4, choose the next length by it.
//
//   RateControl control(laws, 1e-3);
//   if (control.error(before, now, dt) > 1) ...                 // repeat in a shorter one, by length_factor(error)
//   control.accept(before, now, dt);
#pragma once

#include "device/communicator.hpp"
#include "fem/operator/equations.hpp"

#include <optional>
#include <vector>

namespace ritz {

class RateControl {
 public:
  using Points = PointStates::Values;

  // laws [list of internal variables]: number of the law whose error counts, -1: none. tolerance: of the largest change
  // by the error, relative to the largest value of the law's variables.
  // device: of vectors over ranks, each of which has the internal variables of its part; all make the same calls.
  RateControl(std::vector<int> laws, double tolerance, const std::optional<Device>& device = {});

  bool is_active() const { return law_count_ > 0; }
  // Over the tolerance; nothing without an increment before.
  std::optional<double> error(const Points& before, const Points& now, double dt) const;
  void accept(const Points& before, const Points& now, double dt);
  void forget() { has_rates_ = false; }

  Points rates() const { return has_rates_ ? rates_ : Points(); }  // of the last increment, for checkpoints
  void set_rates(Points rates);

 private:
  double largest_of_ranks(double mine) const;

  std::vector<int> laws_;
  double tolerance_;
  std::optional<Communicator> ranks_;
  int law_count_ = 0;  // on all ranks
  bool has_rates_ = false;
  Points rates_;
};

// The next length over this one, for an error over its tolerance.
double length_factor(double error);

}  // namespace ritz
