// The length of steps in time: from estimates of the local error by a proportional-integral controller (Gustafsson, ACM
// Trans. Math. Softw. 17, 1991; Hairer and Wanner II, section IV.2), and divided so that given times are met exactly. A
// change of the length costs a factorisation: it is kept until a longer one pays.
//
//   StepControl control({.error_order = 3});   StepMemory memory{.size = 0.1};
//   const TimeStep step = next_step(t, target, memory.size, dt);     // dt: the length that is in use
//   if (control.accept(error, step.dt, memory)) t = step.end;        // memory.size: the length to try next, either way
#pragma once

namespace ritz {

// Everything that the controller remembers of the steps before: part of a checkpoint.
struct StepMemory {
  double size = 0;           // of the step to try next, before it is divided
  double error = 1, dt = 0;  // of the last accepted step; 0: there is none
  bool rejected = false;     // the last step was
};

struct StepControlOptions {
  int error_order = 2;  // the local error is O(dt^error_order)
  double largest = 0;   // 0: no limit
};

class StepControl {
 public:
  static constexpr double safety = 0.9, growth_that_pays = 1.5, most_growth = 5, most_shrinkage = 0.2;

  explicit StepControl(const StepControlOptions& options) : options_(options) {}

  // `error`: estimate over tolerance. Is the step accepted, that is, error <= 1? Sets the size to try next. An error
  // that is not finite is rejected.
  bool accept(double error, double dt, StepMemory& memory) const;
  // A step that could not be computed.
  void fail(double dt, StepMemory& memory) const;

 private:
  double limited(double size) const;
  StepControlOptions options_;
};

struct TimeStep {
  double dt;   // for the method: that in use, where it differs by no more than rounding
  double end;  // `target` exactly, if that is the last step before it
};

// Divides the time from t to target into equal steps no longer than `size`, and returns the first of them.
TimeStep next_step(double t, double target, double size, double dt_in_use);

}  // namespace ritz
