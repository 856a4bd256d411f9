// Progress of a solver, for those who wait: iterations with residual, rate and expected end; levels of a set-up;
// phases of a factorisation. Only counted work. A listener hears the solvers that run in its own thread while it
// exists.
//
//   const SolverListener listening([&](const std::string& text) { log.progress(text); },
//                                  [&](const std::string& text) { log.line("{}", text); });
#pragma once

#include "device/message_sink.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ritz {

class SolverListener {
 public:
  // `foresee` hears once what the first iteration of more than a second will take.
  explicit SolverListener(MessageSink say, MessageSink foresee = {});
  ~SolverListener();
  SolverListener(const SolverListener&) = delete;
  SolverListener& operator=(const SolverListener&) = delete;

  struct Course;  // of the iteration under way

 private:
  friend void report_progress(const std::string& text);
  friend void report_iteration(int iteration, double residual, double target, const std::string& of);
  MessageSink say_, foresee_;
  SolverListener* before_;
  std::unique_ptr<Course> course_;
};

void report_progress(const std::string& text);  // said at once
// After each iteration, counted from 1: relative residual and its target. Said ten times a second at most. `of` comes
// before it: "modes: 3 of 10 converged, "; with it, the first iteration is said, too.
void report_iteration(int iteration, double residual, double target, const std::string& of = {});

struct IterationMark {
  int iteration;
  double residual, seconds;  // since the first iteration
};

// How long the iterations to the target take from the last mark on [s]: from the time of an iteration and the rate of
// the least residual so far, over all marks, over their last half and over their last quarter, and a tenth on both
// sides. None before a sixth of the way from the first residual to the target, in powers of ten; where the three rates
// differ by more than a factor of 1.5; and for more than 200 iterations in all. With a weak preconditioner conjugate
// gradients begin on a plateau and become faster, and no rate tells when: with multigrid it stays.
struct ExpectedRest {
  double low, high;
};
std::optional<ExpectedRest> expected_rest(std::span<const IterationMark> marks, double target);

// "iteration 120, residual 3.1e-05, target 1e-08, 8 % less in each, 10 to 14 s left": of the last mark.
std::string text_of_iteration(std::span<const IterationMark> marks, double target);
// "10 to 14 s"; "12 s" where both are the same whole number, "up to 1 s". Minutes from 200 s on.
std::string text_of_rest(const ExpectedRest& rest);

}  // namespace ritz
