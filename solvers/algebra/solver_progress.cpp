#include "solvers/algebra/solver_progress.hpp"

#include <chrono>
#include <cmath>
#include <deque>

#include <fmt/format.h>

namespace ritz {

struct SolverListener::Course {
  std::chrono::steady_clock::time_point start, said;
  std::deque<IterationMark> marks;  // the last ones that were said
};

namespace {

thread_local SolverListener* listener = nullptr;

}  // namespace

SolverListener::SolverListener(std::function<void(const std::string&)> say)
    : say_(std::move(say)), before_(listener), course_(std::make_unique<Course>()) {
  listener = this;
}

SolverListener::~SolverListener() { listener = before_; }

void tell_progress(const std::string& text) {
  if (listener != nullptr) listener->say_(text);
}

void tell_iteration(int iteration, double residual, double target) {
  if (listener == nullptr) return;
  SolverListener::Course& course = *listener->course_;
  const auto now = std::chrono::steady_clock::now();
  if (iteration <= 1 || course.marks.empty() || iteration < course.marks.back().iteration) {
    course = {now, now, {{iteration, residual, 0}}};
    return;
  }
  if (now - course.said < std::chrono::milliseconds(100)) return;
  course.said = now;
  const IterationMark mark{iteration, residual, std::chrono::duration<double>(now - course.start).count()};
  listener->say_(text_of_iteration(course.marks.front(), mark, target));
  course.marks.push_back(mark);
  if (course.marks.size() > 30) course.marks.pop_front();
}

std::string text_of_iteration(const IterationMark& from, const IterationMark& now, double target) {
  std::string text = fmt::format("iteration {}, residual {:.1e}, target {:.1e}", now.iteration, now.residual, target);
  const int count = now.iteration - from.iteration;
  if (count <= 0 || !(from.residual > 0) || !(now.residual > 0)) return text;
  const double rate = std::log(now.residual / from.residual) / count;  // of one iteration
  if (!(rate < 0)) return text + ", not falling";
  const double left = std::log(target / now.residual) / rate * (now.seconds - from.seconds) / count;
  text += fmt::format(", {:.2g} % less in each", -100 * std::expm1(rate));
  return left > 0 ? text + fmt::format(", about {:.0f} s left", std::ceil(left)) : text;
}

}  // namespace ritz
