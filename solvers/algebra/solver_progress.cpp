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
  std::vector<IterationMark> marks;  // that were said, 60 at most: every second one goes then
  double target;
};

namespace {

thread_local SolverListener* listener = nullptr;

}  // namespace

SolverListener::SolverListener(MessageSink say, MessageSink foresee)
    : say_(std::move(say)), foresee_(std::move(foresee)), before_(listener), course_(std::make_unique<Course>()) {
  listener = this;
}

SolverListener::~SolverListener() { listener = before_; }

void report_progress(const std::string& text) {
  if (listener != nullptr) listener->say_(text);
}

void report_iteration(int iteration, double residual, double target, const std::string& of) {
  if (listener == nullptr) return;
  SolverListener::Course& course = *listener->course_;
  const auto now = std::chrono::steady_clock::now();
  if (iteration <= 1 || course.marks.empty() || iteration < course.marks.back().iteration || target != course.target) {
    course = {now, now, {{iteration, residual, 0}}, target};
    if (!of.empty()) listener->say_(of + text_of_iteration(course.marks, target));
    return;
  }
  if (now - course.said < std::chrono::milliseconds(100)) return;
  course.said = now;
  if (course.marks.size() == 60) {
    std::vector<IterationMark> kept;
    for (std::size_t i = 0; i < course.marks.size(); i += 2) kept.push_back(course.marks[i]);
    course.marks = std::move(kept);
  }
  course.marks.push_back({iteration, residual, std::chrono::duration<double>(now - course.start).count()});
  listener->say_(of + text_of_iteration(course.marks, target));
  if (!listener->foresee_ || course.marks.back().seconds < 1) return;
  const std::optional<ExpectedRest> rest = expected_rest(course.marks, target);
  if (!rest || rest->low < 1) return;
  listener->foresee_(
      fmt::format("this solution takes {} more, by its first {} iterations", text_of_rest(*rest), iteration));
  listener->foresee_ = {};
}

std::optional<ExpectedRest> expected_rest(std::span<const IterationMark> marks, double target) {
  constexpr double room = 1.1, most_apart = 1.5, least_part = 1.0 / 6, most_iterations = 200;
  std::vector<double> least;  // [mark] residual of it and of those before
  for (const IterationMark& mark : marks)
    least.push_back(std::min(mark.residual, least.empty() ? mark.residual : least.back()));
  if (!(least.back() > 0) || !(target > 0) ||
      std::log(least.back() / least.front()) > least_part * std::log(target / least.front()))
    return std::nullopt;
  const IterationMark& now = marks.back();
  const double seconds = now.seconds / std::max(1, now.iteration - marks.front().iteration);
  ExpectedRest rest{std::numeric_limits<double>::infinity(), 0};
  for (const std::size_t from : {std::size_t{0}, (marks.size() - 1) / 2, (marks.size() - 1) * 3 / 4}) {
    const int count = now.iteration - marks[from].iteration;
    if (count <= 0) return std::nullopt;
    const double rate = std::log(least.back() / least[from]) / count;  // of one iteration
    if (!(rate < 0)) return std::nullopt;
    const double left = std::log(target / least.back()) / rate;
    if (now.iteration + left > most_iterations) return std::nullopt;
    rest = {std::min(rest.low, left * seconds), std::max(rest.high, left * seconds)};
  }
  if (rest.high > most_apart * rest.low) return std::nullopt;
  return ExpectedRest{rest.low / room, rest.high * room};
}

std::string text_of_rest(const ExpectedRest& rest) {
  const bool minutes = rest.high >= 200;
  const double unit = minutes ? 60 : 1, low = std::round(rest.low / unit), high = std::ceil(rest.high / unit);
  if (low == 0) return fmt::format("up to {:.0f} {}", high, minutes ? "min" : "s");
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
