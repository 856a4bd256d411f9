// What a solver is doing, for those who wait: iterations with residual, rate and expected end; levels of a set-up;
// phases of a factorisation. Only counted work. A listener hears the solvers that run in its own thread while it
// exists.
//
//   const SolverListener listening([&](const std::string& text) { log.progress(text); },
//                                  [&](const std::string& text) { log.line("{}", text); });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ritz {

class SolverListener {
 public:
  // `foresee` hears once what the first iteration of more than a second will take.
  explicit SolverListener(std::function<void(const std::string&)> say,
                          std::function<void(const std::string&)> foresee = {});
  ~SolverListener();
  SolverListener(const SolverListener&) = delete;
  SolverListener& operator=(const SolverListener&) = delete;

  struct Course;  // of the iteration under way

 private:
  friend void tell_progress(const std::string& text);
  friend void tell_iteration(int iteration, double residual, double target);
  std::function<void(const std::string&)> say_, foresee_;
  SolverListener* before_;
  std::unique_ptr<Course> course_;
};

void tell_progress(const std::string& text);  // said at once
// After each iteration, counted from 1: relative residual and its target. Said ten times a second at most.
void tell_iteration(int iteration, double residual, double target);

struct IterationMark {
  int iteration;
  double residual, seconds;  // since the first iteration
};

// How long the iterations to the target take from the last mark on [s]: from the rate of the residual and the time of
// an iteration over all marks, over their last half and over their last quarter the least and the most, and a tenth on
// both sides. None where the residual does not fall.
struct ExpectedRest {
  double low, high;
};
std::optional<ExpectedRest> expected_rest(std::span<const IterationMark> marks, double target);

// "iteration 120, residual 3.1e-05, target 1e-08, 8 % less in each, 10 to 14 s left": of the last mark.
std::string text_of_iteration(std::span<const IterationMark> marks, double target);
// "10 to 14 s"; "12 s" where both are the same whole number. Minutes from 200 s on.
std::string text_of_rest(const ExpectedRest& rest);

}  // namespace ritz
