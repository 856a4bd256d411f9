// What a solver is doing, for those who wait: iterations with residual, rate and expected end; levels of a set-up;
// phases of a factorisation. Only counted work. A listener hears the solvers that run in its own thread while it
// exists.
//
//   const SolverListener listening([&](const std::string& text) { log.progress(text); });
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace ritz {

class SolverListener {
 public:
  explicit SolverListener(std::function<void(const std::string&)> say);
  ~SolverListener();
  SolverListener(const SolverListener&) = delete;
  SolverListener& operator=(const SolverListener&) = delete;

  struct Course;  // of the iteration under way

 private:
  friend void tell_progress(const std::string& text);
  friend void tell_iteration(int iteration, double residual, double target);
  std::function<void(const std::string&)> say_;
  SolverListener* before_;
  std::unique_ptr<Course> course_;
};

void tell_progress(const std::string& text);  // said at once
// After each iteration, counted from 1: relative residual and its target. Said ten times a second at most.
void tell_iteration(int iteration, double residual, double target);

// "iteration 120, residual 3.1e-05, target 1e-08, 8 % less in each, about 12 s left": the rate and the seconds of an
// iteration are those of the iterations from `from` on.
struct IterationMark {
  int iteration;
  double residual, seconds;
};
std::string text_of_iteration(const IterationMark& from, const IterationMark& now, double target);

}  // namespace ritz
