#include "solvers/algebra/solver_progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace ritz {

struct SolverListener::Course {
  std::chrono::steady_clock::time_point start, said;
  std::vector<IterationMark> marks;  // the last ones that were said, 30 at most
};

namespace {

thread_local SolverListener* listener = nullptr;

}  // namespace

SolverListener::SolverListener(std::function<void(const std::string&)> say,
                               std::function<void(const std::string&)> foresee)
    : say_(std::move(say)), foresee_(std::move(foresee)), before_(listener), course_(std::make_unique<Course>()) {
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
  if (course.marks.size() == 30) course.marks.erase(course.marks.begin());
  course.marks.push_back({iteration, residual, std::chrono::duration<double>(now - course.start).count()});
  listener->say_(text_of_iteration(course.marks, target));
  if (!listener->foresee_ || course.marks.back().seconds < 1) return;
  const std::optional<ExpectedRest> rest = expected_rest(course.marks, target);
  if (!rest) return;
  listener->foresee_(
      fmt::format("this solution takes {} more, by its first {} iterations", text_of_rest(*rest), iteration));
  listener->foresee_ = {};
}

std::optional<ExpectedRest> expected_rest(std::span<const IterationMark> marks, double target) {
  constexpr double room = 1.1;
  const IterationMark& now = marks.back();
  ExpectedRest rest{std::numeric_limits<double>::infinity(), 0};
  for (const std::size_t from : {std::size_t{0}, marks.size() / 2, marks.size() - marks.size() / 4 - 1}) {
    const IterationMark& before = marks[from];
    const int count = now.iteration - before.iteration;
    if (count <= 0 || !(before.residual > 0) || !(now.residual > 0)) continue;
    const double rate = std::log(now.residual / before.residual) / count;  // of one iteration
    if (!(rate < 0)) return std::nullopt;
    const double left = std::log(target / now.residual) / rate * (now.seconds - before.seconds) / count;
    rest = {std::min(rest.low, left / room), std::max(rest.high, left * room)};
  }
  return rest.low <= rest.high ? std::optional(rest) : std::nullopt;
}

std::string text_of_rest(const ExpectedRest& rest) {
  const bool minutes = rest.high >= 200;
  const double unit = minutes ? 60 : 1, low = std::round(rest.low / unit), high = std::ceil(rest.high / unit);
  return low == high ? fmt::format("{:.0f} {}", high, minutes ? "min" : "s")
                     : fmt::format("{:.0f} to {:.0f} {}", low, high, minutes ? "min" : "s");
}

std::string text_of_iteration(std::span<const IterationMark> marks, double target) {
  const IterationMark &from = marks.front(), &now = marks.back();
  std::string text = fmt::format("iteration {}, residual {:.1e}, target {:.1e}", now.iteration, now.residual, target);
  const int count = now.iteration - from.iteration;
  if (count <= 0 || !(from.residual > 0) || !(now.residual > 0)) return text;
  const double rate = std::log(now.residual / from.residual) / count;
  if (!(rate < 0)) return text + ", not falling";
  text += fmt::format(", {:.2g} % less in each", -100 * std::expm1(rate));
  const std::optional<ExpectedRest> rest = expected_rest(marks, target);
  return rest && rest->high > 0 ? text + fmt::format(", {} left", text_of_rest(*rest)) : text;
}

}  // namespace ritz
